/**
 * nvprof and NVVP databases, versions 7 to 22: C structs of CUPTI dumped one column per field. Times are Unix time in
 * nanoseconds and exceed 2^53, so they are rebased to the profile's start in SQL.
 * Source: CUPTI documentation (activity records) and databases of versions 9, 12 and 16.
 */
import { entryOf } from '../../../containers/map-entry.js';
import { Diagnostics } from '../../../record/diagnostics.js';
import type { Device, HostMemory } from '../../../record/record.js';
import type { ActivityDetails, Capture, CaptureNames } from '../../capture/capture.js';
import { Activities, HostCalls, Ranges, type ActivityRow } from '../../capture/capture-columns.js';
import { demangle } from '../../names/demangle/demangle.js';
import { emit } from '../../capture/emit.js';
import { elementAt } from '../../../containers/element.js';
import { NumericColumn, orNull } from '../../../containers/numeric-column.js';
import { databaseOf, type Reader } from '../../reader.js';
import { numberOf, type Cell, type SqliteRow, type Selection, type SqliteFile } from '../../sqlite/sqlite.js';
import type { TimeColumn } from '../../sqlite/database-clock.js';
import { countUnreadTables } from '../../sqlite/unread-tables.js';
import { UnreadEvents } from '../../unread-events.js';
import { ThreadTable } from '../../capture/threads.js';
import {
  COPY_KINDS,
  CUPTI_MEMORIES,
  hostSide,
  NO_STREAM,
  SYNC_KINDS,
  ContextDevices,
  type ContextTable,
} from '../cupti/cupti.js';
import { COUNTER_TABLES, KernelCounters } from './kernel-counters.js';
import { apiName, type ApiDomain } from '../cupti/api-names.js';
import {
  OBJECT,
  readObjectId,
  OVERHEAD_COLUMNS,
  OVERHEAD_TABLE,
  overheadText,
  readOverhead,
  earliestTime,
  timeOf,
  Markers,
  MARKER,
} from './host-ranges.js';

export const nvprof: Reader = {
  id: 'nvprof',
  title: 'nvprof / NVVP SQLite database (nvprof -o FILE)',
  reads: 'database',
  fileNames: /\.nvvp(?:\.gz)?$/,
  tableNames: ['CUPTI_ACTIVITY_KIND'],
  sniff: ({ database }) => database?.has('StringTable') === true && database.has('Version'),
  read: (probe, options) => emit(new NvprofCapture(databaseOf(probe)), options),
};

const KIND = 'CUPTI_ACTIVITY_KIND_';
/** Both kernel tables: kernels that may overlap, and those that nvprof ran one after the other. */
const KERNEL_TABLES = [`${KIND}CONCURRENT_KERNEL`, `${KIND}KERNEL`];
const COPY_TABLES = [`${KIND}MEMCPY`, `${KIND}MEMCPY2`];
/** Tables that state the device of a context. */
const CONTEXT_TABLES = [`${KIND}CONTEXT`, ...KERNEL_TABLES, ...COPY_TABLES, `${KIND}MEMSET`].map(
  (table): ContextTable => ({ table, process: null }),
);
/** In order of precedence when both have a call of one correlation id. */
const CALL_TABLES: readonly (readonly [table: string, domain: ApiDomain])[] = [
  [`${KIND}RUNTIME`, 'runtime'],
  [`${KIND}DRIVER`, 'driver'],
];

const READ_TABLES = [
  ...COUNTER_TABLES,
  OVERHEAD_TABLE,
  ...KERNEL_TABLES,
  ...COPY_TABLES,
  ...CALL_TABLES.map(([table]) => table),
  ...['MEMSET', 'SYNCHRONIZATION', 'MARKER', 'CONTEXT'].map((kind) => KIND + kind),
];

/** Where times are. */
const TIME_COLUMNS: readonly TimeColumn[] = [
  ...[
    ...KERNEL_TABLES,
    ...COPY_TABLES,
    `${KIND}MEMSET`,
    `${KIND}SYNCHRONIZATION`,
    OVERHEAD_TABLE,
    ...CALL_TABLES.map(([table]) => table),
  ].map((table): TimeColumn => [table, 'start']),
  [`${KIND}MARKER`, 'timestamp'],
];

