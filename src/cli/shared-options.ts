/**
 * Options that several commands share: files that belong to a profile, and the part of the profile that an answer is
 * about.
 */
import type { Item } from '../prof/analysis.js';
import type { TimeWindow } from '../prof/input/work-inside.js';
import { cutText } from '../record/plural.js';
import { requireNamed, UsageError, UserError } from '../record/errors.js';
import { parseSortKeys, SortedOutput } from '../prof/query/sort.js';
import { splitKeys, type AnyTable, type Column } from '../table/column.js';
import { FORMATS } from '../write/formats.js';
import type { Activity, ProfileLine } from '../record/record.js';
import { integer, numberList, type Arguments, type Option, type Tool } from './arguments.js';
import { terminalWidth } from './output.js';

/** Options of dparse for reading a profile. */
export const NEFF_OPTION: Option = {
  name: 'neff',
  takes: 'FILE',
  help: 'Neuron: the program (default: next to the trace)',
};
export const CAPTURE_OPTION: Option = {
  name: 'capture',
  takes: 'PATH',
  help: 'captures of graphs (default: capture_traces/)',
};
export const NCU_OPTION: Option = { name: 'ncu', takes: 'FILE', help: 'counters of kernels: a CSV of Nsight Compute' };
export const READING_OPTIONS = [NEFF_OPTION, CAPTURE_OPTION, NCU_OPTION] as const;

export const READING_NAMES = READING_OPTIONS.map(({ name }) => name);

/** Width of readable output. */
export const WIDTH_OPTION: Option = {
  name: 'width',
  short: 'w',
  takes: 'N',
  help: 'no line wider than N (the terminal)',
};

/** Maximum characters of a line; a whole line is kept in memory. */
const WIDEST = 10_000;
/** Minimum width, because a name, its value and the mark of a cut need some room. */
const NARROWEST = 20;

/**
 * Maximum number of characters in a line of the output: from `-w`, or else the width of the terminal; null for no
 * limit.
 * @param format the requested format
 * @throws UsageError for anything but a number, and for a format without a width
 */
export function widthOf(given: Arguments): number | null {
  const width = given.read('width', (text) => integer('-w', text, NARROWEST, WIDEST));
  const format = given.text('format');
  if (width !== undefined && format !== undefined && format !== 'text' && format !== 'fitted')
    throw new UsageError(`-w cannot be combined with -f ${format}`, '-f fitted has a width');
  return width ?? terminalWidth(given.text('output'));
}

/** Devices by their numbers in the profile. */
export const DEVICE_OPTION: Option = {
  name: 'device',
  takes: 'LIST',
  help: 'only these devices of the profile, e.g. 0-3,8',
};
/** Kernels by their columns. */
export const WHERE_OPTION: Option = {
  name: 'where',
  takes: 'EXPR',
  help: 'only kernels that match, e.g. op==conv2d && sil>9',
};
export const STEP_OPTION: Option = {
  name: 'step',
  takes: 'LIST',
  help: 'only work launched in these steps, e.g. 3 or 10-19',
};
const FROM_OPTION: Option = {
  name: 'from',
  takes: 'MS',
  help: 'only events that end after MS from the profile start',
};
const TO_OPTION: Option = {
  name: 'to',
  takes: 'MS',
  help: 'only events that start before MS; both edges cut work',
};

/** Time from the profile's start. */
export const CHOICE_OPTIONS: readonly Option[] = [DEVICE_OPTION, STEP_OPTION, FROM_OPTION, TO_OPTION];
/** The same for answers that show each event as it is. */
export const UNCUT_TIME_OPTIONS: readonly Option[] = [
  FROM_OPTION,
  { ...TO_OPTION, help: 'only events that start before MS; crossing ones are shown in full' },
];

/** Options that select a part of a profile, with messages for commands that take only whole profiles. */
export const CHOICE_NAMES: readonly string[] = ['where', ...CHOICE_OPTIONS.map(({ name }) => name)];
/** Options that select columns and rows of a table, with messages for commands that write no table. */
export const TABLE_NAMES: readonly string[] = ['cols', 'c', 'sort', 'top'];

