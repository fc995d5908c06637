/**
 * Turns the kernels of one profile into its part of a partial answer, in one pass. Memory: each group with its sums by
 * step, and up to 200,000 durations; all within bounds.
 */
import { entryOf } from '../../../containers/map-entry.js';
import { coarser, countedOf, merged, NO_VALUES, type CountedValues } from '../../../containers/counted-values.js';
import { elementAt } from '../../../containers/element.js';
import { addTimes, durationOf } from '../../../record/fields/times.js';
import type { CellValue } from '../../../table/column.js';
import type { Annotated, KernelColumn } from '../../annotate.js';
import { KernelTally } from '../../tally/kernel-tally.js';
import { ReportTally } from '../../report/report-tally.js';
import { OTHER_KERNELS, type GroupPart, type KernelPart, type OddKernels, encodeWork } from './kernel-part.js';

/** Maximum number of kernels whose durations are kept one by one. */
export const MOST_EXACT = 200_000;
/** Maximum number of groups, and of characters of their key values. */
const MOST_GROUPS = 30_000;
const MOST_TEXT = 4 * 1024 * 1024;
/** Maximum number of sums by group and step. */
const MOST_SUMS = 200_000;

/** Limits, which tests make smaller. */
export interface KernelPartBounds {
  readonly exact?: number;
  readonly groups?: number;
  readonly sums?: number;
}

interface StepSum {
  kernels: number;
  time: number;
}

class Group {
  /** Sums by index of the step. */
  readonly sums = new Map<number, StepSum>();
  /** Durations by index of the step, as long as every duration is kept. */
  readonly times = new Map<number, number[]>();
  spread: CountedValues = NO_VALUES;
  pending: number[] = [];
  readonly restInSteps: StepSum = { kernels: 0, time: 0 };
  readonly restInNone: StepSum = { kernels: 0, time: 0 };
  readonly negative: number[] = [];
  untimed = 0;
  readonly tally = new ReportTally(true, true);
  readonly abovePeak: number[] = [];

  /** @param number number of the group in the tally */
  constructor(
    readonly number: number,
    readonly key: readonly number[],
  ) {}

  /** Adds buffered durations to the spread. */
  settle(): void {
    this.spread = coarser(merged(this.spread, countedOf(Float64Array.from(this.pending))));
    this.pending = [];
  }
}

/** Number of durations of a group that are buffered before they are rounded to bins. */
const PENDING = 4096;

class KeyNumbers {
  readonly values: CellValue[] = [];
  readonly #numbers = new Map<string, number>();
  text = 0;

  numberOf(value: CellValue): number {
    const name = JSON.stringify(value);
    return entryOf(this.#numbers, name, () => {
      this.text += name.length;
      return this.values.push(value) - 1;
    });
  }
}

export class KernelPartBuilder {
  readonly #keys: readonly KeyNumbers[];
  readonly #groups = new Map<string, Group>();
  readonly #steps = new Map<number | null, number>();
  readonly #tally = new KernelTally();
  /** Whether durations are kept one by one. */
  #isExact = true;
  #isWhole = true;
  #kernels = 0;
  #sums = 0;
  /** Index of the first step without separate sums. */
  #cut = Infinity;
  #others = 0;

  /** @param columns the columns in which the kernels of a group are equal */
  constructor(
    private readonly columns: readonly KernelColumn[],
    private readonly bounds: KernelPartBounds = {},
  ) {
    this.#keys = columns.map(() => new KeyNumbers());
  }

  add(row: Annotated): void {
    const { step = null, id } = row.record;
    const dur = durationOf(row.record);
    const group = this.#groupOf(row);
    const before = group.tally.abovePeak;
    group.tally.count(row);
    if (group.tally.abovePeak > before && group.abovePeak.length < SHOWN) group.abovePeak.push(id);
    if (dur === null) {
      group.untimed++;
      return;
    }
    this.#tally.add(group.number, dur, row);
    this.#isWhole &&= Number.isSafeInteger(dur);
    if (dur < 0) group.negative.push(dur);
    else this.#addTime(group, step, dur);
  }

  #addTime(group: Group, step: number | null, dur: number): void {
    if (this.#isExact && ++this.#kernels > (this.bounds.exact ?? MOST_EXACT)) this.#makeCoarse();
    const place = entryOf(this.#steps, step, () => this.#steps.size);
    if (this.#isExact) {
      entryOf(group.times, place, (): number[] => []).push(dur);
      return;
    }
    this.#addSum(group, place, 1, dur);
    if (group.pending.push(dur) >= PENDING) group.settle();
  }

  /** Replaces individual durations with sums per step and a spread. */
  #makeCoarse(): void {
    this.#isExact = false;
    for (const group of this.#groups.values()) {
      for (const [place, times] of group.times) {
        this.#addSum(group, place, times.length, times.reduce(addTimes, 0));
        group.spread = merged(group.spread, countedOf(Float64Array.from(times)));
      }
      group.times.clear();
    }
  }

