/**
 * Reader for nvprof and NVVP databases, versions 7 to 22: C structs of CUPTI dumped with one column for each field. Times
 * are Unix time in ns. Source: CUPTI documentation (activity records) and databases of versions 9, 12 and 16.
 */
import { entryOf } from '../../../containers/map-entry.js';
import { columns, NumericColumn, orNull } from '../../../containers/numeric-column.js';
import type { Device } from '../../../record/record.js';
import { timeOf, type TraceBuilder } from '../../trace/trace-builder.js';
import type { Reader } from '../../reader.js';
import type { DatabaseClock, TimeColumn } from '../../sqlite/database-clock.js';
import { databaseTrace } from '../../sqlite/database-trace.js';
import { numberOf, type Cell, type Selection, type SqliteFile } from '../../sqlite/sqlite.js';
import { countUnreadTables } from '../../unread-events.js';
import { apiName, type ApiDomain } from '../cupti/api-names.js';
import {
  ContextDevices,
  COPY_KINDS,
  CUPTI_MEMORIES,
  hostSide,
  NO_STREAM,
  SYNC_KINDS,
  type ContextTable,
} from '../cupti/cupti.js';
import { COUNTER_TABLES, KernelCounters } from './kernel-counters.js';
import { NumberIndex } from '../../trace/trace-columns.js';

/**
 * Kinds of object that a marker or overhead belongs to (CUpti_ActivityObjectKind): the object id contains a process, or a
 * process and a thread.
 */
const OBJECT = { process: 1, thread: 2 } as const;

/**
 * Process and thread from an object id in hexadecimal: 4 bytes process, 8 bytes thread, little-endian. Only the first 4
 * bytes of the thread are used, as in the tables of calls.
 */
export function readObjectId(hex: string): [pid: number, tid: number] {
  const bytes = Buffer.from(hex, 'hex');
  return bytes.length < 8 ? [0, 0] : [bytes.readUInt32LE(0), bytes.readUInt32LE(4)];
}

/** Flags of a marker row (CUpti_ActivityFlag); the other bits describe its synchronisation. */
const MARKER = { start: 2, end: 4 } as const;

/** Columns of starts or of ends of markers; ends have only times and ids. */
class MarkerEnds extends columns({ time: 'f64', id: 'f64' }) {}
class MarkerStarts extends columns({ time: 'f64', id: 'f64', pid: 'f64', tid: 'f64', text: 'f64', domain: 'f64' }) {}

/** Markers of nvprof's databases: one row for the start of a range and one for its end, with the same id. */
class Markers {
  /** `text` is the number of the text, `domain` that of the domain's name, 0 for the default one. */
  readonly starts = new MarkerStarts();
  readonly ends = new MarkerEnds();

  /**
   * Adds a range for each start; a start without an end is an open range.
   * @param otherStarts number of starts that are not read
   */
  addTo(trace: TraceBuilder, otherStarts: number): void {
    const { starts, ends } = this;
    const endOf = this.#firstEnds();
    const isPaired = new Uint8Array(ends.id.length);
    let matched = 0;
    for (let row = 0; row < starts.id.length; row++) {
      const [start, found] = [starts.time.at(row), endOf.get(starts.id.at(row))];
      const end = found === -1 ? null : ends.time.at(found);
      if (found !== -1) matched++;
      if (end !== null && end >= start) isPaired[found] = 1;
      const thread = { pid: starts.pid.at(row), tid: starts.tid.at(row) };
      trace.range({ start, end, ...thread, text: starts.text.at(row), domain: starts.domain.at(row) || null });
    }
    isPaired.forEach((paired, row) => {
      if (paired === 0) trace.seen(ends.time.at(row));
    });
    trace.diagnostics.count('range-without-start', ends.id.length - matched - otherStarts);
  }

  /** The first end with each id. */
  #firstEnds(): NumberIndex {
    const { id, time } = this.ends;
    const endOf = new NumberIndex(id);
    for (let row = 0; row < id.length; row++) {
      const known = endOf.get(id.at(row));
      if (known === -1 || time.at(row) < time.at(known)) endOf.put(row);
    }
    return endOf;
  }
}

