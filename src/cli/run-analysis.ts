/** How each command over FILEs of records runs: reading, progress, output, exit code. */
import { say } from './message.js';
import type { Answer } from '../prof/analysis.js';
import type { Note } from '../prof/limits.js';
import { lossesOf, type Doubt, type Losses } from '../prof/input/losses.js';
import { limitsOfRun, type AnswerDocument } from './answer-document.js';
import { escapeControls, jsonLines, jsonOf } from '../record/control-characters.js';
import { UsageError, type UserError } from '../record/errors.js';
import type { ProfileLine } from '../record/record.js';
import type { AnyTable } from '../table/column.js';
import { loadFormat, requireFormat } from '../write/formats.js';
import { escapeMarkdown } from '../write/markdown.js';
import { tableText } from '../write/columns.js';
import { explained, namingInput, noteLine, takeBatches, takeRecords, withSource, type Pass } from '../sources/pass.js';
import type { Source, Wanted } from '../sources/sources.js';
import { confirmEndings, confirmWhole, hinted, openInputs, sayTroubles } from './input.js';
import { checkOutput, withOutput, type Write } from './output.js';
import { progress } from './progress.js';
import { screenText } from './screens/layout.js';
import { NamedRange, type RangeName, type RangeTimes } from '../prof/input/named-range.js';
import type { RecordChoice } from '../prof/input/record-choice.js';
import type { PathRange } from '../prof/critical-path/critical-path.js';
import { WithoutDevice } from '../prof/input/device-activity.js';
import { Annotator } from '../prof/report/report.js';
import type { Arguments, Option } from './arguments.js';
import type { RecordsRequest } from './records-command.js';
import type { TableChoice } from './shared-options.js';

/** The command-specific part of a run. */
export interface AnalysisRun<Facts> extends Pass<Facts> {
  /** Returns output that is ready before the input ends; called after each batch of records. */
  readonly ready?: () => string | Uint8Array | null;
  /** Writes the answer, or the part that `ready` has not written. */
  readonly print: (answer: Answer<Facts>, write: Write, about: Answered) => void | Promise<void>;
  /** Whether the answer is a single document, so that notes about losses must not be written after it. */
  readonly isDocument?: boolean;
  /** Whether the answer itself has the doubts, in every format. */
  readonly hasDoubts?: boolean;
}

/** The input that an answer is about. */
interface Answered {
  /** The input's name. */
  readonly input: string;
  /** Losses and doubts while reading it. */
  readonly doubts: readonly Doubt[];
}

/** One pass over the records of the inputs, then the output, then notes on stderr. */
export async function runAnalysis<Facts>(
  request: Pick<RecordsRequest, 'files' | 'output' | 'quiet' | 'format' | 'reading' | 'choice' | 'document'> &
    Partial<Pick<RecordsRequest, 'width'>>,
  run: AnalysisRun<Facts>,
): Promise<void> {
  const { files, output, quiet, format, reading, choice, document = null } = request;
  const inputs = files.length === 0 ? ['-'] : files;
  // Report an output that cannot be written now, before minutes of reading.
  const existing = await checkOutput(output, inputs);
  await locate(choice, request);
  const meter = progress('dprof', !quiet);
  const opened = await openInputs(files, meter, run.analysis, reading);
  const source = document?.watched(opened, files) ?? opened;
  let notes: readonly Note[] = [];
  let doubt = '';
  try {
    await withOutput(output, inputs, async (out, flush) => {
      const write = document?.rows(out) ?? out;
      await keeping(readRecords(source, choice, run, write), document, flush);
      meter.clear();
      choice?.refuseNothing();
      const answer = run.analysis.finish();
      document?.reachEnd();
      const found = [...(answer.notes ?? []), ...(choice?.notes ?? [])];
      notes = quiet && document === null ? [] : await shown(found, source, files);
      const losses = lossesOf(source.endings, answer.losses);
      const isShown = run.hasDoubts === true || format === 'json' || LINES[format] !== undefined;
      doubt = (isShown ? null : losses.lineOf('doubt')) ?? '';
      await run.print(answer, write, { input: source.name, doubts: losses.doubts });
      const window = choice?.chosenTime ?? null;
      if (document !== null) {
        await document.end(out, { window, doubts: losses.doubts, cannot: limitsOfRun(notes, source, document) });
      } else {
        if (format === 'json' && window !== null) await write(jsonLines([{ window }]));
        if (run.isDocument !== true) await write(doubtsText(format, losses, request.width));
      }
      confirmWhole(source, existing, output);
    });
    if (!quiet) {
      writeNotes(notes, source.name);
      if (doubt !== '') say('dprof', doubt);
    }
  } catch (error) {
    const failure = withSource(await hinted(explained(error, source), files), source);
    sayTroubles(source, failure);
    throw failure;
  } finally {
    meter.clear();
    source.close();
  }
  confirmEndings(source, quiet);
}

