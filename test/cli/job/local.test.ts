/** `dprof job` on this machine, in processes of its own: the result, workers that are killed, jobs that are stopped. */
import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { awaited } from '../../support/waits.js';
import { freshPath } from '../../support/fresh-path.js';
import { annotation, kernel, launch, traceText } from '../../support/kineto-trace.js';
import { ended } from '../../support/ended.js';
import { commandOf, runCli, type Ran } from '../../support/run-cli.js';
import { ROOT } from '../../support/shared.js';
import { describeWithProcess } from '../../support/sets.js';

const SAMPLES = join(ROOT, 'samples/job');
const RANKS = 4;

/** A rank that computes and waits for the others, 30 times: processes take most of their time to start. */
function smallRank(rank: number): Buffer {
  const events = Array.from({ length: 30 }, (_, i) => {
    const at = 100 * i;
    return [
      annotation(`ProfilerStep#${i}`, at, at + 99),
      ...[launch(2 * i + 1, at + 1), kernel(`gemm_${i}`, 2 * i + 1, at + 10 + rank)],
      ...[launch(2 * i + 2, at + 3), kernel('ncclDevKernel_AllReduce_Sum_f32_RING_LL', 2 * i + 2, at + 40)],
    ];
  });
  const header = `"distributedInfo": {"backend": "nccl", "rank": ${rank}, "world_size": ${RANKS}}`;
  return gzipSync(traceText(events.flat(), header));
}

const sampleRank = (rank: number): Buffer => readFileSync(join(SAMPLES, `rank_${rank}.pt.trace.json.gz`));

/** A folder of some profiles of ranks. */
function profilesFolder(count: number, bytesOf = smallRank): string {
  const folder = freshPath('-profiles');
  mkdirSync(folder);
  for (let i = 0; i < count; i++) writeFileSync(join(folder, `run${i}_rank_${i % RANKS}.json.gz`), bytesOf(i % RANKS));
  return folder;
}

/** Processes that a process has started; none on systems that do not list them. */
function childrenOf(pid: number): number[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return text.split(' ').filter(Boolean).map(Number);
}

async function expectedPart(profiles: string): Promise<Buffer> {
  const path = freshPath('.part');
  const files = readdirSync(profiles).map((name) => join(profiles, name));
  expect(await runCli('dprof', ['partial', '-q', '-o', path, ...files])).to.include({ code: 0 });
  return readFileSync(path);
}

const start = (args: readonly string[]) =>
  spawn(process.execPath, [...commandOf('dprof'), 'job', ...args], { stdio: ['ignore', 'ignore', 'pipe'] });

/** A job of this process, whose workers are processes of the tool. */
async function runJob(...args: readonly string[]): Promise<Ran> {
  const program = process.argv[1] ?? '';
  process.argv[1] = commandOf('dprof').at(-1) ?? '';
  try {
    return await runCli('dprof', ['job', ...args]);
  } finally {
    process.argv[1] = program;
  }
}

/** Waits until a part of the job is there. */
async function firstPart(out: string): Promise<void> {
  const parts = join(out, 'parts');
  await awaited(`a part in ${parts}`, () => (existsSync(parts) ? readdirSync(parts)[0] : undefined));
}

