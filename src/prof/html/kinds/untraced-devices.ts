/** Profiles without work of a device: nothing was recorded there, so that no time of a device is known, not even as 0. */
import type { PageProfile } from '../page-data.js';

type DeviceFigures = Pick<PageProfile, 'ops' | 'annotations'>;

const UNKNOWN = { count: null, time: null } as const;

/** The figures of ops and annotations with those of devices unknown. */
export const withoutDevices = ({ ops, annotations }: DeviceFigures): DeviceFigures => ({
  ops: { ...ops, time: null, shown: ops.shown.map((op) => ({ ...op, ...UNKNOWN, within: null })) },
  annotations: { ...annotations, shown: annotations.shown.map((one) => ({ ...one, ...UNKNOWN, own: null })) },
});
