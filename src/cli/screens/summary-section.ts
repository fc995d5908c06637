/** A section of a summary: a title, a table, and the command that shows more; and the format of its counts and shares. */
import type { ProfileSummary } from '../../prof/summary/summary-data.js';
import { amountText, type TimeUnit } from '../../record/units.js';
import { inputWord } from '../../write/shell-words.js';

export interface Section {
  readonly title: string;
  /** Whether a screen shows it only on request. */
  readonly isDetail?: true;
  /** The command that shows more; null when there is none. */
  readonly next: string | null;
  readonly head: readonly string[];
  /** Whether text output shows the column headers too. */
  readonly isHeaded: boolean;
  /** Columns of numbers. */
  readonly right: readonly number[];
  /** Columns of numbers that a narrow screen leaves out, in this order. */
  readonly optional?: readonly number[];
  readonly rows: readonly (readonly string[])[];
}

/** The data for the sections of one profile. */
export interface About {
  readonly overview: ProfileSummary;
  readonly unit: TimeUnit;
  /** Makes a `dprof` command from these words and the input; null when the input has no data for it. */
  readonly next: (words: string) => string | null;
  /** Device and source of peak rates that were measured; null for all others. */
  readonly measured: string | null;
}

/** Whether its devices are AWS Neuron devices. */
export const isOfNeuron = ({ header }: ProfileSummary): boolean =>
  header?.devices.some(({ vendor }) => vendor === 'aws') === true;

/** A section without headers and right-aligned columns. */
export const plain = (title: string, next: string | null): Omit<Section, 'rows'> => ({
  ...{ title, next, head: ['', '', '', ''], isHeaded: false, right: [] },
});

/** The end of a command that prints one row for each kernel or group. */
export const TABLE = '--top 15';

export interface SummaryInput {
  /** The only input file; undefined for stdin, and for several files. */
  readonly file: string | undefined;
  /**
   * Whether it is a partial answer. A partial answer has no kernels, and its groups may have keys that a summary does
   * not read.
   */
  readonly isPartial: boolean;
  /** Whether details are shown, and after each section the command that shows more. */
  readonly isWhole: boolean;
  /** Width of the terminal; null for any other output. */
  readonly width?: number | null;
  /** As in `About`. */
  readonly measured?: string | null;
}

/** Commands that accept every partial answer as input. */
const OF_PARTIAL = /^(?:steps|ranks)\b/;

export function nextOver({ file, isPartial }: Pick<SummaryInput, 'file' | 'isPartial'>): About['next'] {
  const input = inputWord(file);
  return (words) => (isPartial && !OF_PARTIAL.test(words) ? null : `dprof ${words} ${input}`);
}

/** `15.9 ms median, 15.8 ms to 16.8 ms`; only the duration when there is one step. */
export function spreadText({ count, median, min, max }: Lengths, unit: TimeUnit): string {
  return `${unit.text(median)}${count > 1 ? ` median, ${unit.text(min)} to ${unit.text(max)}` : ''}`;
}

/** Lengths of steps, ns. */
type Lengths = Readonly<Record<'count' | 'median' | 'min' | 'max', number>>;

/** A share in percent; `na` when the whole is 0 or a value is unknown. */
export const share = (part: number | null, all: number | null): string =>
  amountText(part !== null && all !== null && all > 0 ? part / all : null, 'share');
