/** `dprof diff`: what changed from one input of records to another. */
import { Comparison, diffTypes } from '../../../prof/diff/comparison.js';
import { diffLineColumns, diffLines } from '../../../prof/diff/diff-columns.js';
import type { Which } from '../../../prof/diff/input-pair.js';
import { UsageError, UserError } from '../../../record/errors.js';
import { withoutKernels } from '../../../prof/analysis.js';
import { helpOf } from '../../arguments.js';
import type { Command } from '../../command.js';
import { confirmEndings, confirmWhole, endingsOf } from '../../input.js';
import { say } from '../../message.js';
import { checkOutput, printText, withOutput, type Write } from '../../output.js';
import { printTable, readInputs, writeNotes } from '../../run-analysis.js';
import { commonLine, inputLines, methodLine, notesOf, unequalRunsLine } from './diff-heading.js';
import { failuresOf, gateOf, leftOpenBy, lostBy, troublesOf, type Taken, type Trouble } from './diff-gate.js';
import { diffJunit } from './diff-junit.js';
import { DIFF, readDiffArguments, type DiffRequest } from './diff-options.js';
import { diffDocuments, diffMarkdown, diffScreen, NAMES, type DiffReport } from './diff-screen.js';

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
  const { by, settings, device, output, quiet, format } = request;
  const conditions = gateOf(request);
  const inputs = [request.base, request.new];
  // An output that cannot be written is reported before minutes of reading.
  const existing = checkOutput(output, inputs);
  const comparison = new Comparison({ by, conditions, settings, device });
  const isGate = conditions.length > 0;
  const take = (which: Which): Promise<Taken> => takeInput(request, which, comparison, isGate);
  const taken = { base: await take('base'), new: await take('new') };
  const troubles = isGate ? troublesOf(taken) : [];
  const report = reportOf(request, comparison, taken, troubles);
  await withOutput(output, inputs, async (write) => {
    // The answer of a gate replaces that of an earlier run whatever it is: an old pass is none.
    if (!isGate) for (const one of Object.values(taken)) confirmWhole(one, existing, output);
    await print(report, format, write);
  });
  if (!quiet && !hasNotes(format)) writeNotes(report.notes, '');
  const endings = Object.values(taken).flatMap((one) => one.endings);
  if (!isGate) {
    confirmEndings({ endings }, quiet);
    return;
  }
  if (!quiet) for (const { line } of endingsOf({ endings }).notes) say('dprof', line);
  failGate([...troubles.map(({ error }) => error), ...failuresOf(report.conditions)]);
}

/** To be called when the output is complete. @throws the last of what fails a run, when the others are said */
function failGate(failures: UserError[]): void {
  const last = failures.pop();
  for (const { line } of failures) say('dprof', line);
  if (last !== undefined) throw last;
}

function reportOf(
  { by: columns, conditions, settings, top }: DiffRequest,
  comparison: Comparison,
  taken: Readonly<Record<Which, Taken>>,
  troubles: readonly Trouble[],
): DiffReport {
  const { result } = comparison;
  const by = columns.map(({ key }) => key);
  const isRead = taken.base.failure === null && taken.new.failure === null;
  const method = [...unequalRunsLine(result), methodLine(result, settings), ...commonLine(result, settings)];
  return {
    result,
    by,
    lines: isRead ? diffLines(result.total, result.rows.slice(0, top), by) : [],
    heading: [...inputLines(comparison, taken), ...(isRead ? method : [])],
    notes: isRead ? notesOf(comparison, result) : [],
    conditions: leftOpenBy(troubles, result.conditions),
    isOnConditions: conditions.length > 0,
    troubles: troubles.map(({ which, error }) => ({ input: NAMES[which], text: error.line })),
  };
}

function print(report: DiffReport, format: string, write: Write): void | Promise<void> {
  const { lines, by } = report;
  const text = REPORTS[format];
  if (text !== undefined) return write(text(report));
  return printTable({ columns: diffLineColumns(by), rows: lines }, format, write);
}

/** @throws UserError for an input that cannot be compared, where there is no gate that must say so in its own way */
async function takeInput(request: DiffRequest, which: Which, comparison: Comparison, isGate: boolean): Promise<Taken> {
  const wanted = { types: diffTypes(request.device), isOne: true } as const;
  let lost = 0;
  try {
    const source = await readInputs(
      [request[which]],
      request.quiet,
      wanted,
      (record) => {
        if (record.type === 'end') lost += lostBy(record);
        comparison.take(which, record);
      },
      () => {
        comparison.end(which);
        const { count, untimed } = comparison.total[which];
        if (count === 0) throw withoutKernels(untimed);
      },
    );
    const { count: kernels } = comparison.total[which];
    return { name: source.name, endings: source.endings, failure: null, lost, kernels };
  } catch (error) {
    if (!isGate || !(error instanceof UserError) || error instanceof UsageError) throw error;
    return { name: request[which], endings: [], failure: error, lost, kernels: 0 };
  }
}

export const diff: Command = { tool: DIFF, run };
