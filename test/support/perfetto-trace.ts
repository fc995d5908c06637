/**
 * A Perfetto trace as its reader sees it: decoded by a schema of its own, with the published field numbers, and put
 * together as Perfetto's trace processor does: packets in time order, those of one time in order of the file, the end
 * of a slice ending the innermost slice of its track.
 */
import protobuf from 'protobufjs';
import { expectRules } from './perfetto-rules.js';

type Fields = Readonly<Record<string, readonly [number: number, type: string, rule?: 'repeated']>>;

/** As in the published schema: a value of 0 is written, a list is not packed. */
const message = (fields: Fields): protobuf.IType => ({
  edition: 'proto2',
  fields: Object.fromEntries(
    Object.entries(fields).map(([name, [id, type, rule]]) => [
      name,
      { id, type, ...(rule === undefined ? {} : { rule }) },
    ]),
  ),
});

/** Source: protos/perfetto/trace of Perfetto's repository. */
const SCHEMA: protobuf.INamespace = {
  nested: {
    Trace: message({ packet: [1, 'TracePacket', 'repeated'] }),
    TracePacket: message({
      clockSnapshot: [6, 'ClockSnapshot'],
      timestamp: [8, 'uint64'],
      trustedPacketSequenceId: [10, 'uint32'],
      trackEvent: [11, 'TrackEvent'],
      internedData: [12, 'InternedData'],
      sequenceFlags: [13, 'uint32'],
      trackDescriptor: [60, 'TrackDescriptor'],
      firstPacketOnSequence: [87, 'bool'],
    }),
    ClockSnapshot: message({ clocks: [1, 'Clock', 'repeated'] }),
    Clock: message({ clockId: [1, 'uint32'], timestamp: [2, 'uint64'] }),
    TrackEvent: message({
      categoryIids: [3, 'uint64', 'repeated'],
      debugAnnotations: [4, 'DebugAnnotation', 'repeated'],
      type: [9, 'int32'],
      nameIid: [10, 'uint64'],
      trackUuid: [11, 'uint64'],
      counterValue: [30, 'int64'],
      doubleCounterValue: [44, 'double'],
      flowIds: [47, 'fixed64', 'repeated'],
      terminatingFlowIds: [48, 'fixed64', 'repeated'],
    }),
    DebugAnnotation: message({
      nameIid: [1, 'uint64'],
      intValue: [4, 'int64'],
      doubleValue: [5, 'double'],
      stringValueIid: [17, 'uint64'],
    }),
    InternedData: message({
      eventCategories: [1, 'Name', 'repeated'],
      eventNames: [2, 'Name', 'repeated'],
      debugAnnotationNames: [3, 'Name', 'repeated'],
      debugAnnotationStringValues: [29, 'Bytes', 'repeated'],
    }),
    Name: message({ iid: [1, 'uint64'], name: [2, 'string'] }),
    Bytes: message({ iid: [1, 'uint64'], str: [2, 'bytes'] }),
    TrackDescriptor: message({
      uuid: [1, 'uint64'],
      name: [2, 'string'],
      process: [3, 'ProcessDescriptor'],
      thread: [4, 'ThreadDescriptor'],
      parentUuid: [5, 'uint64'],
      counter: [8, 'CounterDescriptor'],
    }),
    ProcessDescriptor: message({ pid: [1, 'int32'], legacySortIndex: [3, 'int32'], processName: [6, 'string'] }),
    ThreadDescriptor: message({ pid: [1, 'int32'], tid: [2, 'int32'], threadName: [5, 'string'] }),
    CounterDescriptor: message({ unit: [3, 'int32'], unitName: [6, 'string'] }),
  },
};
const TRACE = protobuf.Root.fromJSON(SCHEMA).lookupType('Trace');

interface Named {
  readonly iid: string;
  readonly name?: string;
  readonly str?: Uint8Array;
}

