/**
 * The parts of an XSpace file: planes (a device, a host), their tables of events and statistics, their lines (a stream, a
 * thread), and the events on a line. The tables of a plane are in memory, and two of its events. Tables stand after the
 * lines that refer to them, so a plane is read twice. Source: xplane.proto of OpenXLA.
 */
import { elementAt } from '../../../containers/element.js';
import { FieldStream, FileFields, signed, WireFields, type WireNumber } from '../../input/protobuf-fields.js';
import { WireError } from '../../input/protobuf.js';
import type { BlockFile } from '../../input/byte-window.js';

/** The value of a statistic; bytes are left out. */
export type Stat = number | bigint | string;
export type Stats = ReadonlyMap<string, Stat>;

/** What all events of one kind share. */
export interface EventKind {
  readonly name: string;
  /** Name to show; '' when there is none. */
  readonly shown: string;
  readonly stats: Stats;
  /** Where the program is in the file, for a kind that stands for one. */
  readonly program: { readonly from: number; readonly to: number } | null;
}

/** Names of the statistics of events that readers ask for. */
export const ASKED = [
  ...(['correlation_id', 'group_id', 'step_num', 'step_name', '_r', '_pt', '_p', '_ct', '_c', 'run_id'] as const),
  ...(['kernel_details', 'memcpy_details', 'memset_details', 'theoretical_occupancy_pct'] as const),
  ...(['cuda_graph_id', 'cuda_graph_node_id', 'index_on_host'] as const),
  ...(['hlo_op', 'hlo_module', 'program_id', 'name', 'tf_op', 'level 0', 'annotation', 'shape'] as const),
  ...(['hlo_category', 'flops', 'model_flops', 'bytes_accessed', 'shape_with_layout'] as const),
  ...(['source', 'source_stack', 'allocator_name', 'bytes_allocated', 'bytes_reserved'] as const),
  // Stands for request_id1, request_id2 …, with which vLLM on TPUs names the requests of a step.
  'request_id' as const,
];
const REQUEST_ID = /^request_id\d{1,6}$/;
export type StatName = (typeof ASKED)[number];
const asked: ReadonlyMap<string, StatName> = new Map(ASKED.map((name) => [name, name]));

/** An event of a line. There are millions, so the object is used again: it is valid until the next but one is read. */
export class XEvent {
  kind: EventKind = UNKNOWN;
  /** Time in ns after the profile's time 0, and the picoseconds beyond. */
  start = 0;
  startPs = 0;
  /** In ns, and the picoseconds beyond. */
  dur = 0;
  durPs = 0;
  /** Whether it stands for several events without a known time. */
  isAggregate = false;
  /** Statistics of the event itself. */
  readonly #names: StatName[] = [];
  readonly #values: Stat[] = [];
  #count = 0;