/** Options that select columns, order and rows of a command's table. @param keys keys of its columns */
export const tableOptions = (keys: readonly string[]): readonly Option[] => [
  columnsOption(keys),
  sortOption(keys),
  TOP_OPTION,
];

/** The columns of a table. */
export const columnsOption = (keys: readonly string[]): Option => ({
  ...{ name: 'cols', short: 'c', takes: 'COLS', values: keys, list: true },
  help: 'columns of the table, comma-separated',
});

/** The order of a table. */
export const sortOption = (keys: readonly string[]): Option => ({
  ...{ name: 'sort', takes: 'COLS', values: keys, list: true },
  help: 'numbers largest first, text A to Z; +COL up, -COL down',
});
export const TOP_OPTION: Option = { name: 'top', takes: 'N', help: 'only the first N rows' };

/** The columns, order and rows that the user selected. */
export interface TableChoice {
  /** A format of tables. */
  readonly format: string;
  /** The selected columns and rows. */
  of(table: AnyTable): AnyTable;
}

interface TableRequest {
  readonly format: string;
  readonly width: number | null;
  /** Formats that have no columns. */
  readonly documents?: readonly string[];
  /** Whether `--top` has another meaning in text. */
  readonly hasTextTop?: boolean;
}

/**
 * The selection of `-c`, `--sort` and `--top`; null when none is given. With a selection, the table is written instead
 * of the text.
 * @param columns all columns of the table
 * @throws UsageError that suggests the nearest column, and for a format without columns
 */
export function tableChoice<Row>(
  given: Arguments,
  columns: readonly Column<Row>[],
  { format, width, documents = [], hasTextTop = false }: TableRequest,
): TableChoice | null {
  const columnOf = (key: string): Column<Row> => requireNamed('column', key, columns, (column) => column.key);
  const shown = given.read('cols', (text) => splitKeys('-c', text).map(columnOf));
  const sort = given.read('sort', (text) => parseSortKeys(text, columnOf));
  const top = given.read('top', (text) => integer('--top', text, 1));
  const isText = !FORMATS.some(({ id }) => id === format);
  const option = shown !== undefined ? '-c' : sort !== undefined ? '--sort' : top !== undefined ? '--top' : null;
  if (option === null || (option === '--top' && hasTextTop && (isText || documents.includes(format)))) return null;
  if (documents.includes(format) && given.text('format') !== undefined)
    throw new UsageError(`${option} cannot be combined with -f ${format}`, '-f csv has columns');
  return {
    format: !isText ? format : width === null ? 'space' : 'fitted',
    of: (table) => {
      const sorted = new SortedOutput<Row, Row>(sort ?? [], top);
      for (const row of table.rows) sorted.add(row as Row, (packed) => packed);
      return { columns: shown ?? table.columns, rows: [...sorted.batches()].flat() };
    },
  };
}

/** For `Tool.unfit`: the same advice for several options. */
export const unfit = (names: readonly string[], way: string): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, way]));

/** Converts an option in ms to ns. @throws UsageError for anything but a number */
function nsOf(option: string, text: string): number {
  if (!/^[+-]?\d{1,12}(\.\d{1,9})?$/.test(text)) throw new UsageError(`${option} takes milliseconds, not '${text}'`);
  // Rounded to ps, because the nearest double to 1.001 is slightly smaller.
  return Math.round(Number(text) * 1e9) / 1e3;
}

/** From `--from` to `--to`, in ns; undefined without either. @throws UsageError where nothing lies between them */
export function windowOf(given: Arguments): TimeWindow | undefined {
  const from = given.read('from', (text) => nsOf('--from', text));
  const to = given.read('to', (text) => nsOf('--to', text));
  if (from === undefined && to === undefined) return undefined;
  const window = { from: from ?? -Infinity, to: to ?? Infinity };
  if (window.from >= window.to) throw new UsageError('--from must be before --to');
  return window;
}

interface Chosen {
  readonly devices: ReadonlySet<number> | undefined;
  readonly steps: ReadonlySet<number> | undefined;
  readonly window: ReturnType<typeof windowOf>;
}

/** Maximum number of numbers in a message. */
const MOST_NAMED = 8;