/** The notes as the user will read them: errors with the input's name, and a hint that fits it. */
const shown = (notes: readonly Note[], source: Source, files: readonly string[]): Promise<readonly Note[]> =>
  Promise.all(
    notes.map(async (note) => namingInput(await hinted(explained(note, source), files), source.name) as Note),
  );

/** Finds the range of a selection, if it has one. @throws UsageError, UserError as `timesOfRange` */
export async function locate(choice: RecordChoice | undefined, request: RangeRequest): Promise<void> {
  const name = choice?.unlocated ?? null;
  if (name !== null) choice?.locate(await timesOfRange(name, request));
}

type RangeRequest = Pick<RecordsRequest, 'files' | 'quiet' | 'reading'>;

/**
 * Finds the range of `--range`, which takes a pass of its own.
 * @throws UsageError for standard input; UserError when there is no such range
 */
export async function timesOfRange(name: RangeName, { files, quiet, reading }: RangeRequest): Promise<RangeTimes> {
  if (files.length === 0 || files.includes('-'))
    throw new UsageError('--range needs to read the input twice', 'give a FILE instead of stdin');
  const range = new NamedRange(name);
  const source = await readInputs(files, quiet, range.wanted, (record) => range.take(record), reading);
  try {
    return range.finish();
  } catch (error) {
    throw namingInput(await hinted(error, files), source.name);
  }
}

/** Draws the critical path in a timeline. */
export const PATH_OPTION: Option = {
  name: 'critical-path',
  help: 'a row for the critical path; reads FILEs twice',
};

/**
 * Finds the critical path of each profile in a separate pass. Returns none without the option; also none, with one line on
 * stderr, when a path would have nothing to explain.
 * @throws UsageError for standard input; UserError when nothing has a time
 */
export async function readPaths(
  given: Arguments,
  { files, quiet, reading }: RangeRequest,
): Promise<ReadonlyMap<number, readonly PathRange[]>> {
  if (!given.on(PATH_OPTION.name)) return new Map();
  if (files.length === 0 || files.includes('-'))
    throw new UsageError('--critical-path needs to read the input twice', 'give a FILE instead of stdin');
  const { CriticalPaths, pathRanges } = await import('../prof/critical-path/critical-path.js');
  const paths = new CriticalPaths({ hasStretches: true });
  const annotator = new Annotator(null, false);
  const wanted = { types: paths.types, skipUnreadable: true } as const;
  const source = await readInputs(
    files,
    quiet,
    wanted,
    (record) => annotator.pass(record, (item) => paths.take(item)),
    reading,
  );
  try {
    return pathRanges(paths.finish().facts);
  } catch (error) {
    const failure = namingInput(await hinted(error, files), source.name);
    if (!(error instanceof WithoutDevice)) throw failure;
    if (!quiet) say('dprof', `${(failure as UserError).line}; no critical path is drawn`);
    return new Map();
  }
}

