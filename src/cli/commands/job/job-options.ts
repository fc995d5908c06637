/** The options of `dprof job`, and their meaning. */
import { existsSync } from 'node:fs';
import { usableCores } from '../../../parse/files.js';
import { resolve } from 'node:path';
import { UsageError, requireName } from '../../../record/errors.js';
import { COLUMNS } from '../../../prof/columns/columns.js';
import { HELP_OPTION, integer, numberList, type Arguments, type Tool } from '../../arguments.js';
import { CHOICE_NAMES } from '../../choice-options.js';
import { TABLE_NAMES, unfit } from '../../shared-options.js';
import { PEAKS_OPTION, readPeaks } from '../../peaks-option.js';
import { QUIET_OPTION } from '../../records-command.js';
import type { Share } from './plan/job-plan.js';
import { wordsOf } from '../../../write/shell-words.js';

const ENGINES = ['local', 'slurm'] as const;
const FAN_IN = 32;
const PER_TASK = 64;
const AT_ONCE = 64;

export const JOB: Tool = {
  name: 'dprof job',
  usage: 'dprof job [OPTION...] INPUT... -o OUT',
  about: [
    'Reports on many profiles, one process per profile, on this machine or on a cluster: runs dprof',
    'partial for each profile, merges the results in a tree and writes the reports. Finished work is kept: --resume runs the rest.',
  ],
  operands: [
    'INPUT: folders (searched for profiles), globs, profiles, or files with one profile path per line (- for stdin).',
  ],
  options: [
    { name: 'output', short: 'o', takes: 'OUT', help: 'folder of the job' },
    { name: 'engine', takes: 'E', help: `${ENGINES.join(', ')} (local)`, values: ENGINES },
    { name: 'jobs', short: 'j', takes: 'N', help: 'local: N processes at a time (one per core)' },
    { name: 'resume', help: 'continue the job in OUT' },
    {
      name: 'by',
      takes: 'KEYS',
      help: 'columns by which --by and diff can group the result, as in dprof partial',
      values: COLUMNS.map(({ key }) => key),
      list: true,
    },
    PEAKS_OPTION,
    { name: 'per-task', takes: 'N', help: `at most N profiles per process (${PER_TASK}; fewer if they are large)` },
    { name: 'fan-in', takes: 'N', help: `at most N files per merge (${FAN_IN})` },
    { name: 'at-once', takes: 'N', help: `slurm: at most N jobs at a time (${AT_ONCE})` },
    { name: 'sbatch', takes: 'WORDS', help: "slurm: options for sbatch, such as '--partition=x --mem=4G'; may be repeated", repeats: true }, // prettier-ignore
    { name: 'wait', help: 'slurm: wait for the end, then print the report' },
    { name: 'task', takes: 'I/N', help: 'for other queues: run only share I of the tasks, from 0 to N - 1' },
    { name: 'tasks', takes: 'LIST', help: 'only these tasks, by their numbers in OUT/tasks.jsonl: 0-3,8' },
    { name: 'merge', help: 'only merge what is done, and report' },
    {
      name: 'level',
      takes: 'L',
      help: 'with --merge and --task I/N: only that share of the merges at level L (from 1)',
    },
    { name: 'log', takes: 'FILE', help: 'with --task: log of this process (path from OUT), named in errors' },
    {
      name: 'ended',
      takes: 'CODE',
      help: 'with --log: exit code of the process that died at these tasks; continues after them',
    },
    QUIET_OPTION,
    HELP_OPTION,
  ],
  unfit: {
    ...unfit(
      [...CHOICE_NAMES, ...TABLE_NAMES],
      'a job covers whole profiles; to filter, use dprof --by KEYS --where EXPR OUT/job.part',
    ),
    ...unfit(
      ['neff', 'capture', 'ncu'],
      'give it to dparse for each profile (dparse -o FOLDER/NAME.jsonl), then run the job on FOLDER',
    ),
  },
  notes: [
    [
      'OUT holds tasks.jsonl (the plan), parts/, logs/, job.part (for dprof summary, steps, ranks, diff, --by) and report/ with',
      'their answers; failed.txt and failed.jsonl give the reason for each missing profile. A failed profile is retried once,',
      'then listed; all others are kept, and the exit code is 1. The result is the same, byte for byte, whatever the engine and',
      'the shares.',
      'Memory: each process needs that of dprof partial for its largest profile, plus 100 MB.',
    ],
  ],
  examples: [
    'dprof job traces/ -o job && dprof summary job/job.part',
    "dprof job --engine slurm --sbatch '--partition=cpu' --at-once 100 traces/ -o job",
    'dprof job --resume -o job',
    "find /data -name '*.nsys-rep.sqlite' | dprof job - -o job",
    'dprof job --task "$JOB_COMPLETION_INDEX/16" /data/traces -o /data/job',
  ],
};

