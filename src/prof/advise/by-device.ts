/** Something for each device of each profile. */
import { entryOf } from '../../containers/map-entry.js';

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
