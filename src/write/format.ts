/** The table of output formats: help and docs are made from it. A new format is one file and one entry. */
import { nearest, UsageError } from '../record/errors.js';
import type { Column } from '../table/column.js';
import { csv } from './csv.js';
import { json } from './json.js';
import { space } from './space.js';
import { table } from './table.js';
import { columns } from './columns.js';

/** What is kept of a row until it is written. */
export type Packed = string | readonly string[];

export interface Layout<Row> {
  readonly columns: readonly Column<Row>[];
  readonly header: boolean;
  /** Widest line, for formats that have one. */
  readonly width: number | null;
}

/** One report being written: the head, then rows, then the end. */
export interface Sheet<Row> {
  head(): string;
  pack(row: Row): Packed;
  rows(packed: readonly Packed[]): string;
  /** What could not be written before all rows were known, in pieces. */
  end(): Iterable<string>;
}

export interface Format {
  readonly id: string;
  readonly title: string;
  /** @throws UserError when the layout cannot be */
  open<Row>(layout: Layout<Row>): Sheet<Row>;
}

export const FORMATS: readonly Format[] = [columns, csv, space, json, table];

/** @throws UsageError naming the nearest format */
export function requireFormat(id: string): Format {
  const ids = FORMATS.map((format) => format.id);
  const found = FORMATS.find((format) => format.id === id);
  if (found !== undefined) return found;
  const near = nearest(id, ids);
  throw new UsageError(`unknown format '${id}'`, near === null ? `known: ${ids.join(', ')}` : `did you mean ${near}?`);
}
