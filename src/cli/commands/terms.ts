/** `dprof terms`: what metrics, engines, queues and opcodes are called and mean. */
import { TERM_KINDS, TERMS, termsFor, type Term } from '../../prof/neuron/terms.js';
import { nearest, UsageError, UserError } from '../../record/errors.js';
import { optionLines, parseArguments, type Option, type Tool } from '../arguments.js';
import { aligned } from '../../write/aligned.js';
import type { Command } from '../commands.js';
import { withOutput } from '../output.js';

const FORMATS = ['text', 'json'] as const;

const OPTIONS: readonly Option[] = [
  { name: 'format', short: 'f', takes: 'F', help: `${FORMATS.join(', ')}: one JSON object a line` },
  { name: 'output', short: 'o', takes: 'OUT', help: 'write to OUT, which appears when it is complete' },
  { name: 'help', short: 'h', help: 'this text' },
];

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
 * @throws UserError for a word that stands nowhere
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
  const kinds = TERM_KINDS.map((kind) => terms.filter((term) => term.kind === kind)).filter(({ length }) => length > 0);
  const blocks = kinds.map((found) => {
    const lines = aligned(found.map(({ term, unit, meaning }) => [term, unit ?? '-', meaning]));
    return [`# ${found[0]?.kind ?? ''}`, ...lines];
  });
  const [only] = terms;
  const formula = terms.length === 1 && only !== undefined && only.formula !== null ? [`= ${only.formula}`] : [];
  return `${[...blocks.map((lines) => lines.join('\n')), ...formula].join(formula.length > 0 ? '\n' : '\n\n')}\n`;
}

async function run(args: readonly string[]): Promise<void> {
  const given = parseArguments(TOOL, args);
  const [word, ...others] = given.operands;
  if (others.length > 0) throw new UsageError(`one WORD, not ${others.length + 1}`, 'a|b finds several');
  const format = given.text('format') ?? 'text';
  if (!(FORMATS as readonly string[]).includes(format)) {
    throw new UsageError(`unknown format '${format}'`, `known: ${FORMATS.join(', ')}`);
  }
  const terms = given.on('help') ? [] : chosen(word);
  const shown = (): string =>
    format === 'json' ? terms.map((term) => `${JSON.stringify(term)}\n`).join('') : text(terms);
  await withOutput(given.text('output'), [], async (write) => write(given.on('help') ? helpText() : shown()));
}

export const terms: Command = {
  tool: TOOL,
  helpText,
  run,
};
