/**
 * Reader for Nsight Systems SQLite exports from 2019 to 2026. Tables exist only when they have rows, and columns differ
 * between releases, so everything is found by name, and missing cells are null. Source: NVIDIA Nsight Systems
 * documentation, "SQLite Schema Reference", and exports of these years.
 */
import { Diagnostics } from '../../../record/diagnostics.js';
import { LruCache } from '../../../containers/map-entry.js';
import { orNull, type NumberColumn } from '../../../containers/numeric-column.js';
import type { Collective } from '../../../record/fields/collective.js';
import type { HostMemory, Labels, StatementRecord } from '../../../record/record.js';
import { UNNAMED, type ActivityDetails, type Trace, type TraceNames, type JobFacts } from '../../trace/trace.js';
import type { CapturedNode } from '../../trace/graphs/captured-graph.js';
import { isNear } from '../../trace/clocks/trace-clock.js';
import { Activities, HostCalls, knownId, Ranges, type ActivityRow } from '../../trace/trace-columns.js';
import { merged, startOf } from '../../trace/record-order.js';
import { emit } from '../../trace/emit.js';
import type { KernelContexts } from '../../trace/launch-steps.js';
import type { LaunchJoin } from '../../trace/launches.js';
import { MarkerContexts } from '../../trace/markers/marker-contexts.js';
import { stripAbi } from '../../names/kernel-name.js';
import { least } from '../../../containers/element.js';
import { STEP_NAME_BEGINNINGS } from '../../../record/serving-step.js';
import { databaseOf, type Reader } from '../../reader.js';
import { numberOf, ROWID, type Cell, type Selection, type SqliteFile, type TakeNumbers } from '../../sqlite/sqlite.js';
import { countUnreadTables, UnreadEvents } from '../../unread-events.js';
import { ThreadTable } from '../../trace/threads.js';
import { GPU_METRIC_TABLE, gpuMetrics } from './gpu-metrics.js';
import { CHAIN_TABLES, cpuStacks } from './cpu-stacks.js';
import { CPU_TABLES, CpuUsage } from './cpu-usage.js';
import { CROSSES_THREADS, EVENT, IS_MARK, IS_NAMING, IS_RANGE, NVTX, NvtxDomains } from './nvtx.js';
import { AwaitedEvents, EVENT_COLUMNS, EVENT_TABLE } from './event-marks.js';
import { GRAPH_TABLES, GraphNodes } from './graph-nodes.js';
import { isOfHost, MEMORY_COLUMNS, MEMORY_TABLE, MemoryUsage } from './memory-usage.js';
import {
  readDevices,
  OVERHEAD_TABLES,
  readNamedRanges,
  SYSTEM_CALL_TABLE,
  countMessages,
  MESSAGE_TABLE,
  durationOf,
  hostOf,
  toolOf,
  type DeviceMap,
} from './session.js';
import { NcclRanges } from './nccl/nccl-ranges.js';
import {
  COPY_KINDS,
  NO_STREAM,
  NSIGHT_MEMORIES,
  SYNC_KINDS,
  ContextDevices,
  hostSide,
  type ContextTable,
} from '../cupti/cupti.js';

/** An activity table. Its special columns come after the shared ones, and `add` adds a row from the cells of both. */
interface ActivityTable {
  readonly table: string;
  readonly columns: readonly string[];
  /** Whether the device must be looked up through the context. */
  readonly isByContext?: true;
  readonly add: (activities: Activities, row: ActivityRow, cells: readonly number[], events: AwaitedEvents) => void;
}

/** The number of a name, or the code of a kind, for a column; `UNNAMED` when the cell is unknown. */
const nameOrNone = (cell = NaN): number => (Number.isNaN(cell) ? UNNAMED : cell);

