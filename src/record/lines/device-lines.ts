/**
 * Record classes for line types that occur tens of millions of times in a capture. Their fields are fixed, so they write
 * themselves as bytes without reflection; as objects they are ordinary records.
 */
import { jsonOf } from '../control-characters.js';
import { bytesOf, Pieces, type LineBytes } from './line-bytes.js';
import type { CopyLine, Dependency, KernelLine, Labels, SampleRecord } from '../record.js';

/** A record's counters, in writing order. */
export type Counters = Readonly<Record<string, number>>;

/** A record that writes itself with the same bytes as JSON.stringify, plus a line feed. */
export abstract class DeviceLine {
  abstract writeTo(out: LineBytes): void;
}

// The fields are declared with `declare`, because the constructor creates them in the order of the line.

/** Counters of one execution of an instruction; undefined when unknown. */
export interface RunCounters {
  readonly pc?: number | undefined;
  readonly waitNs?: number | undefined;
  readonly crcIn?: number | undefined;
  readonly crcOut?: number | undefined;
}

/** Location of an instruction in the program's source; unknown fields are omitted. */
export type InstructionNames = Readonly<Pick<KernelLine, 'layer' | 'op' | 'trace'>>;

/**
 * Everything known about an instruction, or about the packets of a transfer, except times, and its bytes in a line. It
 * is the same for each execution.
 */
export class InstructionDetails {
  readonly names: InstructionNames;
  readonly operands: string | undefined;
  readonly after: readonly Dependency[] | undefined;
  readonly labels: Labels | undefined;
  /** Whether the operands could not be read. */
  readonly isUnknown: boolean;
  /** The first counter of the instruction itself; null when it has none. */
  readonly firstCounter: string | null;
  /** Bytes from the instruction's counters to the end of the line. */
  readonly bytes: Uint8Array;
  readonly #counters: Counters;
  /** Counter objects, one for each combination of a run's counters. */
  readonly #templates: (Counters | undefined)[] = [];

  /** @param given `operands` is null when unknown, and '' when the instruction has none */
  constructor(given: {
    names?: InstructionNames;
    operands: string | null;
    after?: readonly Dependency[];
    labels: Labels;
    /** Counters other than those in `RunCounters`. */
    counters: Counters;
  }) {
    this.names = given.names ?? {};
    this.operands = given.operands?.trim() === '' ? undefined : (given.operands ?? undefined);
    this.after = given.after?.length === 0 ? undefined : given.after;
    this.labels = Object.keys(given.labels).length === 0 ? undefined : given.labels;
    this.isUnknown = given.operands === null;
    this.#counters = given.counters;
    this.firstCounter = Object.keys(given.counters)[0] ?? null;
    const { operands, after, labels } = this;
    const fields = jsonOf({ ...this.names, operands, after, labels }).slice(1, -1);
    this.bytes = bytesOf(`${jsonOf(given.counters).slice(1, -1)}}${fields === '' ? '' : `,${fields}`}}\n`);
  }

  /**
   * Counters of a run, then those of the instruction. An object with all keys is copied instead of merging two objects.
   */
  countersOf({ pc, waitNs, crcIn, crcOut }: RunCounters): Counters {
    const combination =
      (pc === undefined ? 0 : 1) +
      (waitNs === undefined ? 0 : 2) +
      (crcIn === undefined ? 0 : 4) +
      (crcOut === undefined ? 0 : 8);
    const template = (this.#templates[combination] ??= {
      ...(pc === undefined ? undefined : { pc }),
      ...(waitNs === undefined ? undefined : { waitNs }),
      ...(crcIn === undefined ? undefined : { crcIn }),
      ...(crcOut === undefined ? undefined : { crcOut }),
      ...this.#counters,
    });
    const counters: Record<string, number> = { ...template };
    if (pc !== undefined) counters['pc'] = pc;
    if (waitNs !== undefined) counters['waitNs'] = waitNs;
    if (crcIn !== undefined) counters['crcIn'] = crcIn;
    if (crcOut !== undefined) counters['crcOut'] = crcOut;
    return counters;
  }
}

