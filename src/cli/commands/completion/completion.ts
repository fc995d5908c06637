/** `dprof completion`: scripts with which shells complete commands, options and their values. */
import { UsageError } from '../../../record/errors.js';
import { requireName } from '../../../record/names.js';
import { HELP_OPTION, helpOf, OUTPUT_OPTION, parseArguments, type Tool } from '../../arguments.js';
import type { Command, CommandEntry } from '../../command.js';
import { printText, withOutput } from '../../output.js';
import { DPROF } from '../../report/report-options.js';
import { bashCompletion } from './bash.js';
import { completedCommand, type CompletedCommand } from './completion-words.js';
import { fishCompletion } from './fish.js';
import { zshCompletion } from './zsh.js';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
const SCRIPTS: Readonly<
  Record<(typeof SHELLS)[number], (own: CompletedCommand, commands: readonly CompletedCommand[]) => string>
> = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

const COMPLETION: Tool = {
  name: 'dprof completion',
  usage: 'dprof completion [OPTION...] SHELL',
  about: ['A script with which a shell completes commands, options, columns, formats, devices and rules of dprof.'],
  operands: [`SHELL: ${SHELLS.join(', ')}.`],
  options: [OUTPUT_OPTION, HELP_OPTION],
  examples: [
    'source <(dprof completion bash)',
    'dprof completion bash > ~/.local/share/bash-completion/completions/dprof',
    'dprof completion zsh > "${fpath[1]}/_dprof"',
    'dprof completion fish > ~/.config/fish/completions/dprof.fish',
  ],
};

/** @param entries all commands, whose options are completed */
export function completion(entries: Readonly<Record<string, CommandEntry>>): Command {
  const run = async (args: readonly string[]): Promise<void> => {
    const given = parseArguments(COMPLETION, args);
    if (given.on('help')) return printText(helpOf(COMPLETION));
    const [name, ...others] = given.operands;
    if (name === undefined || others.length > 0) throw new UsageError('one SHELL', `usage: ${COMPLETION.usage}`);
    const shell = requireName('shell', name, SHELLS);
    const commands = await Promise.all(
      Object.entries(entries).map(async ([command, { title, load }]) =>
        completedCommand(command, title, (await load()).tool, command === 'completion' ? SHELLS : []),
      ),
    );
    const script = SCRIPTS[shell](completedCommand('', '', DPROF), commands);
    await withOutput(given.text('output'), [], async (write) => write(script));
  };
  return { tool: COMPLETION, run };
}
