/**
 * Reads a database of the Ascend PyTorch Profiler into the columns that all readers fill (see `parse/trace/trace.ts`).
 * Tables exist only when they have rows, and columns differ between releases, so everything is found by name. Source: the
 * msprof and torch_npu projects (their documents about the database's tables).
 */
import { entryOf } from '../../../../containers/map-entry.js';
import { elementAt } from '../../../../containers/element.js';
import type { NumericColumn } from '../../../../containers/numeric-column.js';
import { Diagnostics } from '../../../../record/diagnostics.js';
import type { StatementRecord, Device } from '../../../../record/record.js';
import {
  type Trace,
  type ActivityDetails,
  type TraceHeader,
  type TraceNames,
  type CollectiveOperation,
  type IsStray,
  UNKNOWN_DEVICE,
} from '../../../trace/trace.js';
import { Activities, HostCalls, KIND_CODE, NumberIndex } from '../../../trace/trace-columns.js';
import { spanOfHost } from '../../../trace/clocks/host-span.js';
import { merged, startOf } from '../../../trace/record-order.js';
import type { KernelContexts } from '../../../trace/launch-steps.js';
import type { LaunchJoin } from '../../../trace/launches.js';
import type { SqliteFile } from '../../../sqlite/sqlite.js';
import { countUnreadTables, UnreadEvents } from '../../../unread-events.js';
import { ThreadTable } from '../../../trace/threads.js';
import { TorchContexts } from '../../../torch/torch-contexts.js';
import { nestEvents } from '../../../torch/nesting.js';
import { COPY_OPERATIONS, taskKind, apiLayer, apiLayerCodeOf, COMMUNICATION_LAYER } from '../device-kinds.js';
import { kernelFields, withTaskIds } from '../kernel-labels.js';
import { countOpArgs, metadataFacts, readProfilerInfo, toolName, type AscendProfileFacts } from '../profiler-info.js';
import { markedCall, markedOperation, unrecordedWork } from '../marked-operations.js';
import { CallChains } from './call-chains.js';
import { DatabaseClock, hasTimes, type TimeColumn } from '../../../sqlite/database-clock.js';
import { CollectiveRows } from './collective-rows.js';
import { connectionOrNone, OpConnections, StringTable } from './connections.js';
import { HostNames, HostRows, THREAD } from './host-rows.js';
import { KernelRows } from './kernel-rows.js';
import { ProcessGroups, jobOf } from '../process-groups.js';
import { SampleRows, SAMPLE_TABLES } from './sample-rows.js';
import { TaskRows } from './task-rows.js';
import { sortRows } from '../../../../containers/row-order.js';
import { parseJson, textOf } from '../../../json/json-value.js';

/**
 * How long kernels waited. Computes the wait of each activity, which databases do not contain, by the rule of the
 * profiler's kernel_details.csv.
 * @returns for each activity, ns from the end of the kernel or collective that started before it on its device, or 0
 *   when it starts before that end; NaN for the first on a device, and for activities that are neither kernel nor
 *   collective
 */
export function waitTimes(activities: Activities): Float64Array {
  const { start, end, device, stream } = activities;
  const all = [...activities.rowsOf('kernel'), ...activities.rowsOf('collective')];
  const rows = Uint32Array.from(all.filter((row) => !Number.isNaN(start.at(row))));
  sortRows(rows, (a, b) => start.at(a) - start.at(b) || end.at(a) - end.at(b) || stream.at(a) - stream.at(b) || 0);
  const waits = new Float64Array(activities.length).fill(NaN);
  const ends = new Map<number, number>();
  for (const row of rows) {
    const from = device.at(row);
    waits[row] = Math.max(0, start.at(row) - (ends.get(from) ?? NaN));
    ends.set(from, end.at(row));
  }
  return waits;
}

/** Tables of events that are read, here and in the other files of this folder. */
const READ_TABLES = [
  ...['TASK', 'COMPUTE_TASK_INFO', 'COMMUNICATION_OP', 'COMMUNICATION_TASK_INFO', 'CANN_API', 'PYTORCH_API'],
  ...['MSTX_EVENTS', 'GC_RECORD', 'STEP_TIME', 'SESSION_TIME_INFO'],
  ...SAMPLE_TABLES.map(({ table }) => table),
];