  /** A statistic of the event, else of its kind. */
  stat(name: StatName): Stat | undefined {
    for (let i = this.#count - 1; i >= 0; i--) if (this.#names[i] === name) return this.#values[i];
    return this.kind.stats.get(name);
  }

  /** The ids of the requests that the event names, in the order of the file. */
  get requests(): readonly string[] {
    const isId = (_: Stat, i: number): boolean => i < this.#count && this.#names[i] === 'request_id';
    return this.#values.filter(isId).map(String);
  }

  get end(): number {
    return this.start + this.dur;
  }

  get ps(): readonly [start: number, dur: number] {
    return [this.startPs, this.durPs];
  }

  clear(): void {
    this.kind = UNKNOWN;
    this.isAggregate = false;
    this.#count = 0;
  }

  add(name: StatName, value: Stat): void {
    this.#names[this.#count] = name;
    this.#values[this.#count++] = value;
  }
}

/** An event of either form of a profile: this one, or the trace of TensorBoard. */
export type StatedEvent = Pick<XEvent, 'kind' | 'start' | 'end' | 'ps' | 'stat' | 'requests'>;

export interface XLine {
  readonly id: WireNumber;
  readonly name: string;
  /** Unit: ns. */
  readonly time: bigint;
  /** Number of its events. */
  readonly events: number;
  readonly from: number;
  readonly to: number;
}

const PLANE = 1;
const [PLANE_NAME, LINES, EVENT_KINDS, STAT_KINDS, PLANE_STATS] = [2, 3, 4, 5, 6];
const EVENT = 4;
const HLO_PROTO = 'Hlo Proto';
/** Longer names and strings are cut, and longer events are left out: both in bytes. */
const LONGEST = 1 << 20;
/** Longest entry of a table that is decoded in memory. */
const SMALL = 1 << 16;
/** Unix time in ns of 2001. Lines with later times count from 1970, all others from the profile's start. */
export const ABSOLUTE = 10n ** 18n;
const NO_STATS: Stats = new Map();
export const UNKNOWN: EventKind = { name: '', shown: '', stats: NO_STATS, program: null };

/** Where a plane is in the file, and its name. */
export interface PlanePlace {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** The planes found in a file. */
interface FoundPlanes {
  readonly planes: readonly PlanePlace[];
  /** Whether the last one reaches beyond the end of the file. */
  readonly isCut: boolean;
  /** Why the search stopped after them; null for a complete or truncated file. */
  readonly damage: WireError | null;
}

/** The planes of a file. @throws WireError when there is none */
export function planesIn(file: BlockFile, size: number): FoundPlanes {
  const planes: PlanePlace[] = [];
  const space = new FileFields(file, 0, size);
  try {
    while (space.next() || space.isCut) {
      if (space.field > 4 || !space.isMessage) throw new WireError('it has a field that an XSpace does not have');
      const [from, to] = [space.from, Math.min(space.to, size)];
      if (space.field === PLANE) planes.push({ name: nameIn(new FileFields(file, from, to)), from, to });
      if (space.isCut) break;
    }
  } catch (error) {
    if (!(error instanceof WireError) || planes.length === 0) throw error;
    return { planes, isCut: false, damage: error };
  }
  const [first] = planes;
  if (space.isCut && planes.length < 2 && (first === undefined || !new Plane(file, first).isReadable))
    throw new WireError('its first plane extends past the end');
  return { planes, isCut: space.isCut, damage: null };
}

/** The name of a plane; '' for a damaged one without. */
function nameIn(plane: FileFields): string {
  try {
    while (plane.next()) if (plane.field === PLANE_NAME) return plane.bytes(LONGEST).toString('utf8');
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
  }
  return '';
}

/** A plane with its tables. */
export class Plane {
  readonly lines: XLine[] = [];
  readonly #kinds = new Map<WireNumber, EventKind>();
  readonly #statNames = new Map<WireNumber, string>();
  readonly #asked = new Map<WireNumber, StatName>();
  readonly #stat = new WireFields(Buffer.alloc(0));
  readonly stats: Stats;
  /** Whether the last field is cut off. */
  readonly isCut: boolean;
  /** Number of damaged lines, kinds and events. */
  damaged = 0;

  constructor(
    private readonly file: BlockFile,
    readonly place: PlanePlace,
  ) {
    const kinds: (readonly [from: number, to: number])[] = [];
    const stats: Buffer[] = [];
    const plane = new FileFields(file, place.from, place.to);
    // What follows a damaged field cannot be found.
    while (this.#attempt(() => plane.next()) === true) {
      if (plane.field === LINES) this.#attempt(() => this.lines.push(this.#line(plane)));
      else if (plane.field === EVENT_KINDS) kinds.push([plane.from, plane.to]);
      else if (plane.field === STAT_KINDS) this.#attempt(() => this.#addStatKind(plane));
      else if (plane.field === PLANE_STATS) stats.push(Buffer.from(plane.bytes(LONGEST)));
    }
    this.isCut = plane.isCut;
    for (const [from, to] of kinds) this.#attempt(() => this.#addKind(from, to));
    const byName = new Map<string, Stat>();
    for (const bytes of stats) this.#attempt(() => this.#addStat(new WireFields(bytes), byName));
    this.stats = byName;
  }

