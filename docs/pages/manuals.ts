/** man/dparse.1 and man/dprof.1, from the tables of options, formats and columns. */
import type { Option, Tool } from '../../src/cli/arguments.js';
import * as dparse from '../../src/cli/dparse-options.js';
import * as dprof from '../../src/cli/dprof-options.js';
import { READERS, UNREADABLE } from '../../src/parse/registry.js';
import { COLUMNS } from '../../src/prof/columns.js';
import { FORMATS } from '../../src/write/format.js';
import { bold, italic, item, manual, paragraph, section, verbatim } from './troff.js';

function option({ name, short, takes, help }: Option): string {
  const value = takes === undefined ? '' : ` ${italic(takes)}`;
  const names = [...(short === undefined ? [] : [`${bold(`-${short}`)}${value}`]), `${bold(`--${name}`)}${value}`];
  return item(names.join(', '), help);
}

const synopsis = (tool: Tool): string => {
  const [name = '', ...rest] = tool.usage.split(' ');
  return section('SYNOPSIS', `${bold(name)} ${italic(rest.join(' '))}`);
};

/** "Memory: about …" on one line; the heading says the first word. */
const memory = (lines: readonly string[]): string => section('MEMORY', paragraph(lines.join(' ')));

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

const examples = (lines: readonly string[]): string => section('EXAMPLES', verbatim(lines));
const seeAlso = (other: string): string => section('SEE ALSO', `${bold(other)}(1)`);

export const dparseManual = (version: string): string =>
  manual('dparse', version, [
    section('NAME', 'dparse \\- turn profiles of GPU programs into records'),
    synopsis(dparse.DPARSE),
    section(
      'DESCRIPTION',
      paragraph(
        'Reads the profiles and writes one stream of records, one JSON object a line: a profile line, then the activities of the devices in order of start, then an end line with counts and with what was odd. Each kernel carries the op calls, layers, call stack and sequence ids of the ranges around its launch.',
      ),
      paragraph(
        'INPUT is a file, a folder (searched for profiles), a glob, or - for standard input; each may be gzipped. The format is told by content, never by name. Of several inputs, one that cannot be read is told on standard error, the others are parsed, and the exit status is 1.',
      ),
    ),
    section('OPTIONS', ...dparse.DPARSE.options.map(option)),
    section(
      'FORMATS',
      ...READERS.map(({ id, title }) => item(bold(id), title)),
      paragraph('Recognised, and answered with what to do:'),
      ...UNREADABLE.filter(({ title }) => title !== 'text').map(({ title, hint }) => item(title, hint)),
    ),
    memory(dparse.MEMORY),
    exitStatus(
      'Done, also when a profile has no kernels, and when the reader of the output has closed it.',
      'An input cannot be read or the output cannot be written. One line on standard error says what, where, and what to do.',
    ),
    environment,
    examples(dparse.EXAMPLES),
    seeAlso('dprof'),
  ]);

export const dprofManual = (version: string): string =>
  manual('dprof', version, [
    section('NAME', 'dprof \\- report which op and layer launched each kernel, and what it had to compute'),
    synopsis(dprof.DPROF),
    section(
      'DESCRIPTION',
      paragraph(
        'Reads records of dparse (also gzipped), a net.dict of PyProf or PyProf2, or a profile, which is then parsed on the way; standard input when no FILE is given. Writes one row per kernel in order of start: op, module, layer, time, FLOPs, bytes, use of tensor cores and more. Backward kernels are paired with the forward call they belong to.',
      ),
      paragraph(
        'Unknown is na (null in JSON), never 0. What could not be computed is summed up in one line on standard error; --explain tells it for one kernel.',
      ),
    ),
    section('OPTIONS', ...dprof.DPROF.options.map(option)),
    section('COLUMNS', ...COLUMNS.map(({ key, header, doc }) => item(bold(key), `${header}: ${doc}`))),
    section('FORMATS', ...FORMATS.map(({ id, title }) => item(bold(id), title))),
    section(
      'EXPRESSIONS',
      paragraph(
        'EXPR compares columns with values: == != > >= < <= compare, ~ asks whether the text is contained (in any case), !~ whether it is not. && or a comma joins conditions, || alternatives, parentheses group; a value with blanks or signs stands in quotes. Unknown matches nothing but ==na. Nothing is evaluated.',
      ),
    ),
    memory(dprof.MEMORY),
    exitStatus(
      'Done, also when there are no kernels, and when the reader of the output has closed it.',
      'The input cannot be read, a line is no record, the width is too small, or the output cannot be written. One line on standard error says what, where, and what to do.',
    ),
    environment,
    examples(dprof.EXAMPLES),
    seeAlso('dparse'),
  ]);
