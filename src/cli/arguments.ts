/** Command-line arguments from a table of options, which is the help's too. */
import { elementAt } from '../containers/element.js';
import parse from 'yargs-parser';
import { nearest, UsageError } from '../record/errors.js';

export interface Option {
  readonly name: string;
  readonly short?: string;
  /** Name of the value; a switch has none. */
  readonly takes?: string;
  readonly help: string;
  /** Values that the help lists after `help`. */
  readonly choices?: readonly string[];
  /** Values that shells complete; a file name where there are none. */
  readonly values?: readonly string[];
  /** Whether the value is a comma-separated list of them. */
  readonly list?: boolean;
  /** Whether it may be given several times; its value may then begin as an option does. */
  readonly repeats?: boolean;
}

/** A tool or a command of it: what its messages, its help and its manual page say. */
export interface Tool {
  readonly name: string;
  readonly usage: string;
  readonly about: readonly string[];
  readonly operands: readonly string[];
  readonly options: readonly Option[];
  /** Paragraphs below the options. */
  readonly notes?: readonly (readonly string[])[];
  readonly examples: readonly string[];
}

export const OUTPUT_OPTION: Option = {
  name: 'output',
  short: 'o',
  takes: 'OUT',
  help: 'write to OUT, which appears when it is complete',
};
export const HELP_OPTION: Option = { name: 'help', short: 'h', help: 'this text' };
/** `--quiet` of the tools themselves. */
export const SILENT_OPTION: Option = { name: 'quiet', short: 'q', help: 'no summary and no progress on stderr' };
export const VERSION_OPTION: Option = { name: 'version', help: 'version' };

export interface Arguments {
  /** Whether a switch is on. `no-x` in the table is asked for as `x`, which is on unless `--no-x` was given. */
  on(name: string): boolean;
  /** Whether a switch was given as `--x` or as `--no-x`; undefined when it was not given. */
  switched(name: string): boolean | undefined;
  /** The text given to an option; undefined when it was not given. */
  text(name: string): string | undefined;
  /** What the text of an option means; undefined when it was not given. */
  read<T>(name: string, meaning: (text: string) => T): T | undefined;
  /** The texts given to an option that repeats. */
  texts(name: string): readonly string[];
  readonly operands: readonly string[];
}

/** @throws UsageError for an option that is not in the table or lacks its value */
export function parseArguments(tool: Tool, args: readonly string[]): Arguments {
  const { others, texts } = withoutRepeated(tool, args);
  const given = parsed(tool, others);
  const text = (name: string): string | undefined => {
    const value = given[name];
    return typeof value === 'string' ? value : undefined;
  };
  const operands = given._.map(String);
  // A variable that is not set, in most scripts.
  if (operands.includes('')) throw new UsageError(`'' is no file`, `usage: ${tool.usage}`);
  if (operands.filter((file) => file === '-').length > 1) throw new UsageError('stdin (-) can be read once');
  const negated = new Set(tool.options.filter(({ name }) => name.startsWith('no-')).map(({ name }) => name.slice(3)));
  return {
    on: (name) => (negated.has(name) ? given[name] !== false : given[name] === true),
    switched: (name) => (typeof given[name] === 'boolean' ? given[name] : undefined),
    text,
    read: (name, meaning) => {
      const value = text(name);
      return value === undefined ? undefined : meaning(value);
    },
    texts: (name) => texts.filter(([own]) => own === name).map(([, value]) => value),
    operands,
  };
}

type GivenValues = Readonly<Record<string, unknown>> & { readonly _: readonly unknown[] };

/** Values by the names and letters of options. @throws UsageError for an option that is not in the table or lacks its value */
function parsed(tool: Tool, args: readonly string[]): GivenValues {
  // The parser keeps operands under this name, and fails on an option of that name.
  const end = args.indexOf('--');
  const options = end === -1 ? args : args.slice(0, end);
  if (options.some((arg) => /^--?_(?:=|$)/.test(arg))) throw unknownOption(tool, '_');
  const keyed = tool.options.map((option) => ({ ...option, key: option.name.replace(/^no-/, '') }));
  const valued = keyed.filter(({ takes }) => takes !== undefined).map(({ key }) => key);
  const { argv, error } = parse.detailed([...args], {
    boolean: keyed.filter(({ takes }) => takes === undefined).map(({ key }) => key),
    string: valued,
    // The parser's word for a value that must be there.
    narg: Object.fromEntries(valued.map((key) => [key, NaN])),
    alias: Object.fromEntries(keyed.map(({ key, short }) => [key, short === undefined ? [] : [short]])),
    configuration: {
      'camel-case-expansion': false,
      'dot-notation': false,
      'duplicate-arguments-array': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    },
  });
  if (error !== null) throw asUsageError(tool, error);
  const known = new Set(['_', ...keyed.flatMap(({ key, short }) => [key, short])]);
  const unknown = Object.keys(argv).find((key) => !known.has(key));
  if (unknown !== undefined) throw unknownOption(tool, unknown);
  return argv;
}

