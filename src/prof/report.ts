/**
 * Records → rows: every kernel annotated, filtered, in the order asked for. One pass; without a sort order nothing is
 * kept but what pairing needs.
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

/** Records as they come, in batches of any size. */
export type RecordBatches = AsyncIterable<readonly ProfileLine[]> | Iterable<readonly ProfileLine[]>;

export interface ReportOptions<T> {
  /** What is written of a row. */
  readonly pack: (row: Annotated) => T;
  readonly where?: KernelFilter | undefined;
  /** Order of input when not given. */
  readonly sort?: readonly KernelSortKey[] | undefined;
  /** How many rows at most. */
  readonly top?: number | undefined;
  /** Counts what could not be computed. */
  readonly tally?: ReportTally | undefined;
  /** Peak rates to hold every kernel to; those of its own device when not given. */
  readonly device?: Peaks | undefined;
  /** Whether the report shows, filters or sorts by anything derived of ops; true when not given. */
  readonly derived?: boolean | undefined;
}

/** Kernels of a record stream, annotated; every other record is only listened to. */
export class Annotator {
  readonly #forward = new ForwardKernels();
  readonly #profiles = new Map<number, ProfileRecord>();

  readonly #queue = new OpCallBuffer();

  /**
   * @param device peak rates for every kernel, in place of its own device's
   * @param derived whether anything derived of ops is asked for
   */
  constructor(
    private readonly device: Peaks | null = null,
    private readonly derived = true,
  ) {}

  /**
   * Rows that a record makes ready, in the order of their records: a kernel waits until all kernels of its op call are
   * there, unless nothing that is derived of ops is asked for.
   */
  take(record: ProfileLine): readonly Annotated[] {
    if (record.type === 'profile') this.#profiles.set(record.profile, record);
    if (record.type !== 'kernel') return [];
    const profile = this.#profiles.get(record.profile) ?? null;
    const kernel = completeKernel(record);
    const row = new Annotated(kernel, profile, this.#forward.pair(kernel), this.device);
    return this.derived ? this.#queue.push(row) : [row];
  }

  /** Rows that still wait when the records have ended. */
  rest(): readonly Annotated[] {
    return this.#queue.rest();
  }

  /** Op calls whose work was given out although some of their kernels were not among the records. */
  get incomplete(): number {
    return this.#queue.incomplete;
  }

  /** Forward kernels forgotten to stay within the memory budget. */
  get evicted(): number {
    return this.#forward.evicted;
  }
}

/**
 * The rows of a report, packed, in batches. Without a sort order rows come as their records do, and with `top` the
 * input is read no further than needed.
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
