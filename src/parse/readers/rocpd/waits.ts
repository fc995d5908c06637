/**
 * Waits in a rocpd database: calls of the host that wait, and barriers of streams. A call states its stream by an address;
 * a launch states the same address, and its kernel the number of the stream.
 */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import { columns } from '../../../containers/numeric-column.js';
import { allRows } from '../../../containers/row-order.js';
import type { Cell } from '../../sqlite/sqlite.js';
import type { TraceBuilder } from '../../trace/trace-builder.js';
import { NumberIndex } from '../../trace/trace-columns.js';
import type { ProcessRows, ProcessTables } from './process-tables.js';

/** Calls of a run that wait, in columns. Memory: 30 to 45 bytes for each. */
export class WaitingCalls extends columns({
  /** Times in ns, process, and the id that joins the call to its launch; NaN when unknown. */
  start: 'f64',
  end: 'f64',
  pid: 'id',
  corr: 'id',
  event: 'id',
  /** Number of what it waits for. */
  kind: 'count',
}) {
  readonly #kinds: string[] = [];

  /** @param kind what the call waits for, in the words of `sync` records */
  add({ start, end, pid, corr, event }: ProcessRows & Readonly<{ event: Cell }>, kind: string): void {
    if (!this.#kinds.includes(kind)) this.#kinds.push(kind);
    this.pushCells(...[start, end, pid, corr, event].map(numberOf), this.#kinds.indexOf(kind));
  }

  kindOf(row: number): string {
    return elementAt(this.#kinds, this.kind.at(row));
  }

  /** Whether any call waits for a stream. */
  get hasStreams(): boolean {
    return this.#kinds.includes(STREAM);
  }
}

const STREAM = 'stream';
const numberOf = (cell: Cell): number => (typeof cell === 'number' ? cell : NaN);

/** The first kernel of a stream: its device, null where the stream is on several, and what joins it to its launch. */
export interface StreamUse {
  device: number | null;
  readonly corr: Cell;
}

/** Waits for streams whose number is known; other waits where there is only one device. */
export function readWaits(
  run: ProcessTables,
  trace: TraceBuilder,
  calls: WaitingCalls,
  uses: ReadonlyMap<Cell, StreamUse>,
): void {
  const streamOf = calls.hasStreams ? streamsOfCalls(run, calls, uses) : () => null;
  const devices = new Set(Array.from(uses.values(), ({ device }) => device));
  const [only = null] = devices.size === 1 ? devices : [];
  for (const row of allRows(calls.length)) {
    const kind = calls.kindOf(row);
    const stream = kind === STREAM ? streamOf(row) : null;
    const device = kind === STREAM ? (uses.get(stream)?.device ?? null) : only;
    if (device === null) continue;
    const [start, end, pid, corr] = [calls.start.at(row), calls.end.at(row), calls.pid.at(row), calls.corr.at(row)];
    trace.sync({ start, end, pid, corr, device, stream, kind });
  }
}

/** Looks up the number of the stream that a call waits for, by its row. */
function streamsOfCalls(
  run: ProcessTables,
  calls: WaitingCalls,
  uses: ReadonlyMap<Cell, StreamUse>,
): (row: number) => Cell {
  const { database } = run;
  const corrOf = database.joined(run.name('event'), 'id', { corr: 'stack_id' });
  const launched = new Map(Array.from(uses, ([stream, { corr }]) => [corr, stream] as const));
  const waiting = new NumberIndex(calls.event);
  for (const row of allRows(calls.length)) if (!Number.isNaN(calls.event.at(row))) waiting.put(row);
  // For each event, in the row of its last call: the number of the address that it states, from 1; 0 for none.
  const stated = new Uint32Array(calls.length);
  const [addresses, streams] = [new Map<Cell, number>(), new Map<number, Cell>()];
  const filter = [{ needs: ['name'], sql: "name = 'stream'" }];
  for (const { event, value } of database.cells(run.name('arg'), { event: 'event_id', value: 'value' }, filter)) {
    if (value === null) continue;
    const address = entryOf(addresses, value, () => addresses.size + 1);
    const row = waiting.get(numberOf(event));
    if (row >= 0) stated[row] = address;
    const stream = launched.get(corrOf(event).corr);
    if (stream !== undefined) streams.set(address, stream);
  }
  return (row) => streams.get(stated[waiting.get(calls.event.at(row))] ?? 0) ?? null;
}

/** Tables of barriers: since schema 3.0.4, and in its drafts. */
const BARRIERS = ['hip_event', 'event_operation'];

/** Barriers at which a stream waits for an event. The ends of recorded events are not read. */
export function readBarriers(run: ProcessTables, trace: TraceBuilder): void {
  for (const part of BARRIERS)
    for (const row of run.rows(part, { nameId: 'name_id', type: 'type' })) {
      const operation = run.textOf(row.nameId) ?? String(row.type);
      const { start, end, pid, corr } = row;
      const work = { start, end, pid, corr, device: run.deviceOf(row.agent), stream: row.stream ?? row.queue };
      if (/WAIT/i.test(operation)) trace.sync({ ...work, kind: 'stream-wait-event' });
      else trace.unread(`${part} ${operation}`, start);
    }
}
