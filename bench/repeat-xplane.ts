/**
 * Repeats the events of an XPlane file, so that a short profile stands for a long run:
 *
 *   tsx bench/repeat-xplane.ts INPUT.xplane.pb N OUT.xplane.pb
 *
 * Copy k has all times moved by k × (length of the profile + a gap, in whole nanoseconds), ids that join events by
 * k × (largest + 1), and steps numbered on. Tables, programs and all other bytes are written once, as they are in the
 * input. A number takes as many bytes in each copy as in the last one. Memory: a few times that of the input.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fieldsOf, message, numberIn, RUN_OF_BYTES, VARINT, varint, type WireField } from './neuron-wire.js';
import { writePieces } from './write-pieces.js';

/** Numbers of fields in xplane.proto: of a file, a plane, a line, an event, and a statistic. */
const PLANE = 1;
const [LINE, STAT_KIND, PLANE_STAT] = [3, 5, 6];
const [LINE_TIME, EVENT] = [3, 4];
const [OFFSET, DURATION, EVENT_STAT, OCCURRENCES] = [2, 3, 4, 5];
const [KIND, UNSIGNED, SIGNED] = [1, 3, 4];

/** What statistics count that differ from one copy to the next. Those that join each other count the same. */
const MOVED: Readonly<Record<string, string>> = {
  ...{ correlation_id: 'launch', _p: 'context', _c: 'context', run_id: 'run', step_num: 'step', group_id: 'group' },
};
/** Between two copies of an id that a double does not hold exactly. */
const LARGE_STRIDE = 1n << 32n;
const GAP_PS = 1_000_000n;
const PS_PER_NS = 1000n;

/** A number in a line that differs from copy to copy, and the bytes that it takes. */
interface Slot {
  readonly at: number;
  readonly width: number;
  readonly first: bigint;
  readonly stride: bigint;
}

interface Bytes {
  readonly bytes: Buffer;
  readonly slots: readonly Slot[];
}

/** The fields of a message inside another one. */
const inside = ({ value }: WireField): WireField[] => (Buffer.isBuffer(value) ? fieldsOf(value) : null) ?? [];
const tagOf = (field: number, kind: number): Buffer => varint((BigInt(field) << 3n) | BigInt(kind));

/** Names of a plane's statistics by their number. */
const statNames = (plane: readonly WireField[]): ReadonlyMap<bigint, string> =>
  new Map(
    plane
      .filter(({ field }) => field === STAT_KIND)
      .map((entry) => {
        const fields = inside(entry);
        const name = fields.filter(({ field }) => field === 2).flatMap(inside).find(({ field }) => field === 2)?.value; // prettier-ignore
        return [numberIn(fields, 1), String(name ?? '')];
      }),
  );

/** What the number of a statistic counts; null when it stays as it is. */
const movedBy = (stat: readonly WireField[], names: ReadonlyMap<bigint, string>): string | null =>
  MOVED[names.get(numberIn(stat, KIND)) ?? ''] ?? null;

const isLarge = (value: bigint): boolean => value > BigInt(Number.MAX_SAFE_INTEGER);

/** Repeats a file a number of times. */
class Repeated {
  readonly #planes: readonly WireField[];
  /** Length of a copy in ps, and by what other numbers differ between copies. */
  readonly #strides = new Map<string, bigint>();
  events = 0;

  constructor(
    bytes: Buffer,
    private readonly times: number,
  ) {
    const planes = fieldsOf(bytes);
    if (planes === null) throw new RangeError('not an XPlane file');
    this.#planes = planes;
    let [first, last] = [1n << 64n, 0n];
    for (const plane of planes.filter(({ field }) => field === PLANE).map(inside)) {
      const names = statNames(plane);
      for (const line of plane.filter(({ field }) => field === LINE).map(inside))
        for (const event of line.filter(({ field }) => field === EVENT).map(inside)) {
          const start = numberIn(line, LINE_TIME) * PS_PER_NS + numberIn(event, OFFSET);
          const end = start + numberIn(event, DURATION);
          [first, last] = [start < first ? start : first, end > last ? end : last];
          for (const stat of event.filter(({ field }) => field === EVENT_STAT).map(inside)) this.#note(stat, names);
          this.events++;
        }
    }
    this.#strides.set('time', ((last - first) / PS_PER_NS + 1n) * PS_PER_NS + GAP_PS);
  }

  /** @param write gets the bytes in order; a piece is valid only until it returns */
  write(write: (piece: Buffer) => void): void {
    for (const field of this.#planes) {
      if (field.field === PLANE) this.#writePlane(inside(field), write);
      else write(message([field]));
    }
  }

