/** Commands of `dprof` that read FILEs of records: their common options and how they are parsed. */
import { existsSync } from 'node:fs';
import { requireThere } from '../parse/files.js';
import { filesOfPattern } from '../parse/input/folder-files.js';
import { elementAt } from '../containers/element.js';
import { requireName } from '../record/errors.js';
import { FORMATS } from '../write/formats.js';
import { HELP_OPTION, MAX_CHARS_OPTION, OUTPUT_OPTION, type Arguments, type Option, type Tool } from './arguments.js';
import type { AnswerDocument } from './answer-document.js';
import type { Command } from './command.js';
import type { Opening } from '../sources/sources.js';
import { refuseTerminal } from './output.js';
import type { RecordChoice } from '../prof/input/record-choice.js';
import { readChoice } from './choice-options.js';
import { READING_OPTIONS, WIDTH_OPTION, widthOf } from './shared-options.js';

/**
 * Maximum memory that each device adds in commands that keep the times of all devices, for their help. Measured with
 * devices of one kernel and one copy: html takes 42 kB for each of 20,000 and 53 kB for each of 40,000; other commands take
 * 32 kB for each of 20,000.
 */
export const DEVICE_MEMORY = '60 kB per device';

/** A command's special formats, then the table formats; the first one is the default. */
export const withTableFormats = (...formats: readonly string[]): readonly string[] => [
  ...formats,
  ...FORMATS.map(({ id }) => id).filter((id) => !formats.includes(id)),
];

export const formatOption = (formats: readonly string[]): Option => ({
  ...{ name: 'format', short: 'f', takes: 'F', values: formats },
  help: `${formats.join(', ')} (${elementAt(formats, 0)})`,
});

export const QUIET_OPTION: Option = {
  name: 'quiet',
  short: 'q',
  help: 'no notes and no progress; lost data is still reported',
};

/**
 * The format given with `-f`; by default the first one. Both formats of JSON are `json`, because their rows are the same.
 * @throws UsageError for binary data that would go to a terminal
 */
export function formatOf(given: Arguments, formats: readonly string[]): string {
  const format = requireName('format', given.text('format') ?? elementAt(formats, 0), formats);
  if (BINARY.has(format)) refuseTerminal(given.text('output'), format);
  return rowFormat(format);
}

/** The format of the rows: `json` for `jsonl`. */
export const rowFormat = (format: string): string => (format === 'jsonl' ? 'json' : format);

/** Formats that are not text. */
const BINARY: ReadonlySet<string> = new Set(FORMATS.flatMap(({ id, binary }) => (binary === true ? [id] : [])));

/** Options for reading profiles, from the command line. */
export type Reading = Pick<Opening, 'parsing' | 'capture'>;

/** @throws UserError for a file that does not exist, even if no input needs it */
export function readReading(given: Arguments): Reading {
  const [program, capture, ncu] = READING_OPTIONS.map(({ name }) => given.text(name));
  requireThere([program, ncu, capture]);
  const parsing = { ...(program === undefined ? {} : { program }), ...(ncu === undefined ? {} : { ncu }) };
  return {
    ...(Object.keys(parsing).length === 0 ? {} : { parsing }),
    ...(capture === undefined ? {} : { capture }),
  };
}

export interface RecordsRequest {
  /** The only input, for suggested commands; undefined for stdin and for several inputs. */
  readonly file: string | undefined;
  /** All inputs; empty for stdin. */
  readonly files: readonly string[];
  readonly output: string | undefined;
  readonly quiet: boolean;
  readonly format: string;
  /** Maximum number of characters in a line, for readable tables; null for no limit. */
  readonly width: number | null;
  readonly reading?: Reading;
  /** The document with the answer, for `-f json`. */
  readonly document?: AnswerDocument | null;
  /** The part of the profile that the answer is about; all of it when absent. */
  readonly choice?: RecordChoice | undefined;
}

/**
 * @param texts number of operands before the files
 * @throws UserError for a pattern that matches no file
 */
export function readInputs({ operands }: Arguments, texts = 0): Pick<RecordsRequest, 'file' | 'files'> {
  const files = operands.flatMap((operand, index) => (index < texts ? [operand] : filesMeant(operand)));
  return { file: files.length === 1 ? files[0] : undefined, files };
}

/** Expands a quoted pattern as a shell would; a file or folder with that exact name takes precedence. */
const filesMeant = (operand: string): readonly string[] =>
  operand === '-' || existsSync(operand) ? [operand] : (filesOfPattern(operand) ?? [operand]);

/** Memory figures in the help are for records; a profile is parsed in the same process, which adds memory. */
export const MEMORY_OF_PROFILES = 'For a profile, add the memory of dparse (see dparse --help).';

/**
 * Makes a command with the common options.
 * @param tool the tool with its special options
 * @param formats the first one is the default; a single format needs no option
 * @param texts number of operands before the files
 */
export function recordsCommand(
  tool: Tool,
  formats: readonly string[],
  run: (given: Arguments, request: RecordsRequest) => Promise<void>,
  texts = 0,
): Command {
  const format = formats.length > 1 ? [formatOption(formats)] : [];
  // Partial answers are not parsed.
  const reading = tool.name === 'dprof merge' ? [] : READING_OPTIONS;
  const width = formats.includes('fitted') ? [WIDTH_OPTION] : [];
  const limit = formats.includes('json') ? [MAX_CHARS_OPTION] : [];
  const options = [
    ...format,
    ...width,
    ...limit,
    ...tool.options,
    ...reading,
    OUTPUT_OPTION,
    QUIET_OPTION,
    HELP_OPTION,
  ];
  const whole = { ...tool, options, notes: [...(tool.notes ?? []), [MEMORY_OF_PROFILES]] };
  return {
    tool: whole,
    run: (given) => {
      const request = {
        format: formatOf(given, formats),
        document: given.document,
        ...readInputs(given, texts),
        output: given.text('output'),
        quiet: given.on('quiet'),
        width: widthOf(given),
        reading: readReading(given),
        choice: readChoice(given, tool),
      };
      return run(given, request);
    },
  };
}
