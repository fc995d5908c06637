/** A timeline as an nvprof database of version 12. One process a file; times are Unix nanoseconds. */
import type { Gpu } from './gpu.js';
import { NVPROF_SCHEMA, nvprofIndexes } from './nvprof-schema.js';
import type { Row } from './tables.js';
import { Interned, Tables } from './tables.js';
import type { CopyKind, Process, Range, Thread, Timeline } from './timeline.js';

/** CUPTI callback ids of the API calls the samples make. */
const CALLBACK: Readonly<Record<string, number>> = {
  cudaMemcpyAsync: 41,
  cudaMemsetAsync: 51,
  cudaStreamSynchronize: 131,
  cudaLaunchKernel: 211,
  cuLaunchKernel: 307,
};

/** CUpti_ActivityMemcpyKind and CUpti_ActivityMemoryKind. */
const COPY_KIND: Readonly<Record<CopyKind, number>> = { HtoD: 1, DtoH: 2, DtoD: 8 };
const PAGEABLE = 1;
const PINNED = 2;
const DEVICE = 3;

/** CUpti_ActivityFlag of markers. */
const INSTANT = 1;
const START = 2;
const END = 4;
const OBJECT_PROCESS = 1;
const OBJECT_THREAD = 2;

export function nvprofDatabase(timeline: Timeline): Buffer {
  const [process] = timeline.processes;
  if (process === undefined || timeline.processes.length > 1) throw new Error('an nvprof file holds one process');
  const tables = new Tables(NVPROF_SCHEMA, nvprofIndexes);
  tables.insert('StringTable', { _id_: 0, value: '-- null --' });
  const strings = new Interned(1, (id, value) => {
    tables.insert('StringTable', { _id_: id, value });
  });
  tables.insert('Version', { version: 12 });
  const at = (ns: number): bigint => timeline.startUnixNs + BigInt(ns);
  writeTarget(tables, timeline, process, strings);
  writeCalls(tables, timeline, at);
  writeDevice(tables, timeline, strings, at);
  writeMarkers(tables, timeline.ranges, strings, at);
  return tables.bytes();
}

type At = (ns: number) => bigint;

function writeTarget(tables: Tables, { gpus, program }: Timeline, process: Process, strings: Interned): void {
  const name = strings.id(`python ${program}`);
  tables.insert('CUPTI_ACTIVITY_KIND_NAME', { objectKind: OBJECT_PROCESS, objectId: processBlob(process), name });
  gpus.forEach((gpu, id) => {
    tables.insert('CUPTI_ACTIVITY_KIND_DEVICE', deviceRow(gpu, id, strings.id(gpu.name)));
  });
  tables.insert('CUPTI_ACTIVITY_KIND_CONTEXT', { contextId: 1, deviceId: 0, computeApiKind: 1, nullStreamId: 7 });
}

/** CUpti_ActivityDevice counts kHz and kilobytes a second. */
const deviceRow = (gpu: Gpu, id: number, name: number): Row => ({
  flags: 1,
  globalMemoryBandwidth: gpu.memBytesPerS / 1000,
  globalMemorySize: gpu.memBytes,
  constantMemorySize: 65_536,
  l2CacheSize: gpu.l2Bytes,
  numThreadsPerWarp: 32,
  coreClockRate: gpu.clockHz / 1000,
  numMemcpyEngines: 5,
  numMultiprocessors: gpu.units,
  maxIPC: 4,
  maxWarpsPerMultiprocessor: 64,
  maxBlocksPerMultiprocessor: 32,
  maxSharedMemoryPerMultiprocessor: gpu.sharedBytesPerUnit,
  maxRegistersPerMultiprocessor: 65_536,
  maxRegistersPerBlock: 65_536,
  maxSharedMemoryPerBlock: 49_152,
  maxThreadsPerBlock: 1024,
  maxBlockDimX: 1024,
  maxBlockDimY: 1024,
  maxBlockDimZ: 64,
  maxGridDimX: 2_147_483_647,
  maxGridDimY: 65_535,
  maxGridDimZ: 65_535,
  computeCapabilityMajor: gpu.compute[0],
  computeCapabilityMinor: gpu.compute[1],
  id,
  eccEnabled: 1,
  uuid: Buffer.from(gpu.uuid.replaceAll('-', ''), 'hex'),
  name,
});

