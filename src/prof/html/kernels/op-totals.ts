/** Annotated kernels and ranges of the host → times, work and call stacks by op, as `dprof --by op` adds them up. */
import { addTo, boundedEntryOf, largestEntry } from '../../../containers/map-entry.js';
import { orNull } from '../../../containers/numeric-column.js';
import type { RangeRecord } from '../../../record/record.js';
import { NS_PER_S } from '../../../record/units.js';
import type { Annotated } from '../../annotate.js';
import { GroupWorkSums, matrixUnitShare } from '../../by/group-work.js';
import { HOST_TABLES } from '../../by/host/host-table.js';
import { HostTimes } from '../../by/host/host-times.js';
import { NamedTimes, hostRangeName, rangeAmong } from '../../by/host/range-name.js';
import { launchOf } from '../../input/device-activity.js';
import type { RooflineBound } from '../../roofline/roofline.js';
import { bounded } from '../bounds.js';
import type { Ops } from '../page-data.js';
import type { OpStack, OpTotal, StackTree } from './kernel-data.js';
import { StackTotals } from './stack-tree.js';
import { addTimes, durationOf } from '../../../record/fields/times.js';

/** Ops that are kept apart, each of about 500 bytes, and call stacks of all of them together. */
const MOST_OPS = 20_000;
const MOST_STACKS = 100_000;

const OPS = new Set(['op'] as const);

class OpSum {
  count = 0;
  time = 0;
  within = 0;
  launch = 0;
  launches = 0;
  /** Start of the latest launch by thread: one call may launch several kernels. */
  readonly latest = new Map<number | null, number>();
  readonly bounds = new Map<RooflineBound, number>();
  /** By innermost frame. */
  readonly stacks = new Map<number, { count: number; time: number }>();

  constructor(
    readonly op: string | null,
    readonly group: number,
  ) {}
}

export class OpTotals {
  readonly #sums = new Map<string | null, OpSum>();
  readonly #work = new GroupWorkSums();
  readonly #host = new HostTimes('op');
  readonly #times = new NamedTimes();
  readonly #stacks = new StackTotals();
  #stackCount = 0;
  /** ns of all kernels, and of those of ops beyond the bound. */
  #time = 0;
  #otherTime = 0;

  constructor(private readonly most = MOST_OPS) {}

  /** In order of start. */
  range(found: RangeRecord): void {
    const record = rangeAmong(OPS, found);
    if (record === null) return;
    const name = hostRangeName(record);
    const sum = this.#sumOf(name);
    if (sum !== null) this.#host.add(sum.group, record, this.#times.take(record, name));
  }

  /** Kernels without a duration are left out. */
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
    sum.count++;
    sum.time = addTimes(sum.time, dur);
    this.#work.add(sum.group, row, dur);
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
   * The ops with the most time, and the tree of stacks; null for the tree where no kernel has a stack.
   * @param most ops
   * @param stacks of an op
   * @param nodes of the tree, without those of the ops' stacks
   */
  totals(most: number, stacks: number, nodes: number): { readonly ops: Ops; readonly stacks: StackTree | null } {
    // Ops that are only called by others have a sum too.
    const own = [...this.#sums.values()].filter(({ count, group }) => count > 0 || this.#host.of(group) !== null);
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
    return boundedEntryOf(this.#sums, op, this.most, () => new OpSum(op, this.#sums.size));
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
    const { op, count, time, within, launch, launches, bounds, group } = sum;
    const { flops, bytes, ratedBytes, peak, bandwidth, matrixUnit } = this.#work.of(Uint32Array.of(group), 0, 1);
    const host = this.#host.of(group);
    const passes = host === null || host.passes === 0 ? null : host;
    const bound = largestEntry(bounds);
    return {
      ...{ op, count, time, within, launch: launches === 0 ? null : launch },
      ...{ passes: passes?.passes ?? null, host: orNull(passes?.total ?? NaN), hostSelf: orNull(host?.self ?? NaN) },
      flops: flops.kernels > 0 ? flops.sum : null,
      bytes: bytes.kernels > 0 ? bytes.sum : null,
      flopsPerS: over(flops.sum * NS_PER_S, flops.time),
      bytesPerS: over(ratedBytes.sum * NS_PER_S, ratedBytes.time),
      ofCompute: over(peak.sum / 100, peak.time),
      ofMemory: over(bandwidth.sum / 100, bandwidth.time),
      tc: matrixUnitShare(matrixUnit.sum, matrixUnit.time, time),
      bound: bound === null ? null : { name: bound[0], time: bound[1] },
      ...{ stacks, stackCount: sum.stacks.size },
    };
  }
}

const over = (amount: number, by: number): number | null => (by > 0 ? amount / by : null);

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
