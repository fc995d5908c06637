/** `dprof diff`: what changed from one input of records to another. */
import { haveSameBytes } from '../../../parse/files.js';
import { lineOnly, Limits } from '../../../prof/limits.js';
import { Comparison, diffTypes } from '../../../prof/diff/comparison.js';
import { troublesOf, type Taken } from '../../../prof/diff/compared-input.js';
import { diffLineColumns, TOTAL, type DiffLine } from '../../../prof/diff/diff-columns.js';
import { diffDocuments } from '../../../prof/diff/diff-documents.js';
import { jsonLines, escapeControls } from '../../../record/control-characters.js';
import { diffReport, type DiffReport } from '../../../prof/diff/diff-report.js';
import type { Which } from '../../../prof/diff/input-facts.js';
import { WorkInside } from '../../../prof/input/work-inside.js';
import { TREE_COLUMNS } from '../../../prof/diff/tree/tree-columns.js';
import { lossesOf } from '../../../prof/input/losses.js';
import { endingsOf } from '../../../prof/input/stream-status.js';
import { UserError, EXIT } from '../../../record/errors.js';
import { takeCompared } from '../../../sources/pass.js';
import type { Source } from '../../../sources/sources.js';
import type { Arguments } from '../../arguments.js';
import type { RecordChoice } from '../../../prof/input/record-choice.js';
import type { Annotated } from '../../../prof/annotate.js';
import { limitsOfRun } from '../../answer-document.js';
import type { Command } from '../../command.js';
import { confirmEndings, confirmWhole, hinted, openInputs, sayLosses, sayTroubles } from '../../input.js';
import { say } from '../../message.js';
import { checkOutput, withOutput, type Write } from '../../output.js';
import { progress } from '../../progress.js';
import { locate, printTable, writeNotes } from '../../run-analysis.js';
import { saveBaseline } from './baselines.js';
import { readPeaks } from '../../peaks-option.js';
import { readReading } from '../../records-command.js';
import { DIFF, readBy, readDiffArguments, type DiffRequest } from './diff-options.js';
import { diffMarkdown, diffScreen, COMPARABLE_COLUMNS, figure, READABLE_COLUMNS } from '../../screens/comparison.js';
import {
  ANY_SLOWER,
  parseCondition,
  type Condition,
  leftOpen,
  withoutVerdict,
  type Judged,
} from '../../../prof/diff/fail-if.js';
import { UNKNOWN } from '../../../record/units.js';
import type { DiffRow } from '../../../prof/diff/diff-row.js';

// `dprof diff` as a gate in CI: with conditions, or as a test report in JUnit XML. An input that cannot be read to its
// end leaves all conditions undecided, which fails with a separate exit code.

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

