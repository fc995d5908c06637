/** Rows under columns: what analyses return and every writer takes. */
import type { Column } from './column.js';

interface Table<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: Iterable<Row>;
}

/** A table whose rows only its own columns read. */
export type AnyTable = Table<unknown>;
