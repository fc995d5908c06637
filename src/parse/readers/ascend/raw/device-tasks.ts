/**
 * Files of `device_N/data`: starts and ends of tasks → tasks, and their cycles. Memory: some 200 bytes a task.
 * Source: Ascend/msprof, analysis/csrc/domain/services (parser/parser_item, modeling); docs/ascend-raw.md.
 */
import { entryOf } from '../../../../containers/map-entry.js';
import { elementAt } from '../../../../containers/element.js';
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { isNear } from '../../../trace/clocks/exact-times.js';
import type { UnreadEvents } from '../../../unread-events.js';
import { CLOCKS, DEVICE } from './layouts.js';
import { TASK_NAMES } from './number-names.js';
import { SHORT_PLATFORM, type RawFolder } from './raw-folder.js';
import { structuresIn } from './structures.js';

/** What a log is about, in the low bits of its kind. */
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
  batch: number;
}

interface Log extends Omit<DeviceTask, 'start' | 'end'> {
  readonly time: number;
}

/** What the device counted of a task. */
export interface TaskCounters {
  readonly stream: number;
  readonly task: number;
  readonly context: number;
  readonly end: number;
  /** Whether on vector cores. */
  readonly isVector: boolean;
  readonly cycles: number;
}

export class DeviceTasks {
  readonly tasks: DeviceTask[] = [];
  readonly counters: TaskCounters[] = [];
  /** Clock of the cores over time, in Hz. */
  readonly clocks: { readonly time: number; readonly hertz: number }[] = [];

  constructor(
    private readonly folder: RawFolder,
    private readonly device: DeviceFolder,
    private readonly timeOf: (count: bigint) => number,
    private readonly diagnostics: Diagnostics,
    private readonly unread: UnreadEvents,
  ) {
    const logs = new Map<string, { starts: Log[]; ends: number[] }>();
    const add = (log: Log, isEnd: boolean): void => {
      const found = entryOf(logs, `${log.stream},${log.task},${log.context}`, () => ({ starts: [], ends: [] }));
      if (isEnd) found.ends.push(log.time);
      else found.starts.push(log);
    };
    if (device.platform === SHORT_PLATFORM) this.#readShortLogs(add);
    else this.#readLogs(add);
    this.#readOldLogs(add);
    const flips = this.#readTracks();
    const streams = new Map<number, Log[]>();
    for (const { starts } of logs.values()) for (const start of starts) entryOf(streams, start.stream, () => []).push(start);
    for (const [stream, starts] of streams) setBatches(starts, flips.get(stream) ?? []);
    for (const { starts, ends } of logs.values()) this.#join(starts, ends);
    this.tasks.sort((a, b) => a.start - b.start);
    this.#readCounters();
    this.#readClock();
  } // prettier-ignore

  *#structures<K extends keyof typeof DEVICE>(kind: K): ReturnType<typeof structuresIn<(typeof DEVICE)[K]['fields']>> {
    const layout = DEVICE[kind] as { names: RegExp; bytes: number; fields: (typeof DEVICE)[K]['fields'] };
    yield* structuresIn(this.folder.ofDevice(this.device, layout), layout, this.diagnostics, true);
  }

  #readLogs(add: (log: Log, isEnd: boolean) => void): void {
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
      add({ stream, task, context, type, batch: 0, time: this.timeOf(row.big('time')) }, (about & 1) === 1);
    }
  }

  #readShortLogs(add: (log: Log, isEnd: boolean) => void): void {
    for (const row of this.#structures('shortLog')) {
      const kind = row.number('kind');
      const about = kind & FUNCTION;
      if (about !== START && about !== END) {
        this.unread.count(`stars_soc ${about}`);
        continue;
      }
      const time = this.timeOf(row.big('time'));
      const type = TASK_NAMES.shortLog(kind >> 10);
      add({ stream: 0, task: row.number('task'), context: NO_CONTEXT, type, batch: 0, time }, about === END);
    }
  }

  #readOldLogs(add: (log: Log, isEnd: boolean) => void): void {
    for (const row of this.#structures('oldLog')) {
      const about = row.number('kind') & OLD_FUNCTION;
      if (about !== START && about !== END) {
        this.unread.count(`hwts ${about}`);
        continue;
      }
      const place = { stream: row.number('stream') & 0x7ff, task: row.number('task'), context: NO_CONTEXT };
      const type = TASK_NAMES.oldLog(row.number('taskType'));
      add({ ...place, type, batch: 0, time: this.timeOf(row.big('time')) }, about === END);
    }
  }

  /** When the numbers of a stream's tasks began anew. */
  #readTracks(): Map<number, Flip[]> {
    const flips = new Map<number, Flip[]>();
    for (const row of this.#structures('track')) {
      if (row.number('kind') !== FLIP) this.unread.count(`ts_track ${row.number('kind')}`);
      else {
        const task = row.number('task');
        const flip = { time: this.timeOf(row.big('time')), task: task === STREAM_ENDED ? 0 : task };
        entryOf(flips, row.number('stream') & 0x7ff, () => []).push(flip);
      }
    }
    return flips;
  }

  /** Joins each start of a task with the end before its next start. */
  #join(starts: Log[], ends: number[]): void {
    starts.sort((a, b) => a.time - b.time);
    ends.sort((a, b) => a - b);
    let lost = 0;
    let next = 0;
    starts.forEach(({ time: start, ...rest }, i) => {
      while (next < ends.length && elementAt(ends, next) < start) {
        next++;
        lost++;
      }
      const end = ends[next];
      const following = starts[i + 1]?.time ?? Infinity;
      if (end === undefined || end >= following || !isNear(end - start)) lost++;
      else {
        this.tasks.push({ ...rest, start, end });
        next++;
      }
    });
    this.diagnostics.count('event-without-time', lost + Math.max(0, ends.length - next));
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
      this.counters.push({
        ...{ stream, task, context: isGrouped ? row.number('subtask') : NO_CONTEXT, isVector: !isMatrix },
        ...{ end: this.timeOf(row.big('end')), cycles: Number(row.big('cycles')) },
      });
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

/** Numbers of stream and task: bits 12 and 13 of the stream say that bits of one are in the other. */
function placeOf(stream: number, task: number): { stream: number; task: number } {
  if ((stream & 0x1000) !== 0) return { stream: stream % 0x800, task: (task & 0x1fff) | (stream & 0xe000) };
  if ((stream & 0x2000) !== 0) return { stream: (task & 0xfff) % 0x800, task: (stream & 0xfff) | (task & 0xf000) };
  return { stream: stream % 0x800, task };
}

/** When the numbers of a stream's tasks began anew; `task` is the number that said so, 0 too where the stream ended. */
export interface Flip {
  readonly time: number;
  readonly task: number;
}

/** Numbers the batches of a stream's tasks: after each flip, numbers of 16 bits begin anew. */
export function setBatches(tasks: { time: number; task: number; batch: number }[], flips: Flip[]): void {
  tasks.sort((a, b) => a.time - b.time);
  flips.sort((a, b) => a.time - b.time);
  let batch = 0;
  tasks.forEach((task, i) => {
    for (let flip = flips[batch]; flip !== undefined && task.time > flip.time; flip = flips[batch]) {
      batch++;
      // Several threads may take numbers at once: those below the flip's came after it.
      for (let back = i - 1; back >= 0; back--) {
        const before = elementAt(tasks, back);
        if ((before.task & 0xffff) >= flip.task) break;
        before.batch = batch;
      }
    }
    task.batch = batch;
  });
}
