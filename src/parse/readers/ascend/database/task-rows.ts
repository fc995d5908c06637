/**
 * TASK → kernels, copies, sets and waits of the device; collectives from their own table. A task that is none of these
 * is passed over: kernels on both kinds of core and collectives have one around their own, and the profiler's marks.
 */
import type { Diagnostics } from '../../../../record/diagnostics.js';
import type { Activities, ActivityRow } from '../../../capture/capture-columns.js';
import { NumericColumn } from '../../../../containers/numeric-column.js';
import type { SqliteFile } from '../../../sqlite/sqlite.js';
import type { ThreadTable } from '../../../capture/threads.js';
import { taskKind, type TaskKind } from '../device-kinds.js';
import { isNear, type Clock } from './database-clock.js';
import type { CollectiveRows } from './collective-rows.js';
import { connectionOrNone } from './connections.js';
import type { DeviceRange } from './host-rows.js';
import type { KernelRows } from './kernel-rows.js';
import { NO_STRING, type Strings } from './strings.js';

/** Code of a copy whose direction is not told. */
export const NO_CODE = 4294967295;
const NO_ROW = -1;

interface Task {
  readonly start: number;
  readonly end: number;
  readonly device: number;
  readonly stream: number;
  readonly connection: number;
  readonly process: number;
}

export class TaskRows {
  /** By activity, its row among the kernels or the collectives; -1 where it has none. */
  readonly source = NumericColumn.int32();
  /** By activity, the string of its task type. */
  readonly taskType = NumericColumn.counts();
  /** By connection, when the device came by a range of the program. */
  readonly deviceRanges = new Map<number, DeviceRange>();
  readonly #kinds = new Map<number, TaskKind | null>();
  readonly #copies: Map<number, readonly [size: number, operation: number]>;
  /** Process of activities that do not tell theirs: the only one of the calls. */
  readonly #orphanage: number;

  constructor(
    private readonly database: SqliteFile,
    private readonly clock: Clock,
    private readonly threads: ThreadTable,
    private readonly strings: Strings,
    private readonly activities: Activities,
    private readonly kernels: KernelRows,
    private readonly collectives: CollectiveRows,
    private readonly diagnostics: Diagnostics,
    private readonly isMarked: (connection: number) => boolean,
  ) {
    this.#orphanage = threads.count === 0 ? threads.process(0, NaN) : threads.processOf(0);
    this.#copies = readCopies(database);
    this.#readTasks();
    this.#addCollectives();
  }

  #readTasks(): void {
    const { clock, kernels, collectives } = this;
    const columns = [
      clock.since('startNs'), clock.since('endNs'), 'deviceId', 'connectionId', 'globalTaskId', 'globalPid', 'taskType',
      'contextId', 'streamId',
    ]; // prettier-ignore
    const taken = new Uint8Array(kernels.length);
    let passedOver = 0;
    this.database.eachNumbers('TASK', columns, (cells) => {
      const [start = NaN, end = NaN, device = NaN, id = NaN, task = NaN, pid = NaN, type = NaN, context = NaN, stream = NaN] = cells; // prettier-ignore
      const connection = connectionOrNone(id);
      const process = Number.isNaN(pid) ? this.#orphanage : this.threads.process(pid, pid);
      const row: Task = { start, end, device: device >= 0 ? device : 0, stream, connection, process };
      const kernel = kernels.rowOf(task);
      if (kernel !== -1) {
        if (taken[kernel] === 1) this.diagnostics.count('row-passed-over');
        else this.#addKernel(row, kernel, type);
        taken[kernel] = 1;
        return;
      }
      if (collectives.hasTask(task, connection)) {
        collectives.notePlace(connection, row.device, stream, process, context);
        return;
      }
      if (this.isMarked(connection)) {
        this.#noteRange(row);
        return;
      }
      const kind = this.#kindOf(type);
      if (kind === null) passedOver++;
      else this.#addOther(kind, row, task, type);
    });
    this.diagnostics.count('task-passed-over', passedOver);
    this.diagnostics.count(
      'row-passed-over',
      taken.reduce((missing, isTaken) => missing + (1 - isTaken), 0),
    );
  }

  /** A range may have a task at its start and another at its end. */
  #noteRange({ connection, start, end, device, process }: Task): void {
    if (!isNear(start) || !(end >= start)) return;
    const known = this.deviceRanges.get(connection);
    if (known === undefined) this.deviceRanges.set(connection, { start, end, device, process });
    else {
      known.start = Math.min(known.start, start);
      known.end = Math.max(known.end, end);
    }
  }

  #addKernel(task: Task, kernel: number, type: number): void {
    const { activities } = this;
    activities.addKernel(this.#row(task, kernel, type), this.kernels.nameOf(kernel), NaN);
    const blocks = this.kernels.blocksOf(kernel);
    for (const extent of [0, 0, 0, blocks, 1, 1]) activities.kernels.extents.push(extent);
  }

  #addOther(kind: TaskKind, task: Task, id: number, type: number): void {
    const [size = NaN, operation = NO_CODE] = this.#copies.get(id) ?? [];
    const { activities } = this;
    const row = this.#row(task, NO_ROW, type);
    if (kind.is === 'copy') activities.addCopy(row, operation, size, NaN);
    else if (kind.is === 'set') activities.addSet(row, size, NaN);
    else activities.addSync(row, type);
  }

  #addCollectives(): void {
    const { collectives } = this;
    for (let row = 0; row < collectives.length; row++) {
      const place = collectives.placeOf(row);
      const process = place === null || Number.isNaN(place.process) ? this.#orphanage : place.process;
      const [start, end, connection] = [collectives.start.at(row), collectives.end.at(row), collectives.connection.at(row)]; // prettier-ignore
      const task = { start, end, device: place?.device ?? 0, stream: place?.stream ?? NaN, connection, process };
      this.activities.addCollective(this.#row(task, row, NO_STRING));
    }
  }

  /**
   * The cells that all activities have.
   * @param source row of the kernel or collective; NO_ROW for others
   * @param type number of the task type's string
   */
  #row(task: Task, source: number, type: number): ActivityRow {
    const isTimed = isNear(task.start) && isNear(task.end);
    if (!isTimed) this.diagnostics.count('bad-row');
    this.source.push(source);
    this.taskType.push(type >= 0 ? type : NO_STRING);
    return {
      start: isTimed ? task.start : NaN,
      end: isTimed ? task.end : NaN,
      device: task.device,
      stream: task.stream,
      process: task.process,
      corr: task.connection,
      node: NaN,
    };
  }

  #kindOf(type: number): TaskKind | null {
    let kind = this.#kinds.get(type);
    if (kind === undefined) this.#kinds.set(type, (kind = taskKind(this.strings.text(type) ?? '')));
    return kind;
  }
}

/** Size and direction of copies by task. */
function readCopies(database: SqliteFile): Map<number, readonly [number, number]> {
  const copies = new Map<number, readonly [number, number]>();
  const columns = ['globalTaskId', 'size', 'memcpyOperation'];
  database.eachNumbers('MEMCPY_INFO', columns, ([task = NaN, size = NaN, operation = NaN]) => {
    if (!Number.isNaN(task)) copies.set(task, [size, operation >= 0 ? operation : NO_CODE]);
  });
  return copies;
}
