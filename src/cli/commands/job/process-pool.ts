/**
 * Runs processes of this program (the same node and dprof), a limited number at a time. When the run ends, for whatever
 * reason, all of them have ended.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, realpathSync } from 'node:fs';
import { isSystemError } from '../../../record/errors.js';

/** The words of the command that starts this program, with absolute paths. */
export const programWords = (): string[] => [
  process.execPath,
  ...process.execArgv,
  realpathSync(process.argv[1] ?? ''),
];

export interface PoolTask {
  /** Arguments of dprof. */
  readonly args: readonly string[];
  /** File to which stderr is appended, as long as there is room. */
  readonly log: string;
  /**
   * Arguments for the next process after one died; null when there is nothing more to do.
   * @param end how the process ended
   */
  readonly next?: (end: PoolEnd, deaths: number) => readonly string[] | null;
}

interface PoolEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last part of what the process and its successors wrote to stderr. */
  readonly said: string;
}

/** A signal that ended a run early. */
export class Stopped extends Error {
  constructor(readonly signal: NodeJS.Signals) {
    super(`stopped by ${signal}`);
    this.name = 'Stopped';
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/**
 * Time in ms that processes have to clean up. A computing process does not receive the request, so a signal ends the job
 * within a second.
 */
const PATIENCE = 500;

export class ProcessPool {
  readonly #running = new Set<ChildProcess>();
  #stopped: NodeJS.Signals | null = null;

  /** @param most maximum processes at a time */
  constructor(private readonly most: number) {}

  /**
   * Runs all tasks, in order.
   * @param onEnd called when a task has ended
   * @returns how they ended
   * @throws Stopped after a signal to this process, when all have ended
   */
  async run(tasks: readonly PoolTask[], onEnd: (done: number) => void): Promise<PoolEnd[]> {
    const ends: PoolEnd[] = tasks.map(() => ({ code: null, signal: null, said: '' }));
    let [next, done] = [0, 0];
    const inTurn = async (): Promise<void> => {
      for (let task; (task = tasks[next]) !== undefined && this.#stopped === null;) {
        const place = next++;
        ends[place] = await this.#runOn(task);
        onEnd(++done);
      }
    };
    for (const signal of SIGNALS) process.on(signal, this.#stop);
    try {
      await Promise.all(Array.from({ length: Math.min(this.most, tasks.length) }, inTurn));
    } finally {
      for (const signal of SIGNALS) process.off(signal, this.#stop);
      // If one process could not be started, the others continue.
      await this.#end();
    }
    if (this.#stopped !== null) throw new Stopped(this.#stopped);
    return ends;
  }

  readonly #stop = (signal: NodeJS.Signals): void => {
    this.#stopped ??= signal;
    this.#endRunning();
  };

  /** Runs a task; when its process dies, another process runs the rest of it. */
  async #runOn({ args, log, next }: PoolTask): Promise<PoolEnd> {
    let end = await this.#runOne(args, log);
    for (let deaths = 1; this.#stopped === null; deaths++) {
      const others = next?.(end, deaths) ?? null;
      if (others === null) break;
      const last = await this.#runOne(others, log);
      end = { ...last, said: endOf(end.said + last.said) };
    }
    return end;
  }

  #runOne(args: readonly string[], log: string): Promise<PoolEnd> {
    const [program = '', ...words] = programWords();
    return new Promise<PoolEnd>((resolve, reject) => {
      const child = spawn(program, [...words, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
      let said = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        said = endOf(said + text);
        appendWhereRoom(log, text);
      });
      this.#running.add(child);
      child.once('error', reject);
      child.once('close', (code, signal) => {
        this.#running.delete(child);
        resolve({ code, signal, said });
      });
    });
  }

  async #end(): Promise<void> {
    const ending = [...this.#running].map((child) => new Promise((resolve) => child.once('close', resolve)));
    this.#endRunning();
    await Promise.all(ending);
  }

  /** Lets running processes clean up, then kills those that have not ended. */
  #endRunning(): void {
    const running = [...this.#running];
    for (const child of running) child.kill('SIGTERM');
    if (running.length === 0) return;
    const impatient = setTimeout(() => {
      for (const child of running) if (this.#running.has(child)) child.kill('SIGKILL');
    }, PATIENCE);
    // The timer must not keep the process alive when all have ended.
    impatient.unref();
  }
}

const MOST_SAID = 64 * 1024;
const endOf = (text: string): string => text.slice(-MOST_SAID);

/** Errors of a full disk are reported at the end of the job. */
function appendWhereRoom(path: string, text: string): void {
  try {
    appendFileSync(path, text);
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}
