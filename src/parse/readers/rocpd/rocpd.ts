/**
 * Reader of rocpd databases, which AMD's rocprofv3 and rocprof-sys write: kernels, copies and memory with the HIP calls
 * that made them, roctx ranges, counters, and series of the device. Each run of a process has separate tables, whose
 * names end in the run's id. Row ids are unique only within a run. Versions of the schema are distinguished by their
 * columns. Times are ns since the machine started. Source: the schemas of rocprofiler-sdk 3.0 to 4.1 and databases of
 * rocprofv3 and rocprof-sys of 2025.
 */
import { TraceBuilder } from '../../trace/trace-builder.js';
import { databaseOf, type Reader } from '../../reader.js';
import { DatabaseClock } from '../../sqlite/database-clock.js';
import { UserError } from '../../../record/errors.js';
import { ProcessTables } from './process-tables.js';
import { readAllocations, readCopies, readKernels, readSeries } from './device-rows.js';

/** Tables with times. The profile may start with a row of any of them. */
const TIMED = ['kernel_dispatch', 'region', 'memory_copy', 'memory_allocate'];
/** Matches the name of a table of dispatches. All tables of the run have the same suffix. */
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
      'Kernels and copies with the HIP call that launched them, device, stream, grid in blocks, block, registers and local memory (LDS), counters, graphs; roctx ranges, with the ops that `emit_nvtx` of PyTorch prints; allocations as memory in use over time; power, temperature, utilisation and memory of devices from rocprof-sys. Several processes in one file.',
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
    const trace = new TraceBuilder();
    database.diagnostics = trace.diagnostics;
    const endings = [...database.tables.keys()].flatMap((table) => DISPATCHES.exec(table)?.[1] ?? []);
    const times = endings.flatMap((ending) => TIMED.map((part) => [`rocpd_${part}${ending}`, 'start'] as const));
    const clock = new DatabaseClock(database, times);
    const pids = new Set<number>();
    const processes = endings.map((ending) => new ProcessTables(database, ending, clock, pids));
    for (const run of processes) {
      trace.seen(run.start);
      const calls = readRegions(run, trace);
      const devices = readKernels(run, trace);
      const copies = readCopies(run, trace, devices);
      if (calls > 0 && devices.size + copies === 0) trace.bad('work-not-recorded');
      readAllocations(run, trace);
      readSeries(run, trace);
    }
    const devices = new Map(processes.flatMap((run) => run.devices.map((device) => [device.id, device] as const)));
    const [only] = processes;
    const about = {
      format: rocpd.id,
      tool: processes.some(({ isOfSystem }) => isOfSystem) ? 'rocprof-sys' : 'rocprofv3',
    };
    const dur = processes.length === 1 ? (only?.dur ?? null) : null;
    return trace.records({ ...about, dur, devices: [...devices.values()] }, options);
  },
};

/** Regions of the host: calls of an API, roctx ranges. @returns the number of calls */
function readRegions(run: ProcessTables, trace: TraceBuilder): number {
  let calls = 0;
  const regions = { nameId: 'name_id', event: 'event_id' };
  for (const row of run.rows('region', regions)) {
    const name = run.textOf(row.nameId);
    const category = run.categoryOf(row.category) ?? 'unknown';
    if (/^MARKER/i.test(category))
      trace.range({
        start: row.start,
        end: row.end,
        pid: row.pid,
        tid: row.tid,
        text: run.messageOf(row.event) ?? name,
      });
    else if (/api/i.test(category)) {
      calls++;
      trace.call({ start: row.start, end: row.end, pid: row.pid, tid: row.tid, name, corr: row.corr });
    } else trace.unread(`region ${category}`, row.start);
  }
  return calls;
}
