/** A part of a summary: a title, a table, and the command that shows more; and how its counts and shares are written. */
import type { ProfileSummary } from '../../prof/summary/summary-data.js';
import { amountText, type TimeUnit } from '../../record/units.js';
import { inputWord } from '../../write/shell-words.js';

export interface Section {
  readonly title: string;
  /** The command that shows more; null for none. */
  readonly next: string | null;
  readonly head: readonly string[];
  /** Whether text shows the heads too. */
  readonly isHeaded: boolean;
  /** Columns of numbers. */
  readonly right: readonly number[];
  readonly rows: readonly (readonly string[])[];
}

/** What sections of one profile are made of. */
export interface About {
  readonly overview: ProfileSummary;
  readonly unit: TimeUnit;
  /** A command of `dprof` with these words, over the input; null where the input does not answer it. */
  readonly next: (words: string) => string | null;
}

/** Whether its devices are those of AWS Neuron. */
export const isOfNeuron = ({ header }: ProfileSummary): boolean =>
  header?.devices.some(({ vendor }) => vendor === 'aws') === true;

/** Neither heads nor numbers. */
export const plain = (title: string, next: string | null): Omit<Section, 'rows'> => ({
  ...{ title, next, head: ['', '', '', ''], isHeaded: false, right: [] },
});

/** Ends the words of a command that has a row a kernel or group. */
export const TABLE = '--top 15 -f table';

/** The input of a summary. */
export interface SummaryInput {
  /** Undefined for stdin, and for several. */
  readonly file: string | undefined;
  /** Whether it is a partial answer: it has no kernels, and groups of them by keys that a summary does not read. */
  readonly isPartial: boolean;
}

/** Commands that every partial answer is an input of. */
const OF_PARTIAL = /^(?:steps|ranks)\b/;

export function nextOver({ file, isPartial }: SummaryInput): About['next'] {
  const input = inputWord(file);
  return (words) => (isPartial && !OF_PARTIAL.test(words) ? null : `dprof ${words} ${input}`);
}

/** `15.9 ms (median), 15.8 ms to 16.8 ms`; the length alone where there is one. */
export function spreadText({ count, median, min, max }: Lengths, unit: TimeUnit): string {
  return `${unit.text(median)}${count > 1 ? ` (median), ${unit.text(min)} to ${unit.text(max)}` : ''}`;
}

/** Lengths of steps, ns. */
type Lengths = Readonly<Record<'count' | 'median' | 'min' | 'max', number>>;

/** A share in percent; `na` of nothing, and of what is not known. */
export const share = (part: number | null, all: number | null): string =>
  amountText(part !== null && all !== null && all > 0 ? part / all : null, 'share');
