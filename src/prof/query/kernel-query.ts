/** `--where` and `--sort` of the kernel report. */
import type { Annotated } from '../annotate.js';
import { requireColumn } from '../columns/columns.js';
import { parseFilter, type RowFilter } from './filter.js';
import { parseSortKeys, type SortKey } from './sort.js';

/** Whether an annotated kernel passes `--where`. */
export type KernelFilter = RowFilter<Annotated>;
/** A column of the report to sort by, and the direction. */
export type KernelSortKey = SortKey<Annotated>;

/**
 * The filter for an expression such as `op==conv2d && sil>10000` (see `filter.ts`); unknown values match only `==na`.
 * @throws UsageError pointing at the position of a syntax error, or naming the nearest column
 */
export const parseWhere = (text: string): KernelFilter => parseFilter(text, requireColumn);

/**
 * The sort keys of a list such as `-sil,+op`; without a sign, numbers are sorted largest first and strings from A to Z.
 * @throws UsageError for an unknown column, naming the nearest one
 */
export const parseSort = (list: string): KernelSortKey[] => parseSortKeys(list, requireColumn);
