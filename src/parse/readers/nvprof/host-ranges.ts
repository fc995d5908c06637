/**
 * Ranges of the host in nvprof's databases: markers (a row for the start of a range and one for its end, with the same id)
 * and overhead. Times are Unix time in ns, which exceeds 2^53. They are rebased to the earliest; a time that is not near
 * those of other rows is damaged, and rows whose times were not collected hold 0.
 * Source: CUpti_ActivityObjectKind, CUpti_ActivityOverheadKind and CUpti_ActivityOverhead of CUPTI's cupti_activity.h.
 */
import { NumericColumn } from '../../../containers/numeric-column.js';
import type { Diagnostics } from '../../../record/diagnostics.js';
import { Ranges } from '../../capture/capture-columns.js';
import { FARTHEST, isNear } from '../../capture/clocks/exact-times.js';
import { NumberIndex } from '../../capture/number-index.js';
import { typicalTime, type TimeColumn } from '../../sqlite/database-clock.js';
import { numberOf, type Cell, type Selection, type SqliteFile, type SqliteRow } from '../../sqlite/sqlite.js';
import type { UnreadEvents } from '../../unread-events.js';

/** ns, as in SQL. */
const NEAR = BigInt(FARTHEST);

/** A time relative to the start in ns; NaN where it is none, or before the start. */
export const timeOf = (cell: Cell | undefined): number =>
  Number.isInteger(cell) && isNear(cell as number) && (cell as number) >= 0 ? (cell as number) : NaN;

/** The smallest time of all columns, as text; null when there is none. */
export function earliestTime(database: SqliteFile, columns: readonly TimeColumn[]): string | null {
  const typical =
    columns.map(([table, column]) => typicalTime(database, table, column)).find((time) => time !== null) ?? null;
  if (typical === null) return null;
  const near = `BETWEEN max(1, ${String(typical - NEAR)}) AND ${String(typical + NEAR)}`;
  return columns
    .map(([table, column]) => database.minimum(table, column, `"${column}" ${near}`))
    .filter((time) => time !== null)
    .map(BigInt)
    .reduce((least, time) => (time < least ? time : least), typical)
    .toString();
}

/** The object id holds a process; a process and a thread. */
export const OBJECT = { process: 1, thread: 2 } as const;

/**
 * Process and thread of an object id, in hexadecimal: 4 bytes process, 8 bytes thread, little-endian. Only the first 4
 * bytes of the thread are used, as in the tables of calls.
 */
export function readObjectId(hex: string): [pid: number, tid: number] {
  const bytes = Buffer.from(hex, 'hex');
  return bytes.length < 8 ? [0, 0] : [bytes.readUInt32LE(0), bytes.readUInt32LE(4)];
}

/** What CUPTI did for itself, and the driver's compiler: time of the host that is not the program's. */
export const OVERHEAD_TABLE = 'CUPTI_ACTIVITY_KIND_OVERHEAD';

/** Behind the start and the end. */
export const OVERHEAD_COLUMNS: readonly Selection[] = [
  'overheadKind',
  'objectKind',
  { needs: ['objectId'], sql: 'hex(objectId)' },
];

/** As PyTorch's traces name them. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [1, 'Driver Compiler'],
  [1 << 16, 'Buffer Flush'],
  [2 << 16, 'Instrumentation'],
  [3 << 16, 'Resource'],
]);

/** Numbers of texts below zero: those of the profile's own are from 0. */
const textOf = (kind: number): number => -1 - kind;

/** The text of a range of overhead; null for another range. */
export const overheadText = (text: number): string | null =>
  text < 0 ? (NAMES.get(textOf(text)) ?? `overhead ${textOf(text)}`) : null;

interface OverheadSink {
  readonly diagnostics: Diagnostics;
  readonly unread: UnreadEvents;
  /** Gets the starts of rows that are not read. */
  readonly unreadTimes: NumericColumn;
  /** NaN: a thread that is not known. */
  readonly thread: (pid: number, tid: number) => number;
}

/** Overhead of a process or a thread; that of a device is no time of the host. */
export function readOverhead(rows: Iterable<SqliteRow>, sink: OverheadSink): Ranges {
  const { diagnostics, unread, unreadTimes, thread } = sink;
  const ranges = new Ranges();
  let others = 0;
  for (const [startCell, endCell, kindCell, objectKind, object] of rows) {
    const [start, end, kind] = [timeOf(startCell), timeOf(endCell), numberOf(kindCell)];
    if (!(start <= end) || !(kind >= 0)) diagnostics.count('bad-row');
    else if (objectKind !== OBJECT.process && objectKind !== OBJECT.thread) others++;
    else {
      const [pid, tid] = readObjectId(String(object));
      ranges.add(start, end, thread(pid, objectKind === OBJECT.thread ? tid : NaN), textOf(kind), 0);
      continue;
    }
    unreadTimes.push(start);
  }
  if (others > 0) unread.count(`overhead of other objects than threads in ${OVERHEAD_TABLE}`, others);
  return ranges;
}

/** Flags of a marker row (CUpti_ActivityFlag); the other bits state how it synchronises. */
export const MARKER = { start: 2, end: 4 } as const;

/** Starts or ends of markers; ends have times and ids alone. */
class MarkerColumns {
  readonly time = NumericColumn.floats();
  readonly id = NumericColumn.floats();
  readonly thread = NumericColumn.counts();
  readonly name = NumericColumn.counts();
  readonly domain = NumericColumn.counts();
}

export class Markers {
  readonly #starts = new MarkerColumns();
  readonly #ends = new MarkerColumns();

  addStart(time: number, id: number, thread: number, name: number, domain: number): void {
    const { time: times, id: ids, thread: threads, name: names, domain: domains } = this.#starts;
    times.push(time);
    ids.push(id);
    threads.push(thread);
    names.push(name);
    domains.push(domain);
  }

  addEnd(time: number, id: number): void {
    this.#ends.time.push(time);
    this.#ends.id.push(id);
  }

  /**
   * Adds a range for each start; one without an end is open.
   * @param otherStarts how many starts are not read
   * @param unreadTimes gets those of rows that belong to no range
   */
  addTo(ranges: Ranges, otherStarts: number, unreadTimes: NumericColumn, diagnostics: Diagnostics): void {
    const [starts, ends] = [this.#starts, this.#ends];
    const endOf = this.#firstEnds();
    const isPaired = new Uint8Array(ends.id.length);
    let matched = 0;
    for (let row = 0; row < starts.id.length; row++) {
      const [start, end] = [starts.time.at(row), endOf.get(starts.id.at(row))];
      if (end === -1) diagnostics.count('open-range');
      else matched++;
      if (end !== -1 && ends.time.at(end) < start) {
        diagnostics.count('negative-duration');
        unreadTimes.push(start);
        continue;
      }
      if (end !== -1) isPaired[end] = 1;
      const rangeEnd = end === -1 ? Infinity : ends.time.at(end);
      ranges.add(start, rangeEnd, starts.thread.at(row), starts.name.at(row), starts.domain.at(row));
    }
    isPaired.forEach((paired, row) => {
      if (paired === 0) unreadTimes.push(ends.time.at(row));
    });
    diagnostics.count('range-without-start', ends.id.length - matched - otherStarts);
  }

  /** By id, the first end. */
  #firstEnds(): NumberIndex {
    const { id, time } = this.#ends;
    const endOf = new NumberIndex(id);
    for (let row = 0; row < id.length; row++) {
      const known = endOf.get(id.at(row));
      if (known === -1 || time.at(row) < time.at(known)) endOf.put(row);
    }
    return endOf;
  }
}
