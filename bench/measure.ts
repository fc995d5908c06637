/** Wall time, processor time and peak memory of one command, and a folder for what is measured. */
import { spawn } from 'node:child_process';
import { accessSync, closeSync, constants, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
}

export interface Usage {
  readonly seconds: number;
  /** Time of processors, of all threads together; null where GNU time is not there. */
  readonly cpuSeconds: number | null;
  /** Largest resident set in bytes; null where neither GNU time nor /proc has it. */
  readonly peakBytes: number | null;
}

const GNU_TIME = '/usr/bin/time';
const POLL_MS = 50;

/** Whether a program can be started. */
export async function available(program: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, ['--version'], { stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('exit', () => resolve(true));
  });
}

function executable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The kernel's own high-water mark of a process that is still there (Linux), in bytes. */
function highWater(pid: number): number | null {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
  } catch {
    return null;
  }
}

/**
 * Runs a command with its output thrown away.
 * @param scratch a file that GNU time may write to; removed again
 * @throws Error with the end of its messages when the command fails
 */
export async function measure(command: Command, scratch: string): Promise<Usage> {
  const timed = executable(GNU_TIME);
  const { program, args } = command;
  const sink = openSync(devNull, 'w');
  const before = performance.now();
  const child = timed
    ? spawn(GNU_TIME, ['-f', '%M %U %S', '-o', scratch, program, ...args], { stdio: ['ignore', sink, 'pipe'] })
    : spawn(program, args, { stdio: ['ignore', sink, 'pipe'] });
  closeSync(sink);
  let messages = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    messages = (messages + text).slice(-2000);
  });
  let polled: number | null = null;
  const poll = setInterval(() => {
    if (!timed && child.pid !== undefined) polled = highWater(child.pid) ?? polled;
  }, POLL_MS);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    const seconds = (performance.now() - before) / 1000;
    if (code !== 0)
      throw new Error(`${program} ${args.join(' ')} ended with ${code ?? 'a signal'}: ${messages.trim()}`);
    if (!timed) return { seconds, cpuSeconds: null, peakBytes: polled };
    const line = readFileSync(scratch, 'utf8').trim().split('\n').at(-1)?.split(' ').map(Number) ?? [];
    const [kilobytes = NaN, user = NaN, system = NaN] = line;
    const known = (number: number): number | null => (Number.isFinite(number) ? number : null);
    return { seconds, cpuSeconds: known(user + system), peakBytes: known(kilobytes * 1024) };
  } finally {
    clearInterval(poll);
    rmSync(scratch, { force: true });
  }
}

/** The middle one; the mean of the two middle ones of an even number. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return ((sorted[Math.ceil(half) - 1] ?? NaN) + (sorted[Math.floor(half)] ?? NaN)) / 2;
}

/** Median times and largest peak. */
export function summary(usages: readonly Usage[]): Usage {
  const peaks = usages.map((usage) => usage.peakBytes).filter((peak) => peak !== null);
  const cpu = usages.map((usage) => usage.cpuSeconds).filter((seconds) => seconds !== null);
  return {
    seconds: median(usages.map((usage) => usage.seconds)),
    cpuSeconds: cpu.length === 0 ? null : median(cpu),
    peakBytes: peaks.length === 0 ? null : Math.max(...peaks),
  };
}

/**
 * A new folder for what a bench makes, which goes when the process ends.
 * @param within made where it is missing
 */
export function temporaryFolder(within: string = tmpdir()): string {
  mkdirSync(within, { recursive: true });
  const folder = mkdtempSync(join(within, 'dprof-bench-'));
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  process.once('SIGINT', () => process.exit(130));
  return folder;
}
