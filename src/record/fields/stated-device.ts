/** Finds the description of a device in its profile. */
import type { Device, ProfileRecord } from '../record.js';

/**
 * Devices by id, created on first use, because a profile may have thousands of devices and each kernel is looked up.
 */
const byId = new WeakMap<ProfileRecord, ReadonlyMap<number, Device>>();

/** The first device with that id; null when the profile has none, or there is no profile line. */
export function statedDevice(header: ProfileRecord | null, id: number | null): Device | null {
  if (header === null || id === null) return null;
  let devices = byId.get(header);
  if (devices === undefined) {
    devices = new Map(header.devices.toReversed().map((device) => [device.id, device] as const));
    byId.set(header, devices);
  }
  return devices.get(id) ?? null;
}

/**
 * The rank that work on a device belongs to: that of the profile or, in a profile of several ranks, that of the device. Null when
 * it is unknown.
 */
export const rankOn = (header: ProfileRecord | null, device: number | null): number | null =>
  header?.rank ?? statedDevice(header, device)?.rank ?? null;

/** Compute capability of an NVIDIA device without its point: `sm80` → 80; null for other vendors. */
export function capabilityOf(arch: string): number | null {
  const sm = /^sm_?(\d+)/.exec(arch);
  return sm === null ? null : Number(sm[1]);
}
