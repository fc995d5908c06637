/** What a row of the comparison tells: one table for text, CSV, JSON, Markdown and the help. */
import type { DiffRow } from './diff-row.js';

export interface DiffColumn {
  readonly name: string;
  readonly unit?: 'ns' | '%' | 'p';
  /** For programs only: text and Markdown leave it out. */
  readonly long?: true;
  /** Whether a rise is shown by a plus. */
  readonly signed?: true;
  readonly doc: string;
  readonly value: (row: DiffRow) => number | null;
}

export const DIFF_COLUMNS: readonly DiffColumn[] = [
  {
    name: 'change',
    unit: '%',
    signed: true,
    doc: "of a mean step's time",
    value: ({ percent }) => percent,
  },
  { name: 'change', unit: 'ns', signed: true, doc: 'the same, as a time', value: ({ change }) => change },
  { name: 'base', unit: 'ns', doc: 'time of a mean step of BASE', value: ({ base }) => base.each },
  { name: 'new', unit: 'ns', doc: 'and of NEW', value: (row) => row.new.each },
  { name: 'base_share', unit: '%', doc: "of BASE's kernel time", value: ({ base }) => base.share },
  { name: 'new_share', unit: '%', doc: "of NEW's", value: (row) => row.new.share },
  { name: 'base_count', doc: 'kernels of BASE, in all', value: ({ base }) => base.count },
  { name: 'new_count', doc: 'and of NEW', value: (row) => row.new.count },
  { name: 'base_time', unit: 'ns', long: true, doc: 'time of BASE in all', value: ({ base }) => base.time },
  { name: 'new_time', unit: 'ns', long: true, doc: 'and of NEW', value: (row) => row.new.time },
  {
    name: 'median_change',
    unit: '%',
    long: true,
    doc: "of the median step's time",
    value: ({ medianPercent }) => medianPercent,
  },
  {
    name: 'own_change',
    unit: '%',
    long: true,
    doc: 'the same of the times that were tested, without what the rows share',
    value: ({ ownPercent }) => ownPercent,
  },
  { name: 'base_steps', long: true, doc: 'steps of BASE for the test', value: ({ base }) => base.samples },
  { name: 'new_steps', long: true, doc: 'and of NEW', value: (row) => row.new.samples },
  { name: 'p', unit: 'p', long: true, doc: 'of the test of no difference', value: ({ p }) => p },
  {
    name: 'p_effect',
    unit: 'p',
    long: true,
    doc: 'of the test of none beyond the minimum effect',
    value: ({ pBeyond }) => pBeyond,
  },
  { name: 'q', unit: 'p', doc: 'p_effect adjusted for the number of rows', value: ({ q }) => q },
];
