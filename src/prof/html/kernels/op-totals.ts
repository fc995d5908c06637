/**
 * Turns annotated kernels and host ranges into times, work and call stacks by op, as in `dprof --by op`, and into a tree of
 * the frames of all call stacks.
 */
import { addTo, boundedEntryOf, largestEntry } from '../../../containers/map-entry.js';
import { orNull } from '../../../containers/numeric-column.js';
import type { RangeRecord } from '../../../record/record.js';
import { NS_PER_S } from '../../../record/units.js';
import type { Annotated } from '../../annotate.js';
import { HOST_TABLES } from '../../by/host/host-table.js';
import { HostTimes } from '../../by/host/host-times.js';
import { NamedTimes, hostRangeName, rangeAmong } from '../../by/host/range-name.js';
import { communicates } from '../../steps/step-work.js';
import { KernelTally, knownSum, rated, type KernelSum } from '../../tally/kernel-tally.js';
import { launchOf } from '../../input/device-activity.js';
import type { RooflineBound } from '../../roofline/roofline.js';
import { bounded } from '../bounds.js';
import type { Ops } from '../page-data.js';
import type { OpStack, OpTotal, StackTree } from './kernel-data.js';
import { addTimes, durationOf } from '../../../record/fields/times.js';
import { elementAt } from '../../../containers/element.js';

/** Maximum number of separate frames, about 150 bytes each; kernels of any further or deeper frame count for its parent. */
const MOST_NODES = 100_000;
const MOST_DEPTH = 200;

interface StackNode {
  readonly parent: number;
  readonly frame: string;
  /** Numbers of its children by frame; null for none. */
  children: Map<string, number> | null;
  count: number;
  time: number;
}

const ROOT = -1;

/** A tree of the frames of call stacks, with the kernels of each. */
class StackTotals {
  readonly #nodes: StackNode[] = [];
  readonly #outermost = new Map<string, number>();

  constructor(private readonly most = MOST_NODES) {}

