/** Completion for fish. */
import type { Option } from '../../arguments.js';
import { flagsOf, type CompletedCommand } from './completion-words.js';

/** Within single quotes, fish knows two escapes. */
const quoted = (text: string): string => `'${text.replace(/[\\']/g, (sign) => `\\${sign}`)}'`;

/** A word of a list of candidates. */
const candidate = (value: string): string => (/\s/.test(value) ? `"${value}"` : value);

function value({ takes, values = [], list = false }: Option): string {
  if (takes === undefined) return '';
  if (values.length === 0) return ' -r';
  const words = values.map(candidate).join(' ');
  return ` -x -a ${quoted(list ? `(__fish_append , ${words})` : words)}`;
}

const optionLine = (condition: string, option: Option): string => {
  const names = flagsOf(option).map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  return `complete -c dprof -n ${quoted(condition)} ${names.join(' ')}${value(option)} -d ${quoted(option.help)}`;
};

/** @param own `dprof` itself */
export function fishCompletion(own: CompletedCommand, commands: readonly CompletedCommand[]): string {
  const none = `not __fish_seen_subcommand_from ${commands.map(({ name }) => name).join(' ')}`;
  return [
    '# Completion of dprof for fish. To load it: dprof completion fish | source',
    ...commands.map(({ name, title }) => `complete -c dprof -n __fish_use_subcommand -a ${name} -d ${quoted(title)}`),
    ...own.options.map((option) => optionLine(none, option)),
    ...commands.flatMap(({ name, options, operands }) => {
      const condition = `__fish_seen_subcommand_from ${name}`;
      const words =
        operands.length === 0 ? [] : [`complete -c dprof -n ${quoted(condition)} -f -a ${quoted(operands.join(' '))}`];
      return [...options.map((option) => optionLine(condition, option)), ...words];
    }),
    '',
  ].join('\n');
}
