/** The way of every command over FILEs of records: reading, progress, output, exit code. */
import { say } from './message.js';
import { isAboutHost, withHostHint, type Analysis, type Answer, type HostRecords } from '../prof/analysis.js';
import { withReason } from '../prof/input/missing-device.js';
import type { Annotator } from '../prof/report/report.js';
import { UsageError, UserError } from '../record/errors.js';
import type { ProfileLine, ProfileRecord } from '../record/record.js';
import type { AnyTable } from '../table/table.js';
import { loadFormat, requireFormat } from '../write/formats.js';
import { tableText } from '../write/write-table.js';
import { confirmEndings, confirmWhole, openSources, withCut, type Source, type Wanted } from './input.js';
import { checkOutput, withOutput, type Write } from './output.js';
import { progress } from './progress.js';
import type { RecordsRequest } from './records-command.js';

/** A command's part in a run. */
export interface AnalysisRun<Facts> {
  readonly analysis: Analysis<Facts>;
  readonly annotator?: Annotator;
  /** Output that is ready before the input ends; called after each batch of records. */
  readonly ready?: () => string | Uint8Array | null;
  /** Whether no further record can change the answer: reading stops. */
  readonly isComplete?: () => boolean;
  /** Writes the answer, or what of it `ready` has not written; `input` is the input's name. */
  readonly print: (answer: Answer<Facts>, write: Write, input: string) => void | Promise<void>;
}

/** One pass over the records of the inputs, then the output, then notes on stderr. */
export async function runAnalysis<Facts>(
  request: Pick<RecordsRequest, 'files' | 'output' | 'quiet'>,
  run: AnalysisRun<Facts>,
): Promise<void> {
  const { files, output, quiet } = request;
  const inputs = files.length === 0 ? ['-'] : files;
  // An output that cannot be written is reported before minutes of reading.
  const existing = checkOutput(output, inputs);
  const meter = progress('dprof', !quiet);
  const source = await openSources(files, meter, run.analysis);
  let notes: Answer<Facts>['notes'] = [];
  try {
    await withOutput(output, inputs, async (write) => {
      await readRecords(source, run, write);
      meter.clear();
      const answer = run.analysis.finish(run.annotator?.rest() ?? []);
      notes = answer.notes;
      await run.print(answer, write, source.name);
      confirmWhole(source, existing, output);
    });
    if (!quiet) writeNotes(await Promise.all(notes.map((note) => hinted(explained(note, source), files))), source.name);
    confirmEndings(source, quiet);
  } catch (error) {
    throw withCut(namingInput(await hinted(explained(error, source), files), source.name), source);
  } finally {
    meter.clear();
    source.close();
  }
}

async function readRecords<Facts>(source: Source, run: AnalysisRun<Facts>, write: Write): Promise<void> {
  const { analysis, annotator, ready, isComplete } = run;
  for await (const batch of source.batches) {
    for (const record of batch) {
      analysis.take(record, annotator === undefined ? NO_ROWS : annotator.take(record));
      if (isComplete?.() === true) break;
    }
    const text = ready?.() ?? null;
    if (text !== null) await write(text);
    if (isComplete?.() === true) return;
  }
}

const NO_ROWS = [] as const;

/** Reads inputs to their end, for commands that read several times or for different ends; returns them, closed. */
export async function readInputs(
  files: readonly string[],
  quiet: boolean,
  wanted: Wanted,
  take: (record: ProfileLine) => void,
  end: () => void = () => undefined,
): Promise<Source> {
  const meter = progress('dprof', !quiet);
  const source = await openSources(files, meter, wanted);
  try {
    for await (const batch of source.batches) for (const record of batch) take(record);
    end();
    return source;
  } catch (error) {
    throw namingInput(await hinted(explained(error, source), files), source.name);
  } finally {
    meter.clear();
    source.close();
  }
}

/** Writes an answer's table in one of the table formats. */
export async function printTable(table: AnyTable | null, format: string, write: Write): Promise<void> {
  if (table === null) throw new TypeError(`no table for the format ${format}`);
  for (const piece of tableText(await loadFormat(requireFormat(format)), table)) await write(piece);
}

export function writeNotes(notes: readonly (string | UserError)[], input: string): void {
  for (const note of notes) {
    const line = note instanceof UserError ? (namingInput(note, input) as UserError).line : note;
    say('dprof', line);
  }
}

/** An error about what no device did, with the reason that a profiler recorded. */
const explained = <Failure>(error: Failure, { endings }: Source): Failure =>
  withReason(error, new Set(endings.flatMap(({ counted }) => [...counted]))) as Failure;

/** An error about what an input lacks, with a hint that answers for that input: it is looked at again. */
async function hinted<Failure>(error: Failure, files: readonly string[]): Promise<Failure> {
  if (!(error instanceof UserError) || !isAboutHost(error) || files.length === 0 || files.includes('-')) return error;
  try {
    return withHostHint(error, await hostRecordsOf(files)) as Failure & UserError;
  } catch (again) {
    // Such as a partial answer, which has no records: what was wrong first is what is said.
    if (again instanceof UserError) return error;
    throw again;
  }
}

async function hostRecordsOf(files: readonly string[]): Promise<HostRecords> {
  let [annotations, ranges, cpus] = [false, false, false];
  const source = await openSources(files, progress('dprof', false), { types: HOST_RECORDS, many: true });
  try {
    for await (const batch of source.batches) {
      ranges ||= batch.some(({ type }) => type === 'range');
      cpus ||= batch.some((record) => record.type === 'sample' && record.metric.startsWith('cpu_'));
      annotations ||= batch.some((record) => record.type === 'range' && record.kind === 'annotation');
      if (annotations) break;
    }
    return { annotations, ranges, cpus, isProfile: source.endings.some(({ isParsed }) => isParsed) };
  } finally {
    source.close();
  }
}

const HOST_RECORDS = new Set<ProfileLine['type']>(['profile', 'range', 'sample', 'end']);

/** Adds the name of the input to an error about the whole of it. */
function namingInput(error: unknown, name: string): unknown {
  const isUnnamed = error instanceof UserError && error.detail.where === undefined && !(error instanceof UsageError);
  return isUnnamed ? new UserError(error.what, { ...error.detail, where: name }) : error;
}

/** `# profile 0: net.json (kineto, rank 3)`; records without a profile line have the number alone. */
export function profileHeading(profile: number, header: ProfileRecord | null): string {
  if (header === null) return `# profile ${profile}`;
  const { file, format, rank } = header;
  return `# profile ${profile}: ${file} (${format}${rank === null ? '' : `, rank ${rank}`})`;
}
