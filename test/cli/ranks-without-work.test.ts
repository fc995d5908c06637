/** Ranks whose profiles were read and have no work on a device: named by every command over a job, and not missing. */
import { expect } from 'chai';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describeSql } from '../support/duckdb.js';
import { freshPath } from '../support/fresh-path.js';
import { runCli } from '../support/run-cli.js';
import { ROOT } from '../support/shared.js';

const sampleOf = (rank: number): string => join(ROOT, `samples/job/rank_${rank}.pt.trace.json.gz`);
const run = (...args: string[]) => runCli('dprof', args);

/** A trace in which a host may have worked, and no device did. */
const trace = (rank: number | null, events: readonly object[] = [], devices: readonly object[] = []): string =>
  JSON.stringify({
    ...(rank === null ? {} : { distributedInfo: { backend: 'nccl', rank, world_size: 4 } }),
    deviceProperties: devices,
    traceEvents: [{ ph: 'M', name: 'process_name', pid: 1, args: { name: 'python' } }, ...events],
  });

const CALL = { ph: 'X', cat: 'cpu_op', name: 'aten::add', pid: 1, tid: 1, ts: 10, dur: 5, args: {} };
const DEVICE = { id: 0, name: 'NVIDIA H100 80GB HBM3', computeMajor: 9, computeMinor: 0, numSms: 132 };

/** A folder with the sample's ranks of these numbers, and these traces. */
function jobOf(ranks: readonly number[], traces: Readonly<Record<string, string>>): string {
  const folder = freshPath('');
  mkdirSync(folder);
  for (const rank of ranks) copyFileSync(sampleOf(rank), join(folder, basename(sampleOf(rank))));
  for (const [name, text] of Object.entries(traces)) writeFileSync(join(folder, name), text);
  return folder;
}

const NOTE = 'dprof: 1 profile not compared: no work on a device in rank 1 (rank_1.json)\n';

describe('a rank without work on a device', () => {
  const folder = jobOf([0, 2, 3], { 'rank_1.json': trace(1) });
  const files = [0, 1, 2, 3].map((rank) => join(folder, rank === 1 ? 'rank_1.json' : basename(sampleOf(rank))));
  let screen = '';
  before(async () => {
    const { stdout, stderr, code } = await run('ranks', folder);
    expect({ stderr, code }).to.deep.equal({ stderr: NOTE, code: 0 });
    screen = stdout;
  });

  it('is named on the screen, and is not missing', () => {
    expect(screen.split('\n').slice(0, 2)).to.deep.equal([
      'Job         3 ranks of 4: 0, 2-3 on 2 machines (by their numbers)',
      '  no work   rank 1 (rank_1.json): its profile has no device work',
    ]);
    expect(screen).to.match(/^Matched/m);
    expect(screen).to.match(/^ +1( +na){9}$/m);
  });

  it('is named whatever else its profile has', async () => {
    for (const text of [trace(1, [CALL]), trace(1, [], [DEVICE]), trace(1, [CALL], [DEVICE])]) {
      const { stdout, stderr } = await run('ranks', jobOf([3], { 'rank_1.json': text }));
      expect(stderr).to.equal(NOTE);
      expect(stdout).to.include('  no work   rank 1 (rank_1.json): its profile has no device work\n');
    }
  });

  it('is the same from a list of files, from records, and from partial answers in any order', async () => {
    const parts = files.map(() => freshPath('.part'));
    for (const [at, file] of files.entries()) await run('partial', file, '-o', parts[at] ?? '');
    const merged = freshPath('.part');
    await run('merge', ...parts.toReversed(), '-o', merged);
    const records = freshPath('.dict');
    writeFileSync(records, (await runCli('dparse', ['-q', folder])).stdout);
    for (const inputs of [files, files.toReversed(), [records], parts, [merged]]) {
      const { stdout, stderr } = await run('ranks', ...inputs);
      expect({ stdout, stderr }).to.deep.equal({ stdout: screen, stderr: NOTE });
    }
    const [json, ofParts] = [await run('ranks', '-f', 'jsonl', folder), await run('ranks', '-f', 'jsonl', merged)];
    expect(ofParts.stdout).to.equal(json.stdout);
    // What dprof job reports of a job.
    expect((await run('summary', merged)).stdout).to.include(screen.slice(0, screen.indexOf('\nMatched')));
  });

  it('has an element of JSON and a row of the table of ranks', async () => {
    const job = JSON.parse((await run('ranks', '-f', 'jsonl', folder)).stdout) as {
      readonly missing: unknown;
      readonly withoutWork: unknown;
      readonly ranks: readonly Record<string, unknown>[];
      readonly steps: readonly { readonly rank: number }[];
    };
    expect(job.missing).to.deep.equal([]);
    expect(job.withoutWork).to.deep.equal([{ rank: 1, file: 'rank_1.json', machine: null, reason: null }]);
    expect(job.ranks.map(({ rank }) => rank)).to.deep.equal([0, 1, 2, 3]);
    const { rank, file, joined, clock, untested, ...unknown } = job.ranks[1] ?? {};
    expect([rank, file, joined, clock]).to.deep.equal([1, 'rank_1.json', 0, 'unknown']);
    expect(untested).to.equal('its profile has no device work');
    expect(new Set(Object.values(unknown))).to.deep.equal(new Set([null]));
    expect(new Set(job.steps.map((step) => step.rank))).to.deep.equal(new Set([0, 2, 3]));
  });

  it('comes first in the advice on its job', async () => {
    const { stdout } = await run('advise', folder);
    const lines = stdout.split('\n');
    expect(lines[0]).to.equal(
      '# job: rank 1 (rank_1.json) has no device work in its profile; rank 0 waited longest for others: 16.57 ms',
    );
    const heading = lines.indexOf('# profile 1: rank_1.json (kineto, rank 1)');
    expect(lines[heading + 1]).to.equal('# no device work with a time');
    expect(stdout).to.match(/^1\. job, rank 1, about 100\.0 % of the time$/m);
    expect(stdout).to.match(/^2\. job, rank 2, /m);
  });

  it('is named by dprof steps', async () => {
    const { stderr } = await run('steps', folder);
    expect(stderr).to.equal(
      'dprof: 1 profile without an answer: neither device work nor steps in rank 1 (rank_1.json)\n',
    );
  });

  describeSql('in dprof sql', () => {
    it('has a row of the table of ranks, with the number of its profile', async () => {
      const { stdout } = await run('sql', '-q', '-f', 'csv', 'SELECT profile, rank, file, device FROM rank WHERE compute IS NULL', ...files); // prettier-ignore
      expect(stdout).to.equal('profile,rank,file,device\n1,1,rank_1.json,na\n');
    });
  });
});

