/** Idle time of devices by cause. */
import { entryOf } from '../../../containers/map-entry.js';
import { NO_IDLE, type IdleCause } from '../../advise/idle/cause-names.js';
import type { PageIdle } from './idle-data.js';

interface CauseSum {
  count: number;
  time: number;
  longest: number;
}

function addCause(causes: Map<IdleCause, CauseSum>, cause: IdleCause, { count, time, longest }: CauseSum): void {
  const sum = entryOf(causes, cause, () => ({ count: 0, time: 0, longest: 0 }));
  sum.count += count;
  sum.time += time;
  sum.longest = Math.max(sum.longest, longest);
}

export class CauseSums {
  readonly #devices = new Map<number, Map<IdleCause, CauseSum>>();

  /** @param time length of the gap, in ns */
  add(device: number, cause: IdleCause, time: number): void {
    const ofDevice = entryOf(this.#devices, device, () => new Map<IdleCause, CauseSum>());
    addCause(ofDevice, cause, { count: 1, time, longest: time });
  }

  /**
   * Idle times of the devices that have a part of the program.
   * @param counts whether the device is one of them
   */
  idle(counts: (device: number) => boolean): Pick<PageIdle, 'causes' | 'devices'> {
    const devices = [...this.#devices].filter(([device]) => counts(device)).sort(([a], [b]) => a - b);
    const all = new Map<IdleCause, CauseSum>();
    for (const [, causes] of devices) for (const [cause, sum] of causes) addCause(all, cause, sum);
    return {
      causes: [...all].map(([cause, sum]) => ({ cause, ...sum })).sort((a, b) => b.time - a.time),
      devices: devices.map(([device, causes]) => ({
        device,
        times: { ...NO_IDLE, ...Object.fromEntries([...causes].map(([cause, { time }]) => [cause, time])) },
      })),
    };
  }
}