/** Escapes a string for an attribute value or the content of an element. */
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
function diffJunit(report: DiffReport): string {
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
function gateOf({ conditions, format }: Pick<DiffRequest, 'conditions' | 'format'>): readonly Condition[] {
  return conditions.length === 0 && format === 'junit' ? [parseCondition(ANY_SLOWER)] : conditions;
}

/**
 * The errors that fail the run, in order. The last one sets the exit code, so a regression that was found takes precedence
 * over conditions that could not be judged.
 */
function failuresOf(conditions: readonly Judged[]): UserError[] {
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

/** Formats with text around the table. All other formats contain only the table. */
const REPORTS: Readonly<Record<string, (report: DiffReport, width: number | null) => string>> = {
  text: diffScreen,
  json: (report) => jsonLines(diffDocuments(report)),
  markdown: diffMarkdown,
  junit: diffJunit,
};

/** A note about one side, which it names. */
const onSide = ({ line, limits }: Limits, which: Which): Limits =>
  new Limits(
    `${which}: ${line}`,
    limits.map((limit) => ({ ...limit, what: `${which}: ${limit.what}` })),
  );

/** Tables cannot contain notes, and few programs show the notes of JUnit. */
const hasNotes = (format: string): boolean => format in REPORTS && format !== 'junit';

async function run(given: Arguments): Promise<void> {
  const name = given.text('save-baseline');
  if (name !== undefined) {
    const [by, device, quiet] = [readBy(given) ?? [], readPeaks(given), given.on('quiet')];
    return saveBaseline(name, given, { by, device, quiet, reading: readReading(given) });
  }
  const request = readDiffArguments(given);
  const { by, isTree, settings, device, output, quiet, format } = request;
  const { document } = given;
  const conditions = gateOf(request);
  const choices = { base: request.choiceOf(), new: request.choiceOf() };
  const select = selectionOf(request.where, choices);
  const inputs = [request.base, request.new];
  // Report now, before minutes of reading, if the output cannot be written.
  const existing = await checkOutput(output, inputs);
  const where = request.whereText;
  const comparison = new Comparison({ by, isTree, conditions, settings, device, select, where });
  const isGate = conditions.length > 0;
  const take = (which: Which): Promise<Taken> =>
    takeInput({ ...request, document }, which, comparison, isGate, choices[which]);
  const taken = { base: await take('base'), new: await take('new') };
  const troubles = isGate ? troublesOf(taken) : [];
  const { top, isBrief } = request;
  const isOnConditions = request.conditions.length > 0;
  const areIdentical = haveSameBytes(request.base, request.new);
  const report = diffReport(comparison, taken, troubles, { top, isOnConditions, isBrief, areIdentical });
  const times = Object.entries(choices).flatMap(([input, choice]) => {
    const window = choice?.chosenTime ?? null;
    return window === null ? [] : [{ row: 'window', input, window }];
  });
  const cuts = (['base', 'new'] as const).flatMap((which) =>
    (choices[which]?.notes ?? []).map((note) => onSide(note, which)),
  );
  const endings = Object.values(taken).flatMap((input) => input.endings);
  await withOutput(output, inputs, async (write) => {
    // The answer of a gate always replaces that of an earlier run, because an old pass would be wrong.
    if (!isGate) for (const input of Object.values(taken)) confirmWhole(input, existing, output);
    document?.reachEnd();
    await print(report, request, document?.rows(write) ?? write);
    if (document === null) return format === 'json' ? write(jsonLines(times)) : undefined;
    const window = times.length === 0 ? null : Object.fromEntries(times.map((time) => [time.input, time.window]));
    const open = troubles.map(({ error }) => error);
    return document.end(write, {
      window,
      doubts: lossesOf(endings).doubts,
      cannot: limitsOfRun([...open, ...cuts], { endings }, document),
    });
  });
  const isNoted = request.chosen !== null || !hasNotes(format);
  if (!quiet) writeNotes([...(isNoted ? report.notes.map(lineOnly) : []), ...cuts], '');
  if (!isGate) {
    confirmEndings({ endings }, quiet);
    return;
  }
  if (!quiet) for (const { line } of endingsOf({ endings }).notes) say('dprof', line);
  sayLosses({ endings });
  failGate([...troubles.map(({ error }) => error), ...failuresOf(report.conditions)]);
}

/** Selects the kernels to compare, or their parts inside the selected time; undefined for all. */
function selectionOf(
  where: DiffRequest['where'],
  choices: Readonly<Record<Which, RecordChoice | undefined>>,
): ((which: Which, row: Annotated) => Annotated | null) | undefined {
  if (where === undefined && choices.base === undefined) return undefined;
  const insideOf = (choice: RecordChoice | undefined): WorkInside | null =>
    choice === undefined ? null : new WorkInside(choice);
  const inside = { base: insideOf(choices.base), new: insideOf(choices.new) };
  return (which, row) => {
    if (choices[which]?.keeps(row) === false || where?.(row) === false) return null;
    return inside[which]?.kernel(row) ?? row;
  };
}

/** Prints the failures; call it when the output is complete. @throws the last failure, after the others were printed */
function failGate(failures: UserError[]): void {
  const last = failures.pop();
  for (const { line } of failures) say('dprof', line);
  if (last !== undefined) throw last;
}

function print(report: DiffReport, request: DiffRequest, write: Write): void | Promise<void> {
  const { format, width, chosen } = request;
  const { lines, by, tree } = report;
  if (chosen !== null && request.isTree) {
    const { columns } = chosen.of({ columns: TREE_COLUMNS, rows: [] });
    return printTable({ columns, rows: tree?.rows ?? [] }, chosen.format, write, width);
  }
  if (chosen !== null) {
    // The totals stay the first row, whatever the order.
    const totals = lines.filter(({ kind }) => kind === 'total');
    const { columns, rows } = chosen.of({
      columns: diffLineColumns(by),
      rows: lines.filter(({ kind }) => kind === 'key'),
    });
    return printTable({ columns, rows: [...totals, ...rows] }, chosen.format, write, width);
  }
  const text = REPORTS[format];
  if (text !== undefined) return write(text(report, width));
  const table = request.isTree
    ? { columns: TREE_COLUMNS, rows: tree?.rows ?? [] }
    : { columns: diffLineColumns(by), rows: lines };
  return printTable(table, format, write, width);
}

async function takeInput(
  request: DiffRequest & Pick<Arguments, 'document'>,
  which: Which,
  comparison: Comparison,
  isGate: boolean,
  choice: RecordChoice | undefined,
): Promise<Taken> {
  const file = request[which];
  await locate(choice, { files: [file], quiet: request.quiet, reading: request.reading });
  const meter = progress('dprof', !request.quiet);
  const wanted = { types: diffTypes(request.device), isOne: true } as const;
  let source = null as Source | null;
  try {
    const open = async (): Promise<Source> => {
      source = await openInputs([file], meter, wanted, request.reading);
      return request.document?.watched(source, [file], which) ?? source;
    };
    const taken = await takeCompared(file, open, which, comparison, isGate, choice);
    return { ...taken, failure: await hinted(taken.failure, [file]) };
  } catch (error) {
    const failure = await hinted(error, [file]);
    if (source !== null) sayTroubles(source, failure);
    throw failure;
  } finally {
    meter.clear();
  }
}

export const diff: Command = { tool: DIFF, run };
