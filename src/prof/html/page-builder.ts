/**
 * Records and their annotated kernels → the data of a page, in one pass. Memory: each part is bounded; most of it are the
 * events for the timeline, up to 110 MB for each profile whose records are still being read.
 */
import { entryOf } from '../../containers/map-entry.js';
import { UserError } from '../../record/errors.js';
import type { ProfileLine } from '../../record/record.js';
import { countNotes, RANGES_HINT, withoutTimes, type Analysis, type Answer } from '../analysis.js';
import type { Annotated } from '../annotate.js';
import { isDeviceActivity } from '../input/device-activity.js';
import { Adviser, ADVICE_TYPES } from '../advise/adviser.js';
import { Memory, MEMORY_TYPES } from '../memory/memory.js';
import type { MemoryReport } from '../memory/memory-columns.js';
import { jobReport } from '../ranks/job-report.js';
import { RankCollector } from '../ranks/part/rank-collector.js';
import { diagnosticTexts } from '../summary/diagnostic-texts.js';
import type { ProfileSummary } from '../summary/summary-data.js';
import { ProfileSummaries, SUMMARY_TYPES } from '../summary/summaries.js';
import type { RecordTypes } from '../input/records.js';
import { AnnotationTotals } from './annotations/annotation-times.js';
import { boundsOf, type Bounds } from './bounds.js';
import { pageKernelOf } from './page-kernel.js';
import { KernelTotals } from './kernels/kernel-totals.js';
import { OpTotals } from './kernels/op-totals.js';
import { LayerTotals } from './layers/layer-totals.js';
import { CollectiveTotals } from './communication/collective-totals.js';
import { isNeuronCapture, NeuronCapture } from './neuron/neuron-capture.js';
import { MonitorRun } from './neuron/monitor-run.js';
import { LaunchWaitSums } from './idle/launch-waits.js';
import { LongestGaps, stepAfter } from './idle/longest-gaps.js';
import { StepBarSums } from './idle/step-bars.js';
import { groupedFindings } from '../advise/grouped-findings.js';
import { memoryPeaks } from '../memory/memory-peaks.js';
import type { MemoryCurve, PageContents, PageData, PageProfile } from './page-data.js';
import { withoutDevices } from './untraced-devices.js';
import { timelineId, type PagePart } from './timeline/timeline-data.js';
import type { EventNames } from './timeline/names/event-names.js';
import { pageJob } from './job/page-job.js';
import { GraphCaptureTest } from '../advise/verdict/graph-capture.js';
import { RooflineGroups } from './kernels/roofline-groups.js';
import { timedActivity } from './timed-activity.js';
import { durationOf } from '../../record/fields/times.js';
import { TimelineBuilder, type BuiltTimeline } from './timeline/timeline-builder.js';
import type { TimelineChoice } from './timeline/timeline-choice.js';
import { UtilisationCurve } from './utilisation-curve.js';

export const PAGE_TYPES: RecordTypes = new Set<ProfileLine['type']>([
  ...SUMMARY_TYPES,
  ...ADVICE_TYPES,
  ...MEMORY_TYPES,
  'range',
]);

const CURVE_POINTS = 400;
/** Call stacks that a page shows of an op. */
const STACKS_OF_OP = 5;

export interface PageOptions {
  readonly timeline: TimelineChoice;
  /** Events of the timelines of all profiles together. */
  readonly events: number;
}

class PageSums {
  readonly utilisation = new UtilisationCurve();
  readonly kernels = new KernelTotals();
  readonly ops = new OpTotals();
  readonly annotations = new AnnotationTotals();
  readonly points = new RooflineGroups();
  readonly layers = new LayerTotals();
  readonly gaps = new LongestGaps();
  readonly stepBars = new StepBarSums();
  readonly collectives = new CollectiveTotals();
  /** Null until a header says that there are any. */
  neuron: NeuronCapture | null = null;
  monitor: MonitorRun | null = null;
  readonly launches = new LaunchWaitSums();
  readonly graphs = new GraphCaptureTest();
  constructor(readonly timeline: TimelineBuilder) {}
}

/** The contents of a page, made when it is written: they are large. */
export type MakePage = (about: Pick<PageData, 'tool' | 'title' | 'input'>) => PageContents;

