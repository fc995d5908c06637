/**
 * Categories of a trace's events, in lower case: traces up to 2021 capitalise them (`Operator`, `Runtime`, `Kernel`).
 * Categories that are not listed are not read, and named in the profile line: nobody states whether their events are work
 * of a device (`hpu_op` holds events of both host and device, `mtia_workloadd` those of a service).
 * Source: libkineto/include/ActivityType.h and its predecessors, and libkineto/src/ActivityType.cpp.
 */
import type { ActivityKind } from '../../trace/trace-columns.js';
import type { CopyKind, HostMemory } from '../../../record/record.js';

const COPY_KIND = /\b(HtoD|DtoH|DtoD|PtoP|HtoH)\b/;
/** The host's memory in a copy between host and device. */
const HOST_MEMORY = /\b(?:HtoD|DtoH) .*\b(Pageable|Pinned|Managed)\b/;
/** `Stream Sync` and others, as the kinds used for all formats. */
const SYNC_KINDS: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/^Event Sync/i, 'event'],
  [/^Stream Wait Event/i, 'stream-wait-event'],
  [/^Stream Sync/i, 'stream'],
  [/^Context Sync/i, 'context'],
];

/** `Memcpy HtoD (Pageable -> Device)` → `HtoD`. */
export const copyKind = (name: string): CopyKind | null => (COPY_KIND.exec(name)?.[1] as CopyKind | undefined) ?? null;

/** `Memcpy HtoD (Pageable -> Device)` → `pageable`; null for AMD's traces, which state only `Host`. */
export const hostMemory = (name: string): HostMemory | null =>
  (HOST_MEMORY.exec(name)?.[1]?.toLowerCase() as HostMemory | undefined) ?? null;

/**
 * Names of work that are not kernels: accelerators with one category for all they do (MTIA) say so. Kernels of
 * others have the names of functions.
 */
const NO_KERNELS: readonly (readonly [pattern: RegExp, kind: TracedActivity])[] = [
  [/^dma_(?:request|copy|read|write|transfer)$/i, 'copy'],
  [/^(?:event_wait|wait_event|semaphore_wait|barrier_wait)$/i, 'sync'],
];

/** What an event of the category of kernels is. */
export const workKind = (name: string): TracedActivity =>
  NO_KERNELS.find(([pattern]) => pattern.test(name))?.[1] ?? 'kernel';

/** What is waited for; an unknown name is its own kind. */
export const syncKind = (name: string): string => SYNC_KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? name;

export type EventCategory =
  | { readonly is: 'op' }
  | { readonly is: 'annotation' }
  | { readonly is: 'frame' }
  /** What the profiler and the driver did for themselves: buffers, loading of kernels. */
  | { readonly is: 'overhead' }
  /** A host call; `precedence`: see `HostCalls.precedence`. */
  | { readonly is: 'call'; readonly precedence: number }
  | { readonly is: 'activity'; readonly kind: TracedActivity }
  /** Counters of a range of kernels, whose times Kineto makes up: it divides the capture by their number. */
  | { readonly is: 'counters' }
  /** Neither the program's nor work of a device. */
  | { readonly is: 'skipped' };

export type TracedActivity = Exclude<ActivityKind, 'graph' | 'collective'>;

const OP: EventCategory = { is: 'op' };
const RUNTIME: EventCategory = { is: 'call', precedence: 0 };
const DRIVER: EventCategory = { is: 'call', precedence: 1 };
export const SKIPPED: EventCategory = { is: 'skipped' };
const activity = (kind: TracedActivity): EventCategory => ({ is: 'activity', kind });

const CATEGORIES: ReadonlyMap<string, EventCategory> = new Map(
  Object.entries<EventCategory>({
    cpu_op: OP,
    operator: OP,
    user_annotation: { is: 'annotation' },
    python_function: { is: 'frame' },
    cuda_runtime: RUNTIME,
    runtime: RUNTIME,
    hip_runtime: RUNTIME,
    privateuse1_runtime: RUNTIME,
    xpu_runtime: RUNTIME,
    mtia_runtime: RUNTIME,
    glow_runtime: RUNTIME,
    cuda_driver: DRIVER,
    privateuse1_driver: DRIVER,
    xpu_driver: DRIVER,
    kernel: activity('kernel'),
    // The same as `kernel` since Kineto has one category for all devices.
    mtia_ccp_events: activity('kernel'),
    gpu_memcpy: activity('copy'),
    memcpy: activity('copy'),
    gpu_memset: activity('set'),
    memset: activity('set'),
    cuda_sync: activity('sync'),
    cuda_profiler_range: { is: 'counters' },
    ac2g: SKIPPED,
    async: SKIPPED,
    async_cpu_to_gpu: SKIPPED,
    cpu_instant_event: SKIPPED,
    external_correlation: SKIPPED,
    fwdbwd: SKIPPED,
    // A copy of annotations, where the device's time would count twice.
    gpu_user_annotation: SKIPPED,
    overhead: { is: 'overhead' },
    trace: SKIPPED,
  }),
);

/** The category by its name, in upper or lower case; null for an unknown one. */
export function categoryOf(name: string): EventCategory | null {
  return CATEGORIES.get(name.toLowerCase()) ?? null;
}
