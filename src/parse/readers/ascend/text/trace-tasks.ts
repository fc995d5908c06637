/**
 * Device tasks of a trace before they are classified, which depends on the collectives, on kernel_details.csv and on other
 * tasks. Memory: 61 bytes for each task, released after classification.
 */
import type { ActivityKind } from '../../../trace/trace-columns.js';
import { columns } from '../../../../containers/numeric-column.js';
import { allRows, sortRows } from '../../../../containers/row-order.js';
import { isMark, taskKind } from '../device-kinds.js';

/** Subtask id of a task that is not part of a group of tasks. */
const NO_SUBTASK = 4294967295;

export class TraceTasks extends columns({
  start: 'f64',
  end: 'f64',
  lane: 'u32',
  stream: 'f64',
  connection: 'f64',
  /** Text number of the name; the type's is stored plus one, 0 when there is no type. */
  name: 'u32',
  type: 'u32',
  /** Number of the task in its stream. After 65535, the next batch begins at 0. */
  task: 'f64',
  batch: 'u32',
  subtask: 'u32',
}) {
  /**
   * Tasks that enclose others. A mixed-core kernel or a collective is launched as a group of tasks with the same stream,
   * number and batch; one task encloses the others.
   */
  envelopes(): Set<number> {
    const found = new Set<number>();
    let outer = -1;
    for (const row of this.#sorted([this.lane, this.stream, this.batch, this.task, this.start])) {
      if (this.subtask.at(row) === NO_SUBTASK) outer = row;
      else if (outer !== -1 && this.#isAround(outer, row)) found.add(outer);
    }
    return found;
  }

  /** Tasks that enclose a shorter task of their stream. Tasks of zero length do not count. */
  wrappers(): Set<number> {
    const found = new Set<number>();
    const isTask = (row: number): boolean =>
      this.end.at(row) > this.start.at(row) && !Number.isNaN(this.stream.at(row));
    const sorted = this.#sorted([this.lane, this.stream, this.start], allRows(this.length).filter(isTask));
    let next = -1;
    /** Earliest ends of tasks in the stream that start later, and of tasks that start at the same time. */
    let [later, together] = [Infinity, Infinity];
    for (const row of sorted.reverse()) {
      const end = this.end.at(row);
      if (next === -1 || !this.#isSameStream(row, next)) [later, together] = [Infinity, Infinity];
      else if (this.start.at(row) < this.start.at(next)) [later, together] = [Math.min(later, together), Infinity];
      if (later <= end || together < end) found.add(row);
      together = Math.min(together, end);
      next = row;
    }
    return found;
  }

  /** Rows in the order of these columns; ties are sorted by end, latest first. */
  #sorted(columns: readonly { at(row: number): number }[], rows = allRows(this.length)): Uint32Array {
    sortRows(rows, (a, b) => {
      for (const column of columns) {
        const difference = column.at(a) - column.at(b);
        if (difference < 0 || difference > 0) return difference;
      }
      return this.end.at(b) - this.end.at(a);
    });
    return rows;
  }

  #isSameStream(a: number, b: number): boolean {
    return this.lane.at(a) === this.lane.at(b) && this.stream.at(a) === this.stream.at(b);
  }

  #isAround(outer: number, inner: number): boolean {
    return (
      this.lane.at(outer) === this.lane.at(inner) &&
      this.task.at(outer) === this.task.at(inner) &&
      this.batch.at(outer) === this.batch.at(inner) &&
      this.end.at(outer) >= this.end.at(inner)
    );
  }
}

/** Task types of kernels. `AI_CORE` may be either kind of core. */
const KERNEL_TYPE = /^(KERNEL_)?(AI_?CORE|AI_?VECTOR_CORE|AI_?VEC|AIV(_SQE)?|AI_?CPU|MIX_AI[CV]|FFTS_PLUS|DSA(_SQE)?)$/;

/** Core classes by task type. */
const CORES: ReadonlyMap<string, string> = new Map([
  ['AI_VECTOR_CORE', 'AI_VECTOR_CORE'],
  ['KERNEL_AIVEC', 'AI_VECTOR_CORE'],
  ['MIX_AIC', 'MIX_AIC'],
  ['KERNEL_MIX_AIC', 'MIX_AIC'],
  ['MIX_AIV', 'MIX_AIV'],
  ['KERNEL_MIX_AIV', 'MIX_AIV'],
  ['AI_CPU', 'AI_CPU'],
  ['KERNEL_AICPU', 'AI_CPU'],
  ['DSA_SQE', 'DSA_SQE'],
]);

/** Core class of a task type; null when the type does not determine it. */
export const coreOfType = (type: string): string | null => CORES.get(type) ?? null;

/** Kinds of activities that a task may be; collectives have rows of their own. */
export type TaskActivity = Exclude<ActivityKind, 'graph' | 'collective'>;

/**
 * Kind of a task, from its type and its name; null for marks of the driver and the profiler. Other types are `unknown`,
 * because there is no complete list of types: each device has different ones.
 */
export function kindOfTask(type: string, name: string): TaskActivity | 'unknown' | null {
  if (KERNEL_TYPE.test(type)) return 'kernel';
  const kind = taskKind(type);
  if (kind !== null) return kind.is;
  // Only the name shows what a `PLACE_HOLDER_SQE` is.
  if (type === '' || isMark(type)) return taskKind(name)?.is ?? null;
  return isMark(name) ? null : 'unknown';
}

/** Kind of a wait, from the type or name of its task; null for other tasks. */
export function syncKind(text: string): string | null {
  const kind = taskKind(text);
  return kind?.is === 'sync' ? kind.kind : null;
}
