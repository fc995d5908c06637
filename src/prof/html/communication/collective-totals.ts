/** Collective operations by name, size class and group. One pass in order of start; memory: MOST_ROWS rows. */
import { algorithmBytes, busFactor, collectiveKind } from '../../../ops/collective-bytes.js';
import { operationName, isCut, workOf, type StepActivity } from '../../steps/step-work.js';
import { boundedEntryOf, entryOf } from '../../../containers/map-entry.js';
import type { ProfileLine } from '../../../record/record.js';
import { NS_PER_S } from '../../../record/units.js';
import { sizeClass } from '../../ranks/transfers.js';
import { longest } from '../bounds.js';
import type { Bounded, CollectiveRow } from '../page-data.js';

/** An operation that may still be running. */
interface RunningOperation {
  readonly end: number;
  /** Called with time in ns that does not overlap with compute; negative to correct what was added before. */
  readonly add: (time: number) => void;
}

export class TimeNotUnderCompute {
  #running: RunningOperation[] = [];
  /** Latest end of compute so far. */
  #computed = -Infinity;

  /**
   * @param add called with the time that does not overlap with compute, and with a negative value when part of it turns out
   * to overlap
   */
  communicate(start: number, end: number, add: (time: number) => void): void {
    // All compute so far began before: if any still runs at the start, it runs until the latest end.
    add(Math.max(0, end - Math.max(start, this.#computed)));
    this.#running = this.#running.filter((one) => one.end > start);
    this.#running.push({ end, add });
  }

  compute(start: number, end: number): void {
    const from = Math.max(start, this.#computed);
    if (end <= from) return;
    this.#running = this.#running.filter((one) => one.end > start);
    for (const one of this.#running) {
      const hidden = Math.min(end, one.end) - from;
      if (hidden > 0) one.add(-hidden);
    }
    this.#computed = end;
  }
}

const MOST_ROWS = 2000;

type Identity = Pick<CollectiveRow, 'name' | 'size' | 'group' | 'groupSize'>;

interface Operation extends Identity {
  readonly bytes: number | null;
}

class RowSums {
  count = 0;
  time = 0;
  #untimed = 0;
  bytes: number | null = null;
  /** Time in ns in which no compute ran. */
  notUnderCompute = 0;
  /**
   * Bytes and time of operations with a known size and duration and a plausible end, and of those with a known bus
   * bandwidth.
   */
  readonly sized = { bytes: 0, time: 0 };
  readonly bus = { bytes: 0, time: 0 };

  constructor(readonly of: Identity) {}

  /**
   * @param time in ns; null when not known
   * @param isCut whether its end is not plausible
   */
  add({ name, bytes, groupSize }: Operation, time: number | null, isCut: boolean): void {
    this.count++;
    if (time === null) this.#untimed++;
    this.time += time ?? 0;
    if (bytes === null) return;
    this.bytes = (this.bytes ?? 0) + bytes;
    if (time === null || isCut) return;
    this.sized.bytes += bytes;
    this.sized.time += time;
    const factor = groupSize === null ? null : busFactor(name, groupSize);
    if (factor === null) return;
    this.bus.bytes += bytes * factor;
    this.bus.time += time;
  }

  get row(): CollectiveRow {
    const { of, count, time, bytes, notUnderCompute, sized, bus } = this;
    const rate = (sum: RowSums['bus']): number | null => (sum.time > 0 ? (sum.bytes / sum.time) * NS_PER_S : null);
    const kind = collectiveKind(of.name);
    const isTimed = this.#untimed < count;
    return {
      ...of,
      kind,
      count,
      time: isTimed ? time : null,
      ...(this.#untimed > 0 ? { untimed: this.#untimed } : {}),
      bytes,
      notUnderCompute: isTimed ? notUnderCompute : null,
      algorithmBandwidth: rate(sized),
      busBandwidth: rate(bus),
    };
  }
}

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

  /** Largest time first. */
  rows(most: number): Bounded<CollectiveRow> {
    const all = [...this.#rows.values()].map(({ row }) => row);
    const { shown, rest } = longest(all, most);
    return { shown, count: all.length, restTime: rest.reduce((sum, { time }) => sum + (time ?? 0), 0) };
  }
}
