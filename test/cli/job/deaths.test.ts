/** Profiles that end the process which reads them, and folders without room: each costs itself, and is named with what ended it. */
import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stagesOf } from '../../../src/cli/commands/job/slurm/stages.js';
import { ended, type Ended } from '../../support/ended.js';
import { freshPath } from '../../support/fresh-path.js';
import { kernel, launch, traceText } from '../../support/kineto-trace.js';
import { commandOf } from '../../support/run-cli.js';
import { awaited } from '../../support/waits.js';
import { describeWithProcess } from '../../support/sets.js';
import { ROOT } from '../../support/shared.js';

const RANKS = 6;

function profilesFolder(): string {
  const folder = freshPath('-profiles');
  mkdirSync(folder);
  for (let rank = 0; rank < RANKS; rank++) {
    const header = `"distributedInfo": {"backend": "nccl", "rank": ${rank}, "world_size": ${RANKS}}`;
    const text = traceText([launch(1, 1), kernel('gemm', 1, 10)], header);
    writeFileSync(join(folder, `rank_${rank}.json`), text);
  }
  return folder;
}

/** Processes that open a file with such a path end so: see dying-at.mjs. */
interface Death {
  readonly at: string;
  readonly by: string;
}

function environment({ at, by }: Death): NodeJS.ProcessEnv {
  const preload = pathToFileURL(join(ROOT, 'test/support/dying-at.mjs')).href;
  return { ...process.env, NODE_OPTIONS: `--import ${preload}`, DYING_AT: at, DYING_BY: by };
}

function job(death: Death, ...args: readonly string[]): Promise<Ended> {
  const words = [...commandOf('dprof'), 'job', ...args];
  return ended(spawn(process.execPath, words, { env: environment(death), stdio: ['ignore', 'pipe', 'pipe'] }));
}

/** Ranks that a log has begun, in order. */
const begunIn = (out: string, log: string): number[] =>
  [...readFileSync(join(out, 'logs', log), 'utf8').matchAll(/^dprof: task \d+: .*rank_(\d)\.json$/gm)].map(([, rank]) =>
    Number(rank),
  );

/** The list of what failed, without what differs from run to run. */
const failuresIn = (out: string): object[] =>
  readFileSync(join(out, 'failed.jsonl'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const { task, ended, signal, exitCode, isCut, log } = JSON.parse(line) as Record<string, unknown>;
      return { task, ended, signal, exitCode, isCut, log };
    });

const partsIn = (out: string): string[] =>
  readdirSync(join(out, 'parts')).flatMap((name) => /^(rank_\d).*\.part$/.exec(name)?.[1] ?? []);

const WHOLE = { signal: null, exitCode: null, isCut: false };
const ALL = ['rank_0', 'rank_1', 'rank_2', 'rank_3', 'rank_4', 'rank_5'];
const without = (...ranks: readonly number[]): string[] => ALL.filter((_, rank) => !ranks.includes(rank));

