import { expect } from 'chai';
import { A100, profileOn } from '../support/devices.js';
import { kernel } from '../support/kernels.js';
import { neuronLines } from '../support/neuron.js';
import { runCli } from '../support/run-cli.js';
import { itEachShared } from '../support/shared.js';

/** Two kernels launched at 0 and 10 us in 5 us each, which begin at 30 and 40 us. */
const input = neuronLines([
  { ...profileOn(A100), file: 'net.json', format: 'kineto' },
  kernel({ id: 1, start: 30_000, dur: 9000, launch: { api: 'cudaLaunchKernel', start: 0, dur: 5000 } }),
  kernel({ id: 2, start: 40_000, dur: 9000, launch: { api: 'cudaLaunchKernel', start: 10_000, dur: 5000 } }),
  { type: 'end', profile: 0, counts: { kernel: 2 }, diagnostics: {} },
]);
const run = (...args: string[]) => runCli('dprof', ['queues', ...args], { input });

describe('dprof queues', () => {
  it('shows the queue of each stream, and its mean length over time', async () => {
    const { stdout, code } = await run('--points', '1');
    expect(code).to.equal(0);
    expect(stdout).to.equal(
      [
        '# profile 0: net.json (kineto), times in us',
        'device  stream  launches  median  p90  longest  full  blocked  blockedtime',
        '     0       7         2       0    1        1     0        0        0.000',
        '# mean length over time, summed over all streams of a device',
        'device  start     end   mean',
        '     0  5.000  40.000  1.429',
        '',
      ].join('\n'),
    );
  });

  it('has a row or an object per stream, or per point', async () => {
    const { stdout } = await run('-f', 'csv', '-c', 'stream,launches,longest');
    expect(stdout).to.equal('Stream,Launches,Longest\n7,2,1\n');
    const { stdout: points } = await run('-f', 'csv', '--points', '1', '-c', 'start,end');
    expect(points).to.equal('Start(ns),End(ns)\n5000,40000\n');
    const { stdout: json } = await run('-f', 'jsonl');
    expect(JSON.parse(json)).to.deep.include({ stream: 7, launches: 2, median: 0, longest: 1, blockedtime: 0 });
  });

  // Counted apart from this project: for each launch in the JSON, and in the tables, the earlier ones that have not started.
  const COUNTED: Readonly<Record<string, readonly string[]>> = {
    'data/kineto/a100_rank3of8_training.json.gz': [
      '7,8964,16,93,287',
      '20,282,1,7,9',
      '21,60,0,1,1',
      '22,144,10,19,21',
    ],
    'data/amd/rocprofsys/transpose_w7800_rocpd.db': ['1,526,4,8,12', '2,526,4,8,12'],
  };
  itEachShared(
    Object.keys(COUNTED),
    [],
    (name) => `has the lengths counted in ${name}`,
    async (path, name) => {
      const { stdout } = await runCli('dprof', ['queues', '-q', '-f', 'csv', '-c', 'stream,launches,median,p90,longest', '--sort', '+stream', path]); // prettier-ignore
      expect(stdout.trimEnd().split('\n').slice(1)).to.deep.equal(COUNTED[name]);
    },
  );
});
