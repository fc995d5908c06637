/**
 * Layouts of the raw data files: structures of a fixed size, one after another, and records of type, length and value.
 * Numbers are little-endian. docs/ascend-raw.md lists the fields with units and the public source of each.
 */

type FieldType = 'u8' | 'u16' | 'u32' | 'u64' | 'i64';
export type StructureFields = Readonly<Record<string, readonly [offset: number, type: FieldType]>>;

/** A structure, and the names of the files with it. */
export interface StructureLayout<F extends StructureFields = StructureFields> {
  readonly names: RegExp;
  /** Size of a structure in bytes; for a record, the size before its strings. */
  readonly bytes: number;
  /** A number at this offset in all such structures. */
  readonly magic?: readonly [offset: number, value: number];
  readonly fields: F;
}

/** Files of `host/data`, in slices that are kept (`unaging`) or limited in size (`aging`). */
const ofHost = (kind: string): RegExp => new RegExp(String.raw`^(?:un)?aging\.${kind}\.slice_\d+$`);
const ofDevice = (kind: string): RegExp => new RegExp(String.raw`^${kind}\.data\.\d+\.slice_\d+$`);
const framework = (kind: string): RegExp => new RegExp(String.raw`^torch\.${kind}(?:\.\d+)*$`);

const layout = <F extends StructureFields>(stated: StructureLayout<F>): StructureLayout<F> => stated;

const HOST_MAGIC = [0, 0x5a5a] as const;
const DEVICE_MAGIC = [2, 0x6bd3] as const;

/** Fields at the beginning of host events. */
const HEAD = { level: [2, 'u16'], type: [4, 'u32'], thread: [8, 'u32'] } as const satisfies StructureFields;
const COMPACT = { ...HEAD, length: [12, 'u32'], time: [16, 'u64'] } as const satisfies StructureFields;

const compact = <F extends StructureFields>(kind: string, fields: F): StructureLayout<typeof COMPACT & F> =>
  layout({ names: ofHost(`compact\\.${kind}`), bytes: 64, magic: HOST_MAGIC, fields: { ...COMPACT, ...fields } });
const additional = <F extends StructureFields>(kind: string, fields: F): StructureLayout<typeof COMPACT & F> =>
  layout({ names: ofHost(`additional\\.${kind}`), bytes: 256, magic: HOST_MAGIC, fields: { ...COMPACT, ...fields } });

/** Tensors in a `tensor_info`: their maximum number, their offset, the size of each, and the number of dimensions. */
export const TENSORS = { most: 5, from: 36, bytes: 44, dims: 8 } as const;
/** Context numbers in a `context_id_info`: their maximum number, and their offset. */
export const CONTEXTS = { most: 55, from: 36 } as const;
/** Clock values in a `lpmFreqConv`: their maximum number, their offset, and the size of each. */
export const CLOCKS = { most: 55, from: 8, bytes: 16 } as const;

export const HOST = {
  api: layout({
    names: ofHost('api_event\\.data'),
    bytes: 40,
    magic: HOST_MAGIC,
    fields: { ...HEAD, request: [12, 'u32'], start: [16, 'u64'], end: [24, 'u64'], item: [32, 'u64'] },
  }),
  track: compact('task_track', {
    device: [24, 'u16'],
    stream: [26, 'u16'],
    task: [28, 'u32'],
    taskType: [32, 'u64'],
    kernel: [40, 'u64'],
  }),
  node: compact('node_basic_info', {
    op: [24, 'u64'],
    taskType: [32, 'u32'],
    opType: [36, 'u64'],
    blocks: [44, 'u32'],
    flags: [48, 'u32'],
  }),
  copy: compact('memcpy_info', { size: [24, 'u64'], direction: [40, 'u16'] }),
  collective: compact('hccl_op_info', {
    flags: [24, 'u8'],
    dataType: [25, 'u8'],
    algorithm: [26, 'u64'],
    count: [34, 'u64'],
    group: [42, 'u64'],
  }),
  message: additional('hccl_info', {
    localRank: [48, 'u32'],
    remoteRank: [52, 'u32'],
    context: [68, 'u32'],
    role: [84, 'u32'],
    size: [112, 'u64'],
    link: [128, 'u32'],
    transport: [132, 'u32'],
  }),
  tensors: additional('tensor_info', { op: [24, 'u64'], count: [32, 'u32'] }),
  contexts: additional('context_id_info', { op: [24, 'u64'], count: [32, 'u32'] }),
  mark: additional('msproftx', {
    kind: [24, 'u16'],
    process: [36, 'u32'],
    markThread: [40, 'u32'],
    event: [48, 'u32'],
    start: [64, 'u64'],
    end: [72, 'u64'],
    domain: [88, 'u64'],
  }),
} as const;

/** Offsets of the beginning and end of a mark's text. */
export const MARK_TEXT = { from: 100, to: 256 } as const;

/** Files with strings as `HASH:TEXT` or `LEVEL_TYPE:TEXT`, one per line. */
export const DICTIONARIES = {
  hash: ofHost('additional\\.hash_dic'),
  type: ofHost('additional\\.type_info_dic'),
} as const;

