/**
 * Damaged inputs of every kind, read by dparse and by commands of dprof: every run must give a result that holds together
 * or one clear error, in bounded time and memory.
 *
 *   npm run fuzz                                        10,000 runs, the readers in turn
 *   npm run fuzz -- --runs 100000 --seed 2              so many, of another seed
 *   npm run fuzz -- --only nsight,kineto                of some readers
 *   npm run fuzz -- --only nsight --from 4711 --runs 1  one run again
 *   npm run fuzz -- --keep FOLDER                       where inputs of findings are kept
 *   npm run fuzz -- --rejections                        with what rejections say
 *   npm run fuzz -- --samples                           of the samples alone, without shared profiles
 *   npm run fuzz -- --sectors                                each sector of three databases zero, and doubled
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { READERS } from '../../src/parse/registry.js';
import { READER_NAMES } from './bases.js';
import type { ReaderName } from './input.js';
import { inputsOf } from './inputs.js';
import type { Outcome } from './reading.js';
import { supervise } from './supervisor.js';
import { lineOf, Tally } from './tally.js';

/** Readers of databases, whose samples are damaged sector by sector. */
const WITH_SECTORS: readonly ReaderName[] = [
  ...READERS.filter(({ id, reads }) => reads === 'database' && READER_NAMES.includes(id)).map(({ id }) => id),
  'ascend',
];
const TOLD_EVERY = 1000;

const { values } = parseArgs({
  options: {
    runs: { type: 'string' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    only: { type: 'string' },
    keep: { type: 'string', default: join(tmpdir(), 'dprof-fuzz-findings') },
    rejections: { type: 'boolean', default: false },
    samples: { type: 'boolean', default: false },
    sectors: { type: 'boolean', default: false },
  },
});

function whole(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 0) throw new Error(`not a whole number: ${text}`);
  return number;
}

function readers(): readonly ReaderName[] {
  if (values.only === undefined) return values.sectors ? WITH_SECTORS : READER_NAMES;
  return values.only.split(',').map((name) => {
    const reader = READER_NAMES.find((each) => each === name);
    if (reader === undefined) throw new Error(`no reader '${name}': one of ${READER_NAMES.join(', ')}`);
    return reader;
  });
}

const plan = { readers: readers(), seed: whole(values.seed), sectors: values.sectors, withShared: !values.samples };
const inputs = inputsOf(plan);
const from = whole(values.from);
const end = values.runs === undefined ? Math.min(inputs.count, from + 10_000) : from + whole(values.runs);
const tally = new Tally();

/** Keeps the files of a finding. */
function keep({ run, reader }: Outcome): string {
  const folder = join(values.keep, `${reader}-seed${plan.seed}-run${run}`);
  for (const [name, bytes] of Object.entries(inputs.at(run).files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
  return folder;
}

function print(): void {
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  if (values.rejections) process.stdout.write(`${tally.rejections()}\n\n`);
  process.stdout.write(`${tally.report()}${tally.runs} runs of seed ${plan.seed} in ${seconds} s\n`);
  process.exitCode = tally.findings.length > 0 ? 1 : 0;
}

const started = performance.now();
// What was found so far is worth having where somebody has waited long enough.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    print();
    process.exit();
  });
}
await supervise({ plan, inputs }, from, end, (outcome) => {
  if (tally.add(outcome)) process.stderr.write(`${lineOf(outcome)}\n  ${outcome.what}\n  kept in ${keep(outcome)}\n`);
  if (tally.runs % TOLD_EVERY === 0) process.stderr.write(`${tally.runs} runs, ${tally.findings.length} findings\n`);
});
print();