/** Columns of times; the first one with a value provides the base. */
const TIME_COLUMNS: readonly TimeColumn[] = [
  ['TASK', 'startNs'],
  ['CANN_API', 'startNs'],
  ['PYTORCH_API', 'startNs'],
  ['COMMUNICATION_OP', 'startNs'],
  ['MSTX_EVENTS', 'startNs'],
  ['SESSION_TIME_INFO', 'startTimeNs'],
  ['MEMORY_RECORD', 'timestamp'],
];

// Metadata of a database: devices, rank, versions, groups of ranks, and those environment variables that `metadataFacts`
// lists.

/** File name with the rank: `ascend_pytorch_profiler_3.db` belongs to rank 3. */
const RANK_IN_NAME = /^ascend_pytorch_profiler_(\d{1,6})\.db/;

/** @param file base name of the database */
function readProfileFacts(
  database: SqliteFile,
  folder: string | null,
  file: string,
  diagnostics: Diagnostics,
): AscendProfileFacts & { readonly groups: ProcessGroups } {
  const inName = RANK_IN_NAME.exec(file)?.[1];
  const known = rankOf(database) ?? (inName === undefined ? null : Number(inName));
  const info = readProfilerInfo(folder, known, diagnostics);
  const schema = metadata(database, 'SCHEMA_VERSION');
  const rank = known ?? info?.rank ?? null;
  const groups = readGroups(database, rank);
  return {
    tool: toolName(info),
    rank,
    job: jobOf(metadata(database, 'distributed_args'), groups, hostOf(database)),
    groups,
    facts: {
      ...(schema === null ? undefined : { schema_version: schema }),
      ...info?.facts,
      ...metadataFacts(readMetadata(database)),
    },
  };
}

/** The rank, if it is the same for all devices. */
function rankOf(database: SqliteFile): number | null {
  const ranks = new Set<number>();
  database.eachNumbers('RANK_DEVICE_MAP', ['rankId'], ([rank = NaN]) => {
    if (rank >= 0) ranks.add(rank);
  });
  const [rank] = ranks;
  return ranks.size === 1 && rank !== undefined ? rank : null;
}

/** The device of the profile's rank; 0 when none or several are stated. */
function onlyDevice(database: SqliteFile): number {
  const devices = new Set<number>();
  database.eachNumbers('RANK_DEVICE_MAP', ['deviceId'], ([device = NaN]) => {
    if (device >= 0) devices.add(device);
  });
  const [device = 0] = devices;
  return devices.size === 1 ? device : 0;
}

/** All rows of metadata, in order of name. */
function* readMetadata(database: SqliteFile): Generator<readonly [name: string, value: unknown]> {
  const rows = [...database.rows('META_DATA', ['name', 'value'])].map(
    ([name, value]) => [String(name), value] as const,
  );
  yield* rows.sort(([a], [b]) => (a < b ? -1 : 1));
}

function metadata(database: SqliteFile, name: string): string | null {
  const isNamed = { needs: ['name'], sql: `name = '${name}'` };
  for (const [value] of database.rows('META_DATA', ['value'], [isNamed])) if (typeof value === 'string') return value;
  return null;
}

/** The process groups that the profile describes. */
function readGroups(database: SqliteFile, rank: number | null): ProcessGroups {
  const text = metadata(database, 'parallel_group_info');
  return new ProcessGroups(text === null ? null : parseJson(Buffer.from(text)), false, rank);
}

/** Name of the machine; null when none or several are stated. */
function hostOf(database: SqliteFile): string | null {
  const names = new Set([...database.rows('HOST_INFO', ['hostName'])].map(([name]) => textOf(name)));
  const [name = null] = names;
  return names.size === 1 ? name : null;
}

/**
 * The devices that a profile describes, and devices that appear only in its activities.
 * @param clocks highest clock of the cores by device, in Hz
 * @param units matrix units by device, if known from the kernels
 */
function readDevices(
  database: SqliteFile,
  used: ReadonlySet<number>,
  clocks: ReadonlyMap<number, number>,
  units: ReadonlyMap<number, number>,
): Device[] {
  const names = new Map<number, string | null>([...used].map((id) => [id, null]));
  const listed: (string | null)[] = [];
  for (const [id, name] of database.rows('NPU_INFO', ['id', 'name'])) {
    if (typeof id !== 'number' || !(id >= 0)) continue;
    const text = typeof name === 'string' && name !== '' ? name : null;
    names.set(id, text);
    listed.push(text);
  }
  // All devices of a machine are assumed to be the same model.
  const [first = null] = listed;
  const model = listed.every((name) => name === first) ? first : null;
  return [...names]
    .sort(([a], [b]) => a - b)
    .map(([id, name]) => {
      const known = name ?? model;
      return {
        id,
        ...UNKNOWN_DEVICE,
        vendor: 'huawei',
        name: known,
        arch: known?.toLowerCase() ?? null,
        units: units.get(id) ?? null,
        clockHz: clocks.get(id) ?? null,
      };
    });
}