const ACTIVITY_TABLES: readonly ActivityTable[] = [
  {
    table: 'CUPTI_ACTIVITY_KIND_KERNEL',
    columns: [
      ...['demangledName', 'graphId', 'gridX', 'gridY', 'gridZ', 'blockX', 'blockY', 'blockZ'],
      ...['registersPerThread', 'staticSharedMemory', 'dynamicSharedMemory'],
    ],
    add: (activities, row, cells) => {
      const { extents, registers, sharedBytes } = activities.kernels;
      activities.addKernel(row, nameOrNone(cells[0]), cells[1] ?? NaN);
      for (let i = 2; i < 8; i++) extents.push(cells[i] ?? NaN);
      registers.push(cells[8] ?? NaN);
      sharedBytes.push((cells[9] ?? NaN) + (cells[10] ?? NaN));
    },
  },
  {
    table: 'CUPTI_ACTIVITY_KIND_MEMCPY',
    columns: ['copyKind', 'bytes', 'srcKind', 'dstKind'],
    add: (activities, row, [kind = NaN, bytes = NaN, source = NaN, destination = NaN]) =>
      activities.addCopy(row, nameOrNone(kind), bytes, hostSide(kind, source, destination)),
  },
  {
    table: 'CUPTI_ACTIVITY_KIND_MEMSET',
    columns: ['bytes', 'value'],
    add: (activities, row, [bytes = NaN, value = NaN]) => activities.addSet(row, bytes, value),
  },
  {
    table: 'CUPTI_ACTIVITY_KIND_SYNCHRONIZATION',
    columns: ['syncType', ...EVENT_COLUMNS],
    isByContext: true,
    add: (activities, row, [kind, event = NaN, sync = NaN], events) => {
      activities.addSync(row, nameOrNone(kind));
      events.addWait(row.process, event, sync);
    },
  },
  {
    table: 'CUPTI_ACTIVITY_KIND_GRAPH_TRACE',
    columns: ['graphId', 'graphExecId'],
    add: (activities, row, [graphId = NaN, execId = NaN]) => activities.addGraph(row, graphId, execId),
  },
];

export const nsight: Reader = {
  id: 'nsight',
  title: 'Nsight Systems SQLite export (nsys export --type sqlite)',
  reads: 'database',
  isShared: () => true,
  tableNames: ['CUPTI_ACTIVITY_KIND'],
  docs: {
    profiler: 'Nsight Systems',
    input: 'SQLite, Parquet or Arrow export, 2019 to 2026',
    made: [
      '`nsys profile -o net --trace=cuda,nvtx --pytorch=autograd-shapes-nvtx python train.py`, then `nsys export --type sqlite --include-blobs=true net.nsys-rep`, which writes `net.sqlite`; the blobs hold the communicators and message sizes of NCCL',
    ],
    read: [
      'Kernels, copies, memsets, synchronisations and graph launches; NVTX ranges, registered strings and domains; CUDA runtime and driver calls; with `--ranges` also calls of system libraries (`OSRT_API`, domain `OSRT`), and CPU samples and these calls by call chain; with `--derived` `GPU_METRICS` (active SMs and tensor cores, device memory), read according to the published schema and not checked with a real export; devices; the start of the capture in Unix time.',
      'Exports from 2019 to 2026: empty tables are absent and columns differ between releases, so columns are read by name and missing values are unknown. A folder of `nsys export --type parquetdir` or `arrowdir`, or a file of `--type arrow` (`net.arrows`), which have the same tables, is copied into a temporary database. No such file was available for a test: the tests make them from SQLite exports.',
      "Launches are joined on process and correlation id, so several processes in one file stay separate. Kernels of a CUDA graph have their node id and the context of the graph's launch; a graph traced as a whole is one record, without kernels.",
      "A kernel launched in the NVTX range of an NCCL call, or at the end of its group, gets that operation; with payloads also message sizes and communicator (`group`, the hash that is the same on all ranks), `labels` holds `Peer rank` and `Root`, which are numbers within that group. `host` is the target's name; the rest of its environment is not read.",
    ],
  },
  sniff: ({ database }) => database?.has('StringIds') === true && !database.has('StringTable'),
  read: (probe, options) =>
    emit(
      new NsightTrace(databaseOf(probe), { calls: options.ranges === true, metrics: options.derived === true }),
      options,
    ),
};

/**
 * A global id has the tid in its lowest 24 bits and the pid in the next 24. Above these are hardware and VM id, which may
 * set the sign.
 */