function writeCalls(tables: Tables, { calls }: Timeline, at: At): void {
  for (const { thread, level, api, start, end, correlation } of calls) {
    const cbid = CALLBACK[api];
    if (cbid === undefined) throw new Error(`no callback id for ${api}`);
    tables.insert(level === 'runtime' ? 'CUPTI_ACTIVITY_KIND_RUNTIME' : 'CUPTI_ACTIVITY_KIND_DRIVER', {
      cbid,
      start: at(start),
      end: at(end),
      processId: thread.process.pid,
      threadId: thread.handle,
      correlationId: correlation,
      returnValue: 0,
    });
  }
}

function writeDevice(tables: Tables, { kernels, copies, sets }: Timeline, strings: Interned, at: At): void {
  const placed = (run: { stream: number; start: number; end: number; correlation: number }): Row => ({
    start: at(run.start),
    end: at(run.end),
    deviceId: 0,
    contextId: 1,
    streamId: run.stream,
    correlationId: run.correlation,
  });
  kernels.forEach((run, i) => {
    const { kernel, grid, block } = run;
    tables.insert('CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL', {
      ...placed(run),
      cacheConfig: Buffer.from([0]),
      sharedMemoryConfig: 0,
      registersPerThread: kernel.registers,
      ...{ partitionedGlobalCacheRequested: 1, partitionedGlobalCacheExecuted: 1 },
      completed: at(run.end),
      ...{ gridX: grid[0], gridY: grid[1], gridZ: grid[2] },
      ...{ blockX: block[0], blockY: block[1], blockZ: block[2] },
      ...{ staticSharedMemory: 0, dynamicSharedMemory: 0, localMemoryPerThread: 0, localMemoryTotal: 0 },
      gridId: i + 1,
      name: strings.id(kernel.mangled),
      ...{ queued: 0, submitted: 0, launchType: 0 },
      ...{ isSharedMemoryCarveoutRequested: 0, sharedMemoryCarveoutRequested: 0, sharedMemoryExecuted: 0 },
    });
  });
  for (const run of copies) {
    const { kind, bytes, pinned } = run;
    const host = pinned ? PINNED : PAGEABLE;
    const [srcKind, dstKind] = [kind === 'HtoD' ? host : DEVICE, kind === 'DtoH' ? host : DEVICE];
    const facts = { copyKind: COPY_KIND[kind], srcKind, dstKind, flags: 1, bytes, runtimeCorrelationId: 0 };
    tables.insert('CUPTI_ACTIVITY_KIND_MEMCPY', { ...placed(run), ...facts });
  }
  for (const run of sets) {
    const facts = { value: run.value, bytes: run.bytes, flags: 1, memoryKind: DEVICE };
    tables.insert('CUPTI_ACTIVITY_KIND_MEMSET', { ...placed(run), ...facts });
  }
}

/** CUpti_ActivityObjectKindId: process id, then thread id, then four unused bytes. */
function threadBlob({ process, handle }: Thread): Buffer {
  const blob = Buffer.alloc(12);
  blob.writeUInt32LE(process.pid, 0);
  blob.writeInt32LE(handle, 4);
  return blob;
}

function processBlob({ pid }: Process): Buffer {
  const blob = Buffer.alloc(12);
  blob.writeUInt32LE(pid, 0);
  return blob;
}

interface Edge {
  readonly ns: number;
  readonly row: Row;
}

/** A range is two rows with one id; only the first has the name. A range left open has no second row. */
function writeMarkers(tables: Tables, ranges: readonly Range[], strings: Interned, at: At): void {
  const edges: Edge[] = [];
  ranges.forEach((range, i) => {
    const { thread, endThread, kind, start, end, text, domain } = range;
    const shared = { id: 1000 + i, objectKind: OBJECT_THREAD, domain: domain === null ? 0 : strings.id(domain) };
    const flags = kind === 'mark' ? INSTANT : START;
    edges.push({ ns: start, row: { ...shared, flags, objectId: threadBlob(thread), name: strings.id(text) } });
    if (end === null) return;
    const objectId = threadBlob(endThread ?? thread);
    edges.push({ ns: end, row: { ...shared, flags: END, objectId, name: 0 } });
  });
  edges.sort((a, b) => a.ns - b.ns);
  for (const { ns, row } of edges) tables.insert('CUPTI_ACTIVITY_KIND_MARKER', { ...row, timestamp: at(ns) });
}
