/** Sums of a selection. Events that cross an edge count with their part inside, and so do their FLOPs and bytes. */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import { EVENT_KINDS } from '../../../prof/html/timeline/timeline-data.js';
import { quantityText } from '../../document/units.js';
import { factText } from '../events/kernel-facts.js';
import { countOf, durOf, filledOf, startOf, type TimelineEvents } from '../events/events.js';
import { selectedLanes, type TimelineSelection } from './selection.js';

/** Sums of the events with one string. */
export interface TextShare {
  readonly text: string | null;
  readonly count: number;
  /** Total time in ns. */
  readonly time: number;
  /** FLOPs of the events for which they are known, null when unknown for all; and the total time of these events in ns. */
  readonly flops: number | null;
  readonly flopsTime: number;
  /** Bytes of the events for which they are known, null when unknown for all. */
  readonly bytes: number | null;
}

export interface LaneShare {
  readonly name: string;
  readonly group: string;
  readonly events: number;
  /** Time in ns during which something ran: overlapping events count once, waits of a device do not count. */
  readonly busy: number;
  /** Share of the length of the selection. */
  readonly share: number;
}

/** An amount of work, over the events that may have one. */
export interface WorkSum {
  /** Sum over the events whose amount is known; null when there are none. */
  readonly amount: number | null;
  /** Number of events whose amount is known, and of all. */
  readonly known: number;
  readonly count: number;
  /** Total time in ns of the events whose amount is known, and of all. */
  readonly knownTime: number;
  readonly time: number;
}

export interface SelectionSums {
  /** Length in ns of the part that the timeline covers, and its share of that. */
  readonly length: number;
  readonly share: number;
  /** Number of selected lanes, and of all lanes. */
  readonly laneCount: number;
  readonly allLanes: number;
  /** Number of bars inside that represent several events. If there are any, the sums are approximate. */
  readonly bars: number;
  /** Events on devices: their number, the sum of their time inside, and the time during which any of them worked, in ns. */
  readonly deviceCount: number;
  readonly deviceTime: number;
  readonly busy: number;
  readonly hostCount: number;
  /** FLOPs of kernels. */
  readonly flops: WorkSum;
  /** Bytes of all device events except waits. */
  readonly bytes: WorkSum;
  /** Shares of device events by op, longest first. */
  readonly byOp: readonly TextShare[];
  readonly byKernel: readonly TextShare[];
  readonly byLayer: readonly TextShare[];
  readonly byKind: readonly TextShare[];
  /** Shares of copies: by their queue, by powers of two of their size, and by the tensor that they move. */
  readonly byQueue: readonly TextShare[];
  readonly bySize: readonly TextShare[];
  readonly byTensor: readonly TextShare[];
  /** Shares of thread events; a nested call also counts in its callers. */
  readonly onThreads: readonly TextShare[];
  /** Lanes with an event inside, in order. */
  readonly lanes: readonly LaneShare[];
  /** Devices, each with all its selected lanes. */
  readonly devices: readonly LaneShare[];
}

/** The part of an event that is inside. */
interface InsidePart {
  readonly count: number;
  /** Time inside, in ns. */
  readonly time: number;
  /** Share of the event, from 0 to 1. */
  readonly part: number;
  /** -1 when unknown. */
  readonly flops: number;
  readonly bytes: number;
}

class TimeByKey {
  readonly #totals = new Map<
    number,
    { count: number; time: number; flops: number; flopsTime: number; known: number; bytes: number | null }
  >();

  add(key: number, { count, time, part, flops, bytes }: InsidePart): void {
    const total = entryOf(this.#totals, key, () => ({
      count: 0,
      time: 0,
      flops: 0,
      flopsTime: 0,
      known: 0,
      bytes: null as number | null,
    }));
    total.count += count;
    total.time += time;
    if (bytes >= 0) total.bytes = (total.bytes ?? 0) + bytes * part;
    if (flops < 0) return;
    total.known++;
    total.flops += flops * part;
    total.flopsTime += time;
  }

  /** @param textFor text of a key; null for unknown */
  shares(textFor: (key: number) => string | null): TextShare[] {
    const shares = [...this.#totals].map(([key, { count, time, flops, flopsTime, known, bytes }]): TextShare => {
      return { text: textFor(key), count, time, flops: known > 0 ? flops : null, flopsTime, bytes };
    });
    return shares.sort((a, b) => b.time - a.time || b.count - a.count || String(a.text).localeCompare(String(b.text)));
  }
}

