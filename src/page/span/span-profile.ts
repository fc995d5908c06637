/**
 * The data of a profile within a span of time, from the events of its timeline. Work that crosses an edge counts once, with
 * its time inside, and its FLOPs and bytes in proportion. Does not need a document.
 */
import { elementAt } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';
import { addTimes } from '../../record/fields/times.js';
import { lengthSpread } from '../../record/statistics.js';
import { collectiveKind, communicationKind } from '../../ops/collective-bytes.js';
import { withoutCopiesText } from '../../prof/advise/idle/known-idle.js';
import type { ProfileVerdict } from '../../prof/advise/verdict/verdict.js';
import type { SpanPart } from '../../prof/advise/verdict/verdict-facts.js';
import { RowSums, TimeNotUnderCompute } from '../../prof/html/communication/collective-rows.js';
import { boundsOfHeld, EVENTS, longest } from '../../prof/html/bounds.js';
import type { PageIdle } from '../../prof/html/idle/idle-data.js';
import { CategoryTotals, KernelTotals, RooflineGroups } from '../../prof/html/kernels/kernel-totals.js';
import { LineTotals } from '../../prof/html/kernels/line-totals.js';
import { StackTotals } from '../../prof/html/kernels/stack-totals.js';
import { LayerTotals } from '../../prof/html/layers/layer-totals.js';
import type { Bounded, CollectiveRow, MemoryCurve, PageProfile, Roofline } from '../../prof/html/page-data.js';
import type { EventKind } from '../../prof/html/timeline/timeline-data.js';
import { UtilisationCurve } from '../../prof/html/utilisation/utilisation-curve.js';
import type { BinnedValues, Utilisation } from '../../prof/html/utilisation/utilisation-data.js';
import { DeviceSums } from '../../prof/summary/device-sums.js';
import type { DeviceTime, StepSummary, WorkKind } from '../../prof/summary/summary-data.js';
import { OperationSums } from '../../prof/summary/tallies.js';
import { valueAt } from '../charts/chart-values.js';
import { quantityText } from '../document/units.js';
import { CallStacks } from '../timeline/events/kernel-facts.js';
import { durOf, kindOf, laneOf, startOf, tableNameOf, textOf } from '../timeline/events/events.js';
import type { TimelineEvents } from '../timeline/events/events.js';
import type { SelectedSpan } from '../timeline/model/view.js';
import { SpanAnnotations } from './span-annotations.js';
import { eventsInside, type InsideEvent, type PartOfSpan } from './span-events.js';
import { SpanIdle } from './span-idle.js';
import { KernelReader, OpSums, SummarySums } from './span-kernels.js';

export interface SpanProfile {
  readonly profile: PageProfile;
  /** Number of kernels that run in the span. */
  readonly kernels: number;
  /** Number of kernels, copies and other work of devices that an edge cuts. */
  readonly cut: number;
}

const WORK_OF: Readonly<Partial<Record<EventKind, Exclude<WorkKind, 'syncs'>>>> = {
  ...{ kernel: 'kernels', communication: 'communications', graph: 'graphs', copy: 'copies', set: 'sets' },
};

/** Communication by operation, as in the table of collectives, without sizes and groups, which events do not have. */
class OperationRows {
  readonly #rows = new Map<string, RowSums>();
  readonly #devices = new Map<number, TimeNotUnderCompute>();

