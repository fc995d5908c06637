/** Activities of devices as records have them, and the host calls that launched them. */
import type {
  CollectiveLine,
  CopyLine,
  GraphRecord,
  KernelLine,
  ProfileLine,
  RangeRecord,
  SetRecord,
  SyncRecord,
} from '../../record/record.js';

export type DeviceActivity = KernelLine | CollectiveLine | GraphRecord | CopyLine | SetRecord | SyncRecord;

const DEVICE_ACTIVITIES: ReadonlySet<string> = new Set<DeviceActivity['type']>([
  ...(['kernel', 'collective', 'graph', 'copy', 'set', 'sync'] as const),
]);

export const isDeviceActivity = (record: ProfileLine): record is DeviceActivity => DEVICE_ACTIVITIES.has(record.type);

/** Whether a range is a call that launched work: the activities state it as their launch. */
export const hasLaunched = ({ launched = 0 }: RangeRecord): boolean => launched > 0;

export interface LaunchCall {
  readonly api: string | null;
  /** ns */
  readonly start: number;
  /** ns; null where it is not known. */
  readonly dur: number | null;
  readonly pid: number | null;
  readonly tid: number | null;
}

/** Null where the record has no launch, or not its start. Lines may have been edited: other types are unknown. */
export function launchOf({ launch, pid, tid }: DeviceActivity): LaunchCall | null {
  if (typeof launch !== 'object' || launch === null || !Number.isFinite(launch.start)) return null;
  const { api, start, dur } = launch as { readonly api: unknown; readonly start: number; readonly dur: unknown };
  return {
    api: typeof api === 'string' ? api : null,
    start,
    dur: typeof dur === 'number' ? dur : null,
    pid: pid ?? null,
    tid: tid ?? null,
  };
}
