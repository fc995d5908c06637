/**
 * `npm run test:slurm`: a job of twelve small profiles on a cluster of this machine's own, whose tasks are requeued and
 * killed while they run, gives the bytes of a run without Slurm. Skipped with a word where there is no Slurm.
 */
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { writeJob } from '../../samples/programs/job/write-job.js';
import { ROOT } from '../support/shared.js';
import { Cluster, missingForCluster } from './cluster.js';

const PROFILES = 12;
/** Less than the profiles: there are two arrays of tasks. */
const MOST_IN_ARRAY = 8;
const MOST_SECONDS = 200;

interface RunningTask {
  readonly id: string;
  readonly stage: string;
}

/** Jobs that run now. */
const runningTasks = (cluster: Cluster): RunningTask[] =>
  cluster
    .run('squeue', ['-h', '-t', 'R', '-o', '%i %j'])
    .split('\n')
    .flatMap((line) => {
      const [id, name] = line.split(' ');
      return id === undefined || name === undefined ? [] : [{ id, stage: name.replace(/^dprof-[a-z]+-/, '') }];
    });

/** What is done to a job that runs. */
const BLOWS = {
  requeue: (cluster: Cluster, id: string): unknown => cluster.run('scontrol', ['requeue', id]),
  cancel: (cluster: Cluster, id: string): unknown => cluster.run('scancel', ['--signal=KILL', id]),
  kill: (_cluster: Cluster, id: string): void => {
    killProcesses(id);
  },
} as const;

/** Blows for the first jobs of each stage that are seen to run. */
type Blows = Readonly<Record<string, readonly (keyof typeof BLOWS)[]>>;

