/** The row of the table of devices for a device of a profile. */
import type { Device } from '../../record/record.js';
import { DEVICES, GIB, type DeviceRow } from './devices.js';

/** Memory in bytes by a name such as `A100-SXM4-80GB`; null where the name has none. */
const memoryInName = (name: string): number | null => {
  const size = /(?<!\d)(\d+)\s?GB\b/.exec(name)?.[1];
  return size === undefined ? null : Number(size) * GIB;
};

/**
 * The row of a device; null for a part that is not in the table.
 * @param name as the driver has it
 * @param memBytes memory in bytes; null where the profile has none
 */
export function rowOf(name: string, memBytes: number | null): DeviceRow | null {
  if (/\bMIG\b/.test(name)) return null;
  const memory = memBytes ?? memoryInName(name);
  const fits = ([least, most]: readonly [number, number]): boolean =>
    memory !== null && memory >= least && memory <= most;
  return DEVICES.find((row) => row.pattern.test(name) && (row.memory === undefined || fits(row.memory))) ?? null;
}

/** The row of the only part with such an architecture, units and memory; null when there is none. */
export const rowOfUnnamed = ({ arch, units, memBytes }: Device): DeviceRow | null =>
  DEVICES.find(({ arch: own, unnamed }) => {
    if (unnamed === undefined || own !== arch || unnamed.units !== units || memBytes === null) return false;
    const [least, most] = unnamed.memory;
    return memBytes >= least && memBytes <= most;
  }) ?? null;
