/** Parses command-line arguments with yargs, from a table of options that the help and the manual pages use too. */
import yargs, { type Argv } from 'yargs';
import { elementAt } from '../containers/element.js';
import { nearest, UsageError } from '../record/errors.js';
import { say, type ToolName } from './message.js';
import { AnswerDocument, MAX_CHARS, MOST_CHARS, schemaId } from './answer-document.js';
import { version } from './package-folder.js';

export interface Option {
  readonly name: string;
  readonly short?: string;
  /** Name of the value; absent for a switch. */
  readonly takes?: string;
  readonly help: string;
  /** Values that the help lists after `help`. */
  readonly choices?: readonly string[];
  /** Values that shells complete; without them shells complete file names. */
  readonly values?: readonly string[];
  /** Whether the value is a comma-separated list of these values. */
  readonly list?: boolean;
  /** Whether the option may be given several times; its value may then begin like an option. */
  readonly repeats?: boolean;
  /** Options that cannot be given together with this one. */
  readonly conflicts?: readonly string[];
  /** Former names of the option. They work for one version, with a notice. */
  readonly formerly?: FormerName;
}

/** An old spelling of an option. */
interface FormerName {
  /** Name without dashes. */
  readonly name: string;
  /** The values with which the old name means this option, if it now has another meaning; all values when absent. */
  readonly values?: RegExp;
}

/** A tool or one of its commands, with the texts of its messages, help and manual page. */
export interface Tool {
  readonly name: string;
  readonly usage: string;
  readonly about: readonly string[];
  readonly operands: readonly string[];
  /**
   * Name of the schema of its answers with `-f json`; null for arguments with which it prints something else. When absent,
   * the name of the command.
   */
  readonly schemaOf?: (given: Pick<Arguments, 'on' | 'text'>) => string | null;
  /** Words that shells complete as its operand, instead of file names. */
  readonly words?: readonly string[];
  readonly options: readonly Option[];
  /** Options of other commands that have no meaning here, by name, with the way to get the same result. */
  readonly unfit?: Readonly<Record<string, string>>;
  /** Paragraphs below the options. */
  readonly notes?: readonly (readonly string[])[];
  readonly examples: readonly string[];
}

export const OUTPUT_OPTION: Option = {
  name: 'output',
  short: 'o',
  takes: 'OUT',
  help: 'write to OUT (created only when finished)',
};
export const HELP_OPTION: Option = { name: 'help', short: 'h', help: 'show this help' };
/** The `--quiet` option of the tools themselves. */
export const SILENT_OPTION: Option = { name: 'quiet', short: 'q', help: 'no summary and no progress on stderr' };
export const VERSION_OPTION: Option = { name: 'version', help: 'version' };

export interface Arguments {
  /** Whether a switch is on. For `no-x` in the table ask for `x`, which is on unless `--no-x` was given. */
  on(name: string): boolean;
  /** Whether a switch was given as `--x` or as `--no-x`; undefined when it was not given. */
  switched(name: string): boolean | undefined;
  /** The text given to an option; undefined when it was not given. */
  text(name: string): string | undefined;
  /** The parsed value of an option; undefined when it was not given. */
  read<T>(name: string, meaning: (text: string) => T): T | undefined;
  /** All strings given to an option that may be repeated. */
  texts(name: string): readonly string[];
  readonly operands: readonly string[];
  /** The document of the answer; null for all other formats. */
  readonly document: AnswerDocument | null;
}

/**
 * Operands and values stay strings, and an option takes the next word as its value, whatever that begins with: `--sort
 * -sil`.
 */
const CONFIGURATION = {
  'camel-case-expansion': false,
  'dot-notation': false,
  'nargs-eats-options': true,
  'parse-numbers': false,
  'parse-positional-numbers': false,
};

const TEXTS = { 'Arguments %s and %s are mutually exclusive': '--%s and --%s cannot be combined (use one of them)' };

/** The parser would read `--q` as `-q`. Here it is the false discovery rate, which statistics call q. */
const spelled = (arg: string): string => arg.replace(/^--q(?==|$)/, '--fdr');

/** A parser without options, which throws on errors. */
export const emptyParser = (name: string, args: readonly string[] = []): Argv =>
  yargs(args.map(spelled))
    .scriptName(name)
    .locale('en')
    .updateStrings(TEXTS)
    .parserConfiguration(CONFIGURATION)
    .help(false)
    .version(false)
    .exitProcess(false)
    .fail(false);

/** The parser's key of an option: `no-x` in the table is `x`, which is on unless `--no-x` was given. */
const keyOf = ({ name }: Option): string => name.replace(/^no-/, '');

