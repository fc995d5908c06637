/** Samples over time → the tracks of a timeline. One pass; memory: 16 bytes a point, at most twice as many points as the bound. */
import { boundedEntryOf } from '../../../containers/map-entry.js';
import type { ProfileRecord, SampleRecord } from '../../../record/record.js';
import { packColumn } from './column-packing.js';
import { SampleCurve } from './sample-curve.js';
import { deviceGroup, HOST_GROUP } from './timeline-lanes.js';
import type { PackedTrack, PackedTracks } from './timeline-data.js';
import { placeOf, seriesName, trackMetricOf, type TrackMetric } from './track-metrics.js';

/** Points of all tracks of a profile. */
const MOST_POINTS = 1 << 18;
/** Series that are read, and tracks that are made of those that are not 0. */
const MOST_SERIES = 1024;
const MOST_TRACKS = 64;
/** Series of a metric and device. */
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

  /** @param most points of all tracks */
  constructor(private readonly most = MOST_POINTS) {}

  take(record: SampleRecord): void {
    const of = trackMetricOf(record);
    const { metric, device, start, value, unit, labels } = record;
    if (of === null || start === null || !Number.isFinite(start)) return;
    const name = seriesName(of, labels);
    const key = `${metric}\0${device ?? ''}\0${name}`;
    const series = this.#seriesOf(key, { metric, of, device, name, unit });
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

  /** Keeps fewer points of the longest series. @param most of all tracks, or a few more */
  settle(most: number): void {
    const all = [...this.#series.values()].map(({ curve }) => curve);
    const bound = pointsOfEach(
      all.map(({ at }) => at.length),
      most,
    );
    for (const curve of all) curve.reduce(bound);
    this.#points = all.reduce((sum, { at }) => sum + at.length, 0);
  }

  /** To be called once, after the last sample. */
  tracks(header: ProfileRecord | null, most = this.most): PackedTracks {
    const all = [...this.#series.values()];
    for (const { of, curve } of all) curve.end(of.holds);
    this.settle(most);
    const drawn = all.filter(({ curve }) => curve.values.some((value) => value !== 0 && !Number.isNaN(value)));
    const inOrder = drawn
      .map((series, i) => ({ series, i, place: placeOf(series.metric) }))
      .sort((a, b) => a.place - b.place || a.i - b.i);
    const list = inOrder.slice(0, MOST_TRACKS).map(({ series }) => packedTrack(series, header));
    return { list, leftOut: this.#leftOut.size + drawn.length - list.length, zero: all.length - drawn.length };
  }
}

/** The most points of each series with which all have no more than a bound: short ones stay whole. */
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
  { of, device, name, unit, metric, curve }: TrackSeries,
  header: ProfileRecord | null,
): PackedTrack {
  return {
    kind: device === null ? 'host' : 'device',
    group: device === null ? HOST_GROUP : deviceGroup(device, header),
    name: [of.title, name].filter((part) => part !== '').join(' '),
    metric,
    unit,
    at: packColumn(curve.at),
    values: packColumn(curve.values),
    samples: curve.samples,
    width: curve.width,
  };
}
