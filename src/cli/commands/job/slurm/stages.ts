/** The stages of a job of Slurm, each a script and the options to submit it with: all of it as text. */
import { quoted } from '../../../../write/shell-words.js';

/** A stage: what its jobs run, one after the one before has ended. */
export interface Stage {
  /** `tasks`, `again`, `merge-1`, `report`. */
  readonly name: string;
  readonly script: string;
  /** Jobs of the array; null for one job that is no array. */
  readonly count: number | null;
}

export interface StageRequest {
  /** Words that start dprof. */
  readonly program: readonly string[];
  /** The job's folder, absolute. */
  readonly folder: string;
  /** The folder of this submission in it, from it. */
  readonly place: string;
  /** Lines of the file of shares. */
  readonly shares: number;
  /** Merges of each level below the root. */
  readonly merges: readonly number[];
  /** Jobs of an array at a time. */
  readonly atOnce: number;
}

const shell = (...lines: readonly string[]): string => ['#!/bin/sh', ...lines, ''].join('\n');

/** In the submission's folder: tasks of each job of the array, a line each. */
export const SHARES = 'shares.txt';
/** In the submission's folder: the exit code of the report. */
export const EXIT_CODE = 'exit';

/** Name of a stage's log, from the job's folder, as Slurm writes it and as its script knows it. */
const logOf = (stage: string, isArray: boolean): string => `logs/${stage}-${isArray ? '%A_%a' : '%j'}.log`;
const ownLog = (stage: string): string => `logs/${stage}-"$SLURM_ARRAY_JOB_ID"_"$SLURM_ARRAY_TASK_ID".log`;

/** Deaths after which a job of the array goes on, at most. */
const MOST_DEATHS = 64;
/** Exit codes of processes that died: of signals, but for SIGTERM, which asks the job itself to end. */
const DIED = '[ "$code" -gt 128 ] && [ "$code" -ne 143 ]';

/** Lines that run a command on tasks, and again on those behind the one at which its process died. */
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
    '# The tasks of a line of shares.txt; the argument is added where an array begins behind its first line.',
    `share=$(sed -n "$((SLURM_ARRAY_TASK_ID + 1 + \${1:-0}))p" ${sharesFile})`,
    ...goingOn(`${command} --tasks "$share" --log ${ownLog('tasks')}`),
  );
  const retries = shell(
    '# Tasks that failed or were killed once more; where there are none it ends at once.',
    ...goingOn(`${command} --task "$SLURM_ARRAY_TASK_ID/${again}" --log ${ownLog('again')}`),
  );
  const merge = (count: number, i: number): Stage => {
    const n = Math.min(count, atOnce);
    const line = `exec ${command} --merge --level ${i + 1} --task "$SLURM_ARRAY_TASK_ID/${n}"`;
    return { name: `merge-${i + 1}`, count: n, script: shell(`# Merges of level ${i + 1}.`, line) };
  };
  const report = shell(
    '# What is left to merge, and the reports. The exit code appears when it is known.',
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

/** A job to be submitted. */
export interface Submission {
  readonly stage: string;
  /** Options of sbatch. */
  readonly options: readonly string[];
  /** Arguments of the script. */
  readonly args: readonly string[];
}

export interface SubmissionRequest {
  readonly folder: string;
  /** In the names of jobs. */
  readonly title: string;
  readonly atOnce: number;
  /** Slurm's MaxArraySize: indices are below it. */
  readonly mostInArray: number;
  /** The user's options, before ours. */
  readonly options: readonly string[];
}

/** A stage as arrays that Slurm takes, of which each waits for the one before: they are bounded together. */
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

/** Slurm's default. */
const MOST_IN_ARRAY = 1001;

/** @param config what `scontrol show config` prints */
export const mostInArray = (config: string): number =>
  Number(/^MaxArraySize\s*=\s*(\d+)/m.exec(config)?.[1] ?? MOST_IN_ARRAY);