/**
 * Adds the options of a tool to a parser; inside a command, the options of `dprof` itself no longer apply.
 * @param completes whether a shell asks for completions, which include the values of options
 */
export function withOptions(parser: Argv, { options }: Tool, completes = false): Argv {
  for (const option of options) {
    const { name, short, takes, help, values, choices = values, list, conflicts } = option;
    parser.option(completes ? name : keyOf(option), {
      ...(short === undefined ? {} : { alias: short }),
      describe: help,
      global: false,
      ...(takes === undefined ? { type: 'boolean' } : { type: 'string', requiresArg: true }),
      ...(conflicts === undefined ? {} : { conflicts }),
      ...(completes && list !== true && choices !== undefined ? { choices } : {}),
    });
  }
  return parser;
}

/** Option with which completion scripts call a program, before the words of the line. */
export const ASKS_FOR_WORDS = '--get-yargs-completions';

/** The words before `--`. Words after it are operands, whatever they begin with. */
export const optionWords = (args: readonly string[]): readonly string[] =>
  args.includes('--') ? args.slice(0, args.indexOf('--')) : args;

/** Whether the arguments ask for help, whatever else they contain. */
export const asksForHelp = (args: readonly string[]): boolean =>
  optionWords(args).some((word) => /^(?:--help|-q?hq?)$/.test(word));

/**
 * @param shown the arguments that a JSON document names
 * @throws UsageError for an option that is not in the table or lacks its value, and for options that exclude each other
 */
export function parseArguments(tool: Tool, args: readonly string[], shown = args): Arguments {
  const [, ...name] = tool.name.split(' ');
  return argumentsOf(tool, { ...wordsOf(tool, args), args: [...name, ...shown] });
}

/** Values that the parser found, by option name; the operands are under `_`. */
interface ParsedArguments {
  readonly given: Readonly<Record<string, unknown>>;
  readonly operands: readonly string[];
  /** Notices about old spellings. */
  readonly notices: readonly string[];
  /** The words as they were given. */
  readonly args: readonly string[];
}

/**
 * Parses the words of a line by the options of a tool.
 * @param others options that take a value but that the tool does not have; `argumentsOf` rejects them @throws
 *   UsageError instead of the parser's error
 */
export function wordsOf(tool: Tool, args: readonly string[], others: readonly Option[] = []): ParsedArguments {
  // The parser keeps operands under this name, so it cannot be an option.
  if (args.some((arg) => /^--?_(?:=|$)/.test(arg))) throw unknownOption(tool, '_');
  const { words, notices } = renewed(tool, args);
  const options = [...tool.options, ...foreign(tool, others)];
  try {
    const { _: operands, ...given } = withOptions(emptyParser(tool.name, words), { ...tool, options }).parseSync();
    return { given, operands: operands.map(String), notices, args };
  } catch (error) {
    if (!(error instanceof Error) || error instanceof UsageError) throw error;
    const needs = /^Not enough arguments following: (\S+)/.exec(error.message)?.[1];
    throw needs === undefined ? new UsageError(error.message) : withoutValue(needs);
  }
}

/** Options that a tool does not have, so that the parser knows which of them take a value. */
function foreign({ options }: Tool, others: readonly Option[]): Option[] {
  const names = new Set(options.flatMap((option) => [keyOf(option), option.short]));
  return others.flatMap(({ short, ...option }) => {
    if (names.has(keyOf(option))) return [];
    const alone = { ...option, conflicts: [] };
    return [short === undefined || names.has(short) ? alone : { ...alone, short }];
  });
}

/** The words with the current names of options, and a notice for each old name. */
function renewed({ options }: Tool, args: readonly string[]): Pick<ParsedArguments, 'notices'> & { words: string[] } {
  const notices: string[] = [];
  const length = optionWords(args).length;
  const words = args.map((word, i) => {
    const [, name, joined] = /^--([\w-]+)(=[^]*)?$/.exec(i < length ? word : '') ?? [];
    const value = joined?.slice(1) ?? args[i + 1] ?? '';
    const option = options.find(
      ({ formerly }) => formerly !== undefined && formerly.name === name && (formerly.values?.test(value) ?? true),
    );
    if (option === undefined) return word;
    const which = option.formerly?.values === undefined ? '' : ` ${value}`;
    notices.push(`--${name ?? ''}${which} is now --${option.name}${which}; the next version drops the old name`);
    return `--${option.name}${joined ?? ''}`;
  });
  return { words, notices: [...new Set(notices)] };
}

