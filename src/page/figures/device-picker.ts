/** The choice of a device, for panels that show one at a time. */
import type { PageProfile } from '../../prof/html/page-data.js';
import { keptSelect } from '../document/kept-choice.js';

/** As the profile has it; null where it does not. */
export const deviceName = ({ overview: { header, devices } }: PageProfile, device: number): string | null =>
  header?.devices.find(({ id }) => id === device)?.name ?? devices.find((one) => one.device === device)?.name ?? null;

/** `0 · NVIDIA H100`: pages may have devices of several kinds. */
const deviceText = (profile: PageProfile, device: number): string => {
  const name = deviceName(profile, device);
  return name === null ? String(device) : `${device} · ${name}`;
};

/**
 * Shows a device, and the choice of another where there are several.
 * @param name of the choice in the address
 */
export function devicePicker(
  profile: PageProfile,
  name: string,
  devices: readonly number[],
  show: (device: number) => void,
): HTMLElement[] {
  const [first] = devices;
  if (first === undefined) return [];
  const choices = devices.map((device) => [device, deviceText(profile, device)] as const);
  const box = keptSelect('Device', name, choices, first, show);
  return devices.length > 1 ? [box] : [];
}
