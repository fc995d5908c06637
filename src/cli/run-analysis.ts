/** What commands over FILEs of records share: their common options, and the way from records to output. */
import type { RecordTypes } from '../prof/input/records.js';
import { UsageError, UserError } from '../record/errors.js';
import type { ProfileLine, ProfileRecord } from '../record/record.js';
import { parseArguments, type Arguments, type Option, type Tool } from './arguments.js';
import { confirmEndings, confirmWhole, openSources } from './input.js';
import { checkOutput, withOutput, type Write } from './output.js';
import { progress } from './progress.js';

/** Options of every such command; the first of the formats is the default. */
export const commonOptions = (formats: readonly string[]): readonly [format: Option, ...others: Option[]] => [
  { name: 'format', short: 'f', takes: 'F', help: `${formats.join(', ')} (${formats[0] ?? ''})` },
  { name: 'output', short: 'o', takes: 'OUT', help: 'write to OUT, which appears when it is complete' },
  { name: 'quiet', short: 'q', help: 'no warnings and no progress' },
  { name: 'help', short: 'h', help: 'this text' },
];

export interface CommonRequest<Format extends string> {
  readonly help: boolean;
  /** The input, for commands that are shown; undefined for stdin, and for several. */
  readonly file: string | undefined;
  /** All inputs; none for stdin. */
  readonly files: readonly string[];
  readonly output: string | undefined;
  readonly quiet: boolean;
  readonly format: Format;
}

/**
 * Reads the arguments.
 * @throws UsageError for anything that cannot be meant
 */
export function readCommon<Format extends string>(
  tool: Tool,
  args: readonly string[],
  formats: readonly Format[],
): { readonly given: Arguments; readonly common: CommonRequest<Format> } {
  const given = parseArguments(tool, args);
  const id = given.text('format') ?? formats[0];
  const format = formats.find((known) => known === id);
  if (format === undefined) throw new UsageError(`unknown format '${id ?? ''}'`, `known: ${formats.join(', ')}`);
  const inputs = readInputs(given);
  const common = { help: given.on('help'), ...inputs, output: given.text('output'), quiet: given.on('quiet'), format };
  return { given, common };
}

/** @throws UsageError for stdin twice */
export function readInputs({ operands }: Arguments): Pick<CommonRequest<string>, 'file' | 'files'> {
  if (operands.filter((file) => file === '-').length > 1) throw new UsageError('stdin (-) can be read once');
  return { file: operands.length === 1 ? operands[0] : undefined, files: operands };
}

/** Files that must not be written onto. */
export const inputFiles = ({ files }: Pick<CommonRequest<string>, 'files'>): string[] =>
  files.filter((file) => file !== '-');

/** What a command does with the records of its input. */
export interface Pass {
  readonly types: RecordTypes;
  readonly take: (record: ProfileLine) => void;
  /**
   * Writes the output, when all records are taken.
   * @param name of the input, for messages
   */
  readonly end: (write: Write, name: string) => void | Promise<void>;
  /** What the user should know besides. */
  readonly notes: () => readonly string[];
}

/** One pass over the records of a command's input, then its output; a message about the whole names the input. */
export async function runAnalysis(request: CommonRequest<string>, pass: Pass): Promise<void> {
  const { files, output, quiet } = request;
  const inputs = inputFiles(request);
  // Before minutes of reading.
  const existing = checkOutput(output, inputs);
  const meter = progress('dprof', !quiet);
  const source = await openSources(files, meter, pass.types);
  try {
    for await (const batch of source.batches) for (const record of batch) pass.take(record);
    meter.clear();
    await withOutput(output, [...inputs, ...source.names], async (write) => {
      confirmWhole(source, existing, output);
      await pass.end(write, source.name);
    });
    if (!quiet) for (const note of pass.notes()) process.stderr.write(`dprof: ${note}\n`);
    confirmEndings(source, quiet);
  } catch (error) {
    throw namingInput(error, source.name);
  } finally {
    meter.clear();
    source.close();
  }
}

/** A message about the whole of an input names it. */
export function namingInput(error: unknown, name: string): unknown {
  const isUnnamed = error instanceof UserError && error.detail.where === undefined && !(error instanceof UsageError);
  return isUnnamed ? new UserError(error.what, { ...error.detail, where: name }) : error;
}

/** `# profile 0: net.json (kineto, rank 3)`; nothing is known of records without a profile line. */
export function profileHeading(profile: number, header: ProfileRecord | null): string {
  if (header === null) return `# profile ${profile}`;
  const { file, format, rank } = header;
  return `# profile ${profile}: ${file} (${format}${rank === null ? '' : `, rank ${rank}`})`;
}