/** @param operands the parser's operands, without the name of a command. @throws UsageError for invalid values */
export function argumentsOf(tool: Tool, words: ParsedArguments, operands = words.operands): Arguments {
  const { given, notices } = words;
  refuseUnknown(tool, given);
  // In scripts, an empty operand usually comes from an unset variable.
  if (operands.includes('')) throw new UsageError(`'' is not a file name`, `usage: ${tool.usage}`);
  if (operands.filter((file) => file === '-').length > 1) throw new UsageError('stdin (-) can be read only once');
  for (const notice of notices) say(programOf(tool), notice);
  /** When an option is given twice, the last value is used. */
  const last = (name: string): unknown => [given[name]].flat().at(-1);
  const text = (name: string): string | undefined => {
    const value = last(name);
    return typeof value === 'string' ? value : undefined;
  };
  const switched = (name: string): boolean | undefined => {
    const value = last(name);
    return typeof value === 'boolean' ? value : undefined;
  };
  const on = (name: string): boolean => switched(name) ?? tool.options.some((option) => option.name === `no-${name}`);
  return {
    on,
    switched,
    text,
    document: documentOf(tool, { on, text }, words.args),
    read: (name, meaning) => {
      const value = text(name);
      return value === undefined ? undefined : meaning(value);
    },
    texts: (name) => [given[name] ?? []].flat().map(String),
    operands,
  };
}

/** The format with an envelope. */
const JSON_FORMAT = 'json';

/** Limits the length of a JSON document. */
export const MAX_CHARS_OPTION: Option = {
  name: MAX_CHARS.slice(2),
  takes: 'N',
  help: 'json: at most N characters; the rest is counted',
};

/**
 * The document in which the answer will be written; null when it has another format.
 * @throws UsageError for a limit that is not a number, or for another format
 */
function documentOf(
  { name, options, schemaOf }: Tool,
  { on, text }: Pick<Arguments, 'on' | 'text'>,
  command: readonly string[],
): AnswerDocument | null {
  const limit = text(MAX_CHARS_OPTION.name);
  const most = limit === undefined ? null : integer(MAX_CHARS, limit, 1, MOST_CHARS);
  const hasFormat = options.some((option) => option.name === 'format' && option.values?.includes(JSON_FORMAT) === true);
  const isJson = hasFormat && text('format') === JSON_FORMAT;
  const schema = !isJson ? null : schemaOf === undefined ? name.replace('dprof ', '') : schemaOf({ on, text });
  if (schema !== null) {
    const head = { schema: schemaId(schema), tool: `dprof ${version()}`, command };
    return new AnswerDocument(head, text('output'), most);
  }
  if (most === null) return null;
  throw new UsageError(
    `${MAX_CHARS} limits the document of -f json`,
    isJson ? 'this output is not such a document' : 'add -f json',
  );
}

/** @throws UsageError for an unknown option, and for an option whose value is another option */
function refuseUnknown({ options, ...tool }: Tool, given: ParsedArguments['given']): void {
  const names = options.flatMap((option) => [keyOf(option), option.short ?? '']);
  const known = new Set(['$0', ...names]);
  const unknown = Object.keys(given).find((key) => !known.has(key));
  if (unknown !== undefined) throw unknownOption({ options, ...tool }, unknown);
  const flags = new Set(
    options.flatMap(({ name, short }) => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])]),
  );
  const without = options.find(({ name, repeats }) => repeats !== true && flags.has(String(given[name])));
  if (without !== undefined) throw withoutValue(without.name);
}

const dashed = (name: string): string => `${name.length === 1 ? '-' : '--'}${name}`;

const withoutValue = (name: string): UsageError => new UsageError(`${dashed(name)} needs a value`);

const programOf = ({ name }: Tool): ToolName => (name.startsWith('dparse') ? 'dparse' : 'dprof');

function unknownOption(tool: Tool, unknown: string): UsageError {
  const way = Object.entries(tool.unfit ?? {}).find(([name]) => name === unknown)?.[1];
  if (way !== undefined) return new UsageError(`${tool.name} does not take ${dashed(unknown)}`, way);
  const names = tool.options.map(({ name }) => name);
  const near = unknown.length === 1 ? null : nearest(unknown, names);
  const hint = near === null ? `${tool.name} --help lists them` : `did you mean --${near}?`;
  return new UsageError(`unknown option ${dashed(unknown)}`, hint);
}

/** Characters of a line of help. */
const HELP_WIDTH = 80;

/** Label at the start of a paragraph, which is then wrapped separately: `Memory: `, `Columns:`. */
const LABEL = /^\w+,?(?: \w+){0,3}:(?: |$)/;

