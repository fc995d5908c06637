/**
 * The boundary of both tools: how a run ends, and with which exit code.
 *
 * The exit code is set, and process.exit() is never called, because it would cut off output that is still on its way to a
 * pipe.
 */
import { say, type ToolName } from '../message.js';
import { EXIT, UserError, isSystemError, systemReason } from '../../record/errors.js';
import { ClosedOutput, printText, STDOUT, withIoErrors } from '../output.js';
import { versionText } from '../package-folder.js';
import { closeStdout } from './stdout.js';
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';

const SHELL = '/bin/sh';
/**
 * Shell script that waits until its standard input ends, which happens when this process ends. It ignores signals from
 * the terminal.
 */
const REMOVE = `trap '' INT TERM HUP; read -r _; rm -rf -- "$1"*`;

/**
 * Removes files of this process when it has ended, however it ends. Node runs signal handlers only when the event loop
 * turns, which a long computation prevents. So there is no handler: signals end the process at once, and a shell that
 * waits for the end of this process removes the leftover files.
 *
 * @param prefix path prefix that no other files have
 * @returns a function that ends the shell without removing anything; null when no shell can be started
 */
export function startRemover(prefix: string): (() => void) | null {
  const options = { cwd: '/', detached: true, env: { PATH: '/usr/bin:/bin' } } as const;
  const shell = spawn(SHELL, ['-c', REMOVE, SHELL, prefix], { ...options, stdio: ['pipe', 'ignore', 'ignore'] });
  shell.on('error', () => undefined);
  if (shell.pid === undefined) return null;
  // The shell must not keep this process alive.
  shell.unref();
  shell.stdin.on('error', () => undefined);
  (shell.stdin as Socket).unref();
  return () => void shell.kill('SIGKILL');
}

/**
 * Runs a tool.
 * @param name the tool's name, in front of every message
 * @param load loads the tool, which is a function of the arguments after the tool's name; loading takes longer than
 *   printing the version
 * @param args those arguments
 */
export async function main(
  name: ToolName,
  load: () => Promise<(args: readonly string[]) => Promise<void>>,
  args: readonly string[] = process.argv.slice(2),
): Promise<void> {
  // A closed stderr must not make the run fail.
  process.stderr.on('error', () => undefined);
  try {
    if (args.length === 1 && args[0] === '--version') await printText(versionText());
    else await (await load())(args);
    withIoErrors(STDOUT, closeStdout);
  } catch (error) {
    const { message, exitCode } = outcome(error);
    // A stack trace has several lines.
    for (const line of message?.split('\n') ?? []) say(name, line);
    process.exitCode = exitCode;
  }
}

/** Message and exit code for an error. */
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

/** Text of an unexpected error: one line, or the whole stack for debugging. */
function defect(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  if (process.env['DPROF_DEBUG'] === '1' && error instanceof Error) return error.stack ?? text;
  return new UserError(text, { hint: 'please report; DPROF_DEBUG=1 for the stack' }).line;
}
