/** `dprof job`: answers about many profiles, computed by many processes. */
import { EXIT, UserError } from '../../record/errors.js';
import { runWith, type Command, type CommandEntry } from '../command.js';
import { say, sayingOnce } from '../message.js';
import { printText } from '../output.js';
import { failedTasks, sayFailed, writeFailed, failedText, type FailedTask, type Heard } from './job/failed-tasks.js';
import { PLACES, type JobFolder } from './job/job-folder.js';
import { JOB, readJobArguments, type JobRequest } from './job/job-options.js';
import { runLocally } from './job/local-engine.js';
import { existingJob, jobOfShare, openJob, withRepaired, type OpenJob } from './job/open-job.js';
import { itemsOf } from './job/plan/job-plan.js';
import { Stopped } from './job/process-pool.js';
import { isMerged, mergeAll, mergeLevel, runTasks, runInside } from './job/run-tasks.js';
import { refuseActive, waitForJob } from './job/slurm/follow.js';
import { submitJob, type Submitted } from './job/slurm/submit.js';
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { reportCommand } from '../report/run-report.js';
import { DPROF } from '../report/report-options.js';
import { JOB_PART } from './job/plan/merge-tree.js';
import { counted } from '../../record/plural.js';
import { MemberStore, readMembers } from './partial/member-store.js';

export async function removeDamaged(folder: JobFolder): Promise<void> {
  const damaged: string[] = [];
  for (const place of partsOf(folder)) if (!(await isWhole(folder.at(place)))) damaged.push(place);
  for (const place of damaged) folder.remove(place);
  const [first] = damaged;
  if (first === undefined) return;
  const others = damaged.length > 1 ? ` and ${counted(damaged.length - 1, 'other file')}` : '';
  say(
    'dprof',
    `${folder.at(first)}${others}: damaged after the job wrote ${damaged.length > 1 ? 'them; making them' : 'it; making it'} again`,
  );
}

/** Partial answers of tasks and merges, as paths in the job's folder. */
const partsOf = (folder: JobFolder): string[] => [
  ...[PLACES.parts, PLACES.merges].flatMap((place) =>
    folder.names(place).flatMap((name) => (name.endsWith('.part') ? [`${place}/${name}`] : [])),
  ),
  ...(existsSync(folder.at(PLACES.part)) ? [PLACES.part] : []),
];

/** Whether a file has all of its members, and the content of each matches its id. */
async function isWhole(path: string): Promise<boolean> {
  const store = new MemberStore();
  try {
    return (await readMembers(path, store, '')).cut === null;
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  } finally {
    store.dispose();
  }
}

interface JobReportFile {
  readonly file: string;
  /** Arguments of dprof, without the input. */
  readonly args: readonly string[];
}

/** Files in `report/`; the first one that exists is printed at the end of a job. */
const REPORTS: readonly JobReportFile[] = [
  { file: 'ranks.txt', args: ['ranks'] },
  { file: 'ranks.json', args: ['ranks', '-f', 'json'] },
  { file: 'summary.txt', args: ['summary'] },
  { file: 'summary.json', args: ['summary', '-f', 'json'] },
  { file: 'steps.csv', args: ['steps', '-f', 'csv'] },
  { file: 'ops.csv', args: ['--by', 'op', '-f', 'csv'] },
];

/**
 * Writes the reports that the partial answer has data for, and prints why the others are missing.
 * @param failed tasks missing from the partial answer, which text reports mention
 */
export async function writeReports(
  {
    folder,
    by,
    failed,
  }: { readonly folder: JobFolder; readonly by: string | null; readonly failed: readonly FailedTask[] },
  commands: Readonly<Record<string, CommandEntry>>,
): Promise<void> {
  const possible = REPORTS.filter(({ args: [name, keys = ''] }) => name !== '--by' || by === null || by.split(',').includes(keys)); // prettier-ignore
  const work = folder.work('report');
  try {
    await sayingOnce(async () => {
      for (const { file, args } of possible) {
        const [name = '', ...others] = args;
        const command = (await commands[name]?.load()) ?? KERNELS;
        const options = command === KERNELS ? args : others;
        const end = [...options, '-q', '-o', join(work.path, file), folder.at(JOB_PART)];
        const { code, error } = await runInside(() => runWith(command, end, [...options, JOB_PART]));
        if (existsSync(join(work.path, file))) {
          if (file.endsWith('.txt')) appendFileSync(join(work.path, file), failedText(failed));
          work.move(file, `${PLACES.report}/${file}`);
        }
        if (code !== EXIT.done && error !== null) say('dprof', `no ${PLACES.report}/${file}: ${error}`);
      }
    });
  } finally {
    work.dispose();
  }
}

/** The kernel report, which has no command name. */
const KERNELS: Command = { tool: DPROF, run: reportCommand };

/** Prints the first report that exists. */
export async function printReport(folder: JobFolder): Promise<void> {
  for (const { file } of REPORTS) {
    const text = folder.read(PLACES.report, file);
    if (text !== null) return printText(text);
  }
}

/** @param commands all commands: other commands make partial answers, merges and reports */
export function job(commands: Readonly<Record<string, CommandEntry>>): Command {
  return { tool: JOB, run: (given) => runJob(readJobArguments(given), commands) };
}