/** Joins the lines of each paragraph of a string; rows of tables stay separate lines. */
function paragraphs(lines: readonly string[]): string[] {
  const found: string[] = [];
  for (const line of lines) {
    const last = found.at(-1);
    const isRow = line.startsWith(' ') && !/^ {5}/.test(line);
    if (last === undefined || isRow || last.startsWith('  ') || last.endsWith(':') || LABEL.test(line))
      found.push(line);
    else found[found.length - 1] = `${last} ${line.trim()}`;
  }
  return found;
}

/** Breaks a line at blanks; a row of a table continues below its last column. */
function folded(line: string, words = line.trim().split(' '), end = ''): string {
  if (line.length <= HELP_WIDTH) return line;
  const indent = ' '.repeat(/^ +\S+ {2,}/.exec(line)?.[0].length ?? /^ */.exec(line)?.[0].length ?? 0);
  const lines: string[] = [];
  let current = /^ */.exec(line)?.[0] ?? '';
  for (const [i, word] of words.entries()) {
    const next = i === 0 ? current + word : `${current} ${word}`;
    if (i > 0 && next.length + end.length > HELP_WIDTH) {
      lines.push(current.trimEnd() + end);
      current = `${indent}${end === '' ? '' : '    '}${word}`;
    } else current = next;
  }
  return [...lines, current].join('\n');
}

const foldedLines = (lines: readonly string[]): string =>
  paragraphs(lines)
    .map((line) => folded(line))
    .join('\n');

/** Breaks a long command of an example with backslashes; quoted strings are not broken. */
const foldedExample = (example: string): string =>
  folded(`  ${example}`, example.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [], ' \\').trimStart();

/** The help text, as the parser lays it out. @param commands the commands with their titles */
export async function helpOf(
  tool: Tool,
  commands: readonly (readonly [name: string, title: string])[] = [],
): Promise<string> {
  const { usage, about, operands, options, notes = [], examples } = tool;
  const parser = emptyParser('')
    .usage([`Usage: ${usage}`, foldedLines(about), '', foldedLines(operands)].join('\n'))
    .wrap(HELP_WIDTH);
  for (const { name, short, takes, help, choices } of options) {
    // The parser shows only names, so the name includes the value.
    parser.option(takes === undefined ? name : `${name} ${takes}`, { alias: short, describe: help, choices });
  }
  for (const [name, title] of commands) parser.command(name, title);
  const shown = examples.map((example) => `  ${foldedExample(example)}`);
  const blocks = [...(shown.length === 0 ? [] : [['Examples:', ...shown].join('\n')]), ...notes.map(foldedLines)];
  // Otherwise the parser would format them again.
  return `${(await parser.getHelp()).trimEnd()}\n\n${blocks.join('\n\n')}\n`;
}

/** Items after a label, wrapped into lines. @param width maximum characters in a line */
export function wrapped(label: string, items: readonly string[], width = 80): string[] {
  const lines = [label];
  for (const item of items) {
    const line = elementAt(lines, lines.length - 1);
    if (line.length + item.length + 1 > width) lines.push(`${' '.repeat(label.length)}${item}`);
    else lines[lines.length - 1] = line.endsWith(' ') ? line + item : `${line} ${item}`;
  }
  return lines;
}

/** Maximum integer, also below zero, of an option without a lower limit. */
const MOST_INTEGER = 999_999_999;

/** Parses an option's text as an integer. */
export function integer(option: string, text: string, least = -MOST_INTEGER, most = MOST_INTEGER): number {
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : NaN;
  if (Number.isNaN(value) || value < least) {
    const atLeast = Number.isNaN(value) && least === -MOST_INTEGER ? '' : ` of at least ${least}`;
    throw new UsageError(`${option} takes a number${atLeast}, not '${text}'`);
  }
  if (value > most) throw new UsageError(`${option} takes a number of at most ${most}, not '${text}'`);
  return value;
}

/** Maximum number of numbers in a list like `0-3,8`. */
const MOST_LISTED = 1_000_000;

/** Parses an option's list of numbers: `0-3,8`. */
export function numberList(option: string, text: string): ReadonlySet<number> {
  const numbers = new Set<number>();
  for (const item of text.split(',')) {
    const [, from, to = from] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(item.trim()) ?? [];
    const [first, last] = [Number(from), Number(to)];
    if (from === undefined || last < first || last - first >= MOST_LISTED)
      throw new UsageError(`${option} takes numbers such as 0-3,8, not '${text}'`);
    for (let number = first; number <= last; number++) numbers.add(number);
  }
  return numbers;
}
