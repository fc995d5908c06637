/**
 * Reads trace_view.json and its sidecar files into the columns that all readers fill (see `parse/trace/trace.ts`). All
 * records come from the trace; kernel_details.csv adds shapes, types and kernel counters. Source: trace_view.json and
 * CSV files of torch_npu, 2024 to 2026, and the user guide of its profiler.
 */
import { entryOf } from '../../../../containers/map-entry.js';
import { elementAt } from '../../../../containers/element.js';
import type { Diagnostics } from '../../../../record/diagnostics.js';
import type { Labels, StatementRecord } from '../../../../record/record.js';
import type {
  Trace,
  ActivityDetails,
  TraceHeader,
  TraceNames,
  CollectiveOperation,
  IsStray,
} from '../../../trace/trace.js';
import { Activities, ThreadSpans, KIND_CODE, type ActivityRow } from '../../../trace/trace-columns.js';
import { NumericColumn, type NumberColumn } from '../../../../containers/numeric-column.js';
import { merged, startOf } from '../../../trace/record-order.js';
import type { KernelContexts } from '../../../trace/launch-steps.js';
import type { LaunchJoin } from '../../../trace/launches.js';
import { PairIndex } from '../../../../containers/hash-index.js';
import { TorchContexts } from '../../../torch/torch-contexts.js';
import { nestEvents } from '../../../torch/nesting.js';
import { apiLayer, COMMUNICATION_LAYER, COPY_OPERATIONS, TaskTypes } from '../device-kinds.js';
import { kernelFields, withTaskIds } from '../kernel-labels.js';
import { markedCall, markedOperation, unrecordedWork } from '../marked-operations.js';
import type { UnreadEvents } from '../../../unread-events.js';
import { timesOf, collectiveOperation, type CommunicationFacts } from './collective-parts.js';
import { coreOfType, kindOfTask, syncKind, type TaskActivity } from './trace-tasks.js';
import type { TracedCollective } from './trace-rows.js';
import type { TracedEvents, TracedKernels, TraceSource } from './trace-source.js';

const NO_ROW = -1;

const connectionsOf = (collectives: readonly TracedCollective[]): ReadonlySet<number> =>
  new Set(collectives.map(({ connection }) => connection).filter((connection) => !Number.isNaN(connection)));

export class TextTrace implements Trace {
  readonly diagnostics: Diagnostics;
  readonly activities = new Activities();
  readonly header: TraceHeader;
  readonly hostCalls;
  readonly threads;
  readonly ranges;
  readonly names: TraceNames;
  readonly #events: TracedEvents;
  readonly #unread: UnreadEvents;
  readonly #details: TracedKernels | null;
  /** For each activity: its row in kernel_details.csv; -1 when it has none. */
  readonly #detailRows = NumericColumn.int32();
  /** For each activity: its device lane, and the number of its task type's text plus one. */
  readonly #lanes = NumericColumn.counts();
  readonly #types = NumericColumn.counts();
  /** For each activity: the number of its task; NaN when unknown. */
  readonly #taskIds = NumericColumn.floats();
  readonly #operations = new Map<number, CollectiveOperation>();
  /** Number of operations that ranges mark. */
  #marked = 0;
  /** Domains of ranges, by text number. */
  readonly #domains = new Map<number, string>();
  #communication: ReadonlyMap<string, CommunicationFacts> = new Map();

  readonly #source: TraceSource;

