/**
 * The messages of a Perfetto trace that we read or write, as the tags of their fields: field number and wire type.
 *
 * Source: Perfetto's published schema, protos/perfetto/trace/{trace,trace_packet,trace_packet_defaults,clock_snapshot}.proto,
 * track_event/{track_event,track_descriptor,process_descriptor,thread_descriptor,counter_descriptor,debug_annotation}.proto,
 * gpu/{gpu_render_stage_event,gpu_track_event}.proto,
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
  stateCleared: tag(41, VARINT),
  compressedPackets: tag(50, DELIMITED),
  gpuRenderStageEvent: tag(53, DELIMITED),
  clockId: tag(58, VARINT),
  defaults: tag(59, DELIMITED),
  trackDescriptor: tag(60, DELIMITED),
  firstPacketOnSequence: tag(87, VARINT),
} as const;

/** Bits of `sequenceFlags`. */
export const SEQUENCE = { incrementalStateCleared: 1, needsIncrementalState: 2 } as const;

export const CLOCK_SNAPSHOT = { clocks: tag(1, DELIMITED) } as const;
export const CLOCK = {
  clockId: tag(1, VARINT),
  timestamp: tag(2, VARINT),
  isIncremental: tag(3, VARINT),
  unitNs: tag(4, VARINT),
} as const;
/** What packets of a sequence have that do not state it themselves. */
export const DEFAULTS = { trackEvent: tag(11, DELIMITED), clockId: tag(58, VARINT) } as const;
/** Built-in clocks: Unix time, and the default clock of packets that state none. */
export const CLOCK_ID = { realtime: 1, boottime: 6 } as const;

export const EVENT = {
  categoryIids: tag(3, VARINT),
  debugAnnotations: tag(4, DELIMITED),
  type: tag(9, VARINT),
  nameIid: tag(10, VARINT),
  trackUuid: tag(11, VARINT),
  category: tag(22, DELIMITED),
  name: tag(23, DELIMITED),
  counterValue: tag(30, VARINT),
  doubleCounterValue: tag(44, FIXED64),
  flowIds: tag(47, FIXED64),
  terminatingFlowIds: tag(48, FIXED64),
  /** Extension: which work a call submitted. */
  gpuCorrelation: tag(3000, DELIMITED),
} as const;
export const GPU_CORRELATION = { submitted: tag(1, VARINT) } as const;

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
export const COUNTER = {
  unit: tag(3, VARINT),
  unitMultiplier: tag(4, VARINT),
  isIncremental: tag(5, VARINT),
  unitName: tag(6, DELIMITED),
} as const;

/** Values of a counter's `unit`. */
export const UNIT: Readonly<Record<string, number>> = { ns: 1, count: 2, bytes: 3 };

export const ANNOTATION = {
  nameIid: tag(1, VARINT),
  boolValue: tag(2, VARINT),
  uintValue: tag(3, VARINT),
  intValue: tag(4, VARINT),
  doubleValue: tag(5, FIXED64),
  stringValue: tag(6, DELIMITED),
  pointerValue: tag(7, VARINT),
  name: tag(10, DELIMITED),
  dictEntries: tag(11, DELIMITED),
  arrayValues: tag(12, DELIMITED),
  stringValueIid: tag(17, VARINT),
} as const;

/** Work on a GPU: of graphics, or a kernel with its launch. */
export const STAGE = {
  eventId: tag(1, VARINT),
  duration: tag(2, VARINT),
  extraData: tag(6, DELIMITED),
  gpuId: tag(11, VARINT),
  queueIid: tag(13, VARINT),
  stageIid: tag(14, VARINT),
  name: tag(17, DELIMITED),
  kernelIid: tag(19, VARINT),
  nameIid: tag(20, VARINT),
  launch: tag(21, DELIMITED),
} as const;
export const EXTRA_DATA = { name: tag(1, DELIMITED), value: tag(2, DELIMITED) } as const;
export const LAUNCH = { grid: tag(1, DELIMITED), workgroup: tag(2, DELIMITED), args: tag(3, DELIMITED) } as const;
/** Sizes of x, y and z. */
export const DIMENSIONS: readonly number[] = [tag(1, VARINT), tag(2, VARINT), tag(3, VARINT)];
export const LAUNCH_ARG = {
  nameIid: tag(1, VARINT),
  name: tag(2, DELIMITED),
  intValue: tag(3, VARINT),
  uintValue: tag(4, VARINT),
} as const;

/** Fields of interned strings, which packets refer to by number; each kind has separate numbers. */
export const INTERNED = {
  category: tag(1, DELIMITED),
  eventName: tag(2, DELIMITED),
  annotationName: tag(3, DELIMITED),
  stringValue: tag(29, DELIMITED),
} as const;
/** Fields of work on GPUs: queues and kinds of work, kernels, names of launch arguments. */
export const INTERNED_OF_GPU = {
  specification: tag(24, DELIMITED),
  kernel: tag(1000, DELIMITED),
  argName: tag(1001, DELIMITED),
} as const;

/** An interned string and its number. */
export const ENTRY = { iid: tag(1, VARINT), text: tag(2, DELIMITED) } as const;
/** A kernel's second text. */
export const DEMANGLED_NAME = tag(3, DELIMITED);
