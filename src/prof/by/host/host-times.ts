/** Host time in the ranges that groups of kernels are named after, including ranges in which nothing was launched. */
import { append } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import type { RangeKind, RangeRecord } from '../../../record/record.js';
import { type NamedPass, hostRangeName, threadKey } from './range-name.js';

/** Sums over the ranges of a group, in ns. */
export interface HostTime {
  passes: number;
  /** Time that threads were in one of the ranges. */
  total: number;
  /** Time without inner ranges of any kind. */
  self: number;
}

/** Keys of `--by` that name ranges around the launch, with the kind of these ranges. */
export const HOST_KEYS: Readonly<Record<string, RangeKind>> = { ranges: 'annotation', layer: 'layer', op: 'op' };

/** Maximum number of open ranges per thread. Deeper ranges belong to no group. */
const MOST_OPEN = 500;

interface HostRange {
  readonly end: number;
  readonly name: string;
}

export class HostTimes {
  readonly #open = new Map<string, HostRange[]>();
  readonly #sums = new Map<number, HostTime>();

  /** @param kind the kind of the ranges to take; null for none */
  constructor(private readonly kind: RangeKind | null) {}

  /**
   * Names of the enclosing ranges and of the range itself, outermost first; for an op, only its own name, whatever called
   * it. Null for a range of another kind. Must be called in order of start time.
   */
  pathOf(record: RangeRecord): string[] | null {
    const { kind, start, dur } = record;
    if (kind !== this.kind) return null;
    const name = hostRangeName(record);
    if (kind === 'op') return [name];
    const end = start + dur;
    const open = entryOf(this.#open, threadKey(record), () => []);
    const around = open.filter((range) => range.end >= start);
    if (around.length >= MOST_OPEN) return null;
    const path = [...around.filter((range) => range.end >= end && range.end > start).map((range) => range.name), name];
    open.length = 0;
    append(open, [...around, { end, name }]);
    return path;
  }

  /** @param pass null when the group is that of an enclosing range */
  add(group: number, { self = NaN }: RangeRecord, pass: NamedPass | null): void {
    const sums = entryOf(this.#sums, group, (): HostTime => ({ passes: 0, total: 0, self: 0 }));
    sums.self += self;
    if (pass === null || pass.isAgain) return;
    sums.passes++;
    sums.total += pass.added;
  }

  /** Null for a group without ranges. */
  of(group: number): HostTime | null {
    return this.#sums.get(group) ?? null;
  }

  get isEmpty(): boolean {
    return this.#sums.size === 0;
  }
}
