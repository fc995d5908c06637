/** Device activities with their kind and time, for what a page draws over time. */
import { PS_PER_NS } from '../../containers/interval-union.js';
import type { DeviceActivity } from '../input/device-activity.js';
import { workOf } from '../steps/step-work.js';
import type { EventKind } from './timeline/timeline-data.js';

/** An activity whose start, duration and device are known. */
export interface TimedActivity {
  readonly record: DeviceActivity;
  readonly kind: EventKind;
  /** In ns, with a fraction when the device's clock has picoseconds. */
  readonly start: number;
  readonly dur: number;
}

/** Lines may have been edited: anything but a finite number is unknown. */
const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** Null when the start, the duration or the device is unknown, or the activity ended before it began. */
export function timedActivity(record: DeviceActivity): TimedActivity | null {
  const { start, dur, device, ps } = record;
  if (!isTime(start) || !isTime(dur) || dur < 0 || !isTime(device)) return null;
  const [startPs = 0, durPs = 0] = ps ?? [];
  return { record, kind: kindOf(record), start: start + startPs / PS_PER_NS, dur: dur + durPs / PS_PER_NS };
}

function kindOf(record: DeviceActivity): EventKind {
  switch (record.type) {
    case 'kernel': {
      const work = workOf(record)?.work ?? null;
      // An instruction that only waits is not work of its engine.
      if (work === null) return 'wait';
      return work === 'communication' ? 'communication' : 'kernel';
    }
    case 'collective':
      return 'communication';
    case 'sync':
      return 'wait';
    default:
      return record.type;
  }
}
