/** `dprof mcp`: answers for agents, as a server of the Model Context Protocol over standard input and output. */
import { createRequire } from 'node:module';
import { Writable } from 'node:stream';
import { INSTALL } from '../../prof/query/sql/duckdb.js';
import { HELP_OPTION, integer } from '../arguments.js';
import type { Command, CommandEntry } from '../command.js';
import { withOutput } from '../output.js';
import { DPROF } from '../report/report-options.js';
import { ANSWER_TOOLS, QUERY_TOOLS } from './mcp/answer-tools.js';
import { Roots } from './mcp/roots.js';
import { servedTools } from './mcp/served-tools.js';
import { INSTALL_SDK, serve } from './mcp/server.js';
import { ANSWER_CHARACTERS } from './mcp/tool-input.js';

/** Time limit of a call in s: default, and maximum. */
const SECONDS = { usual: 120, most: 3600 } as const;

const { usual: CHARACTERS, most: MOST_CHARACTERS } = ANSWER_CHARACTERS;

export const mcp = (commands: Readonly<Record<string, CommandEntry>>): Command => ({
  tool: {
    name: 'dprof mcp',
    usage: 'dprof mcp [OPTION...]',
    about: [
      'Answers for agents: a server of the Model Context Protocol (MCP) on standard input and output, read-only.',
    ],
    operands: [
      'No operands. A client starts it and ends it by closing its standard input.',
      `Needs the MCP SDK: ${INSTALL_SDK}`,
    ],
    options: [
      { name: 'root', takes: 'FOLDER', repeats: true, help: 'read profiles in FOLDER; may be given several times (.)' },
      { name: 'timeout', takes: 'S', help: `time limit of a call in seconds (${SECONDS.usual})` },
      HELP_OPTION,
    ],
    notes: [
      [
        `Tools: list, ${Object.keys(ANSWER_TOOLS).join(', ')}; with DuckDB ${Object.keys(QUERY_TOOLS).join(', ')}.`,
        'Each runs the command of that name with -f json and has its options with _ for -, except those that name files.',
        'kernels and explain run dprof without a command.',
      ],
      [
        `Answers have at most max_chars characters (${CHARACTERS}; at most ${MOST_CHARACTERS}).`,
        'Only files and folders below FOLDER are read; links are followed only to places below FOLDER. Patterns and standard input are refused.',
        'Nothing is written except temporary files, which are removed.',
        'Calls run in processes of their own, two at a time. A call ends at its time limit, when it is cancelled and when',
        'the server ends.',
      ],
      [`SQL needs DuckDB: ${INSTALL}`],
      ['Memory: 100 MB, and for each running call the memory of its command.'],
    ],
    examples: ['dprof mcp', 'dprof mcp --root profiles --root /data/traces --timeout 300'],
  },
  run: async (given) => {
    const seconds = given.read('timeout', (text) => integer('--timeout', text, 1, SECONDS.most)) ?? SECONDS.usual;
    const folders = given.texts('root');
    const roots = new Roots(folders.length === 0 ? ['.'] : folders);
    const { filesRead } = await import('./mcp/files-read.js');
    const options = { roots, seconds, commands, report: DPROF, hasQueries: isInstalled('@duckdb/node-api') };
    const tools = await servedTools({ ...options, filesBeside: filesRead });
    await untilSignal((stop) =>
      withOutput(undefined, [], (write, flush) => {
        const output = new Writable({
          write: (piece: Buffer, _encoding, done) => {
            void writeNow(piece).then(() => done(), done);
          },
        });
        const writeNow = async (piece: Buffer): Promise<void> => {
          await write(piece);
          await flush();
        };
        return serve(tools, process.stdin, output, stop);
      }),
    );
  },
});

/** Whether a library can be found, without loading it. */
function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs a body that ends when `stop` is aborted; a signal aborts it, and afterwards ends the process as usual. */
async function untilSignal(body: (stop: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const received: NodeJS.Signals[] = [];
  const onSignal = (signal: NodeJS.Signals): void => {
    received.push(signal);
    stop.abort();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  try {
    await body(stop.signal);
  } finally {
    stop.abort();
    for (const signal of SIGNALS) process.off(signal, onSignal);
    process.stdin.destroy();
  }
  const [signal] = received;
  if (signal !== undefined) process.kill(process.pid, signal);
}
