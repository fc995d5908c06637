/** The bytes of a Perfetto trace: packets of one sequence, in any order. Only the numbers of interned strings are kept. */
import protobuf from 'protobufjs/minimal.js';
import {
  ANNOTATION,
  CLOCK,
  CLOCK_ID,
  CLOCK_SNAPSHOT,
  COUNTER,
  ENTRY,
  EVENT,
  EVENT_TYPE,
  INTERNED,
  PACKET,
  PROCESS,
  SEQUENCE,
  THREAD,
  TRACE,
  TRACK,
  UNIT,
} from '../../record/perfetto-fields.js';

type InternedKind = keyof typeof INTERNED;

interface InternedEntry {
  readonly kind: InternedKind;
  readonly iid: number;
  readonly text: string;
}

/** Maximum number of strings, and of characters in all of them, before all are dropped. */
const MOST_TEXTS = 32_768;
const MOST_CHARACTERS = 4 * 1024 * 1024;

/**
 * Interned strings: a trace contains each once, and packets refer to it by number. When there are too many, a packet clears
 * the reader's state and all are dropped; as the format requires, no number is reused.
 */
export class InternedTexts {
  readonly #numbers: Readonly<Record<InternedKind, Map<string, number>>> = {
    category: new Map(),
    eventName: new Map(),
    annotationName: new Map(),
    stringValue: new Map(),
  };
  #last = 0;
  #texts = 0;
  #characters = 0;
  #fresh: InternedEntry[] = [];

  constructor(
    private readonly mostTexts = MOST_TEXTS,
    private readonly mostCharacters = MOST_CHARACTERS,
  ) {}

  /** The text's number; a new text is added to the `fresh` entries of this packet. */
  of(kind: InternedKind, text: string): number {
    const known = this.#numbers[kind].get(text);
    if (known !== undefined) return known;
    const iid = ++this.#last;
    this.#numbers[kind].set(text, iid);
    this.#texts++;
    this.#characters += text.length;
    this.#fresh.push({ kind, iid, text });
    return iid;
  }

  /**
   * Drops all strings when there are too many. Call it only between packets.
   * @returns whether it did; the next packet must then clear the reader's state
   */
  renew(): boolean {
    if (this.#texts < this.mostTexts && this.#characters < this.mostCharacters) return false;
    for (const numbers of Object.values(this.#numbers)) numbers.clear();
    this.#texts = 0;
    this.#characters = 0;
    return true;
  }

  /** Entries that are new since the last call, which the packet must contain. */
  fresh(): readonly InternedEntry[] {
    return this.#fresh.length === 0 ? NO_ENTRIES : this.#fresh.splice(0);
  }
}

const NO_ENTRIES: readonly InternedEntry[] = [];

const LOW = 0xffffffffn;
const HALF = 2 ** 32;

/** The zero point of many times, compared by identity. */
interface TimeOrigin {
  readonly ns: bigint;
}

/** Timestamps as two 32-bit halves, without BigInt; the halves of `zero`, which many events share, are cached. */
class PacketTimes {
  #zero: TimeOrigin = { ns: 0n };
  #high = 0;
  #low = 0;
  readonly #long = new protobuf.util.Long(0, 0, true);

  /** The exact sum of `zero` and whole `ns`; the object is overwritten by the next call. */
  at(zero: TimeOrigin, ns: number): InstanceType<typeof protobuf.util.Long> {
    if (zero !== this.#zero) {
      this.#zero = zero;
      this.#high = Number((zero.ns >> 32n) & LOW);
      this.#low = Number(zero.ns & LOW);
    }
    const high = Math.floor(ns / HALF);
    const low = this.#low + (ns - high * HALF);
    const carry = low >= HALF ? 1 : 0;
    this.#long.low = low | 0;
    this.#long.high = (this.#high + high + carry) | 0;
    return this.#long;
  }
}

/** An argument of a slice; its name and text are interned. */
type DebugAnnotation = readonly [name: string, value: number | string];

interface TrackParts {
  /** Id from 1, unique among all tracks and processes of the trace. */
  readonly uuid: number;
  readonly parent: number;
  readonly name: string;
}

/** Time in ns after `zero`; the two together are exact beyond 2^53. */
interface EventTime {
  readonly zero: TimeOrigin;
  readonly start: number;
}

export interface EventParts extends EventTime {
  readonly name: string;
  readonly category: string;
  readonly args: readonly DebugAnnotation[];
  /** Flows that start here. */
  readonly flows: readonly number[];
  /** Flows that end here. */
  readonly endsFlows: readonly number[];
  /** Flows that end at the slice's end, not at its beginning. */
  readonly endsLateFlows?: readonly number[];
  /** Flow from the launch, which ends here too; null when there is none. */
  readonly launchFlow: number | null;
}

/** The sequence id of all packets. */
const SEQUENCE_ID = 1;
/** A lone surrogate, which UTF-8 cannot encode. */
const LONE_SURROGATE = /\p{Surrogate}/gu;

const utf8 = (text: string): string => text.replace(LONE_SURROGATE, '\ufffd');

export class PerfettoPackets {
  #out = protobuf.Writer.create();
  readonly #interned: InternedTexts;
  readonly #times = new PacketTimes();
  #first = true;

  constructor(interned = new InternedTexts()) {
    this.#interned = interned;
  }

  /** Number of bytes since the last call of `take`. */
  get size(): number {
    return this.#out.pos;
  }

  /** Returns the packets since the last call, and clears them. */
  take(): Uint8Array {
    const bytes = this.#out.finish();
    this.#out.reset();
    return bytes;
  }

  /** Writes a clock snapshot, which makes timestamps Unix time. */
  clock(time: bigint): void {
    const out = this.#begin();
    out.uint32(PACKET.clockSnapshot).fork();
    for (const id of [CLOCK_ID.boottime, CLOCK_ID.realtime]) {
      out.uint32(CLOCK_SNAPSHOT.clocks).fork().uint32(CLOCK.clockId).uint32(id);
      out
        .uint32(CLOCK.timestamp)
        .uint64(this.#times.at({ ns: time }, 0))
        .ldelim();
    }
    out.ldelim();
    this.#end();
  }

  /** @param order position among processes in viewers; below 2^31 */
  process(uuid: number, pid: number, name: string, order: number): void {
    const out = this.#begin();
    out.uint32(PACKET.trackDescriptor).fork().uint32(TRACK.uuid).uint32(uuid);
    out.uint32(TRACK.process).fork().uint32(PROCESS.pid).int32(pid).uint32(PROCESS.order).int32(order);
    out.uint32(PROCESS.name).string(utf8(name)).ldelim();
    out.ldelim();
    this.#end();
  }

  thread({ uuid, parent, name }: TrackParts, pid: number, tid: number): void {
    const out = this.#begin();
    out.uint32(PACKET.trackDescriptor).fork().uint32(TRACK.uuid).uint32(uuid).uint32(TRACK.parentUuid).uint32(parent);
    out.uint32(TRACK.thread).fork().uint32(THREAD.pid).int32(pid).uint32(THREAD.tid).int32(tid);
    out.uint32(THREAD.name).string(utf8(name)).ldelim();
    out.ldelim();
    this.#end();
  }

  /** Viewers merge tracks with the same name and parent. */
  track({ uuid, parent, name }: TrackParts): void {
    const out = this.#begin();
    out.uint32(PACKET.trackDescriptor).fork().uint32(TRACK.uuid).uint32(uuid).uint32(TRACK.parentUuid).uint32(parent);
    out.uint32(TRACK.name).string(utf8(name)).ldelim();
    this.#end();
  }

  counterTrack({ uuid, parent, name }: TrackParts, unit: string | null): void {
    const out = this.#begin();
    out.uint32(PACKET.trackDescriptor).fork().uint32(TRACK.uuid).uint32(uuid).uint32(TRACK.parentUuid).uint32(parent);
    out.uint32(TRACK.name).string(utf8(name)).uint32(TRACK.counter).fork();
    const known = unit === null ? undefined : UNIT[unit];
    if (known !== undefined) out.uint32(COUNTER.unit).uint32(known);
    else if (unit !== null) out.uint32(COUNTER.unitName).string(utf8(unit));
    out.ldelim().ldelim();
    this.#end();
  }

  /** @param dur duration in ns */
  slice(track: number, parts: EventParts, dur: number): void {
    this.#event(EVENT_TYPE.sliceBegin, track, parts);
    const out = this.#begin();
    this.#time(parts.zero, parts.start + dur);
    out.uint32(PACKET.trackEvent).fork().uint32(EVENT.type).uint32(EVENT_TYPE.sliceEnd);
    out.uint32(EVENT.trackUuid).uint32(track);
    for (const flow of parts.endsLateFlows ?? []) out.uint32(EVENT.terminatingFlowIds).fixed64(flow);
    out.ldelim();
    this.#end();
  }

  instant(track: number, parts: EventParts): void {
    this.#event(EVENT_TYPE.instant, track, parts);
  }

  counter(track: number, { zero, start }: EventTime, value: number): void {
    const out = this.#begin();
    this.#time(zero, start);
    out.uint32(PACKET.trackEvent).fork().uint32(EVENT.type).uint32(EVENT_TYPE.counter);
    out.uint32(EVENT.trackUuid).uint32(track);
    if (Number.isSafeInteger(value)) out.uint32(EVENT.counterValue).int64(value);
    else out.uint32(EVENT.doubleCounterValue).double(value);
    out.ldelim();
    this.#end();
  }

  #event(type: number, track: number, parts: EventParts): void {
    const { zero, start, name, category, args, flows, endsFlows, launchFlow } = parts;
    const out = this.#begin(true);
    this.#time(zero, start);
    out.uint32(PACKET.trackEvent).fork().uint32(EVENT.type).uint32(type).uint32(EVENT.trackUuid).uint32(track);
    out.uint32(EVENT.nameIid).uint32(this.#interned.of('eventName', name));
    out.uint32(EVENT.categoryIids).uint32(this.#interned.of('category', category));
    for (const [key, value] of args) this.#annotation(key, value);
    for (const flow of flows) out.uint32(EVENT.flowIds).fixed64(flow);
    if (launchFlow !== null) out.uint32(EVENT.terminatingFlowIds).fixed64(launchFlow);
    for (const flow of endsFlows) out.uint32(EVENT.terminatingFlowIds).fixed64(flow);
    out.ldelim();
    this.#internNewTexts();
    this.#end();
  }

  #annotation(name: string, value: number | string): void {
    const out = this.#out.uint32(EVENT.debugAnnotations).fork();
    out.uint32(ANNOTATION.nameIid).uint32(this.#interned.of('annotationName', name));
    if (typeof value === 'string')
      out.uint32(ANNOTATION.stringValueIid).uint32(this.#interned.of('stringValue', value));
    else if (Number.isSafeInteger(value)) out.uint32(ANNOTATION.intValue).int64(value);
    else out.uint32(ANNOTATION.doubleValue).double(value);
    out.ldelim();
  }

  /** Adds the strings to which the packet refers for the first time. */
  #internNewTexts(): void {
    const fresh = this.#interned.fresh();
    if (fresh.length === 0) return;
    const out = this.#out.uint32(PACKET.internedData).fork();
    for (const { kind, iid, text } of fresh) {
      out.uint32(INTERNED[kind]).fork().uint32(ENTRY.iid).uint32(iid).uint32(ENTRY.text).string(utf8(text)).ldelim();
    }
    out.ldelim();
  }

  /** @param usesTexts whether the packet refers to interned strings */
  #begin(usesTexts = false): protobuf.Writer {
    const out = this.#out.uint32(TRACE.packet).fork();
    out.uint32(PACKET.trustedPacketSequenceId).uint32(SEQUENCE_ID);
    const cleared = (usesTexts && this.#interned.renew()) || this.#first;
    const flags = (cleared ? SEQUENCE.incrementalStateCleared : 0) + (usesTexts ? SEQUENCE.needsIncrementalState : 0);
    if (flags > 0) out.uint32(PACKET.sequenceFlags).uint32(flags);
    if (this.#first) out.uint32(PACKET.firstPacketOnSequence).bool(true);
    this.#first = false;
    return out;
  }

  #end(): void {
    this.#out.ldelim();
  }

  #time(zero: TimeOrigin, start: number): void {
    this.#out.uint32(PACKET.timestamp).uint64(this.#times.at(zero, start));
  }
}
