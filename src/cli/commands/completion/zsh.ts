/** Completion for zsh, by its `_arguments`. */
import type { Option } from '../../arguments.js';
import { flagsOf, quoted, type CompletedCommand } from './completion-words.js';

/** Text within a specification of `_arguments`. */
const escaped = (text: string): string => text.replace(/[\\[\]:]/g, (sign) => `\\${sign}`);

const word = (value: string): string => value.replace(/[^\w@%+=.,/-]/g, (sign) => `\\${sign}`);

function action({ values = [], list = false }: Pick<Option, 'values' | 'list'>): string {
  const words = values.map(word).join(' ');
  if (values.length === 0) return '_files';
  return list ? `_sequence compadd - ${words}` : `(${words})`;
}

/** `'(-f --format)'{-f,--format}'[help]:F:(csv json)'`. */
function specification(option: Option): string {
  const { help, takes } = option;
  const flags = flagsOf(option);
  const excluded = quoted(`(${flags.join(' ')})`);
  const names = flags.length === 1 ? flags.join('') : `{${flags.join(',')}}`;
  const value = takes === undefined ? '' : `:${escaped(takes)}:${action(option)}`;
  return `${excluded}${names}${quoted(`[${escaped(help)}]${value}`)}`;
}

const operands = ({ operands: words }: CompletedCommand): string => quoted(`*:operand:${action({ values: words })}`);

const branch = (command: CompletedCommand): string[] => [
  `    ${command.name})`,
  '      shift words; (( CURRENT-- ))',
  `      _arguments -s ${[...command.options.map(specification), operands(command)].join(' \\\n        ')}`,
  '      return ;;',
];

/** @param own `dprof` itself */
export function zshCompletion(own: CompletedCommand, commands: readonly CompletedCommand[]): string {
  return [
    '#compdef dprof',
    '# Completion of dprof for zsh. To load it: source <(dprof completion zsh)',
    '',
    '_dprof_first() {',
    '  local -a commands',
    `  commands=(${commands.map(({ name, title }) => quoted(`${name}:${escaped(title)}`)).join('\n    ')})`,
    '  _describe -t commands command commands',
    '  _files',
    '}',
    '',
    '_dprof() {',
    '  if (( CURRENT > 2 )); then case $words[2] in',
    ...commands.flatMap(branch),
    '  esac; fi',
    `  _arguments -s ${own.options.map(specification).join(' \\\n    ')} \\\n    '1: :_dprof_first' '*:file:_files'`,
    '}',
    '',
    'compdef _dprof dprof',
    '',
  ].join('\n');
}
