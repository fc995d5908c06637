/**
 * Tables of an Nsight Systems 2025 SQLite export (schema 3.24), as far as the samples fill them. Source: NVIDIA Nsight
 * Systems documentation, "SQLite schema reference", and exports of version 2025.5.
 */
import type { Columns, Schema } from './tables.js';

const NOT_NULL = 'INTEGER NOT NULL';
const INTEGER = 'INTEGER';
const TEXT = 'TEXT';

const columns = (declaration: string, names: string): Columns => names.split(' ').map((name) => [name, declaration]);

/** Where and when: the columns that device activities begin with. */
const ACTIVITY: Columns = [
  ...columns(NOT_NULL, 'start end deviceId contextId'),
  ['greenContextId', INTEGER],
  ['streamId', NOT_NULL],
  ...columns(INTEGER, 'correlationId globalPid'),
];

const ENUM: Columns = [
  ['id', 'INTEGER NOT NULL PRIMARY KEY'],
  ['name', TEXT],
  ['label', TEXT],
];

const NAME_AND_VALUE: Columns = [
  ['name', 'TEXT NOT NULL'],
  ['value', TEXT],
];

export const NSIGHT_SCHEMA = {
  StringIds: [
    ['id', 'INTEGER NOT NULL PRIMARY KEY'],
    ['value', 'TEXT NOT NULL'],
  ],
  META_DATA_EXPORT: NAME_AND_VALUE,
  META_DATA_CAPTURE: NAME_AND_VALUE,
  ENUM_NSYS_EVENT_TYPE: ENUM,
  ENUM_NSYS_EVENT_CLASS: ENUM,
  ENUM_CUDA_MEMCPY_OPER: ENUM,
  ENUM_CUPTI_SYNC_TYPE: ENUM,
  PROCESSES: [...columns(INTEGER, 'globalPid pid'), ['name', TEXT]],
  ThreadNames: [['nameId', NOT_NULL], ...columns(INTEGER, 'priority globalTid')],
  ANALYSIS_DETAILS: columns(NOT_NULL, 'globalVid duration startTime stopTime'),
  TARGET_INFO_SESSION_START_TIME: [
    ['utcEpochNs', INTEGER],
    ...columns(TEXT, 'utcTime localTime'),
    ['systemClockNs', INTEGER],
  ],
  TARGET_INFO_GPU: [
    ...columns(NOT_NULL, 'vmId id'),
    ...columns(TEXT, 'name busLocation'),
    ...columns(INTEGER, 'isDiscrete l2CacheSize totalMemory memoryBandwidth clockRate smCount pwGpuId'),
    ['uuid', TEXT],
    ['luid', INTEGER],
    ['chipName', TEXT],
    ['cuDevice', INTEGER],
    ...columns(TEXT, 'ctxswDevPath ctrlDevPath'),
    ...columns(
      INTEGER,
      'revision nodeMask constantMemory maxIPC maxRegistersPerBlock maxShmemPerBlock maxShmemPerBlockOptin maxShmemPerSm maxRegistersPerSm threadsPerWarp asyncEngines maxWarpsPerSm maxBlocksPerSm maxThreadsPerBlock maxBlockDimX maxBlockDimY maxBlockDimZ maxGridDimX maxGridDimY maxGridDimZ computeMajor computeMinor smMajor smMinor',
    ),
  ],
  TARGET_INFO_CUDA_DEVICE: [
    ['gpuId', INTEGER],
    ...columns(NOT_NULL, 'cudaId pid'),
    ['uuid', TEXT],
    ['numMultiprocessors', INTEGER],
  ],
  CUPTI_ACTIVITY_KIND_KERNEL: [
    ...ACTIVITY,
    ...columns(NOT_NULL, 'demangledName shortName'),
    ...columns(INTEGER, 'mangledName launchType cacheConfig'),
    ...columns(
      NOT_NULL,
      'registersPerThread gridX gridY gridZ blockX blockY blockZ staticSharedMemory dynamicSharedMemory localMemoryPerThread localMemoryTotal gridId',
    ),
    ...columns(
      INTEGER,
      'sharedMemoryExecuted graphNodeId sharedMemoryLimitConfig qmdBulkReleaseDone qmdPreexitDone qmdLastCtaDone graphId clusterX clusterY clusterZ clusterSchedulingPolicy maxPotentialClusterSize maxActiveClusters sharedMemoryRequestedPercentage',
    ),
  ],
  CUPTI_ACTIVITY_KIND_RUNTIME: [
    ...columns(NOT_NULL, 'start end eventClass'),
    ...columns(INTEGER, 'globalTid correlationId'),
    ...columns(NOT_NULL, 'nameId returnValue'),
    ['callchainId', INTEGER],
  ],
  CUPTI_ACTIVITY_KIND_MEMCPY: [
    ...ACTIVITY,
    ...columns(NOT_NULL, 'bytes copyKind'),
    ...columns(
      INTEGER,
      'deprecatedSrcId srcKind dstKind srcDeviceId srcContextId dstDeviceId dstContextId migrationCause graphNodeId virtualAddress copyCount',
    ),
  ],
  CUPTI_ACTIVITY_KIND_MEMSET: [
    ...ACTIVITY,
    ...columns(NOT_NULL, 'value bytes'),
    ...columns(INTEGER, 'graphNodeId memKind'),
  ],
  CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: [
    ...ACTIVITY,
    ['deprecatedSyncType', INTEGER],
    ...columns(NOT_NULL, 'syncType eventId'),
    ['eventSyncId', INTEGER],
  ],
  CUPTI_ACTIVITY_KIND_GRAPH_TRACE: [...ACTIVITY, ...columns(NOT_NULL, 'graphId graphExecId')],
  CUDA_GRAPH_NODE_EVENTS: [
    ...columns(NOT_NULL, 'start end eventClass'),
    ['globalTid', INTEGER],
    ...columns(NOT_NULL, 'nameId graphNodeId'),
    ['originalGraphNodeId', INTEGER],
  ],
  NVTX_EVENTS: [
    ['start', NOT_NULL],
    ['end', INTEGER],
    ['eventType', NOT_NULL],
    ...columns(INTEGER, 'rangeId category color'),
    ['text', TEXT],
    ...columns(INTEGER, 'globalTid endGlobalTid textId domainId uint64Value int64Value'),
    ['doubleValue', 'REAL'],
    ...columns(INTEGER, 'uint32Value int32Value'),
    ['floatValue', 'REAL'],
    ['jsonTextId', INTEGER],
    ...columns(TEXT, 'jsonText binaryData'),
  ],
} as const satisfies Schema;

export type NsightTable = keyof typeof NSIGHT_SCHEMA;
