/**
 * Reads kernel_details.csv, and msprof's op_summary_*.csv from which it is made: attributes and counters of kernels and
 * collectives. Also reads task_time_*.csv: tasks of all kinds, with fewer columns. Columns differ with level, metrics and
 * version of the profiler. Memory: 100 bytes for each row and 8 for each counter; strings are interned.
 */
import { append, elementAt } from '../../../../containers/element.js';
import { Diagnostics } from '../../../../record/diagnostics.js';
import type { ActivityDetails } from '../../../trace/trace.js';
import { NumericColumn } from '../../../../containers/numeric-column.js';
import { TextPool } from '../../../../containers/text-pool.js';
import { cleanText, kernelFields, kernelLabels, TASK_IDS, withTaskIds, type TextLabel } from '../kernel-labels.js';
import {
  microsecondsOfCell,
  numberOfCell,
  textOfCell,
  CsvTable,
  cellsOf,
  type CsvRow,
} from '../../../csv/csv-table.js';
import { coreOfType } from './trace-tasks.js';
import { TIMES_READ, TraceClock } from '../../../trace/clocks/trace-clock.js';
import { entryOf } from '../../../../containers/map-entry.js';

/** Names of the counters, in the order of their values. */
const L2_COUNTERS = ['l2_hit_rate', 'l2_victim_rate'] as const;

const COLUMNS = ['Stream Id', 'Task Id', 'Op Name', 'Hit Rate', 'Victim Rate'] as const;

const keyOf = (stream: number, task: number, name: string): string => `${stream},${task},${name}`;

/**
 * Reads l2_cache.csv: cache hit rates of kernels by stream, task number and name. Task numbers wrap around in a long run,
 * so rows and kernels with the same key are joined in order.
 */
export class L2Cache {
  /** The rates of each occurrence of a kernel, and the index of the next one to return. */
  readonly #values = new Map<string, { readonly rates: (readonly number[])[]; next: number }>();

  private constructor() {}

  /**
   * @param paths the file, or its slices in order
   * @returns null when one of them has another header
   */
  static read(paths: readonly string[], diagnostics: Diagnostics): L2Cache | null {
    const cache = new L2Cache();
    for (const path of paths) {
      const rows = cellsOf(path, diagnostics, COLUMNS);
      if (rows === null) return null;
      for (const [stream, task, name, hit, victim] of rows) {
        const key = keyOf(numberOfCell(stream), numberOfCell(task), textOfCell(name));
        const { rates } = entryOf(cache.#values, key, () => ({ rates: [], next: 0 }));
        rates.push([numberOfCell(hit), numberOfCell(victim)]);
      }
    }
    return cache;
  }

  /** The rates at the next occurrence of a kernel; null when there are none. */
  next(stream: number, task: number, name: string): readonly number[] | null {
    const known = this.#values.get(keyOf(stream, task, name));
    return known?.rates[known.next++] ?? null;
  }
}

const TEXT_COLUMNS: Readonly<Record<TextLabel, readonly string[]>> = {
  opType: ['Type', 'OP Type'],
  inputShapes: ['Input Shapes'],
  inputTypes: ['Input Data Types'],
  inputFormats: ['Input Formats'],
  outputShapes: ['Output Shapes'],
  outputTypes: ['Output Data Types'],
  outputFormats: ['Output Formats'],
  attr: ['Attr Info', 'Op Attr'],
  opState: ['OP State'],
  hf32: ['HF32 Eligible'],
};
const TEXT_LABELS = Object.keys(TEXT_COLUMNS) as TextLabel[];

type TextNumbers = NumericColumn<Uint32Array<ArrayBuffer>>;

/** Profiles are shorter than this time. */
const DAY_NS = 86_400e9;

/** Column with the number of blocks: `Block Num` in newer files, `Block Dim` in older ones. */
const BLOCKS = ['Block Num', 'Block Dim'] as const;
const MIX_BLOCKS = ['Mix Block Num', 'Mix Block Dim'] as const;
/** Names of the columns in kernel_details.csv, op_summary_*.csv and task_time_*.csv, in this order. */
const TASK_KIND = 'kernel_type';
const NAME = ['Name', 'Op Name', 'kernel_name'] as const;
const START = ['Start Time(us)', 'Task Start Time(us)', 'task_start(us)'] as const;
const DURATION = ['Duration(us)', 'Task Duration(us)', 'task_time(us)'] as const;
const CORE = ['Accelerator Core', 'Task Type', TASK_KIND] as const;
const STREAM = ['Stream ID', 'stream_id'] as const;
const TASK = ['Task ID', 'task_id'] as const;
const WAIT = ['Wait Time(us)', 'Task Wait Time(us)'] as const;
/** Columns of ids, in the order of TASK_IDS. */
const ID_COLUMNS = ['Task ID', 'Model ID', 'Context ID'] as const;
/** Columns that a file must have. */
const REQUIRED = [NAME, START, DURATION] as const;

const KNOWN: ReadonlySet<string> = new Set([
  ...Object.values(TEXT_COLUMNS).flat(),
  ...BLOCKS,
  ...MIX_BLOCKS,
  ...[...NAME, ...START, ...DURATION, ...CORE, ...STREAM, ...TASK],
  ...[...ID_COLUMNS, 'Step Id', 'Device_id', 'Model Name', 'Infer ID', 'Grid Dim', 'task_stop(us)'],
]);

/** `Accelerator Core` of collectives, before 2025 and since then. */
const COLLECTIVE_CORES: ReadonlySet<string> = new Set(['HCCL', 'COMMUNICATION']);

/**
 * Whether the first line of a file is the header of task_time_*.csv, which has all tasks, kernels or not, without shapes.
 */
export const isTaskTimeHeader = (line: string): boolean => line.split(',').includes(TASK_KIND);

/** Whether the first line of a file is the header of kernel_details.csv, op_summary_*.csv or task_time_*.csv. */
export function isKernelDetailsHeader(line: string): boolean {
  if (line.trimStart().startsWith('{')) return false;
  const columns = new Set(line.split(','));
  return [...REQUIRED, CORE].every((names) => names.some((name) => columns.has(name)));
}

export class KernelDetails {
  /** NaN when the cell is not a time. */
  readonly start = NumericColumn.floats();
  readonly end = NumericColumn.floats();
  /** NaN when the file does not have the column. */
  readonly device = NumericColumn.floats();
  readonly stream = NumericColumn.floats();
  readonly step = NumericColumn.floats();
  /** Number of blocks of the kernel; NaN when unknown. */
  readonly blocks = NumericColumn.floats();
  readonly #mixBlocks = NumericColumn.floats();
  readonly #name = NumericColumn.counts();
  readonly #core = NumericColumn.counts();
  readonly #labels: Readonly<Record<TextLabel, TextNumbers>>;
  /** Ids of the task, in the order of TASK_IDS. */
  readonly #ids = TASK_IDS.map(() => NumericColumn.floats());
  readonly #counters: (readonly [name: string, column: NumericColumn])[];
  readonly #texts = new TextPool();
  /** Whether rows are tasks of all kinds, with the type of the task instead of the core. */
  readonly #areTasks: boolean;

