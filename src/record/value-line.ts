/** Lines of values over time, of which a profile has millions: written as bytes without looking at what they are made of. */
import { DeviceLine } from './device-lines.js';
import { bytesOf, Pieces, type LineBytes } from './line-bytes.js';
import type { Labels, SampleRecord } from './record.js';

/** A value of a device, or of a part of it, from a time on. */
export class ValueLine extends DeviceLine implements SampleRecord {
  // `declare`: fields come to be as the constructor sets them, in the order in which a line has them.
  declare readonly type: 'sample';
  declare readonly profile: number;
  declare readonly start: number;
  declare readonly device: number | null;
  declare readonly metric: string;
  declare readonly value: number;
  declare readonly unit: string;
  declare readonly labels?: Labels;

  /** @param labels one object for all lines with these labels: their bytes are kept */
  constructor(
    profile: number,
    start: number,
    device: number | null,
    metric: string,
    value: number,
    unit: string,
    labels: Labels | null,
  ) {
    super();
    this.type = 'sample';
    this.profile = profile;
    this.start = start;
    this.device = device;
    this.metric = metric;
    this.value = value;
    this.unit = unit;
    if (labels !== null) this.labels = labels;
  }

  writeTo(out: LineBytes): void {
    out.put(KEYS.sample);
    out.number(this.profile);
    out.put(KEYS.start);
    out.number(this.start);
    out.put(KEYS.device);
    if (this.device === null) out.put(KEYS.none);
    else out.number(this.device);
    out.put(METRICS.of(this.metric));
    out.number(this.value);
    out.put(UNITS.of(this.unit));
    if (this.labels !== undefined) {
      out.put(KEYS.labels);
      out.put(labelsBytes(this.labels));
    }
    out.put(KEYS.end);
  }
}

/** Names of metrics and units: a few. */
const METRICS = new Pieces((metric: string) => `,"metric":${JSON.stringify(metric)},"value":`);
const UNITS = new Pieces((unit: string) => `,"unit":${JSON.stringify(unit)}`);

const KEYS = {
  sample: bytesOf('{"type":"sample","profile":'),
  start: bytesOf(',"start":'),
  device: bytesOf(',"device":'),
  none: bytesOf('null'),
  labels: bytesOf(',"labels":'),
  end: bytesOf('}\n'),
} as const;

const LABELS = new WeakMap<Labels, Uint8Array>();

/** Labels as JSON, kept for as long as the labels are. */
function labelsBytes(labels: Labels): Uint8Array {
  let json = LABELS.get(labels);
  if (json === undefined) LABELS.set(labels, (json = bytesOf(JSON.stringify(labels))));
  return json;
}
