/** Tasks that failed, each with its reason and log: on stderr, and in a file of the job's folder. */
import { escapeControls } from '../../../record/control-characters.js';
import { counted } from '../../../record/plural.js';
import { say } from '../../message.js';
import { PLACES, type JobFolder } from './job-folder.js';
import type { JobPlan, JobTask } from './plan/job-plan.js';
import { STARTED } from './run-tasks.js';

export interface FailedTask {
  readonly task: JobTask;
  /** One line. */
  readonly error: string;
  /** From the job's folder; null where nobody named it. */
  readonly log: string | null;
  readonly isCut: boolean;
  /** Whether it said why: otherwise it was killed, crashed, or never started. */
  readonly hasSaid: boolean;
}

/** Tasks without a part, and those whose profile is cut off. */
export function failedTasks(folder: JobFolder, { tasks }: JobPlan): FailedTask[] {
  const [done, failed] = [folder.done(), folder.failed()];
  const suspects = tasks.filter(({ name }) => !done.has(name) || failed.has(name));
  if (suspects.length === 0) return [];
  const started = startedTasks(folder);
  return suspects.flatMap((task): FailedTask[] => {
    const failure = folder.failure(task);
    if (failure !== null && (failure.isCut || !done.has(task.name))) return [{ task, ...failure, hasSaid: true }];
    return done.has(task.name) ? [] : [{ task, ...unfinished(folder, task, started), isCut: false, hasSaid: false }];
  });
}

/** Logs of tasks that were started and have not ended, by name. */
function startedTasks(folder: JobFolder): ReadonlyMap<string, string> {
  const works = folder.names(PLACES.work);
  return new Map(
    works.map((work) => [work.replace(/\.[^.]*$/, ''), folder.read(PLACES.work, work, STARTED) ?? ''] as const),
  );
}

function unfinished(
  folder: JobFolder,
  { name, path }: JobTask,
  started: ReadonlyMap<string, string>,
): Pick<FailedTask, 'error' | 'log'> {
  const log = started.get(name);
  if (log === undefined) return { error: `${path}: was not started`, log: null };
  const last = log === '' ? null : lastLine(folder.read(log) ?? '');
  const error = `${path}: was killed, or crashed${last === null ? '' : `: ${last}`}`;
  return { error, log: log === '' ? null : log };
}

/** What a log ends with, but for the lines that name tasks; null for nothing. */
export function lastLine(text: string): string | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('dprof: task '));
  // What V8 says before its stack.
  const fatal = lines.findLast((line) => line.startsWith('FATAL ERROR'));
  return fatal ?? lines.at(-1)?.replace(/^dprof: /, '') ?? null;
}

const lineOf = ({ error, log }: FailedTask): string => escapeControls(log === null ? error : `${error} (log: ${log})`);

/** Writes the list of what failed; no list where nothing did. */
export function writeFailed(folder: JobFolder, failed: readonly FailedTask[]): void {
  if (failed.length === 0) folder.remove(PLACES.failed);
  else folder.write(PLACES.failed, failed.map((one) => `${lineOf(one)}\n`).join(''));
}

/** Lines on stderr that a job of any size may have. */
const MOST_SAID = 5;

export function sayFailed(folder: JobFolder, failed: readonly FailedTask[], total: number): void {
  for (const one of failed.slice(0, MOST_SAID)) say('dprof', lineOf(one));
  if (failed.length === 0) return;
  const cut = failed.filter(({ isCut }) => isCut).length;
  const parts = [
    ...(failed.length > cut ? [`${failed.length - cut} failed`] : []),
    ...(cut > 0 ? [`${cut} cut off and used up to the cut`] : []),
  ];
  say('dprof', `of ${counted(total, 'profile')} ${parts.join(', ')}: ${folder.at(PLACES.failed)}`);
}
