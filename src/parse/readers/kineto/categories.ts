/**
 * Categories of a trace's events, in lower case: traces up to 2021 capitalise them (`Operator`, `Runtime`, `Kernel`).
 * Categories that are not listed are not read but named in the profile line, because it is not documented whether their
 * events are device work (`hpu_op` contains events of both host and device, `mtia_workloadd` those of a service, and
 * `collective_comm` those of the libraries for collectives, whose kernels the trace has too: with oneCCL, its calls on the
 * host; nothing says what `mtia_insight` contains). Source: libkineto/include/ActivityType.h and its predecessors,
 * libkineto/src/ActivityType.cpp, and the plugin for Intel's PTI.
 */
import type { ActivityKind } from '../../trace/trace-columns.js';
import type { CopyKind, HostMemory } from '../../../record/record.js';

const COPY_KIND = /\b(HtoD|DtoH|DtoD|PtoP|HtoH)\b/;
/** Matches the kind of host memory in a copy between host and device. */
const HOST_MEMORY = /\b(?:HtoD|DtoH) .*\b(Pageable|Pinned|Managed)\b/;
/**
 * The same in Intel's traces: `M` is memory that Level Zero does not know, and `H` is memory that it allocated on the
 * host. The direction is unknown for copies of memory that migrates (`S`). Source: Intel PTI, pti_view_memcpy_type.
 */
const INTEL_COPY = /^Memcpy ([MHD])2([MHD])\b/;
const SIDE: Readonly<Record<string, 'H' | 'D'>> = { M: 'H', H: 'H', D: 'D' };
/** Words for `Stream Sync` and others that are used for all formats. */
const SYNC_KINDS: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/^Event Sync/i, 'event'],
  [/^Stream Wait Event/i, 'stream-wait-event'],
  [/^Stream Sync/i, 'stream'],
  [/^Context Sync/i, 'context'],
];

/** Direction of a copy: `Memcpy HtoD (Pageable -> Device)` → `HtoD`; `Memcpy M2D (MEMORY(Unknown) -> DEVICE)` too. */
export function copyKind(name: string): CopyKind | null {
  const [, from = '', to = ''] = INTEL_COPY.exec(name) ?? [];
  const [source, target] = [SIDE[from], SIDE[to]];
  if (source !== undefined && target !== undefined) return `${source}to${target}`;
  return (COPY_KIND.exec(name)?.[1] as CopyKind | undefined) ?? null;
}

/**
 * Kind of host memory in a copy: `Memcpy HtoD (Pageable -> Device)` → `pageable`; null for AMD's traces, which only say
 * `Host`.
 */
export function hostMemory(name: string): HostMemory | null {
  const [, from, to] = INTEL_COPY.exec(name) ?? [];
  if (from !== undefined && (from === 'D') !== (to === 'D')) return from === 'H' || to === 'H' ? 'pinned' : 'pageable';
  return (HOST_MEMORY.exec(name)?.[1]?.toLowerCase() as HostMemory | undefined) ?? null;
}

/**
 * Names of work in the kernel category that is not a kernel. Accelerators with one category for all work (MTIA) use them;
 * on other devices, kernels have the names of functions.
 */
const NO_KERNELS: readonly (readonly [pattern: RegExp, kind: TracedActivity])[] = [
  [/^dma_(?:request|copy|read|write|transfer)$/i, 'copy'],
  [/^(?:event_wait|wait_event|semaphore_wait|barrier_wait)$/i, 'sync'],
];

/** Kind of an event in the kernel category. */
export const workKind = (name: string): TracedActivity =>
  NO_KERNELS.find(([pattern]) => pattern.test(name))?.[1] ?? 'kernel';

/** What a wait is for; an unknown name is its own kind. */
export const syncKind = (name: string): string => SYNC_KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? name;

export type EventCategory =
  | { readonly is: 'op' }
  | { readonly is: 'annotation' }
  | { readonly is: 'frame' }
  /** Overhead of the profiler and the driver: buffers, loading of kernels. */
  | { readonly is: 'overhead' }
  /** A host call; for `precedence`, see `HostCalls.precedence`. */
  | { readonly is: 'call'; readonly precedence: number }
  | { readonly is: 'activity'; readonly kind: TracedActivity }
  /**
   * Counters of a range of kernels. Their times are not measured: Kineto divides the capture by the number of ranges.
   */
  | { readonly is: 'counters' }
  /** Neither an event of the program nor device work. */
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
    // The same as `kernel`: Kineto's newer name, used since one category serves all devices.
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
    // A copy of annotations on the device. Reading it would count their time twice.
    gpu_user_annotation: SKIPPED,
    overhead: { is: 'overhead' },
    trace: SKIPPED,
    // Waits of the host that calls of the runtime and the driver with the same times record too.
    xpu_sync: SKIPPED,
  }),
);

/** The category with this name, in upper or lower case; null for an unknown one. */
export function categoryOf(name: string): EventCategory | null {
  return CATEGORIES.get(name.toLowerCase()) ?? null;
}

/** Vendors by the categories that only their traces have. These traces do not describe their devices. */
const VENDORS: readonly (readonly [pattern: RegExp, vendor: string])[] = [
  [/^xpu_/i, 'intel'],
  [/^mtia_/i, 'meta'],
];

/** The vendor of the devices in a trace that has a category; undefined when several vendors use it. */
export const vendorOfCategory = (name: string): string | undefined =>
  VENDORS.find(([pattern]) => pattern.test(name))?.[1];
