/**
 * Reader for rocpd databases, which AMD's rocprofv3 and rocprof-sys write: kernels, copies and memory with the HIP calls
 * that made them, roctx ranges, counters, and series of the device. Each run of a process has separate tables, whose
 * names end in the run's id. Row ids are unique only within a run. Versions of the schema are distinguished by their
 * columns. Times are ns since the machine started. Source: the schemas of rocprofiler-sdk 3.0 to 4.1 and databases of
 * rocprofv3 and rocprof-sys of 2025.
 */
import { MemoryCurve } from '../../memory-blocks.js';
import type { TraceBuilder } from '../../trace/trace-builder.js';
import { databaseOf, type Reader } from '../../reader.js';
import { databaseTrace } from '../../sqlite/database-trace.js';
import type { SqliteFile } from '../../sqlite/sqlite.js';
import { UserError } from '../../../record/errors.js';
import { isApi, isRange } from '../../amd/work-rows.js';
import { ProcessIds } from '../../trace/threads.js';
import { ProcessTables } from './process-tables.js';
import { countUnreadTables } from '../../unread-events.js';
import { waitOfCall } from '../../../record/wait-calls.js';
import { readBarriers, readWaits, WaitingCalls } from './waits.js';
import { readAllocations, readCopies, readKernels, readSeries } from './device-rows.js';

/** Tables of a process with times, and a time column of each; the profile may start in any of them. */
const TIMED = [
  ...['kernel_dispatch', 'region', 'memory_copy', 'memory_allocate'].map((part) => [part, 'start'] as const),
  ['sample', 'timestamp'] as const,
];
/** Tables that are read. */
const READ = [...TIMED.map(([part]) => part), 'info_process', 'info_thread', 'hip_event', 'event_operation'];
/** Names of the tables of dispatches, whose suffix all tables of the run share. */
const DISPATCHES = /^rocpd_kernel_dispatch(_\w+)$/;
/** Views that every database of this schema has. */
const NEEDED = ['kernel_dispatch', 'region', 'event', 'string', 'info_agent', 'info_process', 'info_kernel_symbol'];

export const rocpd: Reader = {
  id: 'rocpd',
  title: 'rocpd database of rocprofv3 or rocprof-sys (*_results.db)',
  reads: 'database',
  tableNames: ['rocpd_info_agent', 'rocpd_kernel_dispatch'],
  docs: {
    profiler: 'AMD rocprofv3, rocmProfileData',
    input: 'rocpd database of rocprofv3 or rocprof-sys',
    made: [
      '`rocprofv3 --sys-trace -- python train.py` (the default output since ROCm 7); `rocprof-sys-run` with `ROCPROFSYS_USE_ROCPD=ON`',
    ],
    read: [
      'Kernels and copies with the HIP call that launched them, device, stream, grid in blocks, block, registers and local memory (LDS), counters, graphs, call stacks of kernels; roctx ranges, with the ops that `emit_nvtx` of PyTorch prints; allocations as memory in use over time; power, temperature, utilisation and memory of devices from rocprof-sys. Waits of the host, with their stream if a launch names the same address; barriers at which a stream waits for an event. Several processes in one file, but only those of one machine: clocks count from the start of each.',
      "Schemas 3.0 to 4.1. Times count from the machine's boot, so the Unix time of the start is unknown. Devices have the numbers of `rocm-smi`. Environment, command and host name are not read.",
      'The size of a copy is unknown if the tracer recorded the size of its own record instead. Regions that duplicate device work are skipped and counted.',
    ],
  },
  sniff: ({ database }) => database?.has('rocpd_info_agent') === true,
  read(probe, options) {
    const database = databaseOf(probe);
    const missing = NEEDED.find((table) => !database.has(`rocpd_${table}`));
    if (missing !== undefined)
      throw new UserError(`has no table rocpd_${missing}`, {
        where: probe.file,
        hint: 'record it again with rocprofv3',
      });
    const endings = endingsIn(database, probe.file);
    const times = endings.flatMap((ending) =>
      TIMED.map(([part, column]) => [`rocpd_${part}${ending}`, column] as const),
    );
    const { trace, clock } = databaseTrace(probe, times);
    const pids = new ProcessIds();
    const processes = endings.map((ending) => new ProcessTables(database, ending, clock, pids));
    const [first] = processes;
    // Clocks that count from a machine's start cannot be compared with those of other machines.
    const here = processes.length === 1 ? processes : processes.filter(({ machine }) => machine === first?.machine);
    if (here.length < processes.length) trace.unread('run on another machine', null, processes.length - here.length);
    const curve = new MemoryCurve(trace);
    for (const run of here) readRun(run, trace, curve);
    curve.write();
    const devices = new Map(here.flatMap((run) => run.devices.map((device) => [device.id, device] as const)));
    const about = {
      format: rocpd.id,
      tool: here.some(({ isOfSystem }) => isOfSystem) ? 'rocprof-sys' : 'rocprofv3',
    };
    const dur = here.length === 1 ? (first?.dur ?? null) : null;
    return trace.records({ ...about, dur, devices: [...devices.values()] }, options);
  },
};

