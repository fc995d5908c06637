/** Processes of the development tools. */
import { spawn } from 'node:child_process';

/**
 * Runs a command, whose output is shown in one piece when it has ended: several run at a time.
 * @returns whether it ended with 0
 */
export function runShown(title, command, args, environment = {}) {
  const child = spawn(command, args, { env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] });
  const pieces = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => pieces.push(piece));
  const start = performance.now();
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const end = code === 0 ? 'passed' : `failed (${signal ?? code})`;
      process.stdout.write(`\n--- ${title}: ${end}, ${Math.round((performance.now() - start) / 1000)} s\n`);
      process.stdout.write(Buffer.concat(pieces));
      resolve(code === 0);
    });
  });
}
