/** Turns groups into rows: one for each group and, in a tree, one for each branch, which sums up all groups below it. */
import { allMerged, countedOf } from '../../containers/counted-values.js';
import { elementAt } from '../../containers/element.js';
import { SortedOutput, type SortKey } from '../query/sort.js';
import type { GroupDurations } from './group-durations.js';
import { spreadOfRuns, type GroupRuns } from './group-runs.js';
import type { HostTime, HostTimes } from './host/host-times.js';
import { ROOT, type GroupPath, type GroupTree } from './group-tree.js';
import { spreadOf, type Spread } from '../../record/statistics.js';
import type { KernelSum, KernelTally } from '../tally/kernel-tally.js';

/** A row of groups. Outside a tree, the key is the last one and the level is 1. */
export interface GroupRow extends GroupPath {
  /** Spread of the durations of all kernels of the row; null when there are none. */
  readonly spread: Spread | null;
  /** Time of the host ranges that the row is named after; null when unknown or when there are none. */
  readonly host: HostTime | null;
  readonly tally: KernelSum;
  /** Time in ns of the kernels that are in no row below. */
  readonly own: number;
  /** Time in ns of the kernels of all groups. */
  readonly whole: number;
}

export interface Arrangement {
  readonly tree: boolean;
  /** Sort order of rows; in a tree, of rows with the same parent. */
  readonly sort: readonly SortKey<GroupRow>[];
  /** Maximum number of rows; in a tree, per parent. */
  readonly top: number;
}

interface GroupData {
  readonly tree: GroupTree;
  readonly durations: GroupDurations;
  /** Additional durations from partial answers. */
  readonly runs: GroupRuns;
  readonly tally: KernelTally;
  readonly host: HostTimes;
}

/** Durations of the groups in a range of an order (its end is exclusive); null when there are none. */
type OrderedSpreads = (from: number, to: number) => Spread | null;

/** For durations stored one by one. */
function listed(durations: GroupDurations, order: Uint32Array): OrderedSpreads {
  const { durations: all, begins } = durations.inOrder(order);
  return (from, to) => {
    const values = all.slice(begins[from], begins[to]);
    return values.length === 0 ? null : spreadOf(values);
  };
}

/** Reads durations stored as runs of equal values. */
function counted({ durations, runs }: GroupData, order: Uint32Array): OrderedSpreads {
  const { durations: all, begins } = durations.inOrder(order);
  order.forEach((group, i) => {
    const values = all.slice(begins[i], begins[i + 1]);
    if (values.length > 0) runs.add(group, countedOf(values));
  });
  runs.settle();
  return (from, to) => {
    const merged = allMerged(Array.from(order.subarray(from, to), (group) => runs.of(group)));
    return merged.values.length === 0 ? null : spreadOfRuns(merged);
  };
}

/** Computes the cells of rows on demand, because there may be many rows and each is needed only for a moment. */
class GroupSource {
  readonly #order: Uint32Array;
  readonly #spreads: OrderedSpreads;
  /** Time in ns of the kernels of all groups. */
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

/** The row of a node; each part is computed on first access, because sorting needs only some of them. */
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

/** The rows in order, a branch before everything below it. */
export function* rowsOf(data: GroupData, arrangement: Arrangement): Generator<GroupRow> {
  const source = new GroupSource(data);
  const beneath = (node: number): Generator<number> => inReport([...data.tree.childrenOf(node)], source, arrangement);
  // The path to the current row; a tree may be too deep for nested generators.
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

/** Nodes with the same parent, in the order of the report. */
function* inReport(nodes: readonly number[], source: GroupSource, { sort, top }: Arrangement): Generator<number> {
  // Most branches of a call stack have no siblings to compare with.
  if (nodes.length < 2) return yield* nodes;
  const sorted = new SortedOutput<number, GroupRow>(sort, top);
  for (const node of nodes) sorted.add(new NodeRow(source, node), () => node);
  for (const batch of sorted.batches()) yield* batch;
}
