/**
 * kernel_details.csv: what the profiler says of each kernel and of each collective beyond its times. Columns differ with
 * the level, the metrics and the year. Memory: 100 bytes a row and 8 a counter; texts are kept once.
 */
import type { Diagnostics } from '../../../../record/diagnostics.js';
import type { ActivityDetails } from '../../../capture/capture.js';
import { NumericColumn } from '../../../../containers/numeric-column.js';
import { coreClass } from '../device-kinds.js';
import { kernelLabels, told } from '../kernel-labels.js';
import { CsvTable, type CsvRow } from './csv-file.js';
import { L2_COUNTERS, type L2Cache } from './l2-cache.js';
import { microseconds, numberOf, type TraceClock } from './trace-clock.js';

/** Columns with texts, by label. */
const TEXTS = {
  opType: ['Type'],
  inputShapes: ['Input Shapes'],
  inputTypes: ['Input Data Types'],
  inputFormats: ['Input Formats'],
  outputShapes: ['Output Shapes'],
  outputTypes: ['Output Data Types'],
  outputFormats: ['Output Formats'],
  attr: ['Attr Info', 'Op Attr'],
  opState: ['OP State'],
  hf32: ['HF32 Eligible'],
} as const;
type TextLabel = keyof typeof TEXTS;

/** `Block Num` is what was `Block Dim`; beside it, `Block Dim` is something else. */
const BLOCKS = ['Block Num', 'Block Dim'] as const;
const MIX_BLOCKS = ['Mix Block Num', 'Mix Block Dim'] as const;
const START = 'Start Time(us)';
const DURATION = 'Duration(us)';
const CORE = 'Accelerator Core';

/** Columns that are no counters. */
const KNOWN: ReadonlySet<string> = new Set([
  ...Object.values(TEXTS).flat(),
  ...BLOCKS,
  ...MIX_BLOCKS,
  ...['Step Id', 'Device_id', 'Model ID', 'Task ID', 'Stream ID', 'Name', CORE, START, DURATION, 'Wait Time(us)'],
  ...['Context ID', 'Task Type', 'Grid Dim'],
]);

/** Core of rows that are collectives, before and since 2025. */
const COLLECTIVE_CORES: ReadonlySet<string> = new Set(['HCCL', 'COMMUNICATION']);

/** Whether the first line of a file is the header of kernel_details.csv. */
export const isKernelDetailsHeader = (line: string): boolean =>
  !line.trimStart().startsWith('{') && [START, DURATION, CORE, 'Name'].every((name) => line.split(',').includes(name));

export class KernelDetails {
  readonly start = NumericColumn.floats();
  readonly end = NumericColumn.floats();
  /** NaN where the file has no such column. */
  readonly device = NumericColumn.floats();
  readonly stream = NumericColumn.floats();
  readonly step = NumericColumn.floats();
  /** Blocks of the kernel; NaN where they are not told. */
  readonly blocks = NumericColumn.floats();
  readonly #mixBlocks = NumericColumn.floats();
  readonly #name = NumericColumn.counts();
  readonly #core = NumericColumn.counts();
  readonly #labels: Readonly<Record<TextLabel, NumericColumn<Uint32Array<ArrayBuffer>>>>;
  readonly #task = NumericColumn.floats();
  readonly #counters: (readonly [name: string, column: NumericColumn])[];
  readonly #texts: string[] = [];
  readonly #numbers = new Map<string, number>();

  /** Reads the rows below the header. @returns null when the columns needed to place a kernel are not there */
  static read(path: string, clock: TraceClock, diagnostics: Diagnostics): KernelDetails | null {
    const table = CsvTable.open(path, diagnostics);
    if (table === null || [START, DURATION, 'Name'].some((name) => table.column(name) === -1)) return null;
    return new KernelDetails(table, clock, diagnostics);
  }