/** nvprof writes one file per process, and device rows do not record it: all activities are of this one. */
const PROCESS_KEY = 0;

class NvprofCapture implements Capture {
  readonly diagnostics = new Diagnostics();
  readonly threads = new ThreadTable();
  readonly hostCalls = new HostCalls();
  readonly ranges = new Ranges();
  readonly overhead: Ranges;
  readonly activities = new Activities();
  readonly names: CaptureNames;
  readonly header: Capture['header'];
  readonly #counters: KernelCounters;
  /** The profile's start: Unix time in ns, as text because it exceeds 2^53. */
  readonly #start: string | null;
  readonly #owner = this.threads.process(PROCESS_KEY, 0);
  /** Times of rows that are not read, but may be the first of the profile. */
  readonly #unreadTimes = NumericColumn.floats();
  /** Numbers of NVTX domains in the columns, from 1, by the id of the string that names them. */
  readonly #domains = new Map<number, number>();
  readonly #unread = new UnreadEvents();
  /** Ids of the strings that name the domains, in order of number. */
  readonly #domainNames: number[] = [];

  constructor(private readonly database: SqliteFile) {
    database.diagnostics = this.diagnostics;
    this.#start = earliestTime(database, TIME_COLUMNS);
    this.names = this.#names();
    this.#readCalls();
    this.#readMarkers();
    this.#readKernels();
    this.#readCopies();
    this.#readSets();
    const waitsWithoutDevice = this.#readSyncs();
    this.#counters = new KernelCounters(database);
    this.diagnostics.count('bad-row', this.#counters.broken);
    this.diagnostics.count('counter-without-name', this.#counters.unnamed);
    this.diagnostics.count('counter-without-kernel', this.#counters.outside(this.activities.corr));
    this.overhead = readOverhead(this.#rows(OVERHEAD_TABLE, OVERHEAD_COLUMNS), {
      ...{ diagnostics: this.diagnostics, unread: this.#unread, unreadTimes: this.#unreadTimes },
      thread: (pid, tid) => this.#thread(pid, tid),
    });
    countUnreadTables(database, READ_TABLES, this.#unread);
    this.header = {
      format: nvprof.id,
      tool: this.#tool(),
      rank: null,
      startUnixNs: this.#start,
      dur: null,
      devices: this.#devices(),
      facts: this.#unread.facts(this.diagnostics),
    };
    if (this.header.devices.length > 1) this.diagnostics.count('wait-without-device', waitsWithoutDevice);
  }

  /** Rows with times rebased: the first two cells are start and end, or for markers the time twice. */
  *#rows(
    table: string,
    select: readonly Selection[],
    times: readonly [string, string] = ['start', 'end'],
  ): Generator<SqliteRow> {
    const zero = this.#start ?? '0';
    const rebased = times.map((column): Selection => ({ needs: [column], sql: `("${column}" - ${zero})` }));
    yield* this.database.rows(table, [...rebased, ...select]);
  }

  #readCalls(): void {
    const { hostCalls } = this;
    // A thread id is a pthread handle cut to 32 bits and stored with a sign.
    const columns: Selection[] = [
      'processId',
      { needs: ['threadId'], sql: '(threadId & 0xFFFFFFFF)' },
      'correlationId',
      'cbid',
      'returnValue',
    ];
    for (const [precedence, [table]] of CALL_TABLES.entries()) {
      for (const [startCell, endCell, pid, tid, corr, cbid, result] of this.#rows(table, columns)) {
        const [start, end] = [timeOf(startCell), timeOf(endCell)];
        if (!(start <= end)) {
          this.diagnostics.count('bad-row');
          this.#unreadTimes.push(start);
          continue;
        }
        const thread = this.#thread(numberOf(pid), numberOf(tid));
        const api = numberOf(cbid) * CALL_TABLES.length + precedence;
        hostCalls.add(start, end, thread, this.#owner, numberOf(corr), api, precedence);
        hostCalls.setResult(numberOf(result));
      }
    }
  }

  #thread(pid: number, tid: number): number {
    return this.threads.thread(this.threads.process(pid + 1, pid), tid);
  }

  /** Pairs start and end rows by id. Instantaneous markers and markers of objects other than threads enclose nothing. */
  #readMarkers(): void {
    const table = `${KIND}MARKER`;
    const columns: Selection[] = [
      'id',
      'flags',
      'objectKind',
      { needs: ['objectId'], sql: 'hex(objectId)' },
      'name',
      'domain',
    ];
    const [markers, unreadTimes] = [new Markers(), this.#unreadTimes];
    /** Thread numbers by object id. */
    const threads = new Map<Cell | undefined, number>();
    let [marks, otherStarts] = [0, 0];
    for (const [timeCell, , id, flags, objectKind, object, name, domain] of this.#rows(table, columns, [
      'timestamp',
      'timestamp',
    ])) {
      const flag = numberOf(flags);
      const time = timeOf(timeCell);
      if (Number.isNaN(time) || typeof id !== 'number') {
        this.diagnostics.count('bad-row');
      } else if ((flag & MARKER.end) !== 0) {
        markers.addEnd(time, id);
      } else if ((flag & MARKER.start) !== 0 && objectKind !== OBJECT.thread) {
        otherStarts++;
        unreadTimes.push(time);
      } else if ((flag & MARKER.start) !== 0) {
        const thread = entryOf(threads, object, () => this.#thread(...readObjectId(String(object))));
        markers.addStart(time, id, thread, numberOf(name), this.#domain(numberOf(domain)));
      } else {
        marks++;
        unreadTimes.push(time);
      }
    }
    if (marks > 0) this.#unread.count(`marks of ${table}`, marks);
    if (otherStarts > 0) this.#unread.count(`ranges of other objects than threads in ${table}`, 2 * otherStarts);
    markers.addTo(this.ranges, otherStarts, unreadTimes, this.diagnostics);
  }

  /** Number of a domain by the string that names it; 0 for the default domain. */
  #domain(nameId: number): number {
    if (Number.isNaN(nameId) || nameId === 0 || this.names.rangeText(nameId) === null) return 0;
    return entryOf(this.#domains, nameId, () => this.#domainNames.push(nameId));
  }

  #readKernels(): void {
    const { activities } = this;
    const columns = [...SHARED_COLUMNS, 'name', 'graphNodeId', 'graphId', ...RESOURCE_COLUMNS, ...EXTENT_COLUMNS];
    for (const table of KERNEL_TABLES) {
      for (const cells of this.#rows(table, columns)) {
        const [name = 0, node, graphId, registers, declared, asked, ...extents] = cells.slice(SHARED_CELLS);
        activities.addKernel(this.#activityRow(cells, node), numberOf(name), numberOf(graphId));
        activities.kernels.registers.push(numberOf(registers));
        activities.kernels.sharedBytes.push(numberOf(declared) + numberOf(asked));
        for (const extent of extents) activities.kernels.extents.push(numberOf(extent));
      }
    }
  }

  #readCopies(): void {
    const columns = [...SHARED_COLUMNS, 'copyKind', 'bytes', 'graphNodeId', 'srcKind', 'dstKind'];
    for (const table of COPY_TABLES) {
      for (const cells of this.#rows(table, columns)) {
        const [kindCell, bytes, node, source, destination] = cells.slice(SHARED_CELLS);
        const kind = numberOf(kindCell);
        const hostMemoryCode = hostSide(kind, numberOf(source), numberOf(destination));
        this.activities.addCopy(this.#activityRow(cells, node), kind, numberOf(bytes), hostMemoryCode);
      }
    }
  }

  #readSets(): void {
    for (const cells of this.#rows(`${KIND}MEMSET`, [...SHARED_COLUMNS, 'bytes', 'value', 'graphNodeId'])) {
      const [bytes, value, node] = cells.slice(SHARED_CELLS);
      this.activities.addSet(this.#activityRow(cells, node), numberOf(bytes), numberOf(value));
    }
  }

  /** Rows of waits record only their context. Returns how many have a context of no known device: device 0. */
  #readSyncs(): number {
    const contexts = new ContextDevices(this.database, CONTEXT_TABLES);
    let unknown = 0;
    const columns = ['contextId', 'streamId', 'correlationId', 'type'];
    for (const [start = null, end = null, context = null, stream = null, corr = null, kind] of this.#rows(
      `${KIND}SYNCHRONIZATION`,
      columns,
    )) {
      const device = contexts.deviceOf(PROCESS_KEY, numberOf(context));
      if (Number.isNaN(device)) unknown++;
      const cells = [start, end, device || 0, stream === NO_STREAM ? null : stream, corr, context];
      const row = this.#activityRow(cells, null);
      this.activities.addSync(row, numberOf(kind));
    }
    return unknown;
  }

