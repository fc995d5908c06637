/**
 * `--by`: kernels → groups of equal keys, in one pass. Memory: each group, and the duration of each kernel. Both are
 * held as numbers and bytes outside of the heap, and there is a limit to what groups take.
 */
import { type CellValue } from '../../table/column.js';
import { type KernelColumn } from '../columns/kernel-column.js';
import { UserError } from '../../record/errors.js';
import type { Annotated } from '../annotate.js';
import { GroupWorkSums } from './amounts.js';
import { GroupDurations } from './durations.js';
import { GroupTree } from './group-tree.js';
import { rowsOf, type Arrangement, type GroupRow } from './group-rows.js';

/** Groups that are kept. */
export const MOST_GROUPS = 300_000;
/** Branches of a tree, groups among them; without a tree, keys of groups. */
export const MOST_NODES = 1_500_000;
/** Bytes of their keys. */
const MOST_TEXT = 64 * 1024 * 1024;

/** Levels of a tree that one list makes at most. */
const DEEPEST = 500;

export interface GroupOptions {
  readonly keys: readonly KernelColumn[];
  /** Lists count with this many of their first entries; null for all. */
  readonly depth: number | null;
  /** Whether anything but times is asked for. */
  readonly amounts: boolean;
  readonly arrangement: Arrangement;
}

export class KernelGroups {
  readonly #places: GroupTree;
  readonly #durations = new GroupDurations();
  readonly #amounts = new GroupWorkSums();
  /** Kernels in groups. */
  kernels = 0;
  /** Kernels without a duration, which are in none. */
  untimed = 0;

  readonly #entries: number;

  constructor(private readonly options: GroupOptions) {
    const { keys, depth, arrangement } = options;
    this.#places = new GroupTree(keys.length, arrangement.tree);
    this.#entries = depth ?? (arrangement.tree ? DEEPEST : Infinity);
  }

  /** @throws UserError when there are more groups than can be kept */
  add(row: Annotated): void {
    const { dur } = row.record;
    if (dur === null || !Number.isFinite(dur)) {
      this.untimed++;
      return;
    }
    this.kernels++;
    const group = this.#places.groupOf(this.options.keys.map((column) => this.#keyOf(column.value(row))));
    this.#check();
    this.#durations.add(group, dur);
    if (this.options.amounts) this.#amounts.add(group, row, dur);
  }

  /** The rows of the report, in its order, when all kernels are there. */
  rows(): Generator<GroupRow> {
    const known = { places: this.#places, durations: this.#durations, amounts: this.#amounts };
    return rowsOf(known, this.options.arrangement);
  }

  #keyOf(value: CellValue): CellValue {
    const isLong = typeof value === 'object' && value !== null && value.length > this.#entries;
    return isLong ? value.slice(0, this.#entries) : value;
  }

  #check(): void {
    const { groups, size, bytes } = this.#places;
    if (groups <= MOST_GROUPS && size <= MOST_NODES && bytes <= MOST_TEXT) return;
    const parts = this.options.arrangement.tree ? 'branches' : 'keys';
    const what =
      groups > MOST_GROUPS
        ? `groups: more than ${MOST_GROUPS}`
        : `${size > MOST_NODES ? `${parts}: more than ${MOST_NODES}` : `texts of keys: more than ${MOST_TEXT} bytes`} for ${groups} groups`;
    throw new UserError(`too many ${what} of ${this.kernels} kernels so far`, {
      hint: '--by takes what kernels have in common: fewer keys, or a --depth',
    });
  }
}
