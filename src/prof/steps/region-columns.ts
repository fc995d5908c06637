/** Columns of regions: those of steps, added up over passes, with the work of kernels, and how passes vary. */
import type { ProfileRecord } from '../../record/record.js';
import type { ServingStep } from '../../record/serving-step.js';
import { quantile } from '../../record/statistics.js';
import { column, knownColumn, int, real, shapeOf, str, type Column, type ColumnFormat } from '../../table/column.js';
import { LATENCY_SHARE, type RooflineBound } from '../roofline/roofline.js';
import { knownSum, rated, type KernelSum } from '../tally/kernel-tally.js';
import { STEP_PLACE_COLUMNS, STEP_TIME_COLUMNS, type StepRow } from './step-columns.js';
import { stepTime, tokensPerSecond } from './serving/served-times.js';
import type { StepSums } from './step-sums.js';

export interface RegionRow {
  readonly profile: number;
  /** Null for records without a profile line. */
  readonly header: ProfileRecord | null;
  readonly device: number;
  readonly region: string;
  /** Passes with work on the device, in order. */
  readonly passes: readonly StepRow[];
  /** Causes of the idle time of each pass. */
  readonly causes: readonly StepSums['idleCauses'][];
  /** Sums over the kernels of all passes; null when they were not computed. */
  readonly work: KernelSum | null;
  /** Whether the passes are steps, so that tokens of a server's steps are those of the region. */
  readonly isSteps: boolean;
}

/** Null when one of the values is unknown, and for none. */
function total(values: readonly (number | null)[]): number | null {
  let sum = values.length === 0 ? null : 0;
  for (const value of values) sum = sum === null || value === null ? null : sum + value;
  return sum;
}

const spanOf = ({ times, isLost }: StepRow): number | null => (isLost === true ? null : times.span);

/** Spans of the passes with work, in ns. */
export const spansOf = ({ passes }: RegionRow): number[] => passes.flatMap((pass) => spanOf(pass) ?? []);

/** A column of steps, added up over the passes. */
const added = (steps: Column<StepRow>): Column<RegionRow> => ({
  ...shapeOf(steps),
  value: ({ passes }) => total(passes.map((pass) => steps.value(pass) as number | null)),
});

/** Idle time of a cause, unknown where the idle time is. */
const cause = (key: string, doc: string, part: keyof StepSums['idleCauses']): Column<RegionRow> =>
  column(key, `${key}_ns`, int(13, 'ns'), doc, ({ passes, causes }) =>
    total(causes.map((known, i) => (passes[i]?.times.idle === null ? null : known[part]))),
  );

const QUANTILES = [
  ['p50', 0.5],
  ['p90', 0.9],
  ['p99', 0.99],
] as const;

const quantiles = (key: string, doc: string, value: (pass: StepRow) => number | null): Column<RegionRow>[] =>
  QUANTILES.map(([name, share]) =>
    column(
      `${key}_${name}`,
      `${key}_${name}_ns`,
      real(15, 1, 'ns'),
      `${doc} that ${name.slice(1)} % of passes do not exceed`,
      ({ passes }) => quantile(Float64Array.from(passes.flatMap((pass) => value(pass) ?? [])).sort(), share),
    ),
  );

/** Percent of the span at peak FLOP/s, as `MFU` of dprof summary. */
function mfuOf({ passes, work }: RegionRow): number | null {
  const span = total(passes.map(spanOf));
  const isMissing = passes.some(({ times }) => times.idle === null);
  return work === null || span === null || isMissing || span === 0 || work.peak.sum <= 0 ? null : work.peak.sum / span;
}

/** The least percent of kernel time for which a bound is stated. */
const LEAST_KNOWN = 50;

/** Percent of the time of all kernels. */
const shareOf = (time: number, { time: all }: KernelSum): number | null => (all > 0 ? (100 * time) / all : null);

/** Percent of the span that the known work needs at the device's peaks: arithmetic or traffic, whichever takes longer. */
function roofOf({ passes, work }: RegionRow): number | null {
  const span = total(passes.map(spanOf));
  const isMissing = passes.some(({ times }) => times.idle === null);
  if (work === null || span === null || isMissing || span === 0) return null;
  const least = Math.max(work.peak.sum, work.bandwidth.sum);
  return least > 0 ? least / span : null;
}

/** The peak that the kernels together are closest to, while they run. */
function boundOf({ work }: RegionRow): RooflineBound | null {
  if (work === null || work.bandwidth.sum <= 0) return null;
  const { peak, bandwidth } = work;
  if ((shareOf(Math.min(peak.time, bandwidth.time), work) ?? 0) < LEAST_KNOWN) return null;
  const [compute, memory] = [peak.sum / peak.time, bandwidth.sum / bandwidth.time];
  if (Math.max(compute, memory) < LATENCY_SHARE) return 'latency';
  return compute > memory ? 'compute' : 'memory';
}