/** `kind` has the function in its low 6 bits, then a count in 4 bits, and the type of the task in its high 6 bits. */
const LOG = {
  kind: [0, 'u16'],
  stream: [4, 'u16'],
  task: [6, 'u16'],
  time: [8, 'u64'],
} as const satisfies StructureFields;

export const DEVICE = {
  log: layout({
    names: ofDevice('stars_soc'),
    bytes: 64,
    magic: DEVICE_MAGIC,
    fields: { ...LOG, subtaskType: [16, 'u8'], subtask: [18, 'u16'] },
  }),
  /** Used by devices of 2025 (platform 15), which number tasks across all streams. */
  shortLog: layout({
    names: ofDevice('stars_soc'),
    bytes: 32,
    magic: DEVICE_MAGIC,
    fields: { kind: [0, 'u16'], task: [4, 'u32'], time: [8, 'u64'] },
  }),
  /** Used by devices before Ascend 910B. */
  oldLog: layout({
    names: ofDevice('hwts'),
    bytes: 64,
    fields: { kind: [0, 'u8'], taskType: [1, 'u8'], task: [6, 'u16'], time: [8, 'u64'], stream: [16, 'u32'] },
  }),
  track: layout({
    names: ofDevice('ts_track'),
    bytes: 40,
    fields: { kind: [1, 'u8'], time: [8, 'u64'], stream: [16, 'u16'], flip: [18, 'u16'], task: [22, 'u16'] },
  }),
  counters: layout({
    names: ofDevice('ffts_profile'),
    bytes: 128,
    fields: {
      kind: [0, 'u16'],
      stream: [4, 'u16'],
      task: [6, 'u16'],
      subtaskType: [16, 'u8'],
      subtask: [18, 'u16'],
      form: [20, 'u16'],
      cycles: [32, 'u64'],
      start: [112, 'u64'],
      end: [120, 'u64'],
    },
  }),
  clock: layout({ names: ofDevice('lpmFreqConv'), bytes: 888, fields: { count: [0, 'u32'] } }),
} as const;

export const FRAMEWORK = {
  op: layout({
    names: framework('op_range'),
    bytes: 58,
    fields: {
      start: [0, 'i64'],
      end: [8, 'i64'],
      sequence: [16, 'i64'],
      process: [24, 'u64'],
      thread: [32, 'u64'],
      forwardThread: [48, 'u64'],
    },
  }),
  queue: layout({
    names: framework('op_mark'),
    bytes: 40,
    fields: { time: [0, 'i64'], kind: [8, 'u64'], entry: [16, 'u64'], thread: [24, 'u64'], process: [32, 'u64'] },
  }),
  memory: layout({
    names: framework('memory_usage'),
    bytes: 77,
    fields: {
      pointer: [0, 'i64'],
      time: [8, 'i64'],
      size: [16, 'i64'],
      allocated: [24, 'i64'],
      reserved: [32, 'i64'],
      active: [40, 'i64'],
      deviceType: [56, 'u8'],
      device: [57, 'u8'],
      component: [58, 'u8'],
      thread: [61, 'u64'],
      process: [69, 'u64'],
    },
  }),
  frame: layout({
    names: framework('python_tracer_func'),
    bytes: 33,
    fields: { time: [0, 'u64'], thread: [8, 'u64'], process: [16, 'u64'], name: [24, 'u64'], kind: [32, 'u8'] },
  }),
  frameName: layout({ names: framework('python_tracer_hash'), bytes: 8, fields: { name: [0, 'u64'] } }),
  collection: layout({
    names: framework('gc_record'),
    bytes: 24,
    fields: { process: [0, 'u64'], start: [8, 'u64'], end: [16, 'u64'] },
  }),
} as const;

/** Types of a record's strings. */
export const OP_TEXT = { name: 2, types: 3, shapes: 4, stack: 8 } as const;
export const RECORD_TEXT = 1;

/** A structure in a file. The same object moves on to the next structure. */
export class Structure<F extends StructureFields> {
  bytes: Buffer = Buffer.alloc(0);
  at = 0;

  constructor(private readonly fields: F) {}

  /** A field of up to 32 bits. */
  number(name: { [N in keyof F]: F[N][1] extends 'u64' | 'i64' ? never : N }[keyof F]): number {
    const [offset, type] = this.fields[name] as F[keyof F];
    const at = this.at + offset;
    if (type === 'u8') return this.bytes.readUInt8(at);
    return type === 'u16' ? this.bytes.readUInt16LE(at) : this.bytes.readUInt32LE(at);
  }

  /** A field of 64 bits: times and hashes exceed 2^53. */
  big(name: { [N in keyof F]: F[N][1] extends 'u64' | 'i64' ? N : never }[keyof F]): bigint {
    const [offset, type] = this.fields[name] as F[keyof F];
    const at = this.at + offset;
    return type === 'i64' ? this.bytes.readBigInt64LE(at) : this.bytes.readBigUInt64LE(at);
  }
}
