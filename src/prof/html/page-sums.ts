/** What a page collects about one profile, and the data that it makes from that. */
import { memoryPeaks, type MemoryReport } from '../memory/memory-report.js';
import type { ProfileSummary } from '../summary/summary-data.js';
import { Checker } from '../check/profile-check.js';
import { chooseColumns } from '../columns/columns.js';
import { Sequences } from '../sequences/sequences.js';
import { RegionTotals } from './annotations/page-regions.js';
import { AnnotationTotals } from './annotations/annotation-times.js';
import { type Bounds, longest } from './bounds.js';
import { CategoryTotals, KernelTotals, RooflineGroups } from './kernels/kernel-totals.js';
import { LineTotals } from './kernels/line-totals.js';
import { OpTotals } from './kernels/op-totals.js';
import { LayerTotals } from './layers/layer-totals.js';
import type { NeuronCapture } from './neuron/neuron-capture.js';
import type { MonitorRun } from './neuron/monitor-run.js';
import { LongestGaps } from './idle/longest-gaps.js';
import { StepBarSums } from './idle/step-bars.js';
import type { MemoryCurve, PageProfile, Bounded, CollectiveRow } from './page-data.js';
import type { EventNames } from './timeline/names/event-names.js';
import { GraphCaptureTest } from '../advise/verdict/verdict-facts.js';
import type { BuiltTimeline, TimelineBuilder } from './timeline/timeline-builder.js';
import type { PageTimeline } from './timeline/timeline-data.js';
import { UtilisationCurve } from './utilisation/utilisation-curve.js';
import { LaunchWaitSums } from '../queues/stream-queue.js';
import { boundedEntryOf, entryOf } from '../../containers/map-entry.js';
import type { ProfileLine } from '../../record/record.js';
import { algorithmBytes } from '../../ops/collective-bytes.js';
import { operationName, isCut, workOf, type StepActivity } from '../steps/step-work.js';
import { DIAGNOSTICS } from '../../record/diagnostics.js';
import { sizeClass } from '../ranks/transfers.js';
import { RowSums, TimeNotUnderCompute, type Identity, type Operation } from './communication/collective-rows.js';

/** Maximum number of call stacks that a page shows of an op. */
const STACKS_OF_OP = 5;

const MOST_ROWS = 2000;

/** The operation of a record; null for any other work. Names and sizes are those of the summary. */
function operationOf(record: StepActivity, isCommunication: boolean): Operation | null {
  if (record.type === 'collective') {
    const { bytes, group, ranks } = record;
    const groupSize = record.groupSize ?? ranks?.length ?? null;
    return { name: operationName(record), size: sizeClass(bytes), group, groupSize, bytes };
  }
  if (record.type !== 'kernel') return null;
  const { collective } = record;
  if (collective !== undefined) {
    const bytes = algorithmBytes(collective);
    const { group, ranks } = collective;
    return {
      name: operationName(record),
      size: sizeClass(bytes),
      group,
      groupSize: collective.groupSize ?? ranks?.length ?? null,
      bytes,
    };
  }
  if (!isCommunication) return null;
  return { name: operationName(record), size: null, group: null, groupSize: null, bytes: null };
}

const OTHERS: Identity = { name: 'others', size: null, group: null, groupSize: null };

/**
 * Collective operations by name, size class and group. Takes records once, in order of start time, and keeps at most
 * MOST_ROWS rows.
 */
class CollectiveTotals {
  readonly #rows = new Map<string, RowSums>();
  readonly #devices = new Map<number, TimeNotUnderCompute>();

