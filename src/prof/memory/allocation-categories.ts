/**
 * What allocations are for, in the categories of PyTorch's memory timeline, as far as ranges of the host and the time of the
 * release say so: no record names the tensor. `CATEGORY_RULES` has the rules; what none of them holds for stays unknown.
 * Memory: 40 bytes an allocation, and the ranges that are open.
 */
import { NumericColumn } from '../../containers/numeric-column.js';
import { entryOf } from '../../containers/map-entry.js';
import type { ProfileLine, RangeRecord } from '../../record/record.js';
import { opTitle, threadKey } from '../by/host/range-name.js';
import { HostSteps, stepOf } from '../steps/host-steps.js';

/** Categories by number. Source: torch/profiler/_memory_profiler.py. */
export const CATEGORIES = [
  ...(['PARAMETER', 'OPTIMIZER_STATE', 'INPUT', 'TEMPORARY'] as const),
  ...(['ACTIVATION', 'GRADIENT', 'AUTOGRAD_DETAIL', 'unknown'] as const),
] as const;
export type Category = (typeof CATEGORIES)[number];

/** In the order in which they are tried; those that are not here are never given. */
export const CATEGORY_RULES: readonly (readonly [Category, rule: string])[] = [
  ['TEMPORARY', 'released before the end of the outermost op, or backward node, that it was allocated in'],
  [
    'AUTOGRAD_DETAIL',
    "allocated in the backward pass, by autograd's engine, and released before the pass of its step ends",
  ],
  ['GRADIENT', 'allocated in the backward pass and held beyond it'],
  ['OPTIMIZER_STATE', 'allocated in Optimizer.step and held beyond the step'],
  ['ACTIVATION', 'allocated in an op before the backward pass of its step, and released during that'],
];

const ENGINE = /^autograd::engine::/;
const OPTIMIZER = /^Optimizer\.step#/;
/** An op of the dispatcher, or the node of one in the backward pass. */
const OP = /^(?!autograd::engine)(?:[\w.]+::[\w.]+|\w+Backward\d*)$/;

const [BACKWARD, OPTIMIZING, FORWARD] = [1, 2, 3] as const;

interface OpenRange {
  readonly text: string;
  readonly end: number;
}

export class AllocationCategories {
  /** Whether there are ranges, without which all is unknown. */
  hasRanges = false;
  readonly #open = new Map<string, OpenRange[]>();
  readonly #steps = new HostSteps();
  /** Ends of steps, and first begin and last end of their backward passes, by number. */
  readonly #stepEnds = new Map<number, number>();
  readonly #passes = new Map<number, { from: number; to: number }>();
  /** By allocation: its time, that of the release (Infinity for none), the end of its op, its phase, its step. */
  readonly #start = NumericColumn.floats();
  readonly #release = NumericColumn.floats();
  readonly #opEnd = NumericColumn.floats();
  readonly #phase = NumericColumn.codes();
  readonly #step = NumericColumn.floats();

  /** Takes a record, in order of start. */
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
    const open = entryOf(this.#open, threadKey(record), () => []);
    while ((open.at(-1)?.end ?? Infinity) < start) open.pop();
    open.push({ text, end: start + dur });
    const step = ENGINE.test(text) ? this.#steps.at(start) : null;
    if (step === null) return;
    const pass = entryOf(this.#passes, step, () => ({ from: start, to: start }));
    pass.to = Math.max(pass.to, start + dur);
  }

  /** Takes an allocation, after the ranges that began before it. @param op innermost one; @param release null for none */
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

  /** Ranges around a time on the only thread that is in the op then, outermost first; none where that is not one thread. */
  #around(time: number, op: string): readonly OpenRange[] {
    const title = opTitle(op);
    const found: (readonly OpenRange[])[] = [];
    for (const ranges of this.#open.values()) {
      const around = ranges.filter(({ end }) => end >= time);
      if (around.some(({ text }) => text === title)) found.push(around);
    }
    return found.length === 1 ? (found[0] ?? []) : [];
  }

  /** The number of an allocation's category. To be called after the last record. */
  of(allocation: number): number {
    return CATEGORIES.indexOf(this.#categoryOf(allocation));
  }

  #categoryOf(row: number): Category {
    const [release, step, phase] = [this.#release.at(row), this.#step.at(row), this.#phase.at(row)];
    if (release <= this.#opEnd.at(row)) return 'TEMPORARY';
    const pass = this.#passes.get(step);
    const end = this.#stepEnds.get(step) ?? Infinity;
    // A pass that lasts as long as the profile may go on after it.
    if (end === Infinity) return 'unknown';
    if (phase === OPTIMIZING) return release > end ? 'OPTIMIZER_STATE' : 'unknown';
    if (pass === undefined || pass.to > end) return 'unknown';
    if (phase === BACKWARD) return release > pass.to ? 'GRADIENT' : 'AUTOGRAD_DETAIL';
    const isSaved = release >= pass.from && release <= pass.to;
    return phase === FORWARD && this.#start.at(row) < pass.from && isSaved ? 'ACTIVATION' : 'unknown';
  }
}
