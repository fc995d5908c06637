/**
 * Writes a big Nsight Systems database: the size of a long training run, every range text unique, so that nothing can
 * be saved by remembering strings. The tables have all the columns of a real export and real string lengths, so that
 * dumping them costs what it costs in practice. The same bytes on every run.
 *
 * Per kernel: one API call, and around it a layer or plain range, a call marker (backward: the engine's range) and a
 * framework range. Each process has a forward and an autograd thread; a batch of forward kernels is followed by the
 * same batch backward, with the same sequence numbers in reverse. Sequence numbers and correlation ids are each
 * process's own, so they repeat between processes. Rows are in time order only within a process.
 */
import Database from 'better-sqlite3';
import { rmSync } from 'node:fs';
import type { NsightTable } from '../samples/programs/nsight-schema.js';
import { NSIGHT_SCHEMA } from '../samples/programs/nsight-schema.js';
import { createStatement } from '../samples/programs/tables.js';
import { V100 } from '../samples/programs/gpu.js';
import { KERNEL_NAMES, rangeTexts } from './texts.js';

export interface GenerateOptions {
  readonly kernels: number;
  /** Host threads, two in each process; even. */
  readonly threads?: number;
  /** 1 to 3: framework range, call marker, layer or plain range. */
  readonly rangesPerKernel?: number;
  /** Kernels after which layers and shapes repeat, as in the steps of a real run; never where absent. */
  readonly repeatsAfter?: number;
}

/** Forward kernels of a thread before its autograd thread takes over. */
const BATCH = 400;
const FIRST_PID = 4242;
const MACHINE = (1n << 56n) | (1n << 48n);
const START_NS = 1_000_000_000;
/** Host time for one kernel; the widest range around it is that long. */
const SLOT_NS = 10_000;
/** Id of the first kernel name in the string table. */
const FIRST_KERNEL_NAME = 2;

type Values = readonly (null | number | bigint | string)[];
type Insert = (values: Values) => void;

const BASE_TABLES: readonly NsightTable[] = [
  'StringIds',
  'META_DATA_EXPORT',
  'PROCESSES',
  'ThreadNames',
  'TARGET_INFO_SESSION_START_TIME',
  'TARGET_INFO_GPU',
  'CUPTI_ACTIVITY_KIND_RUNTIME',
  'CUPTI_ACTIVITY_KIND_KERNEL',
  'NVTX_EVENTS',
];

export function generate(
  path: string,
  { kernels, threads = 4, rangesPerKernel = 3, repeatsAfter = Infinity }: GenerateOptions,
): void {
  rmSync(path, { force: true });
  const db = new Database(path);
  try {
    db.exec('PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN');
    for (const table of BASE_TABLES) db.exec(createStatement(table, NSIGHT_SCHEMA[table]));
    writeCapture(db, threads);
    writeWork(db, { kernels, threads, rangesPerKernel, repeatsAfter });
    db.exec('COMMIT');
  } finally {
    db.close();
  }
}

const globalPid = (process: number): bigint => MACHINE | (BigInt(FIRST_PID + process) << 24n);
const globalTid = (thread: number): bigint => {
  const process = Math.floor(thread / 2);
  return globalPid(process) | BigInt(FIRST_PID + process + 1000 * (thread % 2));
};

