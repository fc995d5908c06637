/**
 * Writes the tasks that failed, each with its error and its log, to stderr and to files of the job's folder, as text
 * and JSON.
 */
import { escapeControls } from '../../../record/control-characters.js';
import { systemReason } from '../../../record/errors.js';
import { counted, moreOf } from '../../../record/plural.js';
import { say } from '../../message.js';
import { PLACES, type JobFolder, type TaskFailure } from './job-folder.js';
import type { JobPlan, JobTask } from './plan/job-plan.js';
import { beginnings } from './run-tasks.js';
import { endedItself, lastLine, type ProcessEnd } from './task-end.js';

export interface FailedTask extends TaskFailure {
  readonly task: JobTask;
  /**
   * Whether the process stated its error. Otherwise it was killed, crashed, or never started, and the reason is unknown.
   */
  readonly hasSaid: boolean;
}

/** The last error that a process reported for a task, and its log. */
export type Said = Pick<TaskFailure, 'error' | 'log'>;
/** Errors by task number. On a full disk, there is no room for partial answers or logs. */
export type Heard = ReadonlyMap<number, Said>;

/** Tasks without a partial answer, and tasks whose profile is cut off. */
export function failedTasks(folder: JobFolder, { tasks }: JobPlan, heard: Heard = new Map()): FailedTask[] {
  const [done, failed] = [folder.done(), folder.failed()];
  const suspects = tasks.filter(({ name }) => !done.has(name) || failed.has(name));
  if (suspects.length === 0) return [];
  const begun = beginnings(folder);
  return suspects.flatMap((task): FailedTask[] => {
    const failure = folder.failure(task);
    if (failure !== null && (failure.isCut || !done.has(task.name))) return [{ task, ...failure, hasSaid: true }];
    if (done.has(task.name)) return [];
    const said = heard.get(task.number);
    if (said !== undefined) return [{ task, ...endOf(said), ...said, isCut: false, hasSaid: true }];
    return [{ task, ...unfinished(folder, task, begun), isCut: false, hasSaid: false }];
  });
}

/** Only the error text of that process is available. */
const endOf = ({ error }: Said): ProcessEnd => endedItself(error.includes(systemReason({ code: FULL })) ? FULL : null);
const FULL = 'ENOSPC';

function unfinished(
  folder: JobFolder,
  { name, path }: JobTask,
  begun: ReadonlyMap<string, string>,
): Omit<TaskFailure, 'isCut'> {
  const log = begun.get(name);
  const unknown = { signal: null, exitCode: null };
  if (log === undefined) return { ...unknown, ended: 'not-started', error: `${path}: was not started`, log: null };
  const last = log === '' ? null : lastLine(folder.read(log) ?? '');
  const error = `${path}: was killed, or crashed${last === null ? '' : `: ${last}`}`;
  return { ...unknown, ended: 'unknown', error, log: log === '' ? null : log };
}

/** The line for a task: its profile, error and log. */
function lineOf({ task: { path }, error, log }: FailedTask): string {
  const [profile, why] = [escapeControls(path), escapeControls(error)];
  return `${why.startsWith(profile) ? '' : `${profile}: `}${why}${log === null ? '' : ` (log: ${log})`}`;
}

/** A failure as an object, which identifies the task by its number in the plan. */
const objectOf = ({ task, error, log, isCut, ended, signal, exitCode }: FailedTask): object => ({
  ...{ task: task.number, path: task.path, ended, signal, exitCode, isCut, error, log },
});

/** Writes the lists of failed tasks, or no files when nothing failed. */
export function writeFailed(folder: JobFolder, failed: readonly FailedTask[]): void {
  const lists = [
    [PLACES.failed, lineOf],
    [PLACES.failures, (task: FailedTask) => JSON.stringify(objectOf(task))],
  ] as const;
  for (const [place, textOf] of lists) {
    if (failed.length === 0) folder.remove(place);
    else folder.write(place, failed.map((task) => `${textOf(task)}\n`).join(''));
  }
}

/** Maximum lines about failures on stderr and at the end of a report, whatever the size of the job. */
const MOST_SAID = 5;

/** The end of text reports: profiles that are missing or cut off, and why; '' when there are none. */
export function failedText(failed: readonly FailedTask[]): string {
  if (failed.length === 0) return '';
  const lines = failed.slice(0, MOST_SAID).map(lineOf);
  const rest = failed.length - lines.length;
  const all = [...lines, ...(rest > 0 ? [`${moreOf(rest, 'profile')}: ${PLACES.failed}`] : [])];
  return `\nMissing, or cut off\n${all.map((line) => `  ${line}\n`).join('')}`;
}

export function sayFailed(folder: JobFolder, failed: readonly FailedTask[], total: number): void {
  for (const task of failed.slice(0, MOST_SAID)) say('dprof', lineOf(task));
  if (failed.length === 0) return;
  const cut = failed.filter(({ isCut }) => isCut).length;
  const parts = [
    ...(failed.length > cut ? [`${failed.length - cut} failed`] : []),
    ...(cut > 0 ? [`${cut} cut off and used up to the cut`] : []),
  ];
  say('dprof', `of ${counted(total, 'profile')} ${parts.join(', ')}: ${folder.at(PLACES.failed)}`);
}
