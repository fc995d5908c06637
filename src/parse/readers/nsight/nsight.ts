/**
 * Nsight Systems SQLite exports of 2019 to 2026. Tables exist only when they have rows, columns come and go between
 * releases: everything is read by name, and what is missing is null.
 * Source: NVIDIA Nsight Systems documentation, "SQLite Schema Reference", and exports of these years.
 */
import { Diagnostics } from '../../../record/diagnostics.js';
import { LruCache } from '../../../containers/lru-cache.js';
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
import { emit } from '../../capture/emit.js';
import { stripAbi } from '../../names/kernel-name.js';
import { cachedCells } from '../../sqlite/block-cache.js';
import type { Probe, Reader, ReadOptions } from '../../reader.js';
import type { Cell, Filter, Selection, SqliteFile, TakeNumbers } from '../../sqlite/sqlite.js';
import { Threads } from '../../capture/threads.js';
import { readDevices, type DeviceMap } from './nsight-devices.js';
import { COPY_KINDS, hostSide, NO_STREAM, NSIGHT_MEMORIES, numberOf, SYNC_KINDS } from '../cupti/cupti.js';

export const nsight: Reader = {
  id: 'nsight',
  title: 'Nsight Systems SQLite export (nsys export --type sqlite)',
  reads: 'database',
  tableNames: ['CUPTI_ACTIVITY_KIND'],
  sniff: ({ database }) => database?.has('StringIds') === true && !database.has('StringTable'),
  read: (probe, options) => read(probe, options),
};

function* read({ database }: Probe, options: ReadOptions): Generator<ProfileLine> {
  if (database === null) return;
  yield* emit(new NsightCapture(database), options);
}

/** pid and tid take 24 bits each of a global id; what stands above them tells machines apart, and may set the sign. */
const processOf = (column: string): Selection => ({ needs: [column], sql: `((${column} >> 24) & 0xFFFFFFFFFF)` });
const tidOf = (column: string): Selection => ({ needs: [column], sql: `(${column} & 0xFFFFFF)` });
const THREAD: readonly Selection[] = [processOf('globalTid'), tidOf('globalTid')];

const NVTX = 'NVTX_EVENTS';

/** Kernel name, or code of a kind, of rows that have none. */
const NO_NAME = 4294967295;

/** NVTX event types (ENUM_NSYS_EVENT_TYPE). */
const EVENT = { thread: 39, pushPop: 59, startEnd: 60, textPushPop: 70, textStartEnd: 71, domain: 75 } as const;
/** Exports up to 2021 wrote 0 for a value that is not there. */
const CROSSES_THREADS = '(endGlobalTid <> 0 AND endGlobalTid <> globalTid)';
const IS_RANGE: Filter = [
  {
    needs: ['eventType'],
    sql: `eventType IN (${[EVENT.pushPop, EVENT.startEnd, EVENT.textPushPop, EVENT.textStartEnd].join()})`,
  },
  { needs: ['endGlobalTid', 'globalTid'], sql: `(endGlobalTid IS NULL OR NOT ${CROSSES_THREADS})` },
];
const IS_NAMING: Filter = [{ needs: ['eventType'], sql: `eventType IN (${[EVENT.domain, EVENT.thread].join()})` }];

/** Registered strings by -1 - id, texts of their own by row. */
const textPlace = (database: SqliteFile): Selection => {
  const hasText = database.hasColumn(NVTX, 'text') ? 'OR text IS NOT NULL' : '';
  return database.hasColumn(NVTX, 'textId')
    ? { needs: [], sql: `CASE WHEN textId IS NULL ${hasText} THEN rowid ELSE -1 - textId END` }
    : { needs: [], sql: 'rowid' };
};

/** Rows of the API table by event class: the runtime's own, the driver's, then others (backtraces, extensions). */
const CALL_RANK: Readonly<Record<number, number>> = { 0: 0, 1: 1 };
const OTHER_CALLS = 2;

const text = (cell: Cell | undefined): string | null => (typeof cell === 'string' ? cell : null);

/** Columns that all activity tables share; `correlationId` onwards may be missing. */
const ACTIVITY_COLUMNS: readonly Selection[] = [
  'start', 'end', 'deviceId', 'streamId', 'correlationId', processOf('globalPid'), 'graphNodeId',
]; // prettier-ignore

/** An activity table: its own columns follow the shared ones; `own` says at which place what is. */
interface ActivityTable {
  readonly kind: ActivityKind;
  readonly table: string;
  readonly columns: readonly string[];
  readonly own: Readonly<Partial<Record<'name' | 'bytes' | 'value' | 'extents' | 'memories', number>>>;
}

const SHARED = ACTIVITY_COLUMNS.length;
/** A place that no row has. */
const NONE = -1;

