/**
 * `--by`: kernels → groups of equal keys, in one pass. Memory: each group, and the duration of each kernel.
 */
import { UserError } from '../../record/errors.js';
import type { Annotated } from '../annotate.js';
import type { Column, Value } from '../columns.js';
import { Amounts } from './amounts.js';
import { Durations } from './durations.js';
import { rowsOf, type Arrangement, type Group, type GroupRow } from './rows.js';

/** Groups that are kept, and characters of their keys. */
export const MOST_GROUPS = 300_000;
const MOST_TEXT = 64 * 1024 * 1024;

/** Of all groups where only times are asked for. */
const NOTHING_DONE = new Amounts();

/** Levels of a tree that one list makes at most. */
const DEEPEST = 500;

export interface GroupOptions {
  readonly keys: readonly Column[];
  /** Lists count with this many of their first entries; null for all. */
  readonly depth: number | null;
  /** Whether anything but times is asked for. */
  readonly amounts: boolean;
  readonly arrangement: Arrangement;
}

export class Groups {
  readonly #ids = new Map<Value, number>();
  readonly #groups: Group[] = [];
  readonly #durations = new Durations();
  #text = 0;
  /** Kernels in groups. */
  kernels = 0;
  /** Kernels without a duration, which are in none. */
  untimed = 0;

  readonly #entries: number;

  constructor(private readonly options: GroupOptions) {
    this.#entries = options.depth ?? (options.arrangement.tree ? DEEPEST : Infinity);
  }

  /** @throws UserError when there are more groups than can be kept */
  add(row: Annotated): void {
    const { dur } = row.record;
    if (dur === null || !Number.isFinite(dur)) {
      this.untimed++;
      return;
    }
    this.kernels++;
    const id = this.#idOf(this.options.keys.map((column) => this.#keyOf(column.value(row))));
    this.#durations.add(id, dur);
    if (this.options.amounts) this.#groups[id]?.amounts.add(row, dur);
  }

  /** The rows of the report, in its order, when all kernels are there. */
  rows(): Generator<GroupRow> {
    this.#ids.clear();
    return rowsOf(this.#groups, this.#durations, this.options.arrangement);
  }

  #keyOf(value: Value): Value {
    const isLong = typeof value === 'object' && value !== null && value.length > this.#entries;
    return isLong ? value.slice(0, this.#entries) : value;
  }

  #idOf(keys: readonly Value[]): number {
    const [only] = keys;
    // A column has lists or texts, never both: the text of a list is no other value's.
    const isPlain = keys.length === 1 && (typeof only !== 'object' || only === null);
    const identity = isPlain ? (only ?? null) : JSON.stringify(keys);
    const known = this.#ids.get(identity);
    if (known !== undefined) return known;
    const id = this.#groups.length;
    if (typeof identity === 'string') this.#text += identity.length;
    if (id >= MOST_GROUPS || this.#text > MOST_TEXT) {
      throw new UserError(`too many groups: ${id} of ${this.kernels} kernels so far`, {
        hint: '--by takes what kernels have in common: fewer keys, or a --depth',
      });
    }
    this.#ids.set(identity, id);
    this.#groups.push({ keys, amounts: this.options.amounts ? new Amounts() : NOTHING_DONE });
    return id;
  }
}