/** Interval unions by key; events arrive in order of start time. */
class BusyTime {
  readonly #unions = new Map<string | number, { busy: number; events: number; reach: number }>();

  /** @param filled share of the time between `from` and `to` */
  add(key: string | number, count: number, from: number, to: number, filled: number): void {
    const union = entryOf(this.#unions, key, () => ({ busy: 0, events: 0, reach: -Infinity }));
    union.events += count;
    union.busy += Math.max(0, to - Math.max(from, union.reach)) * filled;
    union.reach = Math.max(union.reach, to);
  }

  busyOf(key: string | number): number {
    return this.#unions.get(key)?.busy ?? 0;
  }

  /** The share of a lane or group; none without an event. @param length length of the selection */
  shareOf(key: string | number, name: string, group: string, length: number): LaneShare[] {
    const union = this.#unions.get(key);
    if (union === undefined) return [];
    const { busy, events } = union;
    return [{ name, group, busy, events, share: length > 0 ? busy / length : 0 }];
  }
}

class WorkTotal {
  #amount = 0;
  #known = 0;
  #count = 0;
  #knownTime = 0;
  #time = 0;

  /** @param amount -1 when unknown */
  add(amount: number, { count, time, part }: InsidePart): void {
    this.#count += count;
    this.#time += time;
    if (amount < 0) return;
    this.#known += count;
    this.#knownTime += time;
    this.#amount += amount * part;
  }

  get sum(): WorkSum {
    const amount = this.#known > 0 ? this.#amount : null;
    return { amount, known: this.#known, count: this.#count, knownTime: this.#knownTime, time: this.#time };
  }
}

const WAIT = EVENT_KINDS.indexOf('wait');
const COPY = EVENT_KINDS.indexOf('copy');
const PATH = EVENT_KINDS.indexOf('path');
/** Kinds whose events all compute; others have FLOPs only when they are known. */
const COMPUTING = new Set([EVENT_KINDS.indexOf('kernel'), EVENT_KINDS.indexOf('graph')]);
const DEVICES = 'devices';

/** `4 KiB to 8 KiB`. @param power of two; -1 for an unknown size */
const sizeClass = (power: number): string | null =>
  power < 0 ? null : `${quantityText(2 ** power, 'memory')} to ${quantityText(2 ** (power + 1), 'memory')}`;

/** Sums that are updated as events are added in order of start time. */
class SumsOfSelection {
  readonly #by = { op: new TimeByKey(), name: new TimeByKey(), layer: new TimeByKey() };
  readonly #byKind = new TimeByKey();
  readonly #copies = { queue: new TimeByKey(), size: new TimeByKey(), tensor: new TimeByKey() };
  readonly #tensors = new Map<string, number>();
  readonly #onThreads = new TimeByKey();
  readonly #lanes = new BusyTime();
  readonly #devices = new BusyTime();
  readonly #all = new BusyTime();
  readonly #flops = new WorkTotal();
  readonly #bytes = new WorkTotal();
  #bars = 0;
  #deviceCount = 0;
  #deviceTime = 0;
  #hostCount = 0;

  constructor(
    private readonly events: TimelineEvents,
    private readonly from: number,
    private readonly to: number,
  ) {}

