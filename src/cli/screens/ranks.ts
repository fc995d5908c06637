/** `dprof ranks` on one screen: the job in lines, then its tables. */
import { moreOf } from '../../record/plural.js';
import type { JobReport } from '../../prof/ranks/job-report.js';
import { groupsText, capturedText } from '../../prof/ranks/tables/group-table.js';
import { distinguishing } from '../../prof/ranks/tables/rank-table.js';
import { RANK_TABLES, type RankTableName } from '../../prof/ranks/tables/tables.js';
import { inAmounts } from '../../table/readable.js';
import { alignedTable } from '../../write/cell-text.js';
import { fittedLines } from '../../write/fitted-table.js';
import { headLines } from './job.js';
import { screenText } from './layout.js';

/** Limits of a table: maximum number of rows, and the width of the terminal; null for any other output. */
export interface Shown {
  readonly top: number;
  readonly width: number | null;
}

export function ranksScreen(report: JobReport, limits: Shown): string {
  const lines = [
    ...headLines(report),
    '',
    ...SECTIONS.flatMap(([title, name]) => {
      const lines = tableLines(name, report, limits);
      return lines.length > 1 ? [title, ...lines, ''] : [];
    }),
  ];
  return `${screenText(lines, undefined, limits.width).trimEnd()}\n`;
}

/** Tables of the screen. */
const SECTIONS: readonly (readonly [title: string, name: RankTableName])[] = [
  ['Ranks', 'ranks'],
  ['Operations', 'collectives'],
  ['Stages', 'stages'],
  ['Experts', 'experts'],
  ['Groups', 'groups'],
];

/**
 * One table alone.
 * @param keys its columns; by default those on the screen
 */
export const tableScreen = (name: RankTableName, report: JobReport, limits: Shown, keys?: readonly string[]): string =>
  screenText(tableLines(name, report, limits, keys), undefined, limits.width);

/** Texts that replace the values of some columns on screens, by table and key. */
const TEXTS: Readonly<Record<string, (row: never) => string>> = {
  'collectives/groups': groupsText,
  'groups/captured': capturedText,
};

/**
 * Columns of a table. When ranks do not identify rows, file or device are shown next to them; when profiles state no rank,
 * for all rows about ranks.
 */
function screenKeys(name: RankTableName, { parts, withoutWork, membership }: JobReport): readonly string[] {
  const { screen, columns } = RANK_TABLES[name];
  const [first, ...others] = screen;
  if (first === undefined) return screen;
  const idle = withoutWork.map(({ part }) => part);
  const keys = [first, ...(name === 'ranks' ? distinguishing([...parts, ...idle]) : []), ...others];
  const isUnranked = membership.unranked.length > 0 || (name === 'ranks' && idle.some(({ rank }) => rank === null));
  const isNeeded = isUnranked && screen.includes('rank') && !keys.includes('file');
  return isNeeded && columns.some(({ key }) => key === 'file') ? [...keys, 'file'] : keys;
}

/** A header, and a line for each row. */
function tableLines(name: RankTableName, report: JobReport, { top, width }: Shown, keys?: readonly string[]): string[] {
  const { of: tableOf } = RANK_TABLES[name];
  const { columns, rows } = tableOf(report, keys ?? screenKeys(name, report));
  const shown = columns.map((column) => {
    const value = TEXTS[`${name}/${column.key}`] as ((row: unknown) => string) | undefined;
    return value === undefined ? inAmounts(column) : { ...column, type: 'str' as const, toTheRight: true, value };
  });
  const all = [...rows];
  const rest = all.length - top;
  const first = all.slice(0, top);
  const lines = width === null ? alignedTable(shown, first) : fittedLines(shown, first, width);
  return [...lines, ...(rest > 0 ? [`${moreOf(rest, 'row')}: --top N`] : [])];
}
