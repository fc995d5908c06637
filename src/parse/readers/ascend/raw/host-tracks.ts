/**
 * Files of `host/data`: calls of the driver library, the tasks that each put on a device, and the operators behind them.
 * What a call put or described has its thread and a time within it. Memory: about 60 bytes a call, 300 a task.
 */
import { statSync } from 'node:fs';
import { entryOf } from '../../../../containers/map-entry.js';
import { elementAt } from '../../../../containers/element.js';
import { append } from '../../../../containers/lists.js';
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { isNear } from '../../../trace/clocks/exact-times.js';
import { HostCalls, Ranges } from '../../../trace/trace-columns.js';
import { firstBytes } from '../../../files.js';
import { nest, OUTSIDE } from '../../../torch/nesting.js';
import type { ThreadTable } from '../../../trace/threads.js';
import { apiLayerCodeOf } from '../api-layers.js';
import { setBatches, type Flip } from './device-tasks.js';
import { CONTEXTS, DICTIONARIES, HOST, MARK_TEXT, TENSORS } from './layouts.js';
import { elementTypeName, formatName } from './number-names.js';
import type { RawFolder } from './raw-folder.js';
import type { RawTexts } from './raw-texts.js';
import { countEmpty, structuresIn } from './structures.js';

/** Levels of calls, and the number that stands for the end of a call in two events. */
const [NODE, COLLECTIVE, RUNTIME] = [10_000, 5_500, 5_000];
const EVENT_FLAG = 2n ** 64n - 1n;

/** Types of tasks that are none: the number of tasks began anew, a stream ended. */
const [FLIP, MAINTENANCE] = [98n, 6n];
const STREAM_ENDED = 65_535;

/** Transport of messages over a network. */
const RDMA = 1;

/** Type of a node that stands for a group of tasks. */
const GROUP_NODE = 6;

/** What a kernel computes, of a `node_basic_info` and its `tensor_info`. Texts are numbers. */
export interface Operator {
  readonly op: bigint;
  readonly name: string;
  readonly opType: string;
  readonly core: number;
  /** Blocks, and times as many on the other kind of core in the high 16 bits. */
  readonly blocks: number;
  readonly contexts: number[];
  readonly inputs: string[][];
  readonly outputs: string[][];
}

export interface HostTask {
  readonly device: number;
  readonly stream: number;
  readonly task: number;
  /** How often the stream's numbers of tasks began anew before it. */
  batch: number;
  readonly time: number;
  readonly type: string;
  readonly kernel: string;
  /** Row of the call that put it, and of the innermost one around it; -1 for none. */
  call: number;
  inner: number;
  isOfCollective: boolean;
}

export interface HostCollective {
  readonly dataType: number;
  readonly algorithm: string;
  readonly count: number;
  /** Hash of the communicator's name. */
  readonly group: bigint;
}

/** A part of a collective that moves data. */
export interface HostMessage {
  readonly context: number;
  readonly src: number;
  readonly dst: number;
  readonly size: number;
  readonly link: number;
  /** Whether over a network, where a message takes longer than the task that sends it. */
  readonly isRemote: boolean;
}

