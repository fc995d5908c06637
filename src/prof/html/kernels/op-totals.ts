/**
 * Turns annotated kernels that do work, and host ranges, into times, work and call stacks by op, as in `dprof --by op`, and
 * into a tree of the frames of all call stacks.
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
import { flopsPerS, KernelTally, knownWork, rated, type KernelSum } from '../../tally/kernel-tally.js';
import { launchOf } from '../../input/device-activity.js';
import type { RooflineBound } from '../../roofline/roofline.js';
import { bounded } from '../bounds.js';
import type { Ops } from '../page-data.js';
import type { OpStack, OpTotal, StackTree } from './kernel-data.js';
import { StackTotals } from './stack-totals.js';
import { addTimes, durationOf } from '../../../record/fields/times.js';

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
  /** Call stacks, keyed by the innermost frame. */
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

  /** Must be called in order of start time. */
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
    const sums = [...this.#sums.values()].filter((sum) => sum.kernels.count > 0 || this.#host.of(sum.group) !== null);
    const { shown, ...rest } = bounded(byHostTime(sums, this.#host), most, this.#otherTime);
    const chosen = new Map(shown.map((sum) => [sum, longestStacks(sum, stacks)] as const));
    const made = this.#stacks.tree(
      nodes,
      [...chosen.values()].flatMap((opStacks) => opStacks.map(({ node }) => node)),
    );
    const placed = (opStacks: readonly OpStack[]): OpStack[] =>
      opStacks.flatMap((stack) => {
        const node = made?.placeOf.get(stack.node);
        return node === undefined ? [] : [{ ...stack, node }];
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
      ...knownWork(kernels),
      ...(bytes.kernels > 0 && ratedBytes.sum === 0 ? { isUnrated: true as const } : undefined),
      flopsPerS: flopsPerS(flops),
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
