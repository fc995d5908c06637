/**
 * How well replays of critical paths reproduce the steps of real profiles, and how long the answer takes.
 *
 *   npm run bench critical-path                             every profile of ../shared/data
 *   npm run bench critical-path -- PATH...                  other profiles
 *   npm run bench critical-path -- --jobs                   predictions for simulated jobs, and the same jobs so made
 *   npm run bench critical-path -- --activities 1000000     a made run of so many kernels, three ranges of the CPU for each
 *
 * A profile without steps counts as one. The error of a step is the difference between its replay and its measured time.
 */
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { CriticalPaths, type ProfilePaths } from '../src/prof/critical-path/critical-path.js';
import { BOUND_NAMES } from '../src/prof/critical-path/bounds.js';
import { MOST_ERROR, replayError, type StepPath } from '../src/prof/critical-path/step-paths.js';
import { WhatIf } from '../src/prof/critical-path/what-if.js';
import { Annotator } from '../src/prof/report/report.js';
import { UserError } from '../src/record/errors.js';
import type { ProfileLine, RangeRecord } from '../src/record/record.js';
import type { Injections } from '../samples/programs/job/options.js';
import { jobRecords } from '../samples/programs/job/records.js';
import { simulateJob, type SimulatedJob } from '../samples/programs/job/simulate.js';
import { openSource } from '../src/sources/sources.js';
import { takeBatches } from '../src/sources/pass.js';
import { kernel } from '../test/support/kernels.js';
import { sharedFile } from '../test/support/shared.js';
import { median } from './measure.js';
import { table } from './report.js';

/** Kernels of a step of the made run, and after how many of them the CPU waits for the device. */
const [KERNELS_OF_STEP, KERNELS_OF_WAIT] = [1000, 100];

/** The fields are listed, because spreading them would take longer than what is measured. */
const range = (kind: NonNullable<RangeRecord['kind']>, text: string, start: number, dur: number): RangeRecord => ({
  type: 'range',
  profile: 0,
  kind,
  start,
  dur,
  pid: 10,
  tid: 100,
  domain: null,
  text,
});

function* madeRecords(activities: number): Generator<ProfileLine> {
  let [host, device] = [0, 0];
  for (let number = 0; number < activities; number++) {
    const step = Math.floor(number / KERNELS_OF_STEP);
    if (number % KERNELS_OF_STEP === 0) {
      const dur = KERNELS_OF_STEP * 12_000;
      yield { type: 'sample', profile: 0, start: host, dur, device: null, metric: 'step', value: step, unit: null };
    }
    const op = `aten::op${number % 50}`;
    yield range('op', op, host, 9000);
    yield range('op', `${op}_out`, host + 1000, 8000);
    yield range('api', 'cudaLaunchKernel', host + 3000, 4000);
    device = Math.max(device + 500, host + 8000);
    const launch = { api: 'cudaLaunchKernel', start: host + 3000, dur: 4000 };
    yield kernel({ id: number + 1, start: device, dur: 9000, launch, step, op: [op], corr: number });
    [host, device] = [host + 10_000, device + 9000];
    if (number % KERNELS_OF_WAIT !== KERNELS_OF_WAIT - 1) continue;
    yield range('api', 'cudaDeviceSynchronize', host, Math.max(1000, device + 2000 - host));
    host = Math.max(host + 1000, device + 2000);
  }
  yield { type: 'end', profile: 0, counts: {}, diagnostics: {} };
}

function measureMade(activities: number): void {
  const [paths, annotator] = [new CriticalPaths(), new Annotator(null, false)];
  const begin = performance.now();
  for (const record of madeRecords(activities)) annotator.pass(record, (item) => paths.take(item));
  const steps = paths.finish().facts.flatMap((profile) => profile.steps);
  const seconds = (performance.now() - begin) / 1000;
  const error = Math.max(...steps.map((step) => Math.abs(replayError(step))));
  const megabytes = process.resourceUsage().maxRSS / 1024;
  const figures = `${seconds.toFixed(1)} s, ${megabytes.toFixed(0)} MB, largest error ${(100 * error).toFixed(2)} %`;
  process.stdout.write(`${activities} kernels, ${steps.length} steps: ${figures}\n`);
}

async function pathsOf(file: string): Promise<readonly ProfilePaths[]> {
  const paths = new CriticalPaths();
  const source = await openSource(file, {}, paths);
  try {
    for await (const _ of takeBatches(source, { analysis: paths, annotator: new Annotator(null, false) }));
  } finally {
    source.close();
  }
  return paths.finish().facts;
}

const HEAD = [
  'profile',
  'steps',
  'median error%',
  'largest error%',
  `above ${100 * MOST_ERROR}%`,
  'mostly',
  'unknown%',
];

