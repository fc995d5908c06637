/**
 * Messages of a task, and the cause for a missing or incomplete partial answer: as a keyword for programs, and in
 * words.
 */
import { constants } from 'node:os';
import { ranOutOfSpace } from '../../../record/errors.js';
import type { JobTask } from './plan/job-plan.js';

const LINE = /^dprof: task (\d+): /;

/** The line that names a task, without the program's name in front. */
export const taskLine = ({ number, path }: Pick<JobTask, 'number' | 'path'>): string => `task ${number}: ${path}`;

/** Number of the last task that started; null when none did. */
export function lastTask(text: string): number | null {
  const numbers = text.split('\n').flatMap((line) => LINE.exec(line)?.[1] ?? []);
  return numbers.length === 0 ? null : Number(numbers.at(-1));
}

/** The last message of a task in its last run; null when there is none. */
export function saidOf(text: string, number: number): string | null {
  const lines = text.split('\n');
  const begin = lines.findLastIndex((line) => LINE.exec(line)?.[1] === String(number));
  if (begin === -1) return null;
  const end = lines.findIndex((line, index) => index > begin && LINE.test(line));
  return lastLine(lines.slice(begin + 1, end === -1 ? undefined : end).join('\n'));
}

/** The last line of a log, without the lines that name tasks; null when there is none. */
export function lastLine(text: string): string | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !LINE.test(line));
  // V8 prints this line before its stack trace.
  const fatal = lines.findLast((line) => line.startsWith('FATAL ERROR'));
  return fatal ?? lines.at(-1)?.replace(/^dprof: /, '') ?? null;
}

/**
 * `input`: its profile cannot be read, or not to its end. `no-space`: there was no room for its partial answer, or for
 * unpacked files. `out-of-memory`, `signal`, `exit`: its process ran out of memory, was killed, or ended with an exit code.
 * `unknown`: its process died for an unknown reason. `not-started`: no process has started it.
 */
export type TaskEnd = 'input' | 'no-space' | 'out-of-memory' | 'signal' | 'exit' | 'unknown' | 'not-started';

/** How the process of a task ended, if that ended the task. */
export interface ProcessEnd {
  readonly ended: TaskEnd;
  readonly signal: string | null;
  readonly exitCode: number | null;
}

/** The end of a task that reported its own error. @param code the system's error code; null for other errors */
export const endedItself = (code: string | null): ProcessEnd => ({
  ended: ranOutOfSpace(code) ? 'no-space' : 'input',
  signal: null,
  exitCode: null,
});

/** Shells report a signal as this number plus the signal's number. */
const OF_SIGNALS = 128;

/** The exit code of a process in shell convention. */
export const shellCode = (code: number | null, signal: NodeJS.Signals | null): number =>
  code ?? OF_SIGNALS + (signal === null ? 0 : constants.signals[signal]);

/**
 * @param code exit code of the process in shell convention
 * @param said its last message
 */
export function endOfProcess(code: number, said: string | null): ProcessEnd {
  if (code <= OF_SIGNALS) return { ended: 'exit', signal: null, exitCode: code };
  const number = code - OF_SIGNALS;
  const signal = Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? `signal ${number}`;
  const isFull = said !== null && /out of memory|Allocation failed/i.test(said);
  return { ended: isFull ? 'out-of-memory' : 'signal', signal, exitCode: null };
}

/** Text such as 'ran out of memory (SIGABRT)'. */
export function processEndText({ ended, signal, exitCode }: ProcessEnd): string {
  if (ended === 'out-of-memory') return `ran out of memory${signal === null ? '' : ` (${signal})`}`;
  if (exitCode !== null) return `ended with exit code ${exitCode}`;
  const often = signal === 'SIGKILL' ? ', as happens when a system runs out of memory' : '';
  return `was killed by ${signal ?? 'a signal'}${often}`;
}
