/**
 * Nsight Systems SQLite exports of 2019 to 2026. Tables exist only when they have rows, columns come and go between
 * releases: everything is read by name, and what is missing is null.
 * Source: NVIDIA Nsight Systems documentation, "SQLite Schema Reference", and exports of these years.
 */
import { Diagnostics } from '../../record/diagnostics.js';
import { Recent } from '../../record/recent.js';
import type { Device, ProfileLine } from '../../record/record.js';
import { ACTIVITY_KINDS, Activities, Calls, Ranges, type ActivityKind, type Capture, type Names } from '../capture.js';
import { emit } from '../emit.js';
import { stripAbi } from '../kernel-name.js';
import type { Probe, Reader, ReadOptions } from '../reader.js';
import type { Cell, Row, Selection, SqliteFile } from '../sqlite.js';
import { Threads } from '../threads.js';
import { readDevices, type DeviceMap } from './nsight-devices.js';
import { COPY_KINDS, SYNC_KINDS } from './cupti.js';

export const nsight: Reader = {
  id: 'nsight',
  title: 'Nsight Systems SQLite export (nsys export --type sqlite)',
  sniff: ({ database }) => database?.has('StringIds') === true && !database.has('StringTable'),
  read: (probe, options) => read(probe, options),
};

function* read({ database }: Probe, options: ReadOptions): Generator<ProfileLine> {
  if (database === null) return;
  yield* emit(new NsightCapture(database), options);
}

/** pid and tid take 24 bits each of a global id; what stands above them tells machines apart. */
const processOf = (column: string): Selection => ({ needs: [column], sql: `(${column} >> 24)` });
const tidOf = (column: string): Selection => ({ needs: [column], sql: `(${column} & 0xFFFFFF)` });
const pidOfProcess = (process: number): number => process % 0x1000000;

const ROWID: Selection = { needs: [], sql: 'rowid' };

/** Stream number of rows that belong to no stream. */
const NO_STREAM = 4294967295;

/** NVTX event types (ENUM_NSYS_EVENT_TYPE). */
const EVENT = { thread: 39, pushPop: 59, startEnd: 60, textPushPop: 70, textStartEnd: 71, domain: 75 } as const;
const RANGE_EVENTS: readonly number[] = [EVENT.pushPop, EVENT.startEnd, EVENT.textPushPop, EVENT.textStartEnd];

/** Rows of the API table by event class: the runtime's own, the driver's, then others (backtraces, extensions). */
const CALL_RANK: Readonly<Record<number, number>> = { 0: 0, 1: 1 };
const OTHER_CALLS = 2;

