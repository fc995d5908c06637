/** How a process of a test ends, and what it has written by then. */
import type { ChildProcess } from 'node:child_process';
import { within } from './waits.js';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** @throws Error that names the process, which is killed, where it has not ended in time */
export async function ended(child: ChildProcess): Promise<Ended> {
  const parts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => (parts[name] += text));
  const closed = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      resolve({ code, signal, ...parts });
    });
  });
  try {
    return await within(`the end of ${child.spawnargs.join(' ').slice(0, 200)}`, closed);
  } finally {
    // The others of a shell's pipeline end by themselves.
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  }
}
