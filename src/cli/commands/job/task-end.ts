/**
 * What a task says, and what ended one that has no part, or one of less than its profile: as a word for programs, and
 * as words.
 */
import { constants } from 'node:os';
import { ranOutOfSpace } from '../../../record/errors.js';
import type { JobTask } from './plan/job-plan.js';

const LINE = /^dprof: task (\d+): /;

/** Without the name of the program, which goes before it. */
export const taskLine = ({ number, path }: Pick<JobTask, 'number' | 'path'>): string => `task ${number}: ${path}`;

/** Number of the task that was begun last; null without any. */
export function lastTask(text: string): number | null {
  const numbers = text.split('\n').flatMap((line) => LINE.exec(line)?.[1] ?? []);
  return numbers.length === 0 ? null : Number(numbers.at(-1));
}

/** What was said last of a task, when it was tried last; null for nothing. */
export function saidOf(text: string, number: number): string | null {
  const lines = text.split('\n');
  const begin = lines.findLastIndex((line) => LINE.exec(line)?.[1] === String(number));
  if (begin === -1) return null;
  const end = lines.findIndex((line, index) => index > begin && LINE.test(line));
  return lastLine(lines.slice(begin + 1, end === -1 ? undefined : end).join('\n'));
}

/** What a log ends with, but for the lines that name tasks; null for nothing. */
export function lastLine(text: string): string | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !LINE.test(line));
  // What V8 says before its stack.
  const fatal = lines.findLast((line) => line.startsWith('FATAL ERROR'));
  return fatal ?? lines.at(-1)?.replace(/^dprof: /, '') ?? null;
}

/**
 * `input`: its profile cannot be read, or no further. `no-space`: there was no room for its part, or for what is unpacked.
 * `out-of-memory`, `signal`, `exit`: its process had no memory left, was killed, or ended with an exit code of its own.
 * `unknown`: its process died, and nobody saw how. `not-started`: no process has come to it.
 */
export type TaskEnd = 'input' | 'no-space' | 'out-of-memory' | 'signal' | 'exit' | 'unknown' | 'not-started';

/** How the process of a task ended, where that is what ended the task. */
export interface ProcessEnd {
  readonly ended: TaskEnd;
  readonly signal: string | null;
  readonly exitCode: number | null;
}

/** Of a task that said itself why it failed. @param code of the system, where that refused something */
export const endedItself = (code: string | null): ProcessEnd => ({
  ended: ranOutOfSpace(code) ? 'no-space' : 'input',
  signal: null,
  exitCode: null,
});

/** From this exit code of a shell on, it is that and the number of a signal. */
const OF_SIGNALS = 128;

/** The exit code of a process as a shell has it. */
export const shellCode = (code: number | null, signal: NodeJS.Signals | null): number =>
  code ?? OF_SIGNALS + (signal === null ? 0 : constants.signals[signal]);

/**
 * @param code the process's, as a shell has it
 * @param said what it said last
 */
export function endOfProcess(code: number, said: string | null): ProcessEnd {
  if (code <= OF_SIGNALS) return { ended: 'exit', signal: null, exitCode: code };
  const number = code - OF_SIGNALS;
  const signal = Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? `signal ${number}`;
  const isFull = said !== null && /out of memory|Allocation failed/i.test(said);
  return { ended: isFull ? 'out-of-memory' : 'signal', signal, exitCode: null };
}

/** 'ran out of memory (SIGABRT)' … */
export function processEndText({ ended, signal, exitCode }: ProcessEnd): string {
  if (ended === 'out-of-memory') return `ran out of memory${signal === null ? '' : ` (${signal})`}`;
  if (exitCode !== null) return `ended with exit code ${exitCode}`;
  const often = signal === 'SIGKILL' ? ', as a system that is short of memory does' : '';
  return `was killed by ${signal ?? 'a signal'}${often}`;
}
