/**
 * A row of collective operations, and its time in which no compute runs. Does not use Node, because pages run it in a
 * browser.
 */
import { busFactor, collectiveKind } from '../../../ops/collective-bytes.js';
import { NS_PER_S } from '../../../record/units.js';
import type { CollectiveRow } from '../page-data.js';

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
    // All compute so far began before this start. If any still runs at the start, it runs until the latest end.
    add(Math.max(0, end - Math.max(start, this.#computed)));
    this.#running = this.#running.filter((operation) => operation.end > start);
    this.#running.push({ end, add });
  }

  compute(start: number, end: number): void {
    const from = Math.max(start, this.#computed);
    if (end <= from) return;
    this.#running = this.#running.filter((operation) => operation.end > start);
    for (const operation of this.#running) {
      const hidden = Math.min(end, operation.end) - from;
      if (hidden > 0) operation.add(-hidden);
    }
    this.#computed = end;
  }
}

/** The key of a row: what its operations have in common. */
export type Identity = Pick<CollectiveRow, 'name' | 'size' | 'group' | 'groupSize'>;

export interface Operation extends Identity {
  readonly bytes: number | null;
}

export class RowSums {
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
   * @param time in ns; null if unknown
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
    const { of: identity, count, time, bytes, notUnderCompute, sized, bus } = this;
    const rate = (sum: RowSums['bus']): number | null => (sum.time > 0 ? (sum.bytes / sum.time) * NS_PER_S : null);
    const kind = collectiveKind(identity.name);
    const isTimed = this.#untimed < count;
    return {
      ...identity,
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
