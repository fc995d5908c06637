/**
 * Jobs of many ranks: time and memory of each stage (`dprof partial` for each profile, `dprof merge` in a tree, the reports
 * from the merged file), the figures a rank at the largest size over those at the smallest, and pages of some ranks.
 *
 *   npm run build && npm run bench job-size                        64, 256 and 1,024 ranks
 *   npm run bench job-size -- --ranks 8 --ranks 64 --only simulated
 *   npm run bench job-size -- --trace my.pt.trace.json.gz          another trace than that of the shared files or samples
 *
 * Two jobs of each size: one whose ranks are all the one trace, each with a rank and a clock of its own, and a simulated
 * one with collectives. Profiles of some ranks, spread over the job, are reduced one by one and measured so. The partial
 * answers of the others are, of the one trace, one of these with another rank, which must give the bytes of those that were
 * measured; of the simulated job they are made of records, 64 ranks a process. Files are made in the folder for temporary
 * files (or --dir), some 600 MB, and removed again.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { built, fromRoot } from './built-tools.js';
import { pagesTable } from './job-size/pages.js';
import { partialOfRank, repeatedTrace, traceOfRank } from './job-size/repeated-trace.js';
import { jobOf, writeRecords, writeTrace } from './job-size/simulated-ranks.js';
import { splitMembers } from './job-size/split-members.js';
import { merged, reduced, REPORT_NAMES, reports, together, type Stage } from './job-size/stages.js';
import { median } from './measure.js';
import { table } from './report.js';

const TRACES = ['../shared/data/kineto/h100_owlv2.json.gz', 'samples/decoder.pt.trace.json.gz'].map(fromRoot);
/** What the largest job may take from its partial answers to a report. */
const LIMITS = { seconds: 30, bytes: 1e9 };
const RANKS_A_PROCESS = 64;

const { values } = parseArgs({
  options: {
    ranks: { type: 'string', multiple: true, default: ['64', '256', '1024'] },
    pages: { type: 'string', multiple: true, default: ['8', '64'] },
    only: { type: 'string', multiple: true, default: ['trace', 'simulated', 'pages'] },
    measured: { type: 'string', default: '4' },
    trace: { type: 'string' },
    dir: { type: 'string', default: tmpdir() },
  },
});
const measured = Number(values.measured);

