/** A timeline as an Nsight Systems SQLite export of schema 3.24. */
import type { Gpu } from './gpu.js';
import { NSIGHT_SCHEMA } from './nsight-schema.js';
import type { Row } from './tables.js';
import { Interned, Tables } from './tables.js';
import type { CopyKind, Process, Range, RangeKind, Thread, Timeline } from './timeline.js';

/** Machine 1, virtual machine 1: the upper 16 bits of every global id. */
const MACHINE = (1n << 56n) | (1n << 48n);
const globalPid = ({ pid }: Process): bigint => MACHINE | (BigInt(pid) << 24n);
const globalTid = ({ process, tid }: Thread): bigint => globalPid(process) | BigInt(tid);

const EVENT_TYPE: Readonly<Record<RangeKind, number>> = { mark: 34, 'push-pop': 59, 'start-end': 60 };
const DOMAIN_CREATE = 75;

const ENUMS: Readonly<Record<string, readonly (readonly [id: number, name: string])[]>> = {
  ENUM_NSYS_EVENT_TYPE: [
    [33, 'NvtxCategory'],
    [34, 'NvtxMark'],
    [39, 'NvtxThread'],
    [59, 'NvtxPushPopRange'],
    [60, 'NvtxStartEndRange'],
    [70, 'NvtxtPushPopRange'],
    [71, 'NvtxtStartEndRange'],
    [75, 'NvtxDomainCreate'],
    [76, 'NvtxDomainDestroy'],
  ],
  ENUM_NSYS_EVENT_CLASS: [
    [0, 'TRACE_PROCESS_EVENT_CUDA_RUNTIME'],
    [1, 'TRACE_PROCESS_EVENT_CUDA_DRIVER'],
  ],
  ENUM_CUDA_MEMCPY_OPER: [
    [1, 'CUDA_MEMCPY_KIND_HTOD'],
    [2, 'CUDA_MEMCPY_KIND_DTOH'],
    [8, 'CUDA_MEMCPY_KIND_DTOD'],
  ],
  ENUM_CUPTI_SYNC_TYPE: [[3, 'CUPTI_SYNC_TYPE_STREAM_SYNCHRONIZE']],
};

const COPY_KIND: Readonly<Record<CopyKind, number>> = { HtoD: 1, DtoH: 2, DtoD: 8 };
const PAGEABLE = 0;
const PINNED = 1;
const DEVICE = 2;

/** Version suffixes of the API entry points. */
const API_SUFFIX: Readonly<Record<string, string>> = {
  cudaLaunchKernel: '_v7000',
  cudaMemcpyAsync: '_v3020',
  cudaMemsetAsync: '_v3020',
  cudaStreamSynchronize: '_v3020',
  cudaGraphLaunch: '_v10000',
  cudaGraphInstantiate: '_v12000',
};

export function nsightDatabase(timeline: Timeline): Buffer {
  const tables = new Tables(NSIGHT_SCHEMA);
  const strings = new Interned(1, (id, value) => {
    tables.insert('StringIds', { id, value });
  });
  writeCapture(tables, timeline);
  writeTarget(tables, timeline, strings);
  writeHost(tables, timeline, strings);
  writeDevice(tables, timeline, strings);
  writeRanges(tables, timeline, strings);
  return tables.bytes();
}

const utc = (ns: bigint): string => new Date(Number(ns / 1_000_000n)).toISOString().slice(0, 19);

