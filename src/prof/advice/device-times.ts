/**
 * When each device worked and when it did not, in one pass over records in order of start. Memory: a few numbers a
 * device.
 */
import type { ProfileLine } from '../../record/record.js';
import { workOf, type Timed } from '../steps/work.js';
import { ByDevice, type Place } from './by-device.js';
import { Cover } from './cover.js';

/** Time in which a device did nothing, between two pieces of work. */
export interface Gap extends Place {
  readonly start: number;
  readonly end: number;
  /** What ended last before it, and what ended it. */
  readonly before: Timed;
  readonly after: Timed;
  /** Whether the call that launched `after` began only after the device had run dry; null where no launch is known. */
  readonly late: boolean | null;
}

export class DeviceTime {
  first = Infinity;
  last = -Infinity;
  activities = 0;
  /** Activities whose launch is known. */
  launched = 0;
  /** Activities that came after one that starts later: lengths of unions are then too small. */
  disordered = 0;
  /** Kernels, collectives, graphs, copies, sets. */
  readonly busy = new Cover();
  readonly computing = new Cover();
  readonly communication = new Cover();
  /** Computing and communication. */
  readonly either = new Cover();
  /** Computing and copies. */
  readonly local = new Cover();
  /** What ended last. */
  before: Timed | null = null;
  #newest = -Infinity;

  /** From the first start to the last end, ns. */
  get span(): number {
    return Math.max(0, this.last - this.first);
  }

  add(work: 'computing' | 'communication' | 'copy', record: Timed, start: number, end: number): Gap | null {
    this.activities++;
    if (start < this.#newest) this.disordered++;
    this.#newest = Math.max(this.#newest, start);
    if ((record.launch ?? null) !== null) this.launched++;
    const gap = this.#gapBefore(record, start);
    if (end >= this.busy.end || this.before === null) this.before = record;
    this.first = Math.min(this.first, start);
    this.last = Math.max(this.last, end);
    this.busy.add(start, end);
    if (work === 'computing') this.computing.add(start, end);
    if (work === 'communication') this.communication.add(start, end);
    else this.local.add(start, end);
    if (work !== 'copy') this.either.add(start, end);
    return gap;
  }

  #gapBefore(after: Timed, start: number): Gap | null {
    const { before, busy } = this;
    if (before === null || start <= busy.end) return null;
    const { profile, device } = after;
    const launch = after.launch ?? null;
    const late = launch === null ? null : launch.start >= busy.end;
    return { profile, device, start: busy.end, end: start, before, after, late };
  }
}

export class DeviceTimes {
  readonly #devices = new ByDevice(() => new DeviceTime());
  /** Pieces of work without a time, which are in nothing. */
  untimed = 0;

  /** Takes a record; returns the idle time that it ends. */
  take(record: ProfileLine): Gap | null {
    const found = workOf(record);
    if (found === null) return null;
    const { start, dur, device } = found.record;
    if (dur === null || !Number.isFinite(start + dur) || !Number.isFinite(device)) {
      this.untimed++;
      return null;
    }
    return this.#devices.of(found.record).add(found.work, found.record, start, start + dur);
  }

  get all(): readonly (Place & { readonly of: DeviceTime })[] {
    return this.#devices.all;
  }

  /** ns from the first work of a device to its last; of the profile's device where that is longest for null. */
  span(profile: number, device: number | null): number {
    if (device !== null) return this.#devices.get(profile, device)?.span ?? 0;
    return Math.max(0, ...this.all.filter((one) => one.profile === profile).map(({ of }) => of.span));
  }
}
