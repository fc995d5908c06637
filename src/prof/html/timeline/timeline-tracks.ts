/**
 * Turns samples over time into the tracks of a timeline: which ones are drawn, under which names, and how long a value
 * is valid. One pass; memory: 16 bytes per point, at most twice as many points as the maximum.
 */
import { boundedEntryOf } from '../../../containers/map-entry.js';
import type { ProfileRecord, SampleRecord, Labels } from '../../../record/record.js';
import { packColumn } from './column-packing.js';
import { deviceGroup, HOST_GROUP } from './timeline-lanes.js';
import type { PackedTrack, PackedTracks } from './timeline-data.js';
import {
  CC_INSTRUCTION_METRIC,
  CPU_BUSY_METRIC,
  CPU_METRICS,
  metricTitle,
  MISSING_WORK_METRIC,
  TENSOR_UTILISATION_METRIC,
} from '../../../record/sample-metrics.js';
import { elementAt } from '../../../containers/element.js';

/** Maximum number of samples that a slot keeps. */
const OF_SLOT = 4;

/**
 * The samples of one series in time order. When there are more than requested, time is divided into slots. Each slot
 * keeps its lowest, its highest and its last sample, and the first that made the value unknown, so that extremes and
 * the value at the end of a slot are exact. Slot lengths are powers of two in ns, so that a longer slot consists of
 * whole shorter ones.
 */
export class SampleCurve {
  /** Unit: ns. */
  at: number[] = [];
  /** NaN where the value becomes unknown. */
  values: number[] = [];
  samples = 0;
  /** Length of a slot in ns; 0 as long as every sample is kept. */
  width = 0;
  /** Time until which the latest value is valid; NaN means until the next sample. */
  #until = NaN;
  #isSorted = true;

  /** @param dur how long the value is valid; null if unknown, absent when it is valid until the next sample */
  add(at: number, value: number | null, dur?: number | null): void {
    this.#close(at);
    this.#push(at, value ?? NaN);
    this.samples++;
    this.#until = dur === undefined ? NaN : at + Math.max(0, dur ?? 0);
  }

  /**
   * Must be called after the last sample.
   * @param holds whether the last value is valid until the end when its duration is unknown
   */
  end(holds: boolean): void {
    this.#close(Infinity);
    const last = this.at.at(-1);
    if (!holds && last !== undefined && Number.isFinite(this.values.at(-1))) this.#push(last, NaN);
    this.#sort();
  }

  /** @param most number of points; a few more are possible */
  reduce(most: number): void {
    if (this.at.length <= most) return;
    this.#sort();
    const [first, last] = [elementAt(this.at, 0), elementAt(this.at, this.at.length - 1)];
    const least = (OF_SLOT * (last - first)) / Math.max(OF_SLOT, most);
    this.width = Math.max(this.width, 2 ** Math.ceil(Math.log2(Math.max(1, least))));
    this.#keepOfSlots();
  }

  #keepOfSlots(): void {
    const { at, values, width } = this;
    const kept: number[] = [];
    for (let from = 0; from < at.length;) {
      const slot = Math.floor(elementAt(at, from) / width);
      let to = from + 1;
      while (to < at.length && Math.floor(elementAt(at, to) / width) === slot) to++;
      for (const index of keptOf(values, from, to)) kept.push(index);
      from = to;
    }
    this.at = kept.map((index) => elementAt(at, index));
    this.values = kept.map((index) => elementAt(values, index));
  }

  /** The value is unknown between the end of its duration and the next sample. */
  #close(next: number): void {
    if (this.#until < next) this.#push(this.#until, NaN);
    this.#until = NaN;
  }

  #push(at: number, value: number): void {
    this.#isSorted &&= at >= (this.at.at(-1) ?? -Infinity);
    this.at.push(at);
    this.values.push(value);
  }

  /** Lines may have been edited: samples with the same time stay in their order. */
  #sort(): void {
    if (this.#isSorted) return;
    const order = this.at.map((_, i) => i).sort((a, b) => elementAt(this.at, a) - elementAt(this.at, b) || a - b);
    [this.at, this.values] = [order.map((i) => elementAt(this.at, i)), order.map((i) => elementAt(this.values, i))];
    this.#isSorted = true;
  }
}

