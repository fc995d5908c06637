/**
 * When each device worked and when it was idle, in one pass over records in order of start time. Memory: a few numbers per
 * device.
 *
 * Times are whole ns. The overview is exact to the picosecond, because its unions hold the work of one nanosecond back
 * until the next. Rules receive a gap before the work that ended it, with the records on both sides.
 */
import { largest } from '../../containers/element.js';
import { isOfProgram } from '../../ops/neuron/instruction-work.js';
import type { ProfileLine } from '../../record/record.js';
import { launchedAt, workOf, type StepActivity } from '../steps/step-work.js';
import { IntervalUnion, gapEnd, type GapEnd } from '../../containers/interval-union.js';
import { entryOf } from '../../containers/map-entry.js';

/** A device of a profile. */
export interface Place {
  readonly profile: number;
  readonly device: number;
}

const noDevices = <T>(): Map<number, T> => new Map();

export class ByDevice<T> {
  readonly #profiles = new Map<number, Map<number, T>>();

  constructor(private readonly make: () => T) {}

  /** The value of a device, which is created when there is none yet. */
  of({ profile, device }: Place): T {
    return entryOf(entryOf(this.#profiles, profile, noDevices<T>), device, this.make);
  }

  get(profile: number, device: number): T | undefined {
    return this.#profiles.get(profile)?.get(device);
  }

  /** Whether the profile has any device. */
  has(profile: number): boolean {
    return (this.#profiles.get(profile)?.size ?? 0) > 0;
  }

  /** Values in order of profiles and devices. */
  get all(): (Place & { readonly of: T })[] {
    return [...this.#profiles.keys()].sort((a, b) => a - b).flatMap((profile) => this.ofProfile(profile));
  }

  /** Values of one profile in order of devices. */
  ofProfile(profile: number): (Place & { readonly of: T })[] {
    const devices = [...(this.#profiles.get(profile) ?? [])].map(([device, value]) => ({ profile, device, of: value }));
    return devices.sort((a, b) => a.device - b.device);
  }
}

/** Idle time of a device between two pieces of work. */
export interface Gap extends Place {
  readonly start: number;
  readonly end: number;
  /** The work before the gap that ended last. */
  readonly before: StepActivity;
  readonly after: StepActivity;
  readonly ended: GapEnd;
}

export class DeviceActivityTime {
  first = Infinity;
  last = -Infinity;
  activities = 0;
  /** Whether the device ran a part of the program. */
  works = false;
  /** Number of activities whose launch is known. */
  launched = 0;
  /** Number of activities that came after one that starts later. If there are any, unions are too short. */
  disordered = 0;
  /** Time of all work: kernels, collectives, graphs, copies, memsets. */
  readonly busy = new IntervalUnion();
  readonly computing = new IntervalUnion();
  readonly communication = new IntervalUnion();
  /** Time of compute or communication. */
  readonly either = new IntervalUnion();
  /** The work that ended last. */
  before: StepActivity | null = null;
  #newest = -Infinity;

  /** Time from the first start to the last end, in ns. */
  get span(): number {
    return Math.max(0, this.last - this.first);
  }

  add(work: 'computing' | 'communication' | 'copy', record: StepActivity, start: number, end: number): Gap | null {
    this.activities++;
    this.works ||= isOfProgram(record);
    if (start < this.#newest) this.disordered++;
    this.#newest = Math.max(this.#newest, start);
    if ((record.launch ?? null) !== null) this.launched++;
    const { before, busy } = this;
    const dry = busy.end;
    if (end >= dry || before === null) this.before = record;
    this.first = Math.min(this.first, start);
    this.last = Math.max(this.last, end);
    const isAfterGap = busy.add(start, end);
    if (work === 'computing') this.computing.add(start, end);
    if (work === 'communication') this.communication.add(start, end);
    if (work !== 'copy') this.either.add(start, end);
    return isAfterGap && before !== null ? gapBetween(before, record, dry) : null;
  }
}

/** @param start when the device ran out of work, in ns */
function gapBetween(before: StepActivity, after: StepActivity, start: number): Gap {
  const { profile, device } = after;
  return { profile, device, start, end: after.start, before, after, ended: gapEnd(start, launchedAt(after)) };
}

export class DeviceTimes {
  readonly #devices = new ByDevice(() => new DeviceActivityTime());
  /** Number of pieces of work without a time. No union contains them. */
  untimed = 0;

  /** Takes a record; returns the idle time that it ends, if any. */
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

  get(profile: number, device: number): DeviceActivityTime | undefined {
    return this.#devices.get(profile, device);
  }

  get all(): readonly (Place & { readonly of: DeviceActivityTime })[] {
    return this.#devices.all;
  }

  /** Whether the profile has any device. */
  has(profile: number): boolean {
    return this.#devices.has(profile);
  }

  ofProfile(profile: number): readonly (Place & { readonly of: DeviceActivityTime })[] {
    return this.#devices.ofProfile(profile);
  }

  /** The longest span of any device in ns; 0 without devices. */
  get longest(): number {
    return largest(
      this.all.map(({ of: activity }) => activity.span),
      0,
    );
  }

  /** Time in ns from a device's first work to its last; for null, that of the profile's device with the longest span. */
  span(profile: number, device: number | null): number {
    if (device !== null) return this.#devices.get(profile, device)?.span ?? 0;
    return largest(
      this.ofProfile(profile).map(({ of: activity }) => activity.span),
      0,
    );
  }
}