interface JobOptions {
  /** The job's folder, as given by the user. */
  readonly output: string;
  readonly operands: readonly string[];
  readonly by: string | null;
  readonly device: string | null;
  readonly fanIn: number;
  readonly quiet: boolean;
}

/** A share of a job, for other schedulers and queues. */
interface JobShare {
  readonly share: Share | null;
  readonly numbers: ReadonlySet<number> | null;
  readonly log: string | null;
  readonly ended: number | null;
}

interface WholeJob {
  readonly engine: (typeof ENGINES)[number];
  readonly jobs: number;
  readonly perTask: number;
  readonly atOnce: number;
  readonly sbatch: readonly string[];
  readonly wait: boolean;
  readonly resume: boolean;
}

export type JobRequest = JobOptions &
  (
    | ({ readonly show: 'job' } & WholeJob)
    | ({ readonly show: 'tasks' } & JobShare)
    | { readonly show: 'merge'; readonly level: number | null; readonly share: Share }
  );

/** @throws UsageError for invalid options */
export function readJobArguments(given: Arguments): JobRequest {
  const common = {
    output: given.text('output') ?? '',
    operands: given.operands,
    by: given.text('by') ?? null,
    // Tasks run in another working folder, so a file needs its absolute path.
    device: given.read('peaks', (text) => (existsSync(text) ? resolve(text) : text)) ?? null,
    fanIn: given.read('fan-in', (text) => integer('--fan-in', text, 2)) ?? FAN_IN,
    quiet: given.on('quiet'),
  };
  if (common.output === '') throw new UsageError('-o OUT is required', `usage: ${JOB.usage}`);
  readPeaks(given);
  const share = given.read('task', shareOf);
  const numbers = given.read('tasks', (text) => numberList('--tasks', text)) ?? null;
  if (given.on('merge')) {
    const level = given.read('level', (text) => integer('--level', text, 1)) ?? null;
    if (level === null && share !== undefined) throw new UsageError('--merge with --task needs --level L');
    return { ...common, show: 'merge', level, share: share ?? { index: 0, count: 1 } };
  }
  if (given.text('level') !== undefined) throw new UsageError('--level works only with --merge');
  if (share !== undefined || numbers !== null) {
    if (share !== undefined && numbers !== null) throw new UsageError('--task and --tasks cannot be combined');
    const log = given.text('log') ?? null;
    const ended = given.read('ended', (text) => integer('--ended', text, 1)) ?? null;
    if (ended !== null && log === null) throw new UsageError('--ended needs --log, which names the interrupted tasks');
    return { ...common, show: 'tasks', share: share ?? null, numbers, log, ended };
  }
  return { ...common, show: 'job', ...wholeJob(given) };
}

function wholeJob(given: Arguments): WholeJob {
  const engine = requireName('engine', given.text('engine') ?? 'local', ENGINES);
  const [isSlurm, sbatch] = [engine === 'slurm', given.texts('sbatch')];
  if (!isSlurm && (sbatch.length > 0 || given.on('wait') || given.text('at-once') !== undefined)) {
    throw new UsageError('--sbatch, --at-once and --wait work only with --engine slurm');
  }
  if (isSlurm && given.text('jobs') !== undefined)
    throw new UsageError('-j works only with --engine local; for slurm use --at-once');
  const resume = given.on('resume');
  if (!resume && given.operands.length === 0)
    throw new UsageError('no INPUT', `usage: ${JOB.usage}; see dprof job --help`);
  return {
    ...{ engine, resume, wait: given.on('wait') },
    jobs: given.read('jobs', (text) => integer('-j', text, 1)) ?? usableCores(),
    perTask: given.read('per-task', (text) => integer('--per-task', text, 1)) ?? PER_TASK,
    atOnce: given.read('at-once', (text) => integer('--at-once', text, 1)) ?? AT_ONCE,
    sbatch: sbatch.flatMap((text) => wordsOf('--sbatch', text)),
  };
}

/** Parses `3/16`: share 3 of the shares 0 to 15. */
function shareOf(text: string): Share {
  const [, index = '', count = ''] = /^(\d{1,9})\/(\d{1,9})$/.exec(text) ?? [];
  const share = { index: Number(index), count: Number(count) };
  if (index !== '' && share.index < share.count) return share;
  throw new UsageError(`--task takes I/N with I from 0 to N - 1, not '${text}'`);
}
