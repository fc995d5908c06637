/**
 * Runs a tool: mostly in this process, and in a process of its own where a test is about pipes, signals or exit codes.
 * There it runs as users start it, from the package's bin; under tsx from sources.
 */
import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { main } from '../../src/cli/bin/boundary.js';
import { ended, type Ended } from './ended.js';
import { ROOT } from './shared.js';

export type ToolName = 'dparse' | 'dprof';

export type Ran = Ended;

export interface RunOptions {
  /** Text or bytes for stdin; an empty stdin when not given. */
  readonly input?: string | Buffer;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether standard output and standard error are a terminal of 80 columns. */
  readonly terminal?: boolean;
}

/** The node arguments that run a tool. */
export function commandOf(tool: ToolName): string[] {
  const compiled = fileURLToPath(import.meta.url).endsWith('.js');
  if (compiled) return [join(ROOT, 'bin', `${tool}.js`)];
  const preload = pathToFileURL(join(ROOT, 'tools/from-sources.mjs')).href;
  return ['--import', preload, join(ROOT, 'src/cli/bin', `${tool}.ts`)];
}

const TOOLS: Readonly<Record<ToolName, Parameters<typeof main>[1]>> = {
  dparse: async () => (await import('../../src/cli/dparse/parse-command.js')).parseCommand,
  dprof: async () => (await import('../../src/cli/commands.js')).runCalled,
};

/** Collects what is written to it. */
class Collector extends Writable {
  readonly #pieces: Buffer[] = [];

  get text(): string {
    return Buffer.concat(this.#pieces).toString('utf8');
  }

  override _write(piece: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#pieces.push(Buffer.from(piece));
    done();
  }
}

/** Replaces properties of `process`; the function returned puts them back. */
function replaceInProcess(properties: Readonly<Record<string, unknown>>): () => void {
  const before = Object.keys(properties).map((name) => [name, Object.getOwnPropertyDescriptor(process, name)] as const);
  for (const [name, value] of Object.entries(properties)) {
    Object.defineProperty(process, name, { value, configurable: true, writable: true, enumerable: true });
  }
  return () => {
    for (const [name, descriptor] of before) if (descriptor) Object.defineProperty(process, name, descriptor);
  };
}

/** What the run has set; TypeScript would take it for what it was set to before the run. */
const exitCodeSet = (): number => Number(process.exitCode ?? 0);

async function runHere(tool: ToolName, args: readonly string[], options: RunOptions): Promise<Ran> {
  const [stdout, stderr] = [new Collector(), new Collector()];
  if (options.terminal === true) for (const stream of [stdout, stderr]) Object.assign(stream, { isTTY: true });
  const { input = '' } = options;
  const stdin = Readable.from(input.length === 0 ? [] : [Buffer.from(input)], { objectMode: false });
  const [folder, exitCode] = [process.cwd(), process.exitCode];
  const restore = replaceInProcess({ stdin, stdout, stderr, env: { ...process.env, ...options.env } });
  try {
    process.chdir(options.cwd ?? ROOT);
    process.exitCode = undefined;
    await main(tool, TOOLS[tool], args);
    return { code: exitCodeSet(), signal: null, stdout: stdout.text, stderr: stderr.text };
  } finally {
    restore();
    process.chdir(folder);
    process.exitCode = exitCode;
  }
}

let last: Promise<unknown> = Promise.resolve();

/** Runs a tool in this process, with streams of its own; several runs take turns. */
export function runCli(tool: ToolName, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const ran = last.then(() => runHere(tool, args, options));
  last = ran.catch(() => undefined);
  return ran;
}

/** Runs a tool in a process of its own. */
export function spawnCli(tool: ToolName, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const child = spawn(process.execPath, [...commandOf(tool), ...args], {
    cwd: options.cwd ?? ROOT,
    env: { ...process.env, ...options.env },
  });
  // The tool may end before it has read everything.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  return ended(child);
}

/** Exit 1, nothing on stdout, and one line that names the input and matches. */
export function expectFailure(ran: Ran, path: string, answer: RegExp): void {
  expect(ran.stderr)
    .to.match(/^dparse: [^\n]*\n$/)
    .and.match(answer)
    .and.include(path);
  expect(ran).to.include({ code: 1, stdout: '' });
}
