/**
 * How long and how far the hardware held a core's tensor engine back. A sample says: from here on, for so long, the
 * core may be used to `value` of the full rate (1: not throttled), and who asked for it.
 */
import type { SampleRecord } from '../../record/record.js';

/** Time, and the limit weighted by time, both in nanoseconds. */
export interface Windows {
  time: number;
  allowed: number;
  count: number;
}

export interface CoreThrottling {
  /** All that was observed, and by kind: 'activity_0', 'gpio_3' … */
  readonly observed: Windows;
  readonly kinds: Map<string, Windows>;
  /** Those whose limit is below 1. */
  readonly limited: Windows;
}

const none = (): Windows => ({ time: 0, allowed: 0, count: 0 });

function add(windows: Windows, time: number, limit: number): void {
  windows.time += time;
  windows.allowed += time * limit;
  windows.count++;
}

export class Throttling {
  readonly #cores = new Map<number, CoreThrottling>();

  add({ value, dur, device, labels }: SampleRecord): void {
    if (value === null || dur === null || dur === undefined || device === null) return;
    const core = this.#cores.get(device) ?? { observed: none(), kinds: new Map<string, Windows>(), limited: none() };
    this.#cores.set(device, core);
    const kind = String(labels?.['kind'] ?? 'unknown');
    const windows = core.kinds.get(kind) ?? none();
    core.kinds.set(kind, windows);
    add(core.observed, dur, value);
    add(windows, dur, value);
    if (value < 1) add(core.limited, dur, value);
  }

  /** By the absolute index of the core. */
  get cores(): ReadonlyMap<number, CoreThrottling> {
    return this.#cores;
  }
}
