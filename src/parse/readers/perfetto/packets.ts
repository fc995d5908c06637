/**
 * The packets of a Perfetto trace in the order of the file, and the state that the packets of a sequence build up: interned
 * strings, clocks, defaults. One packet is in memory at a time. Source: trace_packet.proto, clock_snapshot.proto and
 * interned_data.proto of Perfetto.
 */
import { constants, inflateSync } from 'node:zlib';
import { entryOf } from '../../../containers/map-entry.js';
import {
  CLOCK,
  CLOCK_ID,
  CLOCK_SNAPSHOT,
  DEFAULTS,
  DEMANGLED_NAME,
  ENTRY,
  EVENT,
  INTERNED,
  INTERNED_OF_GPU,
  PACKET,
  SEQUENCE,
  TRACE,
} from '../../../record/perfetto-fields.js';
import type { BlockFile } from '../../input/byte-window.js';
import { FileFields, WireFields, type WireNumber } from '../../input/protobuf-fields.js';
import { WireError } from '../../input/protobuf.js';

/** Maximum size of a packet in bytes, packed or unpacked. Larger packets are left out. */
const LONGEST = 1 << 26;

/** Clocks from 64 to 127 belong to the sequence that states them. */
const isOfSequence = (clock: number): boolean => clock >= 64 && clock < 128;

interface Clock {
  /** Nanoseconds to add to get the default clock's time. */
  offset: bigint;
  readonly unit: bigint;
  readonly isIncremental: boolean;
  /** Last time of an incremental clock, in its units. */
  last: bigint;
}

/** What the packets of one writer have stated so far. */
export class PacketSequence {
  readonly clocks = new Map<number, Clock>();
  clockId: number = CLOCK_ID.boottime;
  trackUuid: WireNumber = 0;
  readonly #texts = new Map<number, Map<WireNumber, string>>();

  /** An interned string; null when the file lacks it. @param kind tag of the list of strings */
  text(kind: number, iid: WireNumber): string | null {
    return this.#texts.get(kind)?.get(iid) ?? null;
  }

  clear(): void {
    this.#texts.clear();
  }

  intern(data: WireFields): void {
    while (data.next()) {
      const { tag } = data;
      if (!TEXTS.has(tag)) continue;
      const entry = data.inside();
      let [iid, text]: [WireNumber, string] = [0, ''];
      while (entry.next()) {
        if (entry.tag === ENTRY.iid) iid = entry.value;
        else if (entry.tag === ENTRY.text || entry.tag === DEMANGLED_NAME) text = entry.text();
        // In other entries, a second text describes the first.
        if (entry.tag === ENTRY.text && tag !== INTERNED_OF_GPU.kernel) break;
      }
      entryOf(this.#texts, tag, () => new Map<WireNumber, string>()).set(iid, text);
    }
  }
}

const TEXTS: ReadonlySet<number> = new Set([...Object.values(INTERNED), ...Object.values(INTERNED_OF_GPU)]);

export interface TracePacket {
  readonly sequence: PacketSequence;
  /** On the default clock, in ns; null when it is unknown. */
  readonly time: bigint | null;
  /** Tag of its data; 0 when there is none. */
  readonly tag: number;
  readonly data: WireFields | null;
}

/** Fields that every packet may have in addition to its data. */
const ENVELOPE: ReadonlySet<number> = new Set([
  ...[PACKET.timestamp, PACKET.clockId, PACKET.trustedPacketSequenceId, PACKET.sequenceFlags, PACKET.stateCleared],
  ...[PACKET.internedData, PACKET.defaults, PACKET.firstPacketOnSequence],
]);

/** The packets of a file. */
export class PacketReader {
  readonly #sequences = new Map<WireNumber, PacketSequence>();
  readonly #clocks = new Map<number, Clock>();
  /** Unix time minus the default clock, in ns; null when the file does not state it. */
  unixOffset: bigint | null = null;
  /** Number of damaged packets. */
  damaged = 0;
  isCut = false;

  constructor(
    private readonly file: BlockFile,
    private readonly size: number,
  ) {}

  /** Iterates over the packets, from the first each time. */
  *packets(): Generator<TracePacket> {
    this.#sequences.clear();
    this.#clocks.clear();
    this.damaged = 0;
    const trace = new FileFields(this.file, 0, this.size);
    while (this.#attempt(() => trace.next()) === true) {
      if (!trace.isMessage || trace.field * 8 + 2 !== TRACE.packet) continue;
      if (trace.to - trace.from > LONGEST) this.damaged++;
      else yield* this.#unpacked(new WireFields(trace.bytes(LONGEST)));
    }
    this.isCut = trace.isCut;
  }

