/** `dprof steps` on one screen. */
import { columnsOf, type StepRow } from '../../prof/steps/step-columns.js';
import type { ProfileSteps } from '../../prof/steps/steps.js';
import type { Column } from '../../table/column.js';
import { readable } from '../../table/readable.js';
import { alignedTable } from '../../write/cell-text.js';
import { fittedLines } from '../../write/fitted-table.js';
import { profileHeading, screenText } from './layout.js';

const screenColumns = (rows: ProfileSteps['rows']): Column<StepRow>[] =>
  columnsOf(rows)
    .filter(({ machineOnly }) => machineOnly !== true)
    .map((column) => readable(column, column.key));

/** Columns on a terminal: first the duration of a step, then its parts. */
const FIRST = ['device', 'step', 'iteration', 'span', 'busy', 'computing', 'exposed', 'copies', 'idle', 'kernels'];

function terminalColumns(rows: ProfileSteps['rows']): Column<StepRow>[] {
  const columns = columnsOf(rows).filter(({ machineOnly }) => machineOnly !== true);
  const isOne = new Set(rows.map(({ device }) => device)).size < 2;
  const placeOf = ({ key }: Column<StepRow>): number => FIRST.indexOf(key) + 1 || FIRST.length + 1;
  return columns
    .filter(({ key }) => !(isOne && key === 'device'))
    .map((column) => ({ ...column, header: column.key }))
    .sort((a, b) => placeOf(a) - placeOf(b));
}

/**
 * One profile: its name, then its steps. Times are in us unless the output is a terminal.
 * @param width of the terminal; null for any other output
 */
export function stepsScreen({ profile, header, rows }: ProfileSteps, width: number | null): string {
  const heading = profileHeading(profile, header);
  if (width !== null)
    return screenText([heading, ...fittedLines(terminalColumns(rows), [...rows], width)], undefined, width);
  return screenText([`${heading}, times in us`, ...alignedTable(screenColumns(rows), rows)]);
}