function rowOf({ members, steps }: ProfilePaths): string[] {
  const errors = steps.map((step) => 100 * replayError(step));
  const largest = errors.reduce((most, error) => (Math.abs(error) > Math.abs(most) ? error : most), 0);
  const all = steps.reduce((sum, { measured }) => sum + measured, 0);
  const timeOf = (bound: (typeof BOUND_NAMES)[number]): number =>
    steps.reduce((sum, { bounds }) => sum + bounds[bound], 0);
  const mostly = BOUND_NAMES.reduce((most, bound) => (timeOf(bound) > timeOf(most) ? bound : most));
  return [
    members.map(({ profile, header }) => header?.file ?? String(profile)).join(' + '),
    steps.some(({ step }) => step !== null) ? String(steps.length) : '-',
    median(errors).toFixed(2),
    largest.toFixed(2),
    String(errors.filter((error) => Math.abs(error) > 100 * MOST_ERROR).length),
    `${mostly} ${((100 * timeOf(mostly)) / all).toFixed(0)}%`,
    ((100 * timeOf('unknown')) / all).toFixed(1),
  ];
}

async function printErrors(files: readonly string[]): Promise<void> {
  const rows: string[][] = [];
  for (const file of files) {
    try {
      rows.push(...(await pathsOf(file)).filter(({ steps }) => steps.length > 0).map(rowOf));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      process.stderr.write(`${error.line}\n`);
    }
  }
  process.stdout.write(`${table([HEAD, ...rows])}\n`);
}

/** A simulated job with something wrong, and the change that undoes it; LINK stands for the group with the slow link. */
const JOBS: readonly (readonly [sizes: readonly [number, number, number], inject: Injections, change: string])[] = (
  [
    [2, 1, 2],
    [1, 4, 1],
    [1, 2, 2],
    [2, 2, 2],
    [1, 4, 2],
  ] as const
).flatMap((sizes) => {
  const slow = { rank: sizes[0] * sizes[1] * sizes[2] - 2, layer: 1, factor: 1.5 };
  return [
    [sizes, { slowNode: { node: 0, factor: 2 } }, 'compute: 0.5'],
    [sizes, { slowLayer: slow }, `rank==${slow.rank} && layer==TransformerLayer_1: 0.666667`],
    [sizes, { slowLayer: slow }, 'ranks: equal'],
    [sizes, { dataLoading: { rank: 0, ns: 20_000_000 } }, 'ranks: equal'],
    ...(sizes[0] > 1
      ? [[sizes, { slowLink: { rank: slow.rank, factor: 2, kind: 'tensor' } }, 'LINK: 0.5'] as const]
      : []),
  ] as const;
});

/** Steps of some ranks of a job, with their sums. */
function stepsOfJob(
  job: SimulatedJob,
  ranks: readonly number[],
  change?: string,
): Record<'time' | 'predicted', number> {
  const paths = new CriticalPaths(change === undefined ? {} : { whatIf: new WhatIf([change]) });
  const annotator = new Annotator(null, false);
  for (const rank of ranks)
    for (const record of jobRecords(job, rank)) annotator.pass(record, (item) => paths.take(item));
  const steps = paths.finish().facts.flatMap((paths) => paths.steps);
  const sum = (valueOf: (step: StepPath) => number): number => steps.reduce((all, step) => all + valueOf(step), 0);
  return { time: sum(({ measured }) => measured), predicted: sum(({ predicted }) => predicted ?? NaN) };
}

/** The filter of the kernels of the group with the slow link. */
function linkOf({ groups }: SimulatedJob, { slowLink }: Injections): string {
  const { rank = -1, kind = 'data' } = slowLink ?? {};
  return `group==${groups.find((group) => group.kind === kind && group.ranks.includes(rank))?.name ?? ''}`;
}

function printJobs(): void {
  const percent = (share: number): string => (100 * (share - 1)).toFixed(2);
  const rows = JOBS.map(([[tp, pp, dp], inject, changeOf]) => {
    const options = { tp, pp, dp, layers: 3, microBatches: 4, steps: 4 };
    const [before, after] = [simulateJob({ ...options, inject }), simulateJob(options)];
    const all = before.ranks.map(({ rank }) => rank);
    const change = changeOf.replace('LINK', linkOf(before, inject));
    const one = [all.length - 2];
    const [given, truth, alone] = [stepsOfJob(before, all, change), stepsOfJob(after, all), stepsOfJob(after, one)];
    return [
      ...[`${tp} ${pp} ${dp}`, JSON.stringify(inject), change, percent(truth.time / given.time)],
      percent(given.predicted / truth.time),
      percent(stepsOfJob(before, one, change).predicted / alone.time),
    ];
  });
  process.stdout.write(
    `${table([['tp pp dp', 'wrong', 'what if', 'effect%', 'error% of all ranks', 'of one rank'], ...rows])}\n`,
  );
}

const { values, positionals } = parseArgs({
  options: { activities: { type: 'string' }, jobs: { type: 'boolean' } },
  allowPositionals: true,
});
if (values.activities !== undefined) measureMade(Number(values.activities));
else if (values.jobs === true) printJobs();
else {
  const folders = ['kineto', 'nsys', 'ascend', 'amd', 'xplane', 'nvprof'];
  const shared = folders.flatMap((folder) => sharedFile(`data/${folder}`) ?? []);
  await printErrors(positionals.length > 0 ? positionals : shared);
}
