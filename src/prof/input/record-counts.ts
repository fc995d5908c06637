/**
 * Records held against the numbers that their end record states: of those, some may be lost or there twice. And records with
 * a field of another type.
 */
import { entryOf } from '../../containers/map-entry.js';
import type { DiagnosticName } from '../../record/diagnostics.js';
import { UserError } from '../../record/errors.js';
import { counted } from '../../record/plural.js';
import type { EndRecord, ProfileLine } from '../../record/record.js';
import { isNumber } from '../../record/fields/field-types.js';

const AGAIN = 'were they filtered, or a part of them lost? write them again with dparse';

export class RecordCounts {
  /** Records by type. Those of a profile that has ended stay: a line that is damaged may end it too early. */
  readonly #read = new Map<number, Map<string, number>>();

  /** Records with a field of another type, since the last end. */
  #wrong = 0;

  /** By profile that has ended: records since its end. Those of the profiles whose number another has taken. */
  readonly #behind = new Map<number, number>();
  #surplus = 0;

  /**
   * @param isRead whether all records of a type are read
   * @param onMissing takes the error for a type of which there is no record at all
   */
  constructor(
    private readonly isRead: (type: ProfileLine['type']) => boolean,
    private readonly onMissing: (error: UserError) => void,
  ) {}

  /** To be called before a record that has a field of another type is taken. */
  readonly countWrong = (): void => void this.#wrong++;

  /** The record; an end record with what is missing, or there too often, among its diagnostics. */
  take(record: ProfileLine): ProfileLine {
    const { type, profile } = record;
    if (type === 'end') return this.#heldEnd(record);
    // Another profile of that number, in files one after the other.
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

  /** What no end line tells: records behind that of their profile. To be asked for when all is read. */
  get diagnostics(): EndRecord['diagnostics'] {
    return { 'record-surplus': [...this.#behind.values()].reduce((sum, n) => sum + n, this.#surplus) };
  }

  #heldEnd(end: EndRecord): EndRecord {
    const found: Partial<Record<DiagnosticName, number>> = { ...this.#heldAgainst(end), 'bad-row': this.#wrong };
    this.#wrong = 0;
    // Held against this end, those since an earlier one, which a damaged line may be, stand in their place.
    this.#behind.set(end.profile, 0);
    const { diagnostics } = end;
    const added = Object.entries(found)
      .filter(([, n]) => n > 0)
      .map(([name, n]): [string, number] => [name, n + (Number(diagnostics[name]) || 0)]);
    return added.length === 0 ? end : { ...end, diagnostics: { ...diagnostics, ...Object.fromEntries(added) } };
  }

  #heldAgainst({ profile, counts }: EndRecord): Partial<Record<DiagnosticName, number>> {
    const read = this.#read.get(profile) ?? new Map<string, number>();
    // Without their profile line some lines may be chosen on purpose, by type; not if nothing but the end line is there.
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