const named = (what: string, numbers: ReadonlySet<number>): string[] => {
  const sorted = [...numbers].sort((a, b) => a - b);
  if (sorted.length === 0) return [];
  const more = sorted.length > MOST_NAMED ? ` … ${sorted.at(-1)}` : '';
  return [`${what} ${sorted.slice(0, MOST_NAMED).join(', ')}${more}`];
};

/** Keeps the records of the selected devices, steps and time. */
export class RecordChoice {
  readonly #devices = new Set<number>();
  readonly #steps = new Set<number>();
  #kept = 0;
  #cut = 0;

  constructor(private readonly chosen: Chosen) {}

  /** The time from `--from` to `--to`. */
  get window(): TimeWindow | undefined {
    return this.chosen.window;
  }

  /** Counts a piece of work that was cut at an edge of that time. */
  onCut(): void {
    this.#cut++;
  }

  /** For stderr: what was cut. */
  get notes(): readonly string[] {
    return this.#cut === 0 ? [] : [`--from and --to cut ${cutText(this.#cut)} with the part inside`];
  }

  /**
   * Whether an item is selected. Work of a device is selected by device, step and time, and host activity only by time.
   * @throws UserError for a partial answer, because its sums are for whole profiles
   */
  keeps(item: Item): boolean {
    const record: ProfileLine = 'record' in item ? item.record : item;
    switch (record.type) {
      case 'kernel':
      case 'copy':
      case 'set':
      case 'sync':
      case 'collective':
      case 'graph':
        return this.#hasActivity(record);
      case 'range':
        return this.#isIn(record.start, record.dur);
      case 'sample':
        return this.#isOn(record.device) && (record.start === null || this.#isIn(record.start, record.dur ?? null));
      case 'layer':
        return this.#isOn(record.device);
      case 'profile':
      case 'end':
      case 'notice':
      case 'tensor':
        return true;
      default:
        throw new UserError('contains only sums of whole profiles', {
          hint: '--device, --step, --from and --to need a profile or records',
        });
    }
  }

  /** @throws UserError when devices worked but nothing was selected; it names the existing devices and steps */
  refuseNothing(): void {
    if (this.#kept > 0 || this.#devices.size === 0) return;
    const there = [...named('devices', this.#devices), ...named('steps', this.#steps)].join('; ');
    const what = 'no work on the selected devices, steps and times';
    throw new UserError(what, there === '' ? {} : { hint: `there are ${there}` });
  }

  #hasActivity({
    device,
    step = null,
    start,
    dur,
  }: Pick<Activity, 'device' | 'start' | 'dur'> & { readonly step?: number | null | undefined }): boolean {
    const { steps } = this.chosen;
    this.#devices.add(device);
    if (step !== null) this.#steps.add(step);
    const isStep = steps === undefined || (step !== null && steps.has(step));
    const isKept = this.#isOn(device) && isStep && this.#isIn(start, dur);
    if (isKept) this.#kept++;
    return isKept;
  }

  #isOn(device: number | null): boolean {
    const { devices } = this.chosen;
    return devices === undefined || device === null || devices.has(device);
  }

  /** Whether a part of a time range is in the window. */
  #isIn(start: number, dur: number | null): boolean {
    const { window } = this.chosen;
    if (window === undefined) return true;
    return start < window.to && (dur === null || dur === 0 ? start >= window.from : start + dur > window.from);
  }
}

/**
 * Parses the selection; undefined when everything is selected.
 * @param tool options that have another meaning in this tool are ignored
 */
export function readChoice(given: Arguments, { options }: Pick<Tool, 'options'>): RecordChoice | undefined {
  const list = (option: Option): ReadonlySet<number> | undefined =>
    options.includes(option) ? given.read(option.name, (text) => numberList(`--${option.name}`, text)) : undefined;
  const chosen = {
    ...{ devices: list(DEVICE_OPTION), steps: list(STEP_OPTION) },
    window: options.includes(FROM_OPTION) ? windowOf(given) : undefined,
  };
  return Object.values(chosen).every((value) => value === undefined) ? undefined : new RecordChoice(chosen);
}
