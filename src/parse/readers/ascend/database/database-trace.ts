/**
 * Reads a database of the Ascend PyTorch Profiler into the columns that all readers fill (see `parse/trace/trace.ts`).
 * Tables exist only when they have rows, and columns differ between releases, so everything is found by name. Source: the
 * msprof and torch_npu projects (their documents about the database's tables).
 */
import { entryOf } from '../../../../containers/map-entry.js';
import { elementAt } from '../../../../containers/element.js';
import type { NumberColumn } from '../../../../containers/numeric-column.js';
import { Diagnostics } from '../../../../record/diagnostics.js';
import type { StatementRecord } from '../../../../record/record.js';
import type {
  Trace,
  ActivityDetails,
  TraceHeader,
  TraceNames,
  CollectiveOperation,
  IsStray,
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
import { countOpArgs } from '../profiler-info.js';
import { markedCall, markedOperation, unrecordedWork } from '../marked-operations.js';
import { CallChains } from './call-chains.js';
import { DatabaseClock, hasTimes, type TimeColumn } from '../../../sqlite/database-clock.js';
import { CollectiveRows } from './collective-rows.js';
import { connectionOrNone, OpConnections, StringTable } from './connections.js';
import { HostNames, HostRows, THREAD } from './host-rows.js';
import { KernelRows } from './kernel-rows.js';
import { onlyDevice, readDevices, readProfileFacts } from './profile-facts.js';
import type { ProcessGroups } from '../process-groups.js';
import { SampleRows, SAMPLE_TABLES } from './sample-rows.js';
import { TaskRows } from './task-rows.js';
import { sortRows } from '../../../../containers/row-order.js';

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

  statementTimes(): readonly NumberColumn[] {
    return [...this.#samples.starts, ...this.#samples.ends];
  }

  #readCalls(): void {
    const { hostCalls: calls, threads, diagnostics } = this;
    const times = [this.#clock.since('startNs'), this.#clock.since('endNs')];
    const columns = [...times, ...THREAD, 'connectionId', 'name', 'type'];
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
