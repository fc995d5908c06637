/** Sums of samples: values that the capture records, and limits of the tensor engines. */
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
  /** Windows by kind: 'activity_0', 'gpio_3' … */
  readonly kinds: Map<string, ThrottleWindows>;
  /** Windows with a limit below 1. */
  readonly limited: ThrottleWindows;
  /** The longest of these, in ns from the profile's start; null when none has a known start. */
  longest: { readonly start: number; readonly end: number } | null;
}

const none = (): ThrottleWindows => ({ time: 0, allowed: 0, count: 0 });
const unthrottled = (): CoreThrottling => ({ observed: none(), kinds: new Map(), limited: none(), longest: null });

function add(windows: ThrottleWindows, time: number, limit: number): void {
  windows.time += time;
  windows.allowed += time * limit;
  windows.count++;
}

/**
 * Throttling of tensor engines. A sample limits a core to `value` of its full rate (1: not throttled) from `start` for
 * `dur`; its label `kind` is the cause.
 */
export class ThrottleSums {
  /** Throttling by the absolute index of the core. */
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

/** A value that the vendor's tool itself reported. */
export interface ReportedMetric {
  readonly value: number | string | null;
  readonly unit: string | null;
}

/** Maximum number of values to keep: a program may have an annotation for each load of a tensor. */
const MOST_VALUES = 2000;

interface StatedValue extends ReportedMetric {
  /** `model_info/core4/neuroncore_cycle_count`, `annotation/1/load_to_sbuf_dma_count` */
  readonly name: string;
  readonly metric: string;
  /** The part of the profile that the value belongs to, as far as known: `core 4, subgraph sg00, tensor_name w1`. */
  readonly of: string;
}

/**
 * Values that the vendor's tool records for one core (`model_info`) or for one part of the program (`annotation`). They
 * are not metrics of the whole profile, and are shown unchanged.
 */
export class StatedValues {
  readonly kept: StatedValue[] = [];
  leftOut = 0;
  /**
   * Places by the part of the profile that values belong to, which is the first part of their names. The values of one
   * part are consecutive.
   */
  readonly #places = new Map<string, string>();
  readonly #names = new Set<string>();
  #annotations = 0;

  add({ metric, value, text, unit, device, labels = {} }: SampleRecord): void {
    if (this.kept.length >= MOST_VALUES) {
      this.leftOut++;
      return;
    }
    const { from, ...others } = labels;
    const core = device === null ? [] : [`core ${device}`];
    const part = [...core, ...Object.entries(others).map(([key, label]) => `${key} ${String(label)}`)].join(', ');
    const newPlace = (): string =>
      from === 'annotation' ? `annotation/${++this.#annotations}` : `model_info/core${device ?? '_unknown'}`;
    const known = `${entryOf(this.#places, `${String(from)} ${part}`, newPlace)}/${metric}`;
    const name = this.#names.has(known) ? this.#again(`${String(from)} ${part}`, newPlace(), metric) : known;
    this.#names.add(name);
    this.kept.push({ name, metric, value: value ?? text ?? null, unit, of: part });
  }

  /** The name of a value of another part that has the same description. */
  #again(key: string, place: string, metric: string): string {
    let [other, count] = [place, 1];
    while (this.#names.has(`${other}/${metric}`)) other = `${place}.${++count}`;
    this.#places.set(key, other);
    return `${other}/${metric}`;
  }
}
