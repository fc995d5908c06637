/** Processes of the development tools. */
import { spawn } from 'node:child_process';

/** What processes that failed have written, by their titles. */
const failed = [];

/**
 * Runs a command, whose output is shown in one piece when it has passed: several run at a time. That of one that failed
 * waits for `showFailures`, so that it stands where it is read first.
 * @returns whether it ended with 0
 */
export function runShown(title, command, args, environment = {}) {
  process.stdout.write(`--- ${title}\n`);
  const child = spawn(command, args, { env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] });
  const pieces = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => pieces.push(piece));
  const start = performance.now();
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const end = code === 0 ? 'passed' : `failed (${signal ?? code})`;
      const line = `\n--- ${title}: ${end}, ${Math.round((performance.now() - start) / 1000)} s\n`;
      process.stdout.write(line);
      if (code === 0) process.stdout.write(Buffer.concat(pieces));
      else failed.push([line, ...pieces]);
      resolve(code === 0);
    });
  });
}

/** Writes what failed, at the end of all output. */
export function showFailures() {
  for (const piece of failed.flat()) process.stdout.write(piece);
}
