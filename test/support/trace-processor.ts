/**
 * A model of Perfetto's trace processor, by its published rules: interned texts by generation, tracks with their
 * processes and threads, tracks of one name merged, slices nested, flows by order of time. Whatever it drops, cuts or
 * counts as an error is an error here, and so is whatever it would show on another track.
 *
 * Source: src/trace_processor/importers of Perfetto's repository: proto_trace_reader, packet_sequence_state_generation,
 * track_event_tokenizer, track_event_event_importer, track_event_tracker, track_compressor, slice_tracker, flow_tracker,
 * process_tracker and debug_annotation_parser; where versions differ, the stricter one.
 */
import { packetsOf, type Packet } from './perfetto-trace.js';

interface ImportedSlice {
  readonly ts: bigint;
  /** null while it is open. */
  dur: bigint | null;
  readonly name: string;
  readonly category: string;
  readonly depth: number;
  /** Number of the merged track. */
  readonly track: string;
  readonly args: ReadonlyMap<string, string | number>;
}

export interface Imported {
  readonly slices: readonly ImportedSlice[];
  /** From the earlier slice to the later one. */
  readonly flows: readonly (readonly [from: ImportedSlice, to: ImportedSlice])[];
  readonly counters: readonly { readonly track: string; readonly ts: bigint; readonly value: number }[];
  /** Errors and their counts. */
  readonly errors: Readonly<Record<string, number>>;
}

const CLEARED = 1;
const NEEDS_STATE = 2;
const BEGIN = 1;
const END = 2;
const INSTANT = 3;
const COUNTER = 4;
const BOOTTIME = 6;
/** Slices within each other; 255 in older versions, more in later ones. */
const MOST_DEPTH = 255;
const MOST_ANCESTORS = 10;
const LATEST = 2n ** 63n;

type Descriptor = NonNullable<Packet['trackDescriptor']>;
type Event = NonNullable<Packet['trackEvent']>;
type Texts = Map<string, string>;

interface Queued {
  readonly ts: bigint;
  readonly event: Event;
  /** Texts that were interned when the packet was read. */
  readonly texts: Texts;
  readonly needsState: boolean;
}

/** One of the tracks that tracks of one parent and name are merged to; `owner` has it while slices are open. */
interface Merged {
  owner: string;
  open: number;
}

class TraceProcessor {
  readonly slices: ImportedSlice[] = [];
  readonly flows: (readonly [ImportedSlice, ImportedSlice])[] = [];
  readonly counters: { track: string; ts: bigint; value: number }[] = [];
  readonly errors: Record<string, number> = {};
  readonly #descriptors = new Map<string, Descriptor>();
  readonly #generations = new Map<number, Texts>();
  /** All texts ever interned: a number is never used again. */
  readonly #everInterned = new Map<string, string>();
  readonly #queue: Queued[] = [];
  readonly #merged = new Map<string, Merged[]>();
  readonly #stacks = new Map<string, ImportedSlice[]>();
  readonly #activeFlows = new Map<string, ImportedSlice>();
  #hasClock = false;
  #timed = 0;

  fail(what: string): void {
    this.errors[what] = (this.errors[what] ?? 0) + 1;
  }

