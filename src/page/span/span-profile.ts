/**
 * The data of a profile within a span of time, from the events of its timeline. Work that crosses an edge counts once, with
 * its time inside, and its FLOPs and bytes in proportion. Does not need a document.
 */
import { elementAt } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';
import { addTimes } from '../../record/fields/times.js';
import { lengthSpread } from '../../record/statistics.js';
import { NS_PER_S, UNKNOWN } from '../../record/units.js';
import { collectiveKind, communicationKind } from '../../ops/collective-bytes.js';
import type { ProfileVerdict } from '../../prof/advise/verdict/verdict.js';
import { RowSums, TimeNotUnderCompute } from '../../prof/html/communication/collective-rows.js';
import { bounded, boundsOfHeld, EVENTS, longest } from '../../prof/html/bounds.js';
import type { OpTotal } from '../../prof/html/kernels/kernel-data.js';
import { KernelTotals, RooflineGroups } from '../../prof/html/kernels/kernel-totals.js';
import { LineTotals } from '../../prof/html/kernels/line-totals.js';
import { LayerTotals } from '../../prof/html/layers/layer-totals.js';
import type { Bounded, CollectiveRow, Ops, PageProfile } from '../../prof/html/page-data.js';
import type { SummedKernel } from '../../prof/html/page-kernel.js';
import { DIRECTIONS, type EventKind, type PageTimeline } from '../../prof/html/timeline/timeline-data.js';
import { DeviceSums } from '../../prof/summary/device-sums.js';
import type {
  DeviceTime,
  KernelSummary,
  MatrixUnitTime,
  StepSummary,
  WorkKind,
} from '../../prof/summary/summary-data.js';
import { knownTime, OperationSums, Tallies } from '../../prof/summary/tallies.js';
import { KernelTally, knownSum, rated } from '../../prof/tally/kernel-tally.js';
import { quantityText } from '../document/units.js';
import { CallStacks } from '../timeline/events/kernel-facts.js';
import { durOf, kindOf, laneOf, matrixUnitOf, startOf, tableNameOf, textOf } from '../timeline/events/events.js';
import type { TimelineEvents } from '../timeline/events/events.js';
import type { SelectedSpan } from '../timeline/model/view.js';
import { dataOf, WHOLE } from '../timeline/pieces/page-ranks.js';

/**
 * The part of a span whose events come from one piece of the timeline. All times in this module are ns from the
 * profile's start.
 */
export interface PieceOfSpan extends SelectedSpan {
  readonly piece: number;
}

/**
 * The pieces that together have each event of a span by itself. An event counts in the part in which it begins, or in the
 * first if it began before the span.
 * @returns null when the page does not hold each of them
 */
export function piecesOfSpan(timeline: PageTimeline, { from, to }: SelectedSpan): readonly PieceOfSpan[] | null {
  if (elementAt(timeline.pieces, WHOLE).isMerged !== true) return [{ piece: WHOLE, from, to }];
  const parts: PieceOfSpan[] = [];
  let reached = from;
  for (const [piece, { start, end }] of timeline.pieces.entries()) {
    if (piece === WHOLE || end <= reached || start >= to || reached >= to) continue;
    if (dataOf(timeline, piece) !== piece) return null;
    // No event both begins and ends between two pieces.
    parts.push({ piece, from: reached, to: Math.min(end, to) });
    reached = Math.min(end, to);
  }
  return parts;
}

/** A part of a span with the events of its piece. */
export interface PartOfSpan extends SelectedSpan {
  readonly events: TimelineEvents;
}

export interface SpanProfile {
  readonly profile: PageProfile;
  /** Number of kernels that run in the span. */
  readonly kernels: number;
  /** Number of kernels, copies and other work of devices that an edge cuts. */
  readonly cut: number;
}

/** An event of the span, with its time inside. */
interface InsideEvent extends SelectedSpan {
  readonly events: TimelineEvents;
  readonly event: number;
  readonly time: number;
  /** Share of its duration that is inside, from 0 to 1. */
  readonly share: number;
}

