/** `dprof diff` on a screen, and in Markdown for a pull request. */
import { legible } from '../../record/control-characters.js';
import { givenOf, troubleText, type DiffReport } from '../../prof/diff/diff-report.js';
import type { Judged } from '../../prof/diff/fail-if.js';
import {
  DIFF_COLUMNS,
  keyColumns,
  ofLine,
  TOTAL,
  VERDICT_COLUMN,
  type DiffLine,
} from '../../prof/diff/diff-columns.js';
import type { DiffRow } from '../../prof/diff/diff-row.js';
import { NAME_COLUMN, TREE_COLUMNS } from '../../prof/diff/tree/tree-columns.js';
import type { ChangeNode } from '../../prof/diff/tree/change-tree.js';
import { UNKNOWN } from '../../record/units.js';
import { moreOf } from '../../record/plural.js';
import { shownValue, textOf, type Column } from '../../table/column.js';
import { readable } from '../../table/readable.js';
import { aligned, alignedTable } from '../../write/cell-text.js';
import { fittedLines } from '../../write/fitted-table.js';
import { requireFormat } from '../../write/formats.js';
import { code } from '../../write/markdown.js';
import { tableText } from '../../write/columns.js';
import { screenText } from './layout.js';

/** Column headers for people: `change_ns` → `change_us`, `change_percent` → `change_%`. */
const readableHeader = (key: string): string => key.replace(/_ns$/, '_us').replace(/_percent$/, '_%');

const forPeople = <Row>(columns: readonly Column<Row>[]): Column<Row>[] =>
  columns
    .filter(({ machineOnly }) => machineOnly !== true)
    .map((column) => readable(column, readableHeader(column.key)));

/** Columns for people: times in us, changes with their sign. */
export const READABLE_COLUMNS = forPeople(DIFF_COLUMNS);

/** The change that conditions test, as a percentage and as a time. */
export const COMPARABLE_COLUMNS = DIFF_COLUMNS.filter(({ key }) => key.startsWith('comparable_')).map((column) =>
  readable(column, readableHeader(column.key)),
);

export const figure = (column: Column<DiffRow>, row: DiffRow): string => textOf(column, column.value(row));

/**
 * States how many rows of the result are not written; null when all rows are written, or when the format always has all
 * rows.
 */
function leftOut({ result, lines, tree }: DiffReport): string | null {
  const more = lines.length === 0 || tree !== null ? 0 : result.rows.length + 1 - lines.length;
  return more > 0 ? moreOf(more, 'row') : null;
}

const conditionOutcome = ({ met, reason }: Judged): string =>
  met === null ? `cannot be judged: ${reason ?? UNKNOWN}` : met ? 'met' : 'not met';
const conditionText = ({ condition }: Judged): string => `--fail-if '${condition.text}'`;

/** @param width characters in a line; null where nothing limits it */
export function diffScreen(report: DiffReport, width: number | null): string {
  const { heading, notes, troubles } = report;
  const more = leftOut(report);
  const judged = givenOf(report).map((condition) => `${conditionText(condition)}: ${conditionOutcome(condition)}`);
  const comments = [...heading, ...notes, ...troubles.map(troubleText), ...judged].map((text) => `# ${legible(text)}`);
  const lines =
    report.tree === null
      ? width === null
        ? alignedLines(report)
        : fittedLines(fittedColumns(report), report.lines, width)
      : treeLines(report.tree.rows, width);
  const all = [...comments, ...lines, ...(more === null ? [] : [`# ${more}`])];
  return screenText(all, (line) => line, width);
}

/** Figures on a terminal: the change of a row, and its times before and after. Others are shown if there is room. */
const FIRST = ['change_ns', 'change_percent', 'base_ns', 'new_ns', 'q'];

/** Columns on a terminal, with those that identify rows first. */
function fittedColumns({ by }: DiffReport): Column<DiffLine>[] {
  const figures = DIFF_COLUMNS.filter(({ machineOnly }) => machineOnly !== true);
  const placeOf = ({ key }: Column<DiffRow>): number => FIRST.indexOf(key) + 1 || FIRST.length + 1;
  const sorted = [...figures].sort((a, b) => placeOf(a) - placeOf(b));
  const named = sorted.map((column) => ({ ...column, header: readableHeader(column.key).replace(/_us$/, '') }));
  return [...lineKeys(by), VERDICT_COLUMN, ...named.map(ofLine)];
}

const TREE_FOR_PEOPLE = forPeople(TREE_COLUMNS);

/** The name, indented, comes last where nothing limits its width. */
const TREE_ALIGNED = [
  ...TREE_FOR_PEOPLE.filter(({ key }) => key !== NAME_COLUMN.key),
  { ...NAME_COLUMN, value: (node: ChangeNode) => NAME_COLUMN.narrow?.(node, Infinity) ?? node.name },
];

function treeLines(rows: readonly ChangeNode[], width: number | null): string[] {
  if (width === null) return alignedTable(TREE_ALIGNED, rows);
  const columns = TREE_COLUMNS.filter(({ machineOnly }) => machineOnly !== true);
  const named = columns.map((column) => ({ ...column, header: readableHeader(column.key).replace(/_us$/, '') }));
  return fittedLines(named, rows, width);
}

/** Columns that identify a row. The line with the totals has a name in only the first of them. */
const lineKeys = (by: readonly string[]): Column<DiffLine>[] =>
  keyColumns(by).map((column, i) => ({
    ...column,
    value: (line) => (line.kind === 'total' && i > 0 ? '' : column.value(line)),
  }));

function alignedLines(report: DiffReport): string[] {
  const { by } = report;
  const figures = [VERDICT_COLUMN, ...READABLE_COLUMNS.map(ofLine)];
  const keys = keyColumns(by);
  const cells = (columns: readonly Column<DiffLine>[], line: DiffLine): string[] =>
    columns.map((column) => textOf(column, shownValue(column, line)));
  // The line with the totals has only one key column, whatever --by is.
  return aligned(
    [
      [...figures, ...keys].map(({ header }) => header),
      ...report.lines.map((line) => [
        ...cells(figures, line),
        ...(line.kind === 'total' ? [TOTAL] : cells(keys, line)),
      ]),
    ],
    new Set(READABLE_COLUMNS.map((_, i) => i + 1)),
  );
}

export function diffMarkdown(report: DiffReport): string {
  const { by, lines, tree, heading, notes, troubles } = report;
  const keys = lineKeys(by).map((column): Column<DiffLine> => ({
    ...column,
    emphasis: ({ kind }) => kind === 'total',
  }));
  const columns = [...keys, VERDICT_COLUMN, ...READABLE_COLUMNS.map(ofLine)];
  const table = tableText(
    requireFormat('markdown'),
    tree === null ? { columns, rows: lines } : { columns: TREE_FOR_PEOPLE, rows: tree.rows },
  );
  const more = leftOut(report);
  const above = [
    ...heading.map((text) => `- ${code(text)}`),
    ...notes.map((text) => `- **note** ${code(text)}`),
    ...troubles.map((trouble) => `- **error** ${code(troubleText(trouble))}`),
    ...givenOf(report).map((condition) => `- ${code(conditionText(condition))}: **${conditionOutcome(condition)}**`),
    '',
  ];
  return `${above.map((line) => `${line}\n`).join('')}${[...table].join('')}${more === null ? '' : `\n${more}.\n`}`;
}
