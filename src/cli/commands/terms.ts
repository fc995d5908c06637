/** `dprof terms`: what metrics, engines, queues and opcodes are called and mean. */
import { TERM_KINDS, TERMS, termsFor, type Term } from '../../prof/neuron/terms.js';
import { nearest, UsageError, UserError } from '../../record/errors.js';
import { requireName } from '../../record/names.js';
import type { Column } from '../../table/column.js';
import { optionLines, parseArguments, type Option, type Tool } from '../arguments.js';
import { aligned } from '../../write/aligned.js';
import type { Command } from '../command.js';
import { withOutput } from '../output.js';
import { commonOptions, printTable, withTableFormats } from '../run-analysis.js';

const FORMATS = withTableFormats('text');

const OPTIONS: readonly Option[] = commonOptions(FORMATS).filter(({ name }) => name !== 'quiet');

/** In the order of a term's own fields, which is that of JSON. */
const TERM_COLUMNS: readonly Column<Term>[] = (
  [
    ['term', 26, 'the word'],
    ['kind', 12, 'abbreviation, engine, opcode, queue, metric …'],
    ['unit', 8, 'of a metric'],
    ['meaning', 0, 'what it means'],
    ['formula', 0, 'how a metric is computed'],
  ] as const
).map(([key, width, doc]) => ({ key, header: key, type: 'str', width, doc, value: (term) => term[key] }));

const TOOL: Tool = { name: 'dprof terms', usage: 'dprof terms [OPTION...] [WORD]', options: OPTIONS };

const helpText = (): string =>
  [
    `Usage: ${TOOL.usage}`,
    'What the words of AWS Neuron profiles mean: metrics, engines, queues, opcodes, abbreviations.',
    '',
    'WORD: a term, a part of one, or a regular expression; without case. Where no term matches, meanings are searched.',
    '',
    'Options:',
    ...optionLines(OPTIONS),
    '',
    'Examples:',
    '  dprof terms MFU',
    "  dprof terms 'dynamic.*percent'",
    '  dprof terms -f json | jq -r .term',
    '',
  ].join('\n');

/**
 * @throws UserError for a word that is in no term and no meaning
 */
function chosen(word: string | undefined): readonly Term[] {
  if (word === undefined) return TERMS;
  const found = termsFor(word);
  if (found.length > 0) return found;
  const near = nearest(
    word,
    TERMS.map(({ term }) => term),
  );
  throw new UserError(`no term '${word}'`, {
    hint: near === null ? 'dprof terms lists all' : `did you mean ${near}?`,
  });
}

function text(terms: readonly Term[]): string {
  const kinds = TERM_KINDS.map((kind) => ({ kind, found: terms.filter((term) => term.kind === kind) }));
  const blocks = kinds.flatMap(({ kind, found }) => {
    if (found.length === 0) return [];
    const lines = aligned(found.map(({ term, unit, meaning }) => [term, unit ?? '-', meaning]));
    return [[`# ${kind}`, ...lines]];
  });
  const [only] = terms;
  const formula = terms.length === 1 && only !== undefined && only.formula !== null ? [`= ${only.formula}`] : [];
  return `${[...blocks.map((lines) => lines.join('\n')), ...formula].join(formula.length > 0 ? '\n' : '\n\n')}\n`;
}

async function run(args: readonly string[]): Promise<void> {
  const given = parseArguments(TOOL, args);
  const [word, ...others] = given.operands;
  if (others.length > 0) throw new UsageError(`one WORD, not ${others.length + 1}`, 'a|b finds several');
  const format = requireName('format', given.text('format') ?? 'text', FORMATS);
  if (given.on('help')) return withOutput(undefined, [], async (write) => write(helpText()));
  const found = chosen(word);
  await withOutput(given.text('output'), [], async (write) =>
    format === 'text' ? write(text(found)) : printTable({ columns: TERM_COLUMNS, rows: found }, format, write),
  );
}

export const terms: Command = {
  tool: TOOL,
  helpText,
  run,
};