function readRun(run: ProcessTables, trace: TraceBuilder, curve: MemoryCurve): void {
  trace.seen(run.start);
  const waits = new WaitingCalls();
  const calls = readRegions(run, trace, waits);
  const streams = readKernels(run, trace);
  const devices = new Set(Array.from(streams.values(), ({ device }) => device));
  const copies = readCopies(run, trace, devices);
  if (calls > 0 && devices.size + copies === 0) trace.bad('work-not-recorded');
  readAllocations(run, trace, curve);
  readSeries(run, trace);
  readWaits(run, trace, waits, streams);
  readBarriers(run, trace);
  const read = READ.map((part) => run.name(part));
  const count = (table: string, rows: number): void => {
    if (table.endsWith(run.ending)) trace.unread(table.slice(0, table.length - run.ending.length), null, rows);
  };
  countUnreadTables(run.database, read, { count });
}

/**
 * The endings of the tables of each run; '' where tables have none because a program has copied them.
 * @throws UserError for several runs in the same tables, whose row ids are the same
 */
function endingsIn(database: SqliteFile, where: string): readonly string[] {
  const endings = [...database.tables.keys()].flatMap((table) => DISPATCHES.exec(table)?.[1] ?? []);
  if (endings.length > 0) return endings;
  const runs = new Set([...database.cells('rocpd_info_process', { guid: 'guid' })].map(({ guid }) => guid));
  if (runs.size > 1)
    throw new UserError(`has ${runs.size} runs in the same tables`, {
      where,
      hint: 'give the file that rocprofv3 wrote',
    });
  return [''];
}

/**
 * Regions of the host: calls of an API, roctx ranges.
 * @param waits receives the calls that wait
 * @returns the number of calls
 */
function readRegions(run: ProcessTables, trace: TraceBuilder, waits: WaitingCalls): number {
  let calls = 0;
  const regions = { nameId: 'name_id', event: 'event_id' };
  for (const row of run.rows('region', regions)) {
    const name = run.textOf(row.nameId);
    const category = run.categoryOf(row.category);
    if (isRange(category))
      trace.range({
        start: row.start,
        end: row.end,
        pid: row.pid,
        tid: row.tid,
        text: run.messageOf(row.event) ?? name,
      });
    else if (isApi(category)) {
      calls++;
      const { start, end, pid, tid, corr } = row;
      trace.call({ start, end, pid, tid, name, corr });
      const kind = waitOfCall(name);
      if (kind !== null && kind !== 'stream-wait-event') waits.add(row, kind);
    } else trace.unread(`region ${category ?? 'unknown'}`, row.start);
  }
  return calls;
}