  /**
   * @param trace outermost first
   * @param time in ns
   * @returns number of the innermost frame; null when there is none
   */
  add(trace: readonly string[], time: number): number | null {
    let at = ROOT;
    for (const frame of trace.slice(0, MOST_DEPTH)) {
      const next = this.#child(at, frame);
      if (next === null) break;
      const node = elementAt(this.#nodes, next);
      node.count++;
      node.time = addTimes(node.time, time);
      at = next;
    }
    return at === ROOT ? null : at;
  }

  /**
   * The nodes with the largest times, and all ancestors of some others.
   * @param others numbers from `add`
   * @param most maximum number of nodes without those for the others; with them at most twice as many
   * @returns the tree, and the index in it of each node number; null without nodes
   */
  tree(
    most: number,
    others: Iterable<number>,
  ): { readonly tree: StackTree; readonly placeOf: Map<number, number> } | null {
    if (this.#nodes.length === 0) return null;
    // Sorting is stable: of nodes with equal times the parent stays first.
    const order = this.#nodes.map((_, i) => i).sort((a, b) => this.#timeOf(b) - this.#timeOf(a));
    const kept = new Set(order.slice(0, most));
    for (const node of others) if (kept.size < 2 * most) for (const one of this.#pathOf(node)) kept.add(one);
    const numbers = [...kept].sort((a, b) => a - b);
    const placeOf = new Map(numbers.map((number, place) => [number, place] as const));
    const nodes = numbers.map((number) => elementAt(this.#nodes, number));
    const frames = [...new Set(nodes.map(({ frame }) => frame))];
    const frameAt = new Map(frames.map((frame, i) => [frame, i] as const));
    return {
      placeOf,
      tree: {
        frames,
        parents: nodes.map(({ parent }) => placeOf.get(parent) ?? ROOT),
        frameOf: nodes.map(({ frame }) => frameAt.get(frame) ?? 0),
        counts: nodes.map(({ count }) => count),
        times: nodes.map(({ time }) => time),
        leftOut: this.#nodes.length - nodes.length,
      },
    };
  }

  #timeOf(number: number): number {
    return elementAt(this.#nodes, number).time;
  }

  #pathOf(number: number): number[] {
    const path: number[] = [];
    for (let at = number; at !== ROOT; at = elementAt(this.#nodes, at).parent) path.push(at);
    return path;
  }

  /** Null when there are too many nodes. A node's number is greater than its parent's. */
  #child(parent: number, frame: string): number | null {
    const of = parent === ROOT ? null : elementAt(this.#nodes, parent);
    const known = (of === null ? this.#outermost : of.children)?.get(frame);
    if (known !== undefined) return known;
    if (this.#nodes.length === this.most) return null;
    const number = this.#nodes.push({ parent, frame, children: null, count: 0, time: 0 }) - 1;
    if (of === null) this.#outermost.set(frame, number);
    else (of.children ??= new Map()).set(frame, number);
    return number;
  }
}

/** Maximum number of separate ops, about 500 bytes each, and of call stacks of all ops together. */
const MOST_OPS = 20_000;
const MOST_STACKS = 100_000;

const OPS = new Set(['op'] as const);

class OpSum {
  within = 0;
  communicating = 0;
  launch = 0;
  launches = 0;
  /** Start of the latest launch by thread, because one call may launch several kernels. */
  readonly latest = new Map<number | null, number>();
  readonly bounds = new Map<RooflineBound, number>();
  /** By innermost frame. */
  readonly stacks = new Map<number, { count: number; time: number }>();

  /** @param group its number in the tally */
  constructor(
    readonly op: string | null,
    readonly group: number,
    private readonly tally: KernelTally,
  ) {}

  get kernels(): KernelSum {
    return this.tally.of(this.group);
  }
  get time(): number {
    return this.kernels.time;
  }
}

export class OpTotals {
  readonly #sums = new Map<string | null, OpSum>();
  readonly #tally = new KernelTally();
  readonly #host = new HostTimes('op');
  readonly #times = new NamedTimes();
  readonly #stacks = new StackTotals();
  #stackCount = 0;
  /** Time in ns of all kernels, and of those whose ops exceed the limit. */
  #time = 0;
  #otherTime = 0;

  constructor(private readonly most = MOST_OPS) {}

  /** Must be called in order of start. */
  range(found: RangeRecord): void {
    const record = rangeAmong(OPS, found);
    if (record === null) return;
    const name = hostRangeName(record);
    const sum = this.#sumOf(name);
    if (sum !== null) this.#host.add(sum.group, record, this.#times.take(record, name));
  }

  /** Ignores kernels without a duration. */
  add(row: Annotated): void {
    const { record, op } = row;
    const dur = durationOf(record);
    if (dur === null) return;
    this.#time = addTimes(this.#time, dur);
    const sum = this.#sumOf(op);
    if (sum === null) {
      this.#otherTime = addTimes(this.#otherTime, dur);
      return;
    }
    this.#tally.add(sum.group, dur, row);
    if (communicates(record)) sum.communicating = addTimes(sum.communicating, dur);
    const { bound } = row.placement;
    if (bound !== null) addTo(sum.bounds, bound, dur);
    addLaunch(sum, row);
    this.#addStack(sum, row.trace, dur);
    const names = HOST_TABLES['hostop']?.namesOf(record);
    for (const name of names ?? []) this.#addWithin(name, dur);
    if (op === null || names?.has(op) !== true) this.#addWithin(op, dur);
  }

  #addWithin(op: string | null, dur: number): void {
    const sum = this.#sumOf(op);
    if (sum !== null) sum.within = addTimes(sum.within, dur);
  }

  /**
   * The ops with the largest times, and the tree of stacks, which is null when no kernel has a stack.
   * @param most maximum number of ops
   * @param stacks maximum number of stacks per op
   * @param nodes maximum number of nodes of the tree, without those for the ops' stacks
   */
  totals(most: number, stacks: number, nodes: number): { readonly ops: Ops; readonly stacks: StackTree | null } {
    // Ops that are only called by other ops also have a sum.
    const own = [...this.#sums.values()].filter((sum) => sum.kernels.count > 0 || this.#host.of(sum.group) !== null);
    const { shown, ...rest } = bounded(byHostTime(own, this.#host), most, this.#otherTime);
    const chosen = new Map(shown.map((sum) => [sum, longestStacks(sum, stacks)] as const));
    const made = this.#stacks.tree(
      nodes,
      [...chosen.values()].flatMap((own) => own.map(({ node }) => node)),
    );
    const placed = (own: readonly OpStack[]): OpStack[] =>
      own.flatMap((one) => {
        const node = made?.placeOf.get(one.node);
        return node === undefined ? [] : [{ ...one, node }];
      });
    const totals = shown.map((sum) => this.#totalOf(sum, placed(chosen.get(sum) ?? [])));
    return { ops: { shown: totals, ...rest, time: this.#time }, stacks: made?.tree ?? null };
  }

  #sumOf(op: string | null): OpSum | null {
    return boundedEntryOf(this.#sums, op, this.most, () => new OpSum(op, this.#sums.size, this.#tally));
  }

  #addStack(sum: OpSum, trace: readonly string[], dur: number): void {
    const node = this.#stacks.add(trace, dur);
    if (node === null) return;
    const known = sum.stacks.get(node);
    if (known !== undefined) {
      known.count++;
      known.time = addTimes(known.time, dur);
    } else if (this.#stackCount < MOST_STACKS) {
      this.#stackCount++;
      sum.stacks.set(node, { count: 1, time: dur });
    }
  }

  #totalOf(sum: OpSum, stacks: readonly OpStack[]): OpTotal {
    const { op, kernels, communicating, within, launch, launches, bounds } = sum;
    const { count, time, flops, bytes, ratedBytes, peak, bandwidth, matrixUnitShare: tc } = kernels;
    const host = this.#host.of(sum.group);
    const passes = host === null || host.passes === 0 ? null : host;
    const bound = largestEntry(bounds);
    return {
      ...{
        op,
        count,
        time,
        ...(communicating > 0 ? { communicating } : {}),
        within,
        launch: launches === 0 ? null : launch,
      },
      ...{ passes: passes?.passes ?? null, host: orNull(passes?.total ?? NaN), hostSelf: orNull(host?.self ?? NaN) },
      ...{ flops: knownSum(flops), bytes: knownSum(bytes) },
      flopsPerS: flops.time > 0 ? (flops.sum * NS_PER_S) / flops.time : null,
      bytesPerS: rated(ratedBytes, ratedBytes.sum * NS_PER_S),
      ofCompute: rated(peak, peak.sum / 100),
      ofMemory: rated(bandwidth, bandwidth.sum / 100),
      tc,
      bound: bound === null ? null : { name: bound[0], time: bound[1] },
      ...{ stacks, stackCount: sum.stacks.size },
    };
  }
}

/** Ops without device time come in this order, after the others. */
const byHostTime = (sums: readonly OpSum[], host: HostTimes): OpSum[] => {
  const timeOf = ({ group }: OpSum): number => orNull(host.of(group)?.total ?? NaN) ?? 0;
  return sums.toSorted((a, b) => timeOf(b) - timeOf(a));
};

const longestStacks = ({ stacks }: OpSum, most: number): OpStack[] =>
  [...stacks]
    .map(([node, { count, time }]) => ({ node, count, time }))
    .sort((a, b) => b.time - a.time)
    .slice(0, most);

function addLaunch(sum: OpSum, { record }: Annotated): void {
  const launch = launchOf(record);
  if (launch === null || launch.dur === null || record.graph !== undefined) return;
  if (sum.latest.get(launch.tid) === launch.start) return;
  sum.latest.set(launch.tid, launch.start);
  sum.launches++;
  sum.launch += launch.dur;
}
