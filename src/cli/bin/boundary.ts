/**
 * The boundary of both tools: what ends a run, and with which exit code.
 *
 * The exit code is set, never forced with process.exit(): that would cut off what is still on its way to a pipe.
 */
import { say, type ToolName } from '../message.js';
import { EXIT, UserError, isSystemError, systemReason } from '../../record/errors.js';
import { ClosedOutput, printText, STDOUT, withIoErrors } from '../output.js';
import { versionText } from '../package-folder.js';
import { closeStdout } from './stdout.js';
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';

const SHELL = '/bin/sh';
/** Its standard input ends with this process. The signals of a terminal are not for it. */
const REMOVE = `trap '' INT TERM HUP; read -r _; rm -rf -- "$1"*`;

/**
 * Removes files of this process when it has ended, however it ends. Node runs its handlers of signals only when the event
 * loop turns, which a long computation does not let it do. So there is not a handler: signals end the process at once, and
 * a shell that waits for its end removes what it leaves.
 *
 * @param prefix of paths that nothing else has
 * @returns ends the waiting, and removes nothing; null where no shell can be started
 */
export function startRemover(prefix: string): (() => void) | null {
  const options = { cwd: '/', detached: true, env: { PATH: '/usr/bin:/bin' } } as const;
  const shell = spawn(SHELL, ['-c', REMOVE, SHELL, prefix], { ...options, stdio: ['pipe', 'ignore', 'ignore'] });
  shell.on('error', () => undefined);
  if (shell.pid === undefined) return null;
  // It keeps this process from nothing.
  shell.unref();
  shell.stdin.on('error', () => undefined);
  (shell.stdin as Socket).unref();
  return () => void shell.kill('SIGKILL');
}

/**
 * Runs a tool.
 * @param name the tool's name, in front of every message
 * @param load loads the tool, a function of the arguments after the tool's name: it takes longer than to print the version
 * @param args those arguments
 */
export async function main(
  name: ToolName,
  load: () => Promise<(args: readonly string[]) => Promise<void>>,
  args: readonly string[] = process.argv.slice(2),
): Promise<void> {
  // Nobody to complain to is no reason to fail.
  process.stderr.on('error', () => undefined);
  try {
    if (args.length === 1 && args[0] === '--version') await printText(versionText());
    else await (await load())(args);
    withIoErrors(STDOUT, closeStdout);
  } catch (error) {
    const { message, exitCode } = outcome(error);
    // A stack has several lines.
    for (const line of message?.split('\n') ?? []) say(name, line);
    process.exitCode = exitCode;
  }
}

/** What an error means to the user. */
export function outcome(error: unknown): { message: string | null; exitCode: number } {
  if (error instanceof ClosedOutput) return { message: null, exitCode: EXIT.done };
  if (error instanceof UserError) return { message: error.line, exitCode: error.exitCode };
  if (isSystemError(error)) {
    if (error.code === 'EPIPE') return { message: null, exitCode: EXIT.done };
    const where = error.path === undefined ? {} : { where: error.path };
    return { message: new UserError(systemReason(error), where).line, exitCode: EXIT.failed };
  }
  return { message: defect(error), exitCode: EXIT.failed };
}

/** An error nobody foresaw: one line, or all of it for whoever looks into it. */
function defect(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  if (process.env['DPROF_DEBUG'] === '1' && error instanceof Error) return error.stack ?? text;
  return new UserError(text, { hint: 'please report; DPROF_DEBUG=1 for the stack' }).line;
}
