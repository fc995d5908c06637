import { expect } from 'chai';
import { kernel } from '../support/kernels.js';
import { neuronLines } from '../support/neuron.js';
import { runCli } from '../support/run-cli.js';
import type { ProfileLine } from '../../src/record/record.js';

const PROFILE: ProfileLine = {
  type: 'profile',
  v: 1,
  profile: 0,
  format: 'kineto',
  tool: null,
  file: 'net.json',
  rank: 3,
  startUnixNs: null,
  dur: null,
  devices: [],
};
const nccl = { name: 'ncclDevKernel_AllReduce_Sum_f32_RING_LL', step: 1 };
const RECORDS = neuronLines([
  PROFILE,
  { type: 'sample', profile: 0, start: 500, dur: 4000, device: null, metric: 'step', value: 1, unit: null },
  kernel({ start: 1000, dur: 2000, step: 1 }),
  kernel({ ...nccl, start: 2000, dur: 2500 }),
  kernel({ start: 9000, dur: 1000, step: null }),
]);
const run = (input: string, ...args: string[]) => runCli('dprof', ['steps', ...args], { input });

describe('dprof steps', () => {
  it('writes a line a step, in us', async () => {
    const { stdout, stderr, code } = await run(RECORDS);
    expect({ stderr, code }).to.deep.equal({ stderr: '', code: 0 });
    const lines = stdout.split('\n').map((line) => line.trim().split(/ +/));
    expect(stdout).to.match(/^# profile 0: net\.json \(kineto, rank 3\), times in us\n/);
    expect(lines[1]?.slice(0, 4)).to.deep.equal(['device', 'step', 'kernels', 'collectives']);
    // Computing 1 to 3, communication 2 to 4.5; the step began at 0.5.
    const step = ['0', '1', '1', '1', '2.000', '2.500', '1.000', '1.500', '0.000', '3.500', '0.000', '0.500'];
    expect(lines[2]?.slice(0, 12)).to.deep.equal(step);
    expect(lines.slice(3).map(([, name]) => name)).to.deep.equal(['-', 'all', undefined]);
  });

  it('writes ns as CSV and JSON', async () => {
    const csv = (await run(RECORDS, '-f', 'csv')).stdout.split('\n');
    expect(csv[0]).to.match(/^profile,file,rank,device,step,kernels,collectives,computing_ns,/);
    expect(csv[1]).to.match(/^0,net\.json,3,0,1,1,1,2000,2500,1000,1500,0,3500,0,1500,500,/);
    const [first = '', , all = ''] = (await run(RECORDS, '-f', 'jsonl')).stdout.split('\n');
    expect(JSON.parse(first)).to.include({ rank: 3, step: 1, computing: 2000, preparing: 500 });
    expect(JSON.parse(all)).to.include({ step: 'all', computing: 3000, preparing: null, busy: 4500, idle: 4500 });
  });

  it('answers records without times, without work, and nothing', async () => {
    const dict = "{'kShortName': 'k', 'kDuration': 5, 'device': 0}\n";
    const answers = [
      [dict, /^dprof: stdin: no record has both a start time and a duration \(.*net\.dict/],
      [neuronLines([PROFILE]), /^dprof: stdin: no kernels, collectives or CPU steps \(.*\)\n$/],
      ['', /^dprof: stdin: is empty/],
    ] as const;
    for (const [input, answer] of answers) {
      const { stdout, stderr, code } = await run(input);
      expect({ stdout, code }).to.deep.equal({ stdout: '', code: 1 });
      expect(stderr).to.match(answer);
    }
    expect((await run(RECORDS, '-f', 'xml')).code).to.equal(2);
  });

  it('says what it leaves out', async () => {
    const input = neuronLines([kernel({ start: 9 }), kernel({ start: 5 }), kernel({ dur: null })]);
    const { stderr } = await run(input);
    expect(stderr).to.equal(
      'dprof: 1 record left out, so free and idle of the steps concerned are unknown: no time\ndprof: 1 record whose time is undercounted: not in order of start time\n',
    );
    expect((await run(input, '-q')).stderr).to.equal('');
  });

  it('says the same of steps that do not exist for rows and for regions', async () => {
    for (const by of [[], ['--by', 'step'], ['--by', 'range']]) {
      const { stderr, code } = await run(RECORDS, ...by, '--step', '99');
      expect(stderr).to.equal('dprof: stdin: none of the chosen steps is in the profile (there is step 1)\n');
      expect(code).to.equal(1);
    }
  });

  it('says how to mark steps where there are none, and nothing where the profiler cannot mark any', async () => {
    const stderrOf = async (format: string): Promise<string> =>
      (await run(neuronLines([{ ...PROFILE, format }, kernel({ start: 0, dur: 1, step: null })]))).stderr;
    expect(await stderrOf('kineto')).to.equal(
      'dprof: 1 profile without steps: calling step() of the profiler after each step marks them (docs/guide/record.md)\n',
    );
    expect(await stderrOf('nsight')).to.match(/^dprof: 1 profile without steps: an NVTX range .* named "step 1"/);
    expect(await stderrOf('rocpd')).to.match(/: a rocTX range .* named "step 1"/);
    expect(await stderrOf('xplane')).to.match(
      /: jax\.profiler\.StepTraceAnnotation\("train", step_num=i\) around each step/,
    );
    expect(await stderrOf('rocprof-v1')).to.equal('');
  });

  it('has a help that fits a screen', async () => {
    const { stdout, code } = await run('', '--help');
    expect(code).to.equal(0);
    expect(stdout)
      .to.match(/^Usage: dprof steps .*\n/)
      .and.match(/not_overlapped +communication while no kernel computes\n/);
  });
});
