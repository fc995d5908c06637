/** The work of a profile's devices in columns, by stream, and as moments: the start and the end of each piece of work. */
import { elementAt } from '../../containers/element.js';
import { entryOf } from '../../containers/map-entry.js';
import { columns } from '../../containers/numeric-column.js';
import { allRows, countUpTo, groupAll, groupAt, sortRows, type RowGroups } from '../../containers/row-order.js';
import type { TimedGraph } from '../../containers/timed-graph.js';
import { LONGEST_SWITCH } from '../steps/step-work.js';

/** Maximum number of pieces of work to examine, back from a time: a device runs at most 128 kernels at once. */
const MOST_ENDED = 128;

/**
 * In ns, for devices that run a program of their own. On a TPU v6e, 99 % of gaps between the operations of a program were
 * shorter than 1.6 µs; on a Trainium 2, 90 % of those between instructions of an engine were shorter than 80 ns.
 */
const LONGEST_INSTRUCTION_SWITCH = 2000;

/** Stands for no thread and for no stream. */
export const NO_THREAD = 0;
export const UNORDERED = 0;

/** Work in the order in which it is taken. Times in ns. */
class WorkColumns extends columns({
  start: 'f64',
  end: 'f64',
  /** Start and end of the call that launched it; NaN when that is not known. */
  called: 'f64',
  returned: 'f64',
  /** Number of its thread plus 1; NO_THREAD when there is none. */
  caller: 'count',
  /** Number of its stream; UNORDERED when that is not known. */
  stream: 'count',
  device: 'count',
  piece: 'u32',
  /** Number of its step; NaN outside of steps. */
  step: 'f64',
  /** Factor by which a change multiplies its time. */
  factor: 'f64',
  /** Number of its kind, for the comparison of ranks; NO_KIND when it is not compared. */
  kind: 'count',
  /** 1 for a node of a graph. */
  isGraphNode: 'u8',
  /** 1 for a copy whose end its call waits for. */
  isAwaited: 'u8',
}) {}

export class DeviceWork extends WorkColumns {
  readonly #streams = new Map<string, number>();
  readonly #ofDevice = new Map<number, number[]>();
  /** Rows of the operations between ranks on each device, in the order of their records. */
  readonly operations = new Map<number, number[]>();
  /** For each device, how many of its kernels that are operations have a row; they may come later than other records. */
  readonly #kernelPlaces = new Map<number, { readonly places: number[]; taken: number }>();
  /** Devices that record their waits. */
  readonly #waitingDevices = new Set<number>();
  /** When waits that the devices recorded ended, by the number of their stream, in ns. */
  readonly #waitEnds = new Map<number, number[]>();
  #first = 0;
  #firstEdge = 0;
  #byStream: RowGroups | null = null;
  /** All work of known streams, in order of end. */
  #byEnd = new Uint32Array();

