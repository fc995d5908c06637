/** Changes of a program whose effect a replay predicts: `op==mm: 0.5`, `communication: 0`. */
import { UsageError } from '../../record/errors.js';
import type { Annotated } from '../annotate.js';
import { parseWhere, type KernelFilter } from '../query/kernel-query.js';
import { BOUND_NAMES, type Bound } from './bounds.js';
import { WorkKinds } from './equal-ranks.js';

/** Something that takes another time: kernels that match, or all time of a kind. */
interface Change {
  readonly kernels: KernelFilter | null;
  readonly bound: Bound | null;
  /** By which its time is multiplied. */
  readonly factor: number;
}

/** Other words for kinds of time. */
const ALSO: Readonly<Record<string, Bound>> = { collective: 'communication', collectives: 'communication' };

const boundOf = (text: string): Bound | null =>
  ALSO[text] ?? BOUND_NAMES.find((bound) => bound === text && bound !== 'unknown') ?? null;

/** @throws UsageError for a text without a factor, and for a filter that cannot be parsed */
function parseChange(text: string): Change {
  const [, what = '', factor = ''] = /^(.*\S) *: *(\d{1,9}(?:\.\d{1,9})?)$/.exec(text.trim()) ?? [];
  if (factor === '')
    throw new UsageError(`--what-if takes EXPR: FACTOR, not '${text}'`, "for example --what-if 'op==mm: 0.5'");
  const bound = boundOf(what);
  return { bound, kernels: bound === null ? parseWhere(what) : null, factor: Number(factor) };
}

/** The change that makes all ranks equally fast. */
const EQUAL = /^ranks *: *equal$/;

/** Several changes at once; their factors multiply. */
export class WhatIf {
  readonly #changes: readonly Change[];
  /** Kinds of work by which ranks are compared; null unless they are to be equally fast. */
  readonly kinds: WorkKinds | null;

  /** @throws UsageError for a text that is not a change */
  constructor(texts: readonly string[]) {
    const isEqual = (text: string): boolean => EQUAL.test(text.trim());
    this.kinds = texts.some(isEqual) ? new WorkKinds() : null;
    this.#changes = texts.filter((text) => !isEqual(text)).map(parseChange);
  }

  /** By which the time of a kernel is multiplied. */
  factorOf(kernel: Annotated): number {
    return this.#changes.reduce((all, { kernels, factor }) => (kernels?.(kernel) === true ? all * factor : all), 1);
  }

  factorOfBound(bound: Bound): number {
    return this.#changes.reduce((all, change) => (change.bound === bound ? all * change.factor : all), 1);
  }
}