/** A mark or range of `mstx`. */
export interface ProgramMark {
  readonly thread: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export class HostTracks {
  readonly calls = new HostCalls();
  readonly tasks: HostTask[] = [];
  readonly operators = new Map<number, Operator[]>();
  readonly collectives = new Map<number, HostCollective>();
  /** Bytes and direction of copies, by the call. */
  readonly copies = new Map<number, { readonly bytes: number; readonly direction: number }>();
  readonly marks: ProgramMark[] = [];
  /** By the innermost call. */
  readonly messages = new Map<number, HostMessage[]>();
  readonly #levels: number[] = [];
  readonly #items: bigint[] = [];
  readonly #types: ReadonlyMap<string, string>;
  readonly #hashes: ReadonlyMap<string, string>;
  /** What is placed in calls, and what is done with the call it is in. */
  readonly #points = new HostCalls();
  readonly #place: ((call: number) => void)[] = [];

  constructor(
    private readonly folder: RawFolder,
    private readonly threads: ThreadTable,
    private readonly texts: RawTexts,
    private readonly diagnostics: Diagnostics,
  ) {
    this.#types = readDictionary(folder.ofHost(DICTIONARIES.type), diagnostics);
    this.#hashes = readDictionary(folder.ofHost(DICTIONARIES.hash), diagnostics);
    this.#readCalls();
    this.#readTasks();
    this.#readOperators();
    this.#readMarks();
    this.#placeAll();
    // Of several operators of a call, one may only stand for the group.
    for (const [call, found] of this.operators) {
      if (found.length > 1) this.operators.set(call, found.filter(({ core }) => core !== GROUP_NODE));
    } // prettier-ignore
  }

  /** What a call is about: the name of its operator or collective. */
  itemOf(call: number): string {
    return this.#textOf(this.#items[call] ?? 0n);
  }

  /** Whether a call is of this level or above the driver's own. */
  isNode(call: number): boolean {
    return this.#levels[call] === NODE;
  }

  #textOf(hash: bigint): string {
    return hash === 0n ? '' : (this.#hashes.get(String(hash)) ?? String(hash));
  }

  *#structures<K extends keyof typeof HOST>(kind: K): ReturnType<typeof structuresIn<(typeof HOST)[K]['fields']>> {
    const layout = HOST[kind] as { names: RegExp; bytes: number; fields: (typeof HOST)[K]['fields'] };
    yield* structuresIn(this.folder.ofHost(layout.names), layout, this.diagnostics);
  }

