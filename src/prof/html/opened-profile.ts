/** Which profile a page opens with. */
import { elementAt } from '../../containers/element.js';
import type { PageProfile } from './page-data.js';

/** Ranks of a job do about as much; what a capture of a graph does besides is next to nothing mostly. */
const MUCH = 0.5;

/**
 * Index of the first profile with at least half of the most work on devices, of those that are no captures of graphs where
 * there is one; 0 without any.
 */
export function openedAtFirst(profiles: readonly Pick<PageProfile, 'overview' | 'isGraphCapture'>[]): number {
  const busy = profiles.map(({ overview }) => overview.devices.reduce((sum, device) => sum + device.busy, 0));
  const hasRun = profiles.some(({ isGraphCapture }, at) => !isGraphCapture && elementAt(busy, at) > 0);
  const work = profiles.map(({ isGraphCapture }, at) => (hasRun && isGraphCapture ? 0 : elementAt(busy, at)));
  const most = work.reduce((a, b) => Math.max(a, b), 0);
  return Math.max(
    0,
    work.findIndex((own) => own >= MUCH * most),
  );
}
