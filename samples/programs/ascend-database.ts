/**
 * A run as a database of schema 1.2. Source: the columns that msprof and torch_npu write since 2025; no capture of that
 * schema was at hand.
 */
import {
  DEVICE,
  EFFICIENCY,
  GROUP,
  type AscendRun,
  type DeviceTask,
  type HostOp,
  type KernelWork,
  type Thread,
} from './ascend-run.js';
import { Interned, Tables, type Columns, type Row } from './tables.js';

/** 2026-01-15, in ns since 1970. */
export const EPOCH = 1_768_435_200_000_000_000n;
export const PID = 4242;
export const TIDS: Readonly<Record<Thread, number>> = { main: 4242, autograd: 4250, queue: 4251 };
const NONE = 4294967295;

const integers = (names: string): Columns => names.split(' ').map((name) => [name, 'INTEGER']);

const SCHEMA = {
  STRING_IDS: [['id', 'INTEGER PRIMARY KEY'], ['value', 'TEXT']],
  META_DATA: [['name', 'TEXT'], ['value', 'TEXT']],
  NPU_INFO: [['id', 'INTEGER'], ['name', 'TEXT']],
  RANK_DEVICE_MAP: integers('rankId deviceId'),
  SESSION_TIME_INFO: integers('startTimeNs endTimeNs'),
  PYTORCH_API: [['startNs', 'TEXT'], ['endNs', 'TEXT'], ...integers('globalTid connectionId name sequenceNumber fwdThreadId inputDtypes inputShapes callchainId type')],
  CONNECTION_IDS: integers('id connectionId'),
  PYTORCH_CALLCHAINS: integers('id stack stackDepth'),
  STEP_TIME: integers('id startNs endNs'),
  TASK: integers('startNs endNs deviceId connectionId globalTaskId globalPid taskType contextId streamId taskId modelId'),
  COMPUTE_TASK_INFO: integers('name globalTaskId blockNum mixBlockNum taskType opType inputFormats inputDataTypes inputShapes outputFormats outputDataTypes outputShapes attrInfo opState hf32Eligible gridDim blockDim'),
  COMMUNICATION_OP: integers('opName startNs endNs connectionId groupName opId relay retry dataType algType count opType deviceId rankSize'),
  COMMUNICATION_TASK_INFO: integers('name globalTaskId taskType planeId groupName notifyId rdmaType srcRank dstRank transportType size dataType linkType opId isMaster bandwidth'),
  CANN_API: integers('startNs endNs type globalTid connectionId name'),
  MSTX_EVENTS: integers('startNs endNs eventType rangeId category message globalTid endGlobalTid domainId connectionId'),
  MEMCPY_INFO: integers('globalTaskId size memcpyOperation'),
  TASK_PMU_INFO: [...integers('globalTaskId name'), ['value', 'NUMERIC']],
  AICORE_FREQ: integers('deviceId timestampNs freq'),
  MEMORY_RECORD: integers('component timestamp totalAllocated totalReserved totalActive streamPtr deviceId'),
  OP_MEMORY: integers('name size allocationTime releaseTime activeReleaseTime duration activeDuration allocationTotalAllocated allocationTotalReserved allocationTotalActive releaseTotalAllocated releaseTotalReserved releaseTotalActive streamPtr deviceId'),
} satisfies Record<string, Columns>; // prettier-ignore

/** What a kernel counts, by the profiler's names: times in ns. */
export function countersOf({ start, end }: DeviceTask, { core, blocks }: KernelWork): Readonly<Record<string, number>> {
  const ns = end - start;
  const cycles = Math.round(ns * (DEVICE.clockHz / 1e9));
  if (core === 'AI_VECTOR_CORE')
    return { aiv_total_time: ns, aiv_total_cycles: cycles * blocks, aiv_vec_time: ns * 0.25, aiv_vec_ratio: 0.25 };
  return {
    aic_total_time: ns,
    aic_total_cycles: cycles * blocks,
    aic_mac_time: ns * EFFICIENCY,
    aic_mac_ratio: EFFICIENCY,
  };
}

export const shapesText = (shapes: readonly (readonly number[])[]): string =>
  `"${shapes.map((shape) => shape.join()).join(';')}"`;
export const repeated = (text: string, { length }: readonly unknown[]): string =>
  Array.from({ length }, () => text).join(';');