/** The lowest, the highest, the first unknown and the last of the samples from..to, in order. */
function keptOf(values: readonly number[], from: number, to: number): number[] {
  let [low, high, unknown] = [-1, -1, -1];
  for (let i = from; i < to; i++) {
    const value = elementAt(values, i);
    if (Number.isNaN(value)) {
      if (unknown === -1) unknown = i;
      continue;
    }
    if (low === -1 || value < elementAt(values, low)) low = i;
    if (high === -1 || value > elementAt(values, high)) high = i;
  }
  return [...new Set([low, high, unknown, to - 1])].filter((i) => i !== -1).sort((a, b) => a - b);
}

interface TrackMetric {
  readonly title: string;
  /** Whether the last value is valid until the end, for metrics that have a sample only at each change. */
  readonly holds: boolean;
  /** Labels that distinguish the series; null for all labels. */
  readonly by: readonly string[] | null;
}

type MetricShape = Omit<TrackMetric, 'title'>;

const changes = (by: TrackMetric['by'] = null): MetricShape => ({ holds: true, by });
const sampled = (by: TrackMetric['by'] = null): MetricShape => ({ holds: false, by });

/** Metrics in the order of their tracks; all others follow under their own names. */
const METRICS: Readonly<Record<string, MetricShape>> = {
  throttle: sampled(['kind']),
  [CPU_BUSY_METRIC]: sampled(),
  memory_allocated: changes(),
  memory_reserved: changes(),
  memory_active: changes(),
  memory_allocated_since_first: changes(),
  npu_mem: sampled(),
  npu_module_mem: changes(),
  sb_usage: changes([]),
  psum_usage: changes([]),
  [TENSOR_UTILISATION_METRIC]: changes([]),
  dma_transfer_rate: changes([]),
  pending_dma: changes([]),
  hbm_bandwidth: sampled(),
  llc_throughput: sampled(),
  llc_hit_rate: sampled(),
  aicore_freq: sampled(),
  [CC_INSTRUCTION_METRIC]: sampled(['core']),
};

/**
 * Metrics that are not a quantity over time: sizes of single allocations, spans of steps and of missing work, values of
 * the whole profile. Semaphores are left out too: there are hundreds of them, and dependencies are more informative.
 */
const NO_TRACKS: ReadonlySet<string> = new Set<string>([
  ...Object.values(CPU_METRICS),
  ...['op_memory', 'npu_op_mem', 'step', 'semaphore', 'tensor_engine_active'],
  MISSING_WORK_METRIC,
]);

/** Index of a metric in the order of tracks. */
function placeOf(metric: string): number {
  const place = Object.keys(METRICS).indexOf(metric);
  return place === -1 ? Object.keys(METRICS).length : place;
}

/**
 * How a sample is drawn; null when it is not: a sample without a time, a string, or something that is not a quantity over
 * time.
 */
function trackMetricOf({ metric, start, text, labels }: SampleRecord): TrackMetric | null {
  if (start === null || text !== undefined || NO_TRACKS.has(metric)) return null;
  // Values of a single kernel; `range` is its number.
  if (labels?.['range'] !== undefined) return null;
  const shape = Object.hasOwn(METRICS, metric) ? METRICS[metric] : undefined;
  return { title: metricTitle(metric), ...(shape ?? sampled()) };
}

/** Labels that differ between samples of one series. */
const OF_SAMPLES: ReadonlySet<string> = new Set(['report']);

/** `activity_0` and `activity_1` are states of one limit. */
const STATE = /^(activity|gpio)_\d+$/;

/**
 * Labels that distinguish a series from others of its metric: 'CUDA', 'app hbm', 'hbm 0 read'; '' when there is only
 * one.
 */
function seriesName({ by }: TrackMetric, labels: Labels = {}): string {
  return Object.entries(labels)
    .filter(([name]) => (by === null ? !OF_SAMPLES.has(name) : by.includes(name)))
    .map(([name, value]) => (typeof value === 'number' ? `${name} ${value}` : value.replace(STATE, '$1')))
    .join(' ');
}

