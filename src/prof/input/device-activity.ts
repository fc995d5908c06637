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
import type { DiagnosticName } from '../../record/diagnostics.js';
import { UserError } from '../../record/errors.js';
import { captureOption } from '../work/capture-options.js';

/** An error for what a profile has nothing of, since no device worked in it. */
export class WithoutDevice extends UserError {}

/** The messages that are counted are of Nsight Systems. */
const WITH_NSYS = ` with ${captureOption({ format: 'nsight' }, 'work') ?? ''}`;

/** By the counter that a reader has for it; the first counts. */
const REASONS: readonly (readonly [counter: DiagnosticName, what: string, hint: string])[] = [
  ['profiler-without-permission', 'the profiler may not read the GPU', 'run it as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0'], // prettier-ignore
  ['profiler-driver-not-supported', 'the driver is none that the profiler supports', "take the profiler of the driver's release, or a newer driver"], // prettier-ignore
  ['profiler-not-initialised', 'the profiler could not initialise CUPTI', `end other profilers of the GPU, and profile again${WITH_NSYS}`], // prettier-ignore
  ['profiler-saw-no-device', 'the profiler saw no CUDA events', `profile the process that uses the GPU, its children too,${WITH_NSYS}`], // prettier-ignore
];

/** What the profiler recorded of why no device worked, and what to do; null where it recorded nothing. */
export interface MissingReason {
  readonly what: string;
  readonly hint: string;
}

/** Why a profile has no work of a device, where its profiler recorded the reason; and what to do. */
export function missingReason(counted: ReadonlySet<string>): MissingReason | null {
  const [, what, hint] = REASONS.find(([counter]) => counted.has(counter)) ?? [];
  return what === undefined || hint === undefined ? null : { what, hint };
}

/** The error with the reason that was counted, in place of a hint that would not help; any other as it is. */
export function withReason(error: unknown, counted: ReadonlySet<string>): unknown {
  if (!(error instanceof WithoutDevice)) return error;
  const reason = missingReason(counted);
  if (reason === null) return error;
  return new UserError(`${error.what}: ${reason.what}`, { ...error.detail, hint: reason.hint });
}

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
