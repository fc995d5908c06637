/** Nsight Systems databases for tests, in the schema of 2026 (version 3.24). */
import { ProfileDatabase, type Cells } from './profile-database.js';

const PLACE = 'start! end! deviceId! contextId! greenContextId streamId! correlationId globalPid';

const CHAIN = 'id! symbol! module! kernelMode thumbCode unresolved specialEntry originalIP unwindMethod stackDepth!';

const SCHEMA = {
  StringIds: 'id value$!',
  META_DATA_EXPORT: 'name$! value$',
  EXPORT_META_DATA: 'name$! value$',
  ANALYSIS_DETAILS: 'globalVid! duration! startTime! stopTime!',
  TARGET_INFO_SESSION_START_TIME: 'utcEpochNs utcTime$ localTime$ systemClockNs',
  TARGET_INFO_SYSTEM_ENV: 'globalVid devStateName$! name$! nameEnum! value$!',
  TARGET_INFO_GPU:
    'vmId! id! name$ busLocation$ totalMemory memoryBandwidth clockRate smCount cuDevice computeMajor computeMinor',
  TARGET_INFO_CUDA_DEVICE: 'gpuId! cudaId! pid! uuid$ numMultiprocessors!',
  TARGET_INFO_CUDA_CONTEXT_INFO:
    'nullStreamId! hwId! vmId! processId! deviceId! contextId! parentContextId isGreenContext',
  TARGET_INFO_CUDA_NULL_STREAM: 'streamId! hwId! vmId! processId! deviceId! contextId!',
  CUPTI_ACTIVITY_KIND_KERNEL: `${PLACE} demangledName! shortName! mangledName launchType cacheConfig registersPerThread! gridX! gridY! gridZ! blockX! blockY! blockZ! staticSharedMemory! dynamicSharedMemory! localMemoryPerThread! localMemoryTotal! gridId! sharedMemoryExecuted graphNodeId sharedMemoryLimitConfig graphId`,
  CUPTI_ACTIVITY_KIND_RUNTIME: 'start! end! eventClass! globalTid correlationId nameId! returnValue! callchainId',
  CUPTI_ACTIVITY_KIND_MEMCPY: `${PLACE} bytes! copyKind! srcKind dstKind graphNodeId copyCount`,
  CUPTI_ACTIVITY_KIND_MEMSET: `${PLACE} value! bytes! graphNodeId memKind`,
  CUPTI_ACTIVITY_KIND_CUDA_EVENT:
    'timestamp! deviceId! contextId! greenContextId streamId! correlationId globalPid eventId! eventSyncId',
  CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: `${PLACE} deprecatedSyncType syncType! eventId! eventSyncId`,
  PROFILER_OVERHEAD: 'start! end! globalTid nameId! overheadType',
  CUPTI_ACTIVITY_KIND_OVERHEAD: 'start! end! eventClass! globalTid correlationId nameId! overheadType',
  CUPTI_ACTIVITY_KIND_GRAPH_TRACE: `${PLACE} graphId! graphExecId!`,
  CUDA_GRAPH_NODE_EVENTS: 'start! end! eventClass! globalTid nameId! graphNodeId! originalGraphNodeId',
  CUDA_GRAPH_EVENTS: 'start! end! eventClass! globalTid nameId! graphNodeId! originalGraphNodeId',
  CUDA_GPU_MEMORY_USAGE_EVENTS:
    'start! globalPid! deviceId! contextId! address! pc! bytes! memKind! memoryOperationType! name$ correlationId streamId',
  OSRT_API: 'start! end! eventClass! globalTid correlationId nameId! returnValue! nestingLevel callchainId!',
  SCHED_EVENTS: 'start! cpu! isSchedIn! globalTid threadState threadBlock',
  COMPOSITE_EVENTS: 'id! start! cpu threadState globalTid cpuCycles!',
  ...Object.fromEntries(['SAMPLING_CALLCHAINS', 'OSRT_CALLCHAINS'].map((table) => [table, CHAIN])),
  TARGET_INFO_GPU_METRICS: 'typeId! sourceId! typeName$! metricId! metricName$!',
  GPU_METRICS: 'rawTimestamp timestamp! typeId! metricId! value!',
  NVTX_PAYLOAD_SCHEMAS: 'domainId! schemaId! name$ type flags numEntries payloadSize alignTo',
  NVTX_PAYLOAD_SCHEMA_ENTRIES: 'domainId! schemaId! idx! flags type name$ description$ arrayOrUnionDetail offset',
  NVTX_EVENTS:
    'start! end eventType! rangeId category color text$ globalTid endGlobalTid textId domainId uint64Value int64Value doubleValue uint32Value int32Value floatValue jsonTextId jsonText$ binaryData$',
};

