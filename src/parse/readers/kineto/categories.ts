/**
 * Categories of a trace's events, in lower case: traces up to 2021 capitalise them (`Operator`, `Runtime`, `Kernel`).
 * Categories that are not listed are skipped: flows, overhead, copies of annotations on the device's timeline.
 * Source: libkineto/include/ActivityType.h and its predecessors.
 */
import type { ActivityKind } from '../../capture/capture-columns.js';

export type EventCategory =
  | { readonly is: 'op' }
  | { readonly is: 'annotation' }
  | { readonly is: 'frame' }
  /** A host call; `precedence`: see `HostCalls.precedence`. */
  | { readonly is: 'call'; readonly precedence: number }
  | { readonly is: 'activity'; readonly kind: TracedActivity };

export type TracedActivity = Exclude<ActivityKind, 'graph' | 'collective'>;

const OP: EventCategory = { is: 'op' };
const RUNTIME: EventCategory = { is: 'call', precedence: 0 };
const DRIVER: EventCategory = { is: 'call', precedence: 1 };
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
    cuda_driver: DRIVER,
    privateuse1_driver: DRIVER,
    xpu_driver: DRIVER,
    kernel: activity('kernel'),
    gpu_memcpy: activity('copy'),
    memcpy: activity('copy'),
    gpu_memset: activity('set'),
    memset: activity('set'),
    cuda_sync: activity('sync'),
  }),
);

/** The category by its name, in upper or lower case; null for one that is skipped. */
export function categoryOf(name: string): EventCategory | null {
  return CATEGORIES.get(name.toLowerCase()) ?? null;
}
