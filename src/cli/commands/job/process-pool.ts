/** Processes of this program, some at a time; when the run ends, however it does, all of them have ended. */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { programWords } from './program.js';

export interface PoolTask {
  /** Arguments of dprof. */
  readonly args: readonly string[];
  /** File that takes stderr, behind what is in it. */
  readonly log: string;
}

/** What ended a run early. */
export class Stopped extends Error {
  constructor(readonly signal: NodeJS.Signals) {
    super(`stopped by ${signal}`);
    this.name = 'Stopped';
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Time in ms that processes have to clean up. */
const PATIENCE = 5000;

export class ProcessPool {
  readonly #running = new Set<ChildProcess>();
  #stopped: NodeJS.Signals | null = null;

  /** @param most at a time */
  constructor(private readonly most: number) {}

  /**
   * Runs all of them, in order.
   * @param onEnd called when one of them has ended
   * @returns their exit codes; null for one that a signal ended
   * @throws Stopped after a signal to this process, when they have ended
   */
  async run(tasks: readonly PoolTask[], onEnd: (done: number) => void): Promise<(number | null)[]> {
    const codes: (number | null)[] = tasks.map(() => null);
    let [next, done] = [0, 0];
    const inTurn = async (): Promise<void> => {
      for (let task; (task = tasks[next]) !== undefined && this.#stopped === null;) {
        const place = next++;
        codes[place] = await this.#runOne(task);
        onEnd(++done);
      }
    };
    for (const signal of SIGNALS) process.on(signal, this.#stop);
    try {
      await Promise.all(Array.from({ length: Math.min(this.most, tasks.length) }, inTurn));
    } finally {
      for (const signal of SIGNALS) process.off(signal, this.#stop);
      // Where one could not be started, the others go on.
      await this.#end();
    }
    if (this.#stopped !== null) throw new Stopped(this.#stopped);
    return codes;
  }

  readonly #stop = (signal: NodeJS.Signals): void => {
    this.#stopped ??= signal;
    for (const child of this.#running) child.kill('SIGTERM');
  };

  #runOne({ args, log }: PoolTask): Promise<number | null> {
    const [program = '', ...words] = programWords();
    const file = openSync(log, 'a');
    return new Promise<number | null>((resolve, reject) => {
      const child = spawn(program, [...words, ...args], { stdio: ['ignore', 'ignore', file] });
      this.#running.add(child);
      child.once('error', reject);
      child.once('close', (code) => {
        this.#running.delete(child);
        resolve(code);
      });
    }).finally(() => {
      closeSync(file);
    });
  }

  async #end(): Promise<void> {
    const ending = [...this.#running].map((child) => new Promise((resolve) => child.once('close', resolve)));
    for (const child of this.#running) child.kill('SIGTERM');
    const impatient = setTimeout(() => {
      for (const child of this.#running) child.kill('SIGKILL');
    }, PATIENCE);
    await Promise.all(ending);
    clearTimeout(impatient);
  }
}
