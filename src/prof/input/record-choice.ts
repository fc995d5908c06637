/** The part of the profiles that an answer is about: ranks, devices, streams, steps and a time. All commands use it. */
import { limit, type Limits } from '../limits.js';
import { PS_PER_NS } from '../../containers/interval-union.js';
import type { Item } from '../analysis.js';
import { cutText } from '../../record/plural.js';
import { UserError } from '../../record/errors.js';
import type { Activity, ProfileLine, ProfileRecord } from '../../record/record.js';
import { type RangeName, type RangeTimes, inMs, NOWHERE, type TimeWindow } from './named-range.js';

/** Parts of a profile that have numbers, by their singular nouns. */
const NUMBERED = ['rank', 'device', 'stream', 'step'] as const;
type Numbered = (typeof NUMBERED)[number];
const WORK: Readonly<Record<Numbered, string>> = {
  ...{ rank: 'profile of', device: 'work on', stream: 'work on', step: 'work in' },
};

/** The options as given; absent for all. */
export interface Chosen extends Partial<Readonly<Record<Numbered, ReadonlySet<number> | undefined>>> {
  /** The time in every profile, in ns from its start. */
  readonly window?: TimeWindow | undefined;
  /** The range of the host whose time it is. `RecordChoice.locate` takes where it is. */
  readonly range?: RangeName | undefined;
}

/** Maximum number of numbers in a message. */
const MOST_NAMED = 8;

/** `there are steps 0, 1`, `there is device 0`; null for no numbers. */
function thereAre(what: Numbered, numbers: ReadonlySet<number>): string | null {
  const text = numbersText(what, numbers);
  return text === null ? null : `there ${numbers.size === 1 ? 'is' : 'are'} ${text}`;
}

/** The error for steps that do not exist. @param known those that do */
export const withoutChosenSteps = (known: Iterable<number>): UserError =>
  new UserError('none of the chosen steps is in the profile', {
    hint: thereAre('step', new Set(known)) ?? 'the profile has no steps',
  });

/** What is missing: `no work in step 5`. */
const without = (what: Numbered, numbers: ReadonlySet<number>): string =>
  `no ${WORK[what]} ${numbersText(what, numbers) ?? what}`;

/** `steps 0, 1`, `device 0`; null for no numbers. */
function numbersText(what: string, numbers: ReadonlySet<number>): string | null {
  const sorted = [...numbers].sort((a, b) => a - b);
  if (sorted.length === 0) return null;
  const more = sorted.length > MOST_NAMED ? ` … ${sorted.at(-1)}` : '';
  return `${what}${sorted.length === 1 ? '' : 's'} ${sorted.slice(0, MOST_NAMED).join(', ')}${more}`;
}

