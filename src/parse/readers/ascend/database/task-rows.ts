/**
 * Turns rows of TASK into kernels, copies, memsets and waits of the device. Collectives come from their own table. Tasks
 * that enclose the tasks of a mixed-core kernel or a collective are skipped, as are the profiler's marks.
 */
import { entryOf } from '../../../../containers/map-entry.js';
import type { Diagnostics } from '../../../../record/diagnostics.js';
import type { Activities, ActivityRow } from '../../../trace/trace-columns.js';
import { NumericColumn } from '../../../../containers/numeric-column.js';
import type { SqliteFile } from '../../../sqlite/sqlite.js';
import type { ThreadTable } from '../../../trace/threads.js';
import type { Labels } from '../../../../record/record.js';
import { taskKind, TaskTypes, type TaskKind } from '../device-kinds.js';
import type { UnreadEvents } from '../../../unread-events.js';
import { isAway } from '../../../trace/mending/stray-events.js';
import { isNear } from '../../../trace/clocks/trace-clock.js';
import { hasTimes, type DatabaseClock } from '../../../sqlite/database-clock.js';
import type { CollectiveRows } from './collective-rows.js';
import { connectionOrNone, NO_STRING, type StringTable } from './connections.js';
import type { DeviceRange, MarkedRow } from './host-rows.js';
import { NO_ID, TASK_IDS } from '../kernel-labels.js';
import type { KernelRows } from './kernel-rows.js';

/** Code of a copy whose direction is unknown. */
const NO_CODE = 4294967295;
const NO_ROW = -1;

/** Other parts of the profile that are needed to read tasks. */
interface TaskContext {
  readonly clock: DatabaseClock;
  readonly threads: ThreadTable;
  readonly strings: StringTable;
  readonly activities: Activities;
  readonly kernels: KernelRows;
  readonly collectives: CollectiveRows;
  readonly diagnostics: Diagnostics;
  readonly unread: UnreadEvents;
  /** Start of the user range that is marked on the device through this connection; null when there is none. */
  readonly markedAt: (connection: number) => number | null;
}

export class TaskRows {
  /** For each activity: its row among the kernels or the collectives; -1 when it has none. */
  readonly source = NumericColumn.int32();
  /** For each activity: the string of its task type. */
  readonly taskType = NumericColumn.counts();
  /** For each activity: the ids of its task. */
  readonly #ids = TASK_IDS.map(() => NumericColumn.counts());
  /** User ranges that are marked on the device, by connection. */
  readonly deviceRanges = new Map<number, DeviceRange>();
  /** Facts that name unknown types of tasks. */
  facts: Labels = {};
  readonly #kinds = new Map<number, TaskKind | null>();
  readonly #copies: Map<number, readonly [size: number, operation: number]>;
  /** Process for activities that state none: that of the first call. */
  readonly #defaultProcess: number;

  constructor(
    private readonly database: SqliteFile,
    private readonly context: TaskContext,
  ) {
    const { threads } = context;
    this.#defaultProcess = threads.count === 0 ? threads.process(0, NaN) : threads.processOf(0);
    this.#copies = readCopies(database);
    this.#readTasks();
    this.#addCollectives();
  }

  /** Ids of an activity's task, in the order of TASK_IDS; NO_ID when unknown. */
  idsOf(activity: number): number[] {
    return this.#ids.map((column) => column.at(activity));
  }

