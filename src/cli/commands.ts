/**
 * The commands of `dprof`, and which of them its arguments call: `dprof COMMAND [OPTION...] [FILE...]`. A file of that
 * name: `./NAME`.
 */
import type { CommandEntry, Command } from './command.js';
import { existsSync } from 'node:fs';
import { nearest, UsageError } from '../record/errors.js';
import { argumentsOf, emptyParser, helpOf, parsed, withOptions, type Arguments } from './arguments.js';
import { printText } from './output.js';
import { DPROF, DPROF_HELP } from './report/report-options.js';

/** Commands by name, each loaded when it is called. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  summary: {
    title: 'a profile on one screen: device time, kernels, copies, collectives, steps',
    load: async () => (await import('./commands/summary/summary.js')).summary,
  },
  terms: {
    title: 'what metrics, engines, queues and opcodes are called and mean',
    load: async () => (await import('./commands/terms.js')).terms,
  },
  monitor: {
    title: 'reports of neuron-monitor: table, CSV, JSON, Prometheus, CloudWatch',
    load: async () => (await import('./commands/monitor/monitor.js')).monitor,
  },
  steps: {
    title: 'time of each training step: computing, communication, neither',
    load: async () => (await import('./commands/steps.js')).steps,
  },
  ranks: {
    title: 'the ranks of a job: collectives matched, clocks aligned, who is late, why',
    load: async () => (await import('./commands/ranks.js')).ranks,
  },
  stacks: {
    title: 'device time by call stack, for FlameGraph and speedscope',
    load: async () => (await import('./commands/stacks.js')).stacks,
  },
  memory: {
    title: 'memory in use over time, its peak, and which ops held it then',
    load: async () => (await import('./commands/memory.js')).memory,
  },
  diff: {
    title: 'what got slower or faster from one profile to another, tested over steps',
    load: async () => (await import('./commands/diff/diff.js')).diff,
  },
  advise: {
    title: 'what is worth doing: rules with their evidence, and what may be gained',
    load: async () => (await import('./commands/advise.js')).advise,
  },
  html: {
    title: 'one page for the browser: summary, charts, advice, timeline; works offline',
    load: async () => (await import('./commands/html.js')).html,
  },
  perfetto: {
    title: 'a trace for Perfetto and chrome://tracing: devices, host, arrows, counters',
    load: async () => (await import('./commands/perfetto/perfetto.js')).perfetto,
  },
  sql: {
    title: 'one query in SQL over kernels, copies, ranges, steps; needs DuckDB',
    load: async () => (await import('./commands/sql.js')).sql,
  },
  partial: {
    title: 'what profiles add up to, in small files that merge: for jobs of many ranks',
    load: async () => (await import('./commands/partial.js')).partial,
  },
  merge: {
    title: 'files of dprof partial as one, in any order',
    load: async () => (await import('./commands/partial.js')).merge,
  },
  job: {
    title: 'many profiles by many processes: partial, merge, reports; also by Slurm',
    load: async () => (await import('./commands/job.js')).job(COMMANDS),
  },
  completion: {
    title: 'completion of commands, options and their values in bash, zsh and fish',
    load: async () => (await import('./commands/completion.js')).completion,
  },
};

/** What `dprof` does without a command. */
const REPORT: Command = {
  tool: DPROF,
  run: async (given) => (await import('./report/run-report.js')).reportCommand(given),
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
      (yargs) => withOptions(yargs, command.tool),
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
