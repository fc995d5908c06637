/** A part of a summary: a title, a table, and the command that shows more. */
import type { ProfileSummary } from '../../../prof/summary/summary-data.js';
import type { Next } from './summary-next.js';
import type { TimeUnit } from '../../../record/units.js';

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
  readonly next: Next;
}

/** Neither heads nor numbers. */
export const plain = (title: string, next: string | null): Omit<Section, 'rows'> => ({
  ...{ title, next, head: ['', '', '', ''], isHeaded: false, right: [] },
});