describeWithProcess('dprof job where profiles end processes', () => {
  it('is ended by a signal also where one computes, and leaves nothing of its work', async () => {
    const [profiles, out] = [profilesFolder(), freshPath('-job')];
    const words = [...commandOf('dprof'), 'job', '-j', '1', profiles, '-o', out];
    const env = environment({ at: 'rank_3\\.json$', by: 'computing' });
    const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const ending = ended(child);
    const log = join(out, 'logs/tasks-0.log');
    await awaited('rank 3', () => (existsSync(log) && begunIn(out, 'tasks-0.log').includes(3) ? true : undefined));
    child.kill('SIGINT');
    const { code, signal, stderr } = await ending;
    expect({ code, signal }).to.deep.equal({ code: null, signal: 'SIGINT' });
    expect(stderr).to.equal(`dprof: stopped: 3 of 6 done; continue with dprof job --resume -o ${out}\n`);
    expect(readdirSync(out).sort()).to.deep.equal(['logs', 'parts', 'tasks.jsonl']);
  });

  it('goes on behind each of them in its share, tries it once more alone, and says what ended it', async () => {
    const [profiles, out] = [profilesFolder(), freshPath('-job')];
    const ran = await job({ at: 'rank_[13]\\.json$', by: 'SIGKILL' }, '-j', '1', profiles, '-o', out);
    expect(ran.code).to.equal(1);
    const line = (rank: number, log: string): string =>
      `${join(profiles, `rank_${rank}.json`)}: its process was killed by SIGKILL, as happens when a system runs out of memory (log: logs/${log}.log)`;
    const lines = [line(1, 'again-0'), line(3, 'again-1')];
    expect(readFileSync(join(out, 'failed.txt'), 'utf8')).to.equal(lines.map((text) => `${text}\n`).join(''));
    expect(ran.stderr).to.equal(
      [...lines, `of 6 profiles 2 failed: ${join(out, 'failed.txt')}`].map((text) => `dprof: ${text}\n`).join(''),
    );
    expect(readFileSync(join(out, 'report/ranks.txt'), 'utf8').split('\nMissing, or cut off\n')[1]).to.equal(
      lines.map((text) => `  ${text}\n`).join(''),
    );
    expect(failuresIn(out)).to.deep.equal([
      { ...WHOLE, task: 1, ended: 'signal', signal: 'SIGKILL', log: 'logs/again-0.log' },
      { ...WHOLE, task: 3, ended: 'signal', signal: 'SIGKILL', log: 'logs/again-1.log' },
    ]);
    expect(partsIn(out)).to.deep.equal(without(1, 3));
    // Each profile once, and those that failed once more.
    expect(begunIn(out, 'tasks-0.log')).to.deep.equal([0, 1, 2, 3, 4, 5]);
    expect([begunIn(out, 'again-0.log'), begunIn(out, 'again-1.log')]).to.deep.equal([[1], [3]]);
  });

  it('says of memory, exit codes and full disks what they are', async () => {
    const cases: readonly (readonly [Death, error: string, end: object])[] = [
      [{ at: 'rank_2\\.json$', by: '7' }, 'its process ended with exit code 7', { ended: 'exit', exitCode: 7 }],
      [{ at: '/work/rank_2[^/]*/[.]dparse', by: 'ENOSPC' }, 'no space left on the device', { ended: 'no-space' }],
      [{ at: '/work/rank_2[^/]*/[.]dparse', by: 'EDQUOT' }, 'disk quota exceeded', { ended: 'no-space' }],
    ];
    for (const [death, error, end] of cases) {
      const [profiles, out] = [profilesFolder(), freshPath('-job')];
      const ran = await job(death, '-j', '1', profiles, '-o', out);
      expect(ran.code, death.by).to.equal(1);
      expect(readFileSync(join(out, 'failed.txt'), 'utf8')).to.match(/^[^\n]*rank_2\.json: [^\n]*\n$/).and.include(error); // prettier-ignore
      expect(failuresIn(out)).to.deep.equal([{ ...WHOLE, task: 2, log: 'logs/again-0.log', ...end }]);
      expect(partsIn(out)).to.deep.equal(without(2));
    }
  });

  it('goes on where not even the reason can be written, and says it all the same', async () => {
    const [profiles, out] = [profilesFolder(), freshPath('-job')];
    const ran = await job({ at: '/work/(rank_4|file)|/logs/', by: 'ENOSPC' }, '--resume', ...(await planned(profiles, out))); // prettier-ignore
    expect(ran.code).to.equal(1);
    expect(ran.stderr).to.match(/^dprof: [^\n]*rank_4\.json: [^\n]*no space left on the device[^\n]*\n/m);
    expect(partsIn(out)).to.deep.equal(without(4));
  });

  it('goes on in the scripts for Slurm', async () => {
    const [profiles, out] = [profilesFolder(), freshPath('-job')];
    await planned(profiles, out);
    mkdirSync(join(out, 'logs'));
    mkdirSync(join(out, 'slurm/1'), { recursive: true });
    writeFileSync(join(out, 'slurm/1/shares.txt'), '0-5\n');
    const program = [process.execPath, ...commandOf('dprof')];
    const stages = stagesOf({ program, folder: out, place: 'slurm/1', shares: 1, merges: [], atOnce: 1 });
    for (const name of ['tasks', 'again']) {
      const log = `logs/${name}-7_0.log`;
      const script = stages.find((stage) => stage.name === name)?.script ?? '';
      // As Slurm runs it: what it says is its log.
      const child = spawn('sh', ['-c', `exec 2>>"${log}"\n${script}`], {
        cwd: out,
        env: {
          ...environment({ at: 'rank_[13]\\.json$', by: 'SIGKILL' }),
          ...{ SLURM_ARRAY_JOB_ID: '7', SLURM_ARRAY_TASK_ID: '0' },
        },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      expect(await ended(child)).to.include({ code: 1, stderr: '' });
    }
    expect(begunIn(out, 'tasks-7_0.log')).to.deep.equal([0, 1, 2, 3, 4, 5]);
    expect(begunIn(out, 'again-7_0.log')).to.deep.equal([1, 3]);
    expect(partsIn(out)).to.deep.equal(without(1, 3));
    await job({ at: '$^', by: '' }, '--merge', '-q', '-o', out);
    expect(failuresIn(out)).to.deep.equal([
      { ...WHOLE, task: 1, ended: 'signal', signal: 'SIGKILL', log: 'logs/again-7_0.log' },
      { ...WHOLE, task: 3, ended: 'signal', signal: 'SIGKILL', log: 'logs/again-7_0.log' },
    ]);
  });

  it('comes last to what ended a process that nobody watched', async () => {
    const [profiles, out] = [profilesFolder(), freshPath('-job')];
    const share = ['--task', '0/1', ...(await planned(profiles, out))];
    const death = { at: 'rank_[13]\\.json$', by: 'SIGKILL' };
    for (const parts of [1, 2, 4]) {
      expect(await job(death, ...share)).to.include({ code: null, signal: 'SIGKILL' });
      expect(partsIn(out)).to.have.length(parts);
    }
  });
});

/** Makes the plan of a job, and no part. @returns the arguments that name it */
async function planned(profiles: string, out: string): Promise<string[]> {
  const none = ['--task', '999/1000', '-o', out, profiles];
  expect(await job({ at: '$^', by: '' }, ...none)).to.include({ code: 0, stderr: '' });
  return ['-o', out];
}