class Writer {
  readonly #tables = new Tables(SCHEMA);
  readonly #strings = new Interned(0, (id, value) => {
    this.#tables.insert('STRING_IDS', { id, value });
  });
  #chains = 0;
  #connected = 0;

  constructor(private readonly run: AscendRun) {}

  bytes(): Buffer {
    const { run } = this;
    for (const [name, value] of [
      ['SCHEMA_VERSION', '1.2.0'],
      ['SCHEMA_VERSION_MAJOR', '1'],
      ['SCHEMA_VERSION_MINOR', '2'],
      ['SCHEMA_VERSION_MICRO', '0'],
    ] as const)
      this.#row('META_DATA', { name, value });
    this.#row('NPU_INFO', { id: 0, name: DEVICE.name });
    this.#row('RANK_DEVICE_MAP', { rankId: 0, deviceId: 0 });
    this.#row('SESSION_TIME_INFO', { startTimeNs: EPOCH, endTimeNs: this.#at(run.end) });
    this.#row('AICORE_FREQ', { deviceId: 0, timestampNs: EPOCH, freq: DEVICE.clockHz / 1e6 });
    const forward = new Set(run.ops.filter(({ seq, backward }) => seq >= 0 && !backward).map(({ seq }) => seq));
    for (const op of run.ops) this.#host(op, forward);
    for (const { id, start, end } of run.steps) this.#row('STEP_TIME', { id, ...this.#times(start, end) });
    run.tasks.forEach((task, id) => {
      this.#task(task, id);
    });
    for (const { text, start, end, connection } of run.ranges) {
      const tid = globalTid('main');
      const own = {
        eventType: 2,
        rangeId: NONE,
        category: NONE,
        message: this.#string(text),
        globalTid: tid,
        endGlobalTid: tid,
      };
      this.#row('MSTX_EVENTS', {
        ...this.#times(start, end),
        ...own,
        domainId: this.#string('default'),
        connectionId: connection,
      });
    }
    this.#memory();
    return this.#tables.bytes();
  }

  #host(op: HostOp, forward: ReadonlySet<number>): void {
    const isOp = op.kind === 'op';
    let connection: number | null = null;
    if (op.connections.length > 0) {
      connection = ++this.#connected;
      for (const connectionId of op.connections) this.#row('CONNECTION_IDS', { id: connection, connectionId });
    }
    let chain: number | null = null;
    if (op.stack.length > 0) {
      chain = ++this.#chains;
      const id = chain;
      op.stack.forEach((frame, stackDepth) => {
        this.#row('PYTORCH_CALLCHAINS', { id, stack: this.#string(frame), stackDepth });
      });
    }
    const list = (texts: readonly string[]): number | null =>
      texts.length === 0 ? null : this.#string(texts.join(';\r\n'));
    this.#row('PYTORCH_API', {
      startNs: String(this.#at(op.start)),
      endNs: String(this.#at(op.end)),
      globalTid: globalTid(op.thread),
      connectionId: connection,
      name: this.#string(op.name),
      sequenceNumber: isOp ? op.seq : null,
      fwdThreadId: isOp ? Number(op.backward && forward.has(op.seq)) : null,
      inputDtypes: list(op.inputs.map(({ type }) => type)),
      inputShapes: list(op.inputs.map(({ shape }) => shape.join())),
      callchainId: chain,
      type: isOp ? 50001 : 50003,
    });
  }

  #task(task: DeviceTask, id: number): void {
    const { kind, connection, start, end, stream, launched, work, bytes = 0 } = task;
    const type = {
      kernel: work?.core === 'AI_CORE' ? 'KERNEL_AICORE' : 'KERNEL_AIVEC',
      copy: 'MEMCPY_ASYNC',
      collective: 'Memcpy',
      mark: 'PROFILER_TRACE_EX',
    }[kind];
    this.#row('TASK', {
      ...this.#times(start, end),
      deviceId: 0,
      connectionId: connection,
      globalTaskId: id,
      globalPid: PID,
      taskType: this.#string(type),
      contextId: kind === 'collective' ? 1 : NONE,
      streamId: stream,
      taskId: task.task,
      modelId: NONE,
    });
    if (kind === 'mark') return;
    const [apiType, api] =
      kind === 'copy'
        ? [20000, 'aclrtMemcpyAsync']
        : kind === 'collective'
          ? [5500, 'hcom_allReduce_']
          : [10000, 'launch'];
    this.#row('CANN_API', {
      ...this.#times(launched, launched + 2000),
      type: apiType,
      globalTid: globalTid('queue'),
      connectionId: connection,
      name: this.#string(api),
    });
    if (kind === 'copy') this.#row('MEMCPY_INFO', { globalTaskId: id, size: bytes, memcpyOperation: 1 });
    if (kind === 'collective') this.#collective(task, id, bytes);
    if (work !== undefined) this.#kernel(task, work, id);
  }

  #kernel(task: DeviceTask, work: KernelWork, id: number): void {
    const formats = (list: readonly unknown[]): number => this.#string(repeated('ND', list));
    const types = (list: readonly unknown[]): number => this.#string(repeated(work.dtype, list));
    this.#row('COMPUTE_TASK_INFO', {
      name: this.#string(work.name),
      globalTaskId: id,
      blockNum: work.blocks,
      mixBlockNum: 0,
      taskType: this.#string(work.core),
      opType: this.#string(work.opType),
      inputFormats: formats(work.inputs),
      inputDataTypes: types(work.inputs),
      inputShapes: this.#string(shapesText(work.inputs)),
      outputFormats: formats(work.outputs),
      outputDataTypes: types(work.outputs),
      outputShapes: this.#string(shapesText(work.outputs)),
      attrInfo: this.#string('N/A'),
      opState: this.#string('static'),
      hf32Eligible: this.#string('NO'),
      gridDim: null,
      blockDim: null,
    });
    for (const [name, value] of Object.entries(countersOf(task, work))) {
      this.#row('TASK_PMU_INFO', { globalTaskId: id, name: this.#string(name), value });
    }
  }

  #collective({ connection, start, end, name: text = '' }: DeviceTask, id: number, bytes: number): void {
    const [name, group] = [this.#string(text), this.#string(GROUP)];
    this.#row('COMMUNICATION_OP', {
      ...this.#times(start, end),
      ...{ opName: name, connectionId: connection, groupName: group, opId: id, relay: 0, retry: 0 },
      ...{ dataType: 3, algType: this.#string('MESH-RING'), count: bytes / 2, opType: this.#string('hcom_allReduce_') },
      ...{ deviceId: 0, rankSize: 2 },
    });
    this.#row('COMMUNICATION_TASK_INFO', {
      ...{ name, globalTaskId: id, taskType: this.#string('Memcpy'), planeId: 0, groupName: group, notifyId: NONE },
      ...{ rdmaType: NONE, srcRank: 0, dstRank: 1, transportType: 0, size: bytes, dataType: 3, linkType: 1, opId: id },
      ...{ isMaster: 1, bandwidth: Math.round((bytes / (end - start)) * 1e9) },
    });
  }

  #memory(): void {
    const reserved = 512 * 1024 * 1024;
    const changes = this.run.memory.flatMap(({ start, end, held, bytes }) => [
      { time: start, held },
      ...(end === null ? [] : [{ time: end, held: held - bytes }]),
    ]);
    for (const { time, held } of changes.toSorted((a, b) => a.time - b.time)) {
      this.#row('MEMORY_RECORD', {
        component: this.#string('PTA'),
        timestamp: this.#at(time),
        totalAllocated: held,
        totalReserved: reserved,
        totalActive: held,
        streamPtr: 1,
        deviceId: 0,
      });
    }
    for (const { op, bytes, start, end, held } of this.run.memory) {
      const release = end === null ? null : this.#at(end);
      this.#row('OP_MEMORY', {
        ...{ name: this.#string(op), size: bytes, allocationTime: this.#at(start), releaseTime: release },
        ...{ activeReleaseTime: release, duration: end === null ? null : end - start },
        ...{ activeDuration: end === null ? null : end - start, allocationTotalAllocated: held },
        ...{ allocationTotalReserved: reserved, allocationTotalActive: held, streamPtr: 1, deviceId: 0 },
      });
    }
  }

  #row(table: keyof typeof SCHEMA, row: Row): void {
    this.#tables.insert(table, row);
  }

  #string(text: string): number {
    return this.#strings.id(text);
  }

  #at(ns: number): bigint {
    return EPOCH + BigInt(ns);
  }

  #times(start: number, end: number): { startNs: bigint; endNs: bigint } {
    return { startNs: this.#at(start), endNs: this.#at(end) };
  }
}

const globalTid = (thread: Thread): bigint => (BigInt(PID) << 32n) | BigInt(TIDS[thread]);

export const ascendDatabase = (run: AscendRun): Buffer => new Writer(run).bytes();