/** A folder of its own, removed again. */
async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  mkdirSync(values.dir, { recursive: true });
  const folder = mkdtempSync(join(values.dir, 'dprof-job-size-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Ranks of which `dprof partial` is measured, the first and the last among them. */
const chosenOf = (ranks: number): number[] => [
  ...new Set(Array.from({ length: measured }, (_, i) => Math.round((i * (ranks - 1)) / Math.max(1, measured - 1)))),
];

const UNKNOWN: Stage = { seconds: NaN, cpuSeconds: NaN, peakBytes: NaN };

const partOf = (rank: number): string => `rank_${rank}.part`;

interface Sized {
  readonly ranks: number;
  readonly stages: ReadonlyMap<string, Stage>;
}

/** Reduces the profiles of the chosen ranks one by one. */
async function partials(
  folder: string,
  ranks: number,
  write: (rank: number, path: string) => void,
): Promise<Map<string, Stage>> {
  const stages: Stage[] = [];
  for (const rank of chosenOf(ranks)) {
    const path = join(folder, `rank_${rank}.pt.trace.json.gz`);
    write(rank, path);
    stages.push(await reduced(folder, [path], join(folder, partOf(rank))));
    rmSync(path);
  }
  const { peakBytes } = together(stages);
  const middle = {
    seconds: median(stages.map(({ seconds }) => seconds)),
    cpuSeconds: median(stages.map(({ cpuSeconds }) => cpuSeconds)),
  };
  const first = stages[0] ?? UNKNOWN;
  return new Map([
    ['partial, rank 0', first],
    [`partial, median of ${stages.length}`, { ...middle, peakBytes }],
  ]);
}

/** Merges the parts of all ranks, and reports. */
async function rest(folder: string, ranks: number, stages: Map<string, Stage>): Promise<Sized> {
  const parts = Array.from({ length: ranks }, (_, rank) => partOf(rank));
  const { path, ...merging } = await merged(folder, parts);
  stages.set('merge, all of the tree', merging);
  for (const [name, stage] of await reports(folder, path)) stages.set(name, stage);
  return { ranks, stages };
}

/** A job of which each rank has the one trace. */
const traceJob = (path: string): ((ranks: number) => Promise<Sized>) => {
  const trace = repeatedTrace(path);
  return (ranks) =>
    inFolder(async (folder) => {
      const stages = await partials(folder, ranks, (rank, to) => writeFileSync(to, traceOfRank(trace, rank, ranks)));
      const text = readFileSync(join(folder, partOf(0)), 'utf8');
      const made = new Set(chosenOf(ranks));
      for (let rank = 1; rank < ranks; rank++) {
        const [part, to] = [partialOfRank(text, 0, rank), join(folder, partOf(rank))];
        if (!made.has(rank)) writeFileSync(to, part);
        else if (readFileSync(to, 'utf8') !== part) throw new Error(`rank ${rank}: its partial answer is another one`);
      }
      return rest(folder, ranks, stages);
    });
};

const simulatedJob = (ranks: number): Promise<Sized> =>
  inFolder(async (folder) => {
    const job = jobOf(ranks);
    const stages = await partials(folder, ranks, (rank, path) => writeTrace(job, rank, path));
    const batches: Stage[] = [];
    for (let from = 0; from < ranks; from += RANKS_A_PROCESS) {
      const batch = job.ranks.slice(from, from + RANKS_A_PROCESS).map(({ rank }) => rank);
      const files = batch.map((rank) => join(folder, `rank_${rank}.jsonl`));
      files.forEach((path, i) => writeRecords(job, batch[i] ?? -1, path));
      batches.push(await reduced(folder, files, join(folder, 'batch.part')));
      for (const path of files) rmSync(path);
      splitMembers(readFileSync(join(folder, 'batch.part'), 'utf8')).forEach((part, i) =>
        writeFileSync(join(folder, partOf(batch[i] ?? -1)), part),
      );
    }
    const { seconds, cpuSeconds, peakBytes } = together(batches);
    const each = { seconds: seconds / ranks, cpuSeconds: cpuSeconds / ranks, peakBytes };
    stages.set('partial of records, a rank', each);
    return rest(folder, ranks, stages);
  });

const cell = ({ seconds, peakBytes }: Stage): string[] => [seconds.toFixed(2), (peakBytes / 1e6).toFixed(0)];
const isOfOneRank = (name: string): boolean => name.startsWith('partial');

/** A row a stage, two columns a size; times and memory a rank at the largest size over those at the smallest. */
function sizesTable(sizes: readonly Sized[]): string {
  const [least, most] = [sizes[0], sizes.at(-1)];
  const heads = sizes.flatMap(({ ranks }) => [`${ranks} s`, 'peak MB']);
  const rows = [...(least?.stages.keys() ?? [])].map((name) => {
    const figures = sizes.map(({ stages }) => stages.get(name) ?? UNKNOWN);
    const scale = isOfOneRank(name) ? 1 : (most?.ranks ?? NaN) / (least?.ranks ?? NaN);
    const ratio = (of: (stage: Stage) => number): string => {
      const [first, last] = [figures[0], figures.at(-1)];
      return first === undefined || last === undefined ? 'na' : (of(last) / of(first) / scale).toFixed(2);
    };
    return [name, ...figures.flatMap(cell), ratio(({ seconds }) => seconds), ratio(({ peakBytes }) => peakBytes)];
  });
  return table([['', ...heads, 's a rank', 'MB a rank'], ...rows]);
}

function verdict({ ranks, stages }: Sized): string {
  const shown = REPORT_NAMES.flatMap((name) => stages.get(name) ?? []);
  const { seconds, cpuSeconds, peakBytes } = together(shown);
  const isKept = seconds <= LIMITS.seconds && peakBytes <= LIMITS.bytes;
  const limits = `limits ${LIMITS.seconds} s, ${LIMITS.bytes / 1e6} MB`;
  const figures = `${seconds.toFixed(1)} s (processors ${cpuSeconds.toFixed(1)} s), ${(peakBytes / 1e6).toFixed(0)} MB`;
  return `all reports of ${ranks} ranks: ${figures}; ${limits}: ${isKept ? 'kept' : 'NOT KEPT'}`;
}

async function bench(title: string, run: (ranks: number) => Promise<Sized>): Promise<void> {
  const sizes: Sized[] = [];
  for (const ranks of values.ranks.map(Number)) {
    sizes.push(await run(ranks));
    process.stderr.write(`${title}: ${ranks} ranks done\n`);
  }
  const last = sizes.at(-1);
  process.stdout.write(`\n${title}\n${sizesTable(sizes)}\n${last === undefined ? '' : `${verdict(last)}\n`}`);
}

if (!built()) throw new Error('the tools are not built: npm run build');
const isWanted = (part: string): boolean => values.only.includes(part);
if (isWanted('trace')) {
  const path = values.trace ?? TRACES.find((known) => existsSync(known)) ?? '';
  await bench(`one trace as that of each rank: ${path.split('/').at(-1) ?? ''}`, traceJob(path));
}
if (isWanted('simulated')) await bench('a simulated job', simulatedJob);
if (isWanted('pages')) {
  const pages = await inFolder((folder) => pagesTable(folder, values.pages.map(Number)));
  process.stdout.write(`\nranks of a simulated job\n${pages}\n`);
}
