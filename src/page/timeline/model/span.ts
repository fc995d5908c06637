/** Statistics of a span of time that a user selects. Events count with their part inside the span. */
import { elementAt } from '../../../containers/element.js';
import { EVENT_KINDS } from '../../../prof/html/timeline/timeline-data.js';
import { countOf, durOf, filledOf, laneOf, startOf, type TimelineEvents } from '../events/events.js';

/** ns from the timeline's start. */
export interface SelectedSpan {
  readonly from: number;
  readonly to: number;
}

export interface TextShare {
  readonly text: string | null;
  readonly count: number;
  readonly time: number;
}

export interface LaneShare {
  readonly name: string;
  readonly group: string;
  readonly events: number;
  /** ns during which something ran: overlapping events count once, waits of a device do not. */
  readonly busy: number;
  readonly share: number;
}

export interface SpanStatistics {
  readonly length: number;
  /** Events of devices: count, and sum of their time inside. */
  readonly deviceCount: number;
  readonly deviceTime: number;
  readonly hostCount: number;
  /** Of device events whose amount is known, in proportion to their part inside; null where none is known. */
  readonly bytes: number | null;
  readonly flops: number | null;
  /** Device events whose bytes are not known. */
  readonly withoutBytes: number;
  /** Device time by op, by kernel name, by kind: longest first. */
  readonly byOp: readonly TextShare[];
  readonly byKernel: readonly TextShare[];
  readonly byKind: readonly TextShare[];
  /** Lanes with an event inside, in order. */
  readonly lanes: readonly LaneShare[];
  /** Devices, all their streams together. */
  readonly devices: readonly LaneShare[];
}

/** Counts and times by a number, which stands for a text. */
class TimeByKey {
  readonly #totals = new Map<number, { count: number; time: number }>();

  add(key: number, count: number, time: number): void {
    const total = this.#totals.get(key);
    if (total === undefined) this.#totals.set(key, { count, time });
    else {
      total.count += count;
      total.time += time;
    }
  }

  shares(textFor: (key: number) => string | null): TextShare[] {
    const shares = [...this.#totals].map(([key, total]) => ({ text: textFor(key), ...total }));
    return shares.sort((a, b) => b.time - a.time || b.count - a.count || String(a.text).localeCompare(String(b.text)));
  }
}

/** Interval unions by key: events come in order of start. */
class BusyTime {
  readonly #unions = new Map<string | number, { busy: number; events: number; reach: number }>();

  /** @param filled share of the time from..to */
  add(key: string | number, count: number, from: number, to: number, filled: number): void {
    const one = this.#unions.get(key) ?? { busy: 0, events: 0, reach: -Infinity };
    one.events += count;
    one.busy += Math.max(0, to - Math.max(from, one.reach)) * filled;
    one.reach = Math.max(one.reach, to);
    this.#unions.set(key, one);
  }

  /** The share of a lane or group; none without an event. @param length of the span */
  shareOf(key: string | number, name: string, group: string, length: number): LaneShare[] {
    const one = this.#unions.get(key);
    if (one === undefined) return [];
    const { busy, events } = one;
    return [{ name, group, busy, events, share: length > 0 ? busy / length : 0 }];
  }
}

const WAIT = EVENT_KINDS.indexOf('sync');

/** Of the part of a span that the timeline covers. */
export function spanStatistics(events: TimelineEvents, selected: SelectedSpan): SpanStatistics {
  const from = Math.max(0, selected.from);
  const to = Math.min(events.span, selected.to);
  const length = Math.max(0, to - from);
  const byOp = new TimeByKey();
  const byKernel = new TimeByKey();
  const byKind = new TimeByKey();
  const lanes = new BusyTime();
  const devices = new BusyTime();
  const sum = { deviceCount: 0, deviceTime: 0, hostCount: 0, bytes: 0, flops: 0, withoutBytes: 0 };
  let knownBytes = 0;
  let knownFlops = 0;
  for (let event = 0; event < events.count; event++) {
    const start = startOf(events, event);
    if (start >= to) break;
    const dur = durOf(events, event);
    const end = start + dur;
    // An event without duration is inside if it starts inside.
    if (end <= from && !(dur === 0 && start >= from)) continue;
    const first = Math.max(start, from);
    const last = Math.min(end, to);
    const [count, filled] = [countOf(events, event), filledOf(events, event)];
    const inside = (last - first) * filled;
    const lane = laneOf(events, event);
    // A wait is no work: an empty stretch of time, which counts as an event.
    const worked = lane?.kind === 'device' && elementAt(events.kind, event) === WAIT ? first : last;
    lanes.add(elementAt(events.lane, event), count, first, worked, filled);
    if (lane?.kind !== 'device') {
      sum.hostCount += count;
      continue;
    }
    devices.add(lane.group, count, first, worked, filled);
    sum.deviceCount += count;
    sum.deviceTime += inside;
    byOp.add(elementAt(events.text.op, event), count, inside);
    byKernel.add(elementAt(events.text.name, event), count, inside);
    byKind.add(elementAt(events.kind, event), count, inside);
    const part = dur > 0 ? (last - first) / dur : 1;
    const bytes = elementAt(events.bytes, event);
    const flops = elementAt(events.flops, event);
    if (bytes >= 0) {
      knownBytes++;
      sum.bytes += bytes * part;
    } else sum.withoutBytes++;
    if (flops >= 0) {
      knownFlops++;
      sum.flops += flops * part;
    }
  }
  const textFor = (key: number): string | null => (events.texts[key] === '' ? null : (events.texts[key] ?? null));
  const groups = [...new Set(events.lanes.filter(({ kind }) => kind === 'device').map(({ group }) => group))];
  return {
    ...sum,
    length,
    bytes: knownBytes > 0 ? sum.bytes : null,
    flops: knownFlops > 0 ? sum.flops : null,
    byOp: byOp.shares(textFor),
    byKernel: byKernel.shares(textFor),
    byKind: byKind.shares((kind) => EVENT_KINDS[kind] ?? null),
    lanes: events.lanes.flatMap(({ name, group }, lane) => lanes.shareOf(lane, name, group, length)),
    devices: groups.flatMap((group) => devices.shareOf(group, group, group, length)),
  };
}
