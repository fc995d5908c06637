/**
 * Damaged Neuron files, read to the end: every run must give a result that holds together or one clear error, in
 * bounded time and memory.
 *
 *   npm run fuzz                                  10,000 runs
 *   npm run fuzz -- --runs 100000 --seed 1        so many, of another seed
 *   npm run fuzz -- --seed 1 --from 4711 --runs 1 one run again
 *   npm run fuzz -- --captures FOLDER             of other captures (default: the shared ones, and made ones)
 *   npm run fuzz -- --keep FOLDER                 where files of crashes are kept (default: dprof-fuzz-crashes in the folder for temporary files)
 */
import { fork, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fromRoot } from './contestants.js';
import { allBases } from './fuzz-bases.js';
import { Fuzzer, type FuzzOutcome } from './fuzz-run.js';
import { FuzzTally } from './fuzz-tally.js';

interface Plan {
  readonly runs: number;
  readonly seed: number;
  readonly from: number;
  readonly captures: string;
  readonly keep: string;
}

/** A run without an end: far above the limit, as the machine may be busy. */
const HANG_MS = 30_000;
/** Heap of the process that reads; other memory shows in its resident set. */
const HEAP_MB = 512;
const TOLD_EVERY = 5000;

function readPlan(): Plan {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '10000' },
      seed: { type: 'string', default: '1' },
      from: { type: 'string', default: '0' },
      captures: { type: 'string', default: '' },
      keep: { type: 'string', default: join(tmpdir(), 'dprof-fuzz-crashes') },
    },
  });
  const [runs, seed, from] = [values.runs, values.seed, values.from].map((text) => {
    const number = Number(text);
    if (!Number.isSafeInteger(number) || number < 0) throw new Error(`not a whole number: ${text}`);
    return number;
  }) as [number, number, number];
  return { runs, seed, from, captures: values.captures, keep: values.keep };
}

/** Runs from one on, until a process ends; resolves with the first run that has no outcome. */
async function runFrom(
  plan: Plan,
  from: number,
  end: number,
  take: (outcome: FuzzOutcome) => void,
): Promise<{ next: number; why: string }> {
  const child: ChildProcess = fork(
    fromRoot('bench/fuzz-child.ts'),
    [plan.captures, String(plan.seed), String(from), String(end)],
    { execArgv: [...process.execArgv, `--max-old-space-size=${HEAP_MB}`] },
  );
  let next = from;
  let why = 'the process ended';
  const watch = (): NodeJS.Timeout =>
    setTimeout(() => {
      why = `no end within ${HANG_MS / 1000} s`;
      child.kill('SIGKILL');
    }, HANG_MS);
  let timer = watch();
  child.on('message', (message) => {
    clearTimeout(timer);
    timer = watch();
    const outcome = message as FuzzOutcome;
    next = outcome.run + 1;
    take(outcome);
  });
  await new Promise<void>((resolve) => child.once('close', () => resolve()));
  clearTimeout(timer);
  return { next, why };
}

/** Keeps what was read in a run. */
function keep(plan: Plan, run: number): string {
  const fuzzer = new Fuzzer(plan.captures === '' ? allBases() : allBases(plan.captures), plan.seed);
  try {
    const { base, bytes, program } = fuzzer.input(run);
    mkdirSync(plan.keep, { recursive: true });
    const path = join(plan.keep, `seed${plan.seed}-run${run}.${base.kind}`);
    writeFileSync(path, bytes);
    if (program !== null) writeFileSync(`${path}.program.neff`, program);
    return path;
  } finally {
    fuzzer.dispose();
  }
}

const plan = readPlan();
const tally = new FuzzTally();
const end = plan.from + plan.runs;
const take = (outcome: FuzzOutcome): void => {
  tally.add(outcome);
  if (outcome.is === 'crash') {
    process.stdout.write(
      `CRASH seed ${plan.seed} run ${outcome.run} (${outcome.base}): ${outcome.what}\n  kept as ${keep(plan, outcome.run)}\n`,
    );
  }
  if (tally.runs % TOLD_EVERY === 0) process.stderr.write(`${tally.runs} runs, ${tally.crashes} crashes\n`);
};
const started = performance.now();
for (let from = plan.from; from < end;) {
  const { next, why } = await runFrom(plan, from, end, take);
  if (next < end) {
    const kind = { kind: 'ntff', base: '?', is: 'crash', records: 0, milliseconds: 0, grown: 0, peak: 0 } as const;
    take({ run: next, ...kind, what: why });
  }
  from = next + 1;
}
process.stdout.write(`${tally.report((performance.now() - started) / 1000)}\n`);
if (tally.crashes > 0) process.exitCode = 1;