export const nvprof: Reader = {
  id: 'nvprof',
  title: 'nvprof / NVVP SQLite database (nvprof -o FILE)',
  reads: 'database',
  fileNames: /\.nvvp(?:\.gz)?$/,
  tableNames: ['CUPTI_ACTIVITY_KIND'],
  docs: {
    profiler: 'nvprof, NVVP',
    input: 'database',
    made: ['`nvprof -f -o net.sql --profile-from-start off python train.py`'],
    read: [
      'Kernels (concurrent and serialised), copies, memsets, synchronisations; markers; CUDA runtime and driver calls; devices.',
      'Database versions 7 to 22. Times are Unix time and are rebased to the start of the profile. Kernel names are demangled if possible.',
      "Metrics and events (`--metrics`, `--events`) are counters of their kernels, by CUPTI's number (`metric#20971523`): the database has no names, numbers differ between architectures, and NVIDIA publishes no table of them. `nvprof -i net.sql --print-gpu-trace --csv` prints the same values by name, on any machine with nvprof.",
    ],
  },
  sniff: ({ database }) => database?.has('StringTable') === true && database.has('Version'),
  read(probe, options) {
    const { database, trace, clock } = databaseTrace(probe, TIME_COLUMNS, ['StringTable', 'value', '_id_']);
    const reading = new NvprofReading(database, trace, clock);
    reading.readAll();
    const [version] = [...database.rows('Version', ['version'])][0] ?? [];
    const tool = typeof version === 'number' ? `nvprof database version ${version}` : null;
    const devices = devicesOf(database, trace);
    if (devices.length > 1) trace.diagnostics.count('wait-without-device', reading.waitsWithoutDevice);
    return trace.records({ format: nvprof.id, tool, devices }, options);
  },
};

const KIND = 'CUPTI_ACTIVITY_KIND_';
const OVERHEAD_TABLE = `${KIND}OVERHEAD`;
/** The table of kernels that may overlap, and the table of kernels that nvprof ran one after another. */
const KERNEL_TABLES = [`${KIND}CONCURRENT_KERNEL`, `${KIND}KERNEL`];
const COPY_TABLES = [`${KIND}MEMCPY`, `${KIND}MEMCPY2`];
/** Tables that state the device of a context. */
const CONTEXT_TABLES = [`${KIND}CONTEXT`, ...KERNEL_TABLES, ...COPY_TABLES, `${KIND}MEMSET`].map(
  (table): ContextTable => ({ table, process: null }),
);
/** Tables of calls, in order of precedence if both have a call with the same correlation id. */
const CALL_TABLES: readonly (readonly [table: string, domain: ApiDomain])[] = [
  [`${KIND}RUNTIME`, 'runtime'],
  [`${KIND}DRIVER`, 'driver'],
];

/** Tables with start and end times. */
const SPAN_TABLES = [
  ...KERNEL_TABLES,
  ...COPY_TABLES,
  `${KIND}MEMSET`,
  `${KIND}SYNCHRONIZATION`,
  OVERHEAD_TABLE,
  ...CALL_TABLES.map(([table]) => table),
];
const READ_TABLES = [...COUNTER_TABLES, ...SPAN_TABLES, `${KIND}MARKER`, `${KIND}CONTEXT`];

const TIME_COLUMNS: readonly TimeColumn[] = [
  ...SPAN_TABLES.map((table): TimeColumn => [table, 'start']),
  [`${KIND}MARKER`, 'timestamp'],
];

/**
 * Kinds of overhead of CUPTI and the driver's compiler, with the names in PyTorch's traces. Source:
 * CUpti_ActivityOverheadKind of CUPTI's cupti_activity.h.
 */
const OVERHEAD_NAMES: ReadonlyMap<number, string> = new Map([
  [1, 'Driver Compiler'],
  [1 << 16, 'Buffer Flush'],
  [2 << 16, 'Instrumentation'],
  [3 << 16, 'Resource'],
]);

const overheadText = (kind: number): string => OVERHEAD_NAMES.get(kind) ?? `overhead ${kind}`;

const OBJECT_ID: Selection = { needs: ['objectId'], sql: 'hex(objectId)' };

/** nvprof writes one file for each process, and rows of device work do not record the process. */
const ONLY_PROCESS = 0;