  add(event: number): void {
    const { events } = this;
    // The critical path consists of parts of other events.
    if (events.kind[event] === PATH) return;
    const [start, dur, count] = [startOf(events, event), durOf(events, event), countOf(events, event)];
    const [first, last] = [Math.max(start, this.from), Math.min(start + dur, this.to)];
    const filled = filledOf(events, event);
    const at = elementAt(events.lane, event);
    const lane = elementAt(events.lanes, at);
    const onDevice = lane.kind === 'device';
    const kind = elementAt(events.kind, event);
    // A wait is not work, so it counts as an event without any time.
    const worked = onDevice && kind === WAIT ? first : last;
    const isBar = count > 1;
    if (isBar) this.#bars++;
    this.#lanes.add(at, count, first, worked, filled);
    const inside: InsidePart = {
      count,
      time: (last - first) * filled,
      part: dur > 0 ? (last - first) / dur : 1,
      // The values of the longest event are not those of the bar.
      flops: isBar ? -1 : elementAt(events.flops, event),
      bytes: isBar ? -1 : elementAt(events.bytes, event),
    };
    if (!onDevice) {
      this.#hostCount += count;
      this.#onThreads.add(elementAt(events.text.name, event), inside);
      return;
    }
    this.#devices.add(lane.group, count, first, worked, filled);
    this.#all.add(DEVICES, count, first, worked, filled);
    this.#addToDevice(event, kind, inside);
  }

  #addToDevice(event: number, kind: number, inside: InsidePart): void {
    const { text } = this.events;
    this.#deviceCount += inside.count;
    this.#deviceTime += inside.time;
    this.#by.op.add(elementAt(text.op, event), inside);
    this.#by.name.add(elementAt(text.name, event), inside);
    this.#by.layer.add(elementAt(text.layer, event), inside);
    this.#byKind.add(kind, inside);
    if (kind === COPY) {
      const { facts, factList } = this.events;
      this.#copies.queue.add(elementAt(text.queue, event), inside);
      this.#copies.size.add(inside.bytes > 0 ? Math.floor(Math.log2(inside.bytes)) : -1, inside);
      const tensor = factText(facts, elementAt(factList, event), 'tensor');
      this.#copies.tensor.add(tensor === null ? -1 : entryOf(this.#tensors, tensor, () => this.#tensors.size), inside);
    }
    if (COMPUTING.has(kind) || inside.flops > 0) this.#flops.add(inside.flops, inside);
    if (kind !== WAIT) this.#bytes.add(inside.bytes, inside);
  }

  sums(selected: ReadonlySet<number>): SelectionSums {
    const { texts, lanes, span } = this.events;
    const length = Math.max(0, this.to - this.from);
    const textFor = (key: number): string | null => (texts[key] === '' ? null : (texts[key] ?? null));
    const groups = [...new Set(lanes.filter(({ kind }) => kind === 'device').map(({ group }) => group))];
    return {
      ...{ length, share: length / span, laneCount: selected.size, allLanes: lanes.length, bars: this.#bars },
      ...{ deviceCount: this.#deviceCount, deviceTime: this.#deviceTime, hostCount: this.#hostCount },
      busy: this.#all.busyOf(DEVICES),
      flops: this.#flops.sum,
      bytes: this.#bytes.sum,
      byOp: this.#by.op.shares(textFor),
      byKernel: this.#by.name.shares(textFor),
      byLayer: this.#by.layer.shares(textFor),
      byKind: this.#byKind.shares((kind) => EVENT_KINDS[kind] ?? null),
      byQueue: this.#copies.queue.shares(textFor),
      bySize: this.#copies.size.shares(sizeClass),
      byTensor: this.#copies.tensor.shares((key) => [...this.#tensors.keys()][key] ?? null),
      onThreads: this.#onThreads.shares(textFor),
      lanes: lanes.flatMap(({ name, group }, lane) => this.#lanes.shareOf(lane, name, group, length)),
      devices: groups.flatMap((group) => this.#devices.shareOf(group, group, group, length)),
    };
  }
}

/** Sums over the part of a selection that the timeline covers. */
export function selectionSums(events: TimelineEvents, selection: TimelineSelection): SelectionSums {
  const from = Math.max(0, selection.from);
  const to = Math.min(events.span, selection.to);
  const selected = selectedLanes(events.lanes, selection.lanes);
  const sums = new SumsOfSelection(events, from, to);
  for (let event = 0; event < events.count; event++) {
    const start = startOf(events, event);
    if (start >= to || from >= to) break;
    const dur = durOf(events, event);
    // An event without duration is inside if it starts inside.
    if (start + dur <= from && !(dur === 0 && start >= from)) continue;
    if (selected.has(elementAt(events.lane, event))) sums.add(event);
  }
  return sums.sums(selected);
}
