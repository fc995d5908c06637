/** The choice of a device, for panels that show one at a time. */
import { select } from '../document/dom-elements.js';

/** None where there are fewer than two devices. */
export function devicePicker(devices: readonly number[], show: (device: number) => void): HTMLElement[] {
  const [first, second] = devices;
  if (first === undefined || second === undefined) return [];
  const choices = devices.map((device) => [device, String(device)] as const);
  return [select('Device', choices, first, show)];
}