/** Ends the processes of a job of an array as a machine without memory does. */
function killProcesses(id: string): void {
  const [job = '', task = ''] = id.split('_');
  const own = [`SLURM_ARRAY_JOB_ID=${job}`, `SLURM_ARRAY_TASK_ID=${task}`];
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      if (own.every((line) => environment.includes(line))) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

/** Strikes jobs that wait to be struck (hold.mjs) until no job is left. @returns what was struck and felt it, as Slurm has it */
async function strike(cluster: Cluster, holds: string, blows: Blows): Promise<string[]> {
  const struck = new Map<string, string>();
  const counts = new Map<string, number>();
  const end = Date.now() + MOST_SECONDS * 1000;
  while (Date.now() < end) {
    await delay(50);
    const isOver = cluster.run('squeue', ['-h']).trim() === '';
    if (isOver) return [...struck].flatMap(([id, line]) => felt(cluster, id, line));
    for (const { id, stage } of runningTasks(cluster)) {
      const count = counts.get(stage) ?? 0;
      const blow = blows[stage]?.[count];
      const held = join(holds, `${stage}-${id}`);
      if (blow === undefined || struck.has(id) || !existsSync(held)) continue;
      BLOWS[blow](cluster, id);
      counts.set(stage, count + 1);
      struck.set(id, `${stage}: ${blow} ${id}`);
      writeFileSync(`${held}.struck`, '');
      if (count + 1 === blows[stage]?.length) rmSync(join(holds, stage));
    }
  }
  throw new Error(`jobs are left after ${MOST_SECONDS} s: ${cluster.run('squeue', [])}`);
}

/** A folder of marks that holds the jobs of each stage that is to be struck. */
function holdsFor(folder: string, name: string, blows: Blows): string {
  const holds = join(folder, `holds ${name}`);
  mkdirSync(holds);
  for (const stage of Object.keys(blows)) writeFileSync(join(holds, stage), '');
  return holds;
}

/** The line on a job that was started again, cancelled, or ended by SIGKILL. */
const felt = (cluster: Cluster, id: string, line: string): string[] =>
  / Restarts=[1-9]|JobState=CANCELLED|ExitCode=0:9/.test(cluster.run('scontrol', ['show', 'job', '-o', id]))
    ? [line]
    : [];

const HOLD = ['--import', pathToFileURL(join(ROOT, 'test/slurm/hold.mjs')).href];

/**
 * Runs `dprof job`, whose processes are started as it is.
 * @param holds marks that hold its jobs
 * @returns its exit code, and what it says but for how to follow a job
 */
function dprofJob(cluster: Cluster, args: readonly string[], holds = ''): { code: number | null; said: string } {
  const env = { ...process.env, ...cluster.environment, HOLD: holds };
  const words = [...HOLD, join(ROOT, 'bin/dprof.js'), 'job', ...args];
  const ended = spawnSync(process.execPath, words, { encoding: 'utf8', env });
  return { code: ended.status, said: ended.stderr.replaceAll(/^dprof: submitted.*\n/gm, '') };
}

/** Each way to end a task, and each stage. */
const ALL_STAGES: Blows = {
  tasks: ['requeue', 'cancel', 'kill', 'requeue'],
  again: ['requeue'],
  'merge-1': ['kill'],
  report: ['requeue'],
};

/** Each task as often as it is tried. */
const KILLED: Blows = { tasks: ['kill', 'kill', 'kill'], again: ['kill', 'kill', 'kill'] };

const DONE = { code: 0, said: '' };
const SLURM = ['--engine', 'slurm', '--per-task', '1', '--at-once', '4', '--fan-in', '4'];

function partsOf(job: string): string[] {
  const folder = join(job, 'parts');
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.part')) : [];
}

/** Requeued and killed tasks leave no trace in the result. @returns what was done, in words */
async function testStrikes(folder: string, cluster: Cluster): Promise<string> {
  const profiles = join(folder, "rank's profiles");
  writeJob(['--tp', '2', '--pp', '2', '--dp', '3', '--steps', '2', '-o', profiles]);
  renameSync(join(profiles, 'rank_3.pt.trace.json.gz'), join(profiles, 'rank_3 "x".pt.trace.json.gz'));
  const [local, job] = [join(folder, 'local'), join(folder, 'the job', 'job')];
  expect(dprofJob(cluster, [profiles, '-o', local])).to.deep.equal(DONE);
  mkdirSync(join(folder, 'the job'));
  const args = [profiles, '-o', job, ...SLURM, '--sbatch', '--comment="two words"'];
  const holds = holdsFor(folder, 'all', ALL_STAGES);
  expect(dprofJob(cluster, args, holds)).to.deep.equal(DONE);
  expect(dprofJob(cluster, ['--resume', '-o', job]).said).to.match(/: Slurm job \S+ is still pending or running \(/);
  const struck = await strike(cluster, holds, ALL_STAGES);
  const stages = Object.entries(ALL_STAGES).flatMap(([stage, blows]) => blows.map(() => stage));
  expect(struck.map((line) => line.split(':', 1)[0]).sort(), struck.join('\n')).to.deep.equal(stages.sort());
  expect(partsOf(job)).to.have.length(PROFILES);
  expect(readFileSync(join(job, 'slurm/1/exit'), 'utf8')).to.equal('0\n');
  expectSamePart(job, local);
  for (const name of ['work', 'lock', 'failed.txt']) expect(existsSync(join(job, name)), name).to.equal(false);
  expect(readdirSync(join(job, 'merge'))).to.deep.equal(['job.key']);
  expect(readdirSync(join(job, 'parts'))).to.have.length(PROFILES);
  return `${PROFILES} tasks; struck, of these and of later stages, ${struck.length}:\n  ${struck.join('\n  ')}\n`;
}

const expectSamePart = (job: string, other: string): void => {
  const [part, expected] = [job, other].map((folder) => readFileSync(join(folder, 'job.part')));
  expect(expected !== undefined && part?.equals(expected), `${job}/job.part is that of ${other}`).to.equal(true);
};

/** Tasks that are killed twice, and a profile that nothing can read, are named; what can be done is done later. */
async function testFailures(folder: string, cluster: Cluster): Promise<string> {
  const [profiles, job, local] = ['profiles', 'failing', 'two'].map((name) => join(folder, name)) as [string, string, string]; // prettier-ignore
  writeJob(['--tp', '2', '--pp', '1', '--dp', '1', '--steps', '2', '-o', profiles]);
  expect(dprofJob(cluster, [profiles, '-o', local])).to.deep.equal(DONE);
  writeFileSync(join(profiles, 'rank_2.json.gz'), Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]));
  const holds = holdsFor(folder, 'killed', KILLED);
  expect(dprofJob(cluster, [profiles, '-o', job, ...SLURM], holds)).to.deep.equal(DONE);
  const struck = await strike(cluster, holds, KILLED);
  expect(struck, struck.join('\n')).to.have.length(6);
  expect(readFileSync(join(job, 'slurm/1/exit'), 'utf8')).to.equal('1\n');
  expect(partsOf(job)).to.deep.equal([]);
  expect(readFileSync(join(job, 'failed.txt'), 'utf8').match(/ was killed, or crashed/g)).to.have.length(3);
  const { code, said } = dprofJob(cluster, ['--resume', '-o', job, ...SLURM, '--wait']);
  expect(code, said).to.equal(1);
  expect(said).to.match(/rank_2\.json\.gz: .*damaged.* \(log: logs\/again-\d+_\d\.log\)\n.*of 3 profiles 1 failed: /);
  expectSamePart(job, local);
  return `3 tasks, killed ${struck.length} times, named, and made when the job went on\n`;
}

const missing = missingForCluster();
if (missing !== null) process.stdout.write(`test:slurm skipped: ${missing}\n`);
else {
  const start = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'dparse-slurm-'));
  const cluster = await Cluster.start(folder, MOST_IN_ARRAY);
  try {
    for (const test of [testStrikes, testFailures]) process.stdout.write(await test(folder, cluster));
    process.stdout.write(
      `job.part identical to that of a local run; ${Math.round((performance.now() - start) / 1000)} s\n`,
    );
  } finally {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