  #readTasks(): void {
    const { clock, threads, kernels, collectives, diagnostics, markedAt } = this.context;
    const columns = [
      ...[clock.since('startNs'), clock.since('endNs'), 'deviceId', 'connectionId', 'globalTaskId', 'globalPid'],
      ...['taskType', 'streamId', ...TASK_IDS],
    ];
    const taken = new Uint8Array(kernels.length);
    const others = { type: NumericColumn.floats(), connection: NumericColumn.floats() };
    this.database.eachNumbers('TASK', columns, (cells) => {
      const [start = NaN, end = NaN, device = NaN, id = NaN, task = NaN, pid = NaN] = cells;
      const [, , , , , , type = NaN, stream = NaN, ...ids] = cells;
      const context = ids[TASK_IDS.indexOf('contextId')] ?? NaN;
      const connection = connectionOrNone(id);
      const process = Number.isNaN(pid) ? this.#defaultProcess : threads.process(pid, pid);
      const row = { start, end, device: device >= 0 ? device : 0, stream, process, corr: connection, node: NaN };
      const kernel = kernels.rowOf(task);
      if (kernel !== -1) {
        if (taken[kernel] === 1) diagnostics.count('row-passed-over');
        else this.#addKernel(row, kernel, type, ids);
        taken[kernel] = 1;
        return;
      }
      const ofCollective = collectives.takeTask(task, connection, end - start);
      if (ofCollective !== null) {
        if (ofCollective === 'around') diagnostics.count('task-passed-over');
        collectives.notePlacement(connection, row.device, stream, process, context);
        return;
      }
      const marked = markedAt(connection);
      if (marked !== null) {
        this.#noteRange(row, marked);
        return;
      }
      const kind = this.#kindOf(type);
      if (kind === null) {
        others.type.push(type);
        others.connection.push(connection);
      } else this.#addOther(kind, row, task, type);
    });
    this.facts = this.#countOthers(others.type, others.connection);
    diagnostics.count(
      'row-passed-over',
      taken.reduce((missing, isTaken) => missing + (1 - isTaken), 0),
    );
  }

  /**
   * Counts tasks that are not activities. A task with the connection of a kernel or a collective encloses it; others have a
   * type that is not read.
   */
  #countOthers(types: NumericColumn, connections: NumericColumn): Labels {
    const { activities, collectives, strings, diagnostics, unread } = this.context;
    const enclosed = new Set<number>();
    for (let row = 0; row < collectives.length; row++) enclosed.add(collectives.connection.at(row));
    for (const row of activities.rowsOf('kernel')) enclosed.add(activities.corr.at(row));
    const found = new TaskTypes();
    for (let task = 0; task < types.length; task++) {
      const connection = connections.at(task);
      if (!Number.isNaN(connection) && enclosed.has(connection)) found.enclosing++;
      else unread.count(strings.text(types.at(task)) ?? '');
    }
    return found.facts(diagnostics);
  }

  /**
   * Records the device task of a user range. A range may have one task at its start and another at its end; a task long
   * before the range itself has a damaged time.
   */
  #noteRange({ corr: connection, start, end, device, stream, process }: ActivityRow, marked: number): void {
    if (!isNear(start) || !isNear(end) || end < start) return;
    const known = this.deviceRanges.get(connection);
    const isEarly = (task: Pick<DeviceRange, 'start' | 'end'>): boolean =>
      task.end < marked && isAway(task.start, task.end, { first: marked, last: marked });
    if (known !== undefined && isEarly(known) === isEarly({ start, end })) {
      known.start = Math.min(known.start, start);
      known.end = Math.max(known.end, end);
      return;
    }
    if (known !== undefined) this.context.diagnostics.count('time-far-away');
    if (known === undefined || isEarly(known))
      this.deviceRanges.set(connection, { start, end, device, stream, process });
  }

  #addKernel(task: ActivityRow, kernel: number, type: number, ids: readonly number[]): void {
    const { activities, kernels } = this.context;
    activities.addKernel(this.#row(task, kernel, type, ids), kernels.nameOf(kernel), NaN);
    const blocks = kernels.blocksOf(kernel);
    for (const extent of [0, 0, 0, blocks, 1, 1]) activities.kernels.extents.push(extent);
  }

  #addOther(kind: TaskKind, task: ActivityRow, id: number, type: number): void {
    const [size = NaN, operation = NO_CODE] = this.#copies.get(id) ?? [];
    const { activities } = this.context;
    const row = this.#row(task, NO_ROW, type);
    if (kind.is === 'copy') activities.addCopy(row, operation, size, NaN);
    else if (kind.is === 'set') activities.addSet(row, size, NaN);
    else activities.addSync(row, type);
  }

  /**
   * Adds operations that ranges mark, with the times at which they ran on the device. Their ends are unknown if nothing on
   * the device marks them.
   */
  addMarked(operations: readonly MarkedRow[], device: number): void {
    const { activities, collectives, threads } = this.context;
    operations.forEach(({ start, thread, connection }, i) => {
      const process = threads.processOf(thread);
      const range = this.deviceRanges.get(connection) ?? { start, end: NaN, device, stream: NaN, process };
      const end = range.end > range.start ? range.end : NaN;
      const task = { ...range, process, end, corr: connection, node: NaN };
      activities.addCollective(task);
      this.#describe(collectives.length + i, NO_STRING);
    });
  }

  #addCollectives(): void {
    const { activities, collectives } = this.context;
    for (let row = 0; row < collectives.length; row++) {
      const { device, stream, process } = collectives.placementOf(row) ?? NO_PLACEMENT;
      const task = {
        start: collectives.start.at(row),
        end: collectives.end.at(row),
        device,
        stream,
        process: Number.isNaN(process) ? this.#defaultProcess : process,
        corr: collectives.connection.at(row),
        node: NaN,
      };
      activities.addCollective(this.#row(task, row, NO_STRING));
    }
  }

  /**
   * Cells that all activities have.
   * @param source row of the kernel or collective; NO_ROW for others
   * @param type number of the task type's string
   * @param ids ids of a kernel's task
   */
  #row(task: ActivityRow, source: number, type: number, ids: readonly number[] = []): ActivityRow {
    const isTimed = hasTimes([task.start, task.end], this.context.diagnostics, 'bad-row');
    this.#describe(source, type, ids);
    return isTimed ? task : { ...task, start: NaN, end: NaN };
  }

  #describe(source: number, type: number, ids: readonly number[] = []): void {
    this.source.push(source);
    this.taskType.push(type >= 0 ? type : NO_STRING);
    this.#ids.forEach((column, i) => {
      const id = ids[i] ?? NO_ID;
      column.push(id >= 0 ? id : NO_ID);
    });
  }

  #kindOf(type: number): TaskKind | null {
    return entryOf(this.#kinds, type, () => {
      const text = this.context.strings.text(type);
      return text === null ? null : taskKind(text);
    });
  }
}

/** Placement of a collective without tasks: such profiles have only device 0. */
const NO_PLACEMENT = { device: 0, stream: NaN, process: NaN };

/** Size and direction of copies by task. */
function readCopies(database: SqliteFile): Map<number, readonly [number, number]> {
  const copies = new Map<number, readonly [number, number]>();
  const columns = ['globalTaskId', 'size', 'memcpyOperation'];
  database.eachNumbers('MEMCPY_INFO', columns, ([task = NaN, size = NaN, operation = NaN]) => {
    if (!Number.isNaN(task)) copies.set(task, [size, operation >= 0 ? operation : NO_CODE]);
  });
  return copies;
}
