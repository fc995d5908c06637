/**
 * `dprof diff` as a gate in CI: with conditions, or as a test report in JUnit XML. An input that cannot be read to its
 * end leaves all conditions undecided, which fails with a separate exit code.
 */
import { ANY_SLOWER, parseCondition, type Condition } from '../../../prof/diff/fail-if.js';
import { leftOpen, withoutVerdict, type Judged } from '../../../prof/diff/judging.js';
import { EXIT, UserError } from '../../../record/errors.js';
import { UNKNOWN } from '../../../record/units.js';
import { COMPARABLE_COLUMNS, figure, READABLE_COLUMNS } from '../../screens/comparison.js';
import type { DiffRequest } from './diff-options.js';
import { escapeControls } from '../../../record/control-characters.js';
import { TOTAL, type DiffLine } from '../../../prof/diff/diff-columns.js';
import type { DiffRow } from '../../../prof/diff/diff-row.js';
import type { DiffReport } from '../../../prof/diff/diff-report.js';

export interface TestCase {
  readonly className: string;
  readonly name: string;
  /** `error` means that the case could not be judged. */
  readonly outcome: 'passed' | 'failure' | 'error' | 'skipped';
  readonly message: string;
}

interface TestSuite {
  readonly name: string;
  /** Notes, written as properties `note 1`, `note 2` … */
  readonly notes: readonly string[];
  readonly cases: readonly TestCase[];
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};
/** Characters that XML 1.0 does not allow, apart from control characters: noncharacters and lone surrogates. */
const NO_CHARACTER = /[\ufffe\uffff]|\p{Surrogate}/gu;

/** Escapes a text for an attribute value or the content of an element. */
const xml = (text: string): string =>
  escapeControls(text)
    .replace(NO_CHARACTER, '?')
    .replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);

/** The document: one test suite with its notes and cases. */
export function junit({ name, notes, cases }: TestSuite): string {
  const count = (outcome: TestCase['outcome']): number =>
    cases.filter((testCase) => testCase.outcome === outcome).length;
  const counts = `tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${xml(name)}" ${counts}>`,
    '    <properties>',
    ...notes.map((note, i) => `      <property name="note ${i + 1}" value="${xml(note)}"/>`),
    '    </properties>',
    ...cases.map(caseText),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function caseText({ className, name, outcome, message }: TestCase): string {
  const content =
    outcome === 'passed' ? `<system-out>${xml(message)}</system-out>` : `<${outcome} message="${xml(message)}"/>`;
  return `    <testcase classname="${xml(className)}" name="${xml(name)}">${content}</testcase>`;
}

/**
 * A comparison as test cases: an error for each input that cannot be judged, and one case for each condition of --fail-if.
 * Without conditions there is one case for each row: slower rows fail, rows that cannot be judged are errors, and rows
 * whose kernels belong to no step are skipped.
 */
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

/** The figures of a row: `slower, change_% +3.01, change_us +12.500, …`. */
const figuresOf = (row: DiffRow): string =>
  [row.verdict, ...READABLE_COLUMNS.map((column) => `${column.header} ${figure(column, row)}`)].join(', ');

/**
 * The conditions that fail the run; none when it only shows the comparison. A JUnit report without conditions fails the run
 * when any row is slower, because it marks such rows as failures.
 */
export function gateOf({ conditions, format }: Pick<DiffRequest, 'conditions' | 'format'>): readonly Condition[] {
  return conditions.length === 0 && format === 'junit' ? [parseCondition(ANY_SLOWER)] : conditions;
}

/**
 * The errors that fail the run, in order. The last one sets the exit code, so a regression that was found takes precedence
 * over conditions that could not be judged.
 */
export function failuresOf(conditions: readonly Judged[]): UserError[] {
  const open = conditions.filter(({ met }) => met === null).map(openText);
  const met = conditions.filter((condition) => condition.met === true).map(metText);
  return [
    ...failure('--fail-if cannot be judged', open, EXIT.notJudged),
    ...failure('--fail-if is met', met, EXIT.failed),
  ];
}

const failure = (outcome: string, conditions: readonly string[], exitCode: number): UserError[] =>
  conditions.length === 0 ? [] : [new UserError(`${outcome}: ${conditions.join('; ')}`, { exitCode })];

/** Text of a condition that could not be judged: `op:mmm>+5% (no kernel of either input matches)`. */
const openText = ({ condition, reason }: Judged): string => `${condition.text} (${reason ?? UNKNOWN})`;

/** Text of a condition that was met: `total>+5% (+7.21 %, +12.500 us)`. */
function metText({ condition, row }: Judged): string {
  const [percent = UNKNOWN, time = UNKNOWN] = COMPARABLE_COLUMNS.map((column) => figure(column, row));
  return `${condition.text} (${percent === UNKNOWN ? row.verdict : `${percent} %`}, ${time} us)`;
}