export interface Packet {
  readonly timestamp?: string;
  readonly trustedPacketSequenceId?: number;
  readonly sequenceFlags?: number;
  readonly firstPacketOnSequence?: boolean;
  readonly clockSnapshot?: { readonly clocks: readonly { readonly clockId: number; readonly timestamp: string }[] };
  readonly internedData?: Readonly<Record<string, readonly Named[]>>;
  readonly trackDescriptor?: {
    readonly uuid: string;
    readonly name?: string;
    readonly parentUuid?: string;
    readonly process?: { readonly pid: number; readonly legacySortIndex: number; readonly processName: string };
    readonly thread?: { readonly pid: number; readonly tid: number; readonly threadName: string };
    readonly counter?: { readonly unit?: number; readonly unitName?: string };
  };
  readonly trackEvent?: {
    readonly type: number;
    readonly trackUuid: string;
    readonly nameIid?: string;
    readonly categoryIids?: readonly string[];
    readonly counterValue?: string;
    readonly doubleCounterValue?: number;
    readonly flowIds?: readonly string[];
    readonly terminatingFlowIds?: readonly string[];
    readonly debugAnnotations?: readonly {
      readonly nameIid: string;
      readonly intValue?: string;
      readonly doubleValue?: number;
      readonly stringValueIid?: string;
    }[];
  };
}

interface ShownTrack {
  /** `device 0: NVIDIA H100/stream 7` */
  readonly path: string;
  readonly pid: number;
  readonly tid: number | null;
  readonly isCounter: boolean;
  readonly unit: number | string | null;
}

export interface Shown {
  readonly track: ShownTrack;
  readonly start: bigint;
  /** The start of a mark. */
  end: bigint;
  readonly isMark: boolean;
  readonly name: string;
  readonly category: string;
  readonly args: Readonly<Record<string, string | number>>;
  /** How many slices it is within. */
  readonly depth: number;
  readonly flows: readonly string[];
  readonly endsFlows: readonly string[];
  /** Those that end with it, and not where it begins. */
  endsLateFlows: readonly string[];
}

export interface ShownTrace {
  readonly events: readonly Shown[];
  readonly counters: readonly { readonly track: ShownTrack; readonly at: bigint; readonly value: number }[];
  /** Where an arrow starts and ends. */
  readonly arrows: readonly (readonly [from: Shown, to: Shown])[];
  readonly clocks: readonly (readonly [id: number, time: string])[];
  /** Names of processes, as a viewer lists them. */
  readonly processes: readonly string[];
}

export function packetsOf(bytes: Uint8Array): Packet[] {
  const decoded = TRACE.decode(bytes);
  // A field that the schema does not have is missing when the message is encoded again.
  if (TRACE.encode(decoded).finish().length !== bytes.length) throw new Error('a field outside the schema');
  return (TRACE.toObject(decoded, { longs: String }) as { packet?: Packet[] }).packet ?? [];
}

/** Strings by number, of each kind; cleared when the packets say so. */
class Texts {
  readonly #known = new Map<string, string>();
  #isReady = false;

  take({ sequenceFlags = 0, internedData = {} }: Packet): void {
    if ((sequenceFlags & 1) !== 0) {
      this.#known.clear();
      this.#isReady = true;
    }
    for (const [kind, entries] of Object.entries(internedData)) {
      for (const { iid, name, str } of entries) {
        this.#known.set(`${kind}/${iid}`, name ?? new TextDecoder('utf-8', { fatal: true }).decode(str));
      }
    }
  }