function writeCapture(tables: Tables, { startUnixNs, end, graphs, program }: Timeline): void {
  const facts = {
    EXPORT_PRODUCT_NAME: 'NVIDIA Nsight Systems',
    EXPORT_PRODUCT_VERSION: '2025.5.2.266',
    EXPORT_PRODUCT_DATE: '2025.5',
    EXPORT_SCHEMA_VERSION: '3.24.0',
    EXPORT_SCHEMA_VERSION_MAJOR: '3',
    EXPORT_SCHEMA_VERSION_MINOR: '24',
    EXPORT_SCHEMA_VERSION_MICRO: '0',
    EXPORT_PLATFORM: 'linux-desktop',
    EXPORT_ARCH: 'x64',
    EXPORT_PARAM_LAZY: 'true',
    EXPORT_PARAM_TIME_NORMALIZE: 'false',
    EXPORT_PARAM_TIME_SHIFT: '0',
    SAMPLE_NOTE: `written by samples/programs after ${program}; invented, not measured`,
  };
  for (const [name, value] of Object.entries(facts)) tables.insert('META_DATA_EXPORT', { name, value });
  const mode = graphs.length > 0 ? 'Graph' : 'Node';
  tables.insert('META_DATA_CAPTURE', { name: 'CUDA_GRAPH_TRACE_OPTIONS:MODE', value: mode });
  for (const [table, entries] of Object.entries(ENUMS)) {
    for (const [id, name] of entries) tables.insert(table, { id, name, label: name });
  }
  const bootedNs = 86_400_000_000_000n;
  tables.insert('TARGET_INFO_SESSION_START_TIME', {
    utcEpochNs: startUnixNs,
    utcTime: utc(startUnixNs),
    localTime: utc(startUnixNs),
    systemClockNs: bootedNs,
  });
  const stopTime = bootedNs + BigInt(end);
  tables.insert('ANALYSIS_DETAILS', { globalVid: MACHINE, duration: end, startTime: bootedNs, stopTime });
}

function writeTarget(tables: Tables, { gpus, processes, threads }: Timeline, strings: Interned): void {
  gpus.forEach((gpu, id) => {
    tables.insert('TARGET_INFO_GPU', gpuRow(gpu, id));
  });
  for (const process of processes) {
    const { pid, name, gpu: gpuId } = process;
    tables.insert('PROCESSES', { globalPid: globalPid(process), pid, name });
    const gpu = gpus[gpuId];
    const facts = { uuid: gpu?.uuid ?? null, numMultiprocessors: gpu?.units ?? null };
    tables.insert('TARGET_INFO_CUDA_DEVICE', { gpuId, cudaId: 0, pid, ...facts });
  }
  for (const thread of threads) {
    tables.insert('ThreadNames', { nameId: strings.id(thread.name), priority: 20, globalTid: globalTid(thread) });
  }
}

const gpuRow = (gpu: Gpu, id: number): Row => ({
  vmId: MACHINE,
  id,
  name: gpu.name,
  busLocation: `0000:0${id + 1}:00.0`,
  isDiscrete: 1,
  l2CacheSize: gpu.l2Bytes,
  totalMemory: gpu.memBytes,
  memoryBandwidth: gpu.memBytesPerS,
  clockRate: gpu.clockHz,
  smCount: gpu.units,
  pwGpuId: id,
  uuid: gpu.uuid,
  luid: 0,
  chipName: gpu.chip,
  cuDevice: id,
  revision: 161,
  nodeMask: 0,
  constantMemory: 65_536,
  maxIPC: 4,
  maxRegistersPerBlock: 65_536,
  maxShmemPerBlock: 49_152,
  maxShmemPerBlockOptin: gpu.sharedBytesPerUnit - 1024,
  maxShmemPerSm: gpu.sharedBytesPerUnit,
  maxRegistersPerSm: 65_536,
  threadsPerWarp: 32,
  asyncEngines: 5,
  maxWarpsPerSm: 64,
  maxBlocksPerSm: 32,
  maxThreadsPerBlock: 1024,
  maxBlockDimX: 1024,
  maxBlockDimY: 1024,
  maxBlockDimZ: 64,
  maxGridDimX: 2_147_483_647,
  maxGridDimY: 65_535,
  maxGridDimZ: 65_535,
  computeMajor: gpu.compute[0],
  computeMinor: gpu.compute[1],
  smMajor: gpu.compute[0],
  smMinor: gpu.compute[1],
});

function writeHost(tables: Tables, { calls, graphNodes }: Timeline, strings: Interned): void {
  for (const { thread, level, api, start, end, correlation } of calls) {
    tables.insert('CUPTI_ACTIVITY_KIND_RUNTIME', {
      start,
      end,
      eventClass: level === 'runtime' ? 0 : 1,
      globalTid: globalTid(thread),
      correlationId: correlation,
      nameId: strings.id(api + (API_SUFFIX[api] ?? '')),
      returnValue: 0,
    });
  }
  for (const { thread, at, api, node, original } of graphNodes) {
    tables.insert('CUDA_GRAPH_NODE_EVENTS', {
      start: at,
      end: at,
      eventClass: 93,
      globalTid: globalTid(thread),
      nameId: strings.id(api + (API_SUFFIX[api] ?? '')),
      graphNodeId: node,
      originalGraphNodeId: original,
    });
  }
}

