/**
 * Turns records into rows: every kernel annotated, filtered, sorted. Runs in one pass; without a sort order it keeps only
 * the state of pairing and of op calls.
 */
import { completeKernel } from '../../record/fields/record-fields.js';
import type { ProfileLine, ProfileRecord } from '../../record/record.js';
import type { Item } from '../analysis.js';
import { CONVENTIONS, type Convention } from '../../ops/family.js';
import { UsageError } from '../../record/errors.js';
import { Annotated } from '../annotate.js';
import { OpCallBuffer } from '../work/op-call-buffer.js';
import { ForwardKernels } from '../work/forward-pairing.js';
import type { Peaks } from '../roofline/peaks.js';
import type { KernelFilter, KernelSortKey } from '../query/kernel-query.js';
import { SortedOutput } from '../query/sort.js';
import { ReportTally } from './report-tally.js';

/** Conventions for counting work, except the default. */
export const CONVENTION_NAMES: readonly string[] = CONVENTIONS;

/** @throws UsageError for an unknown name */
export function parseConvention(text: string): Convention {
  const found = CONVENTIONS.find((name) => name === text);
  if (found === undefined)
    throw new UsageError(`unknown convention '${text}'`, `--convention takes ${CONVENTIONS.join()}`);
  return found;
}

/** Records in order, in batches of any size. */
export type RecordBatches = AsyncIterable<readonly ProfileLine[]> | Iterable<readonly ProfileLine[]>;

/** Selection and order of the rows. */
export interface ReportOptions<T> {
  /** Makes the output for a row. */
  readonly pack: (row: Annotated) => T;
  readonly where?: KernelFilter | undefined;
  /** Input order when absent. */
  readonly sort?: readonly KernelSortKey[] | undefined;
  /** Maximum number of rows. */
  readonly top?: number | undefined;
  /** Counts unknown values. */
  readonly tally?: ReportTally | undefined;
}

/** Annotates the kernels of a record stream; other records only provide context. */
export class Annotator {
  readonly #forward = new ForwardKernels();
  readonly #profiles = new Map<number, ProfileRecord>();

  readonly #queue = new OpCallBuffer();

  /**
   * @param device peak rates for every kernel, instead of those of its device
   * @param derived whether values derived from ops are needed
   * @param convention convention for counting work; null for the default
   */
  constructor(
    private readonly device: Peaks | null = null,
    private readonly derived = true,
    private readonly convention: Convention | null = null,
  ) {}

  /**
   * Takes a record; returns the completed rows in the order of their records. A kernel waits for the other kernels of its
   * op call, unless values derived from ops are not needed.
   */
  take(record: ProfileLine): readonly Annotated[] {
    if (record.type === 'profile') this.#profiles.set(record.profile, record);
    if (record.type !== 'kernel') return [];
    const profile = this.#profiles.get(record.profile) ?? null;
    const kernel = completeKernel(record);
    const row = new Annotated(kernel, profile, this.#forward.pair(kernel), this.device, this.convention);
    return this.derived ? this.#queue.push(row) : [row];
  }

  /** Rows that are still waiting after the last record. */
  rest(): readonly Annotated[] {
    return this.#queue.rest();
  }

  /** Passes on the record, and then the kernels that it completes. */
  pass(record: ProfileLine, to: (item: Item) => void): void {
    to(record);
    for (const row of this.take(record)) to(row);
  }

  /** Passes on the kernels that are still waiting after the last record. */
  passRest(to: (item: Item) => void): void {
    for (const row of this.rest()) to(row);
  }

  /** Number of op calls whose work was distributed although some of their kernels were missing from the records. */
  get incomplete(): number {
    return this.#queue.incomplete;
  }

  /** Number of sequence ids of forward kernels that were evicted to stay within the memory budget. */
  get evicted(): number {
    return this.#forward.evicted;
  }
}

/**
 * Turns annotated kernels into the rows of a report: filtered, packed, in the requested order. Without a sort order, rows
 * are in the order of their records; with `top`, no more than that many.
 */
export class ReportRows<T> {
  readonly #sorted: SortedOutput<T, Annotated> | null;
  readonly #packed: T[] = [];
  #left: number;
  readonly tally: ReportTally;

  constructor(private readonly options: ReportOptions<T>) {
    const { sort = [], top = Infinity, tally = new ReportTally() } = options;
    this.#sorted = sort.length > 0 ? new SortedOutput<T, Annotated>(sort, top) : null;
    this.#left = top;
    this.tally = tally;
  }

  /** Whether no further kernel can be in the report. */
  get isComplete(): boolean {
    return this.#sorted === null && this.#left === 0;
  }

  add(row: Annotated): void {
    if (this.isComplete) return;
    const { where, pack } = this.options;
    this.tally.kernelsRead++;
    if (where?.(row) === false) return;
    this.tally.count(row);
    if (this.#sorted !== null) this.#sorted.add(row, pack);
    else {
      this.#packed.push(pack(row));
      this.#left--;
    }
  }

  /** Rows that are ready since the last call. */
  takeReady(): readonly T[] {
    return this.#packed.length === 0 ? [] : this.#packed.splice(0);
  }

  /** The remaining rows, when all kernels were added. */
  *rest(): Generator<readonly T[]> {
    const ready = this.takeReady();
    if (ready.length > 0) yield ready;
    if (this.#sorted !== null) yield* this.#sorted.batches();
  }
}
