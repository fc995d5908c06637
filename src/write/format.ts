/** What an output format of tables is. */
import type { CellValue, Column } from '../table/column.js';

/** A row as its format keeps it until it is written. */
export type Packed = string | readonly CellValue[];

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
  /** Pieces that depend on all rows; of a binary format all there is. */
  end(): Iterable<string | Uint8Array>;
}

/** An output format of tables. */
export interface Format {
  readonly id: string;
  readonly title: string;
  /** Whether it is bytes and no text. */
  readonly binary?: true;
  /** The format itself where its library is loaded when it is needed: `open` is for that one. */
  readonly load?: () => Promise<Format>;
  /** @throws UserError when the columns do not fit the width */
  open<Row>(layout: Layout<Row>): Sheet<Row>;
}
