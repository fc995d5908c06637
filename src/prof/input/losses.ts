/** Data that readers could not read from their inputs. Every answer reports it. Memory: one row per kind of loss. */
import { entryOf } from '../../containers/map-entry.js';
import { DIAGNOSTICS, type Severity } from '../../record/diagnostics.js';
import type { EndRecord } from '../../record/record.js';

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

const KNOWN: Readonly<Record<string, readonly [Severity, string] | undefined>> = DIAGNOSTICS;

/** The losses that an end record reports. */
function lossesIn(diagnostics: EndRecord['diagnostics']): { name: string; text: string; count: number }[] {
  return Object.entries(diagnostics).flatMap(([name, count]) => {
    const [severity, text = ''] = (Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined) ?? [];
    return severity === 'loss' && count > 0 ? [{ name, text, count }] : [];
  });
}

/** Whether part of a profile was lost. */
export const isIncomplete = (diagnostics: EndRecord['diagnostics']): boolean => lossesIn(diagnostics).length > 0;

/** Whether part of a profile was lost and nothing was read. */
export const isUnread = ({ counts, diagnostics }: Pick<EndRecord, 'counts' | 'diagnostics'>): boolean =>
  Object.values(counts).every((count) => count === 0) && isIncomplete(diagnostics);

/** Message when nothing was read. */
export const NOTHING_READ = 'none of it could be read';

export class Losses {
  readonly #kinds = new Map<string, { -readonly [Key in keyof Doubt]: Doubt[Key] }>();
  #profiles = 0;
  #first = '';

  take(file: string, diagnostics: EndRecord['diagnostics']): void {
    const losses = lossesIn(diagnostics);
    if (losses.length > 0 && this.#profiles++ === 0) this.#first = file;
    for (const { name, text, count } of losses) {
      const kind = entryOf(this.#kinds, name, () => ({ diagnostic: name, text, count: 0, profiles: 0, file }));
      kind.count += count;
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