const processOf = (column: string): Exclude<Selection, string> => ({
  needs: [column],
  sql: `((${column} >> 24) & 0xFFFFFFFFFF)`,
});
const tidOf = (column: string): Selection => ({ needs: [column], sql: `(${column} & 0xFFFFFF)` });
const THREAD: readonly Selection[] = [processOf('globalTid'), tidOf('globalTid')];

/** Number of a range's text: -1 - id for a registered string, the row's id when the text is in the row itself. */
const textNumber = (database: SqliteFile): Selection => {
  const hasText = database.hasColumn(NVTX, 'text') ? 'OR text IS NOT NULL' : '';
  return database.hasColumn(NVTX, 'textId')
    ? { needs: [ROWID], sql: `CASE WHEN textId IS NULL ${hasText} THEN rowid ELSE -1 - textId END` }
    : { needs: [ROWID], sql: ROWID };
};

/**
 * A pattern that matches all names of steps and few other strings in one comparison: each of the first letters must be the
 * letter of some step name at that position.
 */
const STEP_PATTERN = Array.from(
  { length: least(STEP_NAME_BEGINNINGS.map(({ length }) => length)) },
  (_, i) => `[${STEP_NAME_BEGINNINGS.map((text) => text.charAt(i) + text.charAt(i).toUpperCase()).join('')}]`,
).join('');
const mayNameStep = (column: string): Exclude<Selection, string> => ({
  needs: [column],
  sql: `${column} GLOB '${STEP_PATTERN}*'`,
});

/** Precedence of rows in the API table by event class: runtime, driver, then others (backtraces, extensions). */
const CALL_PRECEDENCE: Readonly<Record<number, number>> = { 0: 0, 1: 1 };
const OTHER_CALLS = 2;

const text = (cell: Cell | undefined): string | null => (typeof cell === 'string' ? cell : null);

/** Columns that all activity tables share. `correlationId` and those after it may be missing. */
const SHARED_COLUMNS: readonly Selection[] = [
  'start',
  'end',
  'deviceId',
  'streamId',
  'correlationId',
  processOf('globalPid'),
  'graphNodeId',
  'contextId',
];

/**
 * Tables that state the device of a context: first the tables of contexts (up to 2022, tables of default streams), then
 * the tables of work.
 */
const CONTEXT_TABLES: readonly ContextTable[] = [
  ...['TARGET_INFO_CUDA_CONTEXT_INFO', 'TARGET_INFO_CUDA_NULL_STREAM'].map((table) => ({
    table,
    process: { needs: ['hwId', 'vmId', 'processId'], sql: '((hwId << 32) | (vmId << 24) | (processId & 0xFFFFFF))' },
  })),
  ...['KERNEL', 'MEMCPY', 'MEMSET', 'GRAPH_TRACE'].map((kind) => ({
    table: `CUPTI_ACTIVITY_KIND_${kind}`,
    process: processOf('globalPid'),
  })),
];

const CALL_TABLE = 'CUPTI_ACTIVITY_KIND_RUNTIME';
const READ_TABLES = [
  ...[NVTX, CALL_TABLE, EVENT_TABLE],
  MEMORY_TABLE,
  MESSAGE_TABLE,
  ...GRAPH_TABLES,
  ...CPU_TABLES,
  ...CHAIN_TABLES,
  ...OVERHEAD_TABLES,
  SYSTEM_CALL_TABLE,
  ...ACTIVITY_TABLES.map(({ table }) => table),
];

class NsightTrace implements Trace {
  readonly diagnostics = new Diagnostics();
  readonly threads = new ThreadTable();
  readonly hostCalls = new HostCalls();
  readonly ranges = new Ranges();
  readonly overhead: Ranges;
  readonly systemCalls: NonNullable<Trace['systemCalls']>;
  readonly activities = new Activities();
  readonly names: TraceNames;
  readonly header: Trace['header'];
  readonly stepRanges: number[] = [];
  readonly #devices: DeviceMap;
  readonly #contexts: ContextDevices;
  readonly #memory = new MemoryUsage();
  readonly #graphNodes = new GraphNodes(this);
  readonly #cpu: CpuUsage;
  #waitsWithoutDevice = 0;
  readonly #domains = new NvtxDomains();
  readonly #mpiRanks = new Set<number>();
  readonly #nccl: NcclRanges;
  readonly #events = new AwaitedEvents();

