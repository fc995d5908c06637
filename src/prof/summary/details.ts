/** Turns records and their annotated kernels into the curves and distributions of each profile. */
import { entryOf, boundedEntryOf } from '../../containers/map-entry.js';
import { LogHistogram } from '../../containers/log-histogram.js';
import type { Item } from '../analysis.js';
import { Annotated } from '../annotate.js';
import { isDeviceActivity } from '../input/device-activity.js';
import { AnnotationTotals } from '../html/annotations/annotation-times.js';
import { pageKernelOf } from '../html/page-kernel.js';
import { timedActivity } from '../html/timed-activity.js';
import { UtilisationCurve } from '../html/utilisation/utilisation-curve.js';
import { selectable, type SelectableKernels } from './selectable-kernels.js';
import type { LaunchTimes, ProfileDetails, OpTimes, ProfileSummary } from './summary-data.js';
import type { RangeRecord } from '../../record/record.js';

/** Computes from host ranges how long each thread was in ops, in one pass in order of start time. Memory: the threads. */
const MOST_THREADS = 65_536;

interface OpThread {
  readonly pid: number | null;
  readonly tid: number | null;
  time: number;
  /** End of the ops so far. */
  end: number;
}

class OpThreads {
  readonly #threads = new Map<string, OpThread>();
  #start = Infinity;
  #end = -Infinity;

  /** Ignores ranges that are not ops; nested ops count once. */
  add({ kind, start, dur, pid, tid }: RangeRecord): void {
    const end = start + dur;
    if (kind !== 'op' || !Number.isFinite(end)) return;
    this.#start = Math.min(this.#start, start);
    this.#end = Math.max(this.#end, end);
    const key = `${pid ?? ''}/${tid ?? ''}`;
    const thread = boundedEntryOf(this.#threads, key, MOST_THREADS, () => ({ pid, tid, time: 0, end: -Infinity }));
    if (thread === null || end <= thread.end) return;
    thread.time += end - Math.max(start, thread.end);
    thread.end = end;
  }

  /** Null without ops. */
  get result(): OpTimes | null {
    if (this.#threads.size === 0) return null;
    const span = this.#end - this.#start;
    const threads = [...this.#threads.values()].sort((a, b) => b.time - a.time);
    return {
      ...{ start: this.#start, span, time: threads.reduce((sum, { time }) => sum + time, 0) },
      threads: threads.map(({ pid, tid, time }) => ({ pid, tid, time, share: span > 0 ? time / span : null })),
    };
  }
}

const LISTED_ANNOTATIONS = 50;
const CURVE_POINTS = 200;

/** A profile in the output of `dprof summary -f json`. */
export interface SummaryDocument extends Omit<ProfileSummary, 'kernels'>, ProfileDetails {
  readonly kernels: SelectableKernels | null;
}

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
  /** Details from partial answers. */
  readonly #parts = new Map<number, ProfileDetails>();

  take(record: Item): void {
    if (record instanceof Annotated) {
      this.#addKernel(record);
      return;
    }
    if (record.type === 'part-details') this.#parts.set(record.profile, record.data as ProfileDetails);
    if (isDeviceActivity(record)) {
      const activity = timedActivity(record);
      if (activity !== null) this.#sumsOf(record.profile).utilisation.take(activity);
    }
    if (record.type === 'sample') this.#sumsOf(record.profile).utilisation.takeSample(record);
    if (record.type === 'range') {
      this.#sumsOf(record.profile).annotations.range(record);
      this.#sumsOf(record.profile).ops.add(record);
    }
  }

  #addKernel(row: Annotated): void {
    const activity = timedActivity(row.record);
    // A Neuron instruction that only waits is not work.
    if (activity === null || activity.kind === 'wait') return;
    const sums = this.#sumsOf(row.record.profile);
    sums.annotations.add(pageKernelOf(row), activity.dur);
    addLaunch(sums.launches, row);
  }

  /** Call when all records were taken. */
  of(profile: number): ProfileDetails {
    const part = this.#parts.get(profile);
    if (part !== undefined) return part;
    const { utilisation, annotations, ops, launches } = this.#sumsOf(profile);
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

  #sumsOf(profile: number): DetailSums {
    return entryOf(this.#profiles, profile, () => new DetailSums());
  }
}

export function summaryDocuments(summaries: readonly ProfileSummary[], details: SummaryDetails): SummaryDocument[] {
  const isOne = summaries.length === 1;
  return summaries.map((summary) => ({
    ...summary,
    kernels: summary.kernels === null ? null : selectable(summary.kernels, isOne ? null : summary.profile),
    ...details.of(summary.profile),
  }));
}

function addLaunch(devices: Map<number, LaunchSums>, { record: { device, start, launch } }: Annotated): void {
  const sums = entryOf(devices, device, () => ({ latency: new LogHistogram(), unknown: 0, early: 0 }));
  const latency = launch === null ? NaN : start - launch.start;
  if (!Number.isFinite(latency)) sums.unknown++;
  else if (latency < 0) sums.early++;
  else sums.latency.add(latency);
}