  /** Whether it has events and says what they are: the tables follow the lines, and may be cut off. */
  get isReadable(): boolean {
    return this.lines.length > 0 && this.#kinds.size > 0;
  }

  get kinds(): Iterable<EventKind> {
    return this.#kinds.values();
  }

  /** The events of a line, in the order of the file. Each stays as it is until two more are taken. */
  *events(line: XLine, zero: bigint): Generator<XEvent> {
    const base = Number(line.time > ABSOLUTE ? line.time - zero : line.time);
    const stream = new FieldStream(this.file, line.from, line.to, LONGEST);
    const [fields, inside, events] = [stream.fields, new WireFields(Buffer.alloc(0)), [new XEvent(), new XEvent()]];
    for (let turn = 0; this.#attempt(() => stream.next()) === true;) {
      if (fields.field !== EVENT || !fields.isMessage) continue;
      const event = elementAt(events, turn);
      try {
        this.#readEvent(inside.turnTo(fields.bytes, fields.from, fields.to), base, event);
      } catch (error) {
        this.#damage(error);
        continue;
      }
      yield event;
      // The caller may still hold an event with a place in time while it takes the next one.
      if (!event.isAggregate) turn = 1 - turn;
    }
  }

  #readEvent(fields: WireFields, base: number, event: XEvent): void {
    let [offset, dur] = [0, 0];
    event.clear();
    while (fields.next()) {
      if (fields.field === 1) event.kind = this.#kinds.get(fields.value) ?? UNKNOWN;
      else if (fields.field === 2) offset = signed(fields.value);
      else if (fields.field === 3) dur = signed(fields.value);
      else if (fields.field === 4 && fields.isMessage)
        this.#readStat(this.#stat.turnTo(fields.bytes, fields.from, fields.to), event);
      else if (fields.field === 5) event.isAggregate = true;
    }
    event.startPs = modulo(offset);
    event.durPs = modulo(dur);
    event.start = base + (offset - event.startPs) / 1000;
    event.dur = (dur - event.durPs) / 1000;
  }

  /** Reads a statistic of an event if it is asked for. */
  #readStat(stat: WireFields, event: XEvent): void {
    let name: StatName | undefined;
    let value: Stat | undefined = 0;
    while (stat.next())
      if (stat.field === 1) name = this.#asked.get(stat.value);
      else value = this.#valueOf(stat);
    if (name !== undefined && value !== undefined) event.add(name, value);
  }