  /** @param asked whether to read the calls of the operating system, and the GPU's counters: both may be very many */
  constructor(
    private readonly database: SqliteFile,
    private readonly asked: { readonly calls: boolean; readonly metrics: boolean },
  ) {
    database.diagnostics = this.diagnostics;
    this.#devices = readDevices(database);
    this.#contexts = new ContextDevices(database, CONTEXT_TABLES);
    this.names = this.#names();
    this.#readCalls();
    this.#readNamings();
    this.#readRanges();
    const source = {
      ...{ database, diagnostics: this.diagnostics, thread: THREAD },
      threadOf: (process: number, tid: number) => this.threads.thread(this.#process(process), tid),
    };
    this.overhead = readNamedRanges(source, OVERHEAD_TABLES);
    this.systemCalls = { ranges: readNamedRanges(source, asked.calls ? [SYSTEM_CALL_TABLE] : []), domain: 'OSRT' };
    this.#nccl = new NcclRanges({
      ...source,
      isRange: IS_RANGE,
      domainOf: (process: number, id: number) =>
        this.#domains.nameOf(this.#domains.numberOf(this.#process(process), id)),
    });
    for (const table of ACTIVITY_TABLES) this.#readActivities(table);
    this.#events.read(database, processOf('globalPid'), (key) => this.#process(key), this.activities.syncs);
    this.#readMemory();
    this.#graphNodes.read(database, THREAD, (key) => this.#process(key));
    this.#cpu = new CpuUsage(database, THREAD, this.diagnostics);
    countMessages(database, this.diagnostics);
    this.header = {
      format: nsight.id,
      tool: toolOf(database),
      rank: this.#rank(),
      job: this.#job(),
      startUnixNs: database.minimum('TARGET_INFO_SESSION_START_TIME', 'utcEpochNs'),
      isStartStated: true,
      dur: durationOf(database),
      devices: this.#devices.list(new Set(this.activities.device)),
      facts: this.#unread(),
    };
    if (this.header.devices.length > 1) this.diagnostics.count('wait-without-device', this.#waitsWithoutDevice);
  }