const ACTIVITY_TABLES: readonly ActivityTable[] = [
  {
    kind: 'kernel',
    table: 'CUPTI_ACTIVITY_KIND_KERNEL',
    columns: ['demangledName', 'graphId', 'gridX', 'gridY', 'gridZ', 'blockX', 'blockY', 'blockZ'],
    own: { name: SHARED, value: SHARED + 1, extents: SHARED + 2 },
  },
  {
    kind: 'copy',
    table: 'CUPTI_ACTIVITY_KIND_MEMCPY',
    columns: ['copyKind', 'bytes', 'srcKind', 'dstKind'],
    own: { name: SHARED, bytes: SHARED + 1, memories: SHARED + 2 },
  },
  {
    kind: 'set',
    table: 'CUPTI_ACTIVITY_KIND_MEMSET',
    columns: ['bytes', 'value'],
    own: { bytes: SHARED, value: SHARED + 1 },
  },
  {
    kind: 'sync',
    table: 'CUPTI_ACTIVITY_KIND_SYNCHRONIZATION',
    columns: ['syncType'],
    own: { name: SHARED },
  },
  {
    kind: 'graph',
    table: 'CUPTI_ACTIVITY_KIND_GRAPH_TRACE',
    columns: ['graphId', 'graphExecId'],
    own: { value: SHARED, bytes: SHARED + 1 },
  },
];

/** Correlation id 0 was written for "none" before columns became nullable. */
const knownCorr = (corr: number): number => (corr === 0 ? NaN : corr);

class NsightCapture implements Capture {
  readonly diagnostics = new Diagnostics();
  readonly threads = new Threads();
  readonly calls = new Calls();
  readonly ranges = new Ranges();
  readonly activities = new Activities();
  readonly names: Names;
  readonly header: Capture['header'];
  readonly #devices: DeviceMap;
  /** Domain names by process and domain number; place in the list is the number in the columns. */
  readonly #domains: { process: number; id: number; name: string | null }[] = [];
  readonly #domainNumbers = new Map<string, number>();
  #mpiRanks = new Set<number>();

  constructor(private readonly database: SqliteFile) {
    this.#devices = readDevices(database);
    this.names = this.#names();
    this.#readCalls();
    this.#readNamings();
    this.#readRanges();
    for (const table of ACTIVITY_TABLES) this.#readActivities(table);
    this.header = {
      format: nsight.id,
      tool: this.#tool(),
      rank: this.#mpiRanks.size === 1 ? ([...this.#mpiRanks][0] ?? null) : null,
      startUnixNs: this.#startUnixNs(),
      dur: this.#duration(),
      devices: this.#usedDevices(),
    };
  }

