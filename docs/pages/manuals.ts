/** The manual pages, from the tables of options, formats, columns and commands, and the help of each command. */
import type { Option, Tool } from '../../src/cli/arguments.js';
import { COMMANDS } from '../../src/cli/commands.js';
import type { Command } from '../../src/cli/command.js';
import { DPARSE } from '../../src/cli/dparse/options.js';
import { REDACT } from '../../src/cli/dparse/redact-command.js';
import { DPROF } from '../../src/cli/report/report-options.js';
import { READERS } from '../../src/parse/registry.js';
import { UNREADABLE } from '../../src/parse/unreadable/unreadable.js';
import { COLUMNS } from '../../src/prof/columns/columns.js';
import { AGGREGATES } from '../../src/prof/by/aggregates.js';
import { FORMATS } from '../../src/write/formats.js';
import { bold, escape, italic, item, manual, paragraph, section, verbatim } from './troff.js';

function option({ name, short, takes, help, choices = [] }: Option): string {
  const value = takes === undefined ? '' : ` ${italic(takes)}`;
  const names = [...(short === undefined ? [] : [`${bold(`-${short}`)}${value}`]), `${bold(`--${name}`)}${value}`];
  return item(names.join(', '), choices.length === 0 ? help : `${help}: ${choices.join(', ')}`);
}

/** @param usages of the same name, each on a line */
const synopsis = (name: string, ...usages: readonly string[]): string =>
  section('SYNOPSIS', usages.map((usage) => `${bold(name)}${italic(usage.slice(name.length))}`).join('\n.br\n'));

/** "Memory: about …" on one line; the heading says the first word. */
const memory = ({ notes = [] }: Tool): string => section('MEMORY', paragraph(notes.flat().join(' ')));

const exitStatus = (done: string, failed: string): string =>
  section(
    'EXIT STATUS',
    item(bold('0'), done),
    item(bold('1'), failed),
    item(bold('2'), 'Wrong usage: an option, column or format that does not exist, or values that exclude each other.'),
  );

const environment = section(
  'ENVIRONMENT',
  item(bold('NO_COLOR'), 'When set, the progress line uses no terminal control sequences.'),
  item(bold('DPROF_DEBUG'), 'When 1, an error that is a defect of the program is shown with its stack.'),
);

const examples = (tool: Tool): string => section('EXAMPLES', verbatim(tool.examples));
const seeAlso = (...others: readonly string[]): string =>
  section('SEE ALSO', others.map((other) => `${bold(other)}(1)`).join(', '));

/** A command's page has a name of its own: `dprof-summary`. */
const pageOf = (command: string): string => `dprof-${command}`;

const REDACT_TITLE = 'write a copy of a profile that can be shared';

export const dparseManual = (version: string): string =>
  manual('dparse', version, [
    section('NAME', 'dparse \\- turn profiles of GPU programs into records'),
    synopsis('dparse', DPARSE.usage),
    section(
      'DESCRIPTION',
      paragraph(
        'Reads the profiles and writes one stream of records, one JSON object per line: a profile line, then the activities of the devices in order of start time, then an end line with counts and with what was odd. Each kernel carries the op calls, layers, call stack and sequence ids of the ranges around its launch.',
      ),
      paragraph(
        'INPUT is a file, a folder (searched for profiles), a glob, or - for standard input; each may be compressed (gzip, zstd, xz, bzip2). An archive (zip, tar) is read as a folder. The format is detected by content, never by name. If one of several inputs cannot be read, an error is printed on standard error, the others are parsed, and the exit status is 1.',
      ),
    ),
    section('OPTIONS', ...DPARSE.options.map(option)),
    section(
      'FORMATS',
      ...READERS.map(({ id, title }) => item(bold(id), title)),
      paragraph('Recognised, and answered with what to do:'),
      ...UNREADABLE.map(({ title, hint }) => item(title, hint)),
    ),
    section(
      'COMMANDS',
      item(bold('redact'), `${REDACT_TITLE}: see dparse-redact(1). To parse a file named redact, give ./redact.`),
    ),
    memory(DPARSE),
    exitStatus(
      'Done, also when a profile has no kernels, and when the reader of the output has closed it.',
      'An input cannot be read or the output cannot be written. One line on standard error says what, where, and what to do.',
    ),
    environment,
    examples(DPARSE),
    seeAlso('dparse-redact', 'dprof'),
  ]);

