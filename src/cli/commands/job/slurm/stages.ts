/** The stages of a Slurm job, each a script and the options to submit it with, all as text. */
import { quoted } from '../../../../write/shell-words.js';

/** A stage, with the commands of its jobs. It starts when the previous stage has ended. */
export interface Stage {
  /** Name: `tasks`, `again`, `merge-1`, `report`. */
  readonly name: string;
  readonly script: string;
  /** Jobs in the array; null for a single job without an array. */
  readonly count: number | null;
}

export interface StageRequest {
  /** Command line that starts dprof. */
  readonly program: readonly string[];
  /** The job's folder, as an absolute path. */
  readonly folder: string;
  /** The folder of this submission, as a path in the job's folder. */
  readonly place: string;
  /** Number of lines in the file of shares. */
  readonly shares: number;
  /** Number of merges at each level below the root. */
  readonly merges: readonly number[];
  /** Maximum jobs of an array that run at a time. */
  readonly atOnce: number;
}

const shell = (...lines: readonly string[]): string => ['#!/bin/sh', ...lines, ''].join('\n');

/** File in the submission's folder with the tasks of each array job, one job a line. */
export const SHARES = 'shares.txt';
/** File in the submission's folder with the exit code of the report. */
export const EXIT_CODE = 'exit';

/** Path of a stage's log in the job's folder, both as Slurm's pattern and as its script's variables. */
const logOf = (stage: string, isArray: boolean): string => `logs/${stage}-${isArray ? '%A_%a' : '%j'}.log`;
const ownLog = (stage: string): string => `logs/${stage}-"$SLURM_ARRAY_JOB_ID"_"$SLURM_ARRAY_TASK_ID".log`;

/** Maximum number of deaths after which an array job still continues. */
const MOST_DEATHS = 64;
/**
 * Shell test for the exit codes of processes that were killed by a signal other than SIGTERM. SIGTERM asks the job
 * itself to end.
 */
const DIED = '[ "$code" -gt 128 ] && [ "$code" -ne 143 ]';

/** Shell lines that run a command on tasks; when its process dies at a task, they run it again on the tasks after that. */
const goingOn = (command: string): string[] => [
  `run() { ${command} "$@"; code=$?; }`,
  'run',
  'deaths=0',
  `while ${DIED} && [ $((deaths += 1)) -le ${MOST_DEATHS} ]; do run --ended "$code"; done`,
  'exit "$code"',
];

/** All stages, in order. */
export function stagesOf({ program, folder, place, shares, merges, atOnce }: StageRequest): Stage[] {
  const command = [...program, 'job', '-o', folder].map(quoted).join(' ');
  const again = Math.min(shares, atOnce);
  const sharesFile = quoted(`${folder}/${place}/${SHARES}`);
  const exitFile = quoted(`${folder}/${place}/${EXIT_CODE}`);
  const tasks = shell(
    '# The tasks are in one line of shares.txt. The argument is the number of lines before those of this array.',
    `share=$(sed -n "$((SLURM_ARRAY_TASK_ID + 1 + \${1:-0}))p" ${sharesFile})`,
    ...goingOn(`${command} --tasks "$share" --log ${ownLog('tasks')}`),
  );
  const retries = shell(
    '# Tries tasks again that failed or were killed; ends at once if there are none.',
    ...goingOn(`${command} --task "$SLURM_ARRAY_TASK_ID/${again}" --log ${ownLog('again')}`),
  );
  const merge = (count: number, i: number): Stage => {
    const n = Math.min(count, atOnce);
    const line = `exec ${command} --merge --level ${i + 1} --task "$SLURM_ARRAY_TASK_ID/${n}"`;
    return { name: `merge-${i + 1}`, count: n, script: shell(`# Merges of level ${i + 1}.`, line) };
  };
  const report = shell(
    '# The remaining merges, and the reports. The file with the exit code is written when it is known.',
    `${command} --merge`,
    `echo $? > ${exitFile}.new && mv ${exitFile}.new ${exitFile}`,
  );
  return [
    { name: 'tasks', count: shares, script: tasks },
    { name: 'again', count: again, script: retries },
    ...merges.map(merge),
    { name: 'report', count: null, script: report },
  ];
}

/** One job to submit. */
export interface Submission {
  readonly stage: string;
  /** Options for sbatch. */
  readonly options: readonly string[];
  /** Arguments of the script. */
  readonly args: readonly string[];
}

export interface SubmissionRequest {
  readonly folder: string;
  /** Title for the names of the jobs. */
  readonly title: string;
  readonly atOnce: number;
  /** Slurm's MaxArraySize; array indices must be smaller. */
  readonly mostInArray: number;
  /** The user's options, which precede ours. */
  readonly options: readonly string[];
}

/**
 * Splits a stage into arrays that Slurm accepts. Each waits for the previous one, so that the limit of concurrent jobs
 * applies to all of them together.
 */
export function submissionsOf({ name, count }: Stage, request: SubmissionRequest): Submission[] {
  const { folder, title, atOnce, mostInArray, options } = request;
  const common = [
    ...options,
    ...['--parsable', '--requeue', '--open-mode=append', '--chdir', folder, '--job-name', `dprof-${title}-${name}`],
    ...['--output', logOf(name, count !== null)],
  ];
  if (count === null) return [{ stage: name, options: common, args: [] }];
  const arrays: Submission[] = [];
  for (let first = 0; first < count; first += mostInArray) {
    const last = Math.min(count - first, mostInArray) - 1;
    const array = `--array=0-${last}%${atOnce}`;
    arrays.push({ stage: name, options: [...common, array], args: [`${first}`] });
  }
  return arrays;
}

/** The default of Slurm. */
const MOST_IN_ARRAY = 1001;

/** @param config output of `scontrol show config` */
export const mostInArray = (config: string): number =>
  Number(/^MaxArraySize\s*=\s*(\d+)/m.exec(config)?.[1] ?? MOST_IN_ARRAY);
