/**
 * The parts of an XSpace file: planes (a device, a host), their tables of events and statistics, their lines (a stream, a
 * thread), and the events on a line. Only one plane's tables are in memory, and one event. Tables stand after the lines that
 * refer to them, so a plane is read twice. Source: xplane.proto of OpenXLA.
 */
import { FileFields, signed, WireFields, type WireNumber } from '../../input/protobuf-fields.js';
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

/** An event. Its start is in ns and additional picoseconds after the profile's time 0; so is its duration. */
export interface XEvent {
  readonly kind: EventKind;
  readonly start: number;
  readonly dur: number;
  readonly ps: readonly [start: number, dur: number];
  /** Its own statistics. */
  readonly stats: Stats;
  /** Whether it stands for several events without a place in time. */
  readonly isAggregate: boolean;
}

export interface XLine {
  readonly id: WireNumber;
  readonly name: string;
  /** In ns. */
  readonly time: bigint;
  readonly from: number;
  readonly to: number;
}

const PLANE = 1;
const [PLANE_NAME, LINES, EVENT_KINDS, STAT_KINDS, PLANE_STATS] = [2, 3, 4, 5, 6];
const HLO_PROTO = 'Hlo Proto';
/** Longer names and texts are cut, and longer events are left out: both in bytes. */
const LONGEST = 1 << 20;
/** Longest entry of a table that is decoded in memory. */
const SMALL = 1 << 16;
/** Unix time in ns of 2001. Lines with later times count from 1970, all others from the profile's start. */
export const ABSOLUTE = 10n ** 18n;
const NO_STATS: Stats = new Map();
const UNKNOWN: EventKind = { name: '', shown: '', stats: NO_STATS, program: null };

/** Where a plane is in the file, and its name. */
export interface PlanePlace {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** The planes of a file, and whether it is cut off. @throws WireError when it is not a row of fields of an XSpace */
export function planesIn(file: BlockFile, size: number): { readonly planes: PlanePlace[]; readonly isCut: boolean } {
  const planes: PlanePlace[] = [];
  const space = new FileFields(file, 0, size);
  let isCut = false;
  while (!isCut) {
    const isWhole = space.next();
    isCut = space.isCut;
    if (!isWhole && !isCut) break;
    if (space.field > 4 || !space.isMessage) throw new WireError('a field in it is not of an XSpace');
    if (isCut && planes.length === 0) throw new WireError('its first plane runs over the end');
    if (space.field === PLANE) {
      const [from, to] = [space.from, Math.min(space.to, size)];
      planes.push({ name: nameIn(new FileFields(file, from, to)), from, to });
    }
  }
  return { planes, isCut };
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
    const own = new Map<string, Stat>();
    for (const bytes of stats) this.#attempt(() => this.#addStat(new WireFields(bytes), own));
    this.stats = own;
  }

  get kinds(): Iterable<EventKind> {
    return this.#kinds.values();
  }

  /** The events of a line, in the order of the file. */
  *events(line: XLine, zero: bigint): Generator<XEvent> {
    const base = Number(line.time > ABSOLUTE ? line.time - zero : line.time);
    const fields = new FileFields(this.file, line.from, line.to);
    for (;;) {
      try {
        if (!fields.next()) return;
      } catch (error) {
        this.#damage(error);
        return;
      }
      if (fields.field !== 4 || !fields.isMessage) continue;
      let event: XEvent | null = null;
      try {
        event = this.#event(new WireFields(fields.bytes(LONGEST)), base);
      } catch (error) {
        this.#damage(error);
      }
      if (event !== null) yield event;
    }
  }

  #event(fields: WireFields, base: number): XEvent {
    let [kind, offset, dur, isAggregate] = [UNKNOWN, 0, 0, false];
    let stats: Map<string, Stat> | null = null;
    while (fields.next()) {
      if (fields.field === 1) kind = this.#kinds.get(fields.value) ?? UNKNOWN;
      else if (fields.field === 2) offset = signed(fields.value);
      else if (fields.field === 3) dur = signed(fields.value);
      else if (fields.field === 4 && fields.isMessage)
        this.#addStat(fields.inside(), (stats ??= new Map<string, Stat>()));
      else if (fields.field === 5) isAggregate = true;
    }
    const [startPs, durPs] = [modulo(offset), modulo(dur)];
    const [start, ns] = [base + (offset - startPs) / 1000, (dur - durPs) / 1000];
    return { kind, start, dur: ns, ps: [startPs, durPs], stats: stats ?? NO_STATS, isAggregate };
  }

  #line(plane: FileFields): XLine {
    const fields = plane.inside();
    let [id, name, time] = [0 as WireNumber, '', 0n];
    while (fields.next()) {
      if (fields.field === 4) {
        // Fields of the line itself may follow its events.
        continue;
      }
      if (fields.field === 1) id = fields.value;
      else if (fields.field === 2) name = fields.bytes(LONGEST).toString('utf8');
      else if (fields.field === 3) time = BigInt.asIntN(64, BigInt(fields.value));
    }
    return { id, name, time, from: plane.from, to: plane.to };
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
      else if (stat.field === 2) value = stat.double();
      else if (stat.field === 3) value = stat.value;
      else if (stat.field === 4) value = typeof stat.value === 'bigint' ? BigInt.asIntN(64, stat.value) : stat.value;
      else if (stat.field === 5) value = stat.text();
      else if (stat.field === 7) value = this.#statNames.get(stat.value) ?? '';
      // A compressed text: it is known only that there is one.
      else if (stat.field === 8) value = '';
      else {
        value = undefined;
        if (stat.field === 6) bytes = { from: stat.from, to: stat.to };
      }
    }
    if (name !== '' && value !== undefined) to.set(name, value);
    return name === HLO_PROTO ? bytes : null;
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

/** The text of a statistic; null for any other value, and for a text that is not read. */
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