  /**
   * @param paths the file, or its slices in order; slices whose columns differ from the first are counted
   * @returns null when required columns are missing
   */
  static read(paths: readonly string[], clock: TraceClock, diagnostics: Diagnostics): KernelDetails | null {
    const [first, ...others] = paths.map((path) => CsvTable.open(path, diagnostics, { rows: 'short' }));
    if (first === null || first === undefined) return null;
    if (REQUIRED.some((names) => first.column(...names) === -1)) return null;
    const alike = others.flatMap((other) => (other?.header.join() === first.header.join() ? other : []));
    diagnostics.count('companion-file-not-read', others.length - alike.length);
    return new KernelDetails([first, ...alike], clock, diagnostics);
  }

  /** A clock based on the first rows. */
  static clockOf(path: string): TraceClock {
    const table = CsvTable.open(path, new Diagnostics());
    const column = table?.column(...START) ?? -1;
    const texts: string[] = [];
    for (const row of table?.rows() ?? []) if (texts.push(textOfCell(row[column])) >= TIMES_READ) break;
    return TraceClock.near(texts);
  }

  private constructor(tables: readonly [CsvTable, ...CsvTable[]], clock: TraceClock, diagnostics: Diagnostics) {
    const [table] = tables;
    const labels = TEXT_LABELS.map((label) => [label, NumericColumn.counts()] as const);
    this.#labels = Object.fromEntries(labels) as Record<TextLabel, TextNumbers>;
    const counters = table.header.flatMap((name, index) => {
      if ((WAIT as readonly string[]).includes(name)) return [{ name: 'waitNs', index, read: microsecondsOfCell }];
      return KNOWN.has(name) || name === '' ? [] : [{ name, index, read: numberOfCell }];
    });
    this.#areTasks = table.column(TASK_KIND) !== -1;
    this.#counters = counters.map(({ name }) => [name, NumericColumn.floats()]);
    const at = {
      name: table.column(...NAME),
      start: table.column(...START),
      duration: table.column(...DURATION),
      core: table.column(...CORE),
    };
    const numbers = [
      [this.device, table.column('Device_id')],
      [this.stream, table.column(...STREAM)],
      [this.step, table.column('Step Id')],
      ...this.#ids.map(
        (column, i) => [column, table.column(elementAt(ID_COLUMNS, i), ...(i === 0 ? TASK : []))] as const,
      ),
      [this.blocks, table.column(...BLOCKS)],
      [this.#mixBlocks, table.column(...MIX_BLOCKS)],
    ] as const;
    const texts = TEXT_LABELS.map((label) => [this.#labels[label], table.column(...TEXT_COLUMNS[label])] as const);
    for (const row of rowsOf(tables)) {
      // It is unknown which cell is missing, so later cells may belong to other columns.
      const isWhole = row.length === table.header.length;
      const start = clock.ofText(textOfCell(row[at.start]));
      const isKnown = (index: number): boolean => isWhole || index < at.start;
      // If the missing cell is before the time, this is the value of another column.
      if (!isWhole && !(Math.abs(start) < DAY_NS)) {
        diagnostics.count('csv-row-passed-over');
        continue;
      }
      this.start.push(start);
      this.end.push(start + microsecondsOfCell(row[at.duration]));
      for (const [column, index] of numbers) column.push(isKnown(index) ? numberOfCell(row[index]) : NaN);
      const name = textOfCell(row[at.name]);
      this.#name.push(this.#texts.numberOf(name === 'N/A' ? '' : name));
      this.#core.push(this.#texts.numberOf(cellText(row[at.core])));
      for (const [column, index] of texts)
        column.push(this.#texts.numberOf(isKnown(index) ? cellText(row[index]) : ''));
      counters.forEach(({ index, read }, i) => elementAt(this.#counters, i)[1].push(isWhole ? read(row[index]) : NaN));
    }
  }

  /** Adds the cache rates of l2_cache.csv as counters. */
  addRates(cache: L2Cache): void {
    const columns = L2_COUNTERS.map((name) => [name, NumericColumn.floats()] as const);
    for (let row = 0; row < this.length; row++) {
      const rates = cache.next(this.stream.at(row), elementAt(this.#ids, 0).at(row), this.nameOf(row));
      columns.forEach(([, column], i) => column.push(rates === null ? NaN : elementAt(rates, i)));
    }
    append(this.#counters, columns);
  }

  get length(): number {
    return this.start.length;
  }

  nameOf(row: number): string {
    return this.#textOf(this.#name, row);
  }

  isCollective(row: number): boolean {
    return COLLECTIVE_CORES.has(this.#textOf(this.#core, row));
  }

  /** Type of a task; null when rows are only kernels and collectives. */
  taskTypeOf(row: number): string | null {
    return this.#areTasks ? this.#textOf(this.#core, row) : null;
  }

  /** Core class of a kernel; null when the profile does not have it (level 0). */
  coreOf(row: number): string | null {
    const core = this.#textOf(this.#core, row);
    return this.#areTasks ? coreOfType(core) : cleanText(core);
  }

  /** A counter of a row, by the column's name; NaN when there is none. */
  counter(name: string, row: number): number {
    const counter = this.#counters.find(([known]) => known === name);
    return counter === undefined ? NaN : counter[1].at(row);
  }

  /**
   * @param taskType type of the kernel's task in the trace
   * @param taskId task id in the trace, for files of level 0, which do not have it
   */
  detailsOf(row: number, taskType: string | null, taskId = NaN): ActivityDetails {
    const counters = this.#counters.flatMap(([name, column]) => {
      const value = column.at(row);
      return Number.isNaN(value) ? [] : [[name, value] as const];
    });
    const text = (label: TextLabel): string => this.#textOf(this.#labels[label], row);
    const blocks = { blockDim: this.blocks.at(row), mixBlockDim: this.#mixBlocks.at(row) };
    const [id = NaN, ...otherIds] = this.#ids.map((column) => column.at(row));
    const labels = withTaskIds(kernelLabels(text, { taskType, ...blocks }), [id >= 0 ? id : taskId, ...otherIds]);
    return kernelFields(
      this.nameOf(row),
      this.coreOf(row),
      counters.length === 0 ? null : Object.fromEntries(counters),
      labels,
    );
  }

  #textOf(column: TextNumbers, row: number): string {
    return this.#texts.at(column.at(row));
  }
}

function* rowsOf(tables: readonly CsvTable[]): Generator<CsvRow> {
  for (const table of tables) yield* table.rows();
}

/** Text of a cell; '' when unknown. */
const cellText = (cell: string | undefined): string => cleanText(cell) ?? '';
