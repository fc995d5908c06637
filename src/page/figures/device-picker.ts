/** The choice of a device, for panels that show one at a time. */
import type { PageProfile } from '../../prof/html/page-data.js';
import { select } from '../document/dom-elements.js';

/** As the profile has it; null where it does not. */
export const deviceName = ({ overview: { header, devices } }: PageProfile, device: number): string | null =>
  header?.devices.find(({ id }) => id === device)?.name ?? devices.find((one) => one.device === device)?.name ?? null;

/** `0 · NVIDIA H100`: pages may have devices of several kinds. */
const deviceText = (profile: PageProfile, device: number): string => {
  const name = deviceName(profile, device);
  return name === null ? String(device) : `${device} · ${name}`;
};

/** None where there are fewer than two devices. */
export function devicePicker(
  profile: PageProfile,
  devices: readonly number[],
  show: (device: number) => void,
): HTMLElement[] {
  const [first, second] = devices;
  if (first === undefined || second === undefined) return [];
  const choices = devices.map((device) => [device, deviceText(profile, device)] as const);
  return [select('Device', choices, first, show)];
}
