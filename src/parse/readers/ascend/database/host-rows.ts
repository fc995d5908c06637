/**
 * Reads PYTORCH_API, MSTX_EVENTS and GC_RECORD as ops, Python frames, modules and user ranges; rows of the launch queue are
 * ignored.
 */
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { integerOf, type Selection, type SqliteFile } from '../../../sqlite/sqlite.js';
import type { ThreadTable } from '../../../trace/threads.js';
import { HostEvents, type HostTexts } from '../../../torch/host-events.js';
import type { Span } from '../../../trace/clocks/host-span.js';
import { isAway } from '../../../trace/mending/stray-events.js';
import type { StepRange } from '../../../trace/launch-steps.js';
import { hasTimes, type DatabaseClock } from '../../../sqlite/database-clock.js';
import { connectionOrNone, type StringTable } from './connections.js';
import { entryOf } from '../../../../containers/map-entry.js';
import type { Arg } from '../../../../record/record.js';
import { isDtypeList, readFrameworkArguments, readFrameworkExtents } from '../framework-arguments.js';
import type { CallChains } from './call-chains.js';

/** Domain that is not shown in names. */
const DEFAULT_DOMAIN = 'default';

/**
 * Strings of host events. Names are numbered in order of first appearance, so that tables by name stay small; shapes and
 * types of arguments are string ids plus one, 0 when there are none.
 */
export class HostNames implements HostTexts {
  /**
   * Names by number. A name is a string id, a string that is not in the database, or the string ids of a domain and a
   * message.
   */
  readonly #names: (number | string | readonly [domain: number, message: number])[] = [];
  readonly #numbers = new Map<number | string, number>();
  /** For each string in the argument columns: whether it lists types. */
  readonly #dtypeLists = new Map<number, boolean>();

  constructor(
    private readonly strings: StringTable,
    private readonly chains: CallChains,
  ) {}