export const PID = 1000;
export const TID = 1234;
/** Machine id 0, VM 1: such ids exceed 2^53 only with a hardware id. */
const VM = 1n << 48n;
export const HARDWARE = 1n << 56n;

/** `hwId:8 | vmId:8 | pid:24 | tid:24`. */
export const globalTid = (tid = TID, pid = PID, machine = VM): bigint => machine | (BigInt(pid) << 24n) | BigInt(tid);
export const globalPid = (pid = PID, machine = VM): bigint => globalTid(0, pid, machine);

export interface Span {
  readonly start: number;
  readonly end: number;
}

export class NsightDatabase extends ProfileDatabase {
  constructor() {
    super(SCHEMA, ['StringIds', 'id']);
    this.string('StringIds is what identifies the format');
  }

  kernel({ start, end }: Span, corr: number | null, cells: Cells = {}, name = 'kernel'): this {
    const [grid, block] = [{ gridX: 1, gridY: 1, gridZ: 1 }, { blockX: 32, blockY: 1, blockZ: 1 }]; // prettier-ignore
    const place = { start, end, streamId: 7, correlationId: corr, globalPid: globalPid() };
    const id = this.string(name);
    return this.row('CUPTI_ACTIVITY_KIND_KERNEL', {
      ...{ ...place, ...grid, ...block, demangledName: id, shortName: id },
      ...cells,
    });
  }

  call({ start, end }: Span, corr: number | null, cells: Cells = {}, name = 'cudaLaunchKernel_v7000'): this {
    const where = { globalTid: globalTid(), correlationId: corr };
    return this.row('CUPTI_ACTIVITY_KIND_RUNTIME', { start, end, ...where, nameId: this.string(name), ...cells });
  }

  /** A push/pop range of the default domain; `end` null: still open at the end. */
  range(text: string | null, start: number, end: number | null, cells: Cells = {}): this {
    return this.row('NVTX_EVENTS', {
      ...{ start, end, eventType: 59, text, globalTid: globalTid(), domainId: 0 },
      ...cells,
    });
  }

  /** A block of device memory is allocated (0) or released (1). */
  memory(start: number, operation: number, address: number, bytes: number, cells: Cells = {}): this {
    const place = { globalPid: globalPid(), memKind: 2, address, bytes };
    return this.row('CUDA_GPU_MEMORY_USAGE_EVENTS', { start, memoryOperationType: operation, ...place, ...cells });
  }

  /** A launch from 100·n to 100·n + 10 on one thread, its kernel, and the strings of the ranges around it. */
  launch(n: number, texts: readonly string[], cells: Cells = {}): this {
    const thread = cells['globalTid'] ?? globalTid();
    texts.forEach((text, depth) => this.range(text, 100 * n - 40 + depth, 100 * n + 50 - depth, { globalTid: thread }));
    return this.call({ start: 100 * n, end: 100 * n + 10 }, n, cells).kernel(
      { start: 100 * n + 20, end: 100 * n + 30 },
      n,
    );
  }
}
