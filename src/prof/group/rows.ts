/** Groups → rows, as plain data: one a group, in a tree one a branch too, with all that is beneath it. */
import type { Value } from '../columns.js';
import { Sorted, type SortKey } from '../sort.js';
import { allOf, type Amounts } from './amounts.js';
import type { Durations } from './durations.js';
import { spreadOf, type Spread } from './spread.js';
import { inOrder, keysOf, rootOf, type Branch } from './tree.js';

/** The kernels with equal keys. */
export interface Group {
  readonly keys: readonly Value[];
  readonly amounts: Amounts;
}

export interface GroupRow {
  /** One for each key of --by. */
  readonly keys: readonly Value[];
  /** In a tree the key that the row is about; else the last one. */
  readonly key: number;
  /** In a tree the steps from the top, from 1; else 1. */
  readonly level: number;
  /** Of all kernels of the row. */
  readonly spread: Spread;
  readonly amounts: Amounts;
  /** ns of the kernels that are in no row beneath this one. */
  readonly own: number;
  /** ns of the kernels of all groups. */
  readonly whole: number;
}

export interface Arrangement {
  readonly tree: boolean;
  /** Order of rows; of rows with the same parent in a tree. */
  readonly sort: readonly SortKey<GroupRow>[];
  /** How many rows at most; of the same parent in a tree. */
  readonly top: number;
}

/** Makes the rows of places when they are asked for: there may be many, and each is needed for a moment only. */
class Rows {
  readonly #order: readonly number[];
  readonly #durations: Float64Array;
  readonly #begins: Uint32Array;
  readonly #whole: number;

  constructor(
    private readonly groups: readonly Group[],
    times: Durations,
    root: Branch,
  ) {
    this.#order = inOrder(root);
    ({ durations: this.#durations, begins: this.#begins } = times.inOrder(this.#order));
    this.#whole = sumOf(this.#durations);
  }

  at(branch: Branch): GroupRow {
    const { key, level, group, from, to } = branch;
    const amounts = this.#order.slice(from, to).map((id) => (this.groups[id] as Group).amounts);
    return {
      keys: keysOf(branch),
      key,
      level,
      spread: spreadOf(this.#times(from, to).slice()),
      amounts: allOf(amounts),
      own: group === null ? 0 : sumOf(this.#times(from, from + 1)),
      whole: this.#whole,
    };
  }

  /** The durations of the groups in a range of the tree. */
  #times(from: number, to: number): Float64Array {
    return this.#durations.subarray(this.#begins[from], this.#begins[to]);
  }
}

function sumOf(durations: Float64Array): number {
  let sum = 0;
  for (const duration of durations) sum += duration;
  return sum;
}

/** The rows in their order, a branch before what is beneath it. */
export function* rowsOf(groups: readonly Group[], times: Durations, arrangement: Arrangement): Generator<GroupRow> {
  const root = rootOf(
    groups.map(({ keys }) => keys),
    arrangement.tree,
  );
  yield* beneath(root, new Rows(groups, times, root), arrangement);
}

function* beneath(branch: Branch, rows: Rows, arrangement: Arrangement): Generator<GroupRow> {
  for (const child of inReport([...(branch.beneath?.values() ?? [])], rows, arrangement)) {
    yield rows.at(child);
    yield* beneath(child, rows, arrangement);
  }
}

/** Branches with the same parent, in the order of the report. */
function* inReport(branches: readonly Branch[], rows: Rows, { sort, top }: Arrangement): Generator<Branch> {
  // Most branches of a call stack are alone: their rows need not be made to be compared.
  if (branches.length < 2) return yield* branches;
  const sorted = new Sorted<Branch, GroupRow>(sort, top);
  for (const branch of branches) sorted.add(rows.at(branch), () => branch);
  for (const batch of sorted.batches()) yield* batch;
}