export const dprofManual = (version: string): string =>
  manual('dprof', version, [
    section('NAME', 'dprof \\- report which op and layer launched each kernel, and what it had to compute'),
    synopsis('dprof', DPROF.usage, 'dprof COMMAND [OPTION...] [FILE...]'),
    section(
      'DESCRIPTION',
      paragraph(
        'Reads dparse records (also compressed), a net.dict of PyProf or PyProf2, or a profile, which is then parsed on the way; standard input when no FILE is given. Writes one row per kernel in order of start time: op, module, layer, time, FLOPs, bytes, use of tensor cores and more. Backward kernels are paired with the forward call they belong to.',
      ),
      paragraph(
        'Unknown values are na (null in JSON), never 0. One line on standard error counts what could not be computed; --explain shows it for one kernel.',
      ),
    ),
    section('OPTIONS', ...DPROF.options.map(option)),
    section(
      'COMMANDS',
      paragraph('Reports of other kinds, each with a manual page of its own. A file of that name is given as ./NAME.'),
      ...Object.entries(COMMANDS).map(([name, { title }]) => item(bold(name), title)),
    ),
    section('COLUMNS', ...COLUMNS.map(({ key, header, doc }) => item(bold(key), `${header}: ${doc}`))),
    section(
      'GROUPS',
      paragraph(
        'With --by KEYS a row is all kernels that are equal in these columns. -c and --sort then take the keys and the columns below; --where is asked of kernels. The entries of a list are levels of a tree with --tree, and with --by layer; --sort and --top are then about rows with the same parent.',
      ),
      ...AGGREGATES.map(({ key, header, doc }) => item(bold(key), `${header}: ${doc}`)),
    ),
    section('FORMATS', ...FORMATS.map(({ id, title }) => item(bold(id), title))),
    section(
      'EXPRESSIONS',
      paragraph(
        'EXPR compares columns with values: == != > >= < <= compare, ~ matches if the text is contained (ignoring case), !~ if it is not. && or a comma joins conditions, || alternatives, parentheses group; quote a value with blanks or signs. Unknown values match only ==na. Nothing is evaluated.',
      ),
    ),
    memory(DPROF),
    exitStatus(
      'Done, even without kernels, or if the reader of the output closed it.',
      'The input cannot be read, a line is not a record, the width is too small, or the output cannot be written. One line on standard error says what, where, and what to do.',
    ),
    environment,
    examples(DPROF),
    seeAlso('dparse', ...Object.keys(COMMANDS).map(pageOf)),
  ]);

/** What begins a paragraph in a help text: `Memory: `, `Columns:`. */
const LABEL = /^\w+,?(?: \w+){0,3}:(?: |$)/;

/** Blocks of lines as troff: sentences as paragraphs, tables below them as they are. */
function prose(blocks: readonly (readonly string[])[]): string[] {
  const found: { text: string; readonly table: string[] }[] = [];
  for (const line of blocks.flatMap((block) => ['', ...block])) {
    const last = found.at(-1);
    const isIndented = line.startsWith('  ');
    if (isIndented && last?.text.endsWith(':') === true) last.table.push(line.slice(2));
    else if (last !== undefined && last.text === '') last.text = line;
    else if (last === undefined || line === '' || last.table.length > 0 || (!isIndented && LABEL.test(line))) {
      found.push({ text: line, table: [] });
    } else last.text += ` ${line.trim()}`;
  }
  return found
    .filter(({ text }) => text !== '')
    .flatMap(({ text, table }) => [paragraph(text), ...(table.length === 0 ? [] : [verbatim(table)])]);
}

/** A command's page: what it is for, its operands and options, notes, examples. */
function commandManual(page: string, title: string, tool: Tool, version: string): string {
  const notes = prose(tool.notes ?? []);
  return manual(page, version, [
    section('NAME', `${escape(page)} \\- ${escape(title)}`),
    synopsis(tool.name, tool.usage),
    section('DESCRIPTION', ...prose([[tool.about.join(' ')], tool.operands])),
    section('OPTIONS', ...tool.options.map(option)),
    ...(notes.length === 0 ? [] : [section('NOTES', ...notes)]),
    exitStatus(
      'Done, also when the reader of the output has closed it.',
      'The input cannot be read or contains nothing to report, or the output cannot be written. One line on standard error says what, where, and what to do.',
    ),
    environment,
    examples(tool),
    seeAlso('dprof', 'dparse'),
  ]);
}

export const redactManual = (version: string): string => commandManual('dparse-redact', REDACT_TITLE, REDACT, version);

/** Commands by name, loaded: pages are made without waiting. */
export const LOADED: readonly (readonly [name: string, title: string, command: Command])[] = await Promise.all(
  Object.entries(COMMANDS).map(async ([name, { title, load }]) => [name, title, await load()] as const),
);

/** The page of each command by its path. */
export const COMMAND_MANUALS: Readonly<Record<string, (version: string) => string>> = Object.fromEntries(
  LOADED.map(([name, title, command]) => [
    `man/${pageOf(name)}.1`,
    (version: string) => commandManual(pageOf(name), title, command.tool, version),
  ]),
);