  /** Number of a stream; UNORDERED when the profile does not state it. */
  streamOf(device: number, stream: number | null, engine: string | undefined): number {
    if (stream === null) return UNORDERED;
    const key = `${device}/${stream}/${engine ?? ''}`;
    let number = this.#streams.get(key);
    if (number === undefined) {
      this.#streams.set(key, (number = this.#streams.size + 1));
      entryOf(this.#ofDevice, device, (): number[] => []).push(number);
    }
    return number;
  }

  /** Numbers of the streams of a device; of all devices for NaN. A search in the streams of all devices takes too long. */
  streamsOf(device: number): Iterable<number> {
    return Number.isNaN(device) ? this.#streams.values() : (this.#ofDevice.get(device) ?? []);
  }

  get streams(): number {
    return this.#streams.size + 1;
  }

  /** Takes the place of a kernel among the operations, before its row is known. */
  expectKernel(device: number): void {
    const rows = entryOf(this.operations, device, (): number[] => []);
    entryOf(this.#kernelPlaces, device, () => ({ places: [], taken: 0 })).places.push(rows.length);
    rows.push(NaN);
  }

  /** A stream waited for something until a time in ns. */
  addWait(device: number, stream: number, end: number): void {
    this.#waitingDevices.add(device);
    entryOf(this.#waitEnds, stream, (): number[] => []).push(end);
  }

  /** Whether the device of some work records its waits: its program then decides when the work begins, not the host. */
  recordsWaits(row: number): boolean {
    return this.#waitingDevices.has(this.device.at(row));
  }

  /** Maximum time in ns that the device of some work needs to switch to it. */
  longestSwitch(row: number): number {
    return this.recordsWaits(row) ? LONGEST_INSTRUCTION_SWITCH : LONGEST_SWITCH;
  }

  /** Whether a wait of a stream ended within a time. Bounds in ns. */
  waited(stream: number, from: number, to: number): boolean {
    const ends = this.#waitEnds.get(stream) ?? [];
    const last = ends[countUpTo(ends.length, (index) => elementAt(ends, index), to) - 1];
    return last !== undefined && last >= from;
  }

  /** The next row is an operation between ranks. */
  addOperation(device: number, isKernel: boolean): void {
    const rows = entryOf(this.operations, device, (): number[] => []);
    const kernels = isKernel ? this.#kernelPlaces.get(device) : undefined;
    const place = kernels === undefined ? rows.length : (kernels.places[kernels.taken++] ?? rows.length);
    rows[place] = this.length;
  }

  /** The work of a stream, in order of start time. */
  rowsOf(stream: number): Uint32Array {
    if (this.#byStream === null) throw new TypeError('build first');
    return groupAt(this.#byStream, stream);
  }

  /** When it was launched; its start when that is not known. */
  issuedAt(row: number): number {
    const called = this.called.at(row);
    return Number.isNaN(called) ? this.start.at(row) : called;
  }

  /** The work of a stream that was launched last up to a time; null when there is none. */
  lastIssued(stream: number, time: number): number | null {
    const rows = this.rowsOf(stream);
    const count = countUpTo(rows.length, (index) => this.issuedAt(elementAt(rows, index)), time);
    return rows[count - 1] ?? null;
  }

  /** Whether work is the last of its stream that had ended at a time. A stream runs its work in order. */
  isLastEnded(row: number, time: number): boolean {
    const rows = this.rowsOf(this.stream.at(row));
    return rows[countUpTo(rows.length, (index) => this.end.at(elementAt(rows, index)), time) - 1] === row;
  }

  /** Work of known streams that ended within a time, the latest first, and at most `MOST_ENDED` pieces. Bounds in ns. */
  *endedWithin(from: number, to: number): Generator<number> {
    const rows = this.#byEnd;
    const last = countUpTo(rows.length, (index) => this.end.at(elementAt(rows, index)), to) - 1;
    for (let index = last; index >= 0 && last - index < MOST_ENDED; index--) {
      const row = elementAt(rows, index);
      if (this.end.at(row) < from) return;
      yield row;
    }
  }

  /** The work of a stream that was launched first after a time; null when there is none. */
  firstIssued(stream: number, time: number): number | null {
    const rows = this.rowsOf(stream);
    return rows[countUpTo(rows.length, (index) => this.issuedAt(elementAt(rows, index)), time)] ?? null;
  }

  startNode(row: number): number {
    return this.#first + 2 * row;
  }

  endNode(row: number): number {
    return this.#first + 2 * row + 1;
  }

  /** When the last work ended, in ns; -Infinity without work. */
  get lastEnd(): number {
    let last = -Infinity;
    for (let row = 0; row < this.length; row++) last = Math.max(last, this.end.at(row));
    return last;
  }

  /** Time of the first launch of work, in ns (its start if the launch is unknown); Infinity without work. */
  get firstLaunch(): number {
    let first = Infinity;
    for (let row = 0; row < this.length; row++) first = Math.min(first, this.issuedAt(row));
    return first;
  }

  /** The edge from its start to its end. */
  edgeOf(row: number): number {
    return this.#firstEdge + row;
  }

  /** Adds the start and the end of all work to the graph, and the time between them. */
  build(graph: TimedGraph): void {
    const { start, end, piece, length } = this;
    [this.#first, this.#firstEdge] = [graph.nodes, graph.edges];
    for (let row = 0; row < length; row++) {
      const begin = graph.addNode(start.at(row));
      graph.addEdge(begin, graph.addNode(end.at(row)), end.at(row) - start.at(row), piece.at(row));
    }
    for (const ends of this.#waitEnds.values()) ends.sort((a, b) => a - b);
    this.#byStream = groupAll(length, (row) => this.stream.at(row), this.streams);
    for (let stream = 0; stream < this.streams; stream++)
      sortRows(this.rowsOf(stream), (a, b) => start.at(a) - start.at(b) || end.at(a) - end.at(b));
    this.#byEnd = allRows(length).filter((row) => this.stream.at(row) !== UNORDERED);
    sortRows(this.#byEnd, (a, b) => end.at(a) - end.at(b) || this.stream.at(b) - this.stream.at(a));
  }
}
