/**
 * Runs a command of this program in a process of its own: its output cannot mix with the protocol, and it can be ended at
 * any time. Its temporary files are removed however it ends.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { programWords } from '../job/process-pool.js';

/** How a process ended. */
export interface AnswerEnd {
  /** `cancelled` by the client or at the end of the server; `late` and `long` for the limits of time and output. */
  readonly reason: 'done' | 'cancelled' | 'late' | 'long';
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Maximum bytes of output. An answer of `max_chars` characters has fewer, even if each takes several bytes. */
export const MOST_OUTPUT = 512 * 1024;
/** Maximum characters of stderr that are kept. */
const MOST_SAID = 4000;

export interface AnswerRequest {
  readonly args: readonly string[];
  /** Working folder. */
  readonly folder: string;
  /** Time limit in s. */
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** Runs processes, a limited number at a time; the others wait. */
export class AnswerProcesses {
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** @param most maximum processes at a time */
  constructor(private readonly most: number) {}

  /** @throws Error when the process cannot be started */
  async run(request: AnswerRequest): Promise<AnswerEnd> {
    if (this.#running >= this.most) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await runProcess(request);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}

async function runProcess({ args, folder, seconds, signal }: AnswerRequest): Promise<AnswerEnd> {
  if (signal.aborted) return { reason: 'cancelled', code: null, stdout: '', stderr: '' };
  const [program = '', ...words] = programWords();
  const child = spawn(program, [...words, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let reason: AnswerEnd['reason'] = 'done';
  const end = (why: AnswerEnd['reason']): void => {
    reason = why;
    child.kill('SIGKILL');
  };
  const cancel = (): void => end('cancelled');
  const late = setTimeout(() => end('late'), seconds * 1000);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const [stdout, stderr, code] = await Promise.all([
      collected(child.stdout, MOST_OUTPUT, () => end('long')),
      collected(child.stderr, MOST_SAID * 4),
      exitOf(child),
    ]);
    return { reason, code, stdout, stderr: stderr.slice(-MOST_SAID) };
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', cancel);
  }
}

const exitOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });

/** The text of a stream. @param onMore called when there is more than `most` bytes, which are not kept */
async function collected(stream: NodeJS.ReadableStream, most: number, onMore = (): void => undefined): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > most) onMore();
    else pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
