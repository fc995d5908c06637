/** Counts of a report's unknown values, for one line on stderr. */
import { addTo } from '../../containers/map-entry.js';
import { grouped, many } from '../../record/plural.js';
import type { ProfileRecord } from '../../record/record.js';
import type { Annotated } from '../annotate.js';
import { Limits, limit, type Limit } from '../limits.js';
import { workOf } from '../steps/step-work.js';
import { layerMarks, opMarks, reasonParts, stackMarks } from '../work/capture-options.js';

/** Columns that are empty for all kernels when their data was not recorded: what they contain, and what records it. */
const RECORDED = {
  op: { what: 'an op (--by kernel groups by name)', marks: opMarks },
  layer: { what: 'a layer', marks: layerMarks },
  trace: { what: 'a call stack', marks: stackMarks },
} as const;
type RecordedKey = keyof typeof RECORDED;
const isRecordedKey = (key: string): key is RecordedKey => Object.hasOwn(RECORDED, key);

/** Kernels that were counted before; an absent count is 0. */
export interface CountedKernels {
  readonly kernels: number;
  readonly withoutOp?: number;
  readonly unknownFlops?: number;
  readonly ambiguousForward?: number;
  readonly withoutForward?: number;
  readonly abovePeak?: number;
  readonly waits?: number;
}

/** Maximum number of different reasons that are counted, and that a note names. */
const [MOST_REASONS, NAMED_REASONS] = [50, 3];

/** Reasons with their counts. */
class Reasons {
  readonly #counts = new Map<string, number>();
  /** How to record what is missing; null where no reason says it. */
  wayOut: string | null = null;