/** One instruction of an engine, with times in picoseconds. */
export class InstructionLine extends DeviceLine implements KernelLine {
  declare readonly type: 'kernel';
  declare readonly profile: number;
  declare readonly id: number;
  declare readonly name: string;
  declare readonly short: string;
  declare readonly start: number;
  declare readonly dur: number;
  declare readonly device: number;
  declare readonly stream: number;
  declare readonly engine: string;
  declare readonly ps: readonly [number, number];
  declare readonly counters: Counters;
  declare readonly layer?: readonly string[];
  declare readonly op?: readonly string[];
  declare readonly trace?: readonly string[];
  declare readonly operands?: string;
  declare readonly after?: readonly Dependency[];
  declare readonly labels?: Labels;
  readonly #details: InstructionDetails | null;

  constructor(
    profile: number,
    id: number,
    name: string,
    start: number,
    dur: number,
    device: number,
    stream: number,
    engine: string,
    ps: readonly [start: number, dur: number],
    counters: Counters,
    /** The details; their counters come last in `counters`, or are left out of it in a record that is only written. */
    details: InstructionDetails | null,
  ) {
    super();
    this.#details = details;
    this.type = 'kernel';
    this.profile = profile;
    this.id = id;
    this.name = name;
    this.short = name;
    this.start = start;
    this.dur = dur;
    this.device = device;
    this.stream = stream;
    this.engine = engine;
    this.ps = ps;
    this.counters = counters;
    const { layer, op, trace } = details?.names ?? {};
    if (layer !== undefined) this.layer = layer;
    if (op !== undefined) this.op = op;
    if (trace !== undefined) this.trace = trace;
    if (details?.operands !== undefined) this.operands = details.operands;
    if (details?.after !== undefined) this.after = details.after;
    if (details?.labels !== undefined) this.labels = details.labels;
  }

  /** The record with the counters of the details, which a record that is only written lacks. */
  get whole(): KernelLine {
    const counters = this.#details?.countersOf(this.counters) ?? this.counters;
    return Object.assign({}, this as KernelLine, { counters });
  }

  writeTo(out: LineBytes): void {
    out.put(KERNEL.of(this.profile));
    out.number(this.id);
    // The constructor sets `short` to `name`.
    out.put(NAMES.of(this.name));
    out.number(this.start);
    out.put(KEYS.dur);
    out.number(this.dur);
    out.put(placeOf(this.device, this.stream, this.engine, null, undefined));
    writePicoseconds(out, this.ps);
    writeCounters(out, this.counters, this.#details);
  }
}

/** One packet of a DMA engine, with times in picoseconds. */
export class PacketLine extends DeviceLine implements CopyLine {
  declare readonly type: 'copy';
  declare readonly profile: number;
  declare readonly kind: 'DMA';
  declare readonly bytes: number;
  declare readonly start: number;
  declare readonly dur: number;
  declare readonly device: number;
  declare readonly stream: number;
  declare readonly engine: string;
  declare readonly queue: number;
  declare readonly queueType?: string;
  declare readonly ps: readonly [number, number];
  declare readonly counters: Counters;
  declare readonly labels?: Labels;
  readonly #details: InstructionDetails | null;

  constructor(
    profile: number,
    bytes: number,
    start: number,
    dur: number,
    device: number,
    stream: number,
    engine: string,
    queue: number,
    queueType: string | undefined,
    ps: readonly [start: number, dur: number],
    counters: Counters,
    details: InstructionDetails | null,
  ) {
    super();
    this.#details = details;
    this.type = 'copy';
    this.profile = profile;
    this.kind = 'DMA';
    this.bytes = bytes;
    this.start = start;
    this.dur = dur;
    this.device = device;
    this.stream = stream;
    this.engine = engine;
    this.queue = queue;
    if (queueType !== undefined) this.queueType = queueType;
    this.ps = ps;
    this.counters = counters;
    if (details?.labels !== undefined) this.labels = details.labels;
  }

  writeTo(out: LineBytes): void {
    out.put(COPY.of(this.profile));
    out.number(this.bytes);
    out.put(KEYS.start);
    out.number(this.start);
    out.put(KEYS.dur);
    out.number(this.dur);
    out.put(placeOf(this.device, this.stream, this.engine, this.queue, this.queueType));
    writePicoseconds(out, this.ps);
    writeCounters(out, this.counters, this.#details);
  }
}

/** The value of a semaphore from some time on. */
export class SemaphoreLine extends DeviceLine implements SampleRecord {
  declare readonly type: 'sample';
  declare readonly profile: number;
  declare readonly start: number;
  declare readonly device: number;
  declare readonly metric: 'semaphore';
  declare readonly value: number;
  declare readonly unit: null;
  declare readonly labels: Labels & { readonly semaphore: number; readonly name?: string };

