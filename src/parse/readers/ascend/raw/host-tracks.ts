/**
 * Reads the files of `host/data`: calls of the driver library, the tasks that each put onto a device, and the operators of
 * these tasks. Tasks and operators belong to a call through their thread and a time inside the call. Memory: about 60 bytes
 * for each call, 250 for each task.
 */
import { statSync } from 'node:fs';
import { entryOf, LruCache } from '../../../../containers/map-entry.js';
import { elementAt } from '../../../../containers/element.js';
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { isNear } from '../../../trace/clocks/trace-clock.js';
import { HostCalls, Ranges, ThreadSpans } from '../../../trace/trace-columns.js';
import { firstBytes } from '../../../files.js';
import { nest, OUTSIDE } from '../../../torch/nesting.js';
import type { ThreadTable } from '../../../trace/threads.js';
import { apiLayerCodeOf } from '../device-kinds.js';
import { setBatches, type Flip } from './device-tasks.js';
import { CONTEXTS, DICTIONARIES, HOST, MARK_TEXT, TENSORS, type Structure } from './layouts.js';
import { elementTypeName, formatName, type RawTexts } from './raw-texts.js';
import type { RawFolder } from './raw-folder.js';
import { countEmpty, structuresIn } from './structures.js';

/** Levels of calls. A call may be written as two events. A special number marks the event that is its end. */
const [NODE, COLLECTIVE, RUNTIME] = [10_000, 5_500, 5_000];
const EVENT_FLAG = 2n ** 64n - 1n;

/** Types of entries that are not tasks but say that the task numbers wrapped around, or that a stream ended. */
const [FLIP, MAINTENANCE] = [98n, 6n];
const STREAM_ENDED = 65_535;

/** Transport code of messages over a network. */
const RDMA = 1;

/** Type of a node that stands for a group of tasks. */
const GROUP_NODE = 6;

/** What a kernel computes, from a `node_basic_info` and its `tensor_info`. Strings are stored as numbers. */
export interface Operator {
  readonly op: bigint;
  readonly name: string;
  readonly opType: string;
  readonly core: number;
  /** Number of blocks. The high 16 bits say how many times as many blocks run on the other kind of core. */
  readonly blocks: number;
  contexts: readonly number[];
  tensors: Tensors;
}

/** Extents, element type and format of each tensor. Repeated operators share this object. */
interface Tensors {
  readonly inputs: readonly string[][];
  readonly outputs: readonly string[][];
}

const NO_TENSORS: Tensors = { inputs: [], outputs: [] };
const NO_CONTEXTS: readonly number[] = [];

/** Maximum number of tensor lists that are kept for sharing. */
const SHARED_TENSORS = 4096;

export interface HostTask {
  readonly device: number;
  readonly stream: number;
  readonly task: number;
  /** How often the stream's task numbers had wrapped around before this task. */
  batch: number;
  readonly time: number;
  readonly type: string;
  readonly kernel: string;
  /** Row of the call that put the task onto the device, and of the innermost call around it; -1 when there is none. */
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
  /** Whether the message goes over a network, where it takes longer than the task that sends it. */
  readonly isRemote: boolean;
}

/** A mark or range of `mstx`. */
export interface ProgramMark {
  readonly thread: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Files whose structures belong to calls. */
type PlacedKind = 'track' | 'node' | 'tensors' | 'contexts' | 'collective' | 'message' | 'copy';

export class HostTracks {
  readonly calls = new HostCalls();
  readonly tasks: HostTask[] = [];
  readonly operators = new Map<number, Operator[]>();
  readonly collectives = new Map<number, HostCollective>();
  /** Bytes and direction of copies by call. */
  readonly copies = new Map<number, { readonly bytes: number; readonly direction: number }>();
  readonly marks: ProgramMark[] = [];
  /** Messages by their innermost call. */
  readonly messages = new Map<number, HostMessage[]>();
  readonly #levels: number[] = [];
  readonly #items: bigint[] = [];
  readonly #types: ReadonlyMap<string, string>;
  readonly #hashes: ReadonlyMap<string, string>;
  /**
   * Times of structures, and for each kind of structure a function that is called once the calls around these times are
   * known.
   */
  readonly #points = new ThreadSpans();
  readonly #place: ((callOf: (point: number) => number) => void)[] = [];
  readonly #tensors = new LruCache<string, Tensors>(SHARED_TENSORS);

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
    // If a call has several operators, one of them may only stand for the whole group.
    for (const [call, found] of this.operators) {
      if (found.length > 1) this.operators.set(call, found.filter(({ core }) => core !== GROUP_NODE));
    } // prettier-ignore
  }

