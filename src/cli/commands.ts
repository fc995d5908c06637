/**
 * The commands of `dprof`, and the selection of a command by the arguments: `dprof COMMAND [OPTION...] [FILE...]`. A
 * file with the name of a command is given as `./NAME`.
 */
import type { CommandEntry, Command } from './command.js';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { nearest, UsageError } from '../record/errors.js';
import { ASKS_FOR_WORDS, argumentsOf, asksForHelp, helpOf, optionWords, wordsOf, type Arguments } from './arguments.js';
import { printText } from './output.js';
import { packageFolder } from './package-folder.js';
import { DPROF, DPROF_HELP } from './report/report-options.js';

/** Commands by name; each module is loaded when its command is called. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  summary: {
    title: 'a profile on one screen: device time, kernels, copies, steps',
    load: async () => (await import('./commands/summary/summary.js')).summary,
  },
  terms: {
    title: 'names and meanings of metrics, engines, queues and opcodes',
    load: async () => (await import('./commands/terms.js')).terms,
  },
  monitor: {
    title: 'neuron-monitor reports: table, CSV, Prometheus, CloudWatch',
    load: async () => (await import('./commands/monitor/monitor.js')).monitor,
  },
  steps: {
    title: 'time of each training step: computing, communication, neither',
    load: async () => (await import('./commands/steps.js')).steps,
  },
  'critical-path': {
    title: 'what determined how long each step took',
    load: async () => (await import('./commands/critical-path.js')).criticalPath,
  },
  ranks: {
    title: 'the ranks of a job: clocks aligned, who is late, and why',
    load: async () => (await import('./commands/ranks.js')).ranks,
  },
  stacks: {
    title: 'device time by call stack, for FlameGraph and speedscope',
    load: async () => (await import('./commands/stacks.js')).stacks,
  },
  sequences: {
    title: 'kernels that often follow each other, as candidates for fusion',
    load: async () => (await import('./commands/sequences.js')).sequences,
  },
  overlap: {
    title: 'which streams or kinds of work run at once, and how long',
    load: async () => (await import('./commands/overlap.js')).overlap,
  },
  queues: {
    title: 'launched work that waits on each stream, blocked launches',
    load: async () => (await import('./commands/queues.js')).queues,
  },
  memory: {
    title: 'memory in use over time, its peak, and which ops held it then',
    load: async () => (await import('./commands/memory.js')).memory,
  },
  diff: {
    title: 'what got slower or faster from one profile to another',
    load: async () => (await import('./commands/diff/diff.js')).diff,
  },
  check: {
    title: 'whether a profile is complete, and what its faults affect',
    load: async () => (await import('./commands/check.js')).check,
  },
  advise: {
    title: 'what is worth changing, and what it may save',
    load: async () => (await import('./commands/advise.js')).advise,
  },
  repro: {
    title: 'a PyTorch script that runs the op of a kernel alone',
    load: async () => (await import('./commands/repro.js')).repro,
  },
  html: {
    title: 'one offline page for the browser: charts, advice, timeline',
    load: async () => (await import('./commands/html.js')).html,
  },
  perfetto: {
    title: 'a trace for Perfetto and chrome://tracing',
    load: async () => (await import('./commands/perfetto/perfetto.js')).perfetto,
  },
  sql: {
    title: 'one SQL query over kernels, copies, ranges, steps (DuckDB)',
    load: async () => (await import('./commands/sql.js')).sql,
  },
  partial: {
    title: 'reduce profiles to small mergeable files, for many ranks',
    load: async () => (await import('./commands/partial.js')).partial,
  },
  merge: {
    title: 'merge files of dprof partial, in any order',
    load: async () => (await import('./commands/partial.js')).merge,
  },
  job: {
    title: 'reports on many profiles, with many processes or Slurm',
    load: async () => (await import('./commands/job.js')).job(COMMANDS),
  },
  mcp: {
    title: 'answers for agents over MCP (stdio), read-only',
    load: async () => (await import('./commands/mcp.js')).mcp(COMMANDS),
  },
  completion: {
    title: 'shell completion for bash, zsh and fish',
    load: async () => (await import('./commands/completion.js')).completion,
  },
};

/** The report that `dprof` prints without a command. */
const REPORT: Command = {
  tool: DPROF,
  run: async (given) => (await import('./report/run-report.js')).reportCommand(given),
};

/** @param args the arguments after the tool's name */
export async function runCalled(args: readonly string[]): Promise<void> {
  if (args[0] === ASKS_FOR_WORDS) {
    const { wordsText } = await import('./commands/completion.js');
    return printText(await wordsText(args, DPROF, { ...COMMANDS, [HELP_COMMAND]: HELP_ENTRY }));
  }
  const asked = helpAsked(args);
  if (asked !== null) return printText(await asked());
  const { command, given } = await callOf(args);
  try {
    await command.run(given);
  } catch (error) {
    await given.document?.refuse(error);
    throw error;
  }
}

/** The word that asks for help when it is in the place of a command. */
export const HELP_COMMAND = 'help';
/** After it, the word for the page for agents. */
const AGENTS = 'agents';

/** Data for the completion of the command. */
const HELP_ENTRY: CommandEntry = {
  title: 'the help of dprof, or of a command',
  load: () =>
    Promise.resolve({
      tool: { ...DPROF, name: 'dprof help', words: [...Object.keys(COMMANDS), AGENTS], options: [] },
      run: () => Promise.resolve(),
    }),
};

