/**
 * How long each answer of dprof takes over many records, and how much memory, compared with a program that only parses every
 * line. All are measured in one run, in turn, at a tenth of the size and at the whole of it.
 *
 *   npm run build && npm run bench answers                 1,000,000 kernels
 *   npm run bench answers -- --kernels 100000 my.dict      the records of another profile, repeated
 *   npm run bench answers -- --only html --only advise     some commands
 *   npm run bench answers -- --dir /big/disk               with the records there
 *
 * A million kernels of the default, a sample's, take 1.7 GB. All files are removed again.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ANSWER_NAMES, answerCommand } from './answer-commands.js';
import { built, fromRoot } from './built-tools.js';
import { measure, temporaryFolder, type Command, type Usage } from './measure.js';
import { ratio, table } from './report.js';
import { writeRepeatedRecords } from './repeat-records.js';

const SAMPLE = 'samples/lenet.pt.trace.json.gz';
const BASELINE = 'JSON.parse of each line';
/** What each command promises for a million kernels, in bytes. */
const LIMIT = 500e6;
const LIMITS: Readonly<Record<string, number>> = { html: 1e9 };

const ROWS: readonly string[] = [BASELINE, ...ANSWER_NAMES];

const commandOf = (name: string, records: string): Command =>
  name === BASELINE
    ? { program: process.execPath, args: [fromRoot('bench/parse-lines.mjs'), records] }
    : answerCommand(name, records, fromRoot('.'));

interface Plan {
  readonly kernels: number;
  readonly input: string;
  readonly dir: string | undefined;
  readonly only: readonly string[];
}

function readPlan(): Plan {
  const { values, positionals } = parseArgs({
    options: {
      kernels: { type: 'string', default: '1000000' },
      only: { type: 'string', multiple: true, default: [] },
      dir: { type: 'string' },
    },
    allowPositionals: true,
  });
  const kernels = Number(values.kernels);
  if (!Number.isInteger(kernels) || kernels < 10) throw new Error('--kernels takes a whole number from 10 on');
  const strange = values.only.filter((name) => !ROWS.includes(name));
  if (strange.length > 0) throw new Error(`--only takes ${ROWS.join(', ')}`);
  return { kernels, input: positionals[0] ?? fromRoot(SAMPLE), dir: values.dir, only: values.only };
}

/** The records of an input: a profile's are made first. */
function recordsOf(input: string): string {
  if (/\.(dict|jsonl)$/.test(input)) return readFileSync(input, 'utf8');
  return execFileSync(process.execPath, [fromRoot('bin/dparse.js'), '-q', input], {
    encoding: 'utf8',
    maxBuffer: 2 ** 29,
  });
}

async function at(plan: Plan, text: string, kernels: number, within: string): Promise<ReadonlyMap<string, Usage>> {
  const records = join(within, `${kernels}.dict`);
  const usages = new Map<string, Usage>();
  const wanted = ROWS.filter((name) => plan.only.length === 0 || name === BASELINE || plan.only.includes(name));
  try {
    writeRepeatedRecords(text, kernels, records);
    for (const name of wanted) {
      const usage = await measure(commandOf(name, records), join(within, 'time'));
      process.stderr.write(`${kernels} kernels  ${name}  ${usage.seconds.toFixed(2)} s\n`);
      usages.set(name, usage);
    }
  } finally {
    rmSync(records, { force: true });
  }
  return usages;
}

/** Time over the baseline's, growth of time from a tenth of the size (10 is linear), and whether memory keeps its limit. */
function report(small: ReadonlyMap<string, Usage>, large: ReadonlyMap<string, Usage>): string {
  const least = large.get(BASELINE)?.seconds;
  const rows = [...large].map(([name, { seconds, peakBytes }]) => {
    const limit = LIMITS[name] ?? LIMIT;
    const verdict = name === BASELINE || peakBytes === null ? '' : peakBytes <= limit ? 'kept' : 'NOT KEPT';
    return [
      name,
      seconds.toFixed(2),
      ratio(seconds, least),
      ratio(seconds, small.get(name)?.seconds),
      peakBytes === null ? 'na' : (peakBytes / 1e6).toFixed(0),
      name === BASELINE ? '' : (limit / 1e6).toFixed(0),
      verdict,
    ];
  });
  return table([['', 'seconds', '/ baseline', '/ a tenth', 'peak MB', 'limit', ''], ...rows]);
}

const plan = readPlan();
if (!built()) throw new Error('the tools are not built: npm run build');
const folder = temporaryFolder(plan.dir);
const text = recordsOf(plan.input);
const small = await at(plan, text, Math.round(plan.kernels / 10), folder);
const large = await at(plan, text, plan.kernels, folder);
process.stdout.write(`\n${plan.kernels} kernels, Node ${process.versions.node}\n\n${report(small, large)}\n`);
