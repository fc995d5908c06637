/**
 * Records → rows: every kernel annotated, filtered, sorted. One pass; without a sort order nothing is kept but the state
 * of pairing and of op calls.
 */
import { completeKernel } from '../record/kernel-defaults.js';
import type { ProfileLine, ProfileRecord } from '../record/record.js';
import { Annotated } from './annotate.js';
import { OpCallBuffer } from './work/op-call-buffer.js';
import { ForwardKernels } from './pair.js';
import type { Peaks } from './roofline/peaks.js';
import type { KernelFilter, KernelSortKey } from './query/kernel-query.js';
import { SortedOutput } from './query/sort.js';
import { ReportTally } from './report-tally.js';

/** Records in their order, in batches of any size. */
export type RecordBatches = AsyncIterable<readonly ProfileLine[]> | Iterable<readonly ProfileLine[]>;

/** Which rows `report` returns, in which order. */
export interface ReportOptions<T> {
  /** Makes the output of a row. */
  readonly pack: (row: Annotated) => T;
  readonly where?: KernelFilter | undefined;
  /** The order of the input when not given. */
  readonly sort?: readonly KernelSortKey[] | undefined;
  /** Most rows. */
  readonly top?: number | undefined;
  /** Counts values that are unknown. */
  readonly tally?: ReportTally | undefined;
  /** Peak rates for every kernel; those of its own device when not given. */
  readonly device?: Peaks | undefined;
  /** Whether the report shows, filters or sorts by anything derived of ops; true when not given. */
  readonly derived?: boolean | undefined;
}

/** Annotates the kernels of a record stream; other records only provide context. */
export class Annotator {
  readonly #forward = new ForwardKernels();
  readonly #profiles = new Map<number, ProfileRecord>();

  readonly #queue = new OpCallBuffer();

  /**
   * @param device peak rates for every kernel, in place of its own device's
   * @param derived whether values derived from ops are needed
   */
  constructor(
    private readonly device: Peaks | null = null,
    private readonly derived = true,
  ) {}

  /**
   * Takes a record; returns the rows that are complete, in the order of their records: a kernel waits for the other
   * kernels of its op call, unless values derived from ops are not needed.
   */
  take(record: ProfileLine): readonly Annotated[] {
    if (record.type === 'profile') this.#profiles.set(record.profile, record);
    if (record.type !== 'kernel') return [];
    const profile = this.#profiles.get(record.profile) ?? null;
    const kernel = completeKernel(record);
    const row = new Annotated(kernel, profile, this.#forward.pair(kernel), this.device);
    return this.derived ? this.#queue.push(row) : [row];
  }

  /** Rows that still wait after the last record. */
  rest(): readonly Annotated[] {
    return this.#queue.rest();
  }

  /** Op calls whose work was distributed although some of their kernels were missing from the records. */
  get incomplete(): number {
    return this.#queue.incomplete;
  }

  /** Sequence ids of forward kernels evicted to stay within the memory budget. */
  get evicted(): number {
    return this.#forward.evicted;
  }
}

/**
 * The outputs of a report's rows, in batches. Without a sort order rows come in the order of their records, and with
 * `top` the input is read no further than needed.
 */
export async function* report<T>(batches: RecordBatches, options: ReportOptions<T>): AsyncGenerator<readonly T[]> {
  const { pack, where, sort = [], top = Infinity } = options;
  const tally = options.tally ?? new ReportTally();
  const annotator = new Annotator(options.device, options.derived);
  const sorted = sort.length > 0 ? new SortedOutput<T, Annotated>(sort, top) : null;
  let left = top;
  const packed: T[] = [];
  const take = (row: Annotated): void => {
    if (sorted === null && left === 0) return;
    tally.kernelsRead++;
    if (where?.(row) === false) return;
    tally.count(row);
    if (sorted !== null) sorted.add(row, pack);
    else {
      packed.push(pack(row));
      left--;
    }
  };
  for await (const batch of batches) {
    for (const record of batch) {
      annotator.take(record).forEach(take);
      if (sorted === null && left === 0) break;
    }
    tally.evicted = annotator.evicted;
    if (packed.length > 0) yield packed.splice(0);
    if (sorted === null && left === 0) return;
  }
  annotator.rest().forEach(take);
  tally.incomplete = annotator.incomplete;
  if (packed.length > 0) yield packed;
  if (sorted !== null) yield* sorted.batches();
}