export class PageBuilder implements Analysis<MakePage> {
  readonly types = PAGE_TYPES;
  /** Its timeline has room for a bounded number of events, and shows calls as launches: the advice alone takes calls. */
  readonly ranges = 'long-calls';
  readonly #profiles = new Map<number, PageSums>();
  readonly #summaries = new ProfileSummaries();
  readonly #adviser = new Adviser({
    onIdle: (idle) => {
      const { gaps, stepBars } = this.#profile(idle.gap.profile);
      gaps.gap(idle, !stepBars.hasBegun(idle.gap.device, stepAfter(idle)));
      stepBars.gap(idle);
    },
  });
  readonly #memory = new Memory(CURVE_POINTS);
  readonly #ranks = new RankCollector();
  /** Profile of the last row. */
  #current: number | null = null;
  /** Records other than headers and ends of profiles. */
  records = 0;
  /** Activities with a time, and without. */
  timed = 0;
  untimed = 0;

  constructor(private readonly options: PageOptions) {}

  /** @param rows kernels that the annotator completed with this record: see `Annotator.take` */
  take(record: ProfileLine, rows: readonly Annotated[]): void {
    if (record.type === 'range' && record.kind === 'api') {
      this.#adviser.take(record, rows);
      this.#rows(rows);
      return;
    }
    this.#summaries.take(record, rows);
    this.#adviser.take(record, rows);
    this.#memory.take(record);
    this.#ranks.take(record, rows);
    const profile = this.#profile(record.profile);
    if (isDeviceActivity(record)) {
      const activity = timedActivity(record);
      if (activity === null) this.untimed++;
      else {
        this.timed++;
        profile.utilisation.take(activity);
      }
    }
    if (record.type === 'profile') {
      if (isNeuronCapture(record)) profile.neuron = new NeuronCapture();
      if (record.format === 'neuron-monitor') profile.monitor = new MonitorRun();
    }
    profile.neuron?.take(record);
    profile.monitor?.take(record);
    profile.stepBars.take(record);
    profile.graphs.take(record);
    profile.collectives.take(record);
    if (record.type === 'kernel') profile.launches.take(record);
    profile.timeline.take(record);
    if (record.type === 'range') {
      profile.annotations.range(record);
      profile.ops.range(record);
    }
    if (record.type !== 'profile' && record.type !== 'end') this.records++;
    this.#rows(rows);
  }

  /** @throws UserError when the page, or the timeline that was chosen, would be empty */
  finish(rows: readonly Annotated[]): Answer<MakePage> {
    this.#summaries.addKernels(rows);
    this.#adviser.addKernels(rows);
    this.#ranks.addKernels(rows);
    this.#rows(rows);
    const { records, timed, untimed } = this;
    if (records === 0) throw nothing();
    if (timed === 0 && untimed >= records) throw withoutTimes();
    const make: MakePage = (about) => {
      this.#checkTimeline();
      return this.contents(about);
    };
    const profiles = [...this.#profiles.values()];
    const outOfOrder = profiles.reduce((sum, { utilisation }) => sum + utilisation.outOfOrder, 0);
    const truncated = this.#summaries.all.reduce(
      (sum, { diagnostics }) => sum + (diagnostics['truncated-input'] ?? 0),
      0,
    );
    const notes = countNotes(
      [truncated, 'truncated input', ': the page shows the records before the end'],
      [untimed, 'record', ' without a time left out'],
      [outOfOrder, 'record', ' not in order of start: utilisation is too small there'],
    );
    return { table: null, facts: make, notes };
  }

  /** @throws UserError when the chosen step or time has no events */
  #checkTimeline(): void {
    const choice = this.options.timeline;
    if (choice.of === 'usual' || [...this.#profiles.values()].some(({ timeline }) => timeline.isMet)) return;
    if (choice.of === 'time') throw new UserError('nothing ran between --from and --to');
    const numbers = [...this.#profiles.values()].flatMap(({ timeline }) => timeline.steps.map(({ step }) => step));
    const steps = [...new Set(numbers)].sort((a, b) => a - b);
    const [first, last] = [steps[0], steps.at(-1)];
    const known =
      first === undefined || last === undefined
        ? 'the records have no steps'
        : `there are ${steps.length}, from ${first} to ${last}`;
    throw new UserError(`no step ${choice.step}: ${known}`);
  }

  /** To be called after the last record. */
  contents(about: Parameters<MakePage>[0]): PageContents {
    const bounds = this.#bounds;
    const { reports } = this.#memory;
    const verdicts = new Map(this.#adviser.verdicts.map((verdict) => [verdict.profile, verdict]));
    const parts: PagePart[] = [];
    const profiles: PageProfile[] = [];
    for (const overview of this.#summaries.all) {
      const sums = this.#profiles.get(overview.profile);
      if (sums === undefined) continue;
      const memory = reports.filter((report) => report.profile === overview.profile);
      const built = sums.timeline.timeline(bounds);
      if (built !== null) for (const part of partsOf(profiles.length, built)) parts.push(part);
      const verdict = verdicts.get(overview.profile) ?? null;
      const profile = pageProfile(overview, sums, memory, bounds);
      const timeline = built === null ? null : { ...built.about, lacks: built.names.lacking(namesIn(profile)) };
      const unknown = overview.devices.length === 0 ? withoutDevices(profile) : {};
      profiles.push({ ...profile, ...unknown, timeline, verdict });
    }
    const advice = groupedFindings(this.#adviser.findings, (finding) => this.#adviser.shareOf(finding));
    return { data: { v: 1, ...about, profiles, advice, job: this.#job }, parts };
  }

  get #job(): PageData['job'] {
    const { parts } = this.#ranks;
    return parts.length < 2 ? null : pageJob(jobReport(parts), this.#summaries.all);
  }

  #rows(rows: readonly Annotated[]): void {
    for (const row of rows) {
      this.#enter(row.record.profile);
      const profile = this.#profile(row.record.profile);
      const kernel = pageKernelOf(row);
      profile.timeline.addKernel(kernel, row);
      profile.ops.add(row);
      const activity = timedActivity(row.record);
      // A Neuron instruction that only waits is no work.
      if (activity === null || activity.kind === 'wait') continue;
      const time = durationOf(row.record) ?? activity.dur;
      profile.kernels.add(kernel, time);
      profile.annotations.add(kernel, activity.dur);
      profile.points.add(kernel, activity.dur);
      profile.layers.add(kernel, time);
    }
  }

  /** Rows come in the order of their records: earlier profiles are complete then, and drop events that are not shown. */
  #enter(number: number): void {
    if (this.#current === number) return;
    this.#current = number;
    const bounds = this.#bounds;
    for (const [other, { timeline }] of this.#profiles) {
      if (other === number) return;
      timeline.settle(bounds);
    }
  }

  get #bounds(): Bounds {
    return this.#boundsOf(Math.max(1, this.#profiles.size));
  }

  #boundsOf(profiles: number): Bounds {
    return boundsOf(profiles, this.options.events);
  }

  #profile(number: number): PageSums {
    return entryOf(
      this.#profiles,
      number,
      () => new PageSums(new TimelineBuilder(this.options.timeline, this.#boundsOf(1))),
    );
  }
}

const nothing = (): UserError =>
  new UserError('nothing to show: no kernels, no ranges, no samples', { hint: RANGES_HINT });

function pageProfile(
  overview: ProfileSummary,
  sums: PageSums,
  memory: readonly MemoryReport[],
  bounds: Bounds,
): Omit<PageProfile, 'verdict' | 'timeline'> {
  return {
    overview,
    isGraphCapture: sums.graphs.isCapture,
    diagnosticTexts: diagnosticTexts(overview),
    utilisation: sums.utilisation.utilisation,
    kernels: sums.kernels.totals(bounds.kernels),
    ...sums.ops.totals(bounds.ops, STACKS_OF_OP, bounds.stacks),
    annotations: sums.annotations.annotations(bounds.annotations, bounds.samples),
    roofline: sums.points.roofline(bounds.points),
    layers: sums.layers.rows(bounds.layers),
    memory: memory.flatMap(curvesOf).slice(0, bounds.curves),
    memoryPeaks: memoryPeaks(memory),
    idle: {
      causes: sums.gaps.causes,
      devices: sums.gaps.devices,
      launches: sums.launches.result,
    },
    gaps: sums.gaps.gaps(bounds.steps),
    collectives: sums.collectives.rows(bounds.collectives),
    stepBars: sums.stepBars.bars(bounds.steps),
    neuron: sums.neuron?.result ?? null,
    monitor: sums.monitor?.result ?? null,
  };
}

/** Names in tables that lead to events of the timeline. */
const namesIn = ({
  kernels,
  ops,
  roofline,
  layers,
  annotations,
  overview,
}: Omit<PageProfile, 'verdict' | 'timeline'>): Parameters<EventNames['lacking']>[0] => ({
  kernel: [...kernels.shown.map(({ name }) => name), ...roofline.points.map(({ kernel }) => kernel)],
  op: [...ops.shown, ...roofline.points].flatMap(({ op }) => op ?? []),
  layer: layers.shown.map(({ path }) => path.join('/')),
  range: [...annotations.shown.map(({ text }) => text), ...(overview.host?.layers ?? []).map(({ name }) => name)],
});

/** Elements of the timeline of a profile. @param at index of the profile in the page */
function partsOf(at: number, { tables, pieces }: BuiltTimeline): PagePart[] {
  const held = pieces.flatMap((value, piece) => (value === null ? [] : [{ id: timelineId(at, piece), value }]));
  return [{ id: timelineId(at), value: tables }, ...held];
}

const curvesOf = ({ device, series }: MemoryReport): MemoryCurve[] =>
  series.flatMap(({ metric, of, curve, whole }) => {
    const peak = curve.peak?.value ?? whole;
    if (peak === null) return [];
    const points = curve.points.map(({ at, value }) => [at, value] as const);
    return [{ device, metric, name: of === '' ? metric : of, points, peak }];
  });