/** Maximum number of points in all tracks of a profile. */
const MOST_POINTS = 1 << 18;
/** Maximum number of series to read, and of tracks for those that are not all 0. */
const MOST_SERIES = 1024;
const MOST_TRACKS = 64;
/** Maximum number of series of a metric and device. */
const MOST_OF_METRIC = 64;
const LEAST_POINTS = 64;

interface TrackSeries {
  readonly metric: string;
  readonly of: TrackMetric;
  readonly device: number | null;
  readonly name: string;
  readonly unit: string | null;
  readonly curve: SampleCurve;
}

export class TrackTable {
  readonly #series = new Map<string, TrackSeries>();
  readonly #byMetric = new Map<string, number>();
  readonly #leftOut = new Set<string>();
  #points = 0;

  /** @param most maximum number of points in all tracks */
  constructor(private readonly most = MOST_POINTS) {}

  take(record: SampleRecord): void {
    const trackMetric = trackMetricOf(record);
    const { metric, device, start, value, unit, labels } = record;
    if (trackMetric === null || start === null || !Number.isFinite(start)) return;
    const name = seriesName(trackMetric, labels);
    const key = `${metric}\0${device ?? ''}\0${name}`;
    const series = this.#seriesOf(key, { metric, of: trackMetric, device, name, unit });
    if (series === null) {
      if (this.#leftOut.size < MOST_POINTS) this.#leftOut.add(key);
      return;
    }
    const before = series.curve.at.length;
    series.curve.add(start, value, record.dur);
    this.#points += series.curve.at.length - before;
    if (this.#points > 2 * this.most) this.settle(this.most);
  }

  #seriesOf(key: string, about: Omit<TrackSeries, 'curve'>): TrackSeries | null {
    const ofMetric = `${about.metric}\0${about.device ?? ''}`;
    const count = this.#byMetric.get(ofMetric) ?? 0;
    const most = count < MOST_OF_METRIC ? MOST_SERIES : 0;
    return boundedEntryOf(this.#series, key, most, () => {
      this.#byMetric.set(ofMetric, count + 1);
      return { ...about, curve: new SampleCurve() };
    });
  }

  /**
   * Keeps fewer points of the longest series.
   * @param most number of points in all tracks; a few more are possible
   */
  settle(most: number): void {
    const all = [...this.#series.values()].map(({ curve }) => curve);
    const bound = pointsOfEach(
      all.map(({ at }) => at.length),
      most,
    );
    for (const curve of all) curve.reduce(bound);
    this.#points = all.reduce((sum, { at }) => sum + at.length, 0);
  }

  /** Must be called once, after the last sample. */
  tracks(header: ProfileRecord | null, most = this.most): PackedTracks {
    const all = [...this.#series.values()];
    for (const { of: trackMetric, curve } of all) curve.end(trackMetric.holds);
    this.settle(most);
    const drawn = all.filter(({ curve }) => curve.values.some((value) => value !== 0 && !Number.isNaN(value)));
    const inOrder = drawn
      .map((series, i) => ({ series, i, place: placeOf(series.metric) }))
      .sort((a, b) => a.place - b.place || a.i - b.i);
    const list = inOrder.slice(0, MOST_TRACKS).map(({ series }) => packedTrack(series, header));
    return { list, leftOut: this.#leftOut.size + drawn.length - list.length, zero: all.length - drawn.length };
  }
}

/**
 * The largest number of points per series with which the total stays within a maximum; short series are kept completely.
 */
function pointsOfEach(lengths: readonly number[], most: number): number {
  const sorted = lengths.toSorted((a, b) => a - b);
  let left = most;
  for (const [i, length] of sorted.entries()) {
    const each = Math.floor(left / (sorted.length - i));
    if (length > each) return Math.max(LEAST_POINTS, each);
    left -= length;
  }
  return Infinity;
}

function packedTrack(
  { of: trackMetric, device, name, unit, metric, curve }: TrackSeries,
  header: ProfileRecord | null,
): PackedTrack {
  return {
    kind: device === null ? 'host' : 'device',
    group: device === null ? HOST_GROUP : deviceGroup(device, header),
    name: [trackMetric.title, name].filter((part) => part !== '').join(' '),
    metric,
    unit,
    at: packColumn(curve.at),
    values: packColumn(curve.values),
    samples: curve.samples,
    width: curve.width,
  };
}
