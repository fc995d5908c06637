/** `dprof diff`: what changed from one input of records to another. */
import { Comparison, diffTypes, type DiffResult, type Judged } from '../../../prof/diff/comparison.js';
import { diffLineColumns, diffLines } from '../../../prof/diff/diff-columns.js';
import type { Which } from '../../../prof/diff/input-pair.js';
import { UserError } from '../../../record/errors.js';
import { withoutKernels } from '../../../prof/analysis.js';
import { UNKNOWN } from '../../../record/units.js';
import { helpOf } from '../../arguments.js';
import type { Command } from '../../command.js';
import { confirmEndings, confirmWhole, type Source } from '../../input.js';
import { checkOutput, printText, withOutput, type Write } from '../../output.js';
import { printTable, readInputs, writeNotes } from '../../run-analysis.js';
import { commonLine, inputLines, methodLine, notesOf, unequalRunsLine } from './diff-heading.js';
import { diffJunit } from './diff-junit.js';
import { DIFF, readDiffArguments, type DiffRequest } from './diff-options.js';
import { COMPARABLE_COLUMNS, diffDocuments, diffMarkdown, diffScreen, figure, type DiffReport } from './diff-screen.js';

/** Formats with texts around the table. All others are the table alone. */
const REPORTS: Readonly<Record<string, (report: DiffReport) => string>> = {
  text: diffScreen,
  json: diffDocuments,
  markdown: diffMarkdown,
  junit: diffJunit,
};

/** Tables have no place for notes, and few programs show those of JUnit. */
const hasNotes = (format: string): boolean => format in REPORTS && format !== 'junit';

async function run(args: readonly string[]): Promise<void> {
  const request = readDiffArguments(args);
  if (request.help) return printText(helpOf(DIFF));
  const { by, conditions, settings, device, output, quiet, format } = request;
  const inputs = [request.base, request.new];
  // An output that cannot be written is reported before minutes of reading.
  const existing = checkOutput(output, inputs);
  const comparison = new Comparison({ by, conditions, settings, device });
  const sources = {
    base: await takeInput(request, 'base', comparison),
    new: await takeInput(request, 'new', comparison),
  };
  const report = reportOf(request, comparison, { base: sources.base.name, new: sources.new.name });
  await withOutput(output, inputs, async (write) => {
    for (const source of Object.values(sources)) confirmWhole(source, existing, output);
    await print(report, format, write);
  });
  if (!quiet && !hasNotes(format)) writeNotes(report.notes, '');
  // A gate does not pass on a run that ends within a line.
  confirmEndings({ endings: Object.values(sources).flatMap(({ endings }) => endings) }, quiet);
  failIfMet(report.result);
}

function reportOf(
  { by, settings, top }: DiffRequest,
  comparison: Comparison,
  names: Readonly<Record<Which, string>>,
): DiffReport {
  const { result } = comparison;
  return {
    result,
    by: by.map(({ key }) => key),
    rows: result.rows.slice(0, top),
    heading: [
      ...inputLines(comparison, names),
      ...unequalRunsLine(result),
      methodLine(result, settings),
      ...commonLine(result, settings),
    ],
    notes: notesOf(comparison, result),
  };
}

function print(report: DiffReport, format: string, write: Write): void | Promise<void> {
  const { result, rows, by } = report;
  const text = REPORTS[format];
  if (text !== undefined) return write(text(report));
  return printTable({ columns: diffLineColumns(by), rows: diffLines(result.total, rows, by) }, format, write);
}

const takeInput = (request: DiffRequest, which: Which, comparison: Comparison): Promise<Source> =>
  readInputs(
    [request[which]],
    request.quiet,
    { types: diffTypes(request.device), isOne: true },
    (record) => comparison.take(which, record),
    () => {
      comparison.end(which);
      if (comparison.total[which].count === 0) throw withoutKernels(comparison.sides[which].untimed);
    },
  );

/** To be called when the output is complete. @throws UserError naming the conditions that are met */
function failIfMet({ conditions }: DiffResult): void {
  const met = conditions.filter((one) => one.met === true);
  if (met.length > 0) throw new UserError(`--fail-if is met: ${met.map(named).join('; ')}`);
}

/** `total>+5% (+7.21 %, +12.500 us)`. */
function named({ condition, row }: Judged): string {
  const [percent = UNKNOWN, time = UNKNOWN] = COMPARABLE_COLUMNS.map((column) => figure(column, row));
  return `${condition.text} (${percent === UNKNOWN ? row.verdict : `${percent} %`}, ${time} us)`;
}

export const diff: Command = { tool: DIFF, run };
