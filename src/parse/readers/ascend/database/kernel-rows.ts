/**
 * Reads COMPUTE_TASK_INFO and TASK_PMU_INFO: facts and kernel counters by task. Memory: 56 bytes for each kernel, 8 for
 * each counter.
 */
import { elementAt } from '../../../../containers/element.js';
import { LruCache } from '../../../../containers/map-entry.js';
import type { Labels } from '../../../../record/record.js';
import { NumericColumn } from '../../../../containers/numeric-column.js';
import { NumberIndex } from '../../../trace/trace-columns.js';
import { numberOf, type Selection, type SqliteFile, type TakeNumbers } from '../../../sqlite/sqlite.js';
import { cleanText, kernelLabels } from '../kernel-labels.js';
import { isMatrixKernel, unitsByBlocks } from '../device-kinds.js';
import { NO_STRING, type StringTable } from './connections.js';

const TABLE = 'COMPUTE_TASK_INFO';

const MOST_COUNTERS = 512;

/** Counters of the time during which a matrix unit multiplies. */
const MULTIPLYING: ReadonlySet<string> = new Set(['aic_mac_time', 'aic_mac_ratio']);

type Counts = NumericColumn<Uint32Array<ArrayBuffer>>;

/** Columns with strings, by label. */
const STRING_COLUMNS = {
  name: 'name',
  core: 'taskType',
  opType: 'opType',
  inputShapes: 'inputShapes',
  inputTypes: 'inputDataTypes',
  inputFormats: 'inputFormats',
  outputShapes: 'outputShapes',
  outputTypes: 'outputDataTypes',
  outputFormats: 'outputFormats',
  attr: 'attrInfo',
  opState: 'opState',
  hf32: 'hf32Eligible',
} as const;
type StringColumn = keyof typeof STRING_COLUMNS;
const STRINGS = Object.keys(STRING_COLUMNS) as StringColumn[];

/** Selects the number of blocks: since schema 1.2 it is `blockNum`, and `blockDim` is the extent of a block. */
const blocks = (database: SqliteFile, now: string, before: string): Selection =>
  database.hasColumn(TABLE, now) ? now : before;

export class KernelRows {
  readonly #taskIds = NumericColumn.floats();
  readonly #strings: Readonly<Record<StringColumn, Counts>>;
  readonly #blocks = NumericColumn.counts();
  readonly #mixBlocks = NumericColumn.counts();
  readonly #index = new NumberIndex(this.#taskIds);
  /** Values of each counter by row; NaN when absent. */
  readonly #counters: { readonly name: string; readonly values: Float64Array }[] = [];
  /** Cached, because training steps repeat their kernels. */
  readonly #labels = new LruCache<string, Labels | null>(4096);

  constructor(
    private readonly database: SqliteFile,
    private readonly strings: StringTable,
  ) {
    const counts = (): Counts => NumericColumn.counts();
    this.#strings = Object.fromEntries(STRINGS.map((label) => [label, counts()])) as Record<StringColumn, Counts>;
    this.#readKernels();
    this.#readCounters();
  }

  get length(): number {
    return this.#taskIds.length;
  }

  /** The row of a task's kernel; -1 when the task is not a kernel. */
  rowOf(taskId: number): number {
    return this.#index.get(taskId);
  }

  /** String id of a kernel's name. */
  nameOf(row: number): number {
    return this.#strings.name.at(row);
  }

  /** Number of blocks of a kernel; 0 when unknown. */
  blocksOf(row: number): number {
    return this.#blocks.at(row);
  }

  /** Core class of a kernel; null when the profile does not have it (level 0). */
  coreOf(row: number): string | null {
    return cleanText(this.strings.text(this.#strings.core.at(row)));
  }

  /**
   * Number of matrix units of the device that runs these kernels; null when it cannot be inferred from their blocks.
   */
  unitsOf(rows: readonly number[]): number | null {
    const multiplying = this.#counters.filter(({ name }) => MULTIPLYING.has(name));
    const matrixKernels = rows.filter((row) =>
      isMatrixKernel(this.coreOf(row), ...multiplying.map(({ values }) => elementAt(values, row))),
    );
    return unitsByBlocks(matrixKernels.map((row) => this.blocksOf(row)));
  }

  labelsOf(row: number, taskType: string | null): Labels | null {
    const strings = STRINGS.slice(2).map((label) => this.#strings[label].at(row));
    const key = [...strings, this.#blocks.at(row), this.#mixBlocks.at(row), taskType].join();
    return this.#labels.of(key, () => {
      const text = (label: StringColumn): string | null => this.strings.text(this.#strings[label].at(row));
      return kernelLabels(text, { taskType, blockDim: this.#blocks.at(row), mixBlockDim: this.#mixBlocks.at(row) });
    });
  }

  /**
   * Counters of a kernel; null when there are none.
   * @param waitNs how long it waited, which is the first counter; NaN when unknown
   */
  countersOf(row: number, waitNs: number): Record<string, number> | null {
    // The counters are added to a new object one by one, because copying an object with `...` takes longer.
    let counters: Record<string, number> | null = Number.isNaN(waitNs) ? null : { waitNs };
    for (const { name, values } of this.#counters) {
      const value = elementAt(values, row);
      if (!Number.isNaN(value)) (counters ??= {})[name] = value;
    }
    return counters;
  }

  #readKernels(): void {
    const { database } = this;
    const columns: Selection[] = [
      'globalTaskId',
      blocks(database, 'blockNum', 'blockDim'),
      blocks(database, 'mixBlockNum', 'mixBlockDim'),
      ...STRINGS.map((label) => STRING_COLUMNS[label]),
    ];
    database.eachNumbers(TABLE, columns, (cells) => {
      const [id = NaN, blockCount = NaN, mixBlocks = NaN] = cells;
      if (Number.isNaN(id) || this.rowOf(id) !== -1) return;
      this.#taskIds.push(id);
      this.#blocks.push(blockCount > 0 ? blockCount : 0);
      this.#mixBlocks.push(mixBlocks > 0 ? mixBlocks : 0);
      STRINGS.forEach((label, i) => {
        const string = cells[3 + i] as number;
        this.#strings[label].push(string >= 0 ? string : NO_STRING);
      });
      this.#index.put(this.#taskIds.length - 1);
    });
  }

  #readCounters(): void {
    const byName = new Map<number, Float64Array | null>();
    const take: TakeNumbers = ([id = NaN, name = NaN, value = NaN]) => {
      const row = this.rowOf(id);
      if (row === -1 || Number.isNaN(value)) return;
      let values = byName.get(name);
      if (values === undefined) byName.set(name, (values = this.#addCounter(name)));
      if (values !== null) values[row] = value;
    };
    this.database.eachNumbers('TASK_PMU_INFO', ['globalTaskId', 'name', 'value'], take, [], numberOf);
    // Sorted by name, so that results do not depend on the order of rows.
    this.#counters.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  #addCounter(string: number): Float64Array | null {
    const name = this.strings.text(string);
    if (name === null || name === '' || name === '__proto__' || this.#counters.length >= MOST_COUNTERS) return null;
    const values = new Float64Array(this.length).fill(NaN);
    this.#counters.push({ name, values });
    return values;
  }
}