  #thread(id: number): number {
    return this.threads.threadOf(this.folder.pid, id);
  }

  #readCalls(): void {
    const begun = new Map<string, bigint>();
    for (const row of this.#structures('api')) {
      const [level, type, thread, item] = [row.number('level'), row.number('type'), row.number('thread'), row.big('item')];
      const [start, end] = [row.big('start'), row.big('end')];
      if (end !== EVENT_FLAG) {
        this.#addCall(level, type, thread, start, end, item);
        continue;
      }
      const key = `${level},${type},${thread},${row.number('request')},${item}`;
      const first = begun.get(key);
      if (first === undefined) begun.set(key, start);
      else {
        begun.delete(key);
        this.#addCall(level, type, thread, first, start, item);
      }
    } // prettier-ignore
    this.diagnostics.count('event-without-time', begun.size);
  }

  #addCall(level: number, type: number, thread: number, start: bigint, end: bigint, item: bigint): void {
    if (end < start) {
      this.diagnostics.count('negative-duration');
      return;
    }
    const [from, to] = [this.folder.timeOf(start), this.folder.timeOf(end)];
    if (!isNear(to - from)) {
      this.diagnostics.count('event-without-time');
      return;
    }
    const name = this.#types.get(`${level}_${type}`) ?? `${level}_${type}`;
    const row = this.calls.length;
    this.calls.add(from, to, this.#thread(thread), 0, row, this.texts.numberOf(name), apiLayerCodeOf(level));
    this.#levels.push(level);
    this.#items.push(item);
  }

  /** Does something with the innermost call of a thread around a time. */
  #placeAt(thread: number, time: number, place: (call: number) => void): void {
    // What comes as a call ends belongs to it.
    const within = time - 0.5;
    this.#points.add(within, within, thread, 0, NaN, 0, 0);
    this.#place.push(place);
  }

  #readTasks(): void {
    const flips = new Map<string, Flip[]>();
    const streams = new Map<string, HostTask[]>();
    for (const row of this.#structures('track')) {
      const [type, task, device, stream] = [row.big('taskType'), row.number('task'), row.number('device'), row.number('stream')];
      const time = this.folder.timeOf(row.big('time'));
      if (type === FLIP) {
        const flip = { time, task: task >>> 16 === STREAM_ENDED ? 0 : task & 0xffff };
        entryOf(flips, `${device},${stream}`, () => []).push(flip);
        continue;
      }
      if (type === MAINTENANCE) continue;
      const found: HostTask = {
        ...{ device, stream, task, batch: 0, time, call: -1, inner: -1, isOfCollective: false },
        type: this.#types.get(`${RUNTIME}_${type}`) ?? String(type),
        kernel: this.#textOf(row.big('kernel')),
      };
      this.tasks.push(found);
      entryOf(streams, `${device},${stream}`, () => []).push(found);
      this.#placeAt(this.#thread(row.number('thread')), time, (call) => (found.call = found.inner = call));
    } // prettier-ignore
    for (const [stream, tasks] of streams) setBatches(tasks, flips.get(stream) ?? []);
  }

  #readOperators(): void {
    for (const row of this.#structures('node')) {
      const operator: Operator = {
        ...{ op: row.big('op'), name: this.#textOf(row.big('op')), opType: this.#textOf(row.big('opType')) },
        ...{ core: row.number('taskType'), blocks: row.number('blocks'), contexts: [], inputs: [], outputs: [] },
      };
      this.#placeAt(this.#thread(row.number('thread')), this.folder.timeOf(row.big('time')), (call) => {
        entryOf(this.operators, this.#nodeOf(call), () => []).push(operator);
      });
    } // prettier-ignore
    const ofOperator = (op: bigint, thread: number, time: bigint, use: (operator: Operator) => void): void => {
      this.#placeAt(this.#thread(thread), this.folder.timeOf(time), (call) => {
        const found = this.operators.get(this.#nodeOf(call))?.find((operator) => operator.op === op);
        if (found === undefined) this.diagnostics.count('row-passed-over');
        else use(found);
      });
    };
    for (const row of this.#structures('tensors')) {
      const tensors = [...tensorsIn(row.bytes, row.at, row.number('count'))];
      ofOperator(row.big('op'), row.number('thread'), row.big('time'), ({ inputs, outputs }) => {
        for (const [kind, ...tensor] of tensors) (kind === 0 ? inputs : outputs).push(tensor);
      });
    }
    for (const row of this.#structures('contexts')) {
      const count = Math.min(row.number('count'), CONTEXTS.most);
      const ids = Array.from({ length: count }, (_, i) => row.bytes.readUInt32LE(row.at + CONTEXTS.from + 4 * i));
      ofOperator(row.big('op'), row.number('thread'), row.big('time'), ({ contexts }) => append(contexts, ids));
    }
    for (const row of this.#structures('collective')) {
      const [dataType, algorithm, count] = [row.number('dataType'), this.#textOf(row.big('algorithm')), row.big('count')];
      const found = { dataType, algorithm, count: Number(count), group: row.big('group') };
      this.#placeAt(this.#thread(row.number('thread')), this.folder.timeOf(row.big('time')), (call) => {
        this.collectives.set(this.#nodeOf(call), found);
      });
    } // prettier-ignore
    for (const row of this.#structures('message')) {
      const [local, remote, isSource] = [row.number('localRank'), row.number('remoteRank'), row.number('role') === 1];
      const found: HostMessage = {
        ...{ context: row.number('context'), size: Number(row.big('size')), link: row.number('link') },
        ...{
          src: rankOf(isSource ? local : remote),
          dst: rankOf(isSource ? remote : local),
          isRemote: row.number('transport') === RDMA,
        },
      };
      this.#placeAt(this.#thread(row.number('thread')), this.folder.timeOf(row.big('time')), (call) => {
        entryOf(this.messages, call, () => []).push(found);
      });
    }
    for (const row of this.#structures('copy')) {
      const found = { bytes: Number(row.big('size')), direction: row.number('direction') };
      this.#placeAt(this.#thread(row.number('thread')), this.folder.timeOf(row.big('time')), (call) => {
        this.copies.set(call, found);
      });
    }
  }

  #readMarks(): void {
    for (const row of this.#structures('mark')) {
      const text = row.bytes.subarray(row.at + MARK_TEXT.from, row.at + MARK_TEXT.to).toString('utf8').split('\0', 1)[0] ?? '';
      const domain = this.#textOf(row.big('domain'));
      const [start, end] = [this.folder.timeOf(row.big('start')), this.folder.timeOf(row.big('end'))];
      if (end < start) this.diagnostics.count('negative-duration');
      else if (!isNear(end - start)) this.diagnostics.count('event-without-time');
      else {
        const thread = this.threads.threadOf(row.number('process'), row.number('markThread'));
        this.marks.push({ thread, start, end, text: domain === '' || domain === 'default' ? text : `${domain}:${text}` });
      }
    } // prettier-ignore
  }

  #parents: Int32Array = new Int32Array(0);

  /** The call itself or the one around it that launches operators; the call itself where there is none. */
  #nodeOf(call: number): number {
    for (let at = call; at !== OUTSIDE; at = this.#parents[at] ?? OUTSIDE) if (this.#levels[at] === NODE) return at;
    return call;
  }

  #placeAll(): void {
    const ranges = new Ranges();
    const rows: number[] = [];
    for (let call = 0; call < this.calls.length; call++) {
      // The driver's own calls are within those that are asked for.
      if (this.#levels[call] === RUNTIME) continue;
      ranges.add(this.calls.start.at(call), this.calls.end.at(call), this.calls.thread.at(call), 0, 0);
      rows.push(call);
    }
    const facts = {
      compareTies: (a: number, b: number) => a - b,
      slack: 0,
      isFrame: () => false,
      isRepeat: () => false,
    };
    const { innermost, parent } = nest(ranges, this.#points, this.threads.count, facts);
    this.#parents = new Int32Array(this.calls.length).fill(OUTSIDE);
    parent.forEach((outer, range) => {
      if (outer !== OUTSIDE) this.#parents[elementAt(rows, range)] = elementAt(rows, outer);
    });
    let lost = 0;
    this.#place.forEach((place, point) => {
      const range = elementAt(innermost, point);
      if (range === OUTSIDE) lost++;
      else place(elementAt(rows, range));
    });
    this.diagnostics.count('row-passed-over', lost);
    for (const task of this.tasks) {
      if (task.call === -1) continue;
      const isInCollective = this.#levels[task.call] === COLLECTIVE;
      task.call = this.#nodeOf(task.call);
      task.isOfCollective = isInCollective || this.collectives.has(task.call);
    } // prettier-ignore
  }
}

