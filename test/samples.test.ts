import Database from 'better-sqlite3';
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { lenet } from '../samples/programs/lenet.js';
import { ALL_SAMPLES, SAMPLES } from '../samples/programs/write-samples.js';
import { ROOT } from './support/shared.js';

const committed = (name: string): string => join(ROOT, 'samples', name);

/** One query on a committed sample, integers as bigint. */
function query(name: string, sql: string): Record<string, unknown>[] {
  const db = new Database(committed(name), { readonly: true });
  try {
    return db.prepare<[], Record<string, unknown>>(sql).safeIntegers().all();
  } finally {
    db.close();
  }
}

const only = (name: string, sql: string): unknown => Object.values(query(name, sql)[0] ?? {})[0];

/** Columns by table, as the formats' documents list them. */
const NSIGHT_COLUMNS: Readonly<Record<string, string>> = {
  StringIds: 'id value',
  META_DATA_EXPORT: 'name value',
  META_DATA_CAPTURE: 'name value',
  PROCESSES: 'globalPid pid name',
  ThreadNames: 'nameId priority globalTid',
  ANALYSIS_DETAILS: 'globalVid duration startTime stopTime',
  TARGET_INFO_SESSION_START_TIME: 'utcEpochNs utcTime localTime systemClockNs',
  TARGET_INFO_CUDA_DEVICE: 'gpuId cudaId pid uuid numMultiprocessors',
  TARGET_INFO_GPU:
    'vmId id name busLocation isDiscrete l2CacheSize totalMemory memoryBandwidth clockRate smCount pwGpuId uuid luid chipName cuDevice ctxswDevPath ctrlDevPath revision nodeMask constantMemory maxIPC maxRegistersPerBlock maxShmemPerBlock maxShmemPerBlockOptin maxShmemPerSm maxRegistersPerSm threadsPerWarp asyncEngines maxWarpsPerSm maxBlocksPerSm maxThreadsPerBlock maxBlockDimX maxBlockDimY maxBlockDimZ maxGridDimX maxGridDimY maxGridDimZ computeMajor computeMinor smMajor smMinor',
  CUPTI_ACTIVITY_KIND_KERNEL:
    'start end deviceId contextId greenContextId streamId correlationId globalPid demangledName shortName mangledName launchType cacheConfig registersPerThread gridX gridY gridZ blockX blockY blockZ staticSharedMemory dynamicSharedMemory localMemoryPerThread localMemoryTotal gridId sharedMemoryExecuted graphNodeId sharedMemoryLimitConfig qmdBulkReleaseDone qmdPreexitDone qmdLastCtaDone graphId clusterX clusterY clusterZ clusterSchedulingPolicy maxPotentialClusterSize maxActiveClusters sharedMemoryRequestedPercentage',
  CUPTI_ACTIVITY_KIND_RUNTIME: 'start end eventClass globalTid correlationId nameId returnValue callchainId',
  CUPTI_ACTIVITY_KIND_MEMCPY:
    'start end deviceId contextId greenContextId streamId correlationId globalPid bytes copyKind deprecatedSrcId srcKind dstKind srcDeviceId srcContextId dstDeviceId dstContextId migrationCause graphNodeId virtualAddress copyCount',
  CUPTI_ACTIVITY_KIND_MEMSET:
    'start end deviceId contextId greenContextId streamId correlationId globalPid value bytes graphNodeId memKind',
  CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
    'start end deviceId contextId greenContextId streamId correlationId globalPid deprecatedSyncType syncType eventId eventSyncId',
  CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
    'start end deviceId contextId greenContextId streamId correlationId globalPid graphId graphExecId',
  CUDA_GRAPH_NODE_EVENTS: 'start end eventClass globalTid nameId graphNodeId originalGraphNodeId',
  NVTX_EVENTS:
    'start end eventType rangeId category color text globalTid endGlobalTid textId domainId uint64Value int64Value doubleValue uint32Value int32Value floatValue jsonTextId jsonText binaryData',
};

const NVPROF_COLUMNS: Readonly<Record<string, string>> = {
  StringTable: '_id_ value',
  Version: 'version',
  CUPTI_ACTIVITY_KIND_RUNTIME: '_id_ cbid start end processId threadId correlationId returnValue',
  CUPTI_ACTIVITY_KIND_DRIVER: '_id_ cbid start end processId threadId correlationId returnValue',
  CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    '_id_ cacheConfig sharedMemoryConfig registersPerThread partitionedGlobalCacheRequested partitionedGlobalCacheExecuted start end completed deviceId contextId streamId gridX gridY gridZ blockX blockY blockZ staticSharedMemory dynamicSharedMemory localMemoryPerThread localMemoryTotal correlationId gridId name queued submitted launchType isSharedMemoryCarveoutRequested sharedMemoryCarveoutRequested sharedMemoryExecuted',
  CUPTI_ACTIVITY_KIND_MEMCPY:
    '_id_ copyKind srcKind dstKind flags bytes start end deviceId contextId streamId correlationId runtimeCorrelationId',
  CUPTI_ACTIVITY_KIND_MEMSET: '_id_ value bytes start end deviceId contextId streamId correlationId flags memoryKind',
  CUPTI_ACTIVITY_KIND_MARKER: '_id_ flags timestamp id objectKind objectId name domain',
  CUPTI_ACTIVITY_KIND_NAME: '_id_ objectKind objectId name',
  CUPTI_ACTIVITY_KIND_CONTEXT: '_id_ contextId deviceId computeApiKind nullStreamId',
  CUPTI_ACTIVITY_KIND_DEVICE:
    '_id_ flags globalMemoryBandwidth globalMemorySize constantMemorySize l2CacheSize numThreadsPerWarp coreClockRate numMemcpyEngines numMultiprocessors maxIPC maxWarpsPerMultiprocessor maxBlocksPerMultiprocessor maxSharedMemoryPerMultiprocessor maxRegistersPerMultiprocessor maxRegistersPerBlock maxSharedMemoryPerBlock maxThreadsPerBlock maxBlockDimX maxBlockDimY maxBlockDimZ maxGridDimX maxGridDimY maxGridDimZ computeCapabilityMajor computeCapabilityMinor id eccEnabled uuid name',
};

