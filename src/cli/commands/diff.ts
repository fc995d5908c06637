/** `dprof diff`: two inputs of records → what changed from one to the other. */
import { Comparison, DIFF_TYPES, type DiffResult, type Judged } from '../../prof/diff/comparison.js';
import type { Which } from '../../prof/diff/input-pair.js';
import { UserError } from '../../record/errors.js';
import type { Command } from '../commands.js';
import { csvOfDiff, jsonOfDiff, shownNumber, SHORT_COLUMNS, textOfDiff, type Sheet } from './diff/diff-formats.js';
import { commonLine, inputLines, methodLine, notesOf } from './diff/diff-heading.js';
import { junitOfDiff } from './diff/diff-junit.js';
import { markdownOfDiff } from './diff/diff-markdown.js';
import { DIFF, diffHelp, readDiffArguments, type DiffFormat, type DiffRequest } from './diff/diff-options.js';
import { confirmEndings, confirmWhole, openSource, type Source } from '../input.js';
import { checkOutput, withOutput } from '../output.js';
import { namingInput } from '../run-analysis.js';
import { progress } from '../progress.js';

const WRITERS: Readonly<Record<DiffFormat, (sheet: Sheet) => string>> = {
  text: textOfDiff,
  csv: csvOfDiff,
  json: jsonOfDiff,
  markdown: markdownOfDiff,
  junit: junitOfDiff,
};

/** CSV has no place for notes, and of JUnit's only few programs show them. */
const NOTES_ON_STDERR: readonly DiffFormat[] = ['csv', 'junit'];

async function run(args: readonly string[]): Promise<void> {
  const request = readDiffArguments(args);
  if (request.help) return withOutput(undefined, [], async (write) => write(diffHelp()));
  const { by, conditions, settings, output, quiet, format, top } = request;
  const inputs = [request.base, request.new].filter((file) => file !== '-');
  // Before minutes of reading.
  const existing = checkOutput(output, inputs);
  const comparison = new Comparison({ by, conditions, settings });
  const sources = {
    base: await takeInput(request, 'base', comparison),
    new: await takeInput(request, 'new', comparison),
  };
  const names = { base: sources.base.name, new: sources.new.name };
  const { result } = comparison;
  const notes = notesOf(comparison, result);
  const sheet: Sheet = {
    result,
    by: by.map(({ key }) => key),
    rows: result.rows.slice(0, top),
    heading: [...inputLines(comparison, names), methodLine(result, settings), ...commonLine(result, settings)],
    notes,
  };
  await withOutput(output, [...inputs, ...Object.values(names)], async (write) => {
    for (const source of Object.values(sources)) confirmWhole(source, existing, output);
    await write(WRITERS[format](sheet));
  });
  if (!quiet && NOTES_ON_STDERR.includes(format)) for (const note of notes) process.stderr.write(`dprof: ${note}\n`);
  // A gate does not pass on a run that ends within a line.
  for (const source of Object.values(sources)) confirmEndings(source, quiet);
  failIfMet(result);
}

/**
 * Adds up one input.
 * @returns where it came from, closed
 */
async function takeInput(request: DiffRequest, which: Which, comparison: Comparison): Promise<Source> {
  const meter = progress('dprof', !request.quiet);
  const source = await openSource(request[which], meter, DIFF_TYPES);
  try {
    for await (const batch of source.batches) for (const record of batch) comparison.take(which, record);
    comparison.end(which);
    if (comparison.total[which].count === 0) throw nothing(comparison.sides[which].untimed);
    return source;
  } catch (error) {
    throw namingInput(error, source.name);
  } finally {
    meter.clear();
    source.close();
  }
}

const nothing = (untimed: number): UserError =>
  new UserError(untimed === 0 ? 'no kernels' : `no kernels with a duration, ${untimed} without`);

/**
 * Ends the run when a build must fail; the output is complete by then.
 * @throws UserError naming the conditions
 */
function failIfMet({ conditions }: DiffResult): void {
  const met = conditions.filter((one) => one.met === true);
  if (met.length > 0) throw new UserError(`--fail-if is met: ${met.map(named).join('; ')}`);
}

/** `total>+5% (+7.21 %, +12.500 us)`. */
function named({ condition, row }: Judged): string {
  const [percent, time] = SHORT_COLUMNS.map((column) => shownNumber(column, row));
  return `${condition.text} (${percent === 'na' ? row.verdict : `${percent ?? ''} %`}, ${time ?? ''} us)`;
}

export const diff: Command = { tool: DIFF, helpText: diffHelp, run };