/** Columns that all activity tables share, under the builder's names. */
const WORK = {
  ...{ device: 'deviceId', stream: 'streamId', context: 'contextId', corr: 'correlationId', node: 'graphNodeId' },
} as const;

class NvprofReading {
  /** Number of waits whose context is on no known device: they are assigned to device 0. */
  waitsWithoutDevice = 0;
  readonly #counters: KernelCounters;
  readonly #corrs = NumericColumn.floats();

  constructor(
    private readonly database: SqliteFile,
    private readonly trace: TraceBuilder,
    private readonly clock: DatabaseClock,
  ) {
    trace.origin(clock.base);
    this.#counters = new KernelCounters(database);
  }

  readAll(): void {
    this.#readCalls();
    this.#readMarkers();
    this.#readKernels();
    this.#readCopiesAndSets();
    this.#readSyncs();
    this.#readOverhead();
    const { diagnostics } = this.trace;
    diagnostics.count('bad-row', this.#counters.broken);
    diagnostics.count('counter-without-name', this.#counters.unnamed);
    diagnostics.count('counter-without-kernel', this.#counters.outside(this.#corrs.values));
    countUnreadTables(this.database, READ_TABLES, {
      count: (table, rows) => {
        this.trace.unread(table, null, rows);
      },
    });
  }

  #readCalls(): void {
    const columns = {
      ...{ pid: 'processId', corr: 'correlationId', cbid: 'cbid', result: 'returnValue', ...this.clock.span },
      // A thread id is a pthread handle, cut to 32 bits and stored as signed.
      tid: { needs: ['threadId'], sql: '(threadId & 0xFFFFFFFF)' },
    };
    for (const [precedence, [table, domain]] of CALL_TABLES.entries()) {
      for (const { cbid, ...row } of this.database.cells(table, columns))
        this.trace.call({ ...row, name: apiName(domain, numberOf(cbid) || 0), precedence });
    }
  }

  /**
   * Pairs start and end rows by id. Instantaneous markers, and markers of objects that are not threads, enclose nothing.
   */
  #readMarkers(): void {
    const { trace } = this;
    const table = `${KIND}MARKER`;
    const select = { at: this.clock.since('timestamp'), id: 'id', flags: 'flags', kind: 'objectKind', object: OBJECT_ID, text: 'name', domain: 'domain' }; // prettier-ignore
    const markers = new Markers();
    const threads = new Map<Cell, readonly [pid: number, tid: number]>();
    let otherStarts = 0;
    for (const { at, id, flags, kind, object, text, domain } of this.database.cells(table, select)) {
      const time = timeOf(at);
      const flag = numberOf(flags);
      if (Number.isNaN(time) || typeof id !== 'number') {
        trace.bad('bad-row');
      } else if ((flag & MARKER.end) !== 0) {
        markers.ends.push({ time, id });
      } else if ((flag & MARKER.start) !== 0 && kind !== OBJECT.thread) {
        otherStarts++;
        // The ends of such ranges are not read either.
        trace.unread(`ranges of objects other than threads in ${table}`, time, 2);
      } else if ((flag & MARKER.start) !== 0) {
        const [pid, tid] = entryOf(threads, object, () => readObjectId(String(object)));
        markers.starts.push({ time, id, pid, tid, text: numberOf(text), domain: numberOf(domain) });
      } else trace.unread(`marks of ${table}`, time);
    }
    markers.addTo(trace, otherStarts);
  }

  #readKernels(): void {
    const grid = { gridX: 'gridX', gridY: 'gridY', gridZ: 'gridZ' };
    const block = { blockX: 'blockX', blockY: 'blockY', blockZ: 'blockZ' };
    const memory = { declared: 'staticSharedMemory', asked: 'dynamicSharedMemory' };
    const columns = { ...WORK, name: 'name', graphId: 'graphId', registers: 'registersPerThread', ...memory, ...grid, ...block }; // prettier-ignore
    for (const row of this.#work(KERNEL_TABLES, columns)) {
      const counters = this.#counters.of(numberOf(row.corr));
      this.trace.kernel({
        ...row,
        ...(counters === null ? undefined : { counters }),
        sharedBytes: numberOf(row.declared) + numberOf(row.asked),
        ...{ grid: [row.gridX, row.gridY, row.gridZ], block: [row.blockX, row.blockY, row.blockZ] },
      });
    }
  }

