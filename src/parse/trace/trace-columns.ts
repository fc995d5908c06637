/**
 * The columns that a reader fills, rows in any order: host calls, host ranges and device activities. An activity takes about
 * 40 bytes, a host call 20, a range 15, where the times of neighbouring rows differ by seconds at most. Memory: 32 MB for
 * each of the three, and for overhead and calls of the system where these are recorded; the rest waits in the temporary folder.
 */
import { elementAt } from '../../containers/element.js';
import { ChunkSpace, columns, NarrowColumn, type CellFile, type NumberArray } from '../../containers/numeric-column.js';
import { PairIndex } from '../../containers/hash-index.js';
import { isSystemError } from '../../record/errors.js';
import { readFully, UnreadableInput, writeFully } from '../files.js';
import { TemporaryFile } from '../input/temporary-file.js';

/** Finds rows by a number in a column. */
export class NumberIndex {
  readonly #index: PairIndex;

  constructor(column: { at(row: number): number }) {
    this.#index = new PairIndex(
      () => 0,
      (row) => column.at(row),
    );
  }

  /** The row that was added last with this number; -1 when there is none. */
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

/** Marks a removed row in `Activities.kind`. It has no launch and is not written. */
export const REMOVED = 255;

/** Spans of the host's threads, in any order. Times in ns. */
export class ThreadSpans extends columns({
  start: 'time',
  end: 'time',
  /** Number of the thread, from `ThreadTable`. */
  thread: 'count',
}) {}

/** Bytes of the rows of one kind that are kept in memory: those of three million ranges or 600,000 kernels. */
const MOST_IN_MEMORY = 32 * 1024 * 1024;

/** Closes files of columns that nobody closed, because an error ended the reading. */
const abandoned = new FinalizationRegistry((file: TemporaryFile) => file.dispose());

/** Cells of columns in a temporary file without a name. */
class WaitingCells implements CellFile {
  #file: TemporaryFile | null = null;
  #size = 0;

