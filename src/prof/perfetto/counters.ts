/**
 * Samples → counters, one for each metric, device and set of labels. Values of the whole profile, which have no time,
 * are the arguments of one mark at its start; texts are marks of their own.
 */
import type { SampleRecord } from '../../record/record.js';
import { ALLOCATION_METRIC } from '../memory/device-memory.js';
import type { ProfileClock } from './profile-clock.js';
import type { Emit, TraceArg } from './trace-element.js';
import { nameOf, timeOf } from './field-coercion.js';
import type { TraceTracks } from './tracks.js';

/** A label that numbers the reports of a monitor: no series of its own. */
const REPORT = 'report';
/** Values of the whole profile in one mark. */
const LONGEST_MARK = 500;

interface CounterCounts {
  counters: number;
  instants: number;
  untimed: number;
  early: number;
}

export class TraceCounters {
  #whole: TraceArg[] = [];
  #profile = 0;
  /** Samples that tell neither a number nor a text. */
  unknown = 0;
  /** Samples of more counters than a viewer can show. */
  beyond = 0;
  /** Sizes of single allocations: no values over time, the sum of them is a sample of its own. */
  allocations = 0;
  /** Values of the whole profile. */
  timeless = 0;

  constructor(
    private readonly emit: Emit,
    private readonly places: TraceTracks,
    private readonly clock: ProfileClock,
    private readonly counts: CounterCounts,
  ) {}

  take(sample: SampleRecord): void {
    const { profile, start, device, value, unit, text, metric } = sample;
    if (metric === ALLOCATION_METRIC) {
      this.allocations++;
      return;
    }
    const told = typeof value === 'number' && Number.isFinite(value) ? value : typeof text === 'string' ? text : null;
    if (told === null) {
      this.unknown++;
      return;
    }
    if (start === null) {
      this.#timeless(sample, told);
      return;
    }
    const at = timeOf(start);
    const time = this.clock.time(profile, at);
    if (time === null) this.counts[at === null ? 'untimed' : 'early']++;
    else if (typeof told === 'string') {
      const track = this.places.mark(this.places.onDevice(profile, device, 'texts'), time.start);
      const args: TraceArg[] = [[nameOf(sample.metric), told]];
      const name = `${seriesOf(sample)}: ${told}`;
      this.emit({ type: 'instant', track, ...time, name, category: 'sample', args, flows: [], endsFlow: null });
      this.counts.instants++;
    } else {
      const track = this.places.counter(profile, device, seriesOf(sample), unit);
      if (track === null) this.beyond++;
      else {
        this.emit({ type: 'counter', track, ...time, value: told });
        this.counts.counters++;
      }
    }
  }

  /** No more samples of this profile. */
  end(): void {
    if (this.#whole.length === 0) return;
    const track = this.places.mark(this.places.own(this.#profile, 'whole profile', true), 0);
    const time = { zero: this.clock.zero(this.#profile), start: 0 };
    const what = { name: 'whole profile', category: 'sample', args: this.#whole };
    this.emit({ type: 'instant', track, ...time, ...what, flows: [], endsFlow: null });
    this.#whole = [];
  }

  #timeless(sample: SampleRecord, told: number | string): void {
    const { profile, device, unit } = sample;
    if (profile !== this.#profile || this.#whole.length === LONGEST_MARK) this.end();
    this.#profile = profile;
    const where = device === null ? '' : `device ${device} `;
    this.#whole.push([`${where}${seriesOf(sample)}${unit === null ? '' : ` (${unit})`}`, told]);
    this.timeless++;
  }
}

/** `memory kind=Generic` */
function seriesOf({ metric, labels }: SampleRecord): string {
  const told = Object.entries(labels ?? {}).filter(([name]) => name !== REPORT);
  return [nameOf(metric), ...told.map(([name, value]) => `${name}=${value}`)].join(' ');
}
