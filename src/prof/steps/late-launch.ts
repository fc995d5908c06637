/** When the host launched work, for the question whether the device waited for it. */
import type { Activity } from '../../record/record.js';

/**
 * ns. A call that launches takes some µs, an op of an eager framework around it some ten, a step of an optimizer some
 * hundred: a device that waits longer does not wait for launches but for what the program does between them.
 */
export const LONGEST_LAUNCH = 1_000_000;

/**
 * When work was launched that the device could have begun, ns: as a rule the start of the launch; null when it is not known. Work that began longer after its call had returned than a
 * launch takes waited for something else too, such as work from before the profile: it counts as launched late only
 * where the device had waited longer for the call than the work waited after it. Other work that had been launched before,
 * and starts even later, waited for something else too: the device was not idle because of the host.
 */
export function launchedAt({
  start,
  launch = null,
  othersWait = 0,
}: Partial<Pick<Activity, 'launch' | 'othersWait'>> & { start: number }): number | null {
  if (launch === null) return null;
  const returned = launch.start + launch.dur;
  const waited = start - returned;
  const own = waited > LONGEST_LAUNCH ? Math.min(launch.start, returned - waited) : launch.start;
  return othersWait > 0 ? Math.min(own, start - othersWait) : own;
}
