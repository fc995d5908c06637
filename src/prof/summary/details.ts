/** Records and their annotated kernels → the curves and distributions of each profile. */
import { entryOf } from '../../containers/map-entry.js';
import { LogHistogram } from '../../containers/log-histogram.js';
import type { Item } from '../analysis.js';
import { Annotated } from '../annotate.js';
import { isDeviceActivity } from '../input/device-activity.js';
import { AnnotationTotals } from '../html/annotations/annotation-times.js';
import { pageKernelOf } from '../html/page-kernel.js';
import { timedActivity } from '../html/timed-activity.js';
import { UtilisationCurve } from '../html/utilisation/utilisation-curve.js';
import type { LaunchTimes, ProfileDetails } from './detail-data.js';
import type { ProfileSummary } from './summary-data.js';
import { OpThreads } from './op-threads.js';

const LISTED_ANNOTATIONS = 50;
const CURVE_POINTS = 200;

/** A profile as `dprof summary -f json` has it. */
export interface SummaryDocument extends ProfileSummary, ProfileDetails {}

interface LaunchSums {
  readonly latency: LogHistogram;
  unknown: number;
  early: number;
}

class DetailSums {
  readonly utilisation = new UtilisationCurve(CURVE_POINTS);
  readonly annotations = AnnotationTotals.withDistributions();
  readonly ops = new OpThreads();
  readonly launches = new Map<number, LaunchSums>();
}

export class SummaryDetails {
  readonly #profiles = new Map<number, DetailSums>();
  /** Of partial answers. */
  readonly #parts = new Map<number, ProfileDetails>();

  take(record: Item): void {
    if (record instanceof Annotated) {
      this.#addKernel(record);
      return;
    }
    if (record.type === 'part-details') this.#parts.set(record.profile, record.data as ProfileDetails);
    if (isDeviceActivity(record)) {
      const activity = timedActivity(record);
      if (activity !== null) this.#of(record.profile).utilisation.take(activity);
    }
    if (record.type === 'sample') this.#of(record.profile).utilisation.takeSample(record);
    if (record.type === 'range') {
      this.#of(record.profile).annotations.range(record);
      this.#of(record.profile).ops.add(record);
    }
  }

  #addKernel(row: Annotated): void {
    const activity = timedActivity(row.record);
    // A Neuron instruction that only waits is no work.
    if (activity === null || activity.kind === 'wait') return;
    const sums = this.#of(row.record.profile);
    sums.annotations.add(pageKernelOf(row), activity.dur);
    addLaunch(sums.launches, row);
  }

  /** When all records are taken. */
  of(profile: number): ProfileDetails {
    const part = this.#parts.get(profile);
    if (part !== undefined) return part;
    const { utilisation, annotations, ops, launches } = this.#of(profile);
    return {
      utilisation: utilisation.utilisation,
      launches: [...launches]
        .sort(([a], [b]) => a - b)
        .map(([device, { latency, unknown, early }]): LaunchTimes => ({
          ...{ device, latency: latency.distribution, unknown, early },
        })),
      annotations: annotations.distributions(LISTED_ANNOTATIONS),
      ops: ops.result,
    };
  }

  #of(profile: number): DetailSums {
    return entryOf(this.#profiles, profile, () => new DetailSums());
  }
}

export const summaryDocuments = (summaries: readonly ProfileSummary[], details: SummaryDetails): SummaryDocument[] =>
  summaries.map((summary) => ({ ...summary, ...details.of(summary.profile) }));

function addLaunch(devices: Map<number, LaunchSums>, { record: { device, start, launch } }: Annotated): void {
  const sums = entryOf(devices, device, () => ({ latency: new LogHistogram(), unknown: 0, early: 0 }));
  const latency = launch === null ? NaN : start - launch.start;
  if (!Number.isFinite(latency)) sums.unknown++;
  else if (latency < 0) sums.early++;
  else sums.latency.add(latency);
}
