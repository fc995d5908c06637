/** `dprof completion`, `dparse completion`: scripts with which shells ask a program for its commands, options and their values. */
import type { Argv } from 'yargs';
import { UsageError, requireName } from '../../record/errors.js';
import { emptyParser, HELP_OPTION, OUTPUT_OPTION, withOptions, type Option, type Tool } from '../arguments.js';
import type { Command, CommandEntry } from '../command.js';
import type { ToolName } from '../message.js';
import { withOutput } from '../output.js';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

const COMPLETION: Tool = {
  name: 'dprof completion',
  usage: 'dprof completion [OPTION...] SHELL',
  about: [
    'Prints a shell script that completes commands, options, columns, formats,',
    'devices and rules of dprof. dparse completion SHELL does so for dparse.',
  ],
  operands: [`SHELL: ${SHELLS.join(', ')}.`],
  words: SHELLS,
  options: [OUTPUT_OPTION, HELP_OPTION],
  examples: [
    'source <(dprof completion bash) && source <(dparse completion bash)',
    'dprof completion bash > ~/.local/share/bash-completion/completions/dprof',
    'dprof completion zsh > "${fpath[1]}/_dprof"',
    'dprof completion fish > ~/.config/fish/completions/dprof.fish',
  ],
};

/** @throws UsageError unless there is exactly one operand, the name of a known shell */
function scriptText(program: ToolName, operands: readonly string[]): string {
  const [name, ...others] = operands;
  if (name === undefined || others.length > 0)
    throw new UsageError('completion takes one SHELL', `usage: ${program} completion [OPTION...] SHELL`);
  return scriptOf(program, requireName('shell', name, SHELLS));
}

export const completion: Command = {
  tool: COMPLETION,
  run: async (given) => {
    const script = scriptText('dprof', given.operands);
    await withOutput(given.text('output'), [], async (write) => write(script));
  },
};

/** `dparse completion SHELL`. @throws UsageError as above */
export const dparseScript = (operands: readonly string[]): string => scriptText('dparse', operands);

/** The parser's own script for a shell; the parser reads the shell from the environment. */
function scriptOf(program: ToolName, shell: string): string {
  const before = { ...process.env };
  Object.assign(process.env, { SHELL: shell, ZSH_NAME: '' });
  try {
    const call = `completion ${shell}`;
    return printedFor([call], emptyParser(program).completion(call, false));
  } finally {
    for (const name of ['SHELL', 'ZSH_NAME']) restore(name, before[name]);
  }
}

function restore(name: string, value: string | undefined): void {
  if (value === undefined) Reflect.deleteProperty(process.env, name);
  else process.env[name] = value;
}

/** Output of the parser for these arguments. */
function printedFor(args: readonly string[], parser: Argv): string {
  let printed = '';
  void parser.parse(args, {}, (_error, _given, output) => {
    printed = output;
  });
  return printed === '' ? '' : `${printed}\n`;
}

/** The name of the parser's completion command; none of our commands has this name. */
const ASKED = 'words';

/**
 * Completions of the last word, one per line. In a list, the last entry is completed.
 * @param args arguments of the script: its option, the program, and the words of the line
 * @param program the program of the line
 * @param entries all its commands
 */
export async function wordsText(
  args: readonly string[],
  program: Tool,
  entries: Readonly<Record<string, CommandEntry>> = {},
): Promise<string> {
  let tool = program;
  const parser = withOptions(emptyParser(program.name, args), program, true);
  for (const [name, { title, load }] of Object.entries(entries)) {
    const isNamed = args.includes(name);
    if (isNamed) ({ tool } = await load());
    const commandTool = tool;
    const { words } = commandTool;
    parser.command(isNamed && words !== undefined ? `${name} [word]` : name, title, (command) => {
      if (!isNamed) return command;
      if (words !== undefined) command.positional('word', { choices: words });
      return withOptions(command, commandTool, true);
    });
  }
  const words = args.slice(1);
  const listed = valueWords(tool.options, words);
  if (listed !== null) return listed.map((word) => `${word}\n`).join('');
  const printed = printedFor(args, parser.completion(ASKED, false));
  // The parser lists short options with two dashes, which is wrong.
  return printed.replace(/^--\w(?:[:\t].*)?\n/gm, '');
}

/**
 * Option values that the parser cannot complete: entries of a list, as in `-c idx,op,t`; no words when the value is a file
 * name, so that the shell completes it. Null when the last word is not such a value.
 */
function valueWords(options: readonly Option[], words: readonly string[]): readonly string[] | null {
  const [flag, last = ''] = words.slice(-2);
  const option = options.find(
    ({ name, short, takes }) => takes !== undefined && (flag === `--${name}` || flag === `-${short}`),
  );
  if (option === undefined) return null;
  const { list, values, choices = values } = option;
  if (list !== true) return choices === undefined ? [] : null;
  const begun = last.slice(0, last.lastIndexOf(',') + 1);
  return (values ?? []).map((value) => begun + value).filter((word) => word.startsWith(last));
}
