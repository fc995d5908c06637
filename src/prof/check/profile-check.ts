/** Turns records into a verdict for each profile: whether it is complete, with the reasons why not. One pass. */
import { entryOf } from '../../containers/map-entry.js';
import { inDeviceWords } from '../../record/glossary.js';
import type { EndRecord, ProfileLine, ProfileRecord } from '../../record/record.js';
import type { Analysis, Answer, Item, RecordTypes } from '../analysis.js';
import { Annotated } from '../annotate.js';
import { missingRanksNote } from '../ranks/membership.js';
import { CHECKS, type Check } from './checks.js';
import { reasonsOf } from './faults.js';
import { Losses } from '../input/losses.js';
import { doubtsOf } from './found-doubts.js';
import { LEVELS, REASON_COLUMNS, verdictOf, type CheckVerdict, type Reason, type ReasonRow } from './reason.js';

/** The verdict on one profile; an element of the JSON output. */
export interface CheckedProfile {
  readonly profile: number;
  /** Null for records without a profile line. */
  readonly header: ProfileRecord | null;
  readonly verdict: CheckVerdict;
  /** Losses first, then doubts, then limits. */
  readonly reasons: readonly Reason[];
}

/** The verdict on one profile, as in JSON. */
export interface CheckDocument extends Pick<CheckedProfile, 'profile' | 'verdict' | 'reasons'> {
  /** Null for records without a profile line, like the rank. */
  readonly file: string | null;
  readonly rank: number | null;
}

export const checkDocument = ({ profile, header, verdict, reasons }: CheckedProfile): CheckDocument => ({
  ...{ profile, file: header?.file ?? null, rank: header?.rank ?? null },
  ...{ verdict, reasons },
});

class ProfileChecks {
  header: ProfileRecord | null = null;
  end: Pick<EndRecord, 'counts' | 'diagnostics'> = { counts: {}, diagnostics: {} };
  readonly checks: readonly Check[] = CHECKS.map((start) => start());
  readonly takes = this.checks.flatMap(({ take }) => take ?? []);
  readonly rows = this.checks.flatMap(({ row }) => row ?? []);

  get reasons(): Reason[] {
    const details = new Map(this.checks.flatMap((check) => [...(check.details?.(this.header) ?? [])]));
    const reasons = [
      ...reasonsOf(this.end, details),
      ...this.checks.flatMap((check) => check.reasons?.(this.header) ?? []),
    ];
    return reasons
      .map((reason) => inWordsOf(this.header, reason))
      .sort((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level));
  }
}

/** A reason in the words of the vendor of a profile's devices. */
function inWordsOf(header: ProfileRecord | null, { what, affects, remedy, ...reason }: Reason): Reason {
  const worded = (text: string): string => inDeviceWords(text, header);
  return { ...reason, what: worded(what), affects: worded(affects), remedy: remedy === null ? null : worded(remedy) };
}

export class Checker implements Analysis<readonly CheckedProfile[]> {
  readonly types: RecordTypes = new Set([
    ...(['profile', 'kernel', 'copy', 'set', 'graph', 'collective'] as const),
    ...(['range', 'sample', 'notice', 'end'] as const),
  ]);
  readonly ranges = 'long-calls';
  readonly #profiles = new Map<number, ProfileChecks>();

  take(item: Item): void {
    if (item instanceof Annotated) {
      for (const row of this.#checksOf(item.record.profile).rows) row(item);
      return;
    }
    this.#takeRecord(item);
  }

  #takeRecord(record: ProfileLine): void {
    const profile = this.#checksOf(record.profile);
    if (record.type === 'profile') profile.header = record;
    if (record.type === 'end') profile.end = record;
    for (const take of profile.takes) take(record);
  }

  #checksOf(profile: number): ProfileChecks {
    return entryOf(this.#profiles, profile, () => new ProfileChecks());
  }

  get profiles(): CheckedProfile[] {
    return [...this.#profiles].map(([profile, { header, reasons }]) => ({
      ...{ profile, header, reasons },
      verdict: verdictOf(reasons),
    }));
  }

  finish(): Answer<readonly CheckedProfile[]> {
    const { profiles } = this;
    const rows = profiles.flatMap(({ profile, header, reasons }) =>
      reasons.map((reason): ReasonRow => ({ profile, file: header?.file ?? null, rank: header?.rank ?? null, reason })),
    );
    const losses = new Losses();
    for (const { header, reasons } of profiles) losses.addDoubts(header?.file ?? '', doubtsOf(reasons));
    const missing = missingRanksNote(profiles.flatMap(({ header }) => header ?? []));
    const notes = missing === null ? [] : [missing];
    return { table: { columns: REASON_COLUMNS, rows }, facts: profiles, notes, losses };
  }
}
