/** `dprof terms`: what the words of answers mean. */
import { TERM_KINDS, TERMS, termsFor, type Term } from '../../prof/neuron/terms.js';
import { nearest, UsageError, UserError } from '../../record/errors.js';
import type { Column } from '../../table/column.js';
import { aligned } from '../../write/cell-text.js';
import { HELP_OPTION, MAX_CHARS_OPTION, OUTPUT_OPTION, type Arguments, type Tool } from '../arguments.js';
import type { Command } from '../command.js';
import { withOutput } from '../output.js';
import { CHOICE_NAMES } from '../choice-options.js';
import { READING_NAMES, tableChoice, tableOptions, unfit, WIDTH_OPTION, widthOf } from '../shared-options.js';
import { wrapped } from '../screens/layout.js';
import { formatOf, formatOption, withTableFormats } from '../records-command.js';
import { withinDocument } from '../answer-document.js';
import { printTable } from '../run-analysis.js';

const FORMATS = withTableFormats('text');

/** Columns in the order of a term's fields, as in JSON. */
export const TERM_COLUMNS: readonly Column<Term>[] = (
  [
    ['term', 26, 'the word'],
    ['kind', 12, 'word, abbreviation, engine, opcode, operand, queue, metric …'],
    ['unit', 8, 'in machine-readable output'],
    ['meaning', 0, 'what it means'],
    ['formula', 0, 'how it is computed'],
    ['shareOf', 0, 'denominator of its shares'],
  ] as const
).map(([key, width, doc]) => ({ key, header: key, type: 'str', width, doc, value: (term) => term[key] }));

const TERMS_TOOL: Tool = {
  name: 'dprof terms',
  usage: 'dprof terms [OPTION...] [WORD]',
  about: [
    'Explains the words of all answers, with unit and denominator, and those of AWS Neuron: metrics, engines, queues,',
    'opcodes, operands.',
  ],
  operands: [
    'WORD: a term or column, a part of one, or a regular expression, ignoring case. If no name matches, the meanings are',
    'searched for the whole word.',
  ],
  options: [
    formatOption(FORMATS),
    WIDTH_OPTION,
    MAX_CHARS_OPTION,
    ...tableOptions(TERM_COLUMNS.map(({ key }) => key)),
    OUTPUT_OPTION,
    HELP_OPTION,
  ],
  unfit: unfit([...CHOICE_NAMES, ...READING_NAMES, 'peaks'], 'terms does not read a profile'),
  examples: ['dprof terms exposed', "dprof terms 'dynamic.*percent'", 'dprof terms -f jsonl | jq -r .term'],
};

/** Maximum characters of a word in a message. */
const MOST_SHOWN = 80;

/** @throws UserError for a word that occurs in no term or meaning */
function chosen(word: string | undefined): readonly Term[] {
  if (word === undefined) return TERMS;
  const found = termsFor(word);
  if (found.length > 0) return found;
  const names = TERMS.map(({ term }) => term);
  const near = nearest(word, names);
  const shown = word.length > MOST_SHOWN ? `${word.slice(0, MOST_SHOWN)}…` : word;
  throw new UserError(`no term '${shown}'`, {
    hint: near === null ? 'dprof terms lists all' : `did you mean ${near}?`,
  });
}

const meaningWithShare = ({ meaning, shareOf }: Term): string =>
  shareOf === null ? meaning : `${meaning} Shares are of ${shareOf}.`;

/** @param width maximum number of characters in a line; null for no limit */
function text(terms: readonly Term[], width: number | null): string {
  const kinds = TERM_KINDS.map((kind) => ({ kind, found: terms.filter((term) => term.kind === kind) }));
  const blocks = kinds.flatMap(({ kind, found }) => {
    if (found.length === 0) return [];
    const lines = aligned(found.map((term) => [term.term, term.unit ?? '-', meaningWithShare(term)]));
    return [[`# ${kind}`, ...(width === null ? lines : found.flatMap((term) => narrowLines(term, width)))]];
  });
  const [only] = terms;
  const formula =
    terms.length === 1 && only !== undefined && only.formula !== null
      ? width === null
        ? [`= ${only.formula}`]
        : wrapped(`= ${only.formula}`, width, '  ')
      : [];
  return `${[...blocks.map((lines) => lines.join('\n')), ...formula].join(formula.length > 0 ? '\n' : '\n\n')}\n`;
}

/** The term with its unit, and its meaning below. */
function narrowLines(term: Term, width: number): string[] {
  const head = term.unit === null ? term.term : `${term.term} (${term.unit})`;
  return [head, ...wrapped(`  ${meaningWithShare(term)}`, width, '  ')];
}

async function run(given: Arguments): Promise<void> {
  const [word, ...others] = given.operands;
  if (others.length > 0)
    throw new UsageError(`terms takes one WORD, not ${others.length + 1}`, 'separate several terms with |');
  const format = formatOf(given, FORMATS);
  const found = chosen(word);
  const width = widthOf(given);
  const table = { columns: TERM_COLUMNS, rows: found };
  const choice = tableChoice(given, TERM_COLUMNS, { format, width });
  await withOutput(given.text('output'), [], (out) =>
    withinDocument(given.document, out, async (write) => {
      if (choice !== null) return printTable(choice.of(table), choice.format, write, width);
      return format === 'text' ? write(text(found, width)) : printTable(table, format, write, width);
    }),
  );
}

export const terms: Command = { tool: TERMS_TOOL, run };
