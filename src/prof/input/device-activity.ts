/** Device activities as records, and the host calls that launched them. */
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
import { entryOf } from '../../containers/map-entry.js';
import type { DiagnosticName } from '../../record/diagnostics.js';
import { UserError } from '../../record/errors.js';
import { captureOption } from '../work/capture-options.js';

/** The error for something that a profile lacks because no device worked in it. */
export class WithoutDevice extends UserError {}

/** These counters are for messages of Nsight Systems. */
const WITH_NSYS = ` with ${captureOption({ format: 'nsight' }, 'work') ?? ''}`;

/** Reasons by the reader's diagnostic counter; the first one that was counted is used. */
const REASONS: readonly (readonly [counter: DiagnosticName, what: string, hint: string])[] = [
  ['profiler-without-permission', 'the profiler has no permission to read the GPU', 'run it as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0'], // prettier-ignore
  ['profiler-driver-not-supported', 'the profiler does not support this driver', "use the profiler released with the driver, or a newer driver"], // prettier-ignore
  ['profiler-not-initialised', 'the profiler could not initialise CUPTI', `stop other GPU profilers and profile again${WITH_NSYS}`], // prettier-ignore
  ['profiler-saw-no-device', 'the profiler saw no CUDA events', `profile the process that uses the GPU, and its children,${WITH_NSYS}`], // prettier-ignore
];

/** Why no device worked, as recorded by the profiler, and what to do. */
export interface MissingReason {
  readonly what: string;
  readonly hint: string;
}

/** Why a profile has no device work, and what to do; null when its profiler recorded no reason. */
export function missingReason(counted: ReadonlySet<string>): MissingReason | null {
  const [, what, hint] = REASONS.find(([counter]) => counted.has(counter)) ?? [];
  return what === undefined || hint === undefined ? null : { what, hint };
}

/** The error with the counted reason instead of a hint that would not help; any other error unchanged. */
export function withReason(error: unknown, counted: ReadonlySet<string>): unknown {
  if (!(error instanceof WithoutDevice)) return error;
  const reason = missingReason(counted);
  if (reason === null) return error;
  return new UserError(error.what, { ...error.detail, why: reason.what, hint: reason.hint });
}

export type DeviceActivity = KernelLine | CollectiveLine | GraphRecord | CopyLine | SetRecord | SyncRecord;

const DEVICE_ACTIVITIES: ReadonlySet<string> = new Set<DeviceActivity['type']>([
  ...(['kernel', 'collective', 'graph', 'copy', 'set', 'sync'] as const),
]);

export const isDeviceActivity = (record: ProfileLine): record is DeviceActivity => DEVICE_ACTIVITIES.has(record.type);

/** Whether a range is a call that launched work; the activities refer to it as their launch. */
export const hasLaunched = ({ launched = 0 }: RangeRecord): boolean => launched > 0;

export interface LaunchCall {
  readonly api: string | null;
  /** Unit: ns. */
  readonly start: number;
  /** Unit: ns; null if unknown. */
  readonly dur: number | null;
  readonly pid: number | null;
  readonly tid: number | null;
}

/**
 * Null when the record has no launch, or the launch has no start. Lines may have been edited, so field types are not
 * certain.
 */
export function launchOf({ launch, pid, tid }: Pick<DeviceActivity, 'launch' | 'pid' | 'tid'>): LaunchCall | null {
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

/** The fields that identify a call in its profile. */
interface CallTime {
  readonly pid?: number | null | undefined;
  readonly tid?: number | null | undefined;
  readonly start: number;
}

/** Number of calls of a thread that are remembered. Activities of a call come soon after each other. */
const REMEMBERED_CALLS = 4096;

/**
 * Counts each call once, however many activities it launched: a thread is in a single call at any moment, so that thread and
 * start identify it. Memory: the latest calls of each thread.
 */
export class CallsSeen {
  readonly #starts = new Map<number | null, Map<number | null, Set<number>>>();

  /** Whether no activity of the call was seen before. */
  isNew({ pid = null, tid = null, start }: CallTime): boolean {
    const threads = entryOf(this.#starts, pid, () => new Map<number | null, Set<number>>());
    const starts = entryOf(threads, tid, () => new Set<number>());
    if (starts.has(start)) return false;
    if (starts.size === REMEMBERED_CALLS) starts.clear();
    starts.add(start);
    return true;
  }
}