/** The help for `dprof help`, `dprof help COMMAND` or `--help` anywhere; null when no help is requested. */
function helpAsked(args: readonly string[]): (() => Promise<string>) | null {
  const words = optionWords(args);
  const named = words.find((word) => Object.hasOwn(COMMANDS, word));
  const [first = '', ...others] = args.filter((word) => word !== '-h' && word !== '--help');
  if (first === HELP_COMMAND) {
    const [name] = others;
    if (name === AGENTS) return agentsHelp;
    return name === undefined || name === 'dprof' ? toolHelp : () => commandHelp(name);
  }
  if (!asksForHelp(args)) return null;
  if (named !== undefined) return () => commandHelp(named);
  return nearCommand(first) === null ? toolHelp : () => commandHelp(first);
}

/** The page for agents, which `npm run docs` makes. */
const agentsHelp = async (): Promise<string> => {
  const { readFile } = await import('node:fs/promises');
  return readFile(join(packageFolder(), 'docs/skill/dprof/SKILL.md'), 'utf8');
};

function toolHelp(): Promise<string> {
  const titles = Object.entries(COMMANDS).map(([name, { title }]) => [name, title] as const);
  return helpOf(DPROF_HELP, titles);
}

/** What to run instead, by words that users may type as commands and that name no command. */
const COMMAND_WORDS: Readonly<Record<string, string>> = {
  kernels: 'dprof FILE has a row for each kernel',
  kernel: 'dprof FILE has a row for each kernel',
  rows: 'dprof FILE has a row for each kernel',
  ops: 'dprof --by op FILE',
  layers: 'dprof --by layer FILE',
  groups: 'dprof --by KEYS FILE',
  by: 'dprof --by KEYS FILE',
  explain: 'dprof --explain N FILE',
  coll: 'dprof --by collective FILE, or dprof ranks FILE...',
  collectives: 'dprof --by collective FILE, or dprof ranks FILE...',
  communication: 'dprof --by collective FILE, or dprof ranks FILE...',
  idle: 'dprof advise FILE, or dprof summary FILE',
  compare: 'dprof diff BASE NEW',
  timeline: 'dprof html -o PAGE FILE, or dprof perfetto -o TRACE FILE',
  trace: 'dprof perfetto -o TRACE FILE',
  report: 'dprof html -o PAGE FILE',
  flamegraph: 'dprof stacks FILE',
  stragglers: 'dprof ranks FILE...',
  glossary: 'dprof terms',
};

const wordHint = (word: string): string | null =>
  Object.hasOwn(COMMAND_WORDS, word) ? (COMMAND_WORDS[word] ?? null) : null;

/** @throws UsageError for a name that no command has */
async function commandHelp(name: string): Promise<string> {
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (entry !== undefined) return helpOf((await entry.load()).tool);
  const near = nearest(name, Object.keys(COMMANDS));
  const hint = near === null ? 'dprof help lists them' : `did you mean dprof help ${near}?`;
  throw new UsageError(`no command '${name}'`, wordHint(name) ?? hint);
}

interface Call {
  readonly command: Command;
  readonly given: Arguments;
}

/**
 * The command whose name is the first operand, whatever options are before and after it; otherwise the report.
 * @throws UsageError as the parser does, and for a word that was meant to name a command
 */
async function callOf(args: readonly string[]): Promise<Call> {
  for (const name of new Set(optionWords(args))) {
    const command = await (Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined)?.load();
    if (command === undefined) continue;
    const words = wordsOf(command.tool, args, DPROF.options);
    if (words.operands[0] !== name) continue;
    return { command, given: argumentsOf(command.tool, words, words.operands.slice(1)) };
  }
  const words = wordsOf(DPROF, args);
  refuseMisplaced(words.operands);
  return { command: REPORT, given: argumentsOf(DPROF, words) };
}

/** The command that a word was meant to name; null for the name of a file. */
const nearCommand = (word: string): string | null =>
  /^[a-z]+$/i.test(word) && !existsSync(word) ? nearest(word, Object.keys(COMMANDS)) : null;

/** Options that show a list instead of an answer. Users may type them as commands. */
const SHOWN: readonly string[] = ['version', 'columns', 'devices'];

/**
 * @throws UsageError for the name of a command after a file, and for a first word that is similar to one and is not a file
 */
function refuseMisplaced(operands: readonly string[]): void {
  const command = operands.find((word) => Object.hasOwn(COMMANDS, word) && !existsSync(word));
  if (command !== undefined)
    throw new UsageError(`no file '${command}' (the command comes first)`, `dprof ${command} [OPTION...] [FILE...]`);
  const [word = ''] = operands;
  // `dprof version`, `dprof columns`.
  if (!existsSync(word) && SHOWN.includes(word))
    throw new UsageError(`'${word}' is neither a command nor a file`, `did you mean dprof --${word}?`);
  const hint = existsSync(word) ? null : wordHint(word);
  if (hint !== null) throw new UsageError(`'${word}' is neither a command nor a file`, hint);
  const near = nearCommand(word);
  if (near !== null) throw new UsageError(`'${word}' is neither a command nor a file`, `did you mean dprof ${near}?`);
}
