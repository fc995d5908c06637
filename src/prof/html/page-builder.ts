/**
 * Records and their annotated kernels → the data of a page, in one pass. Memory: what each part keeps is bounded; most
 * of it are the events for the timeline, 90 MB for each profile that is not settled yet.
 */
import type { ProfileLine } from '../../record/record.js';
import type { Annotated } from '../annotate.js';
import { Adviser, ADVICE_TYPES } from '../advise/adviser.js';
import { Memory, MEMORY_TYPES, type MemoryReport } from '../memory/memory.js';
import type { ProfileSummary } from '../summary/summary-data.js';
import { ProfileSummaries, SUMMARY_TYPES } from '../summary/summaries.js';
import type { RecordTypes } from '../input/records.js';
import { AnnotationTotals } from './annotation-times.js';
import { boundsOf, type Bounds } from './bounds.js';
import { pageKernelOf } from './page-kernel.js';
import { KernelTotals } from './kernel-totals.js';
import { LayerTotals } from './layer-totals.js';
import type { MemoryCurve, PageData, PageProfile } from './page-data.js';
import { RooflineGroups } from './roofline-groups.js';
import { isActivity, timedActivity } from './timed-activity.js';
import type { TimelineChoice } from './timeline-choice.js';
import { TimelineBuilder } from './timeline-builder.js';
import { UtilisationCurve } from './utilisation-curve.js';

export const PAGE_TYPES: RecordTypes = new Set<ProfileLine['type']>([
  ...SUMMARY_TYPES,
  ...ADVICE_TYPES,
  ...MEMORY_TYPES,
  'range',
]);

/** Points of each curve of memory. */
const CURVE_POINTS = 400;

export interface PageOptions {
  readonly timeline: TimelineChoice;
  /** Events of the timelines of all profiles together. */
  readonly events: number;
}

class ProfileSums {
  readonly utilisation = new UtilisationCurve();
  readonly kernels = new KernelTotals();
  readonly annotations = new AnnotationTotals();
  readonly points = new RooflineGroups();
  readonly layers = new LayerTotals();
  constructor(readonly timeline: TimelineBuilder) {}
}

export class PageBuilder {
  readonly #profiles = new Map<number, ProfileSums>();
  readonly #overviews = new ProfileSummaries();
  readonly #adviser = new Adviser();
  readonly #memory = new Memory(CURVE_POINTS);
  /** Profile of the last row. */
  #current: number | null = null;
  /** Records that a page may show something of. */
  records = 0;
  /** Activities with a time, and without. */
  timed = 0;
  untimed = 0;

  constructor(private readonly options: PageOptions) {}

  /** @param rows what the record made ready: see `Annotator.take` */
  take(record: ProfileLine, rows: readonly Annotated[]): void {
    this.#overviews.take(record, rows);
    this.#adviser.take(record, rows);
    this.#memory.take(record);
    const profile = this.#profile(record.profile);
    if (isActivity(record)) {
      const found = timedActivity(record);
      if (found === null) this.untimed++;
      else {
        this.timed++;
        profile.utilisation.take(found);
      }
    }
    profile.timeline.take(record);
    if (record.type === 'range') profile.annotations.range(record);
    if (record.type !== 'profile' && record.type !== 'end') this.records++;
    this.#rows(rows);
  }

  /** @param rows that still waited when the records ended: see `Annotator.rest` */
  rest(rows: readonly Annotated[]): void {
    this.#overviews.rest(rows);
    this.#adviser.rest(rows);
    this.#rows(rows);
  }

  /** Steps that each profile tells, in order. */
  get steps(): readonly number[] {
    const steps = new Set<number>();
    for (const { timeline } of this.#profiles.values()) for (const { step } of timeline.steps) steps.add(step);
    return [...steps].sort((a, b) => a - b);
  }

  /** Activities whose time is not all counted, since they came out of order. */
  get outOfOrder(): number {
    let late = 0;
    for (const { utilisation } of this.#profiles.values()) late += utilisation.outOfOrder;
    return late;
  }

  /** Inputs that ended before they were complete, as their readers tell. */
  get truncated(): number {
    return this.#overviews.all.reduce((sum, { diagnostics }) => sum + (diagnostics['truncated-input'] ?? 0), 0);
  }

  /** When all records are taken. */
  data(tool: PageData['tool'], title: string): PageData {
    const overviews = this.#overviews.all;
    const bounds = this.#bounds;
    const { reports } = this.#memory;
    return {
      ...{ v: 1, tool, title },
      profiles: overviews.flatMap((overview) => {
        const profile = this.#profiles.get(overview.profile);
        const memory = reports.filter((report) => report.profile === overview.profile);
        return profile === undefined ? [] : [pageProfile(overview, profile, memory, bounds)];
      }),
      advice: this.#adviser.findings,
    };
  }

  #rows(rows: readonly Annotated[]): void {
    for (const row of rows) {
      this.#enter(row.record.profile);
      const profile = this.#profile(row.record.profile);
      const facts = pageKernelOf(row);
      profile.timeline.kernel(facts);
      const found = timedActivity(row.record);
      // An instruction that only waits is no work.
      if (found === null || found.kind === 'sync') continue;
      profile.kernels.add(facts, found.dur);
      profile.annotations.add(facts, found.dur);
      profile.points.add(facts, found.dur);
      profile.layers.add(facts, found.dur);
    }
  }

  /** Rows come in the order of their records: profiles before theirs are over, and keep no more than is shown. */
  #enter(number: number): void {
    if (this.#current === number) return;
    this.#current = number;
    const { events } = this.#bounds;
    for (const [other, { timeline }] of this.#profiles) {
      if (other === number) return;
      timeline.settle(events);
    }
  }

  get #bounds(): Bounds {
    return boundsOf(Math.max(1, this.#profiles.size), this.options.events);
  }

  #profile(number: number): ProfileSums {
    let profile = this.#profiles.get(number);
    if (profile === undefined) {
      profile = new ProfileSums(new TimelineBuilder(this.options.timeline));
      this.#profiles.set(number, profile);
    }
    return profile;
  }
}

function pageProfile(
  overview: ProfileSummary,
  sums: ProfileSums,
  memory: readonly MemoryReport[],
  bounds: Bounds,
): PageProfile {
  return {
    overview,
    utilisation: sums.utilisation.utilisation,
    kernels: sums.kernels.totals(bounds.kernels),
    annotations: sums.annotations.annotations(bounds.annotations, bounds.samples),
    roofline: sums.points.roofline(bounds.points),
    layers: sums.layers.rows(bounds.layers),
    memory: memory.flatMap(curvesOf).slice(0, bounds.curves),
    timeline: sums.timeline.timeline(bounds.events),
  };
}

const curvesOf = ({ device, series }: MemoryReport): MemoryCurve[] =>
  series.flatMap(({ metric, of, curve, whole }) => {
    const peak = curve.peak?.value ?? whole;
    if (peak === null) return [];
    const points = curve.points.map(({ at, value }) => [at, value] as const);
    return [{ device, metric, name: of === '' ? metric : of, points, peak }];
  });
