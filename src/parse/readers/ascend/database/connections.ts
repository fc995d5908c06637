/**
 * Tables that others refer to: strings and connections of a database.
 *
 * CONNECTION_IDS has the op behind each device activity. A connection joins a call of the driver library to an op, two
 * entries of a queue, or a forward op to its backward node; writers before 2025 number all three from one range.
 */
import { NumericColumn } from '../../../../containers/numeric-column.js';
import { NumberIndex } from '../../../trace/trace-columns.js';
import type { SqliteFile } from '../../../sqlite/sqlite.js';
import type { HostEvents } from '../../../torch/host-events.js';
import { LruCache } from '../../../../containers/map-entry.js';

const TABLE = 'STRING_IDS';

/** Id that means "no string". */
export const NO_STRING = 4294967295;

/** The table of strings, looked up on demand, because a long run has millions of strings, most of which are not needed. */
export class StringTable {
  readonly #texts = new LruCache<number, string | null>(16384);
  readonly #lookup: (id: number) => string | null;

  constructor(database: SqliteFile) {
    const lookup = database.lookup(TABLE, 'value', 'id');
    this.#lookup = (id) => {
      const value = lookup?.(id);
      return typeof value === 'string' ? value : null;
    };
  }

  /** The string with an id; null when there is none. */
  text(id: number): string | null {
    if (!(id >= 0) || id === NO_STRING) return null;
    return this.#texts.of(id, this.#lookup);
  }
}

const NONE = -1;
/** Id that means "no connection" in the tables of the device; other tables have -1. */
const NO_CONNECTION = 4294967295;

/** A connection id; NaN when there is none. */
export const connectionOrNone = (id: number): number => (id >= 0 && id !== NO_CONNECTION ? id : NaN);

export class OpConnections {
  readonly #connections = NumericColumn.floats();
  readonly #ops = NumericColumn.counts();
  /** Linked lists of the rows with the same connection: the previous row of each. */
  readonly #before = NumericColumn.int32();
  readonly #last = new NumberIndex(this.#connections);

  /** @param isNeeded whether a connection belongs to a device activity */
  constructor(
    database: SqliteFile,
    private readonly events: HostEvents,
    isNeeded: (connection: number) => boolean,
  ) {
    const byId = events.opsById.index;
    database.eachNumbers('CONNECTION_IDS', ['id', 'connectionId'], ([id = NaN, connection = NaN]) => {
      if (Number.isNaN(id) || Number.isNaN(connectionOrNone(connection)) || !isNeeded(connection)) return;
      const op = byId.get(id);
      if (op === NONE) return;
      const row = this.#connections.length;
      this.#connections.push(connection);
      this.#ops.push(op);
      this.#before.push(this.#last.get(connection));
      this.#last.put(row);
    });
  }

  /**
   * External id of the op behind a connection; NaN when unknown.
   * @param launched start of the connection's call; NaN when unknown
   */
  opOf(connection: number, launched: number): number {
    const found: number[] = [];
    for (let row = this.#last.get(connection); row !== NONE; row = this.#before.at(row)) found.push(this.#ops.at(row));
    const op = found.length > 1 ? this.#choose(found, launched) : found[0];
    return op === undefined ? NaN : this.events.ops.externalId.at(op);
  }

  /**
   * Chooses among several ops: pairs of forward and backward are ignored, and of the others the last one that began before
   * the call is used.
   */
  #choose(found: readonly number[], launched: number): number | undefined {
    const { ops, ranges } = this.events;
    const isBackward = (op: number): boolean => ops.forwardThread.at(op) > 0;
    const isPaired = (op: number): boolean => {
      const sequence = ops.sequence.at(op);
      return (
        sequence >= 0 &&
        found.some((other) => ops.sequence.at(other) === sequence && isBackward(other) !== isBackward(op))
      );
    };
    const start = (op: number): number => ranges.start.at(ops.range.at(op));
    const left = found.filter((op) => !isPaired(op)).sort((a, b) => start(b) - start(a) || a - b);
    return left.find((op) => !(start(op) > launched)) ?? left[0];
  }
}