  #addSum(group: Group, place: number, kernels: number, time: number): void {
    if (place >= this.#cut) {
      this.#addRest(group, place, { kernels, time });
      return;
    }
    const sum = entryOf(group.sums, place, () => {
      this.#sums++;
      return { kernels: 0, time: 0 };
    });
    sum.kernels += kernels;
    sum.time = addTimes(sum.time, time);
    // Removes the sums of the last steps until there is room.
    while (this.#sums > (this.bounds.sums ?? MOST_SUMS) && this.#cut > 0) {
      this.#cut = Math.min(this.#cut, this.#steps.size) - 1;
      this.#dropSums();
    }
  }

  #dropSums(): void {
    for (const group of this.#groups.values()) {
      for (const [place, sum] of group.sums) {
        if (place < this.#cut) continue;
        group.sums.delete(place);
        this.#sums--;
        this.#addRest(group, place, sum);
      }
    }
  }

  #addRest(group: Group, place: number, { kernels, time }: StepSum): void {
    const rest = this.#steps.get(null) === place ? group.restInNone : group.restInSteps;
    rest.kernels += kernels;
    rest.time = addTimes(rest.time, time);
  }

  #groupOf(row: Annotated): Group {
    const isFull =
      this.#groups.size >= (this.bounds.groups ?? MOST_GROUPS) ||
      this.#keys.reduce((text, { text: keyText }) => text + keyText, 0) > MOST_TEXT;
    if (!isFull) return this.#entry(this.columns.map((column) => column.value(row)));
    const known = this.#groups.get(this.columns.map((column) => JSON.stringify(column.value(row))).join('\n'));
    if (known !== undefined) return known;
    this.#others++;
    return this.#entry(this.columns.map(() => OTHER_KERNELS));
  }

  #entry(values: readonly CellValue[]): Group {
    const name = values.map((value) => JSON.stringify(value)).join('\n');
    return entryOf(
      this.#groups,
      name,
      () =>
        new Group(
          this.#groups.size,
          values.map((value, i) => elementAt(this.#keys, i).numberOf(value)),
        ),
    );
  }

  /** @param pairing counts about pairing, known after all kernels were added */
  result(pairing: Pick<KernelPart, 'evicted' | 'incomplete'>): KernelPart {
    const steps = [...this.#steps.keys()];
    return {
      keys: this.columns.map(({ key }) => key),
      values: this.#keys.map(({ values }) => values),
      steps,
      exact: this.#isExact,
      differences: this.#isWhole,
      summedSteps: Math.min(this.#cut, steps.length),
      others: this.#others,
      ...pairing,
      groups: [...this.#groups.values()].map((group) => this.#partOf(group)),
    };
  }

  #partOf(group: Group): GroupPart {
    const work = encodeWork(this.#tally.of(group.number));
    const odd = oddOf(group);
    if (!this.#isExact) group.settle();
    return {
      key: group.key,
      ...(this.#isExact ? this.#exactTimes(group) : this.#coarseTimes(group)),
      ...(work.length === 0 ? {} : { work }),
      ...(Object.keys(odd).length === 0 ? {} : { odd }),
    };
  }

  #exactTimes({ times }: Group): Pick<GroupPart, 'times'> {
    if (times.size === 0) return {};
    const lists = [...times].sort(([a], [b]) => a - b);
    return { times: lists.map(([place, list]) => [place, ...this.#differences([...list].sort((a, b) => a - b))]) };
  }

  #coarseTimes({ spread, sums, restInSteps, restInNone }: Group): Pick<GroupPart, 'spread' | 'sums' | 'rest'> {
    const counts = [...spread.counts];
    const values = this.#differences([...spread.values]);
    const list = [...sums].sort(([a], [b]) => a - b);
    const pair = ({ kernels, time }: StepSum) => [kernels, time] as const;
    return {
      spread: values.flatMap((value, i) => [value, elementAt(counts, i)]),
      sums: list.map(([place, { kernels, time }]) => [place, kernels, time] as const),
      ...(restInSteps.kernels + restInNone.kernels === 0
        ? {}
        : { rest: [pair(restInSteps), pair(restInNone)] as const }),
    };
  }

  #differences(sorted: readonly number[]): number[] {
    if (!this.#isWhole) return [...sorted];
    return sorted.map((value, i) => value - (i === 0 ? 0 : elementAt(sorted, i - 1)));
  }
}

/** Maximum number of kernels above a peak that a report names. */
const SHOWN = 3;

function oddOf({ untimed, negative, tally, abovePeak: firstAbovePeak }: Group): OddKernels {
  const { withoutOp, unknownFlops, ambiguousForward, withoutForward, abovePeak, waits } = tally;
  const counts = { untimed, withoutOp, unknownFlops, ambiguousForward, withoutForward, abovePeak, waits };
  return {
    ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
    ...(negative.length === 0 ? {} : { negative: [...negative].sort((a, b) => a - b) }),
    ...(firstAbovePeak.length === 0 ? {} : { firstAbovePeak }),
  };
}
