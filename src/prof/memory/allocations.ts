/**
 * Memory held by each op over time, from allocations in order of start time. Memory: 24 bytes for each live allocation
 * that will be released, and one entry per op.
 */
import { elementAt } from '../../containers/element.js';
import { NumericColumn } from '../../containers/numeric-column.js';
import { OpenSpans } from '../../containers/nesting.js';
import { entryOf } from '../../containers/map-entry.js';
import type { ProfileLine, RangeRecord } from '../../record/record.js';
import { opTitle, threadKey } from '../by/host/range-name.js';
import { HostSteps, stepOf } from '../steps/host-steps.js';

/** Categories by number. Source: torch/profiler/_memory_profiler.py. */
export const CATEGORIES = [
  ...(['PARAMETER', 'OPTIMIZER_STATE', 'INPUT', 'TEMPORARY'] as const),
  ...(['ACTIVATION', 'GRADIENT', 'AUTOGRAD_DETAIL', 'unknown'] as const),
] as const;
type Category = (typeof CATEGORIES)[number];

/** In the order in which they are tried; categories that are not listed are never assigned. */
export const CATEGORY_RULES: readonly (readonly [Category, rule: string])[] = [
  ['TEMPORARY', 'released before the end of the outermost op or backward node that allocated it'],
  [
    'AUTOGRAD_DETAIL',
    "allocated in the backward pass, by autograd's engine, and released before the pass of its step ends",
  ],
  ['GRADIENT', 'allocated in the backward pass and held longer than the pass'],
  ['OPTIMIZER_STATE', 'allocated in Optimizer.step and held longer than the step'],
  ['ACTIVATION', 'allocated in an op before the backward pass of its step, and released during that pass'],
];

const ENGINE = /^autograd::engine::/;
const OPTIMIZER = /^Optimizer\.step#/;
/** An op of the dispatcher, or its node in the backward pass. */
const OP = /^(?!autograd::engine)(?:[\w.]+::[\w.]+|\w+Backward\d*)$/;

const [BACKWARD, OPTIMIZING, FORWARD] = [1, 2, 3] as const;

interface OpenRange {
  readonly text: string;
  readonly end: number;
}

/**
 * The purpose of allocations, in the categories of PyTorch's memory timeline, as far as host ranges and the time of the
 * release determine it: no record names the tensor. `CATEGORY_RULES` has the rules; if none applies, the category is
 * unknown. Memory: 40 bytes per allocation, and the open ranges.
 */
export class AllocationCategories {
  /** Whether there are ranges. Without them, all categories are unknown. */
  hasRanges = false;
  readonly #open = new Map<string, OpenSpans<OpenRange>>();
  readonly #steps = new HostSteps();
  /** Ends of steps, and first start and last end of their backward passes, by step number. */
  readonly #stepEnds = new Map<number, number>();
  readonly #passes = new Map<number, { from: number; to: number }>();
  /** For each allocation: its start, its release (Infinity for none), the end of its outermost op, its phase, its step. */
  readonly #start = NumericColumn.floats();
  readonly #release = NumericColumn.floats();
  readonly #opEnd = NumericColumn.floats();
  readonly #phase = NumericColumn.codes();
  readonly #step = NumericColumn.floats();

  /** Takes a record, in order of start time. */
  take(record: ProfileLine): void {
    const step = stepOf(record);
    if (step !== null) {
      this.#steps.add(step);
      this.#stepEnds.set(step.step, Math.max(step.end, this.#stepEnds.get(step.step) ?? -Infinity));
    } else if (record.type === 'range' && (record.kind === 'op' || record.kind === 'annotation')) this.#range(record);
  }

