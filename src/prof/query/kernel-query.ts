/** `--where` and `--sort` of the report of kernels. */
import type { Annotated } from '../annotate.js';
import { requireColumn } from '../columns/columns.js';
import { parseFilter, type RowFilter } from './filter.js';
import { parseSortKeys, type SortKey } from './sort.js';

/** Whether an annotated kernel passes `--where`. */
export type KernelFilter = RowFilter<Annotated>;
/** A column of the report to sort by, and the direction. */
export type KernelSortKey = SortKey<Annotated>;

/**
 * The filter of an expression such as `op==conv2d && sil>10000` (see `filter.ts`); unknown values match `==na` alone.
 * @throws UsageError pointing at the position that cannot be read, or naming the nearest column
 */
export const parseWhere = (text: string): KernelFilter => parseFilter(text, requireColumn);

/**
 * The sort keys of a list such as `-sil,+op`; without a sign numbers come largest first, texts from A to Z.
 * @throws UsageError naming the nearest column of an unknown one
 */
export const parseSort = (list: string): KernelSortKey[] => parseSortKeys(list, requireColumn);
