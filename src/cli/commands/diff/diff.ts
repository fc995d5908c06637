/** `dprof diff`: what changed from one input of records to another. */
import { Comparison, diffTypes } from '../../../prof/diff/comparison.js';
import { troublesOf, type Taken } from '../../../prof/diff/compared-input.js';
import { diffLineColumns } from '../../../prof/diff/diff-columns.js';
import { diffDocuments } from '../../../prof/diff/diff-documents.js';
import { jsonLines } from '../../../record/control-characters.js';
import { diffReport, type DiffReport } from '../../../prof/diff/diff-report.js';
import type { Which } from '../../../prof/diff/input-facts.js';
import { WorkInside } from '../../../prof/input/work-inside.js';
import { TREE_COLUMNS } from '../../../prof/diff/tree/tree-columns.js';
import { endingsOf } from '../../../prof/input/stream-status.js';
import type { UserError } from '../../../record/errors.js';
import { takeCompared } from '../../../sources/pass.js';
import type { Source } from '../../../sources/sources.js';
import type { Arguments } from '../../arguments.js';
import type { RecordChoice } from '../../../prof/input/record-choice.js';
import type { Annotated } from '../../../prof/annotate.js';
import type { Command } from '../../command.js';
import { confirmEndings, confirmWhole, hinted, openInputs, sayLosses, sayTroubles } from '../../input.js';
import { say } from '../../message.js';
import { checkOutput, withOutput, type Write } from '../../output.js';
import { progress } from '../../progress.js';
import { locate, printTable, writeNotes } from '../../run-analysis.js';
import { failuresOf, gateOf, diffJunit } from './diff-gate.js';
import { saveBaseline } from './baselines.js';
import { readPeaks } from '../../peaks-option.js';
import { readReading } from '../../records-command.js';
import { DIFF, readBy, readDiffArguments, type DiffRequest } from './diff-options.js';
import { diffMarkdown, diffScreen } from '../../screens/comparison.js';

/** Formats with text around the table. All other formats contain only the table. */
const REPORTS: Readonly<Record<string, (report: DiffReport, width: number | null) => string>> = {
  text: diffScreen,
  json: (report) => jsonLines(diffDocuments(report)),
  markdown: diffMarkdown,
  junit: diffJunit,
};

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
  const conditions = gateOf(request);
  const choices = { base: request.choiceOf(), new: request.choiceOf() };
  const select = selectionOf(request.where, choices);
  const inputs = [request.base, request.new];
  // Report now, before minutes of reading, if the output cannot be written.
  const existing = await checkOutput(output, inputs);
  const comparison = new Comparison({ by, isTree, conditions, settings, device, select });
  const isGate = conditions.length > 0;
  const take = (which: Which): Promise<Taken> => takeInput(request, which, comparison, isGate, choices[which]);
  const taken = { base: await take('base'), new: await take('new') };
  const troubles = isGate ? troublesOf(taken) : [];
  const { top, isBrief } = request;
  const isOnConditions = request.conditions.length > 0;
  const report = diffReport(comparison, taken, troubles, { top, isOnConditions, isBrief });
  const times = Object.entries(choices).flatMap(([input, choice]) => {
    const time = choice?.document ?? null;
    return time === null ? [] : [{ row: 'window', input, ...time }];
  });
  await withOutput(output, inputs, async (write) => {
    // The answer of a gate always replaces that of an earlier run, because an old pass would be wrong.
    if (!isGate) for (const input of Object.values(taken)) confirmWhole(input, existing, output);
    await print(report, request, write);
    if (format === 'json') await write(jsonLines(times));
  });
  const cuts = Object.entries(choices).flatMap(([which, choice]) =>
    (choice?.notes ?? []).map((note) => `${which}: ${note}`),
  );
  const isNoted = request.chosen !== null || !hasNotes(format);
  if (!quiet) writeNotes([...(isNoted ? report.notes : []), ...cuts], '');
  const endings = Object.values(taken).flatMap((input) => input.endings);
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
  request: DiffRequest,
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
    const open = async (): Promise<Source> => (source = await openInputs([file], meter, wanted, request.reading));
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