  #range(record: RangeRecord): void {
    this.hasRanges = true;
    const { start, dur } = record;
    const text = opTitle(record.text);
    const open = entryOf(
      this.#open,
      threadKey(record),
      () => new OpenSpans<OpenRange>(({ end }) => end, { touching: true }),
    );
    open.close(start);
    open.push({ text, end: start + dur }, start);
    const step = ENGINE.test(text) ? this.#steps.at(start) : null;
    if (step === null) return;
    const pass = entryOf(this.#passes, step, () => ({ from: start, to: start }));
    pass.to = Math.max(pass.to, start + dur);
  }

  /**
   * Takes an allocation, after the ranges that began before it.
   * @param release null for none
   * @param op innermost op
   */
  add(start: number, release: number | null, op: string): void {
    const around = this.#around(start, op);
    const has = (name: RegExp): boolean => around.some(({ text }) => name.test(text));
    const outermost = around.find(({ text }) => OP.test(text));
    this.#start.push(start);
    this.#release.push(release ?? Infinity);
    this.#opEnd.push(outermost?.end ?? NaN);
    this.#phase.push(has(ENGINE) ? BACKWARD : has(OPTIMIZER) ? OPTIMIZING : outermost === undefined ? 0 : FORWARD);
    this.#step.push(this.#steps.at(start) ?? NaN);
  }

