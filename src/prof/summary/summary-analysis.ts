/** The analysis of `dprof summary`; for profiles that contain only a vendor's metrics, it reports these. */
import { limit } from '../limits.js';
import { UserError } from '../../record/errors.js';
import type { ProfileLine } from '../../record/record.js';
import {
  METRICS_ONLY,
  noProfile,
  withoutDeviceAndRanges,
  withTimeless,
  type Analysis,
  type Answer,
  type Item,
} from '../analysis.js';
import { Annotated } from '../annotate.js';
import { FoundDoubts } from '../check/found-doubts.js';
import type { MetricAnalysis, MetricAnswer } from '../neuron/metric-analysis.js';
import type { SummaryDetails } from './details.js';
import { FIGURE_COLUMNS, figuresOf } from './figures.js';
import { jobReport, type JobReport } from '../ranks/job-report.js';
import { RankParts } from '../ranks/part/rank-parts.js';
import type { Peaks } from '../roofline/peaks.js';
import { ProfileSummaries, SUMMARY_TYPES, PART_NAMES } from './summaries.js';
import type { ProfileSummary } from './summary-data.js';

/** Summaries of profiles, or the metrics when no profile has work. */
export type SummaryFacts =
  | {
      readonly profiles: readonly ProfileSummary[];
      /** Comparison of the ranks of a job; null when the profiles are not ranks of one job. */
      readonly job: JobReport | null;
      /** Whether any of the profiles is a partial answer. */
      readonly isPartial: boolean;
    }
  | { readonly profiles: null; readonly metrics: MetricAnswer };

const partTypes = (hasDetails: boolean) => ['part-summary', hasDetails ? 'part-details' : 'part-ranks'] as const;

export class SummaryAnalysis implements Analysis<SummaryFacts> {
  readonly types;
  readonly ranges?: 'without-work';
  readonly #summaries: ProfileSummaries;
  readonly #found = new FoundDoubts();
  /** Null with details, which cannot include a job. */
  readonly #ranks: RankParts | null;
  /** Profiles that contain only metrics. */
  readonly #metricsOnly = new Set<number>();
  #hasParts = false;
  /** Number of samples without a time, in profiles that contain more than metrics. */
  #timeless = 0;

  /**
   * `top` is the number of kernels in each list; `metrics` are for profiles that contain nothing else; `details` has curves
   * and distributions, for which all ranges are read; with the peak rates of another `device`, partial answers are not
   * possible; `isJob` is true when there may be several profiles.
   */
  constructor(
    private readonly top: number | undefined,
    private readonly metrics: MetricAnalysis,
    private readonly details: SummaryDetails | null = null,
    device: Peaks | null = null,
    isJob = true,
  ) {
    if (details === null) this.ranges = 'without-work';
    this.#summaries = new ProfileSummaries(top);
    this.#ranks = details === null ? new RankParts(isJob) : null;
    const parts = device === null ? partTypes(details !== null) : [];
    this.types = new Set([...SUMMARY_TYPES, ...metrics.types, ...parts]);
  }

  take(item: Item): void {
    if (item instanceof Annotated || !this.#isMetricsOnly(item)) {
      this.#summaries.take(item);
      this.#found.take(item);
      this.details?.take(item);
      this.#ranks?.take(item);
    } else this.metrics.take(item);
  }

  /** Whether the record belongs to a profile that contains only metrics. */
  #isMetricsOnly(record: ProfileLine): boolean {
    if (record.type === 'profile' && METRICS_ONLY.has(record.format)) this.#metricsOnly.add(record.profile);
    this.#hasParts ||= record.type === 'part-summary';
    if (this.#metricsOnly.has(record.profile)) return true;
    if (record.type === 'sample' && record.start === null) this.#timeless++;
    return false;
  }

  /** @throws UserError without any device work or metrics */
  finish(): Answer<SummaryFacts> {
    const profiles = this.#summaries.all;
    const isShort = this.#hasParts && (this.top ?? 0) > PART_NAMES;
    const metricsOnly = profiles.length > 0 ? [...this.#metricsOnly] : [];
    const notes = [
      ...metricsOnly.map((profile) =>
        limit(`the summary of profile ${profile}`, 'it has only metrics', {
          wayOut: 'dprof summary --vendor-metrics',
          line: `profile ${profile} has only metrics: --vendor-metrics shows them`,
        }),
      ),
      ...(isShort
        ? [limit(`more than ${PART_NAMES} names`, `partial answers list ${PART_NAMES} names at most`, { line: `partial answers list ${PART_NAMES} names at most` })] // prettier-ignore
        : []),
    ];
    if (profiles.some(hasWork)) {
      const figures = profiles.flatMap(figuresOf);
      return {
        table: { columns: FIGURE_COLUMNS, rows: figures },
        facts: { profiles, job: this.#job(), isPartial: this.#hasParts },
        notes,
        losses: this.#found.losses,
      };
    }
    if (this.metrics.isEmpty) throw nothing(profiles, this.#timeless);
    const { facts: metrics, ...answer } = this.metrics.finish();
    return { ...answer, facts: { profiles: null, metrics }, notes };
  }

  /** Profiles of the same job have its size, or operations in common. */
  #job(): JobReport | null {
    const parts = this.#ranks?.all ?? [];
    const withoutWork = this.#ranks?.withoutWork ?? [];
    if (parts.length === 0 || parts.length + withoutWork.length < 2) return null;
    const report = jobReport(parts, withoutWork);
    const isJob = report.membership.worldSize !== null || report.groups.some(({ matched }) => matched > 0);
    return isJob ? report : null;
  }
}

/** Whether anything with a time ran. */
const hasWork = ({ devices, kernels, memory, syncs, collectives, host, cpu }: ProfileSummary): boolean =>
  devices.length > 0 ||
  host !== null ||
  cpu !== null ||
  (kernels !== null && kernels.untimed < kernels.count) ||
  [...memory, ...syncs].some(({ time }) => (time ?? 0) > 0) ||
  // Operations without a time still count: their number and what they send are of interest.
  collectives.length > 0;

function nothing(profiles: readonly ProfileSummary[], timeless: number): UserError {
  if (profiles.some(({ header }) => header?.format === 'neuron-monitor')) return noProfile();
  if (profiles.some(({ header }) => header?.format === 'torch-memory'))
    return new UserError('a memory snapshot has no device work', { hint: 'dprof memory FILE' });
  const isOdd = profiles.some(({ diagnostics }) => Object.keys(diagnostics).some((name) => name.startsWith('record-')));
  const isNeuron = profiles.some(({ header }) => header?.format === 'neuron-json');
  const hint = isNeuron ? 'dprof summary --vendor-metrics FILE shows metrics' : undefined;
  if (!isOdd) return withTimeless(withoutDeviceAndRanges(), timeless, hint);
  return new UserError('no record has a duration', {
    hint: 'some profilers record no times or end times: run dparse on the original profile',
  });
}
