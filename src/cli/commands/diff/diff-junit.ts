/**
 * A comparison as test cases: one for each condition of --fail-if; without any, one for each row, of which those that
 * got slower fail and those that were not tested are skipped.
 */
import { escapeControls } from '../../../record/control-characters.js';
import { UNKNOWN } from '../../../record/units.js';
import { TOTAL } from '../../../prof/diff/diff-columns.js';
import type { DiffRow } from '../../../prof/diff/diff-row.js';
import { junit, type TestCase } from '../../../write/junit.js';
import { figure, READABLE_COLUMNS, type DiffReport } from './diff-screen.js';

export function diffJunit(report: DiffReport): string {
  const cases = report.result.conditions.length > 0 ? ofConditions(report) : ofRows(report);
  return junit({ name: 'dprof diff', notes: [...report.heading, ...report.notes], cases });
}

const ofConditions = ({ result }: DiffReport): TestCase[] =>
  result.conditions.map(({ condition, met, row }) => ({
    className: 'dprof.diff.fail-if',
    name: condition.text,
    outcome: met === null ? 'skipped' : met ? 'failure' : 'passed',
    message: met === null ? 'no kernel of either input matches' : figuresOf(row),
  }));

const ofRows = ({ result, rows, by }: DiffReport): TestCase[] =>
  [result.total, ...rows].map((row) => ({
    className: 'dprof.diff.row',
    name:
      row === result.total ? TOTAL : by.map((name, i) => `${name}=${escapeControls(row.keys[i] ?? UNKNOWN)}`).join(' '),
    outcome: row.verdict === 'slower' ? 'failure' : row.verdict === 'too-few-samples' ? 'skipped' : 'passed',
    message: figuresOf(row),
  }));

/** `slower, change_% +3.01, change_us +12.500, …`. */
const figuresOf = (row: DiffRow): string =>
  [row.verdict, ...READABLE_COLUMNS.map((column) => `${column.header} ${figure(column, row)}`)].join(', ');
