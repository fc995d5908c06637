/** Fields of records that anyone may have edited: a value that is not of its type is unknown. */
import type { DeviceActivity } from '../input/device-activity.js';

export type NonKernelActivity = Exclude<DeviceActivity, { readonly type: 'kernel' }>;

/** Whole ns; null for anything else, as in a net.dict, which has no times. */
export function timeOf(time: unknown): number | null {
  if (typeof time !== 'number') return null;
  const whole = Math.round(time);
  return Number.isSafeInteger(whole) ? whole : null;
}

export const nameOf = (name: unknown): string => (typeof name === 'string' ? name : 'na');

/** `copy HtoD`, `sync stream`, the name of a collective operation. */
export function titleOf(record: NonKernelActivity): string {
  if (record.type === 'collective') return nameOf(record.name);
  if (record.type === 'graph') return 'graph launch';
  const kind: unknown = record.type === 'set' ? null : record.kind;
  return typeof kind === 'string' ? `${record.type} ${kind}` : record.type;
}
