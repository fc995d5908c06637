/** Turns annotated kernels into times and work by line of the program: the innermost frame of their call stack. */
import { addTo, boundedEntryOf, largestEntry } from '../../../containers/map-entry.js';
import { addTimes, durationOf } from '../../../record/fields/times.js';
import type { Annotated } from '../../annotate.js';
import { KernelTally, knownWork, type KernelWork } from '../../tally/kernel-tally.js';
import { bounded } from '../bounds.js';
import type { Lines, Ops } from '../page-data.js';
import type { LineTotal, OpTotal } from './kernel-data.js';

/** Maximum number of separate lines, and of ops of each: about 400 bytes a line and 100 an op. */
const MOST_LINES = 20_000;
const MOST_OPS = 100;

/** A frame that names a file and a line. */
const LINE = /.:\d+$/;

interface LineSum {
  readonly line: string | null;
  /** Number of the line in the tally. */
  readonly number: number;
  /** Time in ns by op. */
  readonly ops: Map<string, number>;
}

/** The values that the sums of lines need, from a kernel or from its event in a timeline. */
interface LineKernel extends KernelWork, Pick<Annotated, 'trace' | 'op'> {
  readonly record: Parameters<typeof durationOf>[0];
}

export class LineTotals {
  readonly #sums = new Map<string | null, LineSum>();
  readonly #tally = new KernelTally();
  /** Time in ns of all kernels, and of those whose lines exceed the limit. */
  #time = 0;
  #otherTime = 0;

  constructor(private readonly most = MOST_LINES) {}

  /** Ignores kernels without a duration. A backward kernel counts for the line of its forward op. */
  add(row: LineKernel): void {
    const dur = durationOf(row.record);
    if (dur === null) return;
    this.#time = addTimes(this.#time, dur);
    const line = row.trace.findLast((frame) => LINE.test(frame)) ?? null;
    const made = (): LineSum => ({ line, number: this.#sums.size, ops: new Map() });
    const sum = boundedEntryOf(this.#sums, line, this.most, made);
    if (sum === null) {
      this.#otherTime = addTimes(this.#otherTime, dur);
      return;
    }
    this.#tally.add(sum.number, dur, row);
    const { op } = row;
    if (op !== null && boundedEntryOf(sum.ops, op, MOST_OPS, () => 0) !== null) addTo(sum.ops, op, dur);
  }

  /** The ops, each with the line that took most of its time. */
  withLines(ops: Ops): Ops {
    const longest = new Map<string | null, NonNullable<OpTotal['line']>>();
    for (const { line: name, ops: times } of this.#sums.values())
      for (const [op, time] of times)
        if (name !== null && time > (longest.get(op)?.time ?? 0)) longest.set(op, { name, time });
    const shown = ops.shown.map((row): OpTotal => {
      const line = longest.get(row.op);
      return line === undefined ? row : { ...row, line };
    });
    return { ...ops, shown };
  }

  /** The lines with the largest times; null when no kernel has one. */
  totals(most: number): Lines | null {
    if ([...this.#sums.keys()].every((line) => line === null)) return null;
    const all = [...this.#sums.values()].map(({ line, number, ops }): LineTotal => {
      const { count, time, ...sums } = this.#tally.of(number);
      const work = knownWork(sums);
      const known = work.flopsKnown === undefined ? undefined : { flopsKnown: work.flopsKnown };
      const op = largestEntry(ops)?.[0] ?? null;
      return { line, count, time, op, ops: ops.size, flops: work.flops, ...known };
    });
    return { ...bounded(all, most, this.#otherTime), time: this.#time };
  }
}