  *#unpacked(fields: WireFields): Generator<TracePacket> {
    const packet = this.#attempt(() => this.#packet(fields)) ?? null;
    if (packet?.tag !== PACKET.compressedPackets || packet.data === null) {
      if (packet !== null) yield packet;
      return;
    }
    const { bytes, position } = packet.data;
    const inner = this.#attempt(() => new WireFields(inflated(bytes.subarray(position, packet.data?.end))));
    while (inner !== undefined && this.#attempt(() => inner.next()) === true) {
      const found = inner.tag === TRACE.packet ? this.#attempt(() => this.#packet(inner.inside())) : undefined;
      if (found !== undefined) yield found;
    }
  }

  #packet(fields: WireFields): TracePacket {
    let [timestamp, sequenceId, flags, tag]: [WireNumber | null, WireNumber, number, number] = [null, 0, 0, 0];
    let clockId: number | null = null;
    let [data, interned, defaults]: [WireFields | null, WireFields | null, WireFields | null] = [null, null, null];
    while (fields.next()) {
      if (fields.tag === PACKET.timestamp) timestamp = fields.value;
      else if (fields.tag === PACKET.clockId) clockId = Number(fields.value);
      else if (fields.tag === PACKET.trustedPacketSequenceId) sequenceId = fields.value;
      else if (fields.tag === PACKET.sequenceFlags) flags |= Number(fields.value);
      else if (fields.tag === PACKET.stateCleared && fields.value === 1) flags |= SEQUENCE.incrementalStateCleared;
      else if (fields.tag === PACKET.internedData) interned = fields.inside();
      else if (fields.tag === PACKET.defaults) defaults = fields.inside();
      else if (fields.isMessage && !ENVELOPE.has(fields.tag)) [tag, data] = [fields.tag, fields.inside()];
    }
    const sequence = entryOf(this.#sequences, sequenceId, () => new PacketSequence());
    if ((flags & SEQUENCE.incrementalStateCleared) !== 0) sequence.clear();
    if (defaults !== null) takeDefaults(defaults, sequence);
    if (interned !== null) sequence.intern(interned);
    if (tag === PACKET.clockSnapshot && data !== null) this.#takeClocks(data, sequence);
    const time = timestamp === null ? null : this.#time(BigInt(timestamp), clockId ?? sequence.clockId, sequence);
    return { sequence, time, tag, data };
  }

  #takeClocks(snapshot: WireFields, sequence: PacketSequence): void {
    const clocks = new Map<number, Clock>();
    while (snapshot.next()) {
      if (snapshot.tag !== CLOCK_SNAPSHOT.clocks) continue;
      const fields = snapshot.inside();
      let [id, last, unit, isIncremental] = [0, 0n, 1n, false];
      while (fields.next()) {
        if (fields.tag === CLOCK.clockId) id = Number(fields.value);
        else if (fields.tag === CLOCK.timestamp) last = BigInt(fields.value);
        else if (fields.tag === CLOCK.unitNs) unit = BigInt(fields.value);
        else if (fields.tag === CLOCK.isIncremental) isIncremental = fields.value === 1;
      }
      clocks.set(id, { offset: 0n, unit, isIncremental, last });
    }
    const base = clocks.get(CLOCK_ID.boottime);
    for (const [id, clock] of clocks) {
      if (base !== undefined) clock.offset = base.last - clock.last * clock.unit;
      if (id !== CLOCK_ID.boottime) (isOfSequence(id) ? sequence.clocks : this.#clocks).set(id, clock);
    }
    const unix = clocks.get(CLOCK_ID.realtime);
    if (unix !== undefined && base !== undefined) this.unixOffset ??= unix.last - base.last;
  }

  #time(timestamp: bigint, id: number, sequence: PacketSequence): bigint | null {
    const clock = (isOfSequence(id) ? sequence.clocks : this.#clocks).get(id);
    // The clocks of the machine differ little; a sequence's own clock is unknown without a snapshot.
    if (clock === undefined) return isOfSequence(id) ? null : timestamp;
    if (clock.isIncremental) clock.last += timestamp;
    return (clock.isIncremental ? clock.last : timestamp) * clock.unit + clock.offset;
  }

  /** Undefined for a damaged packet, which is counted. */
  #attempt<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.damaged++;
      return undefined;
    }
  }
}

function takeDefaults(defaults: WireFields, sequence: PacketSequence): void {
  while (defaults.next()) {
    if (defaults.tag === DEFAULTS.clockId) sequence.clockId = Number(defaults.value);
    else if (defaults.tag === DEFAULTS.trackEvent) {
      const event = defaults.inside();
      while (event.next()) if (event.tag === EVENT.trackUuid) sequence.trackUuid = event.value;
    }
  }
}

/** Unpacks packets; what is whole before a cut. */
function inflated(bytes: Buffer): Buffer {
  try {
    return inflateSync(bytes, { maxOutputLength: LONGEST, finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!/^Z_(?:DATA|BUF)_ERROR$|^ERR_BUFFER_TOO_LARGE$/.test(code)) throw error;
    throw new WireError('compressed packets are damaged or too large');
  }
}
