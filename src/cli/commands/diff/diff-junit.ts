/**
 * A comparison as test cases: an error for each input that cannot be judged, and one case for each condition of
 * --fail-if; without any, one for each row, of which those that got slower fail, those that cannot be judged are errors,
 * and those whose kernels belong to no step are skipped.
 */
import { escapeControls } from '../../../record/control-characters.js';
import { UNKNOWN } from '../../../record/units.js';
import { TOTAL, type DiffLine } from '../../../prof/diff/diff-columns.js';
import { leftOpen, withoutVerdict, type Judged } from '../../../prof/diff/judging.js';
import type { DiffRow } from '../../../prof/diff/diff-row.js';
import { junit, type TestCase } from '../../../write/junit.js';
import type { DiffReport } from '../../../prof/diff/diff-report.js';
import { figure, READABLE_COLUMNS } from './diff-screen.js';

export function diffJunit(report: DiffReport): string {
  const cases = report.isOnConditions
    ? report.conditions.map(ofCondition)
    : report.lines.map((line) => ofLine(line, report));
  const troubles = report.troubles.map(({ input, text }): TestCase => ({
    ...{ className: 'dprof.diff.input', name: input, outcome: 'error', message: text },
  }));
  return junit({ name: 'dprof diff', notes: [...report.heading, ...report.notes], cases: [...troubles, ...cases] });
}

const ofCondition = ({ condition, met, reason, row }: Judged): TestCase => ({
  className: 'dprof.diff.fail-if',
  name: condition.text,
  outcome: met === null ? 'error' : met ? 'failure' : 'passed',
  message: reason ?? figuresOf(row),
});

const ofLine = ({ kind, row, keys }: DiffLine, { by }: DiffReport): TestCase => ({
  className: 'dprof.diff.row',
  name: kind === 'total' ? TOTAL : by.map((name, i) => `${name}=${escapeControls(keys[i] ?? UNKNOWN)}`).join(' '),
  outcome: outcomeOf(row, kind === 'total'),
  message: figuresOf(row),
});

function outcomeOf(row: DiffRow, isTotal: boolean): TestCase['outcome'] {
  if (row.verdict === 'slower') return 'failure';
  if ((isTotal ? withoutVerdict(row) : leftOpen(row)) !== null) return 'error';
  return withoutVerdict(row) === null ? 'passed' : 'skipped';
}

/** `slower, change_% +3.01, change_us +12.500, …`. */
const figuresOf = (row: DiffRow): string =>
  [row.verdict, ...READABLE_COLUMNS.map((column) => `${column.header} ${figure(column, row)}`)].join(', ');
