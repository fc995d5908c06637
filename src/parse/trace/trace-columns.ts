/**
 * The columns that a database reader fills, rows in any order: host calls, host ranges and device activities. Memory:
 * about 55 bytes an activity, 30 a host call, 25 a range.
 */
import { elementAt } from '../../containers/element.js';
import { NarrowColumn, NumericColumn } from '../../containers/numeric-column.js';
import { PairIndex } from '../../containers/hash-index.js';

/** An index from a number in a column to its row. */
export class NumberIndex {
  readonly #index: PairIndex;

  constructor(column: { at(row: number): number }) {
    this.#index = new PairIndex(
      () => 0,
      (row) => column.at(row),
    );
  }

  /** The row that was put last with this number; -1 when there is none. */
  get(number: number): number {
    return this.#index.get(0, number);
  }

  put(row: number): void {
    this.#index.put(row);
  }
}

export const ACTIVITY_KINDS = ['kernel', 'copy', 'set', 'sync', 'graph', 'collective'] as const;
export type ActivityKind = (typeof ACTIVITY_KINDS)[number];

/** The code of each kind in `Activities.kind`: its index in `ACTIVITY_KINDS`. */
export const KIND_CODE = Object.fromEntries(ACTIVITY_KINDS.map((kind, code) => [kind, code])) as Readonly<
  Record<ActivityKind, number>
>;

/** In `Activities.kind`: a row that was taken out. It has no launch and becomes no record. */
export const REMOVED = 255;

/** Host calls that may launch work on a device (runtime and driver API). Times in ns. */
export class HostCalls {
  readonly start = NumericColumn.floats();
  readonly end = NumericColumn.floats();
  /** Number of the thread, from `ThreadTable`. */
  readonly thread = NarrowColumn.counts();
  /** Number of the process whose correlation ids these are. */
  readonly process = NarrowColumn.counts();
  /** Correlation id; NaN when the call has none. */
  readonly corr = NarrowColumn.ids();
  /** Number of the function's name, for `TraceNames.apiName`. */
  readonly api = NumericColumn.counts();
  /** Which row to prefer when several have one correlation id, the lowest first: 0 runtime, 1 driver, 2 other. */
  readonly precedence = NumericColumn.codes();
  /** Codes that calls returned, by row; none for those that returned 0, or of which that is not known. */
  readonly results = new Map<number, number>();
  /** Rows whose times are not believed: they become no records. */
  readonly strays = new Set<number>();

  get length(): number {
    return this.start.length;
  }

  add(
    start: number,
    end: number,
    thread: number,
    process: number,
    corr: number,
    api: number,
    precedence: number,
  ): void {
    this.start.push(start);
    this.end.push(end);
    this.thread.push(thread);
    this.process.push(process);
    this.corr.push(corr);
    this.api.push(api);
    this.precedence.push(precedence);
  }

  /** Sets what the call added last returned: 0 for success, as in CUDA; NaN for unknown. */
  setResult(code: number): void {
    if (code !== 0 && !Number.isNaN(code)) this.results.set(this.length - 1, code);
  }
}

/** Host ranges, each on one thread. Times in ns. */
export class Ranges {
  readonly start = NumericColumn.floats();
  /** Infinity for a range still open at the end of the profile. */
  readonly end = NumericColumn.floats();
  /** Number of the thread, from `ThreadTable`. */
  readonly thread = NarrowColumn.counts();
  /** Number of the text, for `TraceNames.rangeText`. */
  readonly text = NarrowColumn.signed();
  /** Number of the NVTX domain, for `TraceNames.domainName`; 0 is the default one. Empty where all are of that one. */
  readonly domain = NarrowColumn.counts();
  /** Rows whose times are not believed: they become no records. */
  readonly strays = new Set<number>();

  get length(): number {
    return this.start.length;
  }

  add(start: number, end: number, thread: number, text: number, domain: number): void {
    this.start.push(start);
    this.end.push(end);
    this.thread.push(thread);
    this.text.push(text);
    this.domain.push(domain);
  }

  domainOf(row: number): number {
    return this.domain.length === 0 ? 0 : this.domain.at(row);
  }
}

/** Cells that activities of all kinds have; NaN is unknown. */
export interface ActivityRow {
  /** ns; NaN where the profiler did not collect the times: the activity then takes the time of its launch. */
  readonly start: number;
  readonly end: number;
  readonly device: number;
  readonly stream: number;
  /** The context on the device, where the format records it: streams are numbered within it. */
  readonly context?: number;
  /** Number of the process, from `ThreadTable`. */
  readonly process: number;
  readonly corr: number;
  /** Node id in a graph, of a kernel, copy or set; 0, as CUPTI writes, and NaN for what no graph launched. */
  readonly node: number;
}

/** CUPTI gives the id 0 to what has none, and exports of Nsight wrote it until their columns became nullable. */
export const knownId = (id: number): number => (id === 0 ? NaN : id);

/** The id of a graph's node. Larger ones than a double holds exactly would be those of other nodes too. */
export const nodeId = (id: number): number => (Number.isSafeInteger(id) ? knownId(id) : NaN);

/** Grid, then block of each kernel, three numbers each; 0 for unknown. Most but the first of each are 1. */
class LaunchExtents {
  readonly #columns = Array.from({ length: 6 }, () => NarrowColumn.counts());
  #next = 0;

