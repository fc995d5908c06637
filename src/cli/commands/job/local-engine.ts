/** The engine for one machine: tasks and merges run in separate processes, at most one for each core at a time. */
import { mkdirSync } from 'node:fs';
import { EXIT, UserError } from '../../../record/errors.js';
import { progress } from '../../progress.js';
import { failedTasks, type FailedTask, type Heard, type Said } from './failed-tasks.js';
import { PLACES, type JobFolder } from './job-folder.js';
import { type JobPlan, type JobTask, rangesText, sharesBySize } from './plan/job-plan.js';
import { mergeCounts } from './plan/merge-tree.js';
import { isMerged } from './run-tasks.js';
import { ProcessPool, type PoolTask } from './process-pool.js';
import { shellCode, lastLine, saidOf, type TaskEnd } from './task-end.js';

interface LocalRun {
  readonly folder: JobFolder;
  readonly plan: JobPlan;
  /** Number of processes at a time. */
  readonly jobs: number;
  /** Maximum profiles for each process. */
  readonly perTask: number;
  readonly quiet: boolean;
}

export interface LocalEnd {
  readonly heard: Heard;
  /** Why there is no result; null when there is one, or when there are no partial answers to make it from. */
  readonly failure: UserError | null;
}

/**
 * Makes the missing partial answers (a failed task is tried twice), then merges and reports.
 * @throws Stopped after a signal
 */
export async function runLocally(run: LocalRun): Promise<LocalEnd> {
  const { folder, plan, jobs, quiet } = run;
  mkdirSync(folder.at(PLACES.logs), { recursive: true });
  const pool = new ProcessPool(jobs);
  const meter = progress('dprof job', !quiet);
  try {
    const done = folder.done();
    const missing = plan.tasks.filter(({ name }) => !done.has(name));
    const heard = new Map<number, Said>();
    const all = async (label: string, shares: readonly (readonly JobTask[])[]): Promise<void> => {
      const names = shares.map((_, i) => `${PLACES.logs}/${label}-${i}.log`);
      const processes = shares.map((share, i) => taskProcess(folder, share, names[i] ?? ''));
      const ends = await pool.run(processes, (n) => meter.at(n, shares.length));
      for (const [i, share] of shares.entries()) {
        for (const { number } of share) {
          const error = saidOf(ends[i]?.said ?? '', number);
          if (error !== null) heard.set(number, { error, log: names[i] ?? null });
        }
      }
    };
    await all('tasks', sharesBySize(missing, Math.min(run.perTask, Math.ceil(missing.length / jobs))));
    await all('again', againShares(run));
    for (const [i, count] of mergeCounts(plan.tasks.length, plan.fanIn).entries()) {
      const processes = Math.min(Math.ceil(count / LEAST_MERGES), jobs);
      // With one process, the reporting process makes all missing merges itself.
      if (processes > 1) await pool.run(mergeProcesses(folder, i + 1, processes), () => undefined);
    }
    return { heard, failure: await finish(run, pool) };
  } finally {
    meter.clear();
  }
}

/** Number of merges that take as long as starting a process. */
const LEAST_MERGES = 16;

/**
 * Shares for the second try: tasks that reported an error share a process, tasks that killed their process get one each.
 */
function againShares({ folder, plan, perTask }: LocalRun): (readonly JobTask[])[] {
  const failed = failedTasks(folder, plan).filter(({ isCut }) => !isCut);
  const isAlone = ({ ended }: FailedTask): boolean => DEADLY.has(ended);
  const [alone, others] = [failed.filter(isAlone), failed.filter((task) => !isAlone(task))];
  return [...sharesBySize(others.map(({ task }) => task), perTask), ...alone.map(({ task }) => [task])]; // prettier-ignore
}

const DEADLY: ReadonlySet<TaskEnd> = new Set<TaskEnd>(['signal', 'out-of-memory', 'exit', 'unknown']);

/** @param log path in the job's folder */
function taskProcess(folder: JobFolder, share: readonly JobTask[], log: string): PoolTask {
  const tasks = rangesText(share.map(({ number }) => number));
  const args = ['job', '-o', folder.path, '--tasks', tasks, '--log', log];
  return {
    ...{ args, log: folder.at(log) },
    // Each death costs the profile in progress, so there are at most as many deaths as profiles.
    next: ({ code, signal }, deaths) =>
      isOwnEnd(code) || deaths > share.length ? null : [...args, '--ended', `${shellCode(code, signal)}`],
  };
}

const OWN_ENDS: ReadonlySet<unknown> = new Set(Object.values(EXIT));
/** Whether a process with this exit code has finished its tasks. */
const isOwnEnd = (code: number | null): boolean => OWN_ENDS.has(code);

const mergeProcesses = (folder: JobFolder, level: number, count: number): PoolTask[] =>
  Array.from({ length: count }, (_, i) => ({
    args: ['job', '-o', folder.path, '--merge', '--level', `${level}`, '--task', `${i}/${count}`],
    log: folder.at(PLACES.logs, `merge-${level}.log`),
  }));

const REPORT_LOG = 'report.log';

/** @returns why there is no result; null when there is one, or when there are no partial answers to make it from */
async function finish({ folder, plan }: LocalRun, pool: ProcessPool): Promise<UserError | null> {
  const log = folder.at(PLACES.logs, REPORT_LOG);
  const [end] = await pool.run([{ args: ['job', '-o', folder.path, '--merge', '-q'], log }], () => undefined);
  if (isMerged({ folder, plan }) || folder.done().size === 0) return null;
  const said = lastLine(end?.said ?? '');
  return new UserError(said ?? 'the merge process exited without a result', said === null ? { where: log } : {});
}
