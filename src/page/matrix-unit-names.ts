/** Vendors' names of the unit that multiplies matrices. */
import type { ProfileSummary } from '../prof/summary/summary-data.js';

const NAMES: Readonly<Record<string, string>> = {
  nvidia: 'tensor cores',
  amd: 'matrix cores',
  ascend: 'cube unit',
  huawei: 'cube unit',
  neuron: 'tensor engine',
  aws: 'tensor engine',
};

export function matrixUnitName(header: ProfileSummary['header']): string {
  const vendors = new Set(header?.devices.map(({ vendor }) => vendor));
  const [only] = vendors;
  return (vendors.size === 1 && only !== undefined ? NAMES[only] : undefined) ?? 'matrix unit';
}
