/**
 * When each device worked and when it did not, in one pass over records in order of start. Memory: a few numbers a
 * device.
 *
 * In whole ns, unlike the overview, whose unions hold the work of a nanosecond until the next one to be exact to the
 * picosecond: rules get a gap before the work that ended it, with both records.
 */
import { largest } from '../../containers/element.js';
import type { ProfileLine } from '../../record/record.js';
import { launchedAt, workOf, type StepActivity } from '../steps/step-work.js';
import { IntervalUnion, gapEnd, type GapEnd } from '../../containers/interval-union.js';
import { entryOf } from '../../containers/map-entry.js';

/** Something for each device of each profile. */
export interface Place {
  readonly profile: number;
  readonly device: number;
}

const noDevices = <T>(): Map<number, T> => new Map();

export class ByDevice<T> {
  readonly #profiles = new Map<number, Map<number, T>>();

  constructor(private readonly make: () => T) {}

  /** That of a device, made when there is none. */
  of({ profile, device }: Place): T {
    return entryOf(entryOf(this.#profiles, profile, noDevices<T>), device, this.make);
  }

  get(profile: number, device: number): T | undefined {
    return this.#profiles.get(profile)?.get(device);
  }

  /** Whether there is any device of a profile. */
  has(profile: number): boolean {
    return (this.#profiles.get(profile)?.size ?? 0) > 0;
  }

  /** In order of profiles and devices. */
  get all(): (Place & { readonly of: T })[] {
    return [...this.#profiles.keys()].sort((a, b) => a - b).flatMap((profile) => this.ofProfile(profile));
  }

  /** In order of devices. */
  ofProfile(profile: number): (Place & { readonly of: T })[] {
    const devices = [...(this.#profiles.get(profile) ?? [])].map(([device, of]) => ({ profile, device, of }));
    return devices.sort((a, b) => a.device - b.device);
  }
}

/** Time in which a device did nothing, between two pieces of work. */
export interface Gap extends Place {
  readonly start: number;
  readonly end: number;
  /** What ended last before it, and what ended it. */
  readonly before: StepActivity;
  readonly after: StepActivity;
  readonly ended: GapEnd;
}

export class DeviceActivityTime {
  first = Infinity;
  last = -Infinity;
  activities = 0;
  /** Activities whose launch is known. */
  launched = 0;
  /** Activities that came after one that starts later: lengths of unions are then too small. */
  disordered = 0;
  /** Kernels, collectives, graphs, copies, sets. */
  readonly busy = new IntervalUnion();
  readonly computing = new IntervalUnion();
  readonly communication = new IntervalUnion();
  /** Computing and communication. */
  readonly either = new IntervalUnion();
  /** Computing and copies. */
  readonly local = new IntervalUnion();
  /** What ended last. */
  before: StepActivity | null = null;
  #newest = -Infinity;

  /** From the first start to the last end, ns. */
  get span(): number {
    return Math.max(0, this.last - this.first);
  }

  add(work: 'computing' | 'communication' | 'copy', record: StepActivity, start: number, end: number): Gap | null {
    this.activities++;
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
    else this.local.add(start, end);
    if (work !== 'copy') this.either.add(start, end);
    return isAfterGap && before !== null ? gapBetween(before, record, dry) : null;
  }
}

/** @param start when the device had run dry, ns */
function gapBetween(before: StepActivity, after: StepActivity, start: number): Gap {
  const { profile, device } = after;
  return { profile, device, start, end: after.start, before, after, ended: gapEnd(start, launchedAt(after)) };
}

export class DeviceTimes {
  readonly #devices = new ByDevice(() => new DeviceActivityTime());
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

  get(profile: number, device: number): DeviceActivityTime | undefined {
    return this.#devices.get(profile, device);
  }

  get all(): readonly (Place & { readonly of: DeviceActivityTime })[] {
    return this.#devices.all;
  }

  /** Whether there is any device of a profile. */
  has(profile: number): boolean {
    return this.#devices.has(profile);
  }

  ofProfile(profile: number): readonly (Place & { readonly of: DeviceActivityTime })[] {
    return this.#devices.ofProfile(profile);
  }

  /** The longest span of any device, ns; 0 without any. */
  get longest(): number {
    return largest(
      this.all.map(({ of }) => of.span),
      0,
    );
  }

  /** ns from the first work of a device to its last; of the profile's device where that is longest for null. */
  span(profile: number, device: number | null): number {
    if (device !== null) return this.#devices.get(profile, device)?.span ?? 0;
    return largest(
      this.ofProfile(profile).map(({ of }) => of.span),
      0,
    );
  }
}