  /** @param name name of the operation; null for compute */
  add(name: string | null, device: number, { from, to, time }: InsideEvent): void {
    const alone = entryOf(this.#devices, device, () => new TimeNotUnderCompute());
    if (name === null) {
      alone.compute(from, to);
      return;
    }
    const operation = { name, size: null, group: null, groupSize: null };
    const row = entryOf(this.#rows, name, () => new RowSums(operation));
    row.add({ ...operation, bytes: null }, time, false);
    alone.communicate(from, to, (exposed) => {
      row.notUnderCompute += exposed;
    });
  }

  rows(most: number): Bounded<CollectiveRow> {
    const { shown, rest } = longest(
      [...this.#rows.values()].map(({ row }) => row),
      most,
    );
    const restTime = rest.reduce((sum, { time }) => sum + (time ?? 0), 0);
    return { shown, count: shown.length + rest.length, restTime };
  }
}

/** The name of a communication in all answers. */
function operationOf(events: TimelineEvents, event: number): string {
  const [op, name] = [textOf(events, 'op', event), tableNameOf(events, event)];
  const ofName = name === null ? null : communicationKind(name);
  return collectiveKind(op ?? '') ?? collectiveKind(ofName ?? '') ?? ofName ?? op ?? 'unknown';
}

/** Maximum numbers of entries: those of a page with one profile. */
const BOUNDS = boundsOfHeld(1, 1, EVENTS);

/** Sums of the events of a span, piece by piece in time order. */
export class SpanSums {
  readonly #reader: KernelReader;
  readonly #summary = new SummarySums();
  readonly #kernels = new KernelTotals();
  readonly #categories = new CategoryTotals();
  readonly #ops = new OpSums();
  readonly #points = new RooflineGroups();
  readonly #layers = new LayerTotals();
  /** Null when the call stack of some kernel is unknown, although the profile may have it. */
  #traces: { readonly lines: LineTotals; readonly stacks: StackTotals } | null = {
    ...{ lines: new LineTotals(), stacks: new StackTotals() },
  };
  readonly #memory = new OperationSums();
  readonly #collectives = new OperationRows();
  readonly #times = new Map<number, number>();
  readonly #devices = new Map<number, DeviceSums>();
  readonly #utilisation = new UtilisationCurve();
  readonly #idle = new SpanIdle();
  readonly #annotations: SpanAnnotations;
  #cut = 0;

  constructor(
    private readonly whole: PageProfile,
    private readonly span: SelectedSpan,
  ) {
    this.#reader = new KernelReader(whole);
    this.#annotations = new SpanAnnotations(whole, span);
  }

  take(part: PartOfSpan): void {
    const stacks = new CallStacks(part.events.facts);
    this.#annotations.take(part);
    if (this.whole.idle.launches !== null) this.#idle.takeLaunches(part, this.span);
    for (const inside of eventsInside(part, this.span)) this.#add(inside, stacks);
  }

  /** The data within the span, for the panels that follow it. All other data is that of the whole profile. */
  get result(): SpanProfile {
    const { whole, span } = this;
    const devices = this.#deviceTimes;
    const ops = this.#ops.totals(BOUNDS.ops);
    const { idle } = this.#idle;
    const { steps, stepBars } = stepsOf(whole, span);
    const hasMfu = whole.overview.kernels?.work.tensor === undefined;
    const kernels = this.#summary.result(
      sumOf(devices, (device) => device.span),
      hasMfu,
    );
    const profile: PageProfile = {
      ...whole,
      overview: {
        ...whole.overview,
        ...{ devices, kernels, memory: this.#memory.memory, syncs: [], collectives: [], links: [], steps, cpu: null },
      },
      verdict: verdictOf(whole.overview.profile, devices, idle),
      ...{ idle, gaps: whole.gaps.filter(({ start, time }) => start >= span.from && start + time <= span.to) },
      stepBars,
      utilisation: this.#utilisationWithin(devices),
      collectives: this.#collectives.rows(BOUNDS.collectives),
      kernels: this.#kernels.totals(BOUNDS.kernels),
      categories: this.#categories.totals,
      ops: this.#traces?.lines.withLines(ops) ?? ops,
      lines: this.#traces?.lines.totals(BOUNDS.ops) ?? null,
      stacks: this.#traces?.stacks.tree(BOUNDS.stacks, [])?.tree ?? null,
      roofline: this.#roofline,
      layers: this.#layers.rows(BOUNDS.layers),
      annotations: this.#annotations.annotations,
      memory: whole.memory.flatMap((curve) => curveWithin(curve, span)),
      memoryPeaks: whole.memoryPeaks.filter(({ start }) => start !== null && start >= span.from && start < span.to),
    };
    return { profile, kernels: kernels?.count ?? 0, cut: this.#cut };
  }

  #add(inside: InsideEvent, stacks: CallStacks): void {
    const { events, event, from, time, share } = inside;
    const lane = laneOf(events, event);
    if (lane?.kind !== 'device') return;
    const kind = kindOf(events, event);
    const device = lane.ids?.device;
    const work = WORK_OF[kind] ?? 'syncs';
    if (share < 1 && work !== 'syncs') this.#cut++;
    if (work === 'communications') this.#collectives.add(operationOf(events, event), device ?? NaN, inside);
    else if (work === 'kernels' || work === 'graphs') this.#collectives.add(null, device ?? NaN, inside);
    if (device !== undefined) this.#device(device, work, inside);
    if (kind === 'copy' || kind === 'set') {
      const bytes = elementAt(events.bytes, event);
      const name = textOf(events, 'name', event) ?? kind;
      const at = { device: device ?? NaN, start: from };
      this.#memory.add(name.replace(/^copy /, ''), { time, at, bytes: bytes < 0 ? null : bytes * share });
    }
    if (elementAt(events.id, event) > 0) this.#kernel(inside, kind, device ?? NaN, stacks);
  }

  #device(device: number, work: WorkKind, inside: InsideEvent): void {
    const { events, event, from, to } = inside;
    const sums = entryOf(this.#devices, device, () => new DeviceSums());
    sums.count(work, { start: from }, true);
    const isKernel = elementAt(events.id, event) > 0;
    sums.add(work, { from: Math.round(from * 1000), to: Math.round(to * 1000), launched: null }, isKernel);
    if (work === 'syncs') return;
    this.#idle.add(device, inside);
    const call = elementAt(events.arrows.launcher, event);
    const launch =
      call === -1 ? null : { api: null, start: events.origin + startOf(events, call), dur: durOf(events, call) };
    const record = { device, launch, pid: null, tid: null };
    this.#utilisation.take({ record, kind: kindOf(events, event), start: from, dur: to - from });
  }

  #kernel(inside: InsideEvent, kind: EventKind, device: number, stacks: CallStacks): void {
    // An instruction that only waits is not work.
    if (kind === 'wait') return;
    const { events, event, time } = inside;
    const kernel = this.#reader.kernelOf(inside, kind, device);
    this.#ops.add(kernel, time);
    const trace = stacks.of(elementAt(events.factList, event));
    if (trace === null) this.#traces = null;
    else {
      this.#traces?.lines.add({ ...kernel, trace, record: { dur: time } });
      this.#traces?.stacks.add(trace, time);
    }
    for (const sums of [this.#kernels, this.#categories, this.#points, this.#layers]) sums.add(kernel, time);
    this.#summary.add(kernel, time);
    this.#annotations.kernel(inside, kernel);
    this.#times.set(device, addTimes(this.#times.get(device) ?? 0, time));
  }

  get #deviceTimes(): DeviceTime[] {
    return this.whole.overview.devices.flatMap(({ device, name, memory }) => {
      const sums = this.#devices.get(device);
      return sums === undefined || sums.isEmpty ? [] : [sums.result(device, name, memory !== null)];
    });
  }

  get #roofline(): Roofline {
    const { points, pointCount } = this.#points.roofline(BOUNDS.points);
    const roofs = this.whole.roofline.roofs.map((roof) => ({ ...roof, time: this.#times.get(roof.device) ?? 0 }));
    return { points, pointCount, roofs };
  }

  #utilisationWithin(working: readonly DeviceTime[]): Utilisation {
    const { devices, host, ...bins } = this.#utilisation.utilisation;
    const { cpu } = this.whole.utilisation;
    return {
      ...{ ...bins, host: this.whole.utilisation.host === null ? null : host },
      devices: devices.filter(({ device }) => working.some((entry) => entry.device === device)),
      cpu: cpu === null ? null : binsWithin(cpu, this.span),
    };
  }
}

/** The bins that overlap with a span; null without any. */
function binsWithin({ start, width, values }: BinnedValues, { from, to }: SelectedSpan): BinnedValues | null {
  const first = Math.max(0, Math.floor((from - start) / width));
  const within = values.slice(first, Math.max(first, Math.ceil((to - start) / width)));
  return within.length === 0 ? null : { start: start + first * width, width, values: within };
}

/** A curve from the value at the start of a span to its end; none before its first value. */
function curveWithin(curve: MemoryCurve, { from, to }: SelectedSpan): MemoryCurve[] {
  if (curve.points.length === 0) return [curve];
  const before = valueAt(curve.points, from);
  const points = [
    ...(before === null ? [] : [[from, before] as const]),
    ...curve.points.filter(([at]) => at > from && at < to),
  ];
  const peak = points.reduce((most, [, bytes]) => Math.max(most, bytes), -Infinity);
  return points.length === 0 ? [] : [{ ...curve, points, peak }];
}

const sumOf = (devices: readonly DeviceTime[], timeOf: (device: DeviceTime) => number): number =>
  devices.reduce((sum, device) => addTimes(sum, timeOf(device)), 0);

/** Parts of the devices' time. */
const PARTS = ['compute', 'communication', 'copy', 'idle'] as const;
type WorkPart = (typeof PARTS)[number];

const TIME_OF: Readonly<Record<WorkPart, (device: DeviceTime) => number>> = {
  compute: ({ compute }) => compute,
  communication: ({ exposed }) => exposed,
  copy: ({ copiesAlone, setsAlone }) => (copiesAlone ?? 0) + setsAlone,
  // Copies that the profile lacks are in the rest, which is then the most that can be idle.
  idle: ({ idle, span, compute, exposed, setsAlone }) => idle ?? span - compute - exposed - setsAlone,
};

/** A part with its share of the devices' span: `exposed copies 8.0 % on 1 of 2 devices`, `idle at most 20 % (…)`. */
function partText(part: WorkPart, devices: readonly DeviceTime[]): string {
  const shareOf = (some: readonly DeviceTime[]): string =>
    quantityText(sumOf(some, TIME_OF[part]) / sumOf(some, ({ span }) => span), 'share');
  const recorded = devices.filter(({ copiesAlone }) => copiesAlone !== null);
  switch (part) {
    case 'compute':
      return `compute ${shareOf(devices)}`;
    case 'communication':
      return `exposed communication ${shareOf(devices)}`;
    case 'copy':
      if (recorded.length === 0) return `exposed memsets ${shareOf(devices)}`;
      return recorded.length === devices.length
        ? `exposed copies ${shareOf(devices)}`
        : `exposed copies ${shareOf(recorded)} on ${recorded.length} of ${devices.length} devices`;
    case 'idle':
      return `idle ${withoutCopiesText(shareOf(devices), devices.length, recorded.length)}`;
  }
}

/** What the devices did from their first work in the span to their last. Null without work. */
function verdictOf(profile: number, devices: readonly DeviceTime[], { causes }: PageIdle): ProfileVerdict | null {
  const span = sumOf(devices, (device) => device.span);
  if (span <= 0) return null;
  const parts = PARTS.map((part) => ({ part, time: sumOf(devices, TIME_OF[part]) }))
    .filter(({ time }) => time > 0)
    .sort((a, b) => b.time - a.time);
  return {
    ...{ profile, devices: devices.length, span },
    text: `In this span: ${parts.map(({ part }) => partText(part, devices)).join(', ')}.`,
    parts: parts
      .flatMap(({ part, time }): SpanPart[] =>
        part === 'idle'
          ? causes.map(({ cause, time: idle }) => ({ part, cause, detail: null, time: idle }))
          : [{ part, cause: null, detail: null, time }],
      )
      .sort((a, b) => b.time - a.time),
  };
}

/** The steps that run in the span on some device, each with all of its time. */
function stepsOf(
  { overview: { steps }, stepBars }: PageProfile,
  { from, to }: SelectedSpan,
): { readonly steps: StepSummary | null; readonly stepBars: PageProfile['stepBars'] } {
  const shown = stepBars.shown.filter(({ start, span }) => start < to && start + span > from);
  const keys = new Set(shown.map(({ step, device }) => `${step}/${device}`));
  const list = (steps?.list ?? []).filter(({ step, device }) => keys.has(`${step}/${device}`));
  const iterations = new Map(list.map(({ step, iteration }) => [step, iteration]));
  const device = lengthSpread(list.map(({ span }) => span));
  const host = lengthSpread([...iterations.values()].flatMap((iteration) => iteration ?? []));
  return {
    steps: device === null ? null : { count: iterations.size, list, device, host },
    stepBars: { ...stepBars, shown, count: shown.length },
  };
}
