/** Tables of `dprof ranks` as a page has them: what the command prints, with the units of the columns. */
import type { ColumnShape } from '../../../table/column.js';

export type JobTableName = 'stages' | 'experts' | 'groups';

export interface JobTable {
  readonly name: JobTableName;
  readonly columns: readonly Pick<ColumnShape, 'key' | 'header' | 'unit' | 'type' | 'doc'>[];
  readonly rows: readonly (readonly (number | string | null)[])[];
  /** How many rows there are, shown or not. */
  readonly count: number;
  /** Why there are none; null where there are. */
  readonly missing: string | null;
}