  numberOf(name: number | string): number {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.#names.push(name) - 1;
      this.#numbers.set(name, number);
    }
    return number;
  }

  numberIn(domain: number, message: number): number {
    const name = this.strings.text(domain) ?? DEFAULT_DOMAIN;
    if (name === DEFAULT_DOMAIN || name === '') return this.numberOf(message);
    const key = `${domain}:${message}`;
    return entryOf(this.#numbers, key, () => this.#names.push([domain, message]) - 1);
  }

  /** The text of a name; '' when the database does not have its string. */
  text(number: number): string {
    const name = this.#names[number];
    if (name === undefined) return '';
    if (typeof name === 'string') return name;
    if (typeof name === 'number') return this.#string(name);
    return `${this.#string(name[0])}:${this.#string(name[1])}`;
  }

  /** The domain that precedes the colon in a name's text; null when there is none. */
  domainOf(number: number): string | null {
    const name = this.#names[number];
    return typeof name === 'object' ? this.#string(name[0]) : null;
  }

  #string(id: number): string {
    return this.strings.text(id) ?? '';
  }

  areSwapped(shapes: number, types: number): boolean {
    return this.#isDtypeList(shapes) && !this.#isDtypeList(types);
  }

  #isDtypeList(string: number): boolean {
    if (Number.isNaN(string)) return false;
    return entryOf(this.#dtypeLists, string, () => isDtypeList(this.#string(string)));
  }

  readArguments(dims: number, types: number): Arg[] | null {
    if (dims === 0 && types === 0) return null;
    return readFrameworkArguments(this.#string(dims - 1), this.#string(types - 1));
  }

  readExtents(dims: number): number[][] | null {
    return readFrameworkExtents(this.#string(dims - 1));
  }

  readFrames(callStack: number): readonly string[] {
    return this.chains.frames(callStack - 1);
  }

  stackTexts(callStack: number): readonly string[] {
    return this.chains.texts(callStack - 1);
  }
}

/** Types of rows of PYTORCH_API. */
const ROW = { op: 50001, queue: 50002, frame: 50003, range: 50004 } as const;

const HIGH: Selection = { needs: ['globalTid'], sql: '(globalTid >> 32)' };
const LOW: Selection = { needs: ['globalTid'], sql: '(globalTid & 0xFFFFFFFF)' };
/** Process and thread of a row: the high and low 32 bits of a global id. */
export const THREAD: readonly Selection[] = [HIGH, LOW];

const GARBAGE_COLLECTION = 'GC';

/** Id plus one of a string or chain; 0 when there is none. */
const plusOne = (id: number): number => (id >= 0 ? id + 1 : 0);

/** First connection id of ranges that are also marked on the device. */
const FIRST_MARK = 4_000_000_001;
const isMark = (connection: number): boolean => connection >= FIRST_MARK && !Number.isNaN(connectionOrNone(connection));

/** A user range as marked on a device. */
export interface DeviceRange {
  start: number;
  end: number;
  readonly device: number;
  readonly stream: number;
  readonly process: number;
}

/** An operation between ranks that a range marks, for profiles without rows of operations. */
export interface MarkedRow {
  readonly start: number;
  readonly end: number;
  readonly thread: number;
  /** NaN when the operation is not marked on a device. */
  readonly connection: number;
  /** String id of the text. */
  readonly message: number;
}

export class HostRows {
  readonly events: HostEvents;
  /** Marked ranges by connection: number of the name, and start. */
  readonly #marks = new Map<number, readonly [name: number, start: number]>();
  /** Ranges that mark operations and are therefore not user ranges. */
  readonly operations: MarkedRow[] = [];

  /** @param isOperation whether the string of a range marks an operation for which the profile has no row */
  constructor(
    private readonly database: SqliteFile,
    private readonly clock: DatabaseClock,
    private readonly threads: ThreadTable,
    private readonly names: HostNames,
    private readonly diagnostics: Diagnostics,
    private readonly isOperation: (message: number) => boolean,
  ) {
    this.events = new HostEvents(names);
    this.#readApi();
    this.#readRanges();
    this.#readCollections();
  }

  /** Start of the user range that a device task marks, relative to the clock's base; null for other tasks. */
  markedAt(connection: number): number | null {
    return this.#marks.get(connection)?.[1] ?? null;
  }

  /** The domain of a user range, by its `text` cell; null for the default domain, and for other ranges. */
  domainOf(text: number): string | null {
    return this.names.domainOf(this.events.nameNumber(text));
  }

  /** Adds the user ranges that are marked on devices, with each device as a separate thread. */
  addDeviceRanges(ranges: Iterable<readonly [connection: number, range: DeviceRange]>): void {
    const ofOperations = new Set(this.operations.map(({ connection }) => connection));
    for (const [connection, { start, end, device, process }] of ranges) {
      if (ofOperations.has(connection)) continue;
      const mark = this.#marks.get(connection);
      const name = this.names.numberOf(`npu:${device}:${mark === undefined ? '' : this.names.text(mark[0])}`);
      this.events.add('annotation', start, end, this.threads.thread(process, NaN), name);
    }
  }

  /**
   * Steps in host time since the first event, except those far from everything else.
   * @param span span of the host
   */
  *steps(span: Span): Generator<StepRange> {
    const { clock } = this;
    const columns = ['id', clock.since('startNs'), clock.since('endNs')];
    for (const row of this.database.rows('STEP_TIME', columns)) {
      const [id = NaN, start = NaN, end = NaN] = row.map(integerOf);
      if (Number.isNaN(id) || end < start || !hasTimes([start, end], this.diagnostics, 'row-passed-over')) continue;
      const step = { number: id, start: clock.sinceFirst(start), end: clock.sinceFirst(end), thread: null, text: null };
      if (isAway(step.start, step.end, span)) this.diagnostics.count('time-far-away');
      else yield step;
    }
  }

  #readApi(): void {
    const { clock, names } = this;
    const columns = [
      ...[clock.since('startNs'), clock.since('endNs'), ...THREAD],
      ...['type', 'name', 'connectionId', 'sequenceNumber'],
      ...['fwdThreadId', 'inputDtypes', 'inputShapes', 'callchainId'],
    ];
    this.events.reserve(this.database.count('PYTORCH_API'));
    this.database.eachNumbers('PYTORCH_API', columns, (cells) => {
      const [start = NaN, end = NaN, pid = NaN, tid = 0, type = NaN, name = NaN, connection = NaN, sequence = NaN] =
        cells;
      const kind = Number.isNaN(type) ? kindOf(sequence, connection) : type;
      if (kind === ROW.queue || kind === ROW.range) return;
      const thread = this.#threadOf(start, end, pid, tid);
      if (thread === -1) return;
      const number = names.numberOf(name >= 0 ? name : '');
      if (kind !== ROW.op) {
        this.events.add(kind === ROW.frame ? 'frame' : 'annotation', start, end, thread, number);
        return;
      }
      const [, , , , , , , , forwardThread = NaN, dtypes = NaN, shapes = NaN, chain = NaN] = cells;
      const swapped = names.areSwapped(shapes, dtypes);
      this.events.addOp(start, end, thread, {
        ...{ name: number, externalId: connection >= 0 ? connection : NaN, sequence, forwardThread },
        ...{ dims: plusOne(swapped ? dtypes : shapes), types: plusOne(swapped ? shapes : dtypes) },
        callStack: plusOne(chain),
      });
    });
  }

  #readRanges(): void {
    const { clock, names } = this;
    const columns = [clock.since('startNs'), clock.since('endNs'), ...THREAD, 'message', 'domainId', 'connectionId'];
    this.database.eachNumbers('MSTX_EVENTS', columns, (cells) => {
      const [start = NaN, end = NaN, pid = NaN, tid = 0, message = NaN, domain = NaN, connection = NaN] = cells;
      const thread = this.#threadOf(start, end, pid, tid);
      if (thread === -1) return;
      const name = message >= 0 ? names.numberIn(domain, message) : names.numberOf('');
      const marked = isMark(connection) ? connection : NaN;
      if (this.isOperation(message)) this.operations.push({ start, end, thread, connection: marked, message });
      else this.events.add('annotation', start, end, thread, name);
      if (isMark(connection)) this.#marks.set(connection, [name, Math.min(start, this.markedAt(connection) ?? start)]);
    });
  }

  #readCollections(): void {
    const { clock } = this;
    const columns = [clock.since('startNs'), clock.since('endNs'), ...THREAD];
    this.database.eachNumbers('GC_RECORD', columns, ([start = NaN, end = NaN, pid = NaN, tid = 0]) => {
      const thread = this.#threadOf(start, end, pid, tid);
      if (thread === -1) return;
      this.events.add('annotation', start, end, thread, this.names.numberOf(GARBAGE_COLLECTION));
    });
  }

  /** Thread of an event; -1 when its times are wrong or it has no process, which is counted. */
  #threadOf(start: number, end: number, pid: number, tid: number): number {
    if (!hasTimes([start, end], this.diagnostics, 'event-without-time')) return -1;
    if (end < start) this.diagnostics.count('negative-duration');
    else if (!Number.isNaN(pid)) return this.threads.threadOf(pid, tid);
    return -1;
  }
}

/** Infers the type of a row that states none: only ops have a sequence number, and frames have no connection. */
function kindOf(sequence: number, connection: number): number {
  if (!Number.isNaN(sequence)) return ROW.op;
  return Number.isNaN(connection) ? ROW.frame : ROW.queue;
}