  add(reason: string | null): void {
    if (reason === null) return;
    const { why, wayOut } = reasonParts(reason);
    this.wayOut ??= wayOut;
    const isFull = this.#counts.size >= MOST_REASONS && !this.#counts.has(why);
    addTo(this.#counts, isFull ? 'other reasons' : why, 1);
  }

  /** `no op call around the launch (12), …`, the most frequent first; null without any, as in partial answers. */
  get text(): string | null {
    const all = [...this.#counts].sort(([, a], [, b]) => b - a);
    if (all.length === 0) return null;
    const named = all.slice(0, NAMED_REASONS).map(([reason, count]) => `${reason} (${grouped(count)})`);
    return [...named, ...(all.length > NAMED_REASONS ? ['…'] : [])].join(', ');
  }
}

/** Counts of what a report could not compute. */
export class ReportTally {
  kernelsRead = 0;
  /** Number of these kernels that passed the filter. */
  kernels = 0;
  withoutOp = 0;
  readonly withoutOpReasons = new Reasons();
  unknownFlops = 0;
  readonly unknownFlopsReasons = new Reasons();
  ambiguousForward = 0;
  /** Number of kernels that belong to no group because their duration is unknown. */
  untimed = 0;
  withoutForward = 0;
  /** Number of sequence ids of forward kernels that were evicted to stay within the memory budget. */
  evicted = 0;
  /** Number of op calls whose work was distributed although some of their kernels were missing from the records. */
  incomplete = 0;
  /** Number of kernels with a rate above their device's peak. */
  abovePeak = 0;
  /** The first of them, as PROFILE:IDX. */
  readonly firstAbovePeak: string[] = [];
  /** Number of instructions that only wait, which a summary does not count as work. */
  waits = 0;
  /** Number of collectives that are not kernels, in all of the profiles. */
  collectives = 0;
  /** Keys of the groups without a value so far. */
  readonly #unseen: Set<RecordedKey>;
  readonly #profiles = new Set<ProfileRecord>();

  /**
   * @param derived whether the report shows values derived from ops; only then unknown FLOPs are counted
   * @param rates whether it shows rates or shares of peaks; only then kernels above a peak are counted
   * @param keys columns by which it groups
   */
  constructor(
    private readonly derived = true,
    private readonly rates = false,
    keys: readonly string[] = [],
  ) {
    this.#unseen = new Set(keys.filter(isRecordedKey));
  }

  count(row: Annotated): void {
    this.kernels++;
    if (workOf(row.record) === null) this.waits++;
    for (const key of this.#unseen) this.see(key, row[key], row.profile);
    if (row.calls.length === 0 && row.op === null) {
      this.withoutOp++;
      this.withoutOpReasons.add(row.reason);
    } else if (this.derived && row.flops === null) {
      this.unknownFlops++;
      this.unknownFlopsReasons.add(row.reason);
    }
    if (this.rates) this.#countRates(row);
    if (row.pairing.kind === 'ambiguous') this.ambiguousForward++;
    if (row.pairing.kind === 'no-forward') this.withoutForward++;
  }

  /** Takes the value of a key of some kernels of a profile. */
  see(key: string, value: unknown, profile: ProfileRecord | null): void {
    if (!isRecordedKey(key) || !this.#unseen.has(key)) return;
    if (Array.isArray(value) ? value.length > 0 : (value ?? null) !== null) this.#unseen.delete(key);
    else if (profile !== null) this.#profiles.add(profile);
  }

  /** Notes about keys that no kernel has, and how to record them. */
  get withoutKeys(): Limits[] {
    if (this.kernels === 0) return [];
    return [...this.#unseen].map((key) => {
      const { what, marks } = RECORDED[key];
      const ways = new Set([...this.#profiles].map(marks).filter((way) => way !== null));
      const why = `no kernel has ${what}`;
      const wayOut = [...ways].join('; ');
      return limit(`groups by ${key}`, why, { ...(wayOut === '' ? {} : { wayOut }), line: [why, ...ways].join('; ') });
    });
  }

  /** Counts the kernels of a partial answer. */
  countMany({ kernels, withoutOp = 0, unknownFlops = 0, ...more }: CountedKernels): void {
    const { ambiguousForward = 0, withoutForward = 0, abovePeak = 0, waits = 0 } = more;
    this.kernels += kernels;
    this.withoutOp += withoutOp;
    if (this.derived) this.unknownFlops += unknownFlops;
    this.ambiguousForward += ambiguousForward;
    this.withoutForward += withoutForward;
    if (this.rates) this.abovePeak += abovePeak;
    this.waits += waits;
  }

  /**
   * Adds kernels above a peak to the names to print, up to the limit.
   * @param ids in the order of the kernels
   */
  nameAbovePeak(profile: number, ids: readonly number[]): void {
    if (!this.rates) return;
    for (const id of ids.slice(0, SHOWN - this.firstAbovePeak.length)) this.firstAbovePeak.push(`${profile}:${id}`);
  }

  #countRates({ placement: { above }, record }: Annotated): void {
    if (!above.compute && !above.memory) return;
    this.abovePeak++;
    if (this.firstAbovePeak.length < SHOWN) this.firstAbovePeak.push(`${record.profile}:${record.id}`);
  }
}

/** Maximum number of kernels that the line on impossible rates names. */
const SHOWN = 3;

/** The note on unknown values; null when there are none. */
export function unknownsNote(tally: ReportTally): Limits | null {
  if (tally.kernels === 0) return null;
  const isLost = tally.withoutForward > 0 && tally.evicted > 0;
  const lost = isLost ? `${grouped(tally.evicted)} forward kernels no longer in memory` : null;
  const counts = [
    [tally.withoutOp, 'without op', tally.withoutOpReasons.text ?? 'no op call is known around their launches'],
    [
      tally.unknownFlops,
      'with unknown FLOPs',
      tally.unknownFlopsReasons.text ?? 'no formula fits their op calls',
      tally.unknownFlopsReasons.wayOut,
    ],
    [tally.untimed, 'without a duration, in no group', 'the profile lacks their ends'],
    [tally.withoutForward, 'backward without a forward kernel', lost ?? 'no earlier kernel has their sequence ids'],
    [
      tally.ambiguousForward,
      'backward with several possible forward kernels',
      'several threads have a forward kernel with the same sequence id',
    ],
  ] as const satisfies readonly (readonly [n: number, what: string, why: string, wayOut?: string | null])[];
  const kernels = many(tally.kernels, 'kernel');
  const limitOf = (what: string, why: string, wayOut: string | null = null): Limit => ({
    ...{ what, why, wayOut: wayOut ?? WITH_REASONS, input: null },
  });
  const found = counts.filter(([n]) => n > 0);
  const calls = `${many(tally.incomplete, 'op call')} without some of the kernels`;
  const isIncomplete = tally.incomplete > 0;
  if (found.length === 0 && !isIncomplete) return null;
  const texts = [...found.map(([n, what]) => `${grouped(n)} ${what}`), ...(isIncomplete ? [calls] : [])];
  return new Limits(
    `${kernels}: ${texts.join(', ')}${lost === null ? '' : ` (${lost})`}; run with --explain ID for reasons`,
    [
      ...found.map(([n, what, why, wayOut]) => limitOf(`${grouped(n)} of ${kernels} ${what}`, why, wayOut)),
      ...(isIncomplete ? [limitOf(`work of ${calls}`, 'the records lack these kernels')] : []),
    ],
  );
}

/** The option that says why a value of one kernel is unknown. */
const WITH_REASONS = 'dprof --explain ID says why';

/** The note on instructions that only wait; null when there are none. */
export function waitsNote({ waits, kernels }: ReportTally): Limits | null {
  if (waits === 0) return null;
  const why = `waits (${grouped(waits)} of ${many(kernels, 'instruction')}) count here`;
  const wayOut = "--where 'category!=wait' leaves them out";
  const line = `${why}, but not in dprof summary or on a page; ${wayOut}`;
  return limit('figures that agree with dprof summary and pages', why, { wayOut, line });
}

/**
 * The note on collectives that the profiler records apart from kernels, so that an answer about kernels lacks them; null
 * when there are none.
 */
export function collectivesNote(collectives: number): Limits | null {
  if (collectives === 0) return null;
  const why = 'the profiler records them apart from kernels';
  return limit(`time of ${many(collectives, 'collective')}`, why, {
    wayOut: 'dprof steps and dprof ranks have it',
    line: `${many(collectives, 'collective')} not counted here: ${why}; dprof steps and dprof ranks have their time`,
  });
}

/** The note on rates above a device's peak; null when there are none. */
export function defectNote({ abovePeak, firstAbovePeak }: ReportTally): Limits | null {
  if (abovePeak === 0) return null;
  const more = abovePeak > firstAbovePeak.length ? ', …' : '';
  return limit(
    `${many(abovePeak, 'kernel')} above the peak of the device (${firstAbovePeak.join(', ')}${more})`,
    'the counts or a recorded time are wrong, or --peaks names another device',
  );
}
