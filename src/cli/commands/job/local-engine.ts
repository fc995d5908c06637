/** The engine of one machine: tasks and merges in processes of their own, as many at a time as it has cores. */
import { mkdirSync } from 'node:fs';
import { UserError } from '../../../record/errors.js';
import { progress } from '../../progress.js';
import { failedTasks, lastLine } from './failed-tasks.js';
import { PLACES, type JobFolder } from './job-folder.js';
import type { JobPlan, JobTask } from './plan/job-plan.js';
import { mergeCounts } from './plan/merge-tree.js';
import { rangesText, sharesBySize } from './plan/shares.js';
import { isMerged } from './run-merges.js';
import { ProcessPool, type PoolTask } from './process-pool.js';

interface LocalRun {
  readonly folder: JobFolder;
  readonly plan: JobPlan;
  /** Processes at a time. */
  readonly jobs: number;
  /** Profiles that a process takes at most. */
  readonly perTask: number;
  readonly quiet: boolean;
}

/**
 * Makes the parts that are missing, those that fail twice, then merges and reports.
 * @throws Stopped after a signal
 * @throws UserError where merging fails
 */
export async function runLocally(run: LocalRun): Promise<void> {
  const { folder, plan, jobs, quiet } = run;
  mkdirSync(folder.at(PLACES.logs), { recursive: true });
  const pool = new ProcessPool(jobs);
  const meter = progress('dprof job', !quiet);
  try {
    const done = folder.done();
    const missing = plan.tasks.filter(({ name }) => !done.has(name));
    const all = async (label: string, shares: readonly (readonly JobTask[])[]): Promise<void> => {
      await pool.run(shares.map((share, i) => taskProcess(folder, share, `${label}-${i}`)), (n) => meter.at(n, shares.length)); // prettier-ignore
    };
    await all('tasks', sharesBySize(missing, Math.min(run.perTask, Math.ceil(missing.length / jobs))));
    await all('again', againShares(run));
    for (const [i, count] of mergeCounts(plan.tasks.length, plan.fanIn).entries()) {
      const processes = Math.min(Math.ceil(count / LEAST_MERGES), jobs);
      // One alone is the one that reports, which makes all merges that are missing.
      if (processes > 1) await pool.run(mergeProcesses(folder, i + 1, processes), () => undefined);
    }
    await finish(run, pool);
  } finally {
    meter.clear();
  }
}

/** Merges that are worth a process of their own: its start takes as long. */
const LEAST_MERGES = 16;

/** What failed once: what said why together again, what crashed each alone, since one may have ended the others. */
function againShares({ folder, plan, perTask }: LocalRun): (readonly JobTask[])[] {
  const failed = failedTasks(folder, plan).filter(({ isCut }) => !isCut);
  const said = failed.filter(({ hasSaid }) => hasSaid).map(({ task }) => task);
  const crashed = failed.filter(({ hasSaid }) => !hasSaid);
  return [...sharesBySize(said, perTask), ...crashed.map(({ task }) => [task])];
}

function taskProcess(folder: JobFolder, share: readonly JobTask[], name: string): PoolTask {
  const log = `${PLACES.logs}/${name}.log`;
  const tasks = rangesText(share.map(({ number }) => number));
  return { args: ['job', '-o', folder.path, '--tasks', tasks, '--log', log], log: folder.at(log) };
}

const mergeProcesses = (folder: JobFolder, level: number, count: number): PoolTask[] =>
  Array.from({ length: count }, (_, i) => ({
    args: ['job', '-o', folder.path, '--merge', '--level', `${level}`, '--task', `${i}/${count}`],
    log: folder.at(PLACES.logs, `merge-${level}.log`),
  }));

const REPORT_LOG = 'report.log';

async function finish({ folder, plan }: LocalRun, pool: ProcessPool): Promise<void> {
  const log = folder.at(PLACES.logs, REPORT_LOG);
  const before = folder.read(PLACES.logs, REPORT_LOG)?.length ?? 0;
  await pool.run([{ args: ['job', '-o', folder.path, '--merge', '-q'], log }], () => undefined);
  if (isMerged({ folder, plan }) || folder.done().size === 0) return;
  const said = lastLine((folder.read(PLACES.logs, REPORT_LOG) ?? '').slice(before));
  throw new UserError(said ?? 'merging ended without a result', said === null ? { where: log } : {});
}