  #readCopiesAndSets(): void {
    const copies = { ...WORK, code: 'copyKind', bytes: 'bytes', source: 'srcKind', destination: 'dstKind' };
    for (const { code, source, destination, ...row } of this.#work(COPY_TABLES, copies)) {
      const host = hostSide(numberOf(code), numberOf(source), numberOf(destination));
      const kind = COPY_KINDS[numberOf(code)] ?? null;
      this.trace.copy({ ...row, kind, hostMemory: CUPTI_MEMORIES[host] ?? null });
    }
    const sets = { ...WORK, bytes: 'bytes', value: 'value' };
    for (const row of this.#work([`${KIND}MEMSET`], sets)) this.trace.set(row);
  }

  /** Reads waits. Their rows record only the context. */
  #readSyncs(): void {
    const contexts = new ContextDevices(this.database, CONTEXT_TABLES);
    const columns = { stream: 'streamId', context: 'contextId', corr: 'correlationId', code: 'type' };
    for (const { code, stream, ...row } of this.#work([`${KIND}SYNCHRONIZATION`], columns)) {
      const device = contexts.deviceOf(ONLY_PROCESS, numberOf(row.context));
      if (Number.isNaN(device)) this.waitsWithoutDevice++;
      const kind = SYNC_KINDS[numberOf(code)] ?? null;
      this.trace.sync({ ...row, device, stream: stream === NO_STREAM ? null : stream, kind });
    }
  }

  /** Reads overhead of processes and threads; overhead of a device is not host time. */
  #readOverhead(): void {
    const columns = { kind: 'overheadKind', objectKind: 'objectKind', object: OBJECT_ID, ...this.clock.span };
    for (const { kind, objectKind, object, ...span } of this.database.cells(OVERHEAD_TABLE, columns)) {
      const [pid, tid] = readObjectId(String(object));
      const isOfThread = objectKind === OBJECT.thread;
      if (!(numberOf(kind) >= 0)) this.trace.bad('bad-row', span.start);
      else if (isOfThread || objectKind === OBJECT.process)
        this.trace.overhead({ ...span, pid, tid: isOfThread ? tid : null, text: overheadText(numberOf(kind)) });
      else this.trace.unread(`overhead of objects other than threads and processes in ${OVERHEAD_TABLE}`, span.start);
    }
  }

  /** Rows of work tables, with their times. */
  *#work<Name extends string>(
    tables: readonly string[],
    select: Readonly<Record<Name | 'corr', Selection>>,
  ): Generator<Readonly<Record<Name | 'corr' | 'start' | 'end', Cell>>> {
    for (const table of tables) {
      for (const row of this.database.cells<Name | 'corr' | 'start' | 'end'>(table, {
        ...select,
        ...this.clock.span,
      })) {
        this.#corrs.push(numberOf(row.corr));
        yield row;
      }
    }
  }
}

/** The devices. The file has clocks in kHz and bandwidths in kB/s. */
function devicesOf(database: SqliteFile, trace: TraceBuilder): Device[] {
  const columns = [
    'id',
    'name',
    'computeCapabilityMajor',
    'computeCapabilityMinor',
    'numMultiprocessors',
    'coreClockRate',
    'globalMemoryBandwidth',
    'globalMemorySize',
  ];
  const rows = [...database.rows(`${KIND}DEVICE`, columns)].map((row) => row.map(numberOf));
  const times = (cell: number, factor: number): number | null => orNull(cell * factor);
  return rows
    .map(([id = NaN, name = NaN, major = NaN, minor = NaN, units = NaN, kHz = NaN, kBPerS = NaN, memBytes = NaN]) => ({
      id: Number.isNaN(id) ? 0 : id,
      vendor: 'nvidia',
      name: trace.textOf(name),
      arch: Number.isNaN(major + minor) ? null : `sm${major}${minor}`,
      units: orNull(units),
      clockHz: times(kHz, 1000),
      memBytesPerS: times(kBPerS, 1000),
      memBytes: orNull(memBytes),
    }))
    .sort((a, b) => a.id - b.id);
}
