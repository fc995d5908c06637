/**
 * Tables of an nvprof database, version 12 (CUDA 10.2), as far as the samples fill them. Real files hold every table,
 * most of them empty. Source: CUPTI activity records, whose structs nvprof stores field by field.
 */
import type { Columns, Schema } from './tables.js';

const ID: Columns[number] = ['_id_', 'INTEGER PRIMARY KEY AUTOINCREMENT'];
const ints = (names: string): Columns => names.split(' ').map((name) => [name, 'INT NOT NULL']);
const blob = (name: string): Columns[number] => [name, 'BLOB NOT NULL'];

const API: Columns = [ID, ...ints('cbid start end processId threadId correlationId returnValue')];

export const NVPROF_SCHEMA = {
  StringTable: [ID, ['value', 'TEXT NOT NULL UNIQUE']],
  Version: [['version', 'INTEGER']],
  CUPTI_ACTIVITY_KIND_MEMCPY: [
    ID,
    ...ints(
      'copyKind srcKind dstKind flags bytes start end deviceId contextId streamId correlationId runtimeCorrelationId',
    ),
  ],
  CUPTI_ACTIVITY_KIND_MEMSET: [
    ID,
    ...ints('value bytes start end deviceId contextId streamId correlationId flags memoryKind'),
  ],
  CUPTI_ACTIVITY_KIND_DRIVER: API,
  CUPTI_ACTIVITY_KIND_RUNTIME: API,
  CUPTI_ACTIVITY_KIND_DEVICE: [
    ID,
    ...ints(
      'flags globalMemoryBandwidth globalMemorySize constantMemorySize l2CacheSize numThreadsPerWarp coreClockRate numMemcpyEngines numMultiprocessors maxIPC maxWarpsPerMultiprocessor maxBlocksPerMultiprocessor maxSharedMemoryPerMultiprocessor maxRegistersPerMultiprocessor maxRegistersPerBlock maxSharedMemoryPerBlock maxThreadsPerBlock maxBlockDimX maxBlockDimY maxBlockDimZ maxGridDimX maxGridDimY maxGridDimZ computeCapabilityMajor computeCapabilityMinor id eccEnabled',
    ),
    blob('uuid'),
    ...ints('name'),
  ],
  CUPTI_ACTIVITY_KIND_CONTEXT: [ID, ...ints('contextId deviceId computeApiKind nullStreamId')],
  CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: [
    ID,
    blob('cacheConfig'),
    ...ints(
      'sharedMemoryConfig registersPerThread partitionedGlobalCacheRequested partitionedGlobalCacheExecuted start end completed deviceId contextId streamId gridX gridY gridZ blockX blockY blockZ staticSharedMemory dynamicSharedMemory localMemoryPerThread localMemoryTotal correlationId gridId name queued submitted launchType isSharedMemoryCarveoutRequested sharedMemoryCarveoutRequested sharedMemoryExecuted',
    ),
  ],
  CUPTI_ACTIVITY_KIND_NAME: [ID, ...ints('objectKind'), blob('objectId'), ...ints('name')],
  CUPTI_ACTIVITY_KIND_MARKER: [ID, ...ints('flags timestamp id objectKind'), blob('objectId'), ...ints('name domain')],
} as const satisfies Schema;

const INDEXED: Readonly<Record<string, string>> = {
  CUPTI_ACTIVITY_KIND_MEMCPY: 'correlationId',
  CUPTI_ACTIVITY_KIND_MEMSET: 'correlationId',
  CUPTI_ACTIVITY_KIND_DRIVER: 'correlationId',
  CUPTI_ACTIVITY_KIND_RUNTIME: 'correlationId',
  CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: 'correlationId',
  CUPTI_ACTIVITY_KIND_MARKER: 'timestamp',
};

/** The index that nvprof makes with a table. */
export const nvprofIndexes = (table: string): string[] => {
  const column = INDEXED[table];
  return column === undefined ? [] : [`CREATE INDEX INDEX_${table} ON ${table}(${column})`];
};