  #readCalls(): void {
    const { calls } = this;
    const columns = ['start', 'end', ...THREAD, 'correlationId', 'nameId', 'eventClass'];
    this.database.eachNumbers(
      'CUPTI_ACTIVITY_KIND_RUNTIME',
      columns,
      ([start = NaN, end = NaN, process = NaN, tid = 0, corr = NaN, name = 0, eventClass = NaN]) => {
        if (!(start <= end) || Number.isNaN(process)) {
          this.diagnostics.count('bad-row');
          return;
        }
        const owner = this.#process(process);
        calls.start.push(start);
        calls.end.push(end);
        calls.thread.push(this.threads.thread(owner, tid));
        calls.process.push(owner);
        calls.corr.push(knownCorr(corr));
        calls.api.push(name);
        calls.rank.push(Number.isNaN(eventClass) ? 0 : (CALL_RANK[eventClass] ?? OTHER_CALLS));
      },
    );
  }

  #readRanges(): void {
    const { ranges, database } = this;
    const columns = ['start', 'end', ...THREAD, textPlace(database), 'domainId'];
    const take: TakeNumbers = ([start = NaN, end = NaN, process = NaN, tid = 0, place = 0, domain = NaN]) => {
      if (Number.isNaN(start) || Number.isNaN(process)) {
        this.diagnostics.count('bad-row');
        return;
      }
      if (end < start) {
        this.diagnostics.count('negative-duration');
        return;
      }
      if (Number.isNaN(end)) this.diagnostics.count('open-range');
      const owner = this.#process(process);
      ranges.start.push(start);
      ranges.end.push(Number.isNaN(end) ? Infinity : end);
      ranges.thread.push(this.threads.thread(owner, tid));
      ranges.text.push(place);
      ranges.domain.push(this.#domain(owner, domain));
    };
    database.eachNumbers(NVTX, columns, take, IS_RANGE);
    const known = ['endGlobalTid', 'globalTid'].every((column) => database.hasColumn(NVTX, column));
    const crossing = known ? database.count(NVTX, CROSSES_THREADS) : 0;
    this.diagnostics.count('range-across-threads', crossing);
  }

  /** Rows that name a domain or a thread. */
  #readNamings(): void {
    const columns = ['eventType', ...THREAD, 'domainId', textPlace(this.database)];
    for (const [type, process, , domain, place] of this.database.rows(NVTX, columns, IS_NAMING)) {
      if (type === EVENT.domain) this.#nameDomain(this.#process(numberOf(process)), numberOf(domain), numberOf(place));
      else this.#noteThreadName(numberOf(place));
    }
  }

  #readActivities({ kind, table, columns, own }: ActivityTable): void {
    const { activities } = this;
    // Old exports do not say whose an activity is: it is the only process's, else nobody's.
    const orphanage = this.#onlyProcess() ?? this.#process(0);
    this.database.eachNumbers(table, [...ACTIVITY_COLUMNS, ...columns], (cells) => {
      const [start = NaN, end = NaN, device = 0, stream = NaN, corr = NaN, process = NaN, node = NaN] = cells;
      const told = !Number.isNaN(start) && !Number.isNaN(end);
      if (!told) this.diagnostics.count('bad-row');
      // CUPTI gives 0 and 0 for times that it did not collect.
      const timed = told && (start !== 0 || end !== 0);
      const owner = Number.isNaN(process) ? orphanage : this.#process(process);
      activities.kind.push(ACTIVITY_KINDS.indexOf(kind));
      activities.start.push(timed ? start : NaN);
      activities.end.push(timed ? end : NaN);
      activities.device.push(this.#devices.idOf(this.threads.pid(owner), device));
      activities.stream.push(stream === NO_STREAM ? NaN : stream);
      activities.process.push(owner);
      activities.corr.push(knownCorr(corr));
      activities.node.push(node === 0 ? NaN : node);
      const name = own.name === undefined ? 0 : (cells[own.name] ?? NaN);
      activities.name.push(Number.isNaN(name) ? NO_NAME : name);
      activities.bytes.push(cells[own.bytes ?? NONE] ?? NaN);
      activities.value.push(
        own.memories === undefined
          ? (cells[own.value ?? NONE] ?? NaN)
          : hostSide(name, cells[own.memories] ?? NaN, cells[own.memories + 1] ?? NaN),
      );
      activities.extent.push(kind === 'kernel' ? activities.extents.length / 6 : 0);
      if (own.extents !== undefined) for (let i = 0; i < 6; i++) activities.extents.push(cells[own.extents + i] ?? NaN);
    });
  }

  /** The process of all calls, null when there are several or none. */
  #onlyProcess(): number | null {
    const { values } = this.calls.process;
    const first = values[0];
    return first !== undefined && values.every((process) => process === first) ? first : null;
  }

  #process(key: number): number {
    return this.threads.process(key, key % 0x1000000);
  }

  /** Number of a domain of a process; 0 for the default domain. */
  #domain(process: number, id: number): number {
    if (Number.isNaN(id) || id === 0) return 0;
    const key = `${process}:${id}`;
    let domain = this.#domainNumbers.get(key);
    if (domain === undefined) {
      domain = this.#domains.push({ process, id, name: null });
      this.#domainNumbers.set(key, domain);
    }
    return domain;
  }

  #nameDomain(process: number, id: number, place: number): void {
    const domain = this.#domains[this.#domain(process, id) - 1];
    if (domain !== undefined) domain.name = this.names.rangeText(place);
  }

  /** A thread named by an MPI library tells the rank of the process. */
  #noteThreadName(place: number): void {
    const rank = /^MPI Rank (\d{1,6})$/.exec(this.names.rangeText(place) ?? '')?.[1];
    if (rank !== undefined) this.#mpiRanks.add(Number(rank));
  }

  hostMemoryOf(activity: number): HostMemory | null {
    return NSIGHT_MEMORIES[this.activities.value.at(activity)] ?? null;
  }

  #names(): Names {
    const { database } = this;
    const string = database.lookup('StringIds', 'value');
    const inline = cachedCells(database.cells(NVTX, 'text'));
    const byId = (id: number): string | null => (string === null ? null : text(string(id)));
    const apiNames = new LruCache<number, string>(512);
    return {
      kernelName: byId,
      apiName: (api) => apiNames.of(api, () => stripAbi(byId(api) ?? '')) || null,
      rangeText: (at) => (at < 0 ? byId(-1 - at) : text(inline(at))),
      domainName: (domain) => {
        const known = this.#domains[domain - 1];
        return known === undefined ? null : (known['name'] ?? `domain#${known.id}`);
      },
      kindName: (kind, code) => (kind === 'copy' ? COPY_KINDS[code] : SYNC_KINDS[code]) ?? null,
    };
  }

  /** `NVIDIA Nsight Systems 2024.2.1.106`; exports before 2022 do not say. */
  #tool(): string | null {
    const facts = new Map<string, string>();
    for (const table of ['META_DATA_EXPORT', 'EXPORT_META_DATA']) {
      for (const [name, value] of this.database.rows(table, ['name', 'value'])) {
        if (name === 'EXPORT_PRODUCT_VERSION') facts.set(name, text(value) ?? '');
      }
    }
    const version = facts.get('EXPORT_PRODUCT_VERSION');
    return version === undefined ? null : `Nsight Systems ${version}`;
  }

  #startUnixNs(): string | null {
    return this.database.minimum('TARGET_INFO_SESSION_START_TIME', 'utcEpochNs');
  }

  #duration(): number | null {
    for (const [duration] of this.database.rows('ANALYSIS_DETAILS', ['duration'])) {
      const value = numberOf(duration);
      if (value > 0) return value;
    }
    return null;
  }

  /** Devices the profile describes, and those that only appear in activities. */
  #usedDevices(): Device[] {
    return this.#devices.list(new Set(this.activities.device.values));
  }
}