  /** Name of the operator or collective that a call launches. */
  itemOf(call: number): string {
    return this.#textOf(this.#items[call] ?? 0n);
  }

  /** Whether a call is at the level that launches operators. */
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
    const [api, precedence] = [this.texts.numberOf(name), apiLayerCodeOf(level)];
    this.calls.push({ start: from, end: to, thread: this.#thread(thread), process: 0, corr: row, api, precedence });
    this.#levels.push(level);
    this.#items.push(item);
  }

  /**
   * Reads structures that belong to calls, each with a thread and a time. Later, `place` is called with the innermost call
   * around each.
   * @param read reads a structure; null for one that is skipped
   */
  #readPlaced<K extends PlacedKind, T>(
    kind: K,
    read: (row: Structure<(typeof HOST)[K]['fields']>) => T | null,
    place: (found: T, call: number) => void,
  ): void {
    const found: T[] = [];
    const first = this.#points.length;
    for (const row of this.#structures(kind)) {
      const thing = read(row);
      if (thing === null) continue;
      const head = row as Structure<(typeof HOST)[PlacedKind]['fields']>;
      // Half a nanosecond earlier, so that a structure at the end of a call belongs to that call.
      const within = this.folder.timeOf(head.big('time')) - 0.5;
      this.#points.push({ start: within, end: within, thread: this.#thread(head.number('thread')) });
      found.push(thing);
    }
    this.#place.push((callOf) => {
      found.forEach((thing, i) => {
        const call = callOf(first + i);
        if (call !== OUTSIDE) place(thing, call);
      });
    });
  }

  #readTasks(): void {
    const flips = new Map<number, Flip[]>();
    const streams = new Map<number, number[]>();
    const read = (row: Structure<typeof HOST.track.fields>): HostTask | null => {
      const [type, task, device, stream] = [row.big('taskType'), row.number('task'), row.number('device'), row.number('stream')];
      const time = this.folder.timeOf(row.big('time'));
      const key = device * 65_536 + stream;
      if (type === FLIP) entryOf(flips, key, () => []).push({ time, task: task >>> 16 === STREAM_ENDED ? 0 : task & 0xffff });
      if (type === FLIP || type === MAINTENANCE) return null;
      const found: HostTask = {
        ...{ device, stream, task, batch: 0, time, call: -1, inner: -1, isOfCollective: false },
        type: this.#types.get(`${RUNTIME}_${type}`) ?? String(type),
        kernel: this.#textOf(row.big('kernel')),
      };
      entryOf(streams, key, () => []).push(this.tasks.push(found) - 1);
      return found;
    };
    this.#readPlaced('track', read, (task, call) => (task.call = task.inner = call));
    const batches = new Uint32Array(this.tasks.length);
    const taskAt = (row: number): HostTask => elementAt(this.tasks, row);
    const facts = { timeOf: (row: number) => taskAt(row).time, taskOf: (row: number) => taskAt(row).task, batches };
    for (const [key, found] of flips) setBatches(Uint32Array.from(streams.get(key) ?? []), facts, found);
    for (const [row, task] of this.tasks.entries()) task.batch = elementAt(batches, row);
  } // prettier-ignore

  #readOperators(): void {
    this.#readPlaced(
      'node',
      (row): Operator => ({
        ...{ op: row.big('op'), name: this.#textOf(row.big('op')), opType: this.#textOf(row.big('opType')) },
        ...{ core: row.number('taskType'), blocks: row.number('blocks'), contexts: NO_CONTEXTS, tensors: NO_TENSORS },
      }),
      (operator, call) => entryOf(this.operators, this.#nodeOf(call), () => []).push(operator),
    );
    this.#readPlaced(
      'tensors',
      (row) => ({ op: row.big('op'), tensors: this.#tensorsIn(row.bytes, row.at, row.number('count')) }),
      ({ op, tensors }, call) => {
        const operator = this.#operatorOf(op, call);
        if (operator !== null) operator.tensors = joined(operator.tensors, tensors);
      },
    );
    this.#readPlaced(
      'contexts',
      (row) => {
        const count = Math.min(row.number('count'), CONTEXTS.most);
        const ids = Array.from({ length: count }, (_, i) => row.bytes.readUInt32LE(row.at + CONTEXTS.from + 4 * i));
        return { op: row.big('op'), ids };
      },
      ({ op, ids }, call) => {
        const operator = this.#operatorOf(op, call);
        if (operator !== null) operator.contexts = [...operator.contexts, ...ids];
      },
    );
    this.#readCollectives();
    this.#readPlaced(
      'copy',
      (row) => ({ bytes: Number(row.big('size')), direction: row.number('direction') }),
      (copy, call) => this.copies.set(call, copy),
    );
  }

  #readCollectives(): void {
    this.#readPlaced(
      'collective',
      (row): HostCollective => ({
        ...{ dataType: row.number('dataType'), algorithm: this.#textOf(row.big('algorithm')) },
        ...{ count: Number(row.big('count')), group: row.big('group') },
      }),
      (collective, call) => this.collectives.set(this.#nodeOf(call), collective),
    );
    this.#readPlaced(
      'message',
      (row): HostMessage => {
        const [local, remote, isSource] = [row.number('localRank'), row.number('remoteRank'), row.number('role') === 1];
        return {
          ...{ context: row.number('context'), size: Number(row.big('size')), link: row.number('link') },
          src: rankOf(isSource ? local : remote),
          dst: rankOf(isSource ? remote : local),
          isRemote: row.number('transport') === RDMA,
        };
      },
      (message, call) => entryOf(this.messages, call, () => []).push(message),
    );
  }

  /** The operator with this id that a call launches; null when it launches none, which is counted. */
  #operatorOf(op: bigint, call: number): Operator | null {
    const found = this.operators.get(this.#nodeOf(call))?.find((operator) => operator.op === op) ?? null;
    if (found === null) this.diagnostics.count('row-passed-over');
    return found;
  }

  #tensorsIn(bytes: Buffer, at: number, count: number): Tensors {
    const to = at + TENSORS.from + Math.min(count, TENSORS.most) * TENSORS.bytes;
    return this.#tensors.of(bytes.toString('latin1', at + TENSORS.from, to), () => {
      const tensors = [...tensorsIn(bytes, at, count)];
      const listed = (isInput: boolean): string[][] =>
        tensors.flatMap(([kind, ...tensor]) => ((kind === 0) === isInput ? [tensor] : []));
      return { inputs: listed(true), outputs: listed(false) };
    });
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

  /** The call itself or the nearest call around it that launches operators; the call itself when there is none. */
  #nodeOf(call: number): number {
    for (let at = call; at !== OUTSIDE; at = this.#parents[at] ?? OUTSIDE) if (this.#levels[at] === NODE) return at;
    return call;
  }

  #placeAll(): void {
    const ranges = new Ranges();
    const rows: number[] = [];
    for (let call = 0; call < this.calls.length; call++) {
      // The driver's own calls are not searched, because they are inside other calls.
      if (this.#levels[call] === RUNTIME) continue;
      const { start, end, thread } = this.calls;
      ranges.push({ start: start.at(call), end: end.at(call), thread: thread.at(call), text: 0 });
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
    const callOf = (point: number): number => {
      const range = elementAt(innermost, point);
      if (range === OUTSIDE) lost++;
      return range === OUTSIDE ? OUTSIDE : elementAt(rows, range);
    };
    for (const place of this.#place.splice(0)) place(callOf);
    this.diagnostics.count('row-passed-over', lost);
    for (const task of this.tasks) {
      if (task.call === -1) continue;
      const isInCollective = this.#levels[task.call] === COLLECTIVE;
      task.call = this.#nodeOf(task.call);
      task.isOfCollective = isInCollective || this.collectives.has(task.call);
    } // prettier-ignore
  }
}

/** The tensors of an operator that are spread over several structures. */
function joined(a: Tensors, b: Tensors): Tensors {
  if (a === NO_TENSORS) return b;
  return { inputs: [...a.inputs, ...b.inputs], outputs: [...a.outputs, ...b.outputs] };
}

/** A rank; NaN for the number that means none. */
const rankOf = (rank: number): number => (rank === 4294967295 ? NaN : rank);

/** Kind (0 for an input), extents, element type and format of each tensor. */
function* tensorsIn(bytes: Buffer, at: number, count: number): Generator<[number, string, string, string]> {
  for (let i = 0; i < Math.min(count, TENSORS.most); i++) {
    const from = at + TENSORS.from + i * TENSORS.bytes;
    const number = (n: number): number => bytes.readUInt32LE(from + 4 * n);
    const dims = Array.from({ length: TENSORS.dims }, (_, dim) => number(3 + dim));
    const rank = dims.findLastIndex((dim) => dim !== 0) + 1;
    yield [number(0), dims.slice(0, rank).join(), elementTypeName(number(2)), formatName(number(1))];
  }
}

/** Reads lines of key and text; the text may contain colons. */
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

/** Size limit of a slice of a dictionary, in bytes. */
const LARGEST_DICTIONARY = 256 * 1024 * 1024;
