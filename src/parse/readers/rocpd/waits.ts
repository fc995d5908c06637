/**
 * Waits in a rocpd database: calls of the host that wait, and barriers of streams. A call states its stream by an address;
 * a launch states the same address, and its kernel the number of the stream.
 */
import type { Cell } from '../../sqlite/sqlite.js';
import type { TraceBuilder, WorkRow } from '../../trace/trace-builder.js';
import type { ProcessTables } from './process-tables.js';

/** A call that waits. */
export interface WaitingCall extends Pick<WorkRow, 'start' | 'end' | 'pid' | 'corr'> {
  readonly event: Cell;
  /** What it waits for, in the words of `sync` records. */
  readonly kind: string;
}

/** The first kernel of a stream: its device, null where the stream is on several, and what joins it to its launch. */
export interface StreamUse {
  device: number | null;
  readonly corr: Cell;
}

/** Waits for streams whose number is known; other waits where there is only one device. */
export function readWaits(
  run: ProcessTables,
  trace: TraceBuilder,
  calls: readonly WaitingCall[],
  uses: ReadonlyMap<Cell, StreamUse>,
): void {
  const streamOf = calls.some(({ kind }) => kind === 'stream') ? streamsOfCalls(run, calls, uses) : () => null;
  const devices = new Set(Array.from(uses.values(), ({ device }) => device));
  const [only = null] = devices.size === 1 ? devices : [];
  for (const { event, ...row } of calls) {
    const stream = row.kind === 'stream' ? streamOf(event) : null;
    const device = row.kind === 'stream' ? (uses.get(stream)?.device ?? null) : only;
    if (device !== null) trace.sync({ ...row, device, stream });
  }
}

/** Looks up the number of the stream that a call waits for, by its event. */
function streamsOfCalls(
  run: ProcessTables,
  calls: readonly WaitingCall[],
  uses: ReadonlyMap<Cell, StreamUse>,
): (event: Cell) => Cell {
  const { database } = run;
  const corrOf = database.joined(run.name('event'), 'id', { corr: 'stack_id' });
  const launched = new Map(Array.from(uses, ([stream, { corr }]) => [corr, stream] as const));
  const waiting = new Set(calls.map(({ event }) => event));
  const [addresses, streams] = [new Map<Cell, Cell>(), new Map<Cell, Cell>()];
  const filter = [{ needs: ['name'], sql: "name = 'stream'" }];
  for (const { event, value } of database.cells(run.name('arg'), { event: 'event_id', value: 'value' }, filter)) {
    if (waiting.has(event)) addresses.set(event, value);
    const stream = launched.get(corrOf(event).corr);
    if (stream !== undefined) streams.set(value, stream);
  }
  return (event) => streams.get(addresses.get(event) ?? null) ?? null;
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