/** The events of a part that overlap with the span, as `dprof --from A --to B` chooses them. */
function* eventsInside({ events, from, to }: PartOfSpan, span: SelectedSpan): Generator<InsideEvent> {
  for (let event = 0; event < events.count; event++) {
    const [start, dur] = [events.origin + startOf(events, event), durOf(events, event)];
    if (start >= to) return;
    const end = start + dur;
    const first = Math.max(start, span.from);
    if (first < from || (dur === 0 ? start < span.from : end <= span.from)) continue;
    const last = Math.min(end, span.to);
    const isCut = first > start || last < end;
    yield {
      ...{ events, event, from: first, to: last },
      ...(isCut ? { time: last - first, share: (last - first) / dur } : { time: dur, share: 1 }),
    };
  }
}

const WORK_OF: Readonly<Partial<Record<EventKind, Exclude<WorkKind, 'syncs'>>>> = {
  ...{ kernel: 'kernels', communication: 'communications', graph: 'graphs', copy: 'copies', set: 'sets' },
};

/** Where the time of a kernel belongs, by the column `tc`. */
const UNITS = ['used', 'unused', 'notApplicable', 'undetermined', 'unknown'] as const;
const UNIT_OF: Readonly<Record<string, (typeof UNITS)[number]>> = {
  ...{ '1': 'used', '0': 'unused', '-': 'notApplicable', '?': 'undetermined' },
};

/** Shares of peaks are left out, because the page does not have the peaks of single kernels. */
const UNRATED = {
  ...{ intensity: null, tflops: null, computeShare: null, memoryShare: null, bound: null, floor: null, gap: null },
  above: { compute: false, memory: false },
};

/** Kernels by op, as in the table of ops, without what the host did. */
class OpSums {
  readonly #ops = new Map<string | null, { readonly number: number; communicating: number }>();
  readonly #tally = new KernelTally();
  /** Ops that have bytes and no rate, because their transfers outlast the instructions that start them. */
  readonly #unrated: ReadonlySet<string | null>;

  constructor({ shown }: Ops) {
    this.#unrated = new Set(shown.filter(({ bytesPerS }) => bytesPerS === null).map(({ op }) => op));
  }

  add(kernel: SummedKernel, time: number): void {
    const op = entryOf(this.#ops, kernel.op, () => ({ number: this.#ops.size, communicating: 0 }));
    this.#tally.add(op.number, time, kernel);
    if (kernel.isCommunication) op.communicating = addTimes(op.communicating, time);
  }

  totals(most: number): Ops {
    const totals = [...this.#ops].map(([op, { number, communicating }]): OpTotal & { readonly time: number } => {
      const { count, time, flops, bytes, ratedBytes, matrixUnitShare: tc } = this.#tally.of(number);
      return {
        ...{ op, count, time, ...(communicating > 0 ? { communicating } : {}), within: null, launch: null },
        ...{ passes: null, host: null, hostSelf: null, flops: knownSum(flops), bytes: knownSum(bytes) },
        flopsPerS: flops.time > 0 ? (flops.sum * NS_PER_S) / flops.time : null,
        bytesPerS: this.#unrated.has(op) ? null : rated(ratedBytes, ratedBytes.sum * NS_PER_S),
        ...{ ofCompute: null, ofMemory: null, tc, bound: null, stacks: [], stackCount: 0 },
      };
    });
    const time = totals.reduce((sum, total) => addTimes(sum, total.time), 0);
    return { ...bounded(totals, most, 0), time };
  }
}

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

/** Sums of the events of a span, piece by piece in order of time. */
export class SpanSums {
  readonly #kernels = new KernelTotals();
  readonly #ops: OpSums;
  readonly #points = new RooflineGroups();
  readonly #layers = new LayerTotals();
  /** Null when the line of some kernel is not known here, although the profile may have it. */
  #lines: LineTotals | null = new LineTotals();
  readonly #memory = new OperationSums();
  readonly #collectives = new OperationRows();
  readonly #times = new Map<number, number>();
  #cut = 0;
  readonly #devices = new Map<number, DeviceSums>();
  readonly #precision = new Tallies();
  readonly #byUnit = new KernelTally();
  readonly #names = new Set<string>();
  /** Paths of layers by their joined names, because a name may contain a `/`. */
  readonly #paths: ReadonlyMap<string, readonly string[]>;

