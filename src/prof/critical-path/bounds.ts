/** What bounds a step: the kinds of time on its critical path. */

/** The kinds, and what each one is. Together they are the whole step. */
export const BOUNDS = {
  compute: 'kernels that compute, and graphs that were traced as a whole',
  communication: 'collectives and messages that no other work hides',
  copy: 'copies and memsets',
  launch: 'launch calls, and the time from a launch call to its work if the queue was empty',
  host: 'other code on the CPU: ops, calls to the device library, and the program between them',
  loading: 'fetching a batch from the data loader',
  sync: 'the end of a wait: the time from the end of the awaited work until the CPU continues',
  switch: 'gaps between two pieces of work that were both queued on the device',
  unknown: 'time whose cause is not in the profile',
} as const;

export type Bound = keyof typeof BOUNDS;

export const BOUND_NAMES = Object.keys(BOUNDS) as readonly Bound[];

/** Why the cause of some time is unknown. */
export const MISSING = {
  launch: 'work without its launch',
  wait: 'work that started later than its launch and its queue explain',
  awaited: 'waits of the CPU for work that is not in the profile',
  begin: 'the beginning of a thread or a stream',
} as const;

export type Missing = keyof typeof MISSING;

/** Something that a part of the path was spent on. */
export interface Piece {
  readonly bound: Bound;
  /** Op, kernel, call or range. */
  readonly name: string;
  /** Innermost source line; null when not known. */
  readonly line: string | null;
}

/** Maximum number of distinct pieces; later ones have the name `(other)`. */
const MOST_PIECES = 100_000;

/** Numbers for pieces, so that edges hold a number. */
export class Pieces {
  readonly #numbers = new Map<string, number>();
  readonly #pieces: Piece[] = [];

  numberOf(bound: Bound, name: string, line: string | null = null): number {
    const key = `${bound} ${name}\n${line ?? ''}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    if (this.#pieces.length >= MOST_PIECES && name !== OTHER) return this.numberOf(bound, OTHER);
    this.#numbers.set(key, this.#pieces.length);
    this.#pieces.push({ bound, name, line });
    return this.#pieces.length - 1;
  }

  /** All pieces, by number. */
  get all(): readonly Piece[] {
    return this.#pieces;
  }

  at(number: number): Piece {
    const piece = this.#pieces[number];
    if (piece === undefined) throw new RangeError(`no piece ${number}`);
    return piece;
  }
}

const OTHER = '(other)';
