/** The command of `dprof` that its arguments call; where they name none, the report of kernels. */
import { existsSync } from 'node:fs';
import { nearest, UsageError } from '../record/errors.js';
import { argumentsOf, emptyParser, helpOf, parsed, withOptions, type Arguments } from './arguments.js';
import type { Command } from './command.js';
import { COMMANDS } from './commands.js';
import { printText } from './output.js';
import { DPROF, DPROF_HELP } from './report/report-options.js';

/** What `dprof` does without a command. */
const REPORT: Command = {
  tool: DPROF,
  run: async (given) => (await import('./report/report-command.js')).reportCommand(given),
};

/** What scripts of `dprof completion` call dprof with, before the words of the line. */
const ASKS_FOR_WORDS = '--get-yargs-completions';

/** @param args the arguments after the tool's name */
export async function runCalled(args: readonly string[]): Promise<void> {
  if (args[0] === ASKS_FOR_WORDS) {
    const { wordsText } = await import('./commands/completion.js');
    return printText(await wordsText(args, COMMANDS));
  }
  const { command, given } = await callOf(args);
  if (!given.on('help')) return command.run(given);
  const titles = Object.entries(COMMANDS).map(([name, { title }]) => [name, title] as const);
  await printText(await (command === REPORT ? helpOf(DPROF_HELP, titles) : helpOf(command.tool)));
}

interface Call {
  readonly command: Command;
  readonly given: Arguments;
}

/** @throws UsageError as the parser does, and for a word that was meant to name a command */
async function callOf(args: readonly string[]): Promise<Call> {
  const named = Object.entries(COMMANDS).filter(([name]) => args.includes(name));
  const commands = await Promise.all(named.map(async ([name, { load }]) => [name, await load()] as const));
  // Options may come before the command's name: those that the report has too.
  const parser = withOptions(emptyParser('dprof', args), DPROF);
  let called = null as Call | null;
  for (const [name, command] of commands) {
    parser.command(
      name,
      '',
      (own) => withOptions(own, command.tool),
      (given) => {
        called = { command, given: argumentsOf(command.tool, given, given._.slice(1).map(String)) };
      },
    );
  }
  const given = parsed(commands[0]?.[1].tool ?? DPROF, parser, args);
  if (called !== null) return called;
  const operands = given._.map(String);
  refuseMisplaced(operands);
  return { command: REPORT, given: argumentsOf(DPROF, given, operands) };
}

/** @throws UsageError for the name of a command behind a file, and for a first word that is nearly one and no file */
function refuseMisplaced(operands: readonly string[]): void {
  const command = operands.find((word) => Object.hasOwn(COMMANDS, word) && !existsSync(word));
  if (command !== undefined)
    throw new UsageError(`no file '${command}', and a command comes first`, `dprof ${command} [OPTION...] [FILE...]`);
  const [word = ''] = operands;
  const near = /^[a-z]+$/i.test(word) && !existsSync(word) ? nearest(word, Object.keys(COMMANDS)) : null;
  if (near !== null) throw new UsageError(`no command and no file '${word}'`, `did you mean dprof ${near}?`);
}
