/**
 * Throttling of tensor engines. A sample limits a core to `value` of its full rate (1: not throttled) from `start` for
 * `dur`; its label `kind` is the cause.
 */
import { entryOf } from '../../../containers/map-entry.js';
import type { SampleRecord } from '../../../record/record.js';

/** Total duration, and the limit weighted by duration, both in nanoseconds. */
export interface ThrottleWindows {
  time: number;
  allowed: number;
  count: number;
}

export interface CoreThrottling {
  readonly observed: ThrottleWindows;
  /** By kind: 'activity_0', 'gpio_3' … */
  readonly kinds: Map<string, ThrottleWindows>;
  /** Windows with a limit below 1. */
  readonly limited: ThrottleWindows;
  /** The longest of these, ns from the profile's start; null without one whose start is known. */
  longest: { readonly start: number; readonly end: number } | null;
}

const none = (): ThrottleWindows => ({ time: 0, allowed: 0, count: 0 });
const unthrottled = (): CoreThrottling => ({ observed: none(), kinds: new Map(), limited: none(), longest: null });

function add(windows: ThrottleWindows, time: number, limit: number): void {
  windows.time += time;
  windows.allowed += time * limit;
  windows.count++;
}

export class ThrottleSums {
  /** By the absolute index of the core. */
  readonly cores = new Map<number, CoreThrottling>();

  add({ value, start, dur, device, labels }: SampleRecord): void {
    if (value === null || dur === null || dur === undefined || device === null) return;
    const core = entryOf(this.cores, device, unthrottled);
    add(core.observed, dur, value);
    add(entryOf(core.kinds, String(labels?.['kind'] ?? 'unknown'), none), dur, value);
    if (value >= 1) return;
    add(core.limited, dur, value);
    const { longest } = core;
    if (start === null || (longest !== null && dur <= longest.end - longest.start)) return;
    core.longest = { start, end: start + dur };
  }
}