  /**
   * Ranges around a time, outermost first, on the only thread that is in the op at that time; empty when there is no
   * such thread, or several.
   */
  #around(time: number, op: string): readonly OpenRange[] {
    const title = opTitle(op);
    const found: (readonly OpenRange[])[] = [];
    for (const [thread, ranges] of this.#open) {
      const around = ranges.allLasting(time);
      // Threads whose ranges have ended are not searched again, because programs may start a thread for each piece of
      // work.
      if (around.length === 0) this.#open.delete(thread);
      if (around.some(({ text }) => text === title)) found.push(around);
    }
    return found.length === 1 ? (found[0] ?? []) : [];
  }

  /** Number of an allocation's category. Must be called after the last record. */
  of(allocation: number): number {
    return CATEGORIES.indexOf(this.#categoryOf(allocation));
  }

  #categoryOf(row: number): Category {
    const [release, step, phase] = [this.#release.at(row), this.#step.at(row), this.#phase.at(row)];
    if (release <= this.#opEnd.at(row)) return 'TEMPORARY';
    const pass = this.#passes.get(step);
    const end = this.#stepEnds.get(step) ?? Infinity;
    // A pass that lasts until the end of the profile may continue after it.
    if (end === Infinity) return 'unknown';
    if (phase === OPTIMIZING) return release > end ? 'OPTIMIZER_STATE' : 'unknown';
    if (pass === undefined || pass.to > end) return 'unknown';
    if (phase === BACKWARD) return release > pass.to ? 'GRADIENT' : 'AUTOGRAD_DETAIL';
    const isSaved = release >= pass.from && release <= pass.to;
    return phase === FORWARD && this.#start.at(row) < pass.from && isSaved ? 'ACTIVATION' : 'unknown';
  }
}

/** Memory held by one op, or of one category. */
export interface Owner {
  readonly name: string;
  readonly bytes: number;
  /** Null when the profile has only sums. */
  readonly allocations: number | null;
}

interface Owners {
  /** Op of the newest allocation; null when there is none yet. */
  readonly latest: string | null;
  /** Owners by op, largest first. */
  readonly ops: readonly Owner[];
  readonly categories: readonly Owner[];
  readonly bytes: number;
}

interface Held {
  readonly bytes: number;
  readonly allocations: number;
}

const NONE: Held = { bytes: 0, allocations: 0 };

const plus = (held: Held, bytes: number, allocations: number): Held => ({
  bytes: held.bytes + bytes,
  allocations: held.allocations + allocations,
});

/** Allocations that will be released, earliest release first: a binary heap in arrays of numbers. */
class Releases {
  readonly #ends: number[] = [];
  readonly #bytes: number[] = [];
  readonly #ops: number[] = [];

  get next(): number {
    return this.#ends[0] ?? Infinity;
  }

  add(end: number, bytes: number, op: number): void {
    this.#ends.push(end);
    this.#bytes.push(bytes);
    this.#ops.push(op);
    for (let at = this.#ends.length - 1; at > 0;) {
      const parent = (at - 1) >> 1;
      if (this.#endAt(parent) <= this.#endAt(at)) break;
      this.#swap(parent, at);
      at = parent;
    }
  }

  take(): { readonly bytes: number; readonly op: number } {
    const last = this.#ends.length - 1;
    this.#swap(0, last);
    const taken = { bytes: elementAt(this.#bytes, last), op: elementAt(this.#ops, last) };
    for (const column of [this.#ends, this.#bytes, this.#ops]) column.pop();
    for (let at = 0; ;) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2]) if (this.#endAt(child) < this.#endAt(least)) least = child;
      if (least === at) return taken;
      this.#swap(least, at);
      at = least;
    }
  }

  #endAt(at: number): number {
    return this.#ends[at] ?? Infinity;
  }

  #swap(a: number, b: number): void {
    for (const column of [this.#ends, this.#bytes, this.#ops]) {
      [column[a], column[b]] = [elementAt(column, b), elementAt(column, a)];
    }
  }
}

/** The memory held at a time, as numbers only, so that it is cheap to copy. */
export interface Holding {
  /** Bytes and number of allocations by op. */
  readonly bytes: readonly number[];
  readonly allocations: readonly number[];
  /** Allocations that are released before the profile ends, and those that are not. */
  readonly released: Held;
  readonly kept: Held;
  /** Op of the newest allocation. */
  readonly latest: number | null;
}

export class Allocations {
  readonly #releases = new Releases();
  readonly #names: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #bytes: number[] = [];
  readonly #allocations: number[] = [];
  #released = NONE;
  #kept = NONE;
  #latest: number | null = null;
  count = 0;

  /** @param end null for memory that is not released before the profile ends */
  add(op: string, bytes: number, end: number | null): void {
    const number = this.#numberOf(op);
    this.count++;
    this.#latest = number;
    this.#change(number, bytes, 1);
    if (end === null) this.#kept = plus(this.#kept, bytes, 1);
    else {
      this.#released = plus(this.#released, bytes, 1);
      this.#releases.add(end, bytes, number);
    }
  }

  /** Counts an allocation of unknown lifetime. */
  note(op: string): void {
    this.#latest = this.#numberOf(op);
  }

  /** Removes the allocations that are released by this time. */
  releaseUntil(time: number): void {
    while (this.#releases.next <= time) {
      const { bytes, op } = this.#releases.take();
      this.#change(op, -bytes, -1);
      this.#released = plus(this.#released, -bytes, -1);
    }
  }

  get holding(): Holding {
    return {
      bytes: [...this.#bytes],
      allocations: [...this.#allocations],
      released: this.#released,
      kept: this.#kept,
      latest: this.#latest,
    };
  }

  ownersOf({ bytes, allocations, released, kept, latest }: Holding): Owners {
    const ops = bytes
      .map((size, op) => ({ name: elementAt(this.#names, op), bytes: size, allocations: elementAt(allocations, op) }))
      .filter((owner) => owner.allocations > 0)
      .sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1));
    const categories = [
      { name: 'released later', ...released },
      { name: 'never released', ...kept },
    ];
    const newest = latest === null ? null : elementAt(this.#names, latest);
    return { latest: newest, ops, categories, bytes: released.bytes + kept.bytes };
  }

  #numberOf(op: string): number {
    let number = this.#numbers.get(op);
    if (number === undefined) {
      number = this.#names.push(op) - 1;
      this.#numbers.set(op, number);
      this.#bytes.push(0);
      this.#allocations.push(0);
    }
    return number;
  }

  #change(op: number, bytes: number, allocations: number): void {
    this.#bytes[op] = elementAt(this.#bytes, op) + bytes;
    this.#allocations[op] = elementAt(this.#allocations, op) + allocations;
  }
}