  /** Adds the next of a kernel's six numbers. */
  push(extent: number): void {
    elementAt(this.#columns, this.#next).push(extent);
    this.#next = (this.#next + 1) % this.#columns.length;
  }

  /** @param i 0 to 2 for the grid, 3 to 5 for the block */
  at(kernel: number, i: number): number {
    return elementAt(this.#columns, i).at(kernel);
  }
}

/**
 * Work on a device, and waits for it. What only one kind has is in columns of that kind, at the activity's `ownRow`.
 */
export class Activities {
  /** Index in `ACTIVITY_KINDS`, or REMOVED. */
  readonly kind = NumericColumn.codes();
  /** See `ActivityRow` for this and the next seven. */
  readonly start = NumericColumn.floats();
  readonly end = NumericColumn.floats();
  readonly device = NarrowColumn.counts();
  readonly stream = NarrowColumn.ids();
  readonly context = NarrowColumn.ids();
  readonly process = NarrowColumn.counts();
  readonly corr = NarrowColumn.ids();
  readonly node = NarrowColumn.ids();
  /** Row in the columns of the activity's kind; 0 for collectives, which have none. */
  readonly ownRow = NumericColumn.counts();

  readonly kernels = {
    /** Number of the name, for `TraceNames.kernelName`. */
    name: NumericColumn.counts(),
    /** Id of the CUDA or HIP graph; NaN outside of graphs or where the format has none. */
    graphId: NarrowColumn.ids(),
    extents: new LaunchExtents(),
    /** Registers of a thread; 0 for unknown. Empty where the format has none, as is `sharedBytes`. */
    registers: NarrowColumn.counts(),
    /** Shared memory of a block. */
    sharedBytes: NarrowColumn.ids(),
  };
  readonly copies = {
    /** The format's code of the direction, for `TraceNames.copyKind`. */
    kindCode: NumericColumn.counts(),
    bytes: NumericColumn.floats(),
    /** The format's code of the host's memory, for `Trace.hostMemoryOf`; NaN where there is none. */
    hostMemoryCode: NumericColumn.floats(),
  };
  /** `value` is what the memory is set to. */
  readonly sets = { bytes: NumericColumn.floats(), value: NumericColumn.floats() };
  /** The format's code of what is waited for, for `TraceNames.syncKind`. */
  readonly syncs = { kindCode: NumericColumn.counts() };
  /** Graph launches that are traced as a whole; `execId` is that of the executable graph. */
  readonly graphs = { graphId: NumericColumn.floats(), execId: NumericColumn.floats() };

  get length(): number {
    return this.start.length;
  }

  /** What one stream of a process has in common, as a key. */
  streamOf(row: number): string {
    return `${this.device.at(row)} ${this.context.at(row)} ${this.stream.at(row)}`;
  }

  *rowsOf(kind: ActivityKind): Generator<number> {
    const { values } = this.kind;
    for (let row = 0; row < values.length; row++) if (values[row] === KIND_CODE[kind]) yield row;
  }

  /** Adds a kernel, with graph id 0 or NaN outside of graphs; the caller adds its grid and block, six numbers, to `kernels.extents`. */
  addKernel(row: ActivityRow, name: number, graphId: number): void {
    this.#add('kernel', row, this.kernels.name.length);
    this.kernels.name.push(name);
    this.kernels.graphId.push(knownId(graphId));
  }

  addCopy(row: ActivityRow, kindCode: number, bytes: number, hostMemoryCode: number): void {
    this.#add('copy', row, this.copies.kindCode.length);
    this.copies.kindCode.push(kindCode);
    this.copies.bytes.push(bytes);
    this.copies.hostMemoryCode.push(hostMemoryCode);
  }

  addSet(row: ActivityRow, bytes: number, value: number): void {
    this.#add('set', row, this.sets.bytes.length);
    this.sets.bytes.push(bytes);
    this.sets.value.push(value);
  }

  addSync(row: ActivityRow, kindCode: number): void {
    this.#add('sync', row, this.syncs.kindCode.length);
    this.syncs.kindCode.push(kindCode);
  }

  /** Adds the launch of a graph that is traced as a whole. */
  addGraph(row: ActivityRow, graphId: number, execId: number): void {
    this.#add('graph', row, this.graphs.graphId.length);
    this.graphs.graphId.push(graphId);
    this.graphs.execId.push(execId);
  }

  /** Adds a collective operation; `Trace.operationOf` describes it. */
  addCollective(row: ActivityRow): void {
    this.#add('collective', row, 0);
  }

  /** Takes a row out; the numbers of the others stay. */
  remove(row: number): void {
    this.kind.set(row, REMOVED);
  }

  #add(kind: ActivityKind, row: ActivityRow, ownRow: number): void {
    this.kind.push(KIND_CODE[kind]);
    this.start.push(row.start);
    this.end.push(row.end);
    this.device.push(row.device);
    this.stream.push(row.stream);
    this.context.push(row.context ?? NaN);
    this.process.push(row.process);
    this.corr.push(row.corr);
    this.node.push(nodeId(row.node));
    this.ownRow.push(ownRow);
  }
}