/** Lines after an answer about data that was lost or may be wrong, in the readable formats. */
const LINES: Readonly<Record<string, (lines: readonly string[]) => string>> = {
  text: (lines) => ['', ...lines.map((line) => `# ${escapeControls(line)}`), ''].join('\n'),
  fitted: (lines) => lines.map((line) => `# ${escapeControls(line)}\n`).join(''),
  markdown: (lines) => lines.map((line) => `\n> ${escapeMarkdown(line)}\n`).join(''),
};

/** Readable formats, whose lines have the width of the terminal. */
const LIMITED: ReadonlySet<string> = new Set(['text', 'fitted']);

/** '' when there are no losses or doubts, and for formats that contain only rows. */
function doubtsText(format: string, losses: Losses, width: number | null = null): string {
  const { doubts, lines } = losses;
  if (format === 'json') return doubts.length === 0 ? '' : `${jsonOf({ doubts })}\n`;
  const text = lines.length === 0 ? '' : (LINES[format]?.(lines) ?? '');
  return width === null || !LIMITED.has(format)
    ? text
    : screenText(text.trimEnd().split('\n'), (whole) => whole, width);
}

/** Flushes rows of a document that were written before a failure, because its end will follow them. */
async function keeping(
  reading: Promise<void>,
  document: AnswerDocument | null,
  flush: () => Promise<void>,
): Promise<void> {
  try {
    await reading;
  } catch (error) {
    if (document?.isBegun === true) await flush();
    throw error;
  }
}

async function readRecords<Facts>(
  source: Source,
  choice: RecordChoice | undefined,
  run: AnalysisRun<Facts>,
  write: Write,
): Promise<void> {
  for await (const _ of takeBatches(source, run, choice)) {
    const text = run.ready?.() ?? null;
    if (text !== null) await write(text);
  }
}

/** Reads inputs to their end, for commands that read them several times; returns them closed. */
export async function readInputs(
  files: readonly string[],
  quiet: boolean,
  wanted: Wanted,
  take: (record: ProfileLine) => void,
  reading?: RecordsRequest['reading'],
): Promise<Source> {
  const meter = progress('dprof', !quiet);
  try {
    const source = await openInputs(files, meter, wanted, reading);
    await takeRecords(source, take);
    return source;
  } catch (error) {
    throw await hinted(error, files);
  } finally {
    meter.clear();
  }
}

/**
 * Writes an answer's table in a table format.
 * @param width maximum number of characters in a line, for readable formats; null for no limit
 */
export async function printTable(
  table: AnyTable | undefined,
  format: string,
  write: Write,
  width: number | null = null,
): Promise<void> {
  if (table === undefined) throw new TypeError(`no table for the format ${format}`);
  for (const piece of tableText(
    await loadFormat(requireFormat(format)),
    table,
    width === null || !LIMITED.has(format) ? {} : { width },
  ))
    await write(piece);
}

/** The format that the user chose, the width of its lines, and the columns and rows, if any are selected. */
interface Choice {
  readonly format: string;
  readonly width: number | null;
  readonly chosen: TableChoice | null;
}

/**
 * Writes an answer: the selected columns and rows if there are any, else its document in the chosen format, else all of
 * its table.
 * @param documents what makes the answer in a format that is not a table, by format
 */
export async function printAnswer(
  table: AnyTable | undefined,
  { format, width, chosen }: Choice,
  write: Write,
  documents: Readonly<Partial<Record<string, () => string>>>,
): Promise<void> {
  if (chosen !== null && table !== undefined) return printTable(chosen.of(table), chosen.format, write, width);
  const document = documents[format];
  return document === undefined ? printTable(table, format, write, width) : write(document());
}

export function writeNotes(notes: readonly Note[], input: string): void {
  for (const note of notes) say('dprof', noteLine(note, input));
}
