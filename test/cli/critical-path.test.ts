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
    expect(JSON.parse(stdout)).to.deep.include({ step: null, from: 100_000 });
    expect((await run('--from', '1', '--step', '3', LENET)).code).to.equal(2);
  });

  it('says that there is no such step', async () => {
    const { stderr, code } = await run('--step', '77', LENET);
    expect(code).to.equal(1);
    expect(stderr).to.equal(
      `dprof: ${LENET}: none of the chosen steps is in the profile (without --step, all steps are listed)\n`,
    );
  });
});
