/**
 * Categories of a trace's events, and what each is here. Spelled in lower case: traces up to 2021 capitalise them
 * (`Operator`, `Runtime`, `Kernel`). What is not listed is passed over: flows, overhead, the shadows of
 * annotations on the device.
 * Source: libkineto/include/ActivityType.h and its predecessors.
 */
import type { ActivityKind } from '../../capture/capture.js';

export type Category =
  | { readonly is: 'op' }
  | { readonly is: 'annotation' }
  | { readonly is: 'frame' }
  /** `rank`: see `Calls.rank`. */
  | { readonly is: 'call'; readonly rank: number }
  | { readonly is: 'activity'; readonly kind: ActivityKind };

const OP: Category = { is: 'op' };
const RUNTIME: Category = { is: 'call', rank: 0 };
const DRIVER: Category = { is: 'call', rank: 1 };
const activity = (kind: ActivityKind): Category => ({ is: 'activity', kind });

const CATEGORIES: Readonly<Record<string, Category>> = {
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
};

/** What a category is, in any case; null for one that is passed over. */
export function categoryOf(name: string): Category | null {
  const key = name.toLowerCase();
  return Object.hasOwn(CATEGORIES, key) ? (CATEGORIES[key] ?? null) : null;
}
