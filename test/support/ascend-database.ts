/** Databases of the Ascend PyTorch Profiler for tests, in the schema 1.0 of 2024. */
import { ProfileDatabase, type Cells, type Schema } from './profile-database.js';

export const ASCEND_SCHEMA: Schema = {
  STRING_IDS: 'id value$',
  PYTORCH_API:
    'startNs$ endNs$ globalTid connectionId name sequenceNumber fwdThreadId inputDtypes inputShapes callchainId type',
  CONNECTION_IDS: 'id connectionId',
  PYTORCH_CALLCHAINS: 'id stack stackDepth',
  STEP_TIME: 'id startNs endNs',
  RANK_DEVICE_MAP: 'rankId deviceId',
  META_DATA: 'name$ value$',
  HOST_INFO: 'hostUid$ hostName$',
  NPU_INFO: 'id name$',
  SESSION_TIME_INFO: 'startTimeNs endTimeNs',
  TASK: 'startNs endNs deviceId connectionId globalTaskId globalPid taskType contextId streamId taskId modelId',
  COMPUTE_TASK_INFO:
    'name globalTaskId blockDim mixBlockDim taskType opType inputFormats inputDataTypes inputShapes outputFormats outputDataTypes outputShapes attrInfo',
  COMMUNICATION_OP: 'opName startNs endNs connectionId groupName opId relay retry dataType algType count opType',
  COMMUNICATION_TASK_INFO:
    'name globalTaskId taskType planeId groupName notifyId rdmaType srcRank dstRank transportType size dataType linkType opId',
  CANN_API: 'startNs endNs type globalTid connectionId name',
  MEMCPY_INFO: 'globalTaskId size memcpyOperation',
  TASK_PMU_INFO: 'globalTaskId name value',
  AICORE_FREQ: 'deviceId timestampNs freq',
  MEMORY_RECORD: 'component timestamp totalAllocated totalReserved totalActive streamPtr deviceId',
  OP_MEMORY:
    'name size allocationTime releaseTime activeReleaseTime duration activeDuration allocationTotalAllocated allocationTotalReserved allocationTotalActive releaseTotalAllocated releaseTotalReserved releaseTotalActive streamPtr deviceId',
  MSTX_EVENTS: 'startNs endNs eventType rangeId category message globalTid endGlobalTid domainId connectionId',
  GC_RECORD: 'startNs endNs globalTid',
};

/** 2026-01-01, in ns since 1970. */
export const EPOCH = 1_767_225_600_000_000_000n;
const PID = 3_136_495n;
/** The program's thread, that of the backward pass, and the one that works the queue off. */
const THREADS = { main: 100n, backward: 101n, queue: 102n } as const;
export type Thread = keyof typeof THREADS;
const NONE = 4294967295;

const globalTid = (thread: Thread): bigint => (PID << 32n) | THREADS[thread];
const at = (ns: number): bigint => EPOCH + BigInt(ns);

/** An op of the framework. */
export interface Op {
  readonly thread?: Thread;
  /** `CONNECTION_IDS.id`. */
  readonly id?: number;
  readonly seq?: number;
  readonly forwardThread?: number;
  readonly shapes?: string;
  readonly types?: string;
  readonly chain?: number;
}

export class AscendDatabase extends ProfileDatabase {
  #tasks = 0;

  constructor(schema: Schema = ASCEND_SCHEMA) {
    super(schema, ['STRING_IDS', 'id']);
  }

  /** An op from `start` to `end`. */
  op(name: string, [start, end]: readonly [number, number], op: Op = {}): this {
    const { thread = 'main', id, seq = -1, forwardThread = 0, shapes, types, chain } = op;
    return this.row('PYTORCH_API', {
      ...this.#hostTimes(start, end, thread),
      name: this.string(name),
      type: 50001,
      connectionId: id ?? null,
      sequenceNumber: seq,
      fwdThreadId: forwardThread,
      inputShapes: shapes === undefined ? null : this.string(shapes),
      inputDtypes: types === undefined ? null : this.string(types),
      callchainId: chain ?? null,
    });
  }

