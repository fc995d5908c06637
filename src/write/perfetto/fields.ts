/**
 * The messages of a Perfetto trace that we write, field by field: field numbers and wire types.
 *
 * Source: Perfetto's published schema, protos/perfetto/trace/{trace,trace_packet,clock_snapshot}.proto,
 * track_event/{track_event,track_descriptor,process_descriptor,thread_descriptor,counter_descriptor,debug_annotation}.proto,
 * interned_data/interned_data.proto and profiling/profile_common.proto; Protocol Buffers' encoding for wire types.
 */

/** Wire types of Protocol Buffers. */
const VARINT = 0;
const FIXED64 = 1;
/** Wire type of strings, bytes and messages. */
const DELIMITED = 2;

/** The tag before a value: field number and wire type. */
const tag = (field: number, wire: number): number => ((field << 3) | wire) >>> 0;

export const TRACE = { packet: tag(1, DELIMITED) } as const;

export const PACKET = {
  clockSnapshot: tag(6, DELIMITED),
  timestamp: tag(8, VARINT),
  trustedPacketSequenceId: tag(10, VARINT),
  trackEvent: tag(11, DELIMITED),
  internedData: tag(12, DELIMITED),
  sequenceFlags: tag(13, VARINT),
  trackDescriptor: tag(60, DELIMITED),
  firstPacketOnSequence: tag(87, VARINT),
} as const;

/** Bits of `sequenceFlags`. */
export const SEQUENCE = { incrementalStateCleared: 1, needsIncrementalState: 2 } as const;

export const CLOCK_SNAPSHOT = { clocks: tag(1, DELIMITED) } as const;
export const CLOCK = { clockId: tag(1, VARINT), timestamp: tag(2, VARINT) } as const;
/** Built-in clocks: Unix time, and the default clock of packets that state none. */
export const CLOCK_ID = { realtime: 1, boottime: 6 } as const;

export const EVENT = {
  categoryIids: tag(3, VARINT),
  debugAnnotations: tag(4, DELIMITED),
  type: tag(9, VARINT),
  nameIid: tag(10, VARINT),
  trackUuid: tag(11, VARINT),
  counterValue: tag(30, VARINT),
  doubleCounterValue: tag(44, FIXED64),
  flowIds: tag(47, FIXED64),
  terminatingFlowIds: tag(48, FIXED64),
} as const;

/** Values of `type`. */
export const EVENT_TYPE = { sliceBegin: 1, sliceEnd: 2, instant: 3, counter: 4 } as const;

export const TRACK = {
  uuid: tag(1, VARINT),
  name: tag(2, DELIMITED),
  process: tag(3, DELIMITED),
  thread: tag(4, DELIMITED),
  parentUuid: tag(5, VARINT),
  counter: tag(8, DELIMITED),
} as const;

export const PROCESS = { pid: tag(1, VARINT), order: tag(3, VARINT), name: tag(6, DELIMITED) } as const;
export const THREAD = { pid: tag(1, VARINT), tid: tag(2, VARINT), name: tag(5, DELIMITED) } as const;
export const COUNTER = { unit: tag(3, VARINT), unitName: tag(6, DELIMITED) } as const;

/** Values of a counter's `unit`. */
export const UNIT: Readonly<Record<string, number>> = { ns: 1, count: 2, bytes: 3 };

export const ANNOTATION = {
  nameIid: tag(1, VARINT),
  intValue: tag(4, VARINT),
  doubleValue: tag(5, FIXED64),
  stringValueIid: tag(17, VARINT),
} as const;

/** Fields of interned texts, which packets refer to by number; each kind has separate numbers. */
export const INTERNED = {
  category: tag(1, DELIMITED),
  eventName: tag(2, DELIMITED),
  annotationName: tag(3, DELIMITED),
  stringValue: tag(29, DELIMITED),
} as const;

/** An interned text and its number. */
export const ENTRY = { iid: tag(1, VARINT), text: tag(2, DELIMITED) } as const;