  take(record: ProfileLine): void {
    const found = workOf(record);
    if (found === null || found.work === 'copy') return;
    const operation = operationOf(found.record, found.work === 'communication');
    const { start, dur, device } = found.record;
    const isTimed = dur !== null && dur >= 0 && Number.isFinite(start + dur);
    const alone = entryOf(this.#devices, device, () => new TimeNotUnderCompute());
    if (operation === null) {
      if (isTimed && found.work === 'computing') alone.compute(start, start + dur);
      return;
    }
    const { bytes, ...identity } = operation;
    const key = JSON.stringify(Object.values(identity));
    const row =
      boundedEntryOf(this.#rows, key, MOST_ROWS, () => new RowSums(identity)) ??
      entryOf(this.#rows, '', () => new RowSums(OTHERS));
    row.add({ ...identity, bytes }, isTimed ? dur : null, isCut(found.record));
    if (isTimed)
      alone.communicate(start, start + dur, (time) => {
        row.notUnderCompute += time;
      });
  }

  /** The rows, largest time first. */
  rows(most: number): Bounded<CollectiveRow> {
    const all = [...this.#rows.values()].map(({ row }) => row);
    const { shown, rest } = longest(all, most);
    return { shown, count: all.length, restTime: rest.reduce((sum, { time }) => sum + (time ?? 0), 0) };
  }
}

/** Sums of one profile, for everything that a page shows of it except what all profiles share. */
export class PageSums {
  readonly utilisation = new UtilisationCurve();
  readonly kernels = new KernelTotals();
  readonly ops = new OpTotals();
  readonly categories = new CategoryTotals();
  readonly sequences: Sequences;
  readonly regions = new RegionTotals();
  readonly checker = new Checker();
  readonly lines = new LineTotals();
  readonly annotations = new AnnotationTotals();
  readonly points = new RooflineGroups();
  readonly layers = new LayerTotals();
  readonly gaps = new LongestGaps();
  readonly stepBars = new StepBarSums();
  readonly collectives = new CollectiveTotals();
  /** Null until a profile line shows that it is a Neuron capture. */
  neuron: NeuronCapture | null = null;
  monitor: MonitorRun | null = null;
  readonly launches = new LaunchWaitSums();
  readonly graphs = new GraphCaptureTest();
  constructor(
    readonly timeline: TimelineBuilder,
    bounds: Bounds,
  ) {
    this.sequences = new Sequences({ keys: chooseColumns('kernel'), length: null, most: bounds.sequences });
  }
}

/** The verdict on the only profile that was checked. */
function checkOf({ profiles: [checked] }: Checker): PageProfile['check'] {
  const { verdict, reasons } = checked ?? { verdict: 'complete', reasons: [] };
  return { verdict, reasons };
}

/** The page data that follows from the sums of a profile. */
type PageFigures = Omit<
  PageProfile,
  'overview' | 'diagnosticTexts' | 'memory' | 'memoryPeaks' | 'verdict' | 'timeline'
>;

function pageFigures(sums: PageSums, overview: ProfileSummary, bounds: Bounds): PageFigures {
  const working = new Set(overview.devices.map(({ device }) => device));
  const { utilisation } = sums.utilisation;
  const { ops, stacks } = sums.ops.totals(bounds.ops, STACKS_OF_OP, bounds.stacks);
  return {
    isGraphCapture: sums.graphs.isCapture,
    utilisation: { ...utilisation, devices: utilisation.devices.filter(({ device }) => working.has(device)) },
    kernels: sums.kernels.totals(bounds.kernels),
    stacks,
    ops: sums.lines.withLines(ops),
    categories: sums.categories.totals,
    sequences: sums.sequences.rows.slice(0, bounds.sequences),
    regions: sums.regions.totals(bounds.regions),
    check: checkOf(sums.checker),
    lines: sums.lines.totals(bounds.ops),
    annotations: sums.annotations.annotations(bounds.annotations, bounds.samples),
    roofline: sums.points.roofline(bounds.points),
    layers: sums.layers.rows(bounds.layers),
    idle: {
      ...sums.gaps.causes.idle((device) => working.has(device)),
      launches: sums.launches.result,
    },
    gaps: sums.gaps.gaps(bounds.steps).filter(({ device }) => working.has(device)),
    collectives: sums.collectives.rows(bounds.collectives),
    stepBars: sums.stepBars.bars(bounds.steps),
    neuron: sums.neuron?.result ?? null,
    monitor: sums.monitor?.result ?? null,
  };
}

/** The parts of a page's profile that depend only on the profile's records. */
export interface BuiltProfile {
  readonly figures: PageFigures;
  /** Null when nothing has a time. */
  readonly timeline: (Pick<BuiltTimeline, 'tables' | 'pieces'> & { readonly about: PageTimeline }) | null;
}

export function builtProfile(sums: PageSums, overview: ProfileSummary, bounds: Bounds): BuiltProfile {
  const figures = pageFigures(sums, overview, bounds);
  const built = sums.timeline.timeline(bounds);
  if (built === null) return { figures, timeline: null };
  const { about, names, tables, pieces } = built;
  const lacks = names.lacking(namesIn({ ...figures, overview }));
  return { figures, timeline: { about: { ...about, lacks }, tables, pieces } };
}

/** Descriptions of the counters that the summary adds: what it leaves out, or counts too low. */
const OF_SUMMARY: Readonly<Record<string, string>> = {
  'record-out-of-order': 'records not in order of start time (busy times are too low)',
  'record-without-time': 'records without a time (left out)',
  'record-ends-before-start': 'records that end before they start (left out)',
  'record-of-device-left-out': 'records of devices above the limit (left out)',
  'step-left-out': 'activities of steps above the limit (left out)',
};

const TEXTS = new Map([
  ...Object.entries(DIAGNOSTICS).map(([name, [, text]]) => [name, text] as const),
  ...Object.entries(OF_SUMMARY),
]);

/** Descriptions of a profile's diagnostics whose names are known: `kernels whose launch call is not in the profile`. */
export const diagnosticTexts = ({ diagnostics }: ProfileSummary): Record<string, string> =>
  Object.fromEntries(
    Object.keys(diagnostics).flatMap((name) => {
      const text = TEXTS.get(name);
      return text === undefined ? [] : [[name, text]];
    }),
  );

/**
 * The data of a profile.
 * @param memory the memory reports of its devices
 */
export const pageProfile = (
  overview: ProfileSummary,
  figures: PageFigures,
  memory: readonly MemoryReport[],
  bounds: Bounds,
): Omit<PageProfile, 'verdict' | 'timeline'> => ({
  ...{ overview, diagnosticTexts: diagnosticTexts(overview), ...figures },
  memory: memory.flatMap(curvesOf).slice(0, bounds.curves),
  memoryPeaks: memoryPeaks(memory),
});

/** Names in tables that link to events of the timeline. */
const namesIn = ({
  kernels,
  categories,
  ops,
  lines,
  stepBars,
  roofline,
  layers,
  annotations,
  overview,
}: PageFigures & Pick<PageProfile, 'overview'>): Parameters<EventNames['lacking']>[0] => ({
  kernel: [...kernels.shown.map(({ name }) => name), ...roofline.points.map(({ kernel }) => kernel)],
  op: [
    ...[...ops.shown, ...(lines?.shown ?? []), ...roofline.points].flatMap(({ op }) => op ?? []),
    ...stepBars.works.filter(({ part }) => part === 'compute').map(({ name }) => name),
  ],
  category: categories.flatMap(({ category }) => category ?? []),
  layer: layers.shown.map(({ path }) => path.join('/')),
  range: [...annotations.shown.map(({ text }) => text), ...(overview.host?.layers ?? []).map(({ name }) => name)],
});

const curvesOf = ({ device, series }: MemoryReport): MemoryCurve[] =>
  series.flatMap(({ metric, of: component, curve, whole }) => {
    const peak = curve.peak?.value ?? whole;
    if (peak === null) return [];
    const points = curve.points.map(({ at, value }) => [at, value] as const);
    return [{ device, metric, name: component === '' ? metric : component, points, peak }];
  });