/** Keeps the records of the selected ranks, devices, streams, steps and time. */
export class RecordChoice {
  /** Numbers of all work in the input. */
  readonly #there: Readonly<Record<Numbered, Set<number>>> = {
    ...{ rank: new Set(), device: new Set(), stream: new Set(), step: new Set() },
  };
  /** Devices of the selected ranks, by profile; null for all devices of a profile. */
  readonly #ofRanks = new Map<number, ReadonlySet<number> | null>();
  #located: RangeTimes | null = null;
  /** First start and last end of all work in ns. */
  #reach: [from: number, to: number] = [Infinity, -Infinity];
  #isAnyInTime = false;
  #kept = 0;
  #cut = 0;

  constructor(private readonly chosen: Chosen) {}

  /** The name of a range that has not been located yet. */
  get unlocated(): RangeName | null {
    return this.#located === null ? (this.chosen.range ?? null) : null;
  }

  /** Takes where the named range is in each profile. */
  locate(times: RangeTimes): void {
    this.#located = times;
  }

  /** The selected time of a profile; undefined for all of it. */
  windowOf(profile: number): TimeWindow | undefined {
    if (this.chosen.range === undefined) return this.chosen.window;
    return this.#located?.windows.get(profile) ?? NOWHERE;
  }

  /** Counts a piece of work that was cut at an edge of that time. */
  onCut(): void {
    this.#cut++;
  }

  /** For stderr: where the time is, what was cut, and what does not exist. */
  get notes(): readonly Limits[] {
    const options = this.chosen.range === undefined ? '--from and --to' : '--range';
    return [
      ...(this.#located?.notes ?? []),
      ...(this.#cut === 0
        ? []
        : [limit(`the part of ${cutText(this.#cut)} outside the chosen time`, `${options} cut it`, { line: `${options} cut ${cutText(this.#cut)}: only the part inside counts` })]), // prettier-ignore
      ...NUMBERED.flatMap((what) => {
        const missing = this.#missing(what);
        if (missing === null) return [];
        const [why, there] = [without(what, missing), thereAre(what, this.#there[what])];
        const wayOut = there === null ? {} : { wayOut: there };
        return [limit(numbersText(what, missing) ?? what, why, { ...wayOut, line: `${why} (${there ?? 'none'})` })];
      }),
    ];
  }

  /** For JSON: the time in ns, and the number of pieces of work that it cuts; null for the whole time. */
  get chosenTime(): object | null {
    const { range, window } = this.chosen;
    const ends = ({ from, to }: TimeWindow): object => ({
      from: Number.isFinite(from) ? from : null,
      to: Number.isFinite(to) ? to : null,
    });
    if (range === undefined) return window === undefined ? null : { ...ends(window), cut: this.#cut };
    const profiles = [...(this.#located?.windows ?? [])].map(([profile, time]) => ({ profile, ...ends(time) }));
    const { text, number } = this.#located ?? { text: range.text, number: null };
    return { range: text, number, cut: this.#cut, profiles };
  }

  /**
   * Whether an item is selected. Work of a device is selected by rank, device, stream, step and time, host activity only
   * by rank and time.
   * @param anyTime what is kept outside of the selected time too: everything, or ranges
   * @throws UserError for a partial answer, because its sums are for whole profiles
   */
  keeps(item: Item, anyTime?: true | 'ranges'): boolean {
    const isAnyTime = anyTime === true;
    const record: ProfileLine = 'record' in item ? item.record : item;
    if (record.type === 'profile') this.#openProfile(record);
    if (this.#ofRanks.get(record.profile)?.size === 0) return false;
    if (this.chosen.rank !== undefined && !this.#ofRanks.has(record.profile)) return false;
    // A profile without the range has no part in the answer.
    if (this.windowOf(record.profile) === NOWHERE) return false;
    switch (record.type) {
      case 'kernel':
      case 'copy':
      case 'set':
      case 'sync':
      case 'collective':
      case 'graph':
        return this.#hasActivity(record, isAnyTime);
      case 'range':
        return anyTime !== undefined || this.#isIn(record.profile, record.start, record.dur);
      case 'sample':
        return (
          this.#isOn(record.profile, record.device) &&
          (isAnyTime || record.start === null || this.#isIn(record.profile, record.start, record.dur ?? null))
        );
      case 'layer':
        return this.#isOn(record.profile, record.device);
      case 'profile':
      case 'end':
      case 'notice':
      case 'tensor':
        return true;
      default:
        throw new UserError('contains only sums of whole profiles', {
          hint: '--rank, --device, --stream, --step, --range, --from and --to need a profile or records',
        });
    }
  }

  /** @throws UserError when devices worked but nothing was selected; it names what exists */
  refuseNothing(): void {
    const { rank, window } = this.chosen;
    const there = this.#there;
    if (this.#kept > 0) return;
    if (rank !== undefined && [...rank].every((number) => !there.rank.has(number))) {
      throw new UserError(without('rank', rank), {
        hint: thereAre('rank', there.rank) ?? 'no profile states its rank',
      });
    }
    if (there.device.size === 0) return;
    for (const what of NUMBERED) {
      const chosen = this.chosen[what];
      if (chosen === undefined || [...chosen].some((number) => there[what].has(number))) continue;
      throw new UserError(without(what, chosen), {
        hint: thereAre(what, there[what]) ?? `the profile has no ${what}s`,
      });
    }
    const [from, to] = this.#reach;
    if (!this.#isAnyInTime && window !== undefined)
      throw new UserError('nothing ran between --from and --to', {
        hint: `work runs from ${inMs(from)} to ${inMs(to)} ms`,
      });
    if (!this.#isAnyInTime)
      throw new UserError('no device worked while the range ran', {
        hint: 'dprof steps --by range shows the work that ranges launched',
      });
    const known = NUMBERED.flatMap((what) => numbersText(what, there[what]) ?? []).join('; ');
    throw new UserError('no work on the selected ranks, devices, streams, steps and times', {
      hint: `known: ${known}`,
    });
  }

  #openProfile({ profile, rank, devices }: ProfileRecord): void {
    const { rank: chosen } = this.chosen;
    const ranks = [rank, ...devices.map((device) => device.rank)].filter((number) => typeof number === 'number');
    for (const number of ranks) this.#there.rank.add(number);
    if (chosen === undefined) return;
    const isWhole = typeof rank === 'number' && chosen.has(rank);
    const chosenDevices = devices
      .filter((device) => device.rank !== undefined && chosen.has(device.rank))
      .map(({ id }) => id);
    this.#ofRanks.set(profile, isWhole ? null : new Set(chosenDevices));
  }

  #hasActivity(
    {
      profile,
      device,
      stream,
      step = null,
      start,
      dur,
      ps,
    }: Pick<Activity, 'profile' | 'device' | 'stream' | 'start' | 'dur' | 'ps'> & {
      readonly step?: number | null | undefined;
    },
    isAnyTime: boolean,
  ): boolean {
    const there = this.#there;
    there.device.add(device);
    if (stream !== null) there.stream.add(stream);
    if (step !== null) there.step.add(step);
    this.#reach = [Math.min(this.#reach[0], start), Math.max(this.#reach[1], start + (dur ?? 0))];
    const isInTime = this.#isIn(profile, start, dur, ps);
    if (isInTime) this.#isAnyInTime = true;
    const isChosen =
      this.#isOn(profile, device) && hasNumber(this.chosen.stream, stream) && hasNumber(this.chosen.step, step);
    if (isInTime && isChosen) this.#kept++;
    return isChosen && (isInTime || isAnyTime);
  }

  /** @param device null for data that belongs to no device, or whose device is unknown */
  #isOn(profile: number, device: number | null): boolean {
    if (device === null) return true;
    return hasNumber(this.chosen.device, device) && (this.#ofRanks.get(profile)?.has(device) ?? true);
  }

  /** Whether a part of a time range is in the window, whose edges may lie within a ns. @param ps as in `Activity` */
  #isIn(profile: number, start: number, dur: number | null, ps: Activity['ps'] = [0, 0]): boolean {
    const window = this.windowOf(profile);
    if (window === undefined) return true;
    const [from, to] = [Math.round(window.from * PS_PER_NS), Math.round(window.to * PS_PER_NS)];
    const [begin, length] = [start * PS_PER_NS + ps[0], (dur ?? 0) * PS_PER_NS + ps[1]];
    return begin < to && (length === 0 ? begin >= from : begin + length > from);
  }

  /** Selected numbers that do not exist; null when there are none, or when all are selected. */
  #missing(what: Numbered): ReadonlySet<number> | null {
    const missing = [...(this.chosen[what] ?? [])].filter((number) => !this.#there[what].has(number));
    return missing.length === 0 ? null : new Set(missing);
  }
}

const hasNumber = (chosen: ReadonlySet<number> | undefined, number: number | null): boolean =>
  chosen === undefined || (number !== null && chosen.has(number));
