/**
 * Reads the starts, ends and cycles of tasks from the files of `device_N/data`, and joins them into tasks. Memory:
 * about 100 bytes for each task. Source: Ascend/msprof, analysis/csrc/domain/services (parser/parser_item, modeling);
 * docs/ascend-raw.md.
 */
import { entryOf } from '../../../../containers/map-entry.js';
import { elementAt } from '../../../../containers/element.js';
import { NO_ROW, PairIndex } from '../../../../containers/hash-index.js';
import { NumericColumn } from '../../../../containers/numeric-column.js';
import { allRows, groupAt, groupRows, sortRows } from '../../../../containers/row-order.js';
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { isNear } from '../../../trace/clocks/trace-clock.js';
import type { UnreadEvents } from '../../../unread-events.js';
import { CLOCKS, DEVICE } from './layouts.js';
import { TASK_NAMES } from './raw-texts.js';
import { SHORT_PLATFORM, type RawFolder } from './raw-folder.js';
import { structuresIn } from './structures.js';

/** The low bits of a log entry's kind: whether it is the start or the end of a task. */
const FUNCTION = 0x3f;
const [START, END, SUBTASK_START, SUBTASK_END] = [0, 1, 34, 35];
const OLD_FUNCTION = 7;
const [FLIP, COUNTED] = [14, 40];
const STREAM_ENDED = 0xffff;

/** Context of a task that is not part of a group. */
const NO_CONTEXT = 4294967295;

type DeviceFolder = RawFolder['devices'][number];

export interface DeviceTask {
  readonly stream: number;
  readonly task: number;
  readonly context: number;
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly batch: number;
  /** Cycles that the device counted; NaN when it counted none. */
  readonly cycles: number;
  /** Whether the cycles are those of vector cores. */
  readonly isVector: boolean;
}

/** Called with the start or the end of a task. */
type AddLog = (stream: number, task: number, context: number, type: string, time: number, isEnd: boolean) => void;

const STREAMS = 0x800;
const UINT32 = 2 ** 32;

/**
 * Numbers of tasks in columns. Each combination of stream, task and context is stored once. Several tasks of a profile
 * may have the same combination.
 */
class TaskNumbers {
  readonly stream = NumericColumn.counts();
  readonly task = NumericColumn.counts();
  readonly context = NumericColumn.counts();
  readonly #rows = new PairIndex(
    (row) => this.stream.at(row) * UINT32 + this.task.at(row),
    (row) => this.context.at(row),
  );

  rowOf(stream: number, task: number, context: number): number {
    const found = this.#rows.get(stream * UINT32 + task, context);
    if (found !== NO_ROW) return found;
    const row = this.stream.length;
    this.stream.push(stream);
    this.task.push(task);
    this.context.push(context);
    this.#rows.put(row);
    return row;
  }
}

class TaskTimes {
  /** Row of `TaskNumbers`. */
  readonly numbers = NumericColumn.counts();
  readonly time = NumericColumn.floats();

  add(numbers: number, time: number): void {
    this.numbers.push(numbers);
    this.time.push(time);
  }

  /** Rows by their numbers, then by time; rows with equal times in the order of `compareTies`. */
  sorted(compareTies: (a: number, b: number) => number = (a, b) => a - b): Uint32Array {
    const rows = allRows(this.time.length);
    const { numbers, time } = this;
    sortRows(rows, (a, b) => numbers.at(a) - numbers.at(b) || time.at(a) - time.at(b) || compareTies(a, b));
    return rows;
  }
}

export class DeviceTasks {
  readonly #numbers = new TaskNumbers();
  readonly #starts = new TaskTimes();
  readonly #ends = new TaskTimes();
  /** Names of types, and for each start the number of its type. */
  readonly #types: string[] = [];
  readonly #typeOf = NumericColumn.counts();
  /** For each task: the rows of its start and of its end. */
  readonly #start = NumericColumn.counts();
  readonly #end = NumericColumn.floats();
  #batches = new Uint32Array(0);
  /** Counters of the device, by the time at which a task ended. */
  readonly #counted = new TaskTimes();
  readonly #cycles = NumericColumn.floats();
  readonly #isVector = NumericColumn.codes();
  /** Clock frequency of the cores over time, in Hz. */
  readonly clocks: { readonly time: number; readonly hertz: number }[] = [];

