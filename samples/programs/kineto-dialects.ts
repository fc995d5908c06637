/** The two forms of torch.profiler's traces: today's, and that of early 2021. */
import type { Gpu } from './gpu.js';
import type { Fields } from './kineto-json.js';
import { literal } from './kineto-json.js';
import type { DeviceRun } from './kineto-joins.js';
import type { Generation } from './kineto-ops.js';
import type { Thread } from './timeline.js';

/** Where today's traces count from. */
const BASE_NS = 1_751_410_836_000_000_000n;

/** How a generation words what all traces have. */
export interface Dialect {
  readonly generation: Generation;
  readonly categories: Readonly<Record<'op' | 'annotation' | 'call' | DeviceRun['kind'] | 'flow', string>>;
  readonly flow: string;
  /** Of the op in the args of calls and device work. */
  readonly opId: string;
  readonly tid: (thread: Thread) => number | string;
  readonly streamTid: (stream: number) => number | string;
  /** Start and length of a span of nanoseconds since the start of the capture. */
  readonly times: (start: number, end: number, startUnixNs: bigint) => Fields;
}

export const TODAY: Dialect = {
  generation: 'today',
  categories: {
    op: 'cpu_op',
    annotation: 'user_annotation',
    call: 'cuda_runtime',
    kernel: 'kernel',
    copy: 'gpu_memcpy',
    set: 'gpu_memset',
    wait: 'cuda_sync',
    flow: 'ac2g',
  },
  flow: 'ac2g',
  opId: 'External id',
  tid: ({ tid }) => tid,
  streamTid: (stream) => stream,
  times: (start, end, startUnixNs) => {
    const micros = (ns: bigint): string => `${ns / 1000n}.${String(ns % 1000n).padStart(3, '0')}`;
    const ts = literal(micros(startUnixNs - BASE_NS + BigInt(start)));
    return { ts, dur: literal(micros(BigInt(end - start))) };
  },
};

export const OLD: Dialect = {
  generation: '2021',
  categories: {
    op: 'Operator',
    annotation: 'Operator',
    call: 'Runtime',
    kernel: 'Kernel',
    copy: 'Memcpy',
    set: 'Memset',
    wait: '',
    flow: 'async',
  },
  flow: 'launch',
  opId: 'external id',
  tid: ({ tid }) => String(tid),
  streamTid: (stream) => `stream ${stream}`,
  times: (start, end, startUnixNs) => {
    const micros = (ns: number): bigint => (startUnixNs + BigInt(ns)) / 1000n;
    return { ts: literal(String(micros(start))), dur: literal(String(micros(end) - micros(start))) };
  },
};

/** Properties that the trace has of a device. */
const properties = (gpu: Gpu, id: number): Fields => ({
  id,
  name: gpu.name,
  totalGlobalMem: gpu.memBytes,
  computeMajor: gpu.compute[0],
  computeMinor: gpu.compute[1],
  maxThreadsPerBlock: 1024,
  maxThreadsPerMultiprocessor: 2048,
  regsPerBlock: 65536,
  warpSize: 32,
  sharedMemPerBlock: 49152,
  numSms: gpu.units,
  regsPerMultiprocessor: 65536,
  sharedMemPerBlockOptin: gpu.sharedBytesPerUnit - 1024,
  sharedMemPerMultiprocessor: gpu.sharedBytesPerUnit,
});

const RANKS: Fields = {
  backend: 'nccl',
  rank: 0,
  world_size: 2,
  pg_count: 1,
  pg_config: [{ pg_name: '0', pg_desc: 'default_pg', backend_config: 'cuda:nccl', pg_size: 2, ranks: [0, 1] }],
  nccl_version: '2.27.3',
};

/** Today's header and trailer. */
const HEADER: Fields = {
  cupti_version: 26,
  cuda_runtime_version: 12080,
  cuda_driver_version: 12080,
  distributedInfo: RANKS,
  record_shapes: 1,
  with_stack: 1,
  with_modules: 1,
  trace_id: '0123456789ABCDEF0123456789ABCDEF',
  displayTimeUnit: 'ms',
  baseTimeNanoseconds: literal(String(BASE_NS)),
};

/** What stands in front of the events. */
export const headerOf = ({ generation }: Dialect, gpu: Gpu): Fields => ({
  schemaVersion: 1,
  deviceProperties: [properties(gpu, 0)],
  ...(generation === 'today' ? HEADER : {}),
});