  /** Reads a packet: everything but the order of time. */
  tokenize(packet: Packet): void {
    const { trustedPacketSequenceId: sequence, sequenceFlags = 0, internedData, timestamp } = packet;
    if (sequence === undefined || sequence === 0) {
      this.fail('packet of no sequence');
      return;
    }
    if ((sequenceFlags & CLEARED) !== 0) this.#generations.set(sequence, new Map<string, string>());
    const texts = this.#generations.get(sequence);
    if (texts === undefined && (internedData !== undefined || (sequenceFlags & NEEDS_STATE) !== 0)) {
      this.fail('packet_skipped_seq_needs_incremental_state_invalid');
      return;
    }
    if (internedData !== undefined) this.#intern(texts ?? new Map<string, string>(), internedData);
    if (packet.clockSnapshot !== undefined) this.#clock(packet.clockSnapshot.clocks.map(({ clockId }) => clockId));
    if (packet.trackDescriptor !== undefined) this.#describe(packet.trackDescriptor);
    const { trackEvent: event } = packet;
    if (event === undefined) return;
    if (timestamp === undefined) {
      this.fail('track_event_missing_timestamp');
      return;
    }
    const ts = BigInt(timestamp);
    if (ts >= LATEST) {
      this.fail('trace_sorter_negative_timestamp_dropped');
      return;
    }
    this.#timed++;
    if (event.type === COUNTER) {
      if (this.#descriptors.get(event.trackUuid)?.counter === undefined)
        this.fail('track_event_counter_invalid_track_uuid');
      if ((event.counterValue === undefined) === (event.doubleCounterValue === undefined))
        this.fail('track_event_counter_missing_value');
    }
    const needsState = (sequenceFlags & NEEDS_STATE) !== 0;
    this.#queue.push({ ts, event, texts: texts ?? new Map<string, string>(), needsState });
  }

  /** Takes the events in order of time, those of one time in order of the file. */
  parse(): void {
    this.#queue.sort((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : 0));
    this.#checkProcesses();
    for (const queued of this.#queue) this.#take(queued);
    for (const stack of this.#stacks.values())
      for (const { dur } of stack) if (dur === null) this.fail('slice that does not end');
    for (let i = 0; i < this.#activeFlows.size; i++) this.fail('flow that does not end');
  }

  #intern(texts: Texts, data: NonNullable<Packet['internedData']>): void {
    for (const [kind, entries] of Object.entries(data)) {
      for (const { iid, name, str } of entries) {
        const key = `${kind}/${iid}`;
        const text = name ?? Buffer.from(str ?? []).toString();
        if (iid === '0') this.fail('interned_data_tokenizer_errors');
        if ((this.#everInterned.get(key) ?? text) !== text) this.fail('interned text overridden');
        this.#everInterned.set(key, text);
        texts.set(key, text);
      }
    }
  }

  /** Times before a snapshot would be of another clock than those after it. */
  #clock(ids: readonly number[]): void {
    if (this.#hasClock || this.#timed > 0) this.fail('clock_sync_failure');
    if (new Set(ids).size !== ids.length || !ids.includes(BOOTTIME)) this.fail('invalid_clock_snapshots');
    this.#hasClock = true;
  }

  #describe(track: Descriptor): void {
    const { uuid, thread, process, counter } = track;
    if (uuid === '0') this.fail('track_descriptor_missing_uuid');
    if (this.#descriptors.has(uuid)) this.fail('track_descriptor_conflicting_reservation');
    if ([thread, process, counter].filter((part) => part !== undefined).length > 1)
      this.fail('descriptor of two kinds');
    if (thread !== undefined && !(thread.pid > 0 && thread.tid > 0)) this.fail('pid or tid 0 is reserved');
    if (process !== undefined && !(process.pid > 0)) this.fail('pid or tid 0 is reserved');
    if ((track.name ?? thread?.threadName ?? process?.processName ?? '') === '') this.fail('track without a name');
    this.#descriptors.set(uuid, track);
  }

  /** A second track of one process, or thread of it, is taken for another process or thread of the same number. */
  #checkProcesses(): void {
    const seen = new Set<string>();
    for (const [uuid, { process, thread, parentUuid = '0' }] of this.#descriptors) {
      if (!this.#isHierarchy(uuid)) this.fail('track_hierarchy_missing_uuid');
      const own =
        process !== undefined ? `${process.pid}` : thread !== undefined ? `${thread.pid}/${thread.tid}` : null;
      if (own === null) continue;
      if (seen.has(own)) this.fail('pid or tid taken for reused');
      seen.add(own);
      const parent = this.#descriptors.get(parentUuid);
      if (thread !== undefined && parent?.process?.pid !== thread.pid) this.fail('thread of another process');
      if (process !== undefined && parent !== undefined) this.fail('process within a track');
    }
  }

  #isHierarchy(uuid: string): boolean {
    const seen = new Set<string>();
    for (let at = uuid; at !== '0'; at = this.#descriptors.get(at)?.parentUuid ?? '0') {
      if (seen.has(at) || !this.#descriptors.has(at) || seen.size >= MOST_ANCESTORS) return false;
      seen.add(at);
    }
    return true;
  }

  #take({ ts, event, texts, needsState }: Queued): void {
    const track = this.#descriptors.get(event.trackUuid);
    if (track === undefined) {
      this.fail('unable to resolve track');
      return;
    }
    if (event.type === COUNTER) {
      const value = event.doubleCounterValue ?? Number(event.counterValue);
      this.counters.push({ track: event.trackUuid, ts, value });
      return;
    }
    if (track.counter !== undefined) {
      this.fail('slice on a counter track');
      return;
    }
    if (track.process !== undefined) {
      this.fail("slice on the process's own track");
      return;
    }
    const on = this.#trackOf(track, event.type);
    const stack = this.#stacks.get(on) ?? [];
    this.#stacks.set(on, stack);
    if (event.type === END) this.#end(stack, ts, event);
    else if (event.type === BEGIN || event.type === INSTANT) {
      if (!needsState) this.fail('text by number without state');
      this.#begin(stack, ts, event, texts, on);
    } else this.fail('unknown type of event');
  }

  /**
   * The track that slices of a descriptor's are put on: a thread's is its own; others of one parent and name are merged,
   * each has one of the merged tracks as long as a slice is open there.
   */
  #trackOf({ uuid, thread, parentUuid = '0', name = '' }: Descriptor, type: number): string {
    if (thread !== undefined) return uuid;
    const key = `${parentUuid}/${name}`;
    const merged = this.#merged.get(key) ?? [];
    this.#merged.set(key, merged);
    let at = merged.findIndex(({ owner }) => owner === uuid);
    if (at < 0) at = merged.findIndex(({ open }) => open === 0);
    if (at < 0) at = merged.push({ owner: uuid, open: 0 }) - 1;
    const one = merged[at];
    if (one !== undefined) {
      one.owner = uuid;
      if (type === BEGIN) one.open++;
      else if (type === END && --one.open < 0) this.fail('end on a track without a begin');
    }
    return `${key}#${at}`;
  }

  /** Removes ended slices from the stack; marks of one time stay nested. */
  #close(stack: ImportedSlice[], ts: bigint, isMark: boolean): void {
    let isOpen = false;
    for (let i = stack.length - 1; i >= 0; i--) {
      const { ts: start, dur } = stack[i] as ImportedSlice;
      if (dur === null) isOpen = true;
      else if (isOpen) {
        if (ts > start + dur) this.fail('misplaced_end_event');
      } else if (start + dur < ts || (start + dur === ts && !(dur === 0n && isMark))) stack.pop();
    }
  }

  #begin(stack: ImportedSlice[], ts: bigint, event: Event, texts: Texts, track: string): void {
    const isMark = event.type === INSTANT;
    this.#close(stack, ts, isMark);
    if (stack.length >= MOST_DEPTH) {
      this.fail('slice_max_depth_exceeded');
      return;
    }
    const slice: ImportedSlice = {
      ts,
      dur: isMark ? 0n : null,
      name: this.#text(texts, 'eventNames', event.nameIid),
      category: this.#text(texts, 'eventCategories', event.categoryIids?.[0]),
      depth: stack.length,
      track,
      args: this.#args(event, texts),
    };
    if (event.categoryIids?.length !== 1) this.fail('not one category');
    stack.push(slice);
    this.slices.push(slice);
    this.#flow(slice, event);
  }

  /** An end without a name is that of the innermost open slice. */
  #end(stack: ImportedSlice[], ts: bigint, event: Event): void {
    this.#close(stack, ts, false);
    const at = stack.findLastIndex(({ dur }) => dur === null);
    const slice = stack[at];
    if (slice === undefined) {
      this.fail('track_event_thread_invalid_end');
      return;
    }
    slice.dur = ts - slice.ts;
    if (at === stack.length - 1) stack.pop();
    this.#flow(slice, event);
  }