  /** A Python frame, or a module `nn.Module: Linear_0`. */
  frame(name: string, [start, end]: readonly [number, number], thread: Thread = 'main'): this {
    return this.row('PYTORCH_API', { ...this.#hostTimes(start, end, thread), name: this.string(name), type: 50003 });
  }

  /** A call of the driver library, by the queue's thread. */
  launch(connection: number, start: number, cells: Cells = {}): this {
    const times = { startNs: at(start), endNs: at(start + 10), globalTid: globalTid('queue') };
    return this.row('CANN_API', {
      ...times,
      type: 10000,
      connectionId: connection,
      name: this.string('launch'),
      ...cells,
    });
  }

  connect(id: number, ...connections: readonly number[]): this {
    for (const connection of connections) this.row('CONNECTION_IDS', { id, connectionId: connection });
    return this;
  }

  /** A task of the device; its id. */
  task(type: string, [start, end]: readonly [number, number], connection: number, cells: Cells = {}): number {
    const id = ++this.#tasks;
    this.row('TASK', {
      startNs: at(start),
      endNs: at(end),
      deviceId: 1,
      connectionId: connection,
      globalTaskId: id,
      globalPid: PID,
      taskType: this.string(type),
      contextId: NONE,
      streamId: 2,
      taskId: id,
      modelId: NONE,
      ...cells,
    });
    return id;
  }

  /** A kernel with its task; the task's id. */
  kernel(
    name: string,
    times: readonly [number, number],
    connection: number,
    cells: Cells = {},
    task: Cells = {},
  ): number {
    const id = this.task('KERNEL_AICORE', times, connection, task);
    this.row('COMPUTE_TASK_INFO', {
      name: this.string(name),
      globalTaskId: id,
      blockDim: 20,
      mixBlockDim: 0,
      taskType: this.string('AI_CORE'),
      opType: this.string('MatMulV2'),
      inputFormats: this.string('ND;ND'),
      inputDataTypes: this.string('FLOAT16;FLOAT16'),
      inputShapes: this.string('"32,64;64,128"'),
      outputFormats: this.string('ND'),
      outputDataTypes: this.string('FLOAT16'),
      outputShapes: this.string('"32,128"'),
      attrInfo: this.string('N/A'),
      ...cells,
    });
    return id;
  }

  /** A row of any table with times, as `startNs` and `endNs`. */
  timed(table: string, [start, end]: readonly [number, number], cells: Cells): this {
    return this.row(table, { startNs: at(start), endNs: at(end), ...cells });
  }

  #hostTimes(start: number, end: number, thread: Thread): Cells {
    return { startNs: String(at(start)), endNs: String(at(end)), globalTid: globalTid(thread) };
  }
}

/** A step of training: `aten::linear` forwards within two modules, `MmBackward0` on a thread of its own, two kernels. */
export function training(schema?: Schema): AscendDatabase {
  const database = new AscendDatabase(schema);
  database
    .op('ProfilerStep#7', [100, 2000])
    .frame('nn.Module: Net_0', [200, 800])
    .frame('nn.Module: Linear_3', [210, 790])
    .op('aten::linear', [300, 700], {
      shapes: '32,64;\r\n64,128;\r\n;\r\n',
      types: 'c10::Half;\r\nc10::Half;\r\nNone;\r\nScalar',
    })
    .op('aten::mm', [310, 690], { shapes: '32,64;\r\n64,128', types: 'c10::Half;\r\nc10::Half', seq: 5, chain: 1 })
    .op('aclnnMm', [320, 680], { id: 40 })
    .op('autograd::engine::evaluate_function: MmBackward0', [1000, 1500], {
      thread: 'backward',
      seq: 5,
      forwardThread: 1,
    })
    .op('MmBackward0', [1010, 1490], { thread: 'backward', seq: 5, forwardThread: 1 })
    .op('aten::mm', [1020, 1480], { thread: 'backward', shapes: '64,32;\r\n32,128', types: 'c10::Half;\r\nc10::Half' })
    .op('aclnnMm', [1030, 1470], { thread: 'backward', id: 41 })
    .connect(40, 500, 9000)
    .connect(41, 501, 9001)
    .launch(500, 900)
    .launch(501, 1600)
    .timed('STEP_TIME', [90, 2000], { id: 7 })
    .row('RANK_DEVICE_MAP', { rankId: 3, deviceId: 1 })
    .row('NPU_INFO', { id: 1, name: 'Ascend910B' })
    .row('META_DATA', { name: 'SCHEMA_VERSION', value: '1.0.0' })
    .row('META_DATA', { name: 'ENV_VARIABLES', value: '{"SECRET": "hunter2"}' })
    .row('PYTORCH_CALLCHAINS', { id: 1, stack: database.string('net.py(12): forward'), stackDepth: 0 })
    .row('PYTORCH_CALLCHAINS', { id: 1, stack: database.string('<built-in method f>'), stackDepth: 1 })
    .row('PYTORCH_CALLCHAINS', { id: 1, stack: database.string('train.py(3): main'), stackDepth: 2 });
  database.kernel('aclnnMm_MatMulV2', [2500, 2700], 500);
  database.kernel('aclnnMm_Backward', [2800, 3100], 501);
  return database;
}
