/**
 * `--by`: groups kernels with equal keys, in one pass. Memory: each group, and the duration of each kernel, in typed arrays
 * outside of the heap; the number of groups and the size of their keys are limited.
 */
import type { CellValue } from '../../table/column.js';
import type { KernelColumn, Annotated } from '../annotate.js';
import { UserError } from '../../record/errors.js';
import type { RangeKind, RangeRecord } from '../../record/record.js';
import { durationOf } from '../../record/fields/times.js';
import { GroupRuns, type Durations } from './group-runs.js';
import { GroupDurations } from './group-durations.js';
import { GroupTree } from './group-tree.js';
import { HostTimes } from './host/host-times.js';
import { NamedTimes, rangeAmong } from './host/range-name.js';
import { KernelTally, type KernelSum } from '../tally/kernel-tally.js';
import { rowsOf, type Arrangement, type GroupRow } from './group-rows.js';

export const MOST_GROUPS = 300_000;
/** Maximum number of nodes of the tree (branches and groups); without a tree, of group keys. */
export const MOST_NODES = 1_500_000;
/** Maximum number of bytes of the keys' values. */
const MOST_TEXT = 64 * 1024 * 1024;

/** Maximum number of tree levels for one list. */
const DEEPEST = 500;

export interface GroupOptions {
  readonly keys: readonly KernelColumn[];
  /** How many leading entries of a list count; null for all. */
  readonly depth: number | null;
  /** Whether the report shows or sorts by anything other than times. */
  readonly amounts: boolean;
  /** Kind of the host ranges that belong to groups; null for none. */
  readonly hostKind?: RangeKind | null;
  readonly arrangement: Arrangement;
}

/** Groups of kernels with equal values in some columns. */
export class KernelGroups {
  readonly #tree: GroupTree;
  readonly #durations = new GroupDurations();
  readonly #runs = new GroupRuns();
  readonly #tally = new KernelTally();
  readonly #host: HostTimes;
  readonly #hostKinds: ReadonlySet<RangeKind>;
  readonly #times = new NamedTimes();
  /** Number of kernels in groups. */
  kernels = 0;
  /** Number of kernels without a duration. No group contains them. */
  untimed = 0;

  readonly #entries: number;

  constructor(private readonly options: GroupOptions) {
    const { keys, depth, arrangement, hostKind = null } = options;
    this.#host = new HostTimes(hostKind);
    this.#hostKinds = new Set(hostKind === null ? [] : [hostKind]);
    this.#tree = new GroupTree(keys.length, arrangement.tree);
    this.#entries = depth ?? (arrangement.tree ? DEEPEST : Infinity);
  }

  /** @throws UserError when there are too many groups */
  add(row: Annotated): void {
    const time = durationOf(row.record);
    if (time === null) {
      this.untimed++;
      return;
    }
    this.kernels++;
    const group = this.#tree.groupOf(this.options.keys.map((column) => this.#keyOf(column.value(row))));
    this.#check();
    this.#durations.add(group, time);
    this.#tally.add(group, time, this.options.amounts ? row : null);
  }

  /**
   * Adds kernels that are equal in the keys.
   * @param values values of the keys
   * @param sum sums over the kernels
   * @throws UserError when there are too many groups
   */
  addMany(values: readonly CellValue[], durations: Durations, sum: KernelSum): void {
    if (sum.count === 0) return;
    this.kernels += sum.count;
    const group = this.#tree.groupOf(values.map((value) => this.#keyOf(value)));
    this.#check();
    this.#runs.add(group, durations);
    this.#tally.merge(group, sum.numbers);
  }

  /** Whether there are so many distinct durations that medians and deviations are only accurate to 1.6 %. */
  get isCoarse(): boolean {
    return this.#runs.settle();
  }

  /**
   * Adds a host range, in order of start time.
   * @throws UserError when there are too many groups
   */
  addRange(found: RangeRecord): void {
    const record = rangeAmong(this.#hostKinds, found);
    if (record === null) return;
    const path = this.#host.pathOf(record);
    if (path === null) return;
    const group = this.#tree.groupOf([record.kind === 'op' ? (path[0] ?? null) : path.slice(0, this.#entries)]);
    this.#check();
    this.#host.add(group, record, path.length <= this.#entries ? this.#times.take(record, group) : null);
  }

  get hasRanges(): boolean {
    return !this.#host.isEmpty;
  }

  /** The rows of the report, in order; must be called after all kernels were added. */
  rows(): Generator<GroupRow> {
    const [tree, durations, runs, tally, host] = [this.#tree, this.#durations, this.#runs, this.#tally, this.#host];
    const data = { tree, durations, runs, tally, host };
    return rowsOf(data, this.options.arrangement);
  }

  #keyOf(value: CellValue): CellValue {
    const isLong = typeof value === 'object' && value !== null && value.length > this.#entries;
    return isLong ? value.slice(0, this.#entries) : value;
  }

  #check(): void {
    const { groups, size, bytes } = this.#tree;
    if (groups <= MOST_GROUPS && size <= MOST_NODES && bytes <= MOST_TEXT) return;
    const parts = this.options.arrangement.tree ? 'branches' : 'keys';
    const what =
      groups > MOST_GROUPS
        ? `groups: more than ${MOST_GROUPS}`
        : `${size > MOST_NODES ? `${parts}: more than ${MOST_NODES}` : `keys: their text takes more than ${MOST_TEXT} bytes`} for ${groups} groups`;
    throw new UserError(`too many ${what} after ${this.kernels} kernels`, {
      hint: 'group by fewer keys, or limit --depth',
    });
  }
}