const number = (cell: Cell | undefined): number => (typeof cell === 'number' ? cell : NaN);
const text = (cell: Cell | undefined): string | null => (typeof cell === 'string' ? cell : null);

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
    this.#readRanges();
    this.#readKernels();
    this.#readCopies();
    this.#readSets();
    this.#readSyncs();
    this.#readGraphs();
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
    const table = 'CUPTI_ACTIVITY_KIND_RUNTIME';
    const { calls } = this;
    const columns = [
      'start',
      'end',
      processOf('globalTid'),
      tidOf('globalTid'),
      'correlationId',
      'nameId',
      'eventClass',
    ];
    for (const [start, end, process, tid, corr, name, eventClass] of this.database.rows(table, columns)) {
      if (typeof start !== 'number' || typeof end !== 'number' || process === null || process === undefined) {
        this.diagnostics.count('bad-row');
        continue;
      }
      const owner = this.#process(process);
      calls.start.push(start);
      calls.end.push(end);
      calls.thread.push(this.threads.thread(owner, number(tid)));
      calls.process.push(owner);
      calls.corr.push(this.#corr(corr));
      calls.api.push(number(name));
      calls.rank.push(eventClass === null ? 0 : (CALL_RANK[number(eventClass)] ?? OTHER_CALLS));
    }
  }

  #readRanges(): void {
    const columns: Selection[] = [
      'start', 'end', 'eventType', processOf('globalTid'), tidOf('globalTid'), 'textId', 'domainId',
      { needs: ['endGlobalTid', 'globalTid'], sql: '(endGlobalTid <> globalTid)' }, ROWID,
    ]; // prettier-ignore
    for (const row of this.database.rows('NVTX_EVENTS', columns)) {
      const [start, end, type, process, tid, textId, domain, crosses, rowid] = row;
      if (process === null || process === undefined) continue;
      const owner = this.#process(process);
      if (type === EVENT.domain) this.#nameDomain(owner, number(domain), number(rowid));
      else if (type === EVENT.thread) this.#noteThreadName(number(rowid));
      else if (!RANGE_EVENTS.includes(number(type))) continue;
      else if (crosses === 1) this.diagnostics.count('range-across-threads');
      else if (typeof start !== 'number' || (end !== null && typeof end !== 'number'))
        this.diagnostics.count('bad-row');
      else {
        if (end === null) this.diagnostics.count('open-range');
        const { ranges } = this;
        ranges.start.push(start);
        ranges.end.push(end ?? Infinity);
        ranges.thread.push(this.threads.thread(owner, number(tid)));
        // Registered strings are found by their id, others by their row: kept apart by sign.
        ranges.text.push(textId === null ? number(rowid) : -1 - number(textId));
        ranges.domain.push(this.#domain(owner, number(domain)));
      }
    }
  }

  #readKernels(): void {
    const { activities } = this;
    const columns: Selection[] = [
      ...ACTIVITY_COLUMNS, 'demangledName', 'graphId', 'gridX', 'gridY', 'gridZ', 'blockX', 'blockY', 'blockZ',
    ]; // prettier-ignore
    for (const row of this.database.rows('CUPTI_ACTIVITY_KIND_KERNEL', columns)) {
      this.#pushActivity('kernel', row, { name: row[7], value: row[8] });
      activities.extent.set(activities.length - 1, activities.extents.length / 6);
      for (let i = 9; i < 15; i++) activities.extents.push(number(row[i]));
    }
  }

  #readCopies(): void {
    const columns = [...ACTIVITY_COLUMNS, 'copyKind', 'bytes'];
    for (const row of this.database.rows('CUPTI_ACTIVITY_KIND_MEMCPY', columns)) {
      this.#pushActivity('copy', row, { name: row[7], bytes: row[8] });
    }
  }

  #readSets(): void {
    const columns = [...ACTIVITY_COLUMNS, 'bytes', 'value'];
    for (const row of this.database.rows('CUPTI_ACTIVITY_KIND_MEMSET', columns)) {
      this.#pushActivity('set', row, { bytes: row[7], value: row[8] });
    }
  }

  #readSyncs(): void {
    const columns = [...ACTIVITY_COLUMNS, 'syncType'];
    for (const row of this.database.rows('CUPTI_ACTIVITY_KIND_SYNCHRONIZATION', columns)) {
      this.#pushActivity('sync', row, { name: row[7] });
    }
  }

  #readGraphs(): void {
    const columns = [...ACTIVITY_COLUMNS, 'graphId', 'graphExecId'];
    for (const row of this.database.rows('CUPTI_ACTIVITY_KIND_GRAPH_TRACE', columns)) {
      this.#pushActivity('graph', row, { value: row[7], bytes: row[8] });
    }
  }

  #pushActivity(kind: ActivityKind, row: Row, own: Readonly<Record<string, Cell | undefined>>): void {
    const [start, end, device, stream, corr, process, node] = row;
    const { activities } = this;
    const owner = this.#process(process ?? 0);
    const timed = typeof start === 'number' && typeof end === 'number';
    if (!timed) this.diagnostics.count('bad-row');
    activities.kind.push(ACTIVITY_KINDS.indexOf(kind));
    activities.start.push(timed ? start : 0);
    activities.end.push(timed ? end : 0);
    activities.device.push(this.#devices.idOf(pidOfProcess(number(process ?? 0)), number(device)));
    activities.stream.push(stream === NO_STREAM ? NaN : number(stream));
    activities.process.push(owner);
    activities.corr.push(this.#corr(corr));
    activities.node.push(node === 0 ? NaN : number(node));
    activities.name.push(number(own['name'] ?? 0));
    activities.bytes.push(number(own['bytes']));
    activities.value.push(number(own['value']));
    activities.extent.push(0);
  }

  /** Correlation id 0 was written for "none" before columns became nullable. */
  #corr(cell: Cell | undefined): number {
    return cell === 0 ? NaN : number(cell);
  }

  #process(cell: Cell): number {
    const key = number(cell);
    return this.threads.process(key, pidOfProcess(key));
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

  #nameDomain(process: number, id: number, rowid: number): void {
    const domain = this.#domains[this.#domain(process, id) - 1];
    if (domain !== undefined) domain.name = this.names.rangeText(rowid);
  }

  /** A thread named by an MPI library tells the rank of the process. */
  #noteThreadName(rowid: number): void {
    const rank = /^MPI Rank (\d{1,6})$/.exec(this.names.rangeText(rowid) ?? '')?.[1];
    if (rank !== undefined) this.#mpiRanks.add(Number(rank));
  }

  #names(): Names {
    const { database } = this;
    const string = database.lookup('StringIds', 'value');
    const inline = database.lookup('NVTX_EVENTS', 'text');
    const textId = database.lookup('NVTX_EVENTS', 'textId');
    const byId = (id: number): string | null => (string === null ? null : text(string(id)));
    const ofRow = (row: number): string | null => {
      const own = text(inline?.(row) ?? null);
      return own ?? byId(number(textId?.(row) ?? null));
    };
    const apiNames = new Recent<number, string>(512);
    return {
      kernelName: byId,
      apiName: (api) => apiNames.of(api, () => stripAbi(byId(api) ?? '')) || null,
      rangeText: (at) => (at < 0 ? byId(-1 - at) : ofRow(at)),
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
      const value = number(duration);
      if (value > 0) return value;
    }
    return null;
  }

  /** Devices the profile describes, and those that only appear in activities. */
  #usedDevices(): Device[] {
    return this.#devices.list(new Set(this.activities.device.values));
  }
}

/** Columns that all activity tables share; `correlationId` onwards may be missing. */
const ACTIVITY_COLUMNS: readonly Selection[] = [
  'start', 'end', 'deviceId', 'streamId', 'correlationId', processOf('globalPid'), 'graphNodeId',
]; // prettier-ignore