interface Placed {
  readonly process: Process;
  readonly stream: number;
  readonly start: number;
  readonly end: number;
  readonly correlation: number;
}

const placed = ({ process, stream, start, end, correlation }: Placed): Row => ({
  start,
  end,
  deviceId: 0,
  contextId: 1,
  greenContextId: 0,
  streamId: stream,
  correlationId: correlation,
  globalPid: globalPid(process),
});

function writeDevice(tables: Tables, timeline: Timeline, strings: Interned): void {
  timeline.kernels.forEach((run, i) => {
    const { kernel, grid, block, graphNode } = run;
    tables.insert('CUPTI_ACTIVITY_KIND_KERNEL', {
      ...placed(run),
      demangledName: strings.id(kernel.demangled),
      shortName: strings.id(kernel.short),
      mangledName: strings.id(kernel.mangled),
      launchType: 1,
      cacheConfig: 1,
      registersPerThread: kernel.registers,
      ...{ gridX: grid[0], gridY: grid[1], gridZ: grid[2] },
      ...{ blockX: block[0], blockY: block[1], blockZ: block[2] },
      ...{ staticSharedMemory: 0, dynamicSharedMemory: 0, localMemoryPerThread: 0, localMemoryTotal: 0 },
      gridId: i + 1,
      sharedMemoryExecuted: 32_768,
      sharedMemoryLimitConfig: 0,
      graphNodeId: graphNode,
      // A node's id holds its graph's in the upper half.
      graphId: graphNode === null ? null : Math.floor(graphNode / 2 ** 32),
      ...{ clusterX: 0, clusterY: 0, clusterZ: 0, clusterSchedulingPolicy: 0 },
      ...{ maxPotentialClusterSize: 0, maxActiveClusters: 0 },
    });
  });
  for (const run of timeline.copies) {
    const { kind, bytes, pinned } = run;
    const host = pinned ? PINNED : PAGEABLE;
    tables.insert('CUPTI_ACTIVITY_KIND_MEMCPY', {
      ...placed(run),
      bytes,
      copyKind: COPY_KIND[kind],
      srcKind: kind === 'HtoD' ? host : DEVICE,
      dstKind: kind === 'DtoH' ? host : DEVICE,
      copyCount: 1,
    });
  }
  for (const run of timeline.sets) {
    const { value, bytes } = run;
    tables.insert('CUPTI_ACTIVITY_KIND_MEMSET', { ...placed(run), value, bytes, memKind: DEVICE });
  }
  for (const run of timeline.waits) {
    const facts = { syncType: 3, eventId: 4_294_967_295, eventSyncId: 0 };
    tables.insert('CUPTI_ACTIVITY_KIND_SYNCHRONIZATION', { ...placed(run), greenContextId: null, ...facts });
  }
  for (const run of timeline.graphs) {
    const ids = { graphId: run.graph, graphExecId: run.executable };
    tables.insert('CUPTI_ACTIVITY_KIND_GRAPH_TRACE', { ...placed(run), ...ids });
  }
}

/** Domains are numbered per process from 1; 0 is the default one. */
function writeRanges(tables: Tables, { ranges }: Timeline, strings: Interned): void {
  const domains = new Map<Process, Map<string, number>>();
  let rangeId = 0;
  for (const range of ranges) {
    const { thread, kind, start, end, text, registered, endThread } = range;
    tables.insert('NVTX_EVENTS', {
      start,
      end,
      eventType: EVENT_TYPE[kind],
      rangeId: kind === 'start-end' ? ++rangeId : null,
      text: registered ? null : text,
      textId: registered ? strings.id(text) : null,
      globalTid: globalTid(thread),
      endGlobalTid: endThread === null ? null : globalTid(endThread),
      domainId: range.domain === null ? 0 : domainId(tables, domains, range, range.domain),
    });
  }
}

function domainId(tables: Tables, domains: Map<Process, Map<string, number>>, range: Range, name: string): number {
  const { thread } = range;
  const known = domains.get(thread.process) ?? new Map<string, number>();
  domains.set(thread.process, known);
  let id = known.get(name);
  if (id === undefined) {
    id = known.size + 1;
    known.set(name, id);
    const at = { start: Math.max(0, range.start - 5000), eventType: DOMAIN_CREATE, text: name, domainId: id };
    tables.insert('NVTX_EVENTS', { ...at, globalTid: globalTid(thread) });
  }
  return id;
}
