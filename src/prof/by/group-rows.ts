/** Groups → rows: one for each group, in a tree one for each branch too, which sums up all groups beneath it. */
import { allMerged, countedOf } from '../../containers/counted-values.js';
import { elementAt } from '../../containers/element.js';
import { SortedOutput, type SortKey } from '../query/sort.js';
import type { GroupDurations } from './group-durations.js';
import { spreadOfRuns, type GroupRuns } from './group-runs.js';
import type { HostTime, HostTimes } from './host/host-times.js';
import { ROOT, type GroupPath, type GroupTree } from './group-tree.js';
import { spreadOf, type Spread } from '../../record/statistics.js';
import type { KernelSum, KernelTally } from '../tally/kernel-tally.js';

/** Without a tree the key is the last one, and the level 1. */
export interface GroupRow extends GroupPath {
  /** Of the durations of all kernels of the row; null without any. */
  readonly spread: Spread | null;
  /** Of the ranges that the row itself is named after; null where unknown, or without any. */
  readonly host: HostTime | null;
  readonly tally: KernelSum;
  /** ns of the kernels that are in no row beneath. */
  readonly own: number;
  /** ns of the kernels of all groups. */
  readonly whole: number;
}

export interface Arrangement {
  readonly tree: boolean;
  /** Order of rows; in a tree of those with one parent. */
  readonly sort: readonly SortKey<GroupRow>[];
  /** Most rows; in a tree of one parent. */
  readonly top: number;
}

interface GroupData {
  readonly tree: GroupTree;
  readonly durations: GroupDurations;
  /** Durations of partial answers, besides. */
  readonly runs: GroupRuns;
  readonly tally: KernelTally;
  readonly host: HostTimes;
}

/** Durations of the groups from one place to before another of an order; null without any. */
type OrderedSpreads = (from: number, to: number) => Spread | null;

/** One by one. */
function listed(durations: GroupDurations, order: Uint32Array): OrderedSpreads {
  const { durations: all, begins } = durations.inOrder(order);
  return (from, to) => {
    const own = all.slice(begins[from], begins[to]);
    return own.length === 0 ? null : spreadOf(own);
  };
}

/** As runs of equal ones. */
function counted({ durations, runs }: GroupData, order: Uint32Array): OrderedSpreads {
  const { durations: all, begins } = durations.inOrder(order);
  order.forEach((group, i) => {
    const own = all.slice(begins[i], begins[i + 1]);
    if (own.length > 0) runs.add(group, countedOf(own));
  });
  runs.settle();
  return (from, to) => {
    const own = allMerged(Array.from(order.subarray(from, to), (group) => runs.of(group)));
    return own.values.length === 0 ? null : spreadOfRuns(own);
  };
}

/** Computes the cells of rows on demand: there may be many rows, and each is needed for a moment only. */
class GroupSource {
  readonly #order: Uint32Array;
  readonly #spreads: OrderedSpreads;
  /** ns of the kernels of all groups. */
  readonly whole: number;

  constructor(readonly data: GroupData) {
    this.#order = data.tree.inOrder();
    this.#spreads = data.runs.isEmpty ? listed(data.durations, this.#order) : counted(data, this.#order);
    this.whole = data.tally.together(this.#order).time;
  }

  spreadOf(node: number): Spread | null {
    const [from, to] = this.data.tree.rangeOf(node);
    return this.#spreads(from, to);
  }

  hostOf(node: number): HostTime | null {
    if (!this.data.tree.isGroup(node)) return null;
    const [from] = this.data.tree.rangeOf(node);
    return this.data.host.of(elementAt(this.#order, from));
  }

  tallyOf(node: number): KernelSum {
    const [from, to] = this.data.tree.rangeOf(node);
    return this.data.tally.together(this.#order, from, to);
  }

  ownOf(node: number): number {
    const [from] = this.data.tree.rangeOf(node);
    return this.data.tree.isGroup(node) ? this.data.tally.of(elementAt(this.#order, from)).time : 0;
  }
}

/** The row of a node; each part is computed on first access, since sorting needs only some of them. */
class NodeRow implements GroupRow {
  #path: GroupPath | null = null;
  #spread: Spread | null = null;
  #tally: KernelSum | null = null;

  constructor(
    private readonly source: GroupSource,
    private readonly node: number,
  ) {}

  get #position(): GroupPath {
    return (this.#path ??= this.source.data.tree.pathOf(this.node));
  }
  get keys(): GroupPath['keys'] {
    return this.#position.keys;
  }
  get key(): number {
    return this.#position.key;
  }
  get level(): number {
    return this.#position.level;
  }
  get spread(): Spread | null {
    return (this.#spread ??= this.source.spreadOf(this.node));
  }
  get tally(): KernelSum {
    return (this.#tally ??= this.source.tallyOf(this.node));
  }
  get host(): HostTime | null {
    return this.source.hostOf(this.node);
  }
  get own(): number {
    return this.source.ownOf(this.node);
  }
  get whole(): number {
    return this.source.whole;
  }
}

/** The rows in their order, a branch before what is beneath it. */
export function* rowsOf(data: GroupData, arrangement: Arrangement): Generator<GroupRow> {
  const source = new GroupSource(data);
  const beneath = (node: number): Generator<number> => inReport([...data.tree.childrenOf(node)], source, arrangement);
  // The path to the current row: a tree may be too deep for nested generators.
  const path = [beneath(ROOT)];
  for (let inner = path.at(-1); inner !== undefined; inner = path.at(-1)) {
    const next = inner.next();
    if (next.done === true) {
      path.pop();
      continue;
    }
    yield new NodeRow(source, next.value);
    path.push(beneath(next.value));
  }
}

/** Nodes with one parent, in the order of the report. */
function* inReport(nodes: readonly number[], source: GroupSource, { sort, top }: Arrangement): Generator<number> {
  // Most branches of a call stack have no siblings to be compared with.
  if (nodes.length < 2) return yield* nodes;
  const sorted = new SortedOutput<number, GroupRow>(sort, top);
  for (const node of nodes) sorted.add(new NodeRow(source, node), () => node);
  for (const batch of sorted.batches()) yield* batch;
}