  /** The line without its events. What follows a damaged field of it is not found. */
  #line(plane: FileFields): XLine {
    const stream = new FieldStream(this.file, plane.from, plane.to, LONGEST);
    const { fields } = stream;
    let [id, name, time, events] = [0 as WireNumber, '', 0n, 0];
    try {
      while (stream.next()) {
        if (fields.field === 1) id = fields.value;
        else if (fields.field === 2) name = fields.text();
        else if (fields.field === 3) time = BigInt.asIntN(64, BigInt(fields.value));
        else if (fields.field === EVENT) events++;
      }
    } catch (error) {
      // The error is counted later, when the events before it are read.
      if (!(error instanceof WireError)) throw error;
    }
    return { id, name, time, events, from: plane.from, to: plane.to };
  }

  #addStatKind(plane: FileFields): void {
    const entry = new WireFields(plane.bytes(LONGEST));
    let [key, name] = [0 as WireNumber, ''];
    while (entry.next()) {
      if (entry.field === 1) key = entry.value;
      else if (entry.field === 2 && entry.isMessage) {
        const kind = entry.inside();
        while (kind.next()) if (kind.field === 2) name = kind.text();
      }
    }
    this.#statNames.set(key, name);
    const known = asked.get(REQUEST_ID.test(name) ? 'request_id' : name);
    if (known !== undefined) this.#asked.set(key, known);
  }

  #addKind(from: number, to: number): void {
    const entry = new FileFields(this.file, from, to);
    let key: WireNumber = 0;
    let kind = UNKNOWN;
    while (entry.next()) {
      if (entry.field === 1) key = entry.value;
      else if (entry.field === 2 && entry.isMessage) kind = this.#kind(entry);
    }
    this.#kinds.set(key, kind);
  }

  #kind(entry: FileFields): EventKind {
    const fields = entry.inside();
    let [name, shown, program] = ['', '', null as EventKind['program']];
    const stats = new Map<string, Stat>();
    while (fields.next()) {
      if (fields.field === 2) name = fields.bytes(LONGEST).toString('utf8');
      else if (fields.field === 4) shown = fields.bytes(LONGEST).toString('utf8');
      else if (fields.field === 5 && fields.isMessage) {
        if (fields.to - fields.from <= SMALL) {
          const from = fields.from;
          const found = this.#addStat(new WireFields(Buffer.from(fields.bytes(SMALL))), stats);
          if (found !== null) program = { from: from + found.from, to: from + found.to };
        } else program = this.#programIn(fields.inside()) ?? program;
      }
    }
    return { name, shown, stats, program };
  }

  #programIn(stat: FileFields): EventKind['program'] {
    let [name, place] = ['', null as EventKind['program']];
    while (stat.next()) {
      if (stat.field === 1) name = this.#statNames.get(stat.value) ?? '';
      else if (stat.field === 6) place = { from: stat.from, to: stat.to };
    }
    return name === HLO_PROTO ? place : null;
  }

  /** Adds a statistic. @returns where the bytes of a program are */
  #addStat(stat: WireFields, to: Map<string, Stat>): EventKind['program'] {
    let name = '';
    let value: Stat | undefined = 0;
    let bytes: EventKind['program'] = null;
    while (stat.next()) {
      if (stat.field === 1) name = this.#statNames.get(stat.value) ?? '';
      else {
        value = this.#valueOf(stat);
        if (stat.field === 6) bytes = { from: stat.from, to: stat.to };
      }
    }
    if (name !== '' && value !== undefined) to.set(name, value);
    return name === HLO_PROTO ? bytes : null;
  }

  /** The value in a field of a statistic; undefined for bytes, and for fields that are unknown. */
  #valueOf(stat: WireFields): Stat | undefined {
    if (stat.field === 2) return stat.double();
    if (stat.field === 3) return stat.value;
    if (stat.field === 4) return typeof stat.value === 'bigint' ? BigInt.asIntN(64, stat.value) : stat.value;
    if (stat.field === 5) return stat.text();
    if (stat.field === 7) return this.#statNames.get(stat.value) ?? '';
    // A compressed text: it is known only that there is one.
    return stat.field === 8 ? '' : undefined;
  }

  #attempt<T>(read: () => T): T | null {
    try {
      return read();
    } catch (error) {
      this.#damage(error);
      return null;
    }
  }

  #damage(error: unknown): void {
    if (!(error instanceof WireError)) throw error;
    this.damaged++;
  }
}

/** Picoseconds beyond whole nanoseconds, 0 to 999. */
const modulo = (ps: number): number => ((ps % 1000) + 1000) % 1000;

/** The number of a statistic; null for any other value. Above 2^53 it is rounded. */
export const numberOf = (stat: Stat | undefined): number | null =>
  typeof stat === 'number' ? stat : typeof stat === 'bigint' ? Number(stat) : null;

/** The text of a statistic; null for any other value, and for a string that is not read. */
export const textOf = (stat: Stat | undefined): string | null =>
  typeof stat === 'string' && stat !== '' ? stat : null;

/** An id as unsigned decimal text; null when there is none. */
export const idOf = (stat: Stat | undefined): string | null =>
  typeof stat === 'number' && stat >= 0 ? String(stat) : unsigned(stat);

const unsigned = (stat: Stat | undefined): string | null =>
  stat === undefined || (typeof stat === 'number' && !Number.isInteger(stat))
    ? null
    : typeof stat === 'string'
      ? stat
      : String(BigInt.asUintN(64, BigInt(stat)));