/** Takes the options that repeat, with their values, out of the arguments. @throws UsageError for one without a value */
function withoutRepeated(
  { options }: Tool,
  args: readonly string[],
): { others: string[]; texts: (readonly [name: string, text: string])[] } {
  const names = options.flatMap(({ name, repeats }) => (repeats === true ? [name] : []));
  const others: string[] = [];
  const texts: (readonly [string, string])[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    const name = names.find((name) => arg === `--${name}` || arg.startsWith(`--${name}=`));
    if (name === undefined) others.push(arg);
    else if (arg.includes('=')) texts.push([name, arg.slice(arg.indexOf('=') + 1)]);
    else if (args[i + 1] === undefined) throw new UsageError(`--${name} needs a value`);
    else texts.push([name, args[++i] ?? '']);
  }
  return { others, texts };
}

function unknownOption(tool: Tool, unknown: string): UsageError {
  const names = tool.options.map(({ name }) => name);
  const near = unknown.length === 1 ? null : nearest(unknown, names);
  const dashes = unknown.length === 1 ? '-' : '--';
  const hint = near === null ? `${tool.name} --help lists them` : `did you mean --${near}?`;
  return new UsageError(`unknown option ${dashes}${unknown}`, hint);
}

function asUsageError(tool: Tool, { message }: Error): UsageError {
  const needs = /^Not enough arguments following: (\S+)/.exec(message)?.[1];
  if (needs !== undefined) return new UsageError(`${needs.length === 1 ? '-' : '--'}${needs} needs a value`);
  return new UsageError(message, `usage: ${tool.usage}`);
}

export const helpOf = ({ usage, about, operands, options, notes = [], examples }: Tool): string =>
  [
    [`Usage: ${usage}`, ...about],
    operands,
    ['Options:', ...optionLines(options)],
    ...notes,
    ['Examples:', ...examples.map((example) => `  ${example}`)],
  ]
    .map((lines) => lines.map((line) => `${line}\n`).join(''))
    .join('\n');

/** The options, one line each; choices below. */
const optionLines = (options: readonly Option[]): string[] =>
  options.flatMap(({ name, short, takes, help, choices = [] }) => {
    const left = `${short === undefined ? '    ' : `-${short}, `}--${name}${takes === undefined ? '' : ` ${takes}`}`;
    const line = `  ${left.padEnd(20)} ${help}`;
    if (choices.length === 0) return [line];
    const listed = choices.map((choice, i) => (i < choices.length - 1 ? `${choice},` : choice));
    return [`${line}:`, ...wrapped(' '.repeat(23), listed)];
  });

/** Items after a label, broken into lines. @param width most characters of a line */
export function wrapped(label: string, items: readonly string[], width = 80): string[] {
  const lines = [label];
  for (const item of items) {
    const line = elementAt(lines, lines.length - 1);
    if (line.length + item.length + 1 > width) lines.push(`${' '.repeat(label.length)}${item}`);
    else lines[lines.length - 1] = line.endsWith(' ') ? line + item : `${line} ${item}`;
  }
  return lines;
}

/** The integer that an option's text writes. */
export function integer(option: string, text: string, least = -Infinity, most = Infinity): number {
  const value = /^[+-]?\d{1,9}$/.test(text) ? Number(text) : NaN;
  if (Number.isNaN(value) || value < least) {
    const atLeast = Number.isFinite(least) ? ` of at least ${least}` : '';
    throw new UsageError(`${option} takes a number${atLeast}, not '${text}'`);
  }
  if (value > most) throw new UsageError(`${option} takes a number of at most ${most}, not '${text}'`);
  return value;
}

/** Numbers that a list like `0-3,8` may have. */
const MOST_LISTED = 1_000_000;

/** The numbers that an option's text lists: `0-3,8`. */
export function numberList(option: string, text: string): ReadonlySet<number> {
  const numbers = new Set<number>();
  for (const item of text.split(',')) {
    const [, from, to = from] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(item.trim()) ?? [];
    const [first, last] = [Number(from), Number(to)];
    if (from === undefined || last < first || last - first >= MOST_LISTED)
      throw new UsageError(`${option} takes numbers as 0-3,8, not '${text}'`);
    for (let number = first; number <= last; number++) numbers.add(number);
  }
  return numbers;
}
