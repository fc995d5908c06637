/** Where the range of the host that `--range TEXT#K` names is in each profile. */
import { countNotes, lineOnly, type Limits } from '../limits.js';
import { entryOf } from '../../containers/map-entry.js';
import { nearest, UserError } from '../../record/errors.js';
import { counted } from '../../record/plural.js';
import type { ProfileLine } from '../../record/record.js';
import { RANGES_HINT, type RecordTypes } from '../analysis.js';
import { hostRangeName } from '../by/host/range-name.js';

const RANGE_TYPES: RecordTypes = new Set(['profile', 'range', 'end']);

/** Maximum number of strings among which a message looks for similar ones. */
const MOST_TEXTS = 100_000;
/** Maximum number of strings that a message names. */
const MOST_NAMED = 4;

/** A range by its text and its place among the ranges with this text in its profile, in order of start time. */
export interface RangeName {
  /** As given: the text, or the text with `#K`. */
  readonly text: string;
}

/** A selected time of a profile, in ns from the profile's start. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

/** An empty selection: no event is in this time. */
export const NOWHERE: TimeWindow = { from: Infinity, to: -Infinity };

/** `1.25`, as `--from` and `--to` take it. */
export const inMs = (ns: number): string => String(Number((ns / 1e6).toFixed(6)));

export interface RangeTimes {
  readonly text: string;
  /** Its place among the ranges of its profile with this text, from 1. */
  readonly number: number;
  /** Times of the profiles that have the range. */
  readonly windows: ReadonlyMap<number, TimeWindow>;
  readonly notes: readonly Limits[];
}

/** A way to read `TEXT#K`. Strings may end in a number sign and a number themselves, as `ProfilerStep#3` does. */
interface Reading {
  readonly text: string;
  /** From 1. */
  readonly number: number;
  readonly found: Map<number, TimeWindow[]>;
}

const reading = (text: string, number: number): Reading => ({ text, number, found: new Map() });

/** Finds the range in all profiles of an input; the whole text as a name comes before `TEXT#K`. */
export class NamedRange {
  /** The records that it takes. Calls of the device's library have no strings of the program. */
  readonly wanted = { types: RANGE_TYPES, ranges: 'without-calls' } as const;
  readonly #readings: readonly Reading[];
  readonly #profiles = new Set<number>();
  /** Strings of annotations, and then those of other ranges. */
  readonly #texts = { annotation: new Set<string>(), other: new Set<string>() };

  constructor(private readonly name: RangeName) {
    const [, text, number] = /^(.+)#(\d{1,9})$/s.exec(name.text) ?? [];
    const numbered = text === undefined || Number(number) === 0 ? [] : [reading(text, Number(number))];
    this.#readings = [reading(name.text, 1), ...numbered];
  }

  take(record: ProfileLine): void {
    this.#profiles.add(record.profile);
    if (record.type !== 'range' || record.kind === 'api' || record.kind === 'overhead') return;
    const { text: recorded, profile, start, dur, kind } = record;
    // Tables of ranges show layers without a prefix, and ops without their namespace.
    const name = hostRangeName(record);
    const texts = this.#texts[kind === 'annotation' ? 'annotation' : 'other'];
    if (texts.size < MOST_TEXTS) texts.add(name);
    if (!Number.isFinite(start + dur)) return;
    for (const { text: wanted, found } of this.#readings)
      if (wanted === recorded || wanted === name)
        entryOf(found, profile, () => [] as TimeWindow[]).push({ from: start, to: start + dur });
  }

  /** @throws UserError when no profile has the range; it names similar ones */
  finish(): RangeTimes {
    const used = this.#readings.find(({ found }) => found.size > 0);
    if (used === undefined) throw this.#unknown();
    const { text, number, found } = used;
    const most = [...found.values()].reduce((longest, { length }) => Math.max(longest, length), 0);
    if (most < number)
      throw new UserError(`no range '${text}#${number}'`, {
        hint: `${most === 1 ? 'there is' : 'there are'} ${counted(most, 'range')} with this text, from '${text}#1'`,
      });
    const windows = new Map<number, TimeWindow>();
    for (const [profile, times] of found) {
      const window = times.sort((a, b) => a.from - b.from)[number - 1];
      if (window !== undefined) windows.set(profile, window);
    }
    if ([...windows.values()].every(({ from, to }) => from === to))
      throw new UserError(`the range '${text}#${number}' has no duration`);
    const others = this.#profiles.size - windows.size;
    const [time] = windows.size === 1 ? windows.values() : [];
    const notes = [
      lineOnly(
        `range '${text}', number ${number} of ${most}${time === undefined ? '' : `: ${inMs(time.from)} to ${inMs(time.to)} ms`}`,
      ),
      ...countNotes([others, 'profile', ' left out', `no range '${text}#${number}'`]),
    ];
    return { text, number, windows, notes };
  }

  #unknown(): UserError {
    const { annotation, other } = this.#texts;
    const all = [...new Set([...annotation, ...other])];
    if (all.length === 0) return new UserError('no CPU ranges', { hint: RANGES_HINT });
    const wanted = this.#readings.map(({ text }) => text.toLowerCase());
    const alike = all.filter((text) => wanted.some((part) => text.toLowerCase().includes(part)));
    const near = this.#readings.map(({ text }) => nearest(text, all)).find((text) => text !== null) ?? null;
    const named = alike.length > 0 ? alike : near === null ? all : [near];
    const listed = named
      .slice(0, MOST_NAMED)
      .map((text) => `'${text}'`)
      .join(', ');
    const more = named.length > MOST_NAMED ? ', …' : '';
    return new UserError(`no range '${this.name.text}'`, {
      hint: near !== null || alike.length > 0 ? `did you mean ${listed}${more}?` : `there are ${listed}${more}`,
    });
  }
}