  #flow(slice: ImportedSlice, { flowIds = [], terminatingFlowIds = [] }: Event): void {
    for (const flow of flowIds) {
      if (this.#activeFlows.has(flow)) this.fail('flow_duplicate_id');
      this.#activeFlows.set(flow, slice);
    }
    for (const flow of terminatingFlowIds) {
      const from = this.#activeFlows.get(flow);
      if (from === undefined) this.fail('flow_end_without_start');
      else this.flows.push([from, slice]);
      this.#activeFlows.delete(flow);
    }
  }

  #text(texts: Texts, kind: string, iid: string | undefined): string {
    const text = iid === undefined ? undefined : texts.get(`${kind}/${iid}`);
    if (text === undefined) this.fail('interned_data_tokenizer_errors');
    return text ?? '';
  }

  /** Names of arguments lose characters that mean nesting; equal names are one argument. */
  #args({ debugAnnotations = [] }: Event, texts: Texts): Map<string, string | number> {
    const args = new Map<string, string | number>();
    for (const { nameIid, intValue, doubleValue, stringValueIid } of debugAnnotations) {
      const name = this.#text(texts, 'debugAnnotationNames', nameIid).replace(/[.[\]]/g, '_');
      if (args.has(name)) this.fail('arguments of one name');
      if ([intValue, doubleValue, stringValueIid].filter((value) => value !== undefined).length !== 1)
        this.fail('track_event_parser_errors');
      const text =
        stringValueIid === undefined ? null : this.#text(texts, 'debugAnnotationStringValues', stringValueIid);
      args.set(name, text ?? doubleValue ?? Number(intValue));
    }
    return args;
  }
}

/** A trace as the trace processor has it when it is loaded. */
export function imported(bytes: Uint8Array): Imported {
  const processor = new TraceProcessor();
  for (const packet of packetsOf(bytes)) processor.tokenize(packet);
  processor.parse();
  const { slices, flows, counters, errors } = processor;
  return { slices, flows, counters, errors };
}
