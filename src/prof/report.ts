/**
 * Records → rows: every kernel annotated, filtered, in the order asked for. One pass; without a sort order nothing is
 * kept but what pairing needs.
 */
import type { ProfileLine, ProfileRecord } from '../record/record.js';
import { Annotated } from './annotate.js';
import { ForwardKernels } from './pair.js';
import { Sorted, type SortKey } from './sort.js';
import { Tally } from './summary.js';
import type { Condition } from './where.js';

/** Records as they come, in batches of any size. */
export type RecordBatches = AsyncIterable<readonly ProfileLine[]> | Iterable<readonly ProfileLine[]>;

export interface ReportOptions<T> {
  /** What is written of a row. */
  readonly pack: (row: Annotated) => T;
  readonly where?: Condition | undefined;
  /** Order of input when not given. */
  readonly sort?: readonly SortKey[] | undefined;
  /** How many rows at most. */
  readonly top?: number | undefined;
  /** Counts what could not be computed. */
  readonly tally?: Tally | undefined;
}

/** Kernels of a record stream, annotated; every other record is only listened to. */
export class Annotator {
  readonly #forward = new ForwardKernels();
  readonly #profiles = new Map<number, ProfileRecord>();

  /** The kernel's row, or null for a record that is no kernel. */
  row(record: ProfileLine): Annotated | null {
    if (record.type === 'profile') this.#profiles.set(record.profile, record);
    if (record.type !== 'kernel') return null;
    return new Annotated(record, this.#profiles.get(record.profile) ?? null, this.#forward.pair(record));
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
  const tally = options.tally ?? new Tally();
  const annotator = new Annotator();
  const sorted = sort.length > 0 ? new Sorted<T>(sort, top) : null;
  let left = top;
  for await (const batch of batches) {
    const packed: T[] = [];
    for (const record of batch) {
      const row = annotator.row(record);
      if (row === null) continue;
      tally.seen++;
      if (where?.(row) === false) continue;
      tally.count(row);
      if (sorted !== null) sorted.add(row, pack);
      else if (packed.push(pack(row)) && --left <= 0) break;
    }
    tally.evicted = annotator.evicted;
    if (packed.length > 0) yield packed;
    if (sorted === null && left <= 0) return;
  }
  if (sorted !== null) yield* sorted.batches();
}
