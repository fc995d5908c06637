/** Whose roofs a roofline has, and how others are drawn. */
import type { DeviceRoof } from '../../prof/html/page-data.js';

/** Names that `--device` takes, of devices that many know. */
export const DEVICE_EXAMPLES = ['H100 SXM', 'MI300X'] as const;

const HOW = [
  'dprof html --device NAME draws those of another device, such as',
  DEVICE_EXAMPLES.map((name) => `"${name}"`).join(' or '),
  '(dprof --devices lists them).',
].join(' ');

/** How the peaks are known. @param own name of the device in the profile */
const ORIGINS: Readonly<Record<DeviceRoof['origin'], (own: string | null) => string>> = {
  table: () => '',
  inferred: () => '',
  formula: () => ', by its units and clock',
  given: (own) => `, given with --device in place of ${own ?? "the profile's device"}`,
  none: () => '',
};

/** @param own name of the device in the profile, null where it has none */
export function roofText(roof: Omit<DeviceRoof, 'device' | 'time'> | undefined, own: string | null): string {
  if (roof === undefined || (roof.units.length === 0 && roof.bytesPerS === null))
    return `No roofs: the peaks of ${own ?? 'this device'} are not known. ${HOW}`;
  const lacks =
    roof.units.length === 0
      ? `; its peak FLOP/s are not known. ${HOW}`
      : roof.bytesPerS === null
        ? `; its memory bandwidth is not known. ${HOW}`
        : '.';
  return `Roofs of ${roof.name}${ORIGINS[roof.origin](own)}${lacks}`;
}
