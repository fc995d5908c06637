/** What an output format of tables is. */
import type { Column } from '../table/column.js';

/** A row as its format keeps it until it is written. */
export type Packed = string | readonly string[];

/** The columns of a table and how it is laid out. */
export interface Layout<Row> {
  readonly columns: readonly Column<Row>[];
  readonly header: boolean;
  /** Widest line, for formats that have one. */
  readonly width: number | null;
}

/** A table being written: the head, then rows in batches, then the end. */
export interface Sheet<Row> {
  head(): string;
  pack(row: Row): Packed;
  rows(packed: readonly Packed[]): string;
  /** Pieces that depend on all rows. */
  end(): Iterable<string>;
}

/** An output format of tables. */
export interface Format {
  readonly id: string;
  readonly title: string;
  /** @throws UserError when the columns do not fit the width */
  open<Row>(layout: Layout<Row>): Sheet<Row>;
}
