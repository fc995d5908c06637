/** `dprof steps` on one screen. */
import { columnsOf, type StepRow } from '../../prof/steps/step-columns.js';
import type { ProfileSteps } from '../../prof/steps/steps.js';
import type { Column } from '../../table/column.js';
import { readable } from '../../table/readable.js';
import { alignedTable } from '../../write/cell-text.js';
import { profileHeading, screenText } from './layout.js';

const screenColumns = (rows: ProfileSteps['rows']): Column<StepRow>[] =>
  columnsOf(rows)
    .filter(({ machineOnly }) => machineOnly !== true)
    .map((column) => readable(column, column.key));

/** One profile: its name, then its steps with times in us. */
export function stepsScreen({ profile, header, rows }: ProfileSteps): string {
  return screenText([`${profileHeading(profile, header)}, times in us`, ...alignedTable(screenColumns(rows), rows)]);
}
