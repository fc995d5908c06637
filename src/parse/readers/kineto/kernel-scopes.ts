/**
 * Scopes around kernels, as Proton states them for each: from `ROOT` to the name of the kernel. Source: TraceData.cpp of
 * Triton's Proton. Memory: an entry for each such kernel.
 */
import { entryOf } from '../../../containers/map-entry.js';
import type { Fields } from '../../json/event-fields.js';
import { listOf } from '../../json/json-value.js';
import type { ActivityDetails } from '../../trace/trace.js';
import { ARG } from './call-arguments.js';

type Scopes = Required<Pick<ActivityDetails, 'ranges'>>;

export class KernelScopes {
  readonly #ofKernels = new Map<number, Scopes>();
  /** Kernels of one place share the object. */
  readonly #shared = new Map<string, Scopes>();

  /** Takes a kernel whose args have been read. */
  take(activity: number, args: Fields): void {
    if (!args.has(ARG.scopes)) return;
    const names = listOf(args.value(ARG.scopes)).filter((name) => typeof name === 'string');
    const ranges = names.slice(names[0] === 'ROOT' ? 1 : 0, -1);
    this.#ofKernels.set(
      activity,
      entryOf(this.#shared, JSON.stringify(ranges), () => ({ ranges })),
    );
  }

  of(activity: number): Scopes | null {
    return this.#ofKernels.get(activity) ?? null;
  }
}