/** Inserts by naming the columns to fill; all others are null. */
function inserter(db: Database.Database, table: NsightTable, columns: readonly string[]): Insert {
  const places = columns.map(() => '?').join(', ');
  const statement = db.prepare<[Values]>(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`);
  return (values) => statement.run(values);
}

function writeCapture(db: Database.Database, threads: number): void {
  const string = inserter(db, 'StringIds', ['id', 'value']);
  const names = [
    'cudaLaunchKernel_v7000',
    'python3',
    ...KERNEL_NAMES.flatMap(({ demangled, short }) => [demangled, short]),
  ];
  names.forEach((name, id) => string([id, name]));
  const fact = inserter(db, 'META_DATA_EXPORT', ['name', 'value']);
  fact(['EXPORT_PRODUCT_VERSION', '2025.5.2.266']);
  fact(['EXPORT_SCHEMA_VERSION', '3.24.0']);
  const process = inserter(db, 'PROCESSES', ['globalPid', 'pid', 'name']);
  for (let i = 0; i < threads / 2; i++) process([globalPid(i), FIRST_PID + i, 'python3']);
  const threadName = inserter(db, 'ThreadNames', ['nameId', 'priority', 'globalTid']);
  for (let thread = 0; thread < threads; thread++) threadName([1, 20, globalTid(thread)]);
  inserter(db, 'TARGET_INFO_SESSION_START_TIME', ['utcEpochNs'])([1_700_000_000_000_000_000n]);
  const gpuColumns = ['vmId', 'id', 'name', 'smCount', 'clockRate', 'memoryBandwidth', 'totalMemory', 'cuDevice'];
  const gpu = inserter(db, 'TARGET_INFO_GPU', [...gpuColumns, 'computeMajor', 'computeMinor']);
  gpu([0, 0, V100.name, V100.units, V100.clockHz, V100.memBytesPerS, V100.memBytes, 0, ...V100.compute]);
}

/** Where a kernel stands. */
interface Place {
  readonly process: number;
  readonly backward: boolean;
  /** Ordinal among the kernels of its process. */
  readonly ordinal: number;
  readonly seq: number;
}

/** Kernel `i` in launch order: rounds of one forward batch and its backward batch, dealt to the processes in turn. */
function place(i: number, processes: number): Place {
  const round = Math.floor(i / (2 * BATCH));
  const at = i % (2 * BATCH);
  const backward = at >= BATCH;
  const turn = Math.floor(round / processes);
  const step = backward ? 2 * BATCH - 1 - at : at;
  return { process: round % processes, backward, ordinal: turn * 2 * BATCH + at, seq: turn * BATCH + step };
}

function writeWork(
  db: Database.Database,
  { kernels, threads, rangesPerKernel, repeatsAfter }: Required<GenerateOptions>,
): void {
  const call = inserter(db, 'CUPTI_ACTIVITY_KIND_RUNTIME', [
    'start',
    'end',
    'eventClass',
    'globalTid',
    'correlationId',
    'nameId',
    'returnValue',
  ]);
  const kernel = inserter(db, 'CUPTI_ACTIVITY_KIND_KERNEL', [
    ...['start', 'end', 'deviceId', 'contextId', 'greenContextId', 'streamId', 'correlationId', 'globalPid'],
    ...['demangledName', 'shortName', 'mangledName', 'launchType', 'cacheConfig', 'registersPerThread'],
    ...['gridX', 'gridY', 'gridZ', 'blockX', 'blockY', 'blockZ', 'staticSharedMemory', 'dynamicSharedMemory'],
    ...['localMemoryPerThread', 'localMemoryTotal', 'gridId', 'sharedMemoryExecuted', 'sharedMemoryLimitConfig'],
    ...['clusterX', 'clusterY', 'clusterZ', 'clusterSchedulingPolicy', 'maxPotentialClusterSize', 'maxActiveClusters'],
  ]);
  const range = inserter(db, 'NVTX_EVENTS', ['start', 'end', 'eventType', 'text', 'globalTid', 'domainId']);
  const pids = Array.from({ length: threads / 2 }, (_, process) => globalPid(process));
  const tids = Array.from({ length: threads }, (_, thread) => globalTid(thread));
  for (let i = 0; i < kernels; i++) {
    const { process, backward, ordinal, seq } = place(i, threads / 2);
    const thread = 2 * process + (backward ? 1 : 0);
    const [pid, tid, correlation] = [pids[process] ?? 0n, tids[thread] ?? 0n, ordinal + 1];
    const start = START_NS + ordinal * SLOT_NS + thread * 97;
    const name = FIRST_KERNEL_NAME + 2 * (seq % KERNEL_NAMES.length);
    call([start + 3000, start + 7000, 0, tid, correlation, 0, 0]);
    const duration = 2000 + ((i * 7919) % 6000);
    kernel([
      ...[start + 8000, start + 8000 + duration, 0, 1, 0, 7, correlation, pid],
      ...[name, name + 1, name, 1, 1, 32 + (i % 4) * 16],
      ...[1 + ((i % repeatsAfter) % 4096), 1, 1, 128 << (i % 4), 1, 1, 0, 0, 0, 0, i + 1, 32_768, 0, 0, 0, 0, 1, 0, 0],
    ]);
    const texts = rangeTexts(i, seq, backward, i % repeatsAfter);
    for (let depth = texts.length - rangesPerKernel; depth < texts.length; depth++) {
      range([start + 400 * depth, start + SLOT_NS - 100 - 400 * depth, 59, texts[depth] ?? '', tid, 0]);
    }
  }
}
