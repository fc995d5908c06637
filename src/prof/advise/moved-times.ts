/** What a profile's devices moved, by operation of communication and by kind of copy. */
import type { ProfileLine } from '../../record/record.js';
import { communicates } from '../steps/step-work.js';
import { Ranking } from './longest.js';
import { spokenName } from './spoken-names.js';

/** The operation of a record that moves data between devices; null for any other. */
export function communicationOf(record: ProfileLine): string | null {
  if (record.type === 'collective') return record.kind ?? record.name;
  if (record.type !== 'kernel' || !communicates(record)) return null;
  return record.collective?.op ?? spokenName(record.short);
}

export class MovedTimes {
  readonly communicated = new Ranking();
  readonly copied = new Ranking();

  take(record: ProfileLine): void {
    const operation = communicationOf(record);
    if (operation !== null && 'dur' in record) this.communicated.add(operation, record.dur ?? 0);
    if (record.type === 'copy') this.copied.add(record.kind ?? 'copy', record.dur ?? 0);
    else if (record.type === 'set') this.copied.add('set', record.dur ?? 0);
  }
}
