/** Record class for values over time. A profile may have millions of them, so they write themselves as bytes. */
import { jsonOf } from './control-characters.js';
import { DeviceLine } from './lines/device-lines.js';
import { bytesOf, Pieces, type LineBytes } from './lines/line-bytes.js';
import type { Labels, SampleRecord } from './record.js';

/** A value of a device or of one of its parts, at one time or over a period. */
export class ValueLine extends DeviceLine implements SampleRecord {
  // `declare`: the constructor creates the fields, in the order of the line.
  declare readonly type: 'sample';
  declare readonly profile: number;
  declare readonly start: number;
  declare readonly dur?: number | null;
  declare readonly device: number | null;
  declare readonly metric: string;
  declare readonly value: number;
  declare readonly unit: string | null;
  declare readonly labels?: Labels;

  /**
   * @param labels one object shared by all lines with these labels, because their bytes are cached by object
   * @param dur period of the value in ns; null when unknown; absent for a value at one time
   */
  constructor(
    profile: number,
    start: number,
    device: number | null,
    metric: string,
    value: number,
    unit: string | null,
    labels: Labels | null,
    dur?: number | null,
  ) {
    super();
    this.type = 'sample';
    this.profile = profile;
    this.start = start;
    if (dur !== undefined) this.dur = dur;
    this.device = device;
    this.metric = metric;
    this.value = value;
    this.unit = unit;
    if (labels !== null) this.labels = labels;
  }

  writeTo(out: LineBytes): void {
    out.put(SAMPLES.of(this.profile));
    out.number(this.start);
    if (this.dur !== undefined) {
      out.put(KEYS.dur);
      if (this.dur === null) out.put(KEYS.none);
      else out.number(this.dur);
    }
    out.put(KEYS.device);
    if (this.device === null) out.put(KEYS.none);
    else out.number(this.device);
    out.put(METRICS.of(this.metric));
    out.number(this.value);
    out.put(UNITS.of(this.unit ?? NO_UNIT));
    out.put(this.labels === undefined ? KEYS.end : endWith(this.labels));
  }
}

const SAMPLES = new Pieces((profile: number) => `{"type":"sample","profile":${JSON.stringify(profile)},"start":`);

/** Profiles have few distinct metrics and units. */
const METRICS = new Pieces((metric: string) => `,"metric":${jsonOf(metric)},"value":`);
const NO_UNIT = '';
const UNITS = new Pieces((unit: string) => `,"unit":${unit === NO_UNIT ? 'null' : jsonOf(unit)}`);

const KEYS = {
  dur: bytesOf(',"dur":'),
  device: bytesOf(',"device":'),
  none: bytesOf('null'),
  end: bytesOf('}\n'),
} as const;

const LABELS = new WeakMap<Labels, Uint8Array>();

/** Labels as JSON and the end of the line, cached for the lifetime of the labels object. */
function endWith(labels: Labels): Uint8Array {
  let end = LABELS.get(labels);
  if (end === undefined) LABELS.set(labels, (end = bytesOf(`,"labels":${jsonOf(labels)}}\n`)));
  return end;
}