export class AscendTrace implements Trace {
  readonly diagnostics = new Diagnostics();
  readonly threads = new ThreadTable();
  readonly hostCalls = new HostCalls();
  readonly activities = new Activities();
  readonly header: TraceHeader;
  readonly names: TraceNames;
  readonly ranges;
  readonly #strings: StringTable;
  readonly #clock: DatabaseClock;
  readonly #host: HostRows;
  readonly #kernels: KernelRows;
  readonly #collectives: CollectiveRows;
  readonly #tasks: TaskRows;
  readonly #samples: SampleRows;
  readonly #groups: ProcessGroups;
  /** Wait of each activity; see `waitTimes`. */
  readonly #waits: Float64Array;

  constructor(
    private readonly database: SqliteFile,
    { format, folder, file }: { readonly format: string; readonly folder: string | null; readonly file: string },
  ) {
    const { diagnostics, threads, activities } = this;
    database.diagnostics = diagnostics;
    const unread = new UnreadEvents();
    const strings = (this.#strings = new StringTable(database));
    const clock = (this.#clock = new DatabaseClock(database, TIME_COLUMNS));
    this.#readCalls();
    const names = new HostNames(strings, new CallChains(database, strings));
    const hasOperations = database.count('COMMUNICATION_OP') > 0;
    this.#host = new HostRows(
      ...([database, clock, threads, names, diagnostics] as const),
      (message) => !hasOperations && this.#markedCall(message) !== null,
    );
    this.#addMarkedCalls();
    this.ranges = this.#host.events.ranges;
    const { tool, rank, job, facts, groups } = readProfileFacts(database, folder, file, diagnostics);
    this.#groups = groups;
    this.#kernels = new KernelRows(database, strings);
    this.#collectives = new CollectiveRows(database, clock, strings, groups);
    this.#tasks = new TaskRows(database, {
      clock,
      threads,
      strings,
      activities,
      kernels: this.#kernels,
      collectives: this.#collectives,
      diagnostics,
      unread,
      markedAt: (connection) => this.#host.markedAt(connection),
    });
    this.#tasks.addMarked(this.#host.operations, onlyDevice(database));
    this.#waits = waitTimes(activities);
    this.#host.addDeviceRanges(this.#tasks.deviceRanges);
    this.#samples = new SampleRows(database, clock, strings, diagnostics);
    countUnreadTables(database, READ_TABLES, unread);
    countOpArgs(folder, unread);
    if (activities.length === 0) diagnostics.count('no-device-activity');
    clock.moveToFirst(
      [this.ranges.start, this.hostCalls.start, activities.start, ...this.#samples.starts],
      [this.ranges.end, this.hostCalls.end, activities.end, ...this.#samples.ends],
    );
    this.names = this.#names();
    this.header = {
      format,
      tool,
      rank,
      job,
      startUnixNs: clock.startUnixNs,
      dur: null,
      devices: readDevices(database, new Set(activities.device), this.#samples.clocks(), this.#units()),
      facts: { ...facts, ...this.#tasks.facts, ...unread.facts(diagnostics) },
    };
  }

  contexts(launches: LaunchJoin): KernelContexts {
    const { hostCalls: calls, activities, threads, diagnostics } = this;
    const events = this.#host.events;
    const nesting = nestEvents(events, calls, threads.count, 0, diagnostics);
    const connections = this.#connections();
    const facts = {
      events,
      nesting,
      threads,
      launches,
      callStart: (call: number) => calls.start.at(call),
      callThread: (call: number) => calls.thread.at(call),
      externalId: (activity: number) => {
        const call = elementAt(launches.callOf, activity);
        return connections.opOf(activities.corr.at(activity), call === -1 ? NaN : calls.start.at(call));
      },
      externalIdsAreOps: true,
      launchedByQueue: true,
      slack: 0,
      steps: [...this.#host.steps(spanOfHost(this))],
    };
    return new TorchContexts(facts, activities.rowsOf('kernel'), activities.rowsOf('collective'));
  }

  operationOf(activity: number): CollectiveOperation {
    const row = this.#tasks.source.at(activity);
    if (row < this.#collectives.length) return this.#collectives.operationOf(row);
    const { message } = elementAt(this.#host.operations, row - this.#collectives.length);
    const operation = markedOperation(this.#strings.text(message) ?? '', this.#groups);
    if (operation === null) throw new RangeError(`activity ${activity} is not a collective`);
    return operation;
  }

  detailsOf(activity: number): ActivityDetails | null {
    if (this.activities.kind.at(activity) !== KIND_CODE.kernel) return null;
    const row = this.#tasks.source.at(activity);
    const ofKind = this.#kernels.labelsOf(row, this.#strings.text(this.#tasks.taskType.at(activity)));
    const labels = withTaskIds(ofKind, this.#tasks.idsOf(activity));
    const counters = this.#kernels.countersOf(row, elementAt(this.#waits, activity));
    return kernelFields(this.#strings.text(this.#kernels.nameOf(row)), this.#kernels.coreOf(row), counters, labels);
  }

  statements(profile: number, isStray: IsStray): Iterable<StatementRecord> {
    const { activities } = this;
    const isUnrecorded = this.#host.operations.length > 0 && this.#kernels.length === 0;
    const missing = isUnrecorded ? unrecordedWork(activities, profile) : [];
    return merged<StatementRecord>(startOf, missing, this.#samples.records(profile, isStray));
  }

  statementTimes(): readonly NumericColumn[] {
    return [...this.#samples.starts, ...this.#samples.ends];
  }

  #readCalls(): void {
    const { hostCalls: calls, threads, diagnostics } = this;
    const times = [this.#clock.since('startNs'), this.#clock.since('endNs')];
    const columns = [...times, ...THREAD, 'connectionId', 'name', 'type'];
    calls.reserve(this.database.count('CANN_API'));
    this.database.eachNumbers('CANN_API', columns, (cells) => {
      const [began = NaN, ended = NaN, pid = NaN, tid = 0, connection = NaN, name = NaN, type = NaN] = cells;
      if (!hasTimes([began, ended], diagnostics, 'bad-row')) return;
      if (ended < began || Number.isNaN(pid)) {
        diagnostics.count('bad-row');
        return;
      }
      const owner = threads.process(pid, pid);
      const thread = threads.thread(owner, tid);
      const corr = connectionOrNone(connection);
      calls.push({
        start: began,
        end: ended,
        thread,
        process: owner,
        corr,
        api: name,
        precedence: apiLayerCodeOf(type),
      });
    });
  }

  #markedCall(message: number): string | null {
    const text = this.#strings.text(message);
    return text === null ? null : markedCall(text);
  }

  /** Adds the calls of operations that ranges mark. */
  #addMarkedCalls(): void {
    for (const { start, end, thread, connection, message } of this.#host.operations) {
      const process = this.threads.processOf(thread);
      const call = { start, end, thread, process, corr: connection, api: message };
      this.hostCalls.push({ ...call, precedence: COMMUNICATION_LAYER });
    }
  }

  #connections(): OpConnections {
    const { corr } = this.activities;
    const needed = new NumberIndex(corr);
    for (let row = 0; row < corr.length; row++) if (!Number.isNaN(corr.at(row))) needed.put(row);
    return new OpConnections(this.database, this.#host.events, (connection) => needed.get(connection) !== -1);
  }

  /** Number of matrix units of each device, inferred from its kernels. */
  #units(): Map<number, number> {
    const rows = new Map<number, number[]>();
    for (const activity of this.activities.rowsOf('kernel')) {
      const device = this.activities.device.at(activity);
      entryOf(rows, device, () => []).push(this.#tasks.source.at(activity));
    }
    const units = new Map<number, number>();
    for (const [device, kernels] of rows) {
      const known = this.#kernels.unitsOf(kernels);
      if (known !== null) units.set(device, known);
    }
    return units;
  }

  #names(): TraceNames {
    const strings = this.#strings;
    return {
      kernelName: (name) => strings.text(name),
      apiName: (api) => this.#markedCall(api) ?? strings.text(api),
      apiLayer,
      rangeText: (text) => this.#host.events.nameText(text),
      domainName: () => null,
      rangeDomain: (text) => this.#host.domainOf(text),
      copyKind: (code) => COPY_OPERATIONS[code] ?? null,
      syncKind: (code) => {
        const taskType = strings.text(code);
        const task = taskType === null ? null : taskKind(taskType);
        return task?.is === 'sync' ? task.kind : null;
      },
    };
  }
}
