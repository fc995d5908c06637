/** A whole table in a format. */
import type { AnyTable } from '../table/table.js';
import { DEFAULT_WIDTH, leastWidth } from './columns.js';
import type { Format, Packed } from './format.js';

const ROWS_AT_ONCE = 1000;

export interface TableLayout {
  readonly header?: boolean;
  /** Of columns of fixed width; as wide as the columns need, and at least the default, where it is not given. */
  readonly width?: number | null;
}

export function* tableText(
  format: Format,
  { columns, rows }: AnyTable,
  layout: TableLayout = {},
): Generator<string | Uint8Array> {
  const { header = true, width = Math.max(DEFAULT_WIDTH, leastWidth(columns)) } = layout;
  const sheet = format.open({ columns, header, width });
  yield sheet.head();
  let packed: Packed[] = [];
  for (const row of rows) {
    if (packed.push(sheet.pack(row)) < ROWS_AT_ONCE) continue;
    yield sheet.rows(packed);
    packed = [];
  }
  yield sheet.rows(packed);
  yield* sheet.end();
}
