/** Groups → rows, as plain data: one a group, in a tree one a branch too, with all that is beneath it. */
import { SortedOutput, type SortKey } from '../query/sort.js';
import type { GroupWork, GroupWorkSums } from './amounts.js';
import type { GroupDurations } from './durations.js';
import { ROOT, type GroupPath, type GroupTree } from './group-tree.js';
import { spreadOf, type Spread } from '../../record/statistics.js';

/** Its key is the last one, and its level 1, where no tree is asked for. */
export interface GroupRow extends GroupPath {
  /** Of all kernels of the row. */
  readonly spread: Spread;
  readonly amounts: GroupWork;
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

/** What is known of groups. */
export interface GroupData {
  readonly tree: GroupTree;
  readonly durations: GroupDurations;
  readonly amounts: GroupWorkSums;
}

/** Makes the rows of places when they are asked for: there may be many, and each is needed for a moment only. */
class GroupSource {
  readonly #order: Uint32Array;
  readonly #durations: Float64Array;
  readonly #begins: Uint32Array;
  /** ns of the kernels of all groups. */
  readonly whole: number;

  constructor(private readonly known: GroupData) {
    this.#order = known.tree.inOrder();
    ({ durations: this.#durations, begins: this.#begins } = known.durations.inOrder(this.#order));
    this.whole = this.#sum(0, this.#order.length);
  }

  keysOf(place: number): GroupPath {
    return this.known.tree.keysOf(place);
  }

  spreadOf(place: number): Spread {
    const [from, to] = this.known.tree.rangeOf(place);
    return spreadOf(this.#durations.slice(this.#begins[from], this.#begins[to]));
  }

  amountsOf(place: number): GroupWork {
    const [from, to] = this.known.tree.rangeOf(place);
    return this.known.amounts.of(this.#order, from, to);
  }

  ownOf(place: number): number {
    const [from] = this.known.tree.rangeOf(place);
    return this.known.tree.isGroup(place) ? this.#sum(from, from + 1) : 0;
  }

  #sum(from: number, to: number): number {
    let sum = 0;
    for (let i = this.#begins[from] as number; i < (this.#begins[to] as number); i++)
      sum += this.#durations[i] as number;
    return sum;
  }
}

/** What is told of a place, each part when it is first asked for: to sort a row by one takes no others. */
class NodeRow implements GroupRow {
  #keys: GroupPath | null = null;
  #spread: Spread | null = null;
  #amounts: GroupWork | null = null;

  constructor(
    private readonly rows: GroupSource,
    private readonly place: number,
  ) {}

  get #place(): GroupPath {
    return (this.#keys ??= this.rows.keysOf(this.place));
  }
  get keys(): GroupPath['keys'] {
    return this.#place.keys;
  }
  get key(): number {
    return this.#place.key;
  }
  get level(): number {
    return this.#place.level;
  }
  get spread(): Spread {
    return (this.#spread ??= this.rows.spreadOf(this.place));
  }
  get amounts(): GroupWork {
    return (this.#amounts ??= this.rows.amountsOf(this.place));
  }
  get own(): number {
    return this.rows.ownOf(this.place);
  }
  get whole(): number {
    return this.rows.whole;
  }
}

/** The rows in their order, a branch before what is beneath it. */
export function* rowsOf(known: GroupData, arrangement: Arrangement): Generator<GroupRow> {
  const rows = new GroupSource(known);
  const beneath = (place: number): Generator<number> => inReport([...known.tree.beneath(place)], rows, arrangement);
  // The way down to the row at hand: a tree may be too deep for a generator within a generator.
  const way = [beneath(ROOT)];
  for (let inner = way.at(-1); inner !== undefined; inner = way.at(-1)) {
    const next = inner.next();
    if (next.done === true) {
      way.pop();
      continue;
    }
    yield new NodeRow(rows, next.value);
    way.push(beneath(next.value));
  }
}

/** Places with the same parent, in the order of the report. */
function* inReport(places: readonly number[], rows: GroupSource, { sort, top }: Arrangement): Generator<number> {
  // Most branches of a call stack are alone: their rows need not be made to be compared.
  if (places.length < 2) return yield* places;
  const sorted = new SortedOutput<number, GroupRow>(sort, top);
  for (const place of places) sorted.add(new NodeRow(rows, place), () => place);
  for (const batch of sorted.batches()) yield* batch;
}
