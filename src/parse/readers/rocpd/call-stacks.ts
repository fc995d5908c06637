/**
 * Call stacks of events: since schema 4.1 as a row for each frame, the innermost first; until schema 4 as JSON in the event,
 * of which no source states the form. There a single frame is read, as AMD's viewer of these databases does; lists,
 * whose order is unknown, and all other forms are counted.
 */
import { entryOf } from '../../../containers/map-entry.js';
import { fieldOf, isJsonObject } from '../../json/json-value.js';
import type { Cell } from '../../sqlite/sqlite.js';
import type { ActivityDetails } from '../../trace/trace.js';
import type { TraceBuilder } from '../../trace/trace-builder.js';
import { jsonOf, remembered, type ProcessTables } from './process-tables.js';

type Stack = Required<Pick<ActivityDetails, 'trace'>>;

/** Deeper frames are left out. */
const DEEPEST = 512;

export class CallStacks {
  readonly #ofEvents = new Map<Cell, Stack>();
  /** Event by the id that joins work to its call. */
  readonly #events = new Map<Cell, Cell>();
  /** Equal stacks share the object. */
  readonly #shared = new Map<string, Stack>();
  readonly #used = new Set<Cell>();

  constructor(
    private readonly run: ProcessTables,
    private readonly trace: TraceBuilder,
  ) {
    this.#readTexts();
    this.#readRows();
  }

  /** The stack of work: its own, else that of the call that launched it. Undefined when there is none. */
  of(event: Cell, corr: Cell): Stack | undefined {
    const known = this.#ofEvents.has(event) ? event : (this.#events.get(corr) ?? null);
    this.#used.add(known);
    return this.#ofEvents.get(known);
  }

  /** Counts the stacks that no work has. Call it after the last work. */
  countUnused(): void {
    const unused = [...this.#ofEvents.keys()].filter((event) => !this.#used.has(event)).length;
    if (unused > 0) this.trace.unread('call stacks of events without kernels', null, unused);
  }

  #readTexts(): void {
    const { database } = this.run;
    const table = this.run.name('event');
    if (!database.hasColumn(table, 'call_stack')) return;
    const columns = { event: 'id', corr: 'stack_id', frames: 'call_stack', line: 'line_info' };
    const filter = [{ needs: ['call_stack'], sql: "call_stack NOT IN ('{}', '[]', '')" }];
    for (const { event, corr, frames, line } of database.cells(table, columns, filter)) {
      const frame = frameIn(jsonOf(frames), jsonOf(line));
      if (frame === null) this.trace.unread('call stacks in another form');
      else this.#add(event, corr, [frame]);
    }
  }

  #readRows(): void {
    const { database } = this.run;
    const place = { fn: 'function', file: 'file', line: 'line' };
    const placeOf = remembered(database.joined(this.run.name('info_pc'), 'id', place));
    const corrOf = database.joined(this.run.name('event'), 'id', { corr: 'stack_id' });
    const table = this.run.name('call_stack');
    const stacks = new Map<Cell, string[]>();
    for (const { event, pc, depth } of database.cells(table, { event: 'event_id', pc: 'pc_id', depth: 'depth' })) {
      const frame = frameOf(placeOf(pc));
      const isInside = typeof depth === 'number' && depth >= 0 && depth < DEEPEST;
      if (frame === null || !isInside) this.trace.unread('rocpd_call_stack');
      else entryOf(stacks, event, (): string[] => [])[depth] = frame;
    }
    for (const [event, frames] of stacks) this.#add(event, corrOf(event).corr, frames);
  }

  /** @param frames the innermost first */
  #add(event: Cell, corr: Cell, frames: readonly string[]): void {
    // Depths may be missing.
    const trace = Object.values(frames).reverse();
    const stack = entryOf(this.#shared, JSON.stringify(trace), () => ({ trace }));
    this.#ofEvents.set(event, stack);
    if (corr !== null && corr !== 0 && !this.#events.has(corr)) this.#events.set(corr, event);
  }
}

/** The frame in JSON, whose line may be apart; null for any other form. */
function frameIn(frame: unknown, place: unknown): string | null {
  if (!isJsonObject(frame)) return null;
  const { name, file, line = fieldOf(place, 'line') } = frame;
  const isKnown = [name, file].every((cell) => cell === undefined || typeof cell === 'string');
  return isKnown ? frameOf({ fn: name, file, line }) : null;
}

/** `FILE:LINE`, or the function where the line is not known. */
function frameOf({ fn, file, line }: Readonly<Record<'fn' | 'file' | 'line', unknown>>): string | null {
  const isPlaced = typeof file === 'string' && file !== '' && Number(line) > 0;
  if (isPlaced) return `${file}:${Number(line)}`;
  return typeof fn === 'string' && fn !== '' ? fn : null;
}
