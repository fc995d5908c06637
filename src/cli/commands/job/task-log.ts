/** What processes say of their tasks: a line names the task, what follows is about it. */
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
  const end = lines.findIndex((line, at) => at > begin && LINE.test(line));
  return lastLine(lines.slice(begin + 1, end === -1 ? undefined : end).join('\n'));
}

/** What a log ends with, but for the lines that name tasks; null for nothing. */
export function lastLine(text: string): string | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !LINE.test(line));
  // What V8 says before its stack.
  const fatal = lines.findLast((line) => line.startsWith('FATAL ERROR'));
  return fatal ?? lines.at(-1)?.replace(/^dprof: /, '') ?? null;
}
