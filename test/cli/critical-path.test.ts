import { expect } from 'chai';
import { runCli } from '../support/run-cli.js';

const LENET = 'samples/lenet.pt.trace.json.gz';
const run = (...args: string[]) => runCli('dprof', ['critical-path', ...args]);

describe('dprof critical-path', () => {
  it('prints steps, kinds of time and the path, in us', async () => {
    const { stdout, stderr, code } = await run('--step', '3', '--top', '2', LENET);
    expect({ stderr, code }).to.deep.equal({ stderr: '', code: 0 });
    expect(stdout).to.equal(`# profile 0: lenet.pt.trace.json.gz (kineto, rank 0), times in us
step     time  replayed  error%  mostly  share%
   3  481.323   481.323     0.0  launch    57.8

bound by     time  share%
copy        1.392     0.3
launch    278.379    57.8
host      200.086    41.6
sync        1.466     0.3

path              kind       time  share%  runs
cudaLaunchKernel  launch  228.548    47.5    45
ProfilerStep#N    host     32.141     6.7    19
# 72 more rows: --top N
`);
  });

  it('writes one row per step and part of its path; the parts of a step add up to it', async () => {
    const { stdout } = await run('-f', 'csv', '-c', 'step,step_time,bound,name,time', LENET);
    const [head, ...rows] = stdout.trim().split('\n');
    expect(head).to.equal('step,step_time_ns,bound,name,time_ns');
    const sums = new Map<string, number>();
    for (const row of rows) {
      const [step, time] = [row.split(',').slice(0, 2).join(), row.split(',').at(-1)];
      sums.set(step, (sums.get(step) ?? 0) + Number(time));
    }
    expect([...sums]).to.deep.equal([
      ['3,481323', 481_323],
      ['4,466193', 466_193],
    ]);
  });

  it('writes one object per step as JSON', async () => {
    const { stdout } = await run('-f', 'json', LENET);
    const steps = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(steps.map(({ step, time, replayed, error }) => [step, time, replayed, error])).to.deep.equal([
      [3, 481_323, 481_323, 0],
      [4, 466_193, 466_193, 0],
    ]);
    expect(Object.keys(steps[0] ?? {})).to.include.members(['bounds', 'missing', 'path', 'file', 'rank', 'from']);
  });

  it('explains a time instead of steps', async () => {
    const { stdout } = await run('--from', '0.1', '--to', '0.2', '-f', 'json', LENET);
    const [step = '', window = ''] = stdout.split('\n');
    expect(JSON.parse(step)).to.deep.include({ step: null, from: 100_000 });
    expect(JSON.parse(window)).to.deep.equal({ window: { from: 100_000, to: 200_000, cut: 0 } });
    expect((await run('--from', '1', '--step', '3', LENET)).code).to.equal(2);
  });

  it('explains the time of a range like the same time in ms, with what caused it before', async () => {
    const csv = ['-f', 'csv', '-c', 'step_time,bound,name,time'];
    const range = await run(...csv, '--range', 'ProfilerStep#4', LENET);
    const { stdout } = await run('-f', 'json', '--range', 'ProfilerStep#4', LENET);
    const { profiles } = (
      JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { window: { profiles: { from: number; to: number }[] } }
    ).window;
    const [from, to] = [profiles[0]?.from ?? NaN, profiles[0]?.to ?? NaN];
    const times = await run(...csv, '--from', String(from / 1e6), '--to', String(to / 1e6), LENET);
    expect(range.stdout).to.equal(times.stdout);
    expect(range.stdout).to.not.contain('unknown');
  });

  it('explains the ranks of a job together, or the chosen rank alone', async () => {
    const job = ['samples/job/rank_0.pt.trace.json.gz', 'samples/job/rank_1.pt.trace.json.gz'];
    const together = await run('--step', '1', '--top', '1', ...job);
    expect(together.stdout).to.match(/^# 2 profiles of one job: ranks 0-1, times in us\nstep /);
    const alone = await run('--rank', '1', '--step', '1', '--top', '1', ...job);
    expect(alone.stdout).to.match(/^# profile 1: rank_1.pt.trace.json.gz \(kineto, rank 1\), times in us\nstep /);
    const [step = ''] = (await run('--step', '1', '-f', 'json', ...job)).stdout.split('\n');
    expect(JSON.parse(step)).to.deep.include({ profile: null, rank: null, ranks: [0, 1], step: 1 });
  });

  it('says that there is no such step', async () => {
    const { stderr, code } = await run('--step', '77', LENET);
    expect(code).to.equal(1);
    expect(stderr).to.equal(
      `dprof: ${LENET}: none of the chosen steps is in the profile (without --step, all steps are listed)\n`,
    );
  });
});
