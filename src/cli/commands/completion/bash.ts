/** Completion for bash 3.2 and later. */
import { flagsOf, quoted, type CompletedCommand } from './completion-words.js';

/** Values one a line: some have blanks. */
const lines = (values: readonly string[]): string => quoted(values.join('\n'));

/** Branches of `case COMMAND:OPTION`, for options with a value. */
const valueBranches = ({ name, options }: CompletedCommand): string[] =>
  options.flatMap((option) => {
    const { takes, values = [], list = false } = option;
    if (takes === undefined) return [];
    const action = values.length === 0 ? ':' : `_dprof_values ${lines(values)}${list ? ' list' : ''}`;
    const flags = flagsOf(option).map((flag) => `${name}:${flag}`);
    return [`    ${flags.join('|')}) ${action}; return ;;`];
  });

const optionBranch = ({ name, options }: CompletedCommand): string =>
  `      ${name === '' ? "''" : name}) _dprof_values ${lines(options.flatMap(flagsOf))} ;;`;

const operandBranches = ({ name, operands }: CompletedCommand): string[] =>
  operands.length === 0 ? [] : [`    ${name}) _dprof_values ${lines(operands)} ;;`];

/** @param own `dprof` itself; its operands are the commands */
export function bashCompletion(own: CompletedCommand, commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name);
  const all = [own, ...commands];
  return [
    '# Completion of dprof for bash. To load it: source <(dprof completion bash)',
    '',
    '# Adds the values, one a line, that begin with the word; of a list, with its last entry.',
    '_dprof_values() {',
    "  local IFS=$'\\n' value before='' word=${cur//\\\\/}",
    '  if [[ $2 == list ]]; then',
    '    [[ $word == *,* ]] && before=${word%,*},',
    '    word=${word##*,}',
    '    compopt -o nospace 2>/dev/null',
    '  fi',
    '  for value in $1; do',
    '    [[ $value == "$word"* ]] && COMPREPLY+=("$before$(printf %q "$value")")',
    '  done',
    '}',
    '',
    '_dprof() {',
    '  local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=',
    '  COMPREPLY=()',
    '  # bash splits --format=csv into three words.',
    '  if [[ $cur == = ]]; then cur=; elif [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi',
    '  if (( COMP_CWORD > 1 )); then',
    `    case \${COMP_WORDS[1]} in ${names.join('|')}) command=\${COMP_WORDS[1]} ;; esac`,
    '  fi',
    '  case $command:$previous in',
    ...all.flatMap(valueBranches),
    '  esac',
    '  if [[ $cur == -* ]]; then',
    '    case $command in',
    ...all.map(optionBranch),
    '    esac',
    '    return',
    '  fi',
    `  if (( COMP_CWORD == 1 )); then _dprof_values ${lines(names)}; fi`,
    '  case $command in',
    ...commands.flatMap(operandBranches),
    '    *) ;;',
    '  esac',
    '}',
    '',
    '# Without a candidate, file names.',
    'complete -o default -F _dprof dprof',
    '',
  ].join('\n');
}
