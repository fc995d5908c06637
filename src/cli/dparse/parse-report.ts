/** Messages of `dparse` on stderr: one line for each input, and how the run ends. */
import { CUT_PROFILE, WAS_READ } from '../../prof/input/stream-status.js';
import { NOTHING_READ } from '../../prof/input/losses.js';
import { entryOf } from '../../containers/map-entry.js';
import { say } from '../message.js';
import { EXIT, shownPath, UserError } from '../../record/errors.js';
import { counted } from '../../record/plural.js';
import type { Outcome } from './one.js';

export class ParseReport {
  /** The last error, not printed yet: when nothing was read it ends the run. */
  #failure: UserError | null = null;
  readonly #notes: UserError[] = [];
  #read = 0;
  /** Profile numbers by rank. */
  readonly #ranks = new Map<number, number[]>();

  constructor(private readonly quiet: boolean) {}

  /** Takes a note about files of a folder that are left out. */
  readonly note = (note: UserError): void => void this.#notes.push(note);

  /** @param ordinal number of a profile that was read */
  add(name: string, outcome: Outcome, ordinal = 0): void {
    this.#complain();
    if (outcome instanceof UserError) {
      this.#failure = outcome;
      return;
    }
    this.#read++;
    if (!this.quiet) say('dparse', summary(name, outcome));
    // Print it even in a quiet run, because the records alone do not show it.
    else if (outcome.lost !== null) say('dparse', outcome.lost);
    if (outcome.isCut) this.#failure = new UserError(`${CUT_PROFILE}; ${WAS_READ}`, { where: name });
    else if (outcome.isUnread) this.#failure = new UserError(NOTHING_READ, { where: name });
    this.#complain();
    if (outcome.rank !== null) entryOf(this.#ranks, outcome.rank, () => []).push(ordinal);
  }

  /** @throws UserError when nothing was read; OUT is then not created */
  end(): void {
    if (this.#read === 0 && this.#failure !== null) throw this.#failure;
    this.#complain();
    for (const { line } of this.#notes) this.#say(line);
    const repeated = repeatedRanks(this.#ranks);
    if (repeated !== null) this.#say(repeated);
  }

  /** Prints an input that cannot be read, or not to its end, and sets exit status 1; the other inputs are still read. */
  #complain(): void {
    if (this.#failure === null) return;
    say('dparse', this.#failure.line);
    process.exitCode = EXIT.failed;
    this.#failure = null;
  }

  #say(text: string): void {
    if (!this.quiet) say('dparse', text);
  }
}

/** Lists ranks that several profiles have; null when there are none. */
function repeatedRanks(ranks: ReadonlyMap<number, readonly number[]>): string | null {
  const repeated = [...ranks].filter(([, ordinals]) => ordinals.length > 1).sort(([a], [b]) => a - b);
  if (repeated.length === 0) return null;
  const texts = repeated.map(([rank, ordinals]) => `rank ${rank}: profiles ${ordinals.join(', ')}`);
  return `several profiles of one rank, distinguished by "profile": ${texts.join('; ')}`;
}

/**
 * The summary line of an input: `net.sqlite: 160 kernels, 21 copies; kernels whose host call is not in the profile: 24`.
 */
function summary(name: string, outcome: Exclude<Outcome, UserError>): string {
  const { counts, oddities } = outcome;
  const found = countedIn(counts, ACTIVITIES);
  // Reports, summaries and programs have no activities, so their other records are counted.
  const others = found.length > 0 ? [] : countedIn(counts, STATEMENTS);
  const isEmpty = (counts['kernel'] ?? 0) === 0 && others.length === 0;
  return [
    `${shownPath(name)}: ${[...(isEmpty ? ['0 kernels'] : []), ...found, ...others].join(', ')}`,
    ...oddities,
  ].join('; ');
}

type Words = readonly (readonly [type: string, one: string])[];

const ACTIVITIES: Words = [
  ['kernel', 'kernel'],
  ['copy', 'copy'],
  ['graph', 'graph launch'],
];
const STATEMENTS: Words = [
  ['tensor', 'tensor'],
  ['layer', 'layer'],
  ['sample', 'sample'],
  ['notice', 'notice'],
];

const countedIn = (counts: Readonly<Record<string, number>>, words: Words): string[] =>
  words.flatMap(([type, noun]) => {
    const n = counts[type] ?? 0;
    return n === 0 ? [] : [counted(n, noun)];
  });