/** Enumerations have the same three columns everywhere; sqlite_sequence is SQLite's own. */
const factsOf = (name: string, table: string): string[] => {
  if (table.startsWith('ENUM_')) return ['id', 'name', 'label'];
  if (table === 'sqlite_sequence') return ['name', 'seq'];
  return (name.includes('.nsys.') ? NSIGHT_COLUMNS : NVPROF_COLUMNS)[table]?.split(' ') ?? [];
};

/** Bytes of a sample; of a packed one unpacked, because packing may differ between machines. */
function bytesOf(name: string): Buffer {
  const bytes = readFileSync(committed(name));
  return name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

describe('samples', () => {
  for (const [name, make] of Object.entries(ALL_SAMPLES)) {
    it(`${name} is what its program writes, byte for byte`, () => {
      expect(make().equals(bytesOf(name))).to.equal(true);
    });

    it(`${name} is at most 300 KB`, () => {
      expect(readFileSync(committed(name)).length).to.be.at.most(300_000);
    });
  }

  it('are those of the programs, each named by samples/README.md', () => {
    const entries = [...new Set(Object.keys(ALL_SAMPLES).map((path) => path.replace(/\/.*/, '')))];
    expect(readdirSync(committed('.'))).to.have.members([...entries, 'programs', 'README.md']);
    const page = readFileSync(committed('README.md'), 'utf8');
    for (const name of entries) expect(page).to.match(new RegExp(`^\\| \`${name}/?\` \\|`, 'm'));
  });
});

describe('sample databases', () => {
  for (const name of Object.keys(SAMPLES)) {
    describe(name, () => {
      it('has only tables and columns that real files have', () => {
        for (const { name: table } of query(name, "SELECT name FROM sqlite_master WHERE type = 'table'")) {
          const columns = query(name, `PRAGMA table_info(${String(table)})`).map((column) => column['name']);
          expect(columns, String(table)).to.have.length.above(0);
          expect(factsOf(name, String(table)), String(table)).to.include.members(columns);
        }
      });
    });
  }

  it('stores nvprof times as Unix nanoseconds, which a double cannot hold', () => {
    const start = only('lenet.nvprof.sql', 'SELECT min(start) FROM CUPTI_ACTIVITY_KIND_RUNTIME');
    const first = Math.min(...lenet({ graph: false }).calls.map((call) => call.start));
    expect(start).to.equal(1_600_000_000_123_456_789n + BigInt(first));
  });

  it('stores a pthread handle signed in calls, and in the marker blob after the process id', () => {
    // 0xEADC3740 = 3940300608 as an unsigned number, -354666688 as a signed one; process 4242 = 0x1092.
    const calls = query('lenet.nvprof.sql', 'SELECT DISTINCT threadId FROM CUPTI_ACTIVITY_KIND_RUNTIME ORDER BY 1');
    expect(calls.map((call) => call['threadId'])).to.deep.equal([-354_666_688n, 452_974_336n]);
    const blobs = query('lenet.nvprof.sql', 'SELECT DISTINCT hex(objectId) AS h FROM CUPTI_ACTIVITY_KIND_MARKER');
    expect(blobs.map((blob) => blob['h'])).to.include('921000004037DCEA00000000');
  });

  it('has one kernel whose launch is missing, and correlation ids that two processes share', () => {
    const name = 'transformer.nsys.sqlite';
    const launched = `EXISTS (SELECT 1 FROM CUPTI_ACTIVITY_KIND_RUNTIME r
      WHERE r.correlationId = k.correlationId AND (r.globalTid >> 24) = (k.globalPid >> 24))`;
    expect(only(name, `SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k WHERE NOT ${launched}`)).to.equal(1n);
    const shared = `SELECT count(*) FROM (SELECT correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME
      GROUP BY 1 HAVING count(DISTINCT globalTid >> 24) > 1)`;
    expect(only(name, shared)).to.satisfy((n: bigint) => n > 10n);
  });

  it('has every replayed node descend from a captured one', () => {
    const sql = `SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k
      JOIN CUDA_GRAPH_NODE_EVENTS e ON e.graphNodeId = k.graphNodeId
      JOIN CUDA_GRAPH_NODE_EVENTS o ON o.graphNodeId = e.originalGraphNodeId AND o.originalGraphNodeId IS NULL`;
    // Two replays of fc1, gelu, fc2.
    expect(only('transformer.nsys.sqlite', sql)).to.equal(6n);
  });

  it('nests push/pop ranges on every thread', () => {
    const sql = `SELECT count(*) FROM NVTX_EVENTS a JOIN NVTX_EVENTS b USING (globalTid)
      WHERE a.eventType = 59 AND b.eventType = 59 AND a.start < b.start AND b.start < a.end AND a.end < b.end`;
    for (const name of ['lenet.nsys.sqlite', 'transformer.nsys.sqlite']) expect(only(name, sql)).to.equal(0n);
  });
});
