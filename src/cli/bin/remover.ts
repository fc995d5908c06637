/**
 * Removes files of this process when it has ended, however it ends.
 *
 * Node runs its handlers of signals only when the event loop turns, which a long computation does not let it do. So there
 * is no handler: signals end the process at once, and a shell that waits for its end removes what it leaves.
 */
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';

const SHELL = '/bin/sh';
/** Its standard input ends with this process. The signals of a terminal are not for it. */
const REMOVE = `trap '' INT TERM HUP; read -r _; rm -rf -- "$1"*`;

/**
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