  /** The cells that all activities have: those of `SHARED_COLUMNS` after the rebased times, and the graph node. */
  #activityRow([startCell, endCell, device, stream, corr, context]: SqliteRow, node: Cell | undefined): ActivityRow {
    // Times that were not collected are 0 in the file, and before the profile's start once they are rebased.
    const [start, end] = [timeOf(startCell), timeOf(endCell)];
    const isTimed = !Number.isNaN(start);
    return {
      start: isTimed ? start : NaN,
      end: isTimed ? end : NaN,
      device: numberOf(device),
      stream: numberOf(stream),
      context: numberOf(context),
      process: this.#owner,
      corr: numberOf(corr),
      node: numberOf(node),
    };
  }

  statementTimes(): readonly NumericColumn[] {
    return [this.#unreadTimes];
  }

  detailsOf(activity: number): ActivityDetails | null {
    const counters = this.#counters.of(this.activities.corr.at(activity));
    return counters === null ? null : { counters };
  }

  hostMemoryOf(activity: number): HostMemory | null {
    const { copies, ownRow } = this.activities;
    return CUPTI_MEMORIES[copies.hostMemoryCode.at(ownRow.at(activity))] ?? null;
  }

  #names(): CaptureNames {
    const lookup = this.database.lookup('StringTable', 'value', '_id_');
    const string = (id: number): string | null => {
      const value = lookup?.(id) ?? null;
      return typeof value === 'string' ? value : null;
    };
    return {
      kernelName: (id) => {
        const name = string(id);
        if (name === null) return null;
        const demangled = demangle(name);
        if (demangled === null) this.diagnostics.count('name-not-demangled');
        return demangled ?? name;
      },
      apiName: (api) => {
        const [, domain] = elementAt(CALL_TABLES, api % CALL_TABLES.length);
        return apiName(domain, Math.floor(api / CALL_TABLES.length));
      },
      rangeText: (id) => overheadText(id) ?? string(id),
      domainName: (domain) => (domain === 0 ? null : string(elementAt(this.#domainNames, domain - 1))),
      copyKind: (code) => COPY_KINDS[code] ?? null,
      syncKind: (code) => SYNC_KINDS[code] ?? null,
    };
  }

  #tool(): string | null {
    const [row] = [...this.database.rows('Version', ['version'])];
    return typeof row?.[0] === 'number' ? `nvprof database version ${row[0]}` : null;
  }

  /** The file holds clocks in kHz and bandwidths in kB/s. */
  #devices(): Device[] {
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
    const rows = [...this.database.rows(`${KIND}DEVICE`, columns)].map((row) => row.map(numberOf));
    const times = (cell: number, factor: number): number | null => orNull(cell * factor);
    return rows
      .map(
        ([id = NaN, name = NaN, major = NaN, minor = NaN, units = NaN, kHz = NaN, kBPerS = NaN, memBytes = NaN]) => ({
          id: Number.isNaN(id) ? 0 : id,
          vendor: 'nvidia',
          name: this.names.rangeText(name),
          arch: Number.isNaN(major + minor) ? null : `sm${major}${minor}`,
          units: orNull(units),
          clockHz: times(kHz, 1000),
          memBytesPerS: times(kBPerS, 1000),
          memBytes: orNull(memBytes),
        }),
      )
      .sort((a, b) => a.id - b.id);
  }
}

/** Columns that all activity tables but that of waits share. */
const SHARED_COLUMNS: readonly Selection[] = ['deviceId', 'streamId', 'correlationId', 'contextId'];
/** Cells before an activity table's own: start, end and the shared columns. */
const SHARED_CELLS = 2 + SHARED_COLUMNS.length;

const RESOURCE_COLUMNS: readonly Selection[] = ['registersPerThread', 'staticSharedMemory', 'dynamicSharedMemory'];
const EXTENT_COLUMNS: readonly Selection[] = ['gridX', 'gridY', 'gridZ', 'blockX', 'blockY', 'blockZ'];