type Commands = Readonly<Record<string, CommandEntry>>;

async function runJob(request: JobRequest, commands: Commands): Promise<void> {
  if (request.show === 'tasks') return runShare(request, commands);
  if (request.show === 'merge') return runMerges(request, commands);
  return runWhole(request);
}

async function runShare(request: JobRequest & { show: 'tasks' }, commands: Commands): Promise<void> {
  const { share, numbers, log, ended } = request;
  const { folder, plan } = await jobOfShare(request);
  const tasks = share === null ? plan.tasks.filter(({ number }) => numbers?.has(number)) : itemsOf(plan.tasks, share);
  const run = { folder, settings: plan, partial: await named(commands, 'partial'), log, ended };
  if ((await runTasks(run, tasks)) > 0) process.exitCode = EXIT.failed;
}

async function runMerges(request: JobRequest & { show: 'merge' }, commands: Commands): Promise<void> {
  const { level, share, quiet } = request;
  const { folder, plan } = existingJob(request);
  const run = { folder, plan, merge: await named(commands, 'merge') };
  if (level !== null) {
    await mergeLevel(run, level, share);
    return;
  }
  const failed = failedTasks(folder, plan);
  if (await mergeAll(run)) await writeReports({ folder, by: plan.by, failed }, commands);
  writeFailed(folder, failed);
  // Leftover files of killed processes. They are kept while a task without a known end may still be running.
  if (failed.every(({ hasSaid }) => hasSaid)) folder.remove(PLACES.work);
  if (!quiet) await sayEnd({ folder, plan });
  if (failed.length > 0) process.exitCode = EXIT.failed;
}

async function named(commands: Commands, name: string): Promise<Command> {
  const entry = commands[name];
  if (entry === undefined) throw new TypeError(`no command ${name}`);
  return entry.load();
}

async function runWhole(request: JobRequest & { show: 'job' }): Promise<void> {
  const found = await openJob(request);
  const { folder, release } = found;
  try {
    refuseActive(folder);
    const opened = withRepaired(found);
    // Leftover files of killed processes.
    folder.remove(PLACES.work);
    if (request.resume) await removeDamaged(folder);
    if (request.engine === 'local') {
      await runHere(opened, request);
      return;
    }
    const submitted = submitJob({ ...opened, ...request, options: request.sbatch });
    sayToFollow(folder, submitted, request.quiet);
    // The jobs are submitted, so the next process that looks for them finds them.
    release();
    if (request.wait) await runThere(opened, submitted, request.quiet);
    else await printText(submitted.jobs.map(({ stage, id }) => `${stage} ${id}\n`).join(''));
  } finally {
    release();
  }
}

async function runHere(opened: OpenJob, request: JobRequest & { show: 'job' }): Promise<void> {
  const { folder, plan } = opened;
  try {
    const { heard, failure } = await runLocally({ ...opened, ...request });
    await sayEnd(opened, heard);
    if (failure !== null) throw failure;
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    const done = `${folder.done().size} of ${plan.tasks.length} done`;
    say('dprof', `stopped: ${done}; continue with dprof job --resume -o ${request.output}`);
    endBy(error.signal);
  } finally {
    // All processes have ended, so anything left in it comes from one that crashed.
    folder.remove(PLACES.work);
  }
}

/** Ends the process as the signal would have. */
function endBy(signal: NodeJS.Signals): void {
  // Wait until the folder is released.
  setImmediate(() => {
    process.kill(process.pid, signal);
  });
}

async function runThere({ folder, plan }: OpenJob, submitted: Submitted, quiet: boolean): Promise<void> {
  const code = await waitForJob(folder, plan, submitted, quiet);
  if (code === null) {
    const log = folder.at(PLACES.logs, `report-${submitted.jobs.at(-1)?.id ?? ''}.log`);
    throw new UserError('the report process was killed or never started', {
      where: log,
      hint: 'continue with dprof job --resume',
    });
  }
  await sayEnd({ folder, plan });
}

/** Prints the report to stdout and the failures to stderr. @throws UserError when no profile could be read */
async function sayEnd({ folder, plan }: OpenJob, heard?: Heard): Promise<void> {
  const failed = failedTasks(folder, plan, heard);
  // The list may be incomplete because the disk was full.
  if (failed.length > 0) writeWhereRoom(folder, failed);
  sayFailed(folder, failed, plan.tasks.length);
  if (failed.length > 0) process.exitCode = EXIT.failed;
  if (isMerged({ folder, plan })) await printReport(folder);
}

function writeWhereRoom(folder: JobFolder, failed: readonly FailedTask[]): void {
  try {
    writeFailed(folder, failed);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    say('dprof', error.line);
  }
}

function sayToFollow(folder: JobFolder, { jobs }: Submitted, quiet: boolean): void {
  if (quiet) return;
  const ids = jobs.map(({ id }) => id);
  say('dprof', `submitted; follow: squeue -j ${ids.join(',')}; stop: scancel ${ids.join(' ')}; result: ${folder.at(PLACES.report)}`); // prettier-ignore
}