  #unread(): Labels {
    const unread = new UnreadEvents();
    countUnreadTables(this.database, this.asked.metrics ? [...READ_TABLES, GPU_METRIC_TABLE] : READ_TABLES, unread);
    const marks = this.database.hasColumn(NVTX, 'eventType') ? this.database.count(NVTX, IS_MARK) : 0;
    if (marks > 0) unread.count(`marks of ${NVTX}`, marks);
    return unread.facts(this.diagnostics);
  }

  #readCalls(): void {
    const { hostCalls } = this;
    const columns = ['start', 'end', ...THREAD, 'correlationId', 'nameId', 'eventClass', 'returnValue'];
    this.database.eachNumbers(
      CALL_TABLE,
      columns,
      ([start = NaN, end = NaN, process = NaN, tid = 0, corr = NaN, name = 0, eventClass = NaN, result = NaN]) => {
        if (!isNear(start) || !isNear(end) || end < start || Number.isNaN(process)) {
          this.diagnostics.count('bad-row');
          return;
        }
        const owner = this.#process(process);
        const precedence = Number.isNaN(eventClass) ? 0 : (CALL_PRECEDENCE[eventClass] ?? OTHER_CALLS);
        const thread = this.threads.thread(owner, tid);
        hostCalls.pushCells(start, end, thread, owner, knownId(corr), name, precedence);
        // Other libraries do not use CUDA's return codes.
        if (precedence < OTHER_CALLS) hostCalls.setResult(result);
      },
    );
  }

  #readRanges(): void {
    const { ranges, database } = this;
    const columns = ['start', 'end', ...THREAD, textNumber(database), 'domainId', mayNameStep('text')];
    const registered = this.#registeredSteps();
    const take: TakeNumbers = (cells) => {
      const [start = NaN, end = NaN, process = NaN, tid = 0, textId = 0, domain = NaN, mayBeStep] = cells;
      if (!isNear(start) || Number.isNaN(process)) {
        this.diagnostics.count('bad-row');
        return;
      }
      if (end < start) {
        this.diagnostics.count('negative-duration');
        return;
      }
      const isOpen = !isNear(end);
      if (isOpen) this.diagnostics.count('open-range');
      const owner = this.#process(process);
      const thread = this.threads.thread(owner, tid);
      if (mayBeStep === 1 || registered.has(textId)) this.stepRanges.push(ranges.length);
      ranges.pushCells(start, isOpen ? Infinity : end, thread, textId);
      ranges.domain.push(this.#domains.numberOf(owner, domain));
    };
    database.eachNumbers(NVTX, columns, take, IS_RANGE);
    const known = ['endGlobalTid', 'globalTid'].every((column) => database.hasColumn(NVTX, column));
    const crossing = known ? database.count(NVTX, CROSSES_THREADS) : 0;
    this.diagnostics.count('range-across-threads', crossing);
  }

  /** Reads rows that name a domain or a thread. */
  #readNamings(): void {
    const columns = ['eventType', ...THREAD, 'domainId', textNumber(this.database)];
    for (const [type, process, , domain, textCell] of this.database.rows(NVTX, columns, IS_NAMING)) {
      const name = this.names.rangeText(numberOf(textCell));
      if (type === EVENT.domain) this.#domains.setName(this.#process(numberOf(process)), numberOf(domain), name);
      else this.#readRank(name);
    }
  }

  #readActivities({ table, columns, add, isByContext }: ActivityTable): void {
    const { activities } = this;
    // Old exports do not record the process of an activity. It is the process of all calls, or unknown if there are
    // several.
    const defaultProcess = this.#onlyProcess() ?? this.#process(0);
    this.database.eachNumbers(table, [...SHARED_COLUMNS, ...columns], (cells) => {
      const [start = NaN, end = NaN, device = 0, stream = NaN, corr = NaN, process = NaN, node = NaN, context] = cells;
      const hasTimes = isNear(start) && isNear(end);
      if (!hasTimes) this.diagnostics.count('bad-row');
      // CUPTI writes 0 for the start and end of work whose times it did not collect.
      const isTimed = hasTimes && (start !== 0 || end !== 0);
      const owner = Number.isNaN(process) ? defaultProcess : this.#process(process);
      const ordinal = isByContext ? this.#ordinalOf(process, context, device) : device;
      const row: ActivityRow = {
        start: isTimed ? start : NaN,
        end: isTimed ? end : NaN,
        device: this.#devices.idOf(this.threads.pid(owner), ordinal),
        stream: stream === NO_STREAM ? NaN : stream,
        context: context ?? NaN,
        process: owner,
        corr: knownId(corr),
        node,
      };
      add(activities, row, cells.slice(SHARED_COLUMNS.length), this.#events);
    });
  }

  #readMemory(): void {
    const columns = ['start', processOf('globalPid'), ...MEMORY_COLUMNS];
    let ofUnstated: number | null = null;
    this.database.eachNumbers(MEMORY_TABLE, columns, (cells) => {
      const [start = NaN, key = NaN, ordinal = NaN, address = NaN, bytes = NaN, kind = NaN, operation = NaN] = cells;
      const process = Number.isNaN(key) ? (ofUnstated ??= this.#onlyProcess() ?? this.#process(0)) : this.#process(key);
      const isKnown = !Number.isNaN(ordinal);
      if (!isKnown && !isOfHost(kind)) this.diagnostics.count('bad-row');
      const device = isKnown ? this.#devices.idOf(this.threads.pid(process), ordinal) : null;
      const event = { start, process, device, address, bytes, kind, operation };
      if (!this.#memory.add(event)) this.diagnostics.count('bad-row');
    });
  }

  contexts(launches: LaunchJoin): KernelContexts {
    this.#nccl.takeKernels(this, launches);
    return new MarkerContexts(this, launches);
  }

  collectiveOf(activity: number): Collective | null {
    return this.#nccl.of(activity)?.collective ?? null;
  }

  detailsOf(activity: number): ActivityDetails | null {
    const labels = this.#nccl.of(activity)?.labels;
    return labels === undefined ? null : { labels };
  }

  #job(): JobFacts {
    const [host, { groups }] = [hostOf(this.database), this.#nccl];
    return { ...(host === null ? undefined : { host }), ...(groups.length === 0 ? undefined : { groups }) };
  }

  *statements(profile: number): Generator<StatementRecord> {
    yield* this.#cpu.records(profile);
    const strings = this.database.texts('StringIds', 'value', 'id');
    if (this.asked.calls) yield* cpuStacks(this.database, THREAD, strings, profile, this.diagnostics);
    const { database, diagnostics } = this;
    const counters = this.asked.metrics
      ? gpuMetrics(database, (gpu) => this.#devices.ofGpu(gpu), profile, diagnostics)
      : [];
    yield* merged(startOf, this.#cpu.busy(profile), this.#memory.records(profile, diagnostics), counters);
  }

  nodeCreations(): ReturnType<GraphNodes['creations']> {
    return this.#graphNodes.creations();
  }

  capturedNode(activity: number): CapturedNode | null {
    return this.#graphNodes.capturedNode(activity);
  }

  statementTimes(): readonly NumberColumn[] {
    return [this.#memory.start];
  }

  /**
   * The device of a context, from the context's number in the process. If no table has the context, this is `stated`,
   * the device in the row itself.
   */
  #ordinalOf(process: number, context = NaN, stated: number): number {
    const ordinal = this.#contexts.deviceOf(process, context);
    if (!Number.isNaN(ordinal)) return ordinal;
    this.#waitsWithoutDevice++;
    return stated;
  }

  /** The process of all host calls; null when there are several processes, or no calls. */
  #onlyProcess(): number | null {
    const { process: owners, length } = this.hostCalls;
    for (let call = 1; call < length; call++) if (owners.at(call) !== owners.at(0)) return null;
    return orNull(owners.at(0));
  }

  #process(key: number): number {
    return this.threads.process(key, key % 0x1000000);
  }

  /** Reads the rank from a thread name: MPI libraries name a thread after the rank of its process. */
  #readRank(threadName: string | null): void {
    const rank = threadName === null ? undefined : /^MPI Rank (\d{1,6})$/.exec(threadName)?.[1];
    if (rank !== undefined) this.#mpiRanks.add(Number(rank));
  }

  /** The MPI rank; null when none or several are named. */
  #rank(): number | null {
    const [rank, ...others] = this.#mpiRanks;
    return rank === undefined || others.length > 0 ? null : rank;
  }

  /** Numbers of the registered strings that may name steps. The database searches the strings, which may be millions. */
  #registeredSteps(): Set<number> {
    const numbers = new Set<number>();
    for (const [id] of this.database.rows('StringIds', ['id'], [mayNameStep('value')])) numbers.add(-1 - numberOf(id));
    return numbers;
  }

  hostMemoryOf(activity: number): HostMemory | null {
    const { copies, ownRow } = this.activities;
    return NSIGHT_MEMORIES[copies.hostMemoryCode.at(ownRow.at(activity))] ?? null;
  }

  #names(): TraceNames {
    const { database } = this;
    const string = database.lookup('StringIds', 'value', 'id');
    const inline = database.lookup(NVTX, 'text') ?? (() => null);
    const byId = (id: number): string | null => (string === null ? null : text(string(id)));
    const apiName = (api: number): string | null => {
      const name = byId(api);
      return name === null || name === '' ? null : stripAbi(name);
    };
    const apiNames = new LruCache<number, string | null>(512);
    return {
      kernelName: byId,
      apiName: (api) => apiNames.of(api, apiName),
      rangeText: (number) => (number < 0 ? byId(-1 - number) : text(inline(number))),
      domainName: (domain) => this.#domains.nameOf(domain),
      copyKind: (code) => COPY_KINDS[code] ?? null,
      syncKind: (code) => SYNC_KINDS[code] ?? null,
    };
  }
}