  constructor(
    private readonly folder: RawFolder,
    private readonly device: DeviceFolder,
    private readonly timeOf: (count: bigint) => number,
    private readonly diagnostics: Diagnostics,
    private readonly unread: UnreadEvents,
  ) {
    const add: AddLog = (stream, task, context, type, time, isEnd) => {
      (isEnd ? this.#ends : this.#starts).add(this.#numbers.rowOf(stream, task, context), time);
      if (!isEnd) this.#typeOf.push(this.#typeNumber(type));
    };
    if (device.platform === SHORT_PLATFORM) this.#readShortLogs(add);
    else this.#readLogs(add);
    this.#readOldLogs(add);
    const starts = this.#starts.sorted();
    this.#setBatches(starts, this.#readTracks());
    this.#join(starts, this.#ends.sorted());
    this.#readCounters();
    this.#readClock();
  }

  /** The tasks in order of start time. */
  *tasks(): Generator<DeviceTask> {
    const rows = allRows(this.#start.length);
    const startOf = (row: number): number => this.#starts.time.at(this.#start.at(row));
    sortRows(rows, (a, b) => startOf(a) - startOf(b) || a - b);
    const take = this.#counters();
    for (const row of rows) {
      const from = this.#start.at(row);
      const numbers = this.#starts.numbers.at(from);
      const counted = take(numbers, startOf(row));
      yield {
        stream: this.#numbers.stream.at(numbers),
        task: this.#numbers.task.at(numbers),
        context: this.#numbers.context.at(numbers),
        type: elementAt(this.#types, this.#typeOf.at(from)),
        ...{ start: startOf(row), end: this.#end.at(row), batch: elementAt(this.#batches, from) },
        ...{ cycles: this.#cycles.at(counted), isVector: this.#isVector.at(counted) === 1 },
      };
    }
  }

  /**
   * Finds the counters of a task: the first with its numbers that were recorded after it started, each used once; NaN when
   * there are none.
   */
  #counters(): (numbers: number, start: number) => number {
    const { numbers: numbersOf, time } = this.#counted;
    const sorted = this.#counted.sorted((a, b) => b - a);
    const { rows, first } = groupRows(sorted, (row) => numbersOf.at(row), this.#numbers.stream.length);
    const next = first.slice();
    return (numbers, start) => {
      let at = elementAt(next, numbers);
      const end = elementAt(first, numbers + 1);
      while (at < end && time.at(elementAt(rows, at)) < start) at++;
      next[numbers] = at < end ? at + 1 : at;
      return at < end ? elementAt(rows, at) : NaN;
    };
  }

  #typeNumber(type: string): number {
    const number = this.#types.indexOf(type);
    return number === -1 ? this.#types.push(type) - 1 : number;
  }

  *#structures<K extends keyof typeof DEVICE>(kind: K): ReturnType<typeof structuresIn<(typeof DEVICE)[K]['fields']>> {
    const layout = DEVICE[kind] as { names: RegExp; bytes: number; fields: (typeof DEVICE)[K]['fields'] };
    yield* structuresIn(this.folder.ofDevice(this.device, layout), layout, this.diagnostics, true);
  }

  #readLogs(add: AddLog): void {
    for (const row of this.#structures('log')) {
      const kind = row.number('kind');
      const about = kind & FUNCTION;
      const isSubtask = about === SUBTASK_START || about === SUBTASK_END;
      if (!isSubtask && about !== START && about !== END) {
        this.unread.count(`stars_soc ${about}`);
        continue;
      }
      const { stream, task } = placeOf(row.number('stream'), row.number('task'));
      const type = isSubtask ? TASK_NAMES.subtask(row.number('subtaskType')) : TASK_NAMES.log(kind >> 10);
      const context = isSubtask ? row.number('subtask') : NO_CONTEXT;
      add(stream, task, context, type, this.timeOf(row.big('time')), (about & 1) === 1);
    }
  }

  #readShortLogs(add: AddLog): void {
    for (const row of this.#structures('shortLog')) {
      const kind = row.number('kind');
      const about = kind & FUNCTION;
      if (about !== START && about !== END) {
        this.unread.count(`stars_soc ${about}`);
        continue;
      }
      const time = this.timeOf(row.big('time'));
      const type = TASK_NAMES.shortLog(kind >> 10);
      add(0, row.number('task'), NO_CONTEXT, type, time, about === END);
    }
  }

  #readOldLogs(add: AddLog): void {
    for (const row of this.#structures('oldLog')) {
      const about = row.number('kind') & OLD_FUNCTION;
      if (about !== START && about !== END) {
        this.unread.count(`hwts ${about}`);
        continue;
      }
      const type = TASK_NAMES.oldLog(row.number('taskType'));
      add(
        row.number('stream') % STREAMS,
        row.number('task'),
        NO_CONTEXT,
        type,
        this.timeOf(row.big('time')),
        about === END,
      );
    }
  }

