/** Runs of a plan in processes that read, each replaced when it hangs, dies or has grown. */
import { fork, type ChildProcess } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { InputPlan, Inputs } from './inputs.js';
import { LIMITS, type Outcome } from './reading.js';

/** Before the first outcome of a process: it loads the tools and reads an intact input. */
const START_MS = 60_000;
/** Heap of a process; other memory shows in its resident set. */
const HEAP_MB = 1024;

const HERE = fileURLToPath(import.meta.url);
const CHILD = fileURLToPath(new URL(`child${extname(HERE)}`, import.meta.url));

/** Where the system keeps files in memory: writing them to a disk takes as long as reading them. */
const MEMORY_FOLDER = '/dev/shm';

/** The folder for the files of a process: all that it leaves there goes with it. */
function folderOfProcess(): string {
  let parent = tmpdir();
  try {
    accessSync(MEMORY_FOLDER, constants.W_OK);
    if (process.env['TMPDIR'] === undefined) parent = MEMORY_FOLDER;
  } catch {
    // A system without one.
  }
  return mkdtempSync(join(parent, 'dprof-fuzz-'));
}

/** How a process ended: the first run that has no outcome, and why there is none. */
interface Ended {
  readonly next: number;
  readonly why: Pick<Outcome, 'is' | 'what'> | null;
}

async function runFrom(plan: InputPlan, from: number, end: number, take: (outcome: Outcome) => void): Promise<Ended> {
  const folder = folderOfProcess();
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const child: ChildProcess = fork(CHILD, [JSON.stringify(plan), String(from), String(end)], {
    execArgv: [...process.execArgv, `--max-old-space-size=${HEAP_MB}`],
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    env: { ...process.env, TMPDIR: folder },
  });
  let next = from;
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-4000)));
  const watch = (ms: number): NodeJS.Timeout => setTimeout(() => child.kill('SIGKILL'), ms);
  let timer = watch(START_MS);
  child.on('message', (message) => {
    clearTimeout(timer);
    timer = watch(2 * LIMITS.milliseconds);
    next = (message as Outcome).run + 1;
    take(message as Outcome);
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  process.off('exit', remove);
  remove();
  if (child.killed) return { next, why: { is: 'hang', what: `no end within ${(2 * LIMITS.milliseconds) / 1000} s` } };
  return { next, why: code === 0 ? null : { is: 'internal error', what: `the process ended: ${reason(stderr)}` } };
}

/** The line of a process's last words that says why. */
const reason = (stderr: string): string =>
  /^(?:\w*Error|FATAL ERROR).*(?:\n {4}at .*){0,5}/m.exec(stderr)?.[0] ?? stderr.trim().split('\n').at(-1) ?? '';

/** Runs a plan's inputs from one number to another, and hands on each outcome. */
export async function supervise(
  { plan, inputs }: { readonly plan: InputPlan; readonly inputs: Inputs },
  from: number,
  end: number,
  take: (outcome: Outcome) => void,
): Promise<void> {
  for (let at = from; at < end;) {
    const { next, why } = await runFrom(plan, at, end, take);
    at = next;
    if (why === null || next >= end) continue;
    const { base, mutation, repeat } = inputs.at(next);
    const { reader, name } = base;
    take({ run: next, reader, base: name, mutation, repeat, ...why, milliseconds: NaN, peak: NaN });
    at = next + 1;
  }
}
