/** The options of `dparse`: one table for the parser and the help. */
import { READERS } from '../../parse/registry.js';
import { UNREADABLE } from '../../parse/unreadable.js';
import { UsageError } from '../../record/errors.js';
import { integer, optionLines, parseArguments, type Option, type Tool } from '../arguments.js';

const OPTIONS: readonly Option[] = [
  { name: 'output', short: 'o', takes: 'OUT', help: 'write to OUT, which appears when it is complete' },
  { name: 'format', takes: 'F', help: 'read the inputs as F', choices: READERS.map(({ id }) => id) },
  { name: 'jobs', short: 'j', takes: 'N', help: 'parse N inputs at a time (default 1; memory grows with N)' },
  { name: 'neff', takes: 'FILE', help: 'Neuron: the program that ran (default: the one beside it)' },
  { name: 'force', help: 'take that program although it is not the one that ran' },
  { name: 'ranges', help: 'write the host ranges too' },
  { name: 'quiet', short: 'q', help: 'no summary and no progress on stderr' },
  { name: 'formats', help: 'list the formats that can be read' },
  { name: 'help', short: 'h', help: 'this text' },
  { name: 'version', help: 'version' },
];

export const EXAMPLES = [
  'dparse net.sqlite > net.dict',
  'dparse -o net.dict net.sql && dprof -w 150 net.dict',
  "dparse -j 2 'rank_*.json.gz' | dprof --csv -c rank,step,op,sil,peak > all.csv",
  'dparse net.sqlite | jq -r \'select(.type=="copy") | [.kind,.bytes,.dur] | @tsv\'',
];

/** What the tool keeps in memory, for the help and the manual page. */
export const MEMORY = [
  'Memory per input: about 110 bytes a kernel or copy, 45 a host call, 40 a range,',
  '50 more an op of a trace, and 400 MB besides. Texts stay in a database; of a',
  'trace each is kept once.',
];

export const DPARSE: Tool = { name: 'dparse', usage: 'dparse [OPTION...] INPUT...', options: OPTIONS };

export function helpText(): string {
  return [
    `Usage: ${DPARSE.usage}`,
    'Profiles of any profiler → one stream of records, one JSON object a line.',
    '',
    'INPUT: files, folders (searched for profiles), globs, or - for stdin; .gz too.',
    'The format is detected by content, never by name.',
    '',
    'Options:',
    ...optionLines(OPTIONS),
    '',
    ...MEMORY,
    '',
    'Examples:',
    ...EXAMPLES.map((example) => `  ${example}`),
    '',
  ].join('\n');
}

export function formatsText(): string {
  const rows = READERS.map(({ id, title }) => `${id.padEnd(14)} ${title}\n`);
  const refused = UNREADABLE.map(({ title, hint }) => `  ${title}: ${hint}\n`);
  return `${rows.join('')}\nRecognised, and answered with what to do:\n${refused.join('')}`;
}

export interface DparseRequest {
  readonly show: 'records' | 'help' | 'formats' | 'version';
  readonly inputs: readonly string[];
  readonly output: string | undefined;
  readonly format: string | undefined;
  readonly jobs: number;
  readonly ranges: boolean;
  readonly program: string | undefined;
  readonly force: boolean;
  readonly quiet: boolean;
}

/**
 * Reads the arguments.
 * @throws UsageError for anything that cannot be meant
 */
export function readArguments(args: readonly string[]): DparseRequest {
  const given = parseArguments(DPARSE, args);
  const show = (['help', 'version', 'formats'] as const).find((name) => given.on(name)) ?? 'records';
  if (show === 'records' && given.operands.length === 0) {
    throw new UsageError('no INPUT', `usage: ${DPARSE.usage}; see dparse --help`);
  }
  return {
    show,
    inputs: given.operands,
    output: given.text('output'),
    format: given.text('format'),
    jobs: given.read('jobs', (text) => integer('-j', text, 1)) ?? 1,
    ranges: given.on('ranges'),
    program: given.text('neff'),
    force: given.on('force'),
    quiet: given.on('quiet'),
  };
}