  /** When the task numbers of each stream wrapped around. */
  #readTracks(): Map<number, Flip[]> {
    const flips = new Map<number, Flip[]>();
    for (const row of this.#structures('track')) {
      if (row.number('kind') !== FLIP) this.unread.count(`ts_track ${row.number('kind')}`);
      else {
        const task = row.number('task');
        const flip = { time: this.timeOf(row.big('time')), task: task === STREAM_ENDED ? 0 : task };
        entryOf(flips, row.number('stream') % STREAMS, () => []).push(flip);
      }
    }
    return flips;
  }

  /** @param starts rows of starts, by their numbers and then by time */
  #setBatches(starts: Uint32Array, flips: ReadonlyMap<number, Flip[]>): void {
    const numbersOf = (row: number): number => this.#starts.numbers.at(row);
    const byStream = groupRows(starts, (row) => this.#numbers.stream.at(numbersOf(row)), STREAMS);
    this.#batches = new Uint32Array(starts.length);
    const facts = {
      timeOf: (row: number) => this.#starts.time.at(row),
      taskOf: (row: number) => this.#numbers.task.at(numbersOf(row)),
      batches: this.#batches,
    };
    for (const [stream, found] of flips) setBatches(groupAt(byStream, stream), facts, found);
  }

  /**
   * Joins each start of a task to an end with the same numbers that comes before the next such start. Rows are sorted by
   * numbers, then by time.
   */
  #join(starts: Uint32Array, ends: Uint32Array): void {
    const [from, to] = [this.#starts, this.#ends];
    let lost = 0;
    let next = 0;
    starts.forEach((row, i) => {
      const [numbers, start] = [from.numbers.at(row), from.time.at(row)];
      const order = (): number => to.numbers.at(elementAt(ends, next)) - numbers;
      while (next < ends.length && (order() < 0 || (order() === 0 && to.time.at(elementAt(ends, next)) < start))) {
        next++;
        lost++;
      }
      const end = next < ends.length && order() === 0 ? to.time.at(elementAt(ends, next)) : NaN;
      const after = starts[i + 1];
      const following = after !== undefined && from.numbers.at(after) === numbers ? from.time.at(after) : Infinity;
      if (!(end < following) || !isNear(end - start)) lost++;
      else {
        this.#start.push(row);
        this.#end.push(end);
        next++;
      }
    });
    this.diagnostics.count('event-without-time', lost + ends.length - next);
  }

  #readCounters(): void {
    for (const row of this.#structures('counters')) {
      const about = row.number('kind') & FUNCTION;
      if (about !== COUNTED) {
        this.unread.count(`ffts_profile ${about}`);
        continue;
      }
      const { stream, task } = placeOf(row.number('stream'), row.number('task'));
      const isGrouped = row.number('form') >> 13 === 4;
      const type = row.number('subtaskType');
      const isMatrix = (!isGrouped && row.number('form') >> 13 === 0) || (isGrouped && (type === 0 || type === 6));
      const context = isGrouped ? row.number('subtask') : NO_CONTEXT;
      this.#counted.add(this.#numbers.rowOf(stream, task, context), this.timeOf(row.big('end')));
      this.#cycles.push(Number(row.big('cycles')));
      this.#isVector.push(isMatrix ? 0 : 1);
    }
  }

  #readClock(): void {
    for (const row of this.#structures('clock')) {
      for (let i = 0; i < Math.min(row.number('count'), CLOCKS.most); i++) {
        const at = row.at + CLOCKS.from + i * CLOCKS.bytes;
        const time = this.timeOf(row.bytes.readBigUInt64LE(at));
        this.clocks.push({ time, hertz: row.bytes.readUInt32LE(at + 8) * 1e6 });
      }
    }
  }
}

/**
 * Decodes stream and task numbers: bits 12 and 13 of the stream say that bits of one number are stored in the other.
 */
function placeOf(stream: number, task: number): { stream: number; task: number } {
  if ((stream & 0x1000) !== 0) return { stream: stream % STREAMS, task: (task & 0x1fff) | (stream & 0xe000) };
  if ((stream & 0x2000) !== 0) return { stream: (task & 0xfff) % STREAMS, task: (stream & 0xfff) | (task & 0xf000) };
  return { stream: stream % STREAMS, task };
}

/**
 * The time when the task numbers of a stream wrapped around. `task` is the task number in the mark; it is 0 when the
 * stream ended.
 */
export interface Flip {
  readonly time: number;
  readonly task: number;
}

/** Tasks by row, and where their batches are stored. */
interface BatchedTasks {
  readonly timeOf: (row: number) => number;
  readonly taskOf: (row: number) => number;
  readonly batches: Uint32Array;
}

/**
 * Numbers the batches of a stream's tasks: after each flip, the 16-bit task numbers start again at 0. Sorts the rows by
 * time.
 */
export function setBatches(rows: Uint32Array, { timeOf, taskOf, batches }: BatchedTasks, flips: Flip[]): void {
  sortRows(rows, (a, b) => timeOf(a) - timeOf(b));
  flips.sort((a, b) => a.time - b.time);
  let batch = 0;
  rows.forEach((row, i) => {
    for (let flip = flips[batch]; flip !== undefined && timeOf(row) > flip.time; flip = flips[batch]) {
      batch++;
      // Several threads may take numbers at the same time: tasks just before the flip whose numbers are below the flip's
      // belong to the new batch.
      for (let back = i - 1; back >= 0; back--) {
        const before = elementAt(rows, back);
        if ((taskOf(before) & 0xffff) >= flip.task) break;
        batches[before] = batch;
      }
    }
    batches[row] = batch;
  });
}
