/** Runs a tool as users do, in a process of its own: from sources under tsx, from compiled files otherwise. */
import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { ROOT } from './shared.js';

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Text or bytes for stdin; an empty stdin when not given. */
  readonly input?: string | Buffer;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The node arguments that run a tool. */
export function commandOf(tool: 'dparse' | 'dprof'): string[] {
  const compiled = fileURLToPath(import.meta.url).endsWith('.js');
  if (compiled) return [join(ROOT, 'build/src/cli', `${tool}.js`)];
  return [
    '--import',
    pathToFileURL(createRequire(join(ROOT, 'package.json')).resolve('tsx')).href,
    join(ROOT, 'src/cli', `${tool}.ts`),
  ];
}

export function runCli(tool: 'dparse' | 'dprof', args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const child = spawn(process.execPath, [...commandOf(tool), ...args], {
    cwd: options.cwd ?? ROOT,
    env: { ...process.env, ...options.env },
  });
  const parts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => (parts[name] += text));
  }
  // The tool may end before it has read everything.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      resolve({ code, signal, ...parts });
    });
  });
}

/** Exit 1, nothing on stdout, and one line that names the input and matches. */
export function expectFailure(ran: Ran, path: string, answer: RegExp): void {
  expect(ran.stderr)
    .to.match(/^dparse: [^\n]*\n$/)
    .and.match(answer)
    .and.include(path);
  expect(ran).to.include({ code: 1, stdout: '' });
}