type Amount = (step: ServingStep) => number | null;

/** Sum over the steps of a server; null when the passes are not such steps. */
const ofSteps = ({ passes, isSteps }: RegionRow, amount: Amount): number | null =>
  isSteps
    ? total(
        passes.map(({ served }) => {
          const step = served?.step ?? null;
          return step === null ? null : amount(step);
        }),
      )
    : null;

const tokens = (key: string, doc: string, amount: Amount): Column<RegionRow> =>
  column(key, key, int(14), doc, (row) => ofSteps(row, amount));

const work = (
  key: string,
  header: string,
  format: ColumnFormat,
  doc: string,
  value: (sum: KernelSum) => number | null,
) =>
  // prettier-ignore
  column<RegionRow>(key, header, format, doc, ({ work }) => (work === null ? null : value(work)));

const PERCENT = real(6, 2, '%');

const WORK_COLUMNS: readonly Column<RegionRow>[] = [
  work('flops', 'FLOPs', int(15, 'FLOP'), 'FLOPs of the kernels whose FLOPs are known', ({ flops }) => knownSum(flops)),
  work('known', 'Known%', PERCENT, 'share of the kernel time in kernels whose FLOPs are known', (sum) =>
    shareOf(sum.flops.time, sum),
  ),
  work('bytes', 'Bytes', int(15, 'bytes'), 'least memory traffic of the kernels whose bytes are known', ({ bytes }) =>
    knownSum(bytes),
  ),
  work('knownbytes', 'KnownBytes%', PERCENT, 'share of the kernel time in kernels whose bytes are known', (sum) =>
    shareOf(sum.bytes.time, sum),
  ),
  column('mfu', 'MFU%', PERCENT, 'percent of the span at peak FLOP/s; unknown FLOPs count as 0', mfuOf),
  work(
    'peak',
    'Peak%',
    PERCENT,
    'share of the peak FLOP/s, averaged over the time of the kernels whose share is known',
    ({ peak }) => rated(peak),
  ),
  work(
    'bw',
    'BW%',
    PERCENT,
    'share of peak bandwidth, averaged over the time of the kernels whose share is known',
    ({ bandwidth }) => rated(bandwidth),
  ),
  column(
    'roof',
    'Roof%',
    PERCENT,
    'time that all FLOPs or all bytes need at peak, whichever is longer, in percent of the span; unknown ones count as 0',
    roofOf,
  ),
  column(
    'bound',
    'bound',
    str(7),
    `the peak that peak and bw are closer to: compute or memory; latency below ${LATENCY_SHARE} % of both; na if known for less than half of the kernel time`,
    boundOf,
  ),
];

/** Columns for LLM servers. */
const TOKEN_COLUMNS: readonly Column<RegionRow>[] = [
  tokens('context_tokens', 'tokens of the contexts that the steps read', ({ context }) => context.tokens),
  tokens('generation_tokens', 'tokens that requests generate in the steps', ({ generation }) => generation.tokens),
  column(
    'tokens_per_s',
    'tokens_per_s',
    real(12, 1),
    'tokens divided by the time of the steps; the time of a step is its iteration, or busy if that is longer',
    (row) =>
      tokensPerSecond(
        ofSteps(row, (step) => step.tokens),
        total(row.passes.map(({ iteration, times }) => stepTime(iteration, times.busy))),
      ),
  ),
];

const PLACES = STEP_PLACE_COLUMNS.filter(({ key }) => key !== 'step') as readonly Column<
  Pick<RegionRow, 'profile' | 'header' | 'device'>
>[];

export const REGION_FIGURES: readonly Column<RegionRow>[] = [
  knownColumn('passes', 'passes', int(6), 'ranges or steps with work on the device', ({ passes }) => passes.length),
  knownColumn(
    'lost',
    'lost',
    int(4),
    'passes in which the profiler lost work; their span and other times are unknown',
    ({ passes }) => passes.filter(({ isLost }) => isLost === true).length,
  ),
  ...STEP_TIME_COLUMNS.map(added),
  cause('idle_host', 'idle time in which the device waited for launches', 'host'),
  cause('idle_queue', 'idle time in gaps between queued kernels', 'queue'),
  ...WORK_COLUMNS,
  ...TOKEN_COLUMNS,
  ...quantiles('span', 'span of a pass', spanOf),
  ...quantiles('iteration', 'pacing: iteration of a pass', ({ iteration }) => iteration),
];

/** All columns of regions. */
export const REGION_COLUMNS: readonly Column<RegionRow>[] = [
  ...PLACES,
  knownColumn(
    'region',
    'region',
    str(0),
    'name of the range; step, a phase or a batch for steps; the id of a request',
    ({ region }) => region,
  ),
  ...REGION_FIGURES,
];