describeWithProcess('dprof job on this machine', () => {
  it('gives the bytes of one run, and the report', async () => {
    const [profiles, out] = [profilesFolder(5), freshPath('-job')];
    const ran = await runJob('-j', '2', '--per-task', '2', '--fan-in', '2', profiles, '-o', out);
    expect(ran).to.include({ code: 0, stderr: '' });
    expect(ran.stdout).to.equal(readFileSync(join(out, 'report/ranks.txt'), 'utf8'));
    expect(readFileSync(join(out, 'job.part')).equals(await expectedPart(profiles))).to.equal(true);
    expect(readdirSync(out).sort()).to.deep.equal(['job.part', 'logs', 'merge', 'parts', 'report', 'tasks.jsonl']);
    expect(readdirSync(join(out, 'logs')).filter((name) => name.startsWith('tasks-'))).to.have.length(3);
    const again = await runJob('--resume', '-o', out);
    expect(again).to.deep.equal(ran);
  });

  it('runs what failed again, and names it with its log', async () => {
    const [profiles, out] = [profilesFolder(2), freshPath('-job')];
    writeFileSync(join(profiles, 'rank_9.json.gz'), Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]));
    const ran = await runJob('-j', '1', profiles, '-o', out);
    expect(ran.code).to.equal(1);
    expect(ran.stderr).to.match(
      /^dprof: [^\n]*rank_9\.json\.gz: [^\n]*damaged[^\n]* \(log: logs\/again-0\.log\)\ndprof: of 3 profiles 1 failed: [^\n]*failed\.txt\n$/,
    );
    expect(ran.stdout).to.match(/^Job +2 ranks/);
  });

  it('takes profiles that failed or were cut off as they are once repaired, and no others', async () => {
    const [profiles, out] = [profilesFolder(4), freshPath('-job')];
    const pathOf = (rank: number): string => join(profiles, `run${rank}_rank_${rank}.json.gz`);
    const whole = readFileSync(pathOf(1));
    writeFileSync(pathOf(1), whole.subarray(0, whole.length / 2));
    writeFileSync(pathOf(2), Buffer.concat([whole.subarray(0, 300), Buffer.alloc(300, 0xff)]));
    const broken = await runJob('-j', '1', profiles, '-o', out);
    expect(broken.stderr).to.match(/ of 4 profiles 1 failed, 1 cut off and used up to the cut: /);
    for (const rank of [1, 2]) writeFileSync(pathOf(rank), smallRank(rank));
    expect(await runJob('--resume', '-o', out)).to.include({ code: 0, stderr: '' });
    expect(readFileSync(join(out, 'job.part')).equals(await expectedPart(profiles))).to.equal(true);
    writeFileSync(pathOf(1), whole.subarray(0, whole.length / 2));
    const changed = await runJob('--resume', '-o', out);
    expect(changed).to.include({ code: 1, stdout: '' });
    expect(changed.stderr).to.match(/rank_1\.json\.gz: changed after the job was planned/);
  });

  it('takes no notice of a worker that is killed', async function () {
    if (!existsSync('/proc/self/task')) return this.skip();
    const [profiles, out] = [profilesFolder(4, sampleRank), freshPath('-job')];
    const child = start(['-j', '1', '--per-task', '2', profiles, '-o', out]);
    const end = ended(child);
    await firstPart(out);
    process.kill(await awaited('a worker of the job', () => childrenOf(child.pid ?? 0)[0]), 'SIGKILL');
    expect(await end).to.include({ code: 0, signal: null, stderr: '' });
    expect(readFileSync(join(out, 'job.part')).equals(await expectedPart(profiles))).to.equal(true);
    expect(existsSync(join(out, 'work'))).to.equal(false);
  });

  for (const signal of ['SIGINT', 'SIGKILL'] as const) {
    it(`goes on where ${signal} has stopped it`, async () => {
      const [profiles, out] = [profilesFolder(4), freshPath('-job')];
      const child = start(['-j', '1', '--per-task', '1', profiles, '-o', out]);
      const ending = ended(child);
      await firstPart(out);
      child.kill(signal);
      const stopped = await ending;
      expect(stopped).to.include({ code: null, signal });
      if (signal !== 'SIGKILL') {
        expect(stopped.stderr).to.match(
          /^dprof: stopped: [1-4] of 4 done; continue with dprof job --resume -o [^\n]*\n$/,
        );
        for (const name of ['lock', 'work', 'job.part']) expect(existsSync(join(out, name)), name).to.equal(false);
      }
      const refused = await runJob(profiles, '-o', out);
      expect(refused).to.include({ code: 1, stdout: '' });
      expect(refused.stderr).to.include('already contains a job');
      const resumed = await runJob('--resume', '-j', '2', '-o', out, profiles);
      expect(resumed).to.include({ code: 0, stderr: '' });
      expect(readFileSync(join(out, 'job.part')).equals(await expectedPart(profiles))).to.equal(true);
      expect(readdirSync(join(out, 'parts'))).to.have.length(4);
      expect(readdirSync(out)).to.not.include.members(['lock', 'work']);
    });
  }

  it('makes again on --resume what was damaged since, and says so', async () => {
    const [profiles, out] = [profilesFolder(4), freshPath('-job')];
    const ran = await runJob('-j', '2', '--fan-in', '2', '-o', out, profiles);
    expect(ran).to.include({ code: 0, stderr: '' });
    const parts = readdirSync(join(out, 'parts')).map((name) => join(out, 'parts', name));
    const whole = new Map([...parts, join(out, 'job.part')].map((path) => [path, readFileSync(path)] as const));
    const [first = '', second = '', third = ''] = parts;
    const bytes = whole.get(first) ?? Buffer.alloc(0);
    const damages: readonly (readonly [path: string, bytes: Buffer])[] = [
      [first, bytes.subarray(0, bytes.length / 2)],
      [second, Buffer.from((whole.get(second) ?? '').toString('utf8').replace(/"dur":\d/, '"dur":7777'))],
      [third, Buffer.alloc(bytes.length)],
      [join(out, 'job.part'), Buffer.alloc(0)],
    ];
    // One by one, of tasks and of all; then together.
    for (const [path, damaged] of [damages[1], damages[3]].filter((one) => one !== undefined)) {
      writeFileSync(path, damaged);
      const resumed = await runJob('--resume', '-o', out);
      expect(resumed.stderr).to.equal(`dprof: ${path}: damaged after the job wrote it; making it again\n`);
      expect([resumed.code, resumed.stdout]).to.deep.equal([0, ran.stdout]);
      for (const [each, content] of whole) expect(readFileSync(each).equals(content), each).to.equal(true);
    }
    for (const [path, damaged] of damages) writeFileSync(path, damaged);
    const all = await runJob('--resume', '-o', out);
    expect(all.stderr).to.equal(
      `dprof: ${first} and 3 other files: damaged after the job wrote them; making them again\n`,
    );
    for (const [each, content] of whole) expect(readFileSync(each).equals(content), each).to.equal(true);
  });
});
