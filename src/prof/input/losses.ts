/** Data that readers could not read from their inputs. Every answer reports it. Memory: one row per kind of loss. */
import { entryOf } from '../../containers/map-entry.js';
import type { EndRecord } from '../../record/record.js';
import { faultsIn } from '../check/faults.js';

/** A kind of loss, an element of `doubts` in an answer. */
export interface Doubt {
  readonly diagnostic: string;
  /** What `count` counts, in words. */
  readonly text: string;
  readonly count: number;
  /** Number of profiles with such a loss, and the file of the first. */
  readonly profiles: number;
  readonly file: string;
}

/** Launches of kernels and graphs whose work the profiler lost, although a reader read all that is there. */
export const isOfProfiler = ({ diagnostic }: Pick<Doubt, 'diagnostic'>): boolean =>
  diagnostic === 'launch-without-work' || diagnostic === 'graph-launch-without-work';

type End = Pick<EndRecord, 'counts' | 'diagnostics'>;

/** The losses that an end record reports. */
export const lossesIn = (end: Pick<End, 'diagnostics'>): readonly Omit<Doubt, 'profiles' | 'file'>[] =>
  faultsIn(end).flatMap(({ name, level, text, count }) =>
    level === 'loss' ? [{ diagnostic: name, text, count }] : [],
  );

/** Whether part of a profile was lost. */
export const isIncomplete = (end: Pick<End, 'diagnostics'>): boolean => lossesIn(end).length > 0;

/** Whether part of a profile was lost and nothing was read. */
export const isUnread = (end: End): boolean =>
  Object.values(end.counts).every((count) => count === 0) && !lossesIn(end).every(isOfProfiler);

/** Message when nothing was read. */
export const NOTHING_READ = 'none of it could be read';

export class Losses {
  readonly #kinds = new Map<string, { -readonly [Key in keyof Doubt]: Doubt[Key] }>();
  #profiles = 0;
  #first = '';

  take(file: string, end: Pick<End, 'diagnostics'>): void {
    const losses = lossesIn(end);
    if (losses.length > 0 && this.#profiles++ === 0) this.#first = file;
    for (const loss of losses) {
      const kind = entryOf(this.#kinds, loss.diagnostic, () => ({ ...loss, count: 0, profiles: 0, file }));
      kind.count += loss.count;
      kind.profiles++;
    }
  }

  /** Adds the losses of another input. */
  add(other: Losses): void {
    if (other.#profiles > 0 && this.#profiles === 0) this.#first = other.#first;
    this.#profiles += other.#profiles;
    for (const [name, doubt] of other.#kinds) {
      const kind = entryOf(this.#kinds, name, () => ({ ...doubt, count: 0, profiles: 0 }));
      kind.count += doubt.count;
      kind.profiles += doubt.profiles;
    }
  }

  /** Sorted by name. */
  get doubts(): readonly Doubt[] {
    return [...this.#kinds.values()].sort((a, b) => (a.diagnostic < b.diagnostic ? -1 : 1));
  }

  /**
   * `net.sqlite: figures are incomplete: rows with a value of the wrong type (cell unknown): 63`; null when nothing was
   * lost.
   */
  get line(): string | null {
    // Another message reports truncated inputs in more detail.
    const said = this.doubts.filter(({ diagnostic }) => diagnostic !== 'truncated-input');
    if (said.length === 0) return null;
    const where = this.#profiles === 1 ? this.#first : `${this.#profiles} profiles, ${this.#first} first`;
    return `${where}: figures are incomplete: ${said.map(({ text, count }) => `${text}: ${count}`).join('; ')}`;
  }
}

/** Losses of all inputs of an answer. */
export function lossesOf(endings: readonly { readonly losses: Losses }[]): Losses {
  const all = new Losses();
  for (const { losses } of endings) all.add(losses);
  return all;
}
