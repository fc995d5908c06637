/** The tools on an input: in this process mostly, and in one of their own now and then. */
import { spawn } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ended } from '../../test/support/ended.js';
import { commandOf, runCli, type Ran, type ToolName } from '../../test/support/run-cli.js';
import type { Random } from './random.js';

/** Shows the stack of an error that nobody foresaw. */
const ENVIRONMENT = { DPROF_DEBUG: '1' } as const;

/** Of runs in a process of their own: starting one takes as long as many runs. */
const SPAWNED = 0.003;

const HERE = fileURLToPath(import.meta.url);

/** @param input bytes for stdin */
export const inProcess = (tool: ToolName, args: readonly string[], input?: Buffer): Promise<Ran> =>
  runCli(tool, args, { env: ENVIRONMENT, ...(input === undefined ? {} : { input }) });

/** The program that was compiled with this file; from sources, as tests run it. */
const programOf = (tool: ToolName): string[] =>
  extname(HERE) === '.js' ? [fileURLToPath(new URL(`../../src/cli/bin/${tool}.js`, import.meta.url))] : commandOf(tool);

export function runTool(tool: ToolName, args: readonly string[], random: Random): Promise<Ran> {
  if (!random.chance(SPAWNED)) return inProcess(tool, args);
  return ended(
    spawn(process.execPath, [...programOf(tool), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...ENVIRONMENT },
    }),
  );
}
