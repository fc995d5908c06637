/**
 * nvprof and NVVP databases, versions 7 to 22: C structs of CUPTI dumped one column per field. Times are Unix time in
 * nanoseconds and exceed 2^53, so they are rebased to the profile's start in SQL.
 * Source: CUPTI documentation (activity records) and databases of versions 9, 12 and 16.
 */
import { Diagnostics } from '../../../record/diagnostics.js';
import type { Device, HostMemory, ProfileLine } from '../../../record/record.js';
import {
  ACTIVITY_KINDS,
  Activities,
  Calls,
  Ranges,
  type ActivityKind,
  type Capture,
  type Names,
} from '../../capture/capture.js';
import { demangle } from '../../names/demangle/demangle.js';
import { emit } from '../../capture/emit.js';
import { PairIndex } from '../../../containers/pair-index.js';
import { NumericColumn, orNull } from '../../../containers/numeric-column.js';
import type { Probe, Reader, ReadOptions } from '../../reader.js';
import type { Cell, Row, Selection, SqliteFile } from '../../sqlite/sqlite.js';
import { Threads } from '../../capture/threads.js';
import { COPY_KINDS, CUPTI_MEMORIES, hostSide, NO_STREAM, numberOf, SYNC_KINDS } from '../cupti/cupti.js';
import { apiName, type ApiDomain } from './nvprof-api.js';

export const nvprof: Reader = {
  id: 'nvprof',
  title: 'nvprof / NVVP SQLite database (nvprof -o FILE)',
  reads: 'database',
  tableNames: ['CUPTI_ACTIVITY_KIND'],
  sniff: ({ database }) => database?.has('StringTable') === true && database.has('Version'),
  read: (probe, options) => read(probe, options),
};

function* read({ database }: Probe, options: ReadOptions): Generator<ProfileLine> {
  if (database === null) return;
  yield* emit(new NvprofCapture(database), options);
}

const KIND = 'CUPTI_ACTIVITY_KIND_';
/** Both kernel tables: kernels that may overlap, and those that nvprof ran one after the other. */
const KERNEL_TABLES = [`${KIND}CONCURRENT_KERNEL`, `${KIND}KERNEL`];
const COPY_TABLES = [`${KIND}MEMCPY`, `${KIND}MEMCPY2`];
/** In order of preference when both have a call of one correlation id. */
const CALL_TABLES: readonly (readonly [table: string, kind: ApiDomain])[] = [
  [`${KIND}RUNTIME`, 'runtime'],
  [`${KIND}DRIVER`, 'driver'],
];

/** Flags of a marker row (CUpti_ActivityFlag): the other bits tell how it synchronises. */
const MARKER = { start: 2, end: 4 } as const;
/** CUPTI_ACTIVITY_OBJECT_THREAD: the object id is a process and a thread. */
const THREAD_OBJECT = 2;

/** One process a file: nvprof writes a file per process, and device rows carry no process. */
const PROCESS_KEY = 0;

class NvprofCapture implements Capture {
  readonly diagnostics = new Diagnostics();
  readonly threads = new Threads();
  readonly calls = new Calls();
  readonly ranges = new Ranges();
  readonly activities = new Activities();
  readonly names: Names;
  readonly header: Capture['header'];
  /** The profile's start in Unix time, as text. */
  readonly #start: string | null;
  readonly #owner = this.threads.process(PROCESS_KEY, 0);
  readonly #domains = new Map<number, number>();
  readonly #domainNames: number[] = [];

  constructor(private readonly database: SqliteFile) {
    this.#start = this.#earliest();
    this.names = this.#names();
    this.#readCalls();
    this.#readMarkers();
    const deviceOf = this.#readContexts();
    this.#readKernels();
    this.#readCopies();
    this.#readSets();
    this.#readSyncs(deviceOf);
    this.header = {
      format: nvprof.id,
      tool: this.#tool(),
      rank: null,
      startUnixNs: this.#start,
      dur: null,
      devices: this.#devices(),
    };
  }

