/** What a profile says of one of its devices. */
import type { Device, ProfileRecord } from '../record.js';

/** Devices by id, made when the first is asked for: a profile may have thousands, and each kernel asks. */
const byId = new WeakMap<ProfileRecord, ReadonlyMap<number, Device>>();

/** The first of that id; null where the profile has none, and without a profile. */
export function statedDevice(header: ProfileRecord | null, id: number | null): Device | null {
  if (header === null || id === null) return null;
  let devices = byId.get(header);
  if (devices === undefined) {
    devices = new Map(header.devices.toReversed().map((device) => [device.id, device] as const));
    byId.set(header, devices);
  }
  return devices.get(id) ?? null;
}
