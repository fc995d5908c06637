/** Columns of regions: those of steps, added up over passes, with the work of kernels, and how passes vary. */
import type { ProfileRecord } from '../../record/record.js';
import { quantile } from '../../record/statistics.js';
import { column, int, real, shapeOf, str, type Column } from '../../table/column.js';
import { knownSum, type KernelSum } from '../tally/kernel-tally.js';
import { STEP_PLACE_COLUMNS, STEP_TIME_COLUMNS, type StepRow } from './step-columns.js';
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

const PLACES = STEP_PLACE_COLUMNS.filter(({ key }) => key !== 'step') as readonly Column<
  Pick<RegionRow, 'profile' | 'header' | 'device'>
>[];

export const REGION_FIGURES: readonly Column<RegionRow>[] = [
  column('passes', 'passes', int(6), 'ranges or steps with work on the device', ({ passes }) => passes.length),
  column(
    'lost',
    'lost',
    int(4),
    'passes in which the profiler lost work: then span and other times are unknown',
    ({ passes }) => passes.filter(({ isLost }) => isLost === true).length,
  ),
  ...STEP_TIME_COLUMNS.map(added),
  cause('idle_host', 'idle time in which the device waited for launches', 'host'),
  cause('idle_queue', 'idle time in gaps between queued kernels', 'queue'),
  column('flops', 'FLOPs', int(15, 'FLOP'), 'FLOPs of the kernels whose FLOPs are known', ({ work }) =>
    work === null ? null : knownSum(work.flops),
  ),
  column('bytes', 'Bytes', int(15, 'bytes'), 'least memory traffic of the kernels whose bytes are known', ({ work }) =>
    work === null ? null : knownSum(work.bytes),
  ),
  column('mfu', 'MFU%', real(6, 2, '%'), 'percent of the span at peak FLOP/s; unknown FLOPs count as 0', mfuOf),
  ...quantiles('span', 'span of a pass', spanOf),
  ...quantiles('iteration', 'pacing: iteration of a pass', ({ iteration }) => iteration),
];

/** All columns of regions. */
export const REGION_COLUMNS: readonly Column<RegionRow>[] = [
  ...PLACES,
  column('region', 'region', str(0), 'name of the range; step or a phase for steps', ({ region }) => region),
  ...REGION_FIGURES,
];