  /** Rows with times rebased: the first two cells are start and end, or for markers the time twice. */
  *#rows(
    table: string,
    select: readonly Selection[],
    times: readonly [string, string] = ['start', 'end'],
  ): Generator<Row> {
    const zero = this.#start ?? '0';
    const rebased = times.map((column): Selection => ({ needs: [column], sql: `("${column}" - ${zero})` }));
    yield* this.database.rows(table, [...rebased, ...select]);
  }

  /** The smallest time of all tables that have one; rows whose times were not collected hold 0. */
  #earliest(): string | null {
    const columns: [table: string, column: string][] = [
      ...[
        ...KERNEL_TABLES,
        ...COPY_TABLES,
        `${KIND}MEMSET`,
        `${KIND}SYNCHRONIZATION`,
        `${KIND}RUNTIME`,
        `${KIND}DRIVER`,
      ].map((table): [string, string] => [table, 'start']),
      [`${KIND}MARKER`, 'timestamp'],
    ];
    const times = columns
      .map(([table, column]) => this.database.minimum(table, column, `"${column}" > 0`))
      .filter((time) => time !== null);
    const [first, ...rest] = times.map(BigInt);
    return first === undefined ? null : String(rest.reduce((least, time) => (time < least ? time : least), first));
  }

  #readCalls(): void {
    const { calls } = this;
    // A thread id is a pthread handle cut to 32 bits and stored with a sign.
    const columns: Selection[] = [
      'processId',
      { needs: ['threadId'], sql: '(threadId & 0xFFFFFFFF)' },
      'correlationId',
      'cbid',
    ];
    for (const [rank, [table]] of CALL_TABLES.entries()) {
      for (const [start, end, pid, tid, corr, cbid] of this.#rows(table, columns)) {
        if (typeof start !== 'number' || typeof end !== 'number' || start < 0 || end < start) {
          this.diagnostics.count('bad-row');
          continue;
        }
        calls.start.push(start);
        calls.end.push(end);
        calls.thread.push(this.#thread(numberOf(pid), numberOf(tid)));
        calls.process.push(this.#owner);
        calls.corr.push(numberOf(corr));
        calls.api.push(numberOf(cbid) * CALL_TABLES.length + rank);
        calls.rank.push(rank);
      }
    }
  }

  #thread(pid: number, tid: number): number {
    return this.threads.thread(this.threads.process(pid + 1, pid), tid);
  }

  /** Pairs start and end rows by their id. Instantaneous markers and those of other objects than threads enclose nothing. */
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
    const starts = {
      time: NumericColumn.floats(),
      id: NumericColumn.floats(),
      thread: NumericColumn.counts(),
      name: NumericColumn.counts(),
      domain: NumericColumn.counts(),
    };
    const ends = { time: NumericColumn.floats(), id: NumericColumn.floats() };
    const threads = new Map<Cell, number>();
    let otherStarts = 0;
    for (const [time, , id, flags, objectKind, object, name, domain] of this.#rows(table, columns, [
      'timestamp',
      'timestamp',
    ])) {
      const flag = numberOf(flags);
      if (typeof time !== 'number' || time < 0 || typeof id !== 'number') {
        this.diagnostics.count('bad-row');
      } else if ((flag & MARKER.end) !== 0) {
        ends.time.push(time);
        ends.id.push(id);
      } else if ((flag & MARKER.start) !== 0 && objectKind !== THREAD_OBJECT) {
        otherStarts++;
      } else if ((flag & MARKER.start) !== 0) {
        let thread = threads.get(object ?? null);
        if (thread === undefined) {
          thread = this.#thread(...readObjectId(String(object)));
          threads.set(object ?? null, thread);
        }
        starts.time.push(time);
        starts.id.push(id);
        starts.thread.push(thread);
        starts.name.push(numberOf(name));
        starts.domain.push(this.#domain(numberOf(domain)));
      }
    }
    const matched = this.#pairMarkers(starts, ends);
    this.diagnostics.count('range-without-start', ends.id.length - matched - otherStarts);
  }

  /** @returns how many of the starts have an end */
  #pairMarkers(
    starts: Readonly<
      Record<'time' | 'id', NumericColumn> &
        Record<'thread' | 'name' | 'domain', NumericColumn<Uint32Array<ArrayBuffer>>>
    >,
    ends: Readonly<Record<'time' | 'id', NumericColumn>>,
  ): number {
    const endOf = new PairIndex(
      (row) => ends.id.at(row),
      () => 0,
    );
    for (let row = 0; row < ends.id.length; row++) {
      const known = endOf.get(ends.id.at(row), 0);
      if (known === -1 || ends.time.at(row) < ends.time.at(known)) endOf.put(row);
    }
    const { ranges } = this;
    let matched = 0;
    for (let row = 0; row < starts.id.length; row++) {
      const end = endOf.get(starts.id.at(row), 0);
      if (end === -1) this.diagnostics.count('open-range');
      else matched++;
      if (end !== -1 && ends.time.at(end) < starts.time.at(row)) {
        this.diagnostics.count('negative-duration');
        continue;
      }
      ranges.start.push(starts.time.at(row));
      ranges.end.push(end === -1 ? Infinity : ends.time.at(end));
      ranges.thread.push(starts.thread.at(row));
      ranges.text.push(starts.name.at(row));
      ranges.domain.push(starts.domain.at(row));
    }
    return matched;
  }

  /** Number of a domain by the string that names it; 0 for the default domain. */
  #domain(nameId: number): number {
    if (Number.isNaN(nameId) || nameId === 0 || this.names.rangeText(nameId) === null) return 0;
    let domain = this.#domains.get(nameId);
    if (domain === undefined) {
      domain = this.#domainNames.push(nameId);
      this.#domains.set(nameId, domain);
    }
    return domain;
  }

  /** Device of each context: waits name only their context. */
  #readContexts(): Map<number, number> {
    const rows = this.database.rows(`${KIND}CONTEXT`, ['contextId', 'deviceId']);
    return new Map([...rows].map(([context, device]) => [numberOf(context), numberOf(device)]));
  }

  #readKernels(): void {
    const { activities } = this;
    const columns = [
      ...PLACE,
      'name',
      'graphNodeId',
      'graphId',
      'gridX',
      'gridY',
      'gridZ',
      'blockX',
      'blockY',
      'blockZ',
    ];
    for (const table of KERNEL_TABLES) {
      for (const row of this.#rows(table, columns)) {
        this.#pushActivity('kernel', row, { name: row[5], node: row[6], value: row[7] });
        activities.extent.set(activities.length - 1, activities.extents.length / 6);
        for (let i = 8; i < 14; i++) activities.extents.push(numberOf(row[i]));
      }
    }
  }

  #readCopies(): void {
    const columns = [...PLACE, 'copyKind', 'bytes', 'graphNodeId', 'srcKind', 'dstKind'];
    for (const table of COPY_TABLES) {
      for (const row of this.#rows(table, columns)) {
        const value = hostSide(numberOf(row[5]), numberOf(row[8]), numberOf(row[9]));
        this.#pushActivity('copy', row, { name: row[5], bytes: row[6], node: row[7], value });
      }
    }
  }

  #readSets(): void {
    for (const row of this.#rows(`${KIND}MEMSET`, [...PLACE, 'bytes', 'value', 'graphNodeId'])) {
      this.#pushActivity('set', row, { bytes: row[5], value: row[6], node: row[7] });
    }
  }

  #readSyncs(deviceOf: ReadonlyMap<number, number>): void {
    const columns = ['contextId', 'streamId', 'correlationId', 'type'];
    for (const [start = null, end = null, context, stream = null, corr = null, type] of this.#rows(
      `${KIND}SYNCHRONIZATION`,
      columns,
    )) {
      const device = deviceOf.get(numberOf(context)) ?? 0;
      this.#pushActivity('sync', [start, end, device, stream === NO_STREAM ? null : stream, corr], { name: type });
    }
  }

  #pushActivity(kind: ActivityKind, row: Row, own: Readonly<Record<string, Cell | undefined>>): void {
    const [start, end, device, stream, corr] = row;
    const { activities } = this;
    // Times that were not collected are 0 in the file, and before the profile's start once they are rebased.
    const timed = typeof start === 'number' && typeof end === 'number' && start >= 0;
    activities.kind.push(ACTIVITY_KINDS.indexOf(kind));
    activities.start.push(timed ? start : NaN);
    activities.end.push(timed ? end : NaN);
    activities.device.push(numberOf(device));
    activities.stream.push(numberOf(stream));
    activities.process.push(this.#owner);
    activities.corr.push(numberOf(corr));
    activities.node.push(own['node'] === 0 ? NaN : numberOf(own['node']));
    activities.name.push(numberOf(own['name'] ?? 0));
    activities.bytes.push(numberOf(own['bytes']));
    activities.value.push(numberOf(own['value']));
    activities.extent.push(0);
  }

  hostMemoryOf(activity: number): HostMemory | null {
    return CUPTI_MEMORIES[this.activities.value.at(activity)] ?? null;
  }

  #names(): Names {
    const lookup = this.database.lookup('StringTable', 'value');
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
        const kind = CALL_TABLES[api % CALL_TABLES.length]?.[1] ?? 'runtime';
        return apiName(kind, Math.floor(api / CALL_TABLES.length));
      },
      rangeText: string,
      domainName: (domain) => string(this.#domainNames[domain - 1] ?? 0),
      kindName: (kind, code) => (kind === 'copy' ? COPY_KINDS[code] : SYNC_KINDS[code]) ?? null,
    };
  }

  #tool(): string | null {
    const [row] = [...this.database.rows('Version', ['version'])];
    return typeof row?.[0] === 'number' ? `nvprof database version ${row[0]}` : null;
  }

  /** Clock in kHz and bandwidth in kB/s. */
  #devices(): Device[] {
    const columns = [
      'id', 'name', 'computeCapabilityMajor', 'computeCapabilityMinor', 'numMultiprocessors', 'coreClockRate',
      'globalMemoryBandwidth', 'globalMemorySize',
    ]; // prettier-ignore
    const rows = [...this.database.rows(`${KIND}DEVICE`, columns)].map((row) => row.map(numberOf));
    const times = (cell: number, factor: number): number | null => orNull(cell * factor);
    return rows
      .map(
        ([id = NaN, name = NaN, major = NaN, minor = NaN, units = NaN, kHz = NaN, kBPerS = NaN, memBytes = NaN]) => ({
          id: orNull(id) ?? 0,
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

/** Where an activity ran and what launched it. */
const PLACE: readonly Selection[] = ['deviceId', 'streamId', 'correlationId'];

/** A thread's object id in hexadecimal: 4 bytes process, 8 bytes thread of which 4 count, both little-endian. */
export function readObjectId(hex: string): [pid: number, tid: number] {
  const bytes = Buffer.from(hex, 'hex');
  return bytes.length < 8 ? [0, 0] : [bytes.readUInt32LE(0), bytes.readUInt32LE(4)];
}