  #note(stat: readonly WireField[], names: ReadonlyMap<bigint, string>): void {
    const kind = movedBy(stat, names);
    const value = numberIn(stat, UNSIGNED) + numberIn(stat, SIGNED);
    if (kind !== null && !isLarge(value) && value >= (this.#strides.get(kind) ?? 0n))
      this.#strides.set(kind, value + 1n);
  }

  #writePlane(plane: readonly WireField[], write: (piece: Buffer) => void): void {
    const names = statNames(plane);
    const parts = plane.map((field): Buffer | Line =>
      field.field === LINE
        ? this.#line(inside(field), names)
        : message([field.field === PLANE_STAT ? this.#planeStat(field, names) : field]),
    );
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    write(Buffer.concat([tagOf(PLANE, RUN_OF_BYTES), varint(BigInt(length))]));
    for (const part of parts)
      if (Buffer.isBuffer(part)) write(part);
      else part.write(write);
  }

  /** The profile ends after the last copy. */
  #planeStat(field: WireField, names: ReadonlyMap<bigint, string>): WireField {
    const stat = inside(field);
    if (names.get(numberIn(stat, KIND)) !== 'profile_stop_time') return field;
    const more = (BigInt(this.times - 1) * (this.#strides.get('time') ?? 0n)) / PS_PER_NS;
    const moved = stat.map((part) => (part.field === UNSIGNED ? { ...part, value: (part.value as bigint) + more } : part)); // prettier-ignore
    return { ...field, value: message(moved) };
  }

  #line(line: readonly WireField[], names: ReadonlyMap<bigint, string>): Line {
    const events = line.filter(({ field }) => field === EVENT);
    const others = message(line.filter(({ field }) => field !== EVENT));
    return new Line(others, joined(events.map((event) => this.#event(event, names))), this.times);
  }

  #event(field: WireField, names: ReadonlyMap<bigint, string>): Bytes {
    const event = inside(field);
    const isPlaced = event.some(({ field }) => field === OFFSET || field === OCCURRENCES) || this.times === 1;
    // Writers leave zeros out.
    const placed = isPlaced ? event : [...event, { field: OFFSET, kind: VARINT, value: 0n }];
    const parts = placed.map((part): Bytes => {
      if (part.field === OFFSET) return this.#number(part, 'time');
      const stat = part.field === EVENT_STAT ? inside(part) : [];
      const kind = movedBy(stat, names);
      if (kind === null) return { bytes: message([part]), slots: [] };
      const isId = (each: WireField): boolean => each.field === UNSIGNED || each.field === SIGNED;
      return wrapped(EVENT_STAT, joined(stat.map((each) => (isId(each) ? this.#number(each, kind) : { bytes: message([each]), slots: [] })))); // prettier-ignore
    });
    return wrapped(EVENT, joined(parts));
  }

  #number({ field, value }: WireField, kind: string): Bytes {
    const first = value as bigint;
    const stride = kind !== 'time' && isLarge(first) ? LARGE_STRIDE : (this.#strides.get(kind) ?? 0n);
    const last = first + stride * BigInt(this.times - 1);
    if (kind === 'time' && isLarge(last)) throw new RangeError('a time exceeds 2^53 ps');
    const [tag, width] = [tagOf(field, VARINT), varint(last).length];
    return { bytes: Buffer.concat([tag, Buffer.alloc(width)]), slots: [{ at: tag.length, width, first, stride }] };
  }
}

function joined(parts: readonly Bytes[]): Bytes {
  let offset = 0;
  const slots = parts.flatMap(({ bytes, slots }) => {
    const from = offset;
    offset += bytes.length;
    return slots.map((slot) => ({ ...slot, at: slot.at + from }));
  });
  return { bytes: Buffer.concat(parts.map(({ bytes }) => bytes)), slots };
}

const wrapped = (field: number, content: Bytes): Bytes =>
  joined([
    { bytes: Buffer.concat([tagOf(field, RUN_OF_BYTES), varint(BigInt(content.bytes.length))]), slots: [] },
    content,
  ]);

/** A line of a plane: its own fields, then the copies of its events. */
class Line {
  readonly #head: Buffer;

  constructor(
    private readonly others: Buffer,
    private readonly events: Bytes,
    private readonly times: number,
  ) {
    const length = others.length + events.bytes.length * times;
    this.#head = Buffer.concat([tagOf(LINE, RUN_OF_BYTES), varint(BigInt(length))]);
  }

  get length(): number {
    return this.#head.length + this.others.length + this.events.bytes.length * this.times;
  }

  write(write: (piece: Buffer) => void): void {
    write(Buffer.concat([this.#head, this.others]));
    const { bytes, slots } = this.events;
    for (let copy = 0; copy < this.times; copy++) {
      for (const { at, width, first, stride } of slots) writeNumber(bytes, at, width, first + stride * BigInt(copy));
      write(bytes);
    }
  }
}

/** A varint of so many bytes: all except the last have the eighth bit. */
function writeNumber(bytes: Buffer, at: number, width: number, value: bigint): void {
  let [low, high] = [Number(value & 0xfffffffn), Number((value >> 28n) & 0xfffffffn)];
  const top = width > 8 ? Number(BigInt.asUintN(64, value) >> 56n) : 0;
  for (let i = 0; i < width; i++) {
    const bits = i < 4 ? low & 0x7f : i < 8 ? high & 0x7f : (top >> ((i - 8) * 7)) & 0x7f;
    if (i < 4) low >>= 7;
    else high >>= 7;
    bytes[at + i] = bits | (i === width - 1 ? 0 : 0x80);
  }
}

/**
 * Writes a file with the events of another one several times.
 * @returns the number of events in one copy
 */
export function repeatXPlane(bytes: Buffer, times: number, write: (piece: Buffer) => void): number {
  const repeated = new Repeated(bytes, times);
  repeated.write(write);
  return repeated.events;
}

function main(): void {
  const [input, count, out, ...rest] = process.argv.slice(2);
  const times = Number(count);
  if (input === undefined || out === undefined || rest.length > 0 || !Number.isInteger(times) || times < 1) {
    process.stderr.write('usage: tsx bench/repeat-xplane.ts INPUT.xplane.pb N OUT.xplane.pb\n');
    process.exitCode = 2;
    return;
  }
  writePieces(out, (write) => {
    process.stderr.write(`${times} × ${repeatXPlane(readFileSync(input), times, write)} events\n`);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