  of(kind: string, iid: string, { sequenceFlags = 0 }: Packet): string {
    const text = this.#known.get(`${kind}/${iid}`);
    if (text === undefined || !this.#isReady || (sequenceFlags & 2) === 0) throw new Error(`no ${kind} ${iid}`);
    return text;
  }
}

function tracksOf(packets: readonly Packet[]): Map<string, ShownTrack> {
  const tracks = new Map<string, ShownTrack>();
  for (const { trackDescriptor } of packets) {
    if (trackDescriptor === undefined) continue;
    const { uuid, name, process, thread, parentUuid = '0', counter } = trackDescriptor;
    if (tracks.has(uuid)) throw new Error(`track ${uuid} twice`);
    const parent = tracks.get(parentUuid);
    if (process === undefined && parent === undefined) throw new Error(`track ${uuid} without a parent`);
    const own = process?.processName ?? thread?.threadName ?? name ?? '';
    tracks.set(uuid, {
      path: parent === undefined ? own : `${parent.path}/${own}`,
      pid: process?.pid ?? parent?.pid ?? 0,
      tid: thread?.tid ?? null,
      isCounter: counter !== undefined,
      unit: counter?.unitName ?? counter?.unit ?? null,
    });
  }
  return tracks;
}

/** @throws Error for anything that a viewer would drop or report */
export function shownTrace(bytes: Uint8Array): ShownTrace {
  const packets = packetsOf(bytes);
  const tracks = tracksOf(packets);
  const texts = new Texts();
  const resolved = packets.flatMap((packet) => {
    if (packet.trustedPacketSequenceId === undefined) throw new Error('a packet of no sequence');
    texts.take(packet);
    const { trackEvent: event, timestamp } = packet;
    if (event === undefined) return [];
    const track = tracks.get(event.trackUuid);
    if (track === undefined || timestamp === undefined) throw new Error('an event without a track or a time');
    const name = event.nameIid === undefined ? '' : texts.of('eventNames', event.nameIid, packet);
    const category = (event.categoryIids ?? []).map((iid) => texts.of('eventCategories', iid, packet)).join(',');
    const args = (event.debugAnnotations ?? []).map(({ nameIid, intValue, doubleValue, stringValueIid }) => {
      const text =
        stringValueIid === undefined ? null : texts.of('debugAnnotationStringValues', stringValueIid, packet);
      return [texts.of('debugAnnotationNames', nameIid, packet), text ?? doubleValue ?? Number(intValue)] as const;
    });
    return [{ at: BigInt(timestamp), event, track, name, category, args: Object.fromEntries(args) }];
  });
  resolved.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const events: Shown[] = [];
  const counters: ShownTrace['counters'][number][] = [];
  const open = new Map<ShownTrack, Shown[]>();
  for (const { at, event, track, name, category, args } of resolved) {
    const stack = open.get(track) ?? [];
    open.set(track, stack);
    if (track.isCounter !== (event.type === 4)) throw new Error('a value that is on no counter, or a slice on one');
    if (event.type === 4) counters.push({ track, at, value: event.doubleCounterValue ?? Number(event.counterValue) });
    else if (event.type === 2) {
      const slice = stack.pop();
      if (slice === undefined) throw new Error('an end without a start');
      slice.end = at;
      slice.endsLateFlows = event.terminatingFlowIds ?? [];
    } else {
      const [isMark, depth] = [event.type === 3, stack.length];
      const [flows, endsFlows] = [event.flowIds ?? [], event.terminatingFlowIds ?? []];
      const ends = { flows, endsFlows, endsLateFlows: [] };
      const shown = { track, start: at, end: at, isMark, name, category, args, depth, ...ends };
      events.push(shown);
      if (!isMark) stack.push(shown);
    }
  }
  if ([...open.values()].some((stack) => stack.length > 0)) throw new Error('a start without an end');
  expectRules(packets, events);
  const clocks = packets.flatMap(({ clockSnapshot }) => clockSnapshot?.clocks ?? []);
  return {
    events,
    counters,
    arrows: arrowsOf(events),
    clocks: clocks.map(({ clockId, timestamp }) => [clockId, timestamp]),
    processes: packets
      .flatMap(({ trackDescriptor }) => trackDescriptor?.process ?? [])
      .sort((a, b) => a.legacySortIndex - b.legacySortIndex)
      .map(({ processName }) => processName),
  };
}

/** A flow starts at one event and ends, later, at another. */
function arrowsOf(events: readonly Shown[]): ShownTrace['arrows'] {
  const from = new Map<string, Shown>();
  const arrows: (readonly [Shown, Shown])[] = [];
  const end = (flow: string, event: Shown): void => {
    const start = from.get(flow);
    if (start === undefined) throw new Error(`flow ${flow} ends before it starts, or twice`);
    from.delete(flow);
    arrows.push([start, event]);
  };
  for (const event of events) {
    for (const flow of event.endsFlows) end(flow, event);
    for (const flow of event.flows) {
      if (from.has(flow)) throw new Error(`flow ${flow} starts twice`);
      from.set(flow, event);
    }
  }
  for (const event of events)
    for (const flow of event.endsLateFlows) {
      if ((from.get(flow)?.start ?? event.end) >= event.end) throw new Error(`flow ${flow} starts after its end`);
      end(flow, event);
    }
  if (from.size > 0) throw new Error(`${from.size} flows without an end`);
  return arrows;
}