describe('profiles without work on a device', () => {
  it('are named by their files where they state no rank, and stand for none that is missing', async () => {
    const { stdout } = await run('ranks', '-q', jobOf([0, 2, 3], { 'launcher.json': trace(null) }));
    expect(stdout.split('\n').slice(1, 3)).to.deep.equal([
      '  missing   1',
      '  no work   launcher.json: its profile has no device work',
    ]);
    expect(stdout).to.match(/^ +na( +na){9} +launcher\.json$/m);
    const { stdout: advice } = await run('advise', '-q', jobOf([0, 3], { 'launcher.json': trace(null) }));
    expect(advice).not.to.match(/^# job: launcher/m);
  });

  it('are all named where no rank has any', async () => {
    const none = jobOf([], { 'rank0.json': trace(0), 'rank1.json': trace(1, [CALL]) });
    for (const command of ['ranks', 'advise']) {
      const { stdout, stderr, code } = await run(command, none);
      expect({ stdout, code }).to.deep.equal({ stdout: '', code: 1 });
      expect(stderr).to.match(
        /^dprof: \S+: no kernels and no other device activity, in rank 0 \(rank0\.json\), rank 1 \(rank1\.json\)/,
      );
    }
  });

  it('count for the size of the job, and are a second profile of a rank that has one', async () => {
    const wide = trace(5).replace('"world_size":4', '"world_size":8');
    const one = jobOf([0], { 'r5.json': wide, 'again.json': trace(0) });
    const { stdout } = await run('ranks', '-q', '-f', 'jsonl', one);
    const job = JSON.parse(stdout) as Record<string, unknown>;
    expect(job['worldSizes']).to.deep.equal([4, 8]);
    // No size is agreed on: up to the highest number.
    expect(job['missing']).to.deep.equal([1, 2, 3, 4]);
    expect(job['doubled']).to.deep.equal([{ rank: 0, files: ['rank_0.pt.trace.json.gz', 'again.json'] }]);
  });
});