/** A rank that is none is unknown. */
const rankOf = (rank: number): number => (rank === 4294967295 ? NaN : rank);

/** Kind (0 of an input), extents, element type and format of each tensor. */
function* tensorsIn(bytes: Buffer, at: number, count: number): Generator<[number, string, string, string]> {
  for (let i = 0; i < Math.min(count, TENSORS.most); i++) {
    const from = at + TENSORS.from + i * TENSORS.bytes;
    const number = (n: number): number => bytes.readUInt32LE(from + 4 * n);
    const dims = Array.from({ length: TENSORS.dims }, (_, dim) => number(3 + dim));
    const rank = dims.findLastIndex((dim) => dim !== 0) + 1;
    yield [number(0), dims.slice(0, rank).join(), elementTypeName(number(2)), formatName(number(1))];
  }
}

/** Lines of key and text; the text may hold colons. */
function readDictionary(paths: readonly string[], diagnostics: Diagnostics): Map<string, string> {
  countEmpty(paths, diagnostics);
  const found = new Map<string, string>();
  for (const path of paths) {
    for (const line of firstBytes(path, Math.min(statSync(path).size, LARGEST_DICTIONARY))
      .toString('utf8')
      .split('\n')) {
      const colon = line.indexOf(':');
      if (colon > 0) found.set(line.slice(0, colon), line.slice(colon + 1).replace(/\r$/, ''));
    }
  }
  return found;
}

/** Size limit of a slice of a dictionary. */
const LARGEST_DICTIONARY = 256 * 1024 * 1024;