  constructor(profile: number, start: number, device: number, value: number, semaphore: number, name?: string) {
    super();
    this.type = 'sample';
    this.profile = profile;
    this.start = start;
    this.device = device;
    this.metric = 'semaphore';
    this.value = value;
    this.unit = null;
    this.labels = name === undefined ? { semaphore } : { semaphore, name };
  }

  writeTo(out: LineBytes): void {
    out.put(SAMPLE.of(this.profile));
    out.number(this.start);
    out.put(KEYS.device);
    out.number(this.device);
    out.put(KEYS.semaphore);
    out.number(this.value);
    out.put(KEYS.labels);
    out.number(this.labels.semaphore);
    if (this.labels.name !== undefined) out.put(LABEL.of(this.labels.name));
    out.put(KEYS.end);
  }
}

/** Beginnings of lines, up to the first number after the profile's. */
const KERNEL = new Pieces((profile: number) => `{"type":"kernel","profile":${JSON.stringify(profile)},"id":`);
const COPY = new Pieces(
  (profile: number) => `{"type":"copy","profile":${JSON.stringify(profile)},"kind":"DMA","bytes":`,
);
const SAMPLE = new Pieces((profile: number) => `{"type":"sample","profile":${JSON.stringify(profile)},"start":`);

const NAMES = new Pieces((name: string) => `,"name":${jsonOf(name)},"short":${jsonOf(name)},"start":`);
const LABEL = new Pieces((name: string) => `,"name":${jsonOf(name)}`);
const FIRST_COUNTER = new Pieces((key: string) => `],"counters":{${jsonOf(key)}:`);
const COUNTER = new Pieces((key: string) => `,${jsonOf(key)}:`);

const KEYS = {
  start: bytesOf(',"start":'),
  dur: bytesOf(',"dur":'),
  device: bytesOf(',"device":'),
  semaphore: bytesOf(',"metric":"semaphore","value":'),
  labels: bytesOf(',"unit":null,"labels":{"semaphore":'),
  end: bytesOf('}}\n'),
  comma: bytesOf(','),
  noCounters: bytesOf('],"counters":{'),
} as const;

function writePicoseconds(out: LineBytes, [start, dur]: readonly [number, number]): void {
  out.number(start);
  out.put(KEYS.comma);
  out.number(dur);
}

/** Writes the counters and the end of the line; `details` has the bytes for its counters and everything after them. */
function writeCounters(out: LineBytes, counters: Counters, details: InstructionDetails | null = null): void {
  let isFirst = true;
  const end = details?.firstCounter;
  for (const key in counters) {
    if (key === end) break;
    const value = counters[key];
    if (value === undefined) continue;
    out.put((isFirst ? FIRST_COUNTER : COUNTER).of(key));
    out.number(value);
    isFirst = false;
  }
  if (isFirst) out.put(KEYS.noCounters);
  if (details === null) out.put(KEYS.end);
  else {
    if (!isFirst && details.firstCounter !== null) out.put(KEYS.comma);
    out.put(details.bytes);
  }
}

/** Encoded bytes of the fields from `device` to the bracket of `ps`. A device has few combinations, so they are cached. */
interface EncodedPlace {
  readonly device: number;
  readonly stream: number;
  readonly engine: string;
  readonly queue: number | null;
  readonly queueType: string | undefined;
  readonly bytes: Uint8Array;
}

/** Cache size; must be a power of two. */
const MOST_PLACES = 4096;
const PLACES = new Array<EncodedPlace | undefined>(MOST_PLACES);

function placeOf(
  device: number,
  stream: number,
  engine: string,
  queue: number | null,
  queueType: string | undefined,
): Uint8Array {
  // A direct-mapped cache: any hash is correct, and this one separates the combinations of one device.
  const at = (device * 1021 + stream * 17 + (queue ?? 16)) & (MOST_PLACES - 1);
  const kept = PLACES[at];
  const isHit =
    kept?.device === device &&
    kept.stream === stream &&
    kept.engine === engine &&
    kept.queue === queue &&
    kept.queueType === queueType;
  if (isHit) return kept.bytes;
  const place = jsonOf({ device, stream, engine, ...(queue === null ? undefined : { queue }), queueType });
  const bytes = bytesOf(`,${place.slice(1, -1)},"ps":[`);
  PLACES[at] = { device, stream, engine, queue, queueType, bytes };
  return bytes;
}
