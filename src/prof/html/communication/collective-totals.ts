/** Collective operations by name, size class and group. One pass in order of start; memory: MOST_ROWS rows. */
import { algorithmBytes } from '../../../ops/collective-bytes.js';
import { operationName, isCut, workOf, type StepActivity } from '../../steps/step-work.js';
import { boundedEntryOf, entryOf } from '../../../containers/map-entry.js';
import type { ProfileLine } from '../../../record/record.js';
import { sizeClass } from '../../ranks/transfers.js';
import { longest } from '../bounds.js';
import type { Bounded, CollectiveRow } from '../page-data.js';
import { RowSums, TimeNotUnderCompute, type Identity, type Operation } from './collective-rows.js';

const MOST_ROWS = 2000;

/** The operation of a record; null for any other work. Names and sizes are those of the summary. */
function operationOf(record: StepActivity, isCommunication: boolean): Operation | null {
  if (record.type === 'collective') {
    const { bytes, group, ranks } = record;
    const groupSize = record.groupSize ?? ranks?.length ?? null;
    return { name: operationName(record), size: sizeClass(bytes), group, groupSize, bytes };
  }
  if (record.type !== 'kernel') return null;
  const { collective } = record;
  if (collective !== undefined) {
    const bytes = algorithmBytes(collective);
    const { group, ranks } = collective;
    return {
      name: operationName(record),
      size: sizeClass(bytes),
      group,
      groupSize: collective.groupSize ?? ranks?.length ?? null,
      bytes,
    };
  }
  if (!isCommunication) return null;
  return { name: operationName(record), size: null, group: null, groupSize: null, bytes: null };
}

const OTHERS: Identity = { name: 'others', size: null, group: null, groupSize: null };

export class CollectiveTotals {
  readonly #rows = new Map<string, RowSums>();
  readonly #devices = new Map<number, TimeNotUnderCompute>();

  take(record: ProfileLine): void {
    const found = workOf(record);
    if (found === null || found.work === 'copy') return;
    const operation = operationOf(found.record, found.work === 'communication');
    const { start, dur, device } = found.record;
    const isTimed = dur !== null && dur >= 0 && Number.isFinite(start + dur);
    const alone = entryOf(this.#devices, device, () => new TimeNotUnderCompute());
    if (operation === null) {
      if (isTimed && found.work === 'computing') alone.compute(start, start + dur);
      return;
    }
    const { bytes, ...identity } = operation;
    const key = JSON.stringify(Object.values(identity));
    const row =
      boundedEntryOf(this.#rows, key, MOST_ROWS, () => new RowSums(identity)) ??
      entryOf(this.#rows, '', () => new RowSums(OTHERS));
    row.add({ ...identity, bytes }, isTimed ? dur : null, isCut(found.record));
    if (isTimed)
      alone.communicate(start, start + dur, (time) => {
        row.notUnderCompute += time;
      });
  }

  /** The rows, largest time first. */
  rows(most: number): Bounded<CollectiveRow> {
    const all = [...this.#rows.values()].map(({ row }) => row);
    const { shown, rest } = longest(all, most);
    return { shown, count: all.length, restTime: rest.reduce((sum, { time }) => sum + (time ?? 0), 0) };
  }
}