  write(cells: NumberArray, place: number | null): number | null {
    try {
      this.#file ??= this.#open();
      const at = place ?? this.#size;
      writeFully(this.#file.file, bytesOf(cells), at);
      if (place === null) this.#size += cells.byteLength;
      return at;
    } catch (error) {
      // Without room in the temporary folder, all cells stay in memory.
      if (!isSystemError(error) && !(error instanceof UnreadableInput)) throw error;
      return null;
    }
  }

  read(cells: NumberArray, place: number): void {
    if (this.#file === null) throw new RangeError('the column file is closed');
    readFully(this.#file.file, bytesOf(cells), place);
  }

  close(): void {
    abandoned.unregister(this);
    this.#file?.dispose();
    this.#file = null;
  }

  #open(): TemporaryFile {
    const file = new TemporaryFile('rows');
    file.unlink();
    abandoned.register(this, file, this);
    return file;
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: NumberArray): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Where rows are. Those that do not fit in memory wait in the temporary folder. */
class RowSpace extends ChunkSpace {
  readonly #file: WaitingCells;

  constructor() {
    const file = new WaitingCells();
    super(file, MOST_IN_MEMORY);
    this.#file = file;
  }

  /** Removes the file. Call it when no row is needed any more. */
  close(): void {
    this.#file.close();
  }
}

/** Host calls that may launch work on a device (runtime and driver API). Times in ns. */
export class HostCalls extends columns({
  start: 'time',
  end: 'time',
  /** Number of the thread, from `ThreadTable`. */
  thread: 'count',
  /** Number of the process to which the correlation id belongs. */
  process: 'count',
  /** Correlation id; NaN when the call has none. */
  corr: 'id',
  /** Number of the function's name, for `TraceNames.apiName`. */
  api: 'count',
  /** Which row to prefer when several have the same correlation id, lowest first: 0 runtime, 1 driver, 2 other. */
  precedence: 'u8',
}) {
  /** Return codes of calls by row; calls that returned 0 or an unknown code are left out. */
  readonly results = new Map<number, number>();
  /** Rows whose times are damaged; they are not written. */
  readonly strays = new Set<number>();
  readonly space = new RowSpace();

  constructor() {
    super();
    this.waitIn(this.space);
  }

  /** Sets what the last added call returned: 0 for success, as in CUDA; NaN for unknown. */
  setResult(code: number): void {
    if (code !== 0 && !Number.isNaN(code)) this.results.set(this.length - 1, code);
  }
}

/** Host ranges, each on one thread. Times in ns. */
export class Ranges extends columns({
  start: 'time',
  /** Infinity for a range that is still open at the end of the profile. */
  end: 'time',
  /** Number of the thread, from `ThreadTable`. */
  thread: 'count',
  /** Number of the text, for `TraceNames.rangeText`. */
  text: 'id',
}) {
  /**
   * Number of the NVTX domain, for `TraceNames.domainName`; 0 is the default domain. Empty when all ranges are in the
   * default domain.
   */
  readonly domain = NarrowColumn.counts();
  /** Rows whose times are damaged; they are not written. */
  readonly strays = new Set<number>();
  readonly space = new RowSpace();

  constructor() {
    super();
    this.waitIn(this.space);
    this.domain.waitIn(this.space);
  }

  domainOf(row: number): number {
    return this.domain.length === 0 ? 0 : this.domain.at(row);
  }
}

/** Cells that activities of all kinds have; NaN means unknown. */
export interface ActivityRow {
  /** Unit: ns; NaN when the profiler did not collect times: the activity then takes the time of its launch. */
  readonly start: number;
  readonly end: number;
  readonly device: number;
  readonly stream: number;
  /** The context on the device, in which streams are numbered; only if the format records it. */
  readonly context?: number;
  /** Number of the process, from `ThreadTable`. */
  readonly process: number;
  readonly corr: number;
  /** Id of the graph node of a kernel, copy or set. Work outside of graphs has NaN, or 0 as CUPTI writes. */
  readonly node: number;
}

/**
 * An id, or NaN for 0: CUPTI gives the id 0 to rows without an id, and Nsight exports contained it until their columns
 * became nullable.
 */
export const knownId = (id: number): number => (id === 0 ? NaN : id);

/**
 * The id of a graph's node; NaN when it is too large for a double to hold exactly, because it would then equal those of
 * other nodes.
 */
export const nodeId = (id: number): number => (Number.isSafeInteger(id) ? knownId(id) : NaN);

/** Grid and then block of each kernel, three numbers each; 0 means unknown. */
class LaunchExtents {
  readonly #columns = Array.from({ length: 6 }, () => NarrowColumn.counts());
  #next = 0;

  waitIn(space: ChunkSpace): void {
    for (const column of this.#columns) column.waitIn(space);
  }

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

class Kernels extends columns({
  /** Number of the name, for `TraceNames.kernelName`. */
  name: 'count',
  /** Id of the CUDA or HIP graph; NaN outside of graphs, or if the format has no graph ids. */
  graphId: 'id',
}) {
  readonly extents = new LaunchExtents();
  /** Registers for each thread; 0 means unknown. Empty if the format has none, like `sharedBytes`. */
  readonly registers = NarrowColumn.counts();
  /** Shared memory for each block, in bytes. */
  readonly sharedBytes = NarrowColumn.ids();
  /** AMD: accumulation registers for each thread. Empty if the format has none, like `scalarRegisters`. */
  readonly accumRegisters = NarrowColumn.ids();
  /** AMD: scalar registers for each wave; 0 means unknown. */
  readonly scalarRegisters = NarrowColumn.counts();

  override waitIn(space: ChunkSpace): void {
    super.waitIn(space);
    const { extents, registers, sharedBytes, accumRegisters, scalarRegisters } = this;
    for (const column of [extents, registers, sharedBytes, accumRegisters, scalarRegisters]) column.waitIn(space);
  }
}

class Copies extends columns({
  /** The format's code of the direction, for `TraceNames.copyKind`. */
  kindCode: 'count',
  bytes: 'id',
  /** The format's code of the kind of host memory, for `Trace.hostMemoryOf`; NaN when there is none. */
  hostMemoryCode: 'id',
}) {}

/** `value` is what the memory is set to. */
class MemorySets extends columns({ bytes: 'id', value: 'id' }) {}

class Syncs extends columns({
  /** The format's code of what the wait is for, for `TraceNames.syncKind`. */
  kindCode: 'count',
  /** For a wait for an event: the stream into which the event was put, and the correlation id of the call that did so. */
  eventStream: 'id',
  eventCorr: 'id',
}) {}

/** Graph launches that are traced as a whole; `execId` is the id of the executable graph. */
class GraphLaunches extends columns({ graphId: 'id', execId: 'id' }) {}

/** Work on a device, and waits for it. Cells of only one kind are in columns of that kind, at the activity's `ownRow`. */
export class Activities extends columns({
  /** Index in `ACTIVITY_KINDS`, or REMOVED. */
  kind: 'u8',
  /** For this and the next seven columns, see `ActivityRow`. */
  start: 'time',
  end: 'time',
  device: 'count',
  stream: 'id',
  context: 'id',
  process: 'count',
  corr: 'id',
  node: 'id',
  /** Row in the columns of the activity's kind; 0 for collectives, which have no such columns. */
  ownRow: 'count',
}) {
  readonly kernels = new Kernels();
  readonly copies = new Copies();
  readonly sets = new MemorySets();
  readonly syncs = new Syncs();
  readonly graphs = new GraphLaunches();
  readonly space = new RowSpace();

  constructor() {
    super();
    for (const rows of [this.kernels, this.copies, this.sets, this.syncs, this.graphs]) rows.waitIn(this.space);
    this.waitIn(this.space);
  }

  /** Key that identifies a stream of a process. */
  streamOf(row: number): string {
    return `${this.device.at(row)} ${this.context.at(row)} ${this.stream.at(row)}`;
  }

  *rowsOf(kind: ActivityKind): Generator<number> {
    const { values } = this.kind;
    for (let row = 0; row < values.length; row++) if (values[row] === KIND_CODE[kind]) yield row;
  }

  /**
   * Adds a kernel, with graph id 0 or NaN outside of graphs. The caller adds its grid and block, six numbers, to
   * `kernels.extents`.
   */
  addKernel(row: ActivityRow, name: number, graphId: number): void {
    this.#add('kernel', row, this.kernels.length);
    this.kernels.pushCells(name, knownId(graphId));
  }

  addCopy(row: ActivityRow, kindCode: number, bytes: number, hostMemoryCode: number): void {
    this.#add('copy', row, this.copies.length);
    this.copies.pushCells(kindCode, bytes, hostMemoryCode);
  }

  addSet(row: ActivityRow, bytes: number, value: number): void {
    this.#add('set', row, this.sets.length);
    this.sets.pushCells(bytes, value);
  }

  addSync(row: ActivityRow, kindCode: number, eventStream = NaN, eventCorr = NaN): void {
    this.#add('sync', row, this.syncs.length);
    this.syncs.pushCells(kindCode, eventStream, eventCorr);
  }

  /** Adds the launch of a graph that is traced as a whole. */
  addGraph(row: ActivityRow, graphId: number, execId: number): void {
    this.#add('graph', row, this.graphs.length);
    this.graphs.pushCells(graphId, execId);
  }

  /** Adds a collective operation; `Trace.operationOf` describes it. */
  addCollective(row: ActivityRow): void {
    this.#add('collective', row, 0);
  }

  /** Removes a row; the other rows keep their numbers. */
  remove(row: number): void {
    this.kind.set(row, REMOVED);
  }

  #add(kind: ActivityKind, row: ActivityRow, ownRow: number): void {
    const { start, end, device, stream, context = NaN, process: owner, corr, node } = row;
    this.pushCells(KIND_CODE[kind], start, end, device, stream, context, owner, corr, nodeId(node), ownRow);
  }
}
