/** What ran on a device, and when, for what a page draws over time. */
import { isInstruction } from '../../record/neuron.js';
import type { CollectiveRecord, CopyLine, GraphRecord, KernelLine, ProfileLine, SetRecord, SyncRecord } from '../../record/record.js'; // prettier-ignore
import { workOf } from '../steps/step-work.js';
import { PS_PER_NS } from '../../containers/interval-union.js';
import type { EventKind } from './page-data.js';

export type Activity = KernelLine | CollectiveRecord | GraphRecord | CopyLine | SetRecord | SyncRecord;

/** An activity with a time. */
export interface TimedActivity {
  readonly record: Activity;
  readonly kind: EventKind;
  /** ns, with a fraction where the device's clock tells it. */
  readonly start: number;
  readonly dur: number;
}

const ACTIVITIES: ReadonlySet<string> = new Set(['kernel', 'collective', 'graph', 'copy', 'set', 'sync']);

export const isActivity = (record: ProfileLine): record is Activity => ACTIVITIES.has(record.type);

/** Lines may have been edited: what is no number is not known. */
const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** Null for what does not tell when it ran, or on which device, or ended before it began. */
export function timedActivity(record: Activity): TimedActivity | null {
  const { start, dur, device, ps } = record;
  if (!isTime(start) || !isTime(dur) || dur < 0 || !isTime(device)) return null;
  const [more = 0, longer = 0] = ps ?? [];
  return { record, kind: kindOf(record), start: start + more / PS_PER_NS, dur: dur + longer / PS_PER_NS };
}

function kindOf(record: Activity): EventKind {
  switch (record.type) {
    case 'kernel':
      // An instruction that does nothing but wait is none of the device's work.
      if (isInstruction(record) && workOf(record) === null) return 'sync';
      return workOf(record)?.work === 'communication' ? 'communication' : 'kernel';
    case 'collective':
      return 'communication';
    default:
      return record.type;
  }
}

/** The host call that launched an activity, where it tells when that was. */
export interface TimedLaunch {
  readonly api: string | null;
  readonly start: number;
  readonly dur: number;
  readonly pid: number | null;
  readonly tid: number | null;
}

export function launchOf({ launch, pid, tid }: Activity): TimedLaunch | null {
  if (typeof launch !== 'object' || launch === null || !isTime(launch.start)) return null;
  const { api, start, dur } = launch;
  return { api, start, dur: isTime(dur) ? Math.max(0, dur) : 0, pid: pid ?? null, tid: tid ?? null };
}
