/** Markers of nvprof's databases: a row for the start of a range, and one for its end, with the same id. */
import { NumericColumn } from '../../../containers/numeric-column.js';
import { NumberIndex } from '../../trace/number-index.js';
import type { TraceBuilder } from '../../trace/trace-builder.js';

/** What a marker or overhead belongs to (CUpti_ActivityObjectKind): its object id holds a process, or a process and a thread. */
export const OBJECT = { process: 1, thread: 2 } as const;

/**
 * Process and thread of an object id, in hexadecimal: 4 bytes process, 8 bytes thread, little-endian. Only the first 4
 * bytes of the thread are used, as in the tables of calls.
 */
export function readObjectId(hex: string): [pid: number, tid: number] {
  const bytes = Buffer.from(hex, 'hex');
  return bytes.length < 8 ? [0, 0] : [bytes.readUInt32LE(0), bytes.readUInt32LE(4)];
}

/** Flags of a marker row (CUpti_ActivityFlag); the other bits state how it synchronises. */
export const MARKER = { start: 2, end: 4 } as const;

/** Starts or ends of markers; ends have times and ids alone. */
class MarkerColumns {
  readonly time = NumericColumn.floats();
  readonly id = NumericColumn.floats();
  readonly pid = NumericColumn.floats();
  readonly tid = NumericColumn.floats();
  readonly text = NumericColumn.floats();
  readonly domain = NumericColumn.floats();
}

export class Markers {
  readonly #starts = new MarkerColumns();
  readonly #ends = new MarkerColumns();

  /** @param text number of the text; `domain` that of the domain's name, 0 for the default one */
  addStart(time: number, id: number, thread: readonly [pid: number, tid: number], text: number, domain: number): void {
    const columns = this.#starts;
    columns.time.push(time);
    columns.id.push(id);
    columns.pid.push(thread[0]);
    columns.tid.push(thread[1]);
    columns.text.push(text);
    columns.domain.push(domain);
  }

  addEnd(time: number, id: number): void {
    this.#ends.time.push(time);
    this.#ends.id.push(id);
  }

  /** Adds a range for each start; one without an end is open. @param otherStarts how many starts are not read */
  addTo(trace: TraceBuilder, otherStarts: number): void {
    const [starts, ends] = [this.#starts, this.#ends];
    const endOf = this.#firstEnds();
    const isPaired = new Uint8Array(ends.id.length);
    let matched = 0;
    for (let row = 0; row < starts.id.length; row++) {
      const [start, found] = [starts.time.at(row), endOf.get(starts.id.at(row))];
      const end = found === -1 ? null : ends.time.at(found);
      if (found !== -1) matched++;
      if (end !== null && end >= start) isPaired[found] = 1;
      const thread = { pid: starts.pid.at(row), tid: starts.tid.at(row) };
      trace.range({ start, end, ...thread, text: starts.text.at(row), domain: starts.domain.at(row) || null });
    }
    isPaired.forEach((paired, row) => {
      if (paired === 0) trace.seen(ends.time.at(row));
    });
    trace.diagnostics.count('range-without-start', ends.id.length - matched - otherStarts);
  }

  /** The first end of each id. */
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