  constructor(format: string, source: TraceSource) {
    const { events, clock, profile } = source;
    this.#source = source;
    this.diagnostics = source.diagnostics;
    this.#unread = source.unread;
    this.#events = events;
    this.#details = source.details;
    this.hostCalls = events.calls;
    this.threads = events.threads;
    this.ranges = events.host.ranges;
    const taskTypes = this.#addTasks();
    this.#addCollectives(source);
    this.#addMarks(source);
    if (this.activities.length === 0) this.diagnostics.count('no-device-activity');
    this.#moveToFirst(clock);
    this.names = this.#names();
    this.header = {
      format,
      ...profile,
      facts: { ...profile.facts, ...taskTypes, ...this.#unread.facts(this.diagnostics) },
      startUnixNs: clock.startNs?.toString() ?? null,
      dur: null,
      devices: source.devicesOf(this.activities.device),
    };
  }

  contexts(launches: LaunchJoin): KernelContexts {
    const { activities, threads, diagnostics } = this;
    const { host } = this.#events;
    const { origins, originOf } = this.#origins(launches);
    const nesting = nestEvents(host, origins, threads.count, 0, diagnostics, (op) => op);
    const facts = {
      events: host,
      nesting,
      threads,
      launches: { callOf: originOf, kernelCounts: launches.kernelCounts },
      callStart: (origin: number) => origins.start.at(origin),
      callThread: (origin: number) => origins.thread.at(origin),
      externalId: () => NaN,
      externalIdsAreOps: false,
      slack: 0,
    };
    const contexts = new TorchContexts(facts, activities.rowsOf('kernel'), activities.rowsOf('collective'));
    return {
      ofKernel: (_, activity) => contexts.ofKernel(elementAt(originOf, activity), activity),
      stepOf: (_, activity) => contexts.stepOf(elementAt(originOf, activity), activity),
      rangeKindOf: (range) => contexts.rangeKindOf(range),
      stackOf: (range) => contexts.stackOf(range),
      isRepeated: contexts.isRepeated,
      steps: contexts.steps,
    };
  }

  operationOf(activity: number): CollectiveOperation {
    const operation = this.#operations.get(activity);
    if (operation === undefined) throw new RangeError(`activity ${activity} is not a collective`);
    return operation;
  }

  detailsOf(activity: number): ActivityDetails | null {
    const kind = this.activities.kind.at(activity);
    if (kind === KIND_CODE.collective) return timesOf(this.#communication.get(this.operationOf(activity).name));
    if (kind !== KIND_CODE.kernel) return null;
    const row = this.#detailRows.at(activity);
    const number = this.#types.at(activity);
    const taskType = number === 0 ? null : this.#events.texts.text(number - 1);
    const taskId = this.#taskIds.at(activity);
    if (row !== NO_ROW && this.#details !== null) return this.#details.detailsOf(row, taskType, taskId);
    if (taskType === null) return null;
    const name = this.activities.kernels.name.at(this.activities.ownRow.at(activity));
    return kernelFields(this.#events.texts.text(name), coreOfType(taskType), null, withTaskIds({ taskType }, [taskId]));
  }

  statements(profile: number, isStray: IsStray): Iterable<StatementRecord> {
    const { activities } = this;
    const isUnrecorded = this.#marked > 0 && activities.kernels.name.length === 0;
    const missing = isUnrecorded ? unrecordedWork(activities, profile) : [];
    return merged<StatementRecord>(startOf, missing, this.#events.samples.records(profile, isStray));
  }

  statementTimes(): readonly NumberColumn[] {
    return [this.#events.samples.start];
  }

  /**
   * Turns tasks into kernels, copies, memsets and waits.
   * @returns facts that name unknown types
   */
  #addTasks(): Labels {
    const { tasks, collectives } = this.#events;
    const ofCollectives = connectionsOf(collectives);
    const envelopes = tasks.envelopes();
    const rows = this.#joinDetails();
    const types = new TaskTypes();
    let wrappers: ReadonlySet<number> | null = null;
    for (let task = 0; task < tasks.length; task++) {
      const row = elementAt(rows, task);
      const type = this.#typeOf(task);
      const isPart = ofCollectives.has(tasks.connection.at(task));
      const found = kindOfTask(type, this.#events.texts.text(tasks.name.at(task)));
      if (row !== NO_ROW) this.#addTask(task, 'kernel', row);
      else if (envelopes.has(task)) types.enclosing++;
      // Parts of a collective are included in its record.
      else if (isPart) continue;
      else if (found === null) this.#unread.count(type);
      else if (found !== 'unknown') this.#addTask(task, found, row);
      else if ((wrappers ??= tasks.wrappers()).has(task)) types.enclosing++;
      else if (this.#isNamedAndLong(task)) {
        this.#addTask(task, 'kernel', row);
        types.unknown.add(type);
      } else this.#unread.count(type);
    }
    return types.facts(this.diagnostics);
  }

  #typeOf(task: number): string {
    const number = this.#events.tasks.type.at(task);
    return number === 0 ? '' : this.#events.texts.text(number - 1);
  }

  #isNamedAndLong(task: number): boolean {
    const { tasks, texts } = this.#events;
    return tasks.end.at(task) > tasks.start.at(task) && texts.text(tasks.name.at(task)) !== '';
  }

  #addTask(task: number, kind: TaskActivity, row: number): void {
    const { tasks } = this.#events;
    const { activities } = this;
    const cells: ActivityRow = {
      start: tasks.start.at(task),
      end: tasks.end.at(task),
      device: this.#events.deviceOf(tasks.lane.at(task)),
      stream: tasks.stream.at(task),
      process: 0,
      corr: tasks.connection.at(task),
      node: NaN,
    };
    const name = tasks.name.at(task);
    this.#describe(row, tasks.lane.at(task), tasks.type.at(task), tasks.task.at(task));
    switch (kind) {
      case 'kernel': {
        activities.addKernel(cells, name, NaN);
        const blocks = row === NO_ROW || this.#details === null ? NaN : this.#details.blocks.at(row);
        for (const extent of [NaN, NaN, NaN, blocks, 1, 1]) activities.kernels.extents.push(extent);
        break;
      }
      case 'copy': {
        const copied = this.#source.copies?.get(task);
        activities.addCopy(cells, copied?.direction ?? name, copied?.bytes ?? NaN, NaN);
        break;
      }
      case 'set':
        activities.addSet(cells, NaN, NaN);
        break;
      case 'sync':
        activities.addSync(cells, syncKind(this.#typeOf(task)) === null ? name : tasks.type.at(task) - 1);
    }
  }

  /** For each task: its row in kernel_details.csv, which has the same start and name. Counts rows without a task. */
  #joinDetails(): Int32Array {
    const { tasks, texts } = this.#events;
    const rows = new Int32Array(tasks.length).fill(NO_ROW);
    const details = this.#details;
    if (details === null) return rows;
    const numbers = new Map<string, number>();
    const names = NumericColumn.counts();
    const index = new PairIndex(
      (row) => names.at(row),
      (row) => details.start.at(row),
    );
    for (let row = 0; row < details.length; row++) {
      const name = details.nameOf(row);
      const number = entryOf(numbers, name, () => texts.numberOfText(name));
      names.push(number);
      if (!details.isCollective(row) && !Number.isNaN(details.start.at(row))) index.put(row);
    }
    let found = 0;
    for (let task = 0; task < tasks.length; task++) {
      const row = index.get(tasks.name.at(task), tasks.start.at(task));
      if (row !== -1) found++;
      rows[task] = row;
    }
    let kernels = 0;
    for (let row = 0; row < details.length; row++) if (!details.isCollective(row)) kernels++;
    const isTruncated = this.diagnostics.get('truncated-input') > 0;
    if (!isTruncated) this.diagnostics.count('details-without-task', Math.max(0, kernels - found));
    return rows;
  }

  #addCollectives({ groups, communication }: TraceSource): void {
    const { collectives, parts, tasks } = this.#events;
    if (collectives.length === 0) return;
    const { activities } = this;
    const facts = (this.#communication = communication());
    const moved = parts.movedBy(collectives);
    /** Stream of a collective by connection: the stream of its first task, because tasks are in time order. */
    const streams = new Map<number, number>();
    const ofCollectives = connectionsOf(collectives);
    for (let task = tasks.length - 1; task >= 0; task--) {
      const connection = tasks.connection.at(task);
      if (ofCollectives.has(connection)) streams.set(connection, tasks.stream.at(task));
    }
    collectives.forEach((traced, i) => {
      const ownFacts = facts.get(traced.name);
      const stream = streams.get(traced.connection);
      this.#operations.set(activities.length, collectiveOperation(traced, groups, elementAt(moved, i), ownFacts));
      activities.addCollective({
        start: traced.start,
        end: traced.end,
        device: this.#events.deviceOf(traced.lane),
        stream: stream ?? NaN,
        process: 0,
        corr: traced.connection,
        node: NaN,
      });
      this.#describe(NO_ROW, traced.lane, 0, NaN);
    });
  }

  /** Adds ranges of msprof_tx: operations, if the trace has no others, and user ranges. */
  #addMarks({ groups }: TraceSource): void {
    const { collectives, marks, texts, host } = this.#events;
    for (const { host: mark, id, device } of marks.pairs()) {
      const text = texts.text(mark.name);
      const operation = collectives.length > 0 ? null : markedOperation(text, groups);
      const { start, end, thread, name, domain } = mark;
      if (operation !== null) {
        const call = { start, end, thread, process: 0, corr: id, api: name };
        this.hostCalls.push({ ...call, precedence: COMMUNICATION_LAYER });
        this.#operations.set(this.activities.length, operation);
        this.#marked++;
        const isTimed = device !== null && device.end > device.start;
        this.activities.addCollective({
          start: device?.start ?? start,
          end: isTimed ? device.end : NaN,
          device: device === null ? 0 : this.#events.deviceOf(device.lane),
          ...{ stream: device?.stream ?? NaN, process: 0, corr: id, node: NaN },
        });
        this.#describe(NO_ROW, device?.lane ?? 0, 0, NaN);
        continue;
      }
      const shown = domain === null ? name : texts.numberOfText(`${domain}:${text}`);
      if (domain !== null) this.#domains.set(shown, domain);
      host.add('annotation', start, end, thread, shown);
      if (device === null) continue;
      const ofDevice = texts.numberOfText(`npu:${this.#events.deviceOf(device.lane)}:${texts.text(shown)}`);
      const process = this.threads.processOf(thread);
      host.add('annotation', device.start, device.end, this.threads.thread(process, NaN), ofDevice);
    }
    this.#unread.count('device ranges without their host range', marks.unpaired);
    this.diagnostics.count('device-range-by-order', marks.ambiguous);
  }

  /** Stores an activity's row in kernel_details.csv, its lane, and the type and number of its task. */
  #describe(row: number, lane: number, type: number, taskId: number): void {
    this.#detailRows.push(row);
    this.#lanes.push(lane);
    this.#types.push(type);
    this.#taskIds.push(taskId);
  }

  #moveToFirst(clock: TraceSource['clock']): void {
    const { flows, queue, samples } = this.#events;
    // Flows end at the times of events, so never before the first event.
    clock.moveToFirst(
      [this.ranges.start, this.hostCalls.start, this.activities.start, samples.start],
      [this.ranges.end, this.hostCalls.end, this.activities.end, flows.from, flows.to, ...queue.starts, ...queue.ends],
    );
  }

  /**
   * Adds a call of zero length at the place in the program where each kernel and collective was launched, and returns
   * the row of the call for each activity.
   */
  #origins(launches: LaunchJoin): { origins: ThreadSpans; originOf: Int32Array } {
    const { flows, queue } = this.#events;
    const { hostCalls: calls, activities, threads } = this;
    const origins = new ThreadSpans();
    const originOf = new Int32Array(activities.length).fill(-1);
    let enqueuedBy: ((call: number) => number) | null = null;
    const add = (activity: number, start: number, thread: number): void => {
      originOf[activity] = origins.length;
      origins.push({ start, end: start, thread });
    };
    for (const kind of ['kernel', 'collective', 'copy', 'set'] as const) {
      for (const activity of activities.rowsOf(kind)) {
        const flow = flows.leadingTo(this.#lanes.at(activity), activities.start.at(activity));
        const call = elementAt(launches.callOf, activity);
        if (flow !== -1) add(activity, flows.from.at(flow), flows.thread.at(flow));
        else if (call !== -1) {
          enqueuedBy ??= queue.enqueuedBy(calls, threads);
          const put = enqueuedBy(call);
          if (put === -1) add(activity, calls.start.at(call), calls.thread.at(call));
          else add(activity, queue.put.start.at(put), queue.put.thread.at(put));
        }
      }
    }
    return { origins, originOf };
  }

  #names(): TraceNames {
    const { texts, host } = this.#events;
    return {
      kernelName: (name) => texts.text(name),
      // A name such as `Node@launch` has the layer of the library and the name of the call.
      apiName: (api) => markedCall(texts.text(api)) ?? texts.text(api).replace(/^[A-Za-z]+@/, ''),
      apiLayer,
      rangeText: (text) => host.nameText(text),
      rangeDomain: (text) => this.#domains.get(host.nameNumber(text)) ?? null,
      domainName: () => null,
      copyKind: (code) => (this.#source.copies === undefined ? null : (COPY_OPERATIONS[code] ?? null)),
      syncKind: (code) => syncKind(texts.text(code)),
    };
  }
}