  private constructor(table: CsvTable, clock: TraceClock, diagnostics: Diagnostics) {
    this.#labels = Object.fromEntries(Object.keys(TEXTS).map((label) => [label, NumericColumn.counts()])) as Record<
      TextLabel,
      NumericColumn<Uint32Array<ArrayBuffer>>
    >;
    const counters = table.header.flatMap((name, place) => (KNOWN.has(name) || name === '' ? [] : [place]));
    this.#counters = counters.map((place) => [table.header[place] ?? '', NumericColumn.floats()]);
    const place = {
      name: table.column('Name'),
      start: table.column(START),
      duration: table.column(DURATION),
      core: table.column(CORE),
      device: table.column('Device_id'),
      stream: table.column('Stream ID'),
      step: table.column('Step Id'),
      task: table.column('Task ID'),
      blocks: table.column(...BLOCKS),
      mixBlocks: table.column(...MIX_BLOCKS),
    };
    const texts = Object.entries(TEXTS).map(([label, names]) => [label as TextLabel, table.column(...names)] as const);
    for (const row of table.rows()) {
      const start = clock.ofText(row[place.start] ?? '');
      if (Number.isNaN(start)) {
        diagnostics.count('csv-row-passed-over');
        continue;
      }
      this.start.push(start);
      this.end.push(start + microseconds(row[place.duration] ?? ''));
      this.device.push(numberOf(row[place.device]));
      this.stream.push(numberOf(row[place.stream]));
      this.step.push(numberOf(row[place.step]));
      this.#task.push(numberOf(row[place.task]));
      this.blocks.push(numberOf(row[place.blocks]));
      this.#mixBlocks.push(numberOf(row[place.mixBlocks]));
      this.#name.push(this.#numberOf((row[place.name] ?? '').trim()));
      this.#core.push(this.#numberOf(told(row[place.core]) ?? ''));
      for (const [label, at] of texts) this.#labels[label].push(this.#numberOf(told(row[at]) ?? ''));
      this.#pushCounters(row, counters);
    }
  }

  /** Adds what the file beside this one says of the cache. */
  addRates(cache: L2Cache): void {
    const columns = L2_COUNTERS.map((name) => [name, NumericColumn.floats()] as const);
    for (let row = 0; row < this.length; row++) {
      const rates = cache.next(this.stream.at(row), this.#task.at(row), this.nameOf(row));
      columns.forEach(([, column], i) => {
        column.push(rates?.[i] ?? NaN);
      });
    }
    this.#counters.push(...columns);
  }

  get length(): number {
    return this.start.length;
  }

  nameOf(row: number): string {
    return this.#texts[this.#name.at(row)] ?? '';
  }

  /** Whether a row is a collective operation, not a kernel. */
  isCollective(row: number): boolean {
    return COLLECTIVE_CORES.has(this.#textOf(this.#core, row));
  }

  /** Class of the cores that a kernel ran on; null where it is not told. */
  coreOf(row: number): string | null {
    return coreClass(this.#textOf(this.#core, row));
  }

  /** A counter of a row by the column's name; NaN where there is none. */
  counter(name: string, row: number): number {
    return this.#counters.find(([known]) => known === name)?.[1].at(row) ?? NaN;
  }

  /** @param taskType what the trace calls the kernel's task */
  detailsOf(row: number, taskType: string | null): ActivityDetails {
    const core = this.coreOf(row);
    const counters = this.#counters.flatMap(([name, column]) => {
      const value = column.at(row);
      return Number.isNaN(value) ? [] : [[name, value] as const];
    });
    const text = (label: TextLabel): string => this.#textOf(this.#labels[label], row);
    const labels = kernelLabels(text, {
      taskType,
      blockDim: this.blocks.at(row),
      mixBlockDim: this.#mixBlocks.at(row),
    });
    return {
      ...(core === null ? undefined : { engine: core }),
      ...(counters.length === 0 ? undefined : { counters: Object.fromEntries(counters) }),
      ...(labels === null ? undefined : { labels }),
    };
  }

  #pushCounters(row: CsvRow, places: readonly number[]): void {
    places.forEach((place, i) => this.#counters[i]?.[1].push(numberOf(row[place])));
  }

  #numberOf(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.#texts.push(text) - 1;
      this.#numbers.set(text, number);
    }
    return number;
  }

  #textOf(column: NumericColumn<Uint32Array<ArrayBuffer>>, row: number): string {
    return this.#texts[column.at(row)] ?? '';
  }
}
