/**
 * Compares the number of records with the counts in their end record: some may be lost or duplicated. Also counts records
 * with a field of the wrong type.
 */
import { entryOf } from '../../containers/map-entry.js';
import type { DiagnosticName } from '../../record/diagnostics.js';
import { UserError } from '../../record/errors.js';
import { counted } from '../../record/plural.js';
import type { EndRecord, ProfileLine } from '../../record/record.js';
import { isNumber } from '../../record/fields/field-types.js';

const AGAIN = 'records may have been filtered or lost: write them again with dparse';

export class RecordCounts {
  /**
   * Number of records by profile and type. The numbers are kept after a profile ends, because a damaged line may have ended
   * it too early.
   */
  readonly #read = new Map<number, Map<string, number>>();

  /** Number of records with a field of the wrong type since the last end record. */
  #wrong = 0;

  /** Number of records since a profile's end, by profile; and the number of those whose profile number was reused. */
  readonly #behind = new Map<number, number>();
  #surplus = 0;

  /**
   * @param isRead whether all records of a type are read
   * @param onMissing receives the error for a type without any record
   */
  constructor(
    private readonly isRead: (type: ProfileLine['type']) => boolean,
    private readonly onMissing: (error: UserError) => void,
  ) {}

  /** Must be called before a record with a field of the wrong type is taken. */
  readonly countWrong = (): void => void this.#wrong++;

  /** Returns the record; an end record has missing and duplicated records added to its diagnostics. */
  take(record: ProfileLine): ProfileLine {
    const { type, profile } = record;
    if (type === 'end') return this.#heldEnd(record);
    // Another profile with the same number, in concatenated files.
    if (type === 'profile') {
      this.#read.delete(profile);
      this.#surplus += this.#behind.get(profile) ?? 0;
      this.#behind.delete(profile);
    }
    const behind = this.#behind.get(profile);
    if (behind !== undefined) this.#behind.set(profile, behind + 1);
    const counts = entryOf(this.#read, profile, () => new Map<string, number>());
    counts.set(type, (counts.get(type) ?? 0) + 1);
    return record;
  }

  /** Losses that no end record reports: records after the end of their profile. Valid after all records were taken. */
  get diagnostics(): EndRecord['diagnostics'] {
    return { 'record-surplus': [...this.#behind.values()].reduce((sum, n) => sum + n, this.#surplus) };
  }

  #heldEnd(end: EndRecord): EndRecord {
    const found: Partial<Record<DiagnosticName, number>> = { ...this.#heldAgainst(end), 'bad-row': this.#wrong };
    this.#wrong = 0;
    // Records after an earlier end (perhaps a damaged line) are covered by the check against this one.
    this.#behind.set(end.profile, 0);
    const { diagnostics } = end;
    const added = Object.entries(found)
      .filter(([, n]) => n > 0)
      .map(([name, n]): [string, number] => [name, n + (Number(diagnostics[name]) || 0)]);
    return added.length === 0 ? end : { ...end, diagnostics: { ...diagnostics, ...Object.fromEntries(added) } };
  }

  #heldAgainst({ profile, counts }: EndRecord): Partial<Record<DiagnosticName, number>> {
    const read = this.#read.get(profile) ?? new Map<string, number>();
    // Without a profile line, some types may have been selected on purpose, unless only the end line is left.
    const isWhole = read.has('profile') || read.size === 0;
    let [missing, surplus] = [0, 0];
    for (const [type, stated] of Object.entries(counts)) {
      if (!isNumber(stated) || !this.isRead(type as ProfileLine['type'])) continue;
      const found = read.get(type) ?? 0;
      if (found === 0 && !isWhole) continue;
      missing += Math.max(0, stated - found);
      surplus += Math.max(0, found - stated);
      if (found === 0 && stated > 0)
        this.onMissing(new UserError(`no ${type}: the end line counts ${counted(stated, 'record')}`, { hint: AGAIN }));
    }
    return { 'record-missing': missing, 'record-surplus': surplus };
  }
}
