/**
 * CONNECTION_IDS: which op asked for what the device did. A connection joins a call of the driver library to an op, two
 * entries of a queue, or a forward op to its backward node; writers before 2025 gave all three out of one range of
 * numbers.
 */
import { NumericColumn } from '../../../../containers/numeric-column.js';
import { PairIndex } from '../../../../containers/pair-index.js';
import type { SqliteFile } from '../../../sqlite/sqlite.js';
import type { HostEvents } from '../../../torch/host-events.js';

const NONE = -1;
/** The id of "no connection" in the tables of the device; -1 in others. */
const NO_CONNECTION = 4294967295;

/** A connection id; NaN where there is none. */
export const connectionOrNone = (id: number): number => (id >= 0 && id !== NO_CONNECTION ? id : NaN);

export class Connections {
  readonly #connections = NumericColumn.floats();
  readonly #ops = NumericColumn.counts();
  /** By row, the row before it with the same connection. */
  readonly #before = NumericColumn.int32();
  readonly #last = new PairIndex(
    () => 0,
    (row) => this.#connections.at(row),
  );

  /** @param isAsked whether a connection is one of a device activity */
  constructor(
    database: SqliteFile,
    private readonly events: HostEvents,
    isAsked: (connection: number) => boolean,
  ) {
    const byId = events.opsById.index;
    database.eachNumbers('CONNECTION_IDS', ['id', 'connectionId'], ([id = NaN, connection = NaN]) => {
      if (Number.isNaN(id) || Number.isNaN(connectionOrNone(connection)) || !isAsked(connection)) return;
      const op = byId.get(0, id);
      if (op === NONE) return;
      const row = this.#connections.length;
      this.#connections.push(connection);
      this.#ops.push(op);
      this.#before.push(this.#last.get(0, connection));
      this.#last.put(row);
    });
  }

  /**
   * External id of the op behind a connection; NaN where none is known.
   * @param launched when the call of the connection began; NaN where it is not known
   */
  opOf(connection: number, launched: number): number {
    const found: number[] = [];
    for (let row = this.#last.get(0, connection); row !== NONE; row = this.#before.at(row))
      found.push(this.#ops.at(row));
    const op = found.length > 1 ? this.#choose(found, launched) : found[0];
    return op === undefined ? NaN : this.events.ops.externalId.at(op);
  }

  /** Of several ops, not those that are joined to each other; then the one that began last before the call. */
  #choose(found: readonly number[], launched: number): number | undefined {
    const { ops, ranges } = this.events;
    const isPaired = (op: number): boolean =>
      ops.sequence.at(op) >= 0 &&
      found.some((other) => ops.sequence.at(other) === ops.sequence.at(op) && ops.forwardThread.at(other) > 0 !== ops.forwardThread.at(op) > 0); // prettier-ignore
    const start = (op: number): number => ranges.start.at(ops.range.at(op));
    const left = found.filter((op) => !isPaired(op)).sort((a, b) => start(b) - start(a) || a - b);
    return left.find((op) => !(start(op) > launched)) ?? left[0];
  }
}
