/**
 * Losses and doubts that readers counted while they read an answer's inputs. Every answer reports them, in the words of
 * `dprof check`; `dprof check` and `dprof summary` add those of `FoundDoubts`. Memory: one row per kind.
 */
import { entryOf } from '../../containers/map-entry.js';
import { DOUBT_MEANINGS } from '../../record/glossary.js';
import type { EndRecord } from '../../record/record.js';
import { faultsIn } from '../check/faults.js';
import type { Level } from '../check/reason.js';

/** A kind of loss or doubt, an element of `doubts` in an answer. */
export interface Doubt {
  readonly diagnostic: string;
  /** `loss`: data is missing. `doubt`: data may be wrong. */
  readonly level: Exclude<Level, 'limit'>;
  /** What `count` counts, in words. */
  readonly text: string;
  readonly count: number;
  /** Number of profiles with it, and the file of the first. */
  readonly profiles: number;
  readonly file: string;
}

type End = Pick<EndRecord, 'counts' | 'diagnostics'>;

/** Limits are left out: what was recorded is right. */
const doubtsIn = (end: Parameters<typeof faultsIn>[0]): readonly Omit<Doubt, 'profiles' | 'file'>[] =>
  faultsIn(end).flatMap(({ name, level, text, count }) =>
    level === 'limit' ? [] : [{ diagnostic: name, level, text, count }],
  );

/** The losses that an end record reports. */
export const lossesIn = (end: Pick<End, 'diagnostics'>): readonly Pick<Doubt, 'diagnostic' | 'count'>[] =>
  doubtsIn(end).filter(({ level }) => level === 'loss');

const OF_PROFILER: ReadonlySet<string> = new Set([
  'launch-without-work',
  'graph-launch-without-work',
  'copies-not-recorded',
]);

/** Work that was launched and that the profiler lost, although a reader read all that is there. */
export const isOfProfiler = ({ diagnostic }: Pick<Doubt, 'diagnostic'>): boolean => OF_PROFILER.has(diagnostic);

/** Whether part of a profile was lost. */
export const isIncomplete = (end: Pick<End, 'diagnostics'>): boolean => lossesIn(end).length > 0;

/** Whether part of a profile was lost and nothing was read. */
export const isUnread = (end: End): boolean =>
  Object.values(end.counts).every((count) => count === 0) && !lossesIn(end).every(isOfProfiler);

/** Message when nothing was read. */
export const NOTHING_READ = 'none of it could be read';

/** In the order in which they are listed. */
const LEVELS = ['loss', 'doubt'] as const;

export class Losses {
  readonly #kinds = new Map<string, { -readonly [Key in keyof Doubt]: Doubt[Key] }>();
  /** Number of profiles with a loss, and with a doubt, by file in the order in which they were found. */
  readonly #profiles: Readonly<Record<Doubt['level'], Map<string, number>>> = { loss: new Map(), doubt: new Map() };

  take(file: string, end: Parameters<typeof faultsIn>[0]): void {
    this.addDoubts(file, doubtsIn(end));
  }

  /** Adds those of one profile. */
  addDoubts(file: string, doubts: readonly Omit<Doubt, 'profiles' | 'file'>[]): void {
    for (const level of new Set(doubts.map((doubt) => doubt.level))) this.#addProfiles(level, file, 1);
    for (const doubt of doubts) this.#add({ ...doubt, profiles: 1, file });
  }

  /** Adds the losses and doubts of another input. */
  add(other: Losses): void {
    for (const level of LEVELS)
      for (const [file, count] of other.#profiles[level]) this.#addProfiles(level, file, count);
    for (const doubt of other.#kinds.values()) this.#add(doubt);
  }

  /**
   * Adds what an answer found in the same profiles; those in which a reader found something too are counted once.
   * @param pathsOf paths under which readers count files with a name; none when the name itself is used
   */
  addFound(found: Losses, pathsOf: (file: string) => readonly string[]): void {
    /** Of several files with one name, it is unknown which one is meant. */
    const nameOf = (file: string): string => {
      const [path = file, ...others] = pathsOf(file);
      return others.length === 0 ? path : file;
    };
    for (const level of LEVELS) {
      const profiles = this.#profiles[level];
      for (const [file, count] of found.#profiles[level]) {
        const names = new Set([...pathsOf(file), file]);
        const known = [...names].reduce((sum, name) => sum + (profiles.get(name) ?? 0), 0);
        if (count > known) this.#addProfiles(level, nameOf(file), count - known);
      }
    }
    for (const doubt of found.#kinds.values()) this.#add({ ...doubt, file: nameOf(doubt.file) });
  }

  #addProfiles(level: Doubt['level'], file: string, count: number): void {
    const profiles = this.#profiles[level];
    profiles.set(file, (profiles.get(file) ?? 0) + count);
  }

  #add(doubt: Doubt): void {
    const kind = entryOf(this.#kinds, doubt.diagnostic, () => ({ ...doubt, count: 0, profiles: 0 }));
    kind.count += doubt.count;
    kind.profiles += doubt.profiles;
  }

  /** Losses, then doubts, by name. */
  get doubts(): readonly Doubt[] {
    const sorted = [...this.#kinds.values()].sort((a, b) => (a.diagnostic < b.diagnostic ? -1 : 1));
    return LEVELS.flatMap((level) => sorted.filter((doubt) => doubt.level === level));
  }

  /**
   * `net.sqlite: figures are incomplete: rows with a value of the wrong type (cell unknown): 63`; null when there is nothing of
   * that level.
   */
  lineOf(level: Doubt['level']): string | null {
    // Another message reports truncated inputs in more detail.
    const said = this.doubts.filter((doubt) => doubt.level === level && doubt.diagnostic !== 'truncated-input');
    if (said.length === 0) return null;
    const files = this.#profiles[level];
    const profiles = [...files.values()].reduce((sum, count) => sum + count, 0);
    const [first = ''] = files.keys();
    const where = profiles === 1 ? first : `${profiles} profiles, ${first} first`;
    return `${where}: ${DOUBT_MEANINGS[level]}: ${said.map(({ text, count }) => `${text}: ${count}`).join('; ')}`;
  }

  /** The lines about losses and doubts that follow an answer. */
  get lines(): string[] {
    return LEVELS.flatMap((level) => this.lineOf(level) ?? []);
  }
}

/** An input that was read. */
interface EndedInput {
  /** Path of the input as the user gave it, or as it was found in a folder. */
  readonly name: string;
  readonly isParsed: boolean;
  readonly losses: Losses;
}

/** Losses and doubts of all inputs of an answer, and those that the answer found. */
export function lossesOf(endings: readonly EndedInput[], found?: Losses): Losses {
  const all = new Losses();
  for (const { losses } of endings) all.add(losses);
  if (found === undefined) return all;
  // Records have only the name of a file, not its path.
  const paths = new Map<string, string[]>();
  for (const { name, isParsed } of endings)
    if (isParsed) entryOf(paths, name.split(/[/\\]/).at(-1) ?? name, (): string[] => []).push(name);
  all.addFound(found, (file) => paths.get(file) ?? []);
  return all;
}
