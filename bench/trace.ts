/**
 * How long the tools take for a big PyTorch trace, and how much memory, compared with JSON.parse of the same bytes in pieces:
 * nothing that is made of a trace in JavaScript can cost less. All are measured in one run, in turn.
 *
 *   npm run build && npm run bench trace                  a trace repeated 4 and 16 times
 *   npm run bench trace -- --large                        and 64 times
 *   npm run bench trace -- --runs 3 my.pt.trace.json.gz   another trace, the median of three runs
 *   npm run bench trace -- --only parse                   without the tools
 *   npm run bench trace -- --dir /big/disk                with the traces there
 *
 * The default trace is the largest real one next to the checkout, or else a sample. Repeated 64 times it takes 3.6 GB
 * in the folder for temporary files (or --dir), its records less. All files are removed again.
 */
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { built, fromRoot } from './built-tools.js';
import type { Command, Usage } from './measure.js';
import { measure, summary } from './measure.js';
import { realTrace } from './real-profiles.js';
import { readTrace, writeRepeated } from './repeat-trace.js';
import type { TraceReader, TraceResult } from './trace-report.js';
import { growthTable, KNOWN, othersTable, promises, READERS, sizeTable } from './trace-report.js';
import type { TraceTemplate } from './trace-template.js';
import { traceTemplate } from './trace-template.js';

const SIZES = [4, 16];
const LARGE = 64;

interface Plan {
  readonly input: string;
  readonly sizes: readonly number[];
  readonly runs: number;
  readonly who: readonly TraceReader[];
  readonly folder: string;
}

interface Files {
  readonly trace: string;
  readonly records: string;
}

const COMMANDS: Readonly<Record<TraceReader, (files: Files) => readonly string[]>> = {
  parse: ({ trace }) => [fromRoot('bench/parse-pieces.mjs'), trace],
  dparse: ({ trace, records }) => [fromRoot('bin/dparse.js'), '-q', '-o', records, trace],
  dprof: ({ records }) => [fromRoot('bin/dprof.js'), '-q', '--csv', records],
};

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const isReader = (name: string): name is TraceReader => (READERS as readonly string[]).includes(name);

/** Those that can run here, in their order; dprof reads what dparse wrote. */
function readers(only: string | undefined): readonly TraceReader[] {
  if (only !== undefined && !isReader(only)) throw new Error(`--only takes ${READERS.join(', ')}`);
  if (!built()) say('The tools are not built (npm run build): only JSON.parse.');
  return READERS.filter(
    (who) =>
      (only === undefined || who === only || (only === 'dprof' && who === 'dparse')) && (who === 'parse' || built()),
  );
}

function readPlan(): Omit<Plan, 'folder'> & { readonly dir: string | undefined } {
  const { values, positionals } = parseArgs({
    options: {
      large: { type: 'boolean', default: false },
      runs: { type: 'string', default: '1' },
      only: { type: 'string' },
      dir: { type: 'string' },
    },
    allowPositionals: true,
  });
  const runs = Number(values.runs);
  if (!Number.isInteger(runs) || runs < 1) throw new Error(`--runs takes a whole number above 0, not ${values.runs}`);
  return {
    input: positionals[0] ?? realTrace() ?? fromRoot('samples/lenet.pt.trace.json.gz'),
    sizes: values.large ? [...SIZES, LARGE] : SIZES,
    runs,
    who: readers(values.only),
    dir: values.dir,
  };
}

/** Measures one size; its files are gone afterwards. */
async function at(plan: Plan, template: TraceTemplate, copies: number): Promise<TraceResult> {
  const folder = mkdtempSync(join(plan.folder, `x${copies}-`));
  try {
    const files = { trace: join(folder, 'repeated.pt.trace.json'), records: join(folder, 'records.jsonl') };
    const before = performance.now();
    writeRepeated(template, copies, files.trace);
    process.stderr.write(`x${copies} written  ${((performance.now() - before) / 1000).toFixed(1)} s\n`);
    const usages = new Map<TraceReader, Usage[]>(plan.who.map((who) => [who, []]));
    for (let run = 1; run <= plan.runs; run++) {
      for (const [who, list] of usages) {
        const command: Command = { program: process.execPath, args: COMMANDS[who](files) };
        const usage = await measure(command, join(folder, 'time'));
        list.push(usage);
        process.stderr.write(`x${copies} run ${run}/${plan.runs}  ${who}  ${usage.seconds.toFixed(2)} s\n`);
      }
    }
    const medians = new Map([...usages].map(([who, list]) => [who, summary(list)]));
    return { copies, bytes: statSync(files.trace).size, events: copies * template.events, usages: medians };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(plan: Plan): Promise<void> {
  const template = traceTemplate(readTrace(plan.input));
  say(`${basename(plan.input)}, median of ${plan.runs}, Node ${process.versions.node}\n`);
  const results: TraceResult[] = [];
  for (const copies of plan.sizes) {
    const result = await at(plan, template, copies);
    results.push(result);
    say(`${sizeTable(result)}\n`);
  }
  say(`Growth over x${plan.sizes[0] ?? 1}\n${growthTable(results)}\n`);
  const known = basename(plan.input) === KNOWN.file;
  const others = known ? othersTable(results) : null;
  if (others !== null) say(`${others}\n`);
  if (plan.who.includes('dparse')) say(promises(results, known));
}

const { dir, ...plan } = readPlan();
if (dir !== undefined) mkdirSync(dir, { recursive: true });
const folder = mkdtempSync(join(dir ?? tmpdir(), 'dprof-trace-bench-'));
const tidy = (): void => rmSync(folder, { recursive: true, force: true });
process.once('SIGINT', () => {
  tidy();
  process.exit(130);
});
try {
  await run({ ...plan, folder });
} finally {
  tidy();
}
