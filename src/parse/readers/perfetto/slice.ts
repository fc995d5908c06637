/** What the readers of slices share: a slice, the profile that it is added to, and its devices. */
import { entryOf } from '../../../containers/map-entry.js';
import type { Writable } from '../../../containers/writable.js';
import type { Device } from '../../../record/record.js';
import type { ActivityDetails } from '../../trace/trace.js';
import type { TraceBuilder, TraceFacts } from '../../trace/trace-builder.js';
import type { WireNumber } from '../../input/protobuf-fields.js';
import type { ArgValue, TrackEvent } from './track-events.js';
import type { TrackPlace } from './tracks.js';

/** A slice, or a mark: its end is unknown. Times in ns. */
export interface Slice extends TrackEvent {
  readonly place: TrackPlace;
  readonly start: number | null;
  readonly end: number | null;
}

/** Takes a slice of a category. */
export type TakeSlice = (slice: Slice, reading: SliceReading) => void;

export class SliceReading {
  /** What the slices state about the profile. */
  readonly facts: Writable<Pick<TraceFacts, 'tool' | 'rank' | 'facts' | 'job'>> = { tool: null };
  vendor: string | null = null;
  /** Details that kernels share, by their text. */
  readonly details = new Map<string, ActivityDetails>();
  readonly #devices = new Map<number, Partial<Device> & Pick<Device, 'id'>>();
  readonly #ids = new Map<string, number>();
  /** Devices that profiles state, by the beginning of the names of their processes. */
  readonly #stated = new Map<string, readonly Device[]>();

  /** @param processOf the process that an arrow starts in; null if unknown */
  constructor(
    readonly trace: TraceBuilder,
    readonly processOf: (flow: WireNumber) => number | null,
  ) {}

  /** Devices with work; if all are from one profile, also those without. */
  get devices(): readonly (Partial<Device> & Pick<Device, 'id'>)[] {
    const [only = [], ...others] = this.#stated.values();
    const idle = others.length > 0 ? [] : only.filter(({ id }) => !this.#devices.has(id));
    return [...this.#devices.values(), ...idle];
  }

  /** Takes the devices of a profile from its mark. */
  stateDevices({ process }: TrackPlace, devices: readonly Device[]): void {
    this.#stated.set(profileOf(process), devices);
  }

  /** Adds what is known about a device. */
  describe(device: Partial<Device> & Pick<Device, 'id'>): void {
    this.#devices.set(device.id, { ...this.#devices.get(device.id), ...device });
  }

  /** Number of the device whose process a track of `dprof perfetto` is in: several ranks may use the same numbers. */
  deviceOf({ process, device, deviceName: name, rank }: TrackPlace): number | null {
    if (device === null) return null;
    return entryOf(this.#ids, process, () => {
      let id = device;
      while (this.#devices.has(id)) id++;
      const stated = this.#stated.get(profileOf(process))?.find((candidate) => candidate.id === device);
      this.describe({ ...stated, id, name, ...(rank === null ? undefined : { rank }) });
      return id;
    });
  }
}

/** `profile 1, rank 3, ` before `device 0` in the name of a process of `dprof perfetto`. */
const profileOf = (process: string): string => /^(?:profile \d+, )?(?:rank \d+, )?/.exec(process)?.[0] ?? '';

/** The number in an argument, which may be a string; null for any other. */
export function numberIn(value: ArgValue | undefined): number | null {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

export const textIn = (value: ArgValue | undefined): string | null => (typeof value === 'string' ? value : null);