  constructor(
    private readonly whole: PageProfile,
    private readonly span: SelectedSpan,
  ) {
    this.#ops = new OpSums(whole.ops);
    this.#paths = new Map(whole.layers.shown.map(({ path }) => [path.join('/'), path]));
  }

  take(part: PartOfSpan): void {
    const stacks = new CallStacks(part.events.facts);
    for (const inside of eventsInside(part, this.span)) this.#add(inside, stacks);
  }

  /** The data within the span, for the panels that follow it. All other data is that of the whole profile. */
  get result(): SpanProfile {
    const { whole, span } = this;
    const bounds = boundsOfHeld(1, 1, EVENTS);
    const devices = this.#deviceTimes;
    const { steps, stepBars } = stepsOf(whole, span);
    const { points, pointCount } = this.#points.roofline(bounds.points);
    const roofs = whole.roofline.roofs.map((roof) => ({ ...roof, time: this.#times.get(roof.device) ?? 0 }));
    const [kernels, memory] = [this.#summary, this.#memory.memory];
    const profile: PageProfile = {
      ...whole,
      overview: {
        ...whole.overview,
        ...{ devices, kernels, memory, syncs: [], collectives: [], links: [], steps, cpu: null },
      },
      verdict: verdictOf(whole.overview.profile, devices),
      idle: { causes: [], devices: [], launches: null },
      stepBars,
      collectives: this.#collectives.rows(bounds.collectives),
      kernels: this.#kernels.totals(bounds.kernels),
      ops: this.#ops.totals(bounds.ops),
      lines: this.#lines?.totals(bounds.ops) ?? null,
      stacks: null,
      roofline: { points, pointCount, roofs },
      layers: this.#layers.rows(bounds.layers),
    };
    return { profile, kernels: kernels?.count ?? 0, cut: this.#cut };
  }

  #add(inside: InsideEvent, stacks: CallStacks): void {
    const { events, event, from, to, time, share } = inside;
    const lane = laneOf(events, event);
    if (lane?.kind !== 'device') return;
    const kind = kindOf(events, event);
    const isKernel = elementAt(events.id, event) > 0;
    const device = lane.ids?.device;
    const work = WORK_OF[kind] ?? 'syncs';
    if (share < 1 && work !== 'syncs') this.#cut++;
    if (work === 'communications') this.#collectives.add(operationOf(events, event), device ?? NaN, inside);
    else if (work === 'kernels' || work === 'graphs') this.#collectives.add(null, device ?? NaN, inside);
    if (device !== undefined) {
      const sums = entryOf(this.#devices, device, () => new DeviceSums());
      sums.count(work, { start: from }, true);
      sums.add(work, { from: Math.round(from * 1000), to: Math.round(to * 1000), launched: null }, isKernel);
    }
    if (kind === 'copy' || kind === 'set') {
      const bytes = elementAt(events.bytes, event);
      const name = textOf(events, 'name', event) ?? kind;
      this.#memory.add(name.replace(/^copy /, ''), { time, bytes: bytes < 0 ? null : bytes * share });
    }
    if (isKernel) this.#kernel(inside, kind, device ?? NaN, stacks);
  }

  #kernel(
    { events, event, time, share, from }: InsideEvent,
    kind: EventKind,
    device: number,
    stacks: CallStacks,
  ): void {
    const amount = (values: Float64Array): number | null => {
      const value = elementAt(values, event);
      return value < 0 ? null : value * share;
    };
    const [flops, bytes] = [amount(events.flops), amount(events.bytes)];
    const [tc, short] = [matrixUnitOf(events, event), tableNameOf(events, event) ?? ''];
    const layer = textOf(events, 'layer', event);
    const kernel: SummedKernel = {
      record: {
        ...{ id: elementAt(events.id, event), short, start: from, device, grid: null, block: null },
        dir: elementAt(DIRECTIONS, elementAt(events.dir, event)),
      },
      layer: layer === null ? [] : (this.#paths.get(layer) ?? layer.split('/')),
      ...{ op: textOf(events, 'op', event), dtype: textOf(events, 'dtype', event), tc, flops, bytes },
      ...{ isCommunication: kind === 'communication', peaks: null, occupancy: null },
      placement: { ...UNRATED, gbps: bytes === null || time <= 0 ? null : bytes / time },
    };
    this.#ops.add(kernel, time);
    const trace = stacks.of(elementAt(events.factList, event));
    if (trace === null) this.#lines = null;
    else this.#lines?.add({ ...kernel, trace, record: { dur: time } });
    // A Neuron instruction that only waits is not work.
    if (kind === 'wait') return;
    for (const sums of [this.#kernels, this.#points, this.#layers]) sums.add(kernel, time);
    this.#times.set(device, addTimes(this.#times.get(device) ?? 0, time));
    this.#names.add(short);
    this.#precision.add(kernel.dtype ?? UNKNOWN, time);
    const unit = UNIT_OF[String(tc)] ?? 'unknown';
    this.#byUnit.add(UNITS.indexOf(unit) + (flops === null || bytes === null ? 0 : UNITS.length), time, kernel);
  }

  get #deviceTimes(): DeviceTime[] {
    return this.whole.overview.devices.flatMap(({ device, name }) => {
      const sums = this.#devices.get(device);
      return sums === undefined || sums.isEmpty ? [] : [sums.result(device, name)];
    });
  }

  /** Null when none ran. */
  get #summary(): KernelSummary | null {
    const numbers = UNITS.map((_, i) => i);
    const known = this.#byUnit.together(numbers.map((i) => i + UNITS.length));
    const all = this.#byUnit.together([...numbers, ...numbers.map((i) => i + UNITS.length)]);
    if (all.count === 0) return null;
    const units = UNITS.map((unit, i) => [unit, this.#byUnit.together([i, i + UNITS.length]).time] as const);
    return {
      ...{ count: all.count, time: knownTime(all, 0), untimed: 0, cut: { count: 0, time: 0 } },
      ...{ byTime: [], byCount: [], names: this.#names.size, precision: this.#precision.byTime(), replayed: [] },
      matrixUnit: {
        ...(Object.fromEntries(units) as Pick<MatrixUnitTime, (typeof UNITS)[number]>),
        ...{ eligible: null, eligibleUsed: null },
      },
      work: {
        ...{ known: known.time, flops: known.flops.sum, bytes: known.bytes.sum, computeShare: null, memoryShare: null },
        ...{ rated: 0, mfu: null, flopsRated: 0, bounds: [], impossible: 0, trials: 0, trialTime: 0 },
      },
      unattributed: { count: 0, time: null, reasons: [] },
    };
  }
}

const PARTS = [
  ['compute', 'compute', (device: DeviceTime) => device.compute],
  ['communication', 'exposed communication', (device: DeviceTime) => device.exposed],
  ['copy', 'exposed copies', (device: DeviceTime) => device.copiesAlone + device.setsAlone],
  ['idle', 'idle', (device: DeviceTime) => device.idle],
] as const;

/** Times of the devices, from their first work in the span to their last. Null without work. */
function verdictOf(profile: number, devices: readonly DeviceTime[]): ProfileVerdict | null {
  const sumOf = (timeOf: (device: DeviceTime) => number): number =>
    devices.reduce((sum, device) => addTimes(sum, timeOf(device)), 0);
  const span = sumOf((device) => device.span);
  if (span <= 0) return null;
  const parts = PARTS.map(([part, name, timeOf]) => ({ part, name, cause: null, detail: null, time: sumOf(timeOf) }))
    .filter(({ time }) => time > 0)
    .sort((a, b) => b.time - a.time);
  const text = parts.map(({ name, time }) => `${name} ${quantityText(time / span, 'share')}`).join(', ');
  return {
    ...{ profile, devices: devices.length, span, text: `In this span: ${text}.` },
    parts: parts.map(({ part, cause, detail, time }) => ({ part, cause, detail, time })),
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
