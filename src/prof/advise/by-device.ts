/** Something for each device of each profile. */

export interface Place {
  readonly profile: number;
  readonly device: number;
}

export class ByDevice<T> {
  readonly #profiles = new Map<number, Map<number, T>>();

  constructor(private readonly make: () => T) {}

  /** That of a device, made when there is none. */
  of({ profile, device }: Place): T {
    let devices = this.#profiles.get(profile);
    if (devices === undefined) this.#profiles.set(profile, (devices = new Map<number, T>()));
    let one = devices.get(device);
    if (one === undefined) devices.set(device, (one = this.make()));
    return one;
  }

  get(profile: number, device: number): T | undefined {
    return this.#profiles.get(profile)?.get(device);
  }

  /** In order of profiles and devices. */
  get all(): (Place & { readonly of: T })[] {
    const found = [...this.#profiles].flatMap(([profile, devices]) =>
      [...devices].map(([device, of]) => ({ profile, device, of })),
    );
    return found.sort((a, b) => a.profile - b.profile || a.device - b.device);
  }
}
