/**
 * Processor time and peak memory of this checkout's commands over those of another one, such as the commit before:
 *
 *   npm run build && npm run bench checkouts -- OTHER      OTHER: the folder of another checkout, built
 *   npm run bench checkouts -- OTHER --pairs 9 --kernels 50000
 *   npm run bench checkouts -- OTHER --only dparse-nsight --only html
 *
 * Each command runs in turn in both checkouts, once to warm up and then as many times as there are pairs. A row has the
 * ratios of processor time (the median of the pairs, the least and the largest) and of the largest peak. Inputs are made
 * in the folder for temporary files (or --dir) and removed again.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ANSWER_NAMES, answerCommand } from './answer-commands.js';
import { built, fromRoot } from './built-tools.js';
import { generate } from './generate.js';
import { measure, median, temporaryFolder, type Command, type Usage } from './measure.js';
import { repeatDatabase } from './repeat-ascend.js';
import { readTrace, writeRepeated } from './repeat-trace.js';
import { table } from './report.js';
import { traceTemplate } from './trace-template.js';

/** Profiles for dparse, each of about as many kernels as asked for. */
const PROFILES: Readonly<Record<string, (folder: string, kernels: number) => string>> = {
  'dparse-nsight': (folder, kernels) => {
    const path = join(folder, 'generated.sqlite');
    generate(path, { kernels });
    return path;
  },
  'dparse-kineto': (folder, kernels) => {
    const path = join(folder, 'repeated.pt.trace.json');
    const template = traceTemplate(readTrace(fromRoot('samples/lenet.pt.trace.json.gz')));
    writeRepeated(template, Math.ceil(kernels / KERNELS_OF_TRACE), path);
    return path;
  },
  'dparse-ascend': (folder, kernels) => {
    const path = join(folder, 'ascend_pytorch_profiler_0.db');
    const database = fromRoot('samples/ascend_pytorch_profiler_0.db');
    repeatDatabase(database, Math.ceil(kernels / KERNELS_OF_DATABASE), path);
    return path;
  },
};
/** Kernels of the samples that are repeated. */
const KERNELS_OF_TRACE = 92;
const KERNELS_OF_DATABASE = 20;

const NAMES = [...Object.keys(PROFILES), ...ANSWER_NAMES];
const RECORDS_FROM = 'dparse-nsight';

interface Plan {
  readonly other: string;
  readonly pairs: number;
  readonly kernels: number;
  readonly only: readonly string[];
  readonly dir: string;
}

/** A whole number above 0 of the command line. */
function count(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} takes a whole number above 0, not ${text}`);
  return value;
}

function readPlan(): Plan {
  const { values, positionals } = parseArgs({
    options: {
      pairs: { type: 'string', default: '5' },
      kernels: { type: 'string', default: '60000' },
      only: { type: 'string', multiple: true, default: [] },
      dir: { type: 'string', default: tmpdir() },
    },
    allowPositionals: true,
  });
  const [other, ...rest] = positionals;
  if (other === undefined || rest.length > 0) throw new Error('usage: npm run bench checkouts -- OTHER');
  if (!existsSync(join(other, 'dist'))) throw new Error(`${other} is not a built checkout: npm run build there`);
  const unknown = values.only.find((name) => !NAMES.includes(name));
  if (unknown !== undefined) throw new Error(`--only takes ${NAMES.join(', ')}, not ${unknown}`);
  const { only, dir } = values;
  return {
    other: resolve(other),
    pairs: count('pairs', values.pairs),
    kernels: count('kernels', values.kernels),
    only,
    dir,
  };
}

const dparse = (root: string, profile: string): readonly string[] => [join(root, 'bin/dparse.js'), '-q', profile];

interface Comparison {
  readonly ratios: readonly number[];
  readonly seconds: readonly [ours: number, theirs: number];
  readonly peaks: readonly [ours: number, theirs: number];
}

/** Runs a command in both checkouts in turn. */
async function compare(plan: Plan, commandOf: (root: string) => Command, scratch: string): Promise<Comparison> {
  const roots = [fromRoot('.'), plan.other] as const;
  const usages: [Usage[], Usage[]] = [[], []];
  for (let pair = 0; pair <= plan.pairs; pair++) {
    for (const [i, list] of usages.entries()) {
      const usage = await measure(commandOf(roots[i === 0 ? 0 : 1]), scratch);
      if (pair > 0) list.push(usage);
    }
  }
  const [ours, theirs] = usages;
  const cpu = ({ cpuSeconds, seconds }: Usage): number => cpuSeconds ?? seconds;
  const peak = (list: readonly Usage[]): number => Math.max(...list.map(({ peakBytes }) => peakBytes ?? NaN));
  return {
    ratios: ours.map((usage, i) => cpu(usage) / (theirs[i] === undefined ? NaN : cpu(theirs[i]))),
    seconds: [median(ours.map(cpu)), median(theirs.map(cpu))],
    peaks: [peak(ours), peak(theirs)],
  };
}

function rowOf(name: string, { ratios, seconds, peaks }: Comparison): string[] {
  const times = [median(ratios), Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(3));
  const megabytes = peaks.map((bytes) => (bytes / 1e6).toFixed(0));
  return [name, ...seconds.map((value) => value.toFixed(2)), ...times, ...megabytes, (peaks[0] / peaks[1]).toFixed(3)];
}

async function run(plan: Plan, folder: string): Promise<void> {
  const isWanted = (name: string): boolean => plan.only.length === 0 || plan.only.includes(name);
  const scratch = join(folder, 'time');
  const rows = [['', 'cpu s', 'other', 'ratio', 'least', 'most', 'peak MB', 'other', 'ratio']];
  const add = async (name: string, commandOf: (root: string) => Command): Promise<void> => {
    const row = rowOf(name, await compare(plan, commandOf, scratch));
    process.stderr.write(`${row.join('  ')}\n`);
    rows.push(row);
  };
  const records = join(folder, 'records.dict');
  const needsRecords = ANSWER_NAMES.some(isWanted);
  for (const [name, make] of Object.entries(PROFILES)) {
    const isSource = needsRecords && name === RECORDS_FROM;
    if (!isWanted(name) && !isSource) continue;
    const profile = make(folder, plan.kernels);
    if (isWanted(name)) await add(name, (root) => ({ program: process.execPath, args: dparse(root, profile) }));
    if (isSource) execFileSync(process.execPath, [...dparse(fromRoot('.'), profile), '-o', records]);
    rmSync(profile);
  }
  for (const name of ANSWER_NAMES.filter(isWanted)) await add(name, (root) => answerCommand(name, records, root));
  process.stdout.write(
    `${plan.kernels} kernels, ${plan.pairs} pairs, Node ${process.versions.node}\n\n${table(rows)}\n`,
  );
}

const plan = readPlan();
if (!built()) throw new Error('the tools are not built: npm run build');
const folder = temporaryFolder(plan.dir);
await run(plan, folder);
