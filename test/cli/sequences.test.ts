import { expect } from 'chai';
import { A100, profileOn } from '../support/devices.js';
import { kernel } from '../support/kernels.js';
import { neuronLines } from '../support/neuron.js';
import { runCli } from '../support/run-cli.js';
import { itEachShared } from '../support/shared.js';

/** Kernels of 2 us, 1 us apart, each launched in 6 us. */
const input = neuronLines([
  { ...profileOn(A100), file: 'net.json', format: 'kineto' },
  ...['a', 'b', 'c', 'a', 'b', 'c'].map((name, i) =>
    kernel({
      ...{ id: i + 1, name, short: name, start: 3000 * i, dur: 2000 },
      launch: { api: 'cudaLaunchKernel', start: 10 * i, dur: 6000 },
    }),
  ),
  { type: 'end', profile: 0, counts: { kernel: 6 }, diagnostics: {} },
]);
const run = (...args: string[]) => runCli('dprof', ['sequences', ...args], { input });

describe('dprof sequences', () => {
  it('shows each sequence with what it saves', async () => {
    const { stdout, code } = await run();
    expect(code).to.equal(0);
    expect(stdout).to.equal(
      [
        '# 6 kernels that could be fused, on 1 stream: 12 us in total',
        '3 kernels, 2 occurrences: fusing them saves at most 16 us',
        '  time:     12 us (100.0 % of the time of these kernels), small kernels 12 us, gaps 4 us; launch calls take 225.0 % of time and gaps',
        '  kernels:  a > b > c',
        '',
      ].join('\n'),
    );
  });

  it('has one row or object per sequence', async () => {
    const { stdout } = await run('-f', 'csv', '-c', 'count,kernels,saved,launchshare,sequence', '-k', '2');
    expect(stdout).to.equal('Count,Kernels,Saved(ns),Launch%,Sequence\n2,2,10000,240,a > b\n');
    const { stdout: json } = await run('-f', 'jsonl');
    expect(JSON.parse(json)).to.deep.include({ count: 2, sequence: ['a', 'b', 'c'], share: 100, launched: 2 });
  });

  it('refuses lengths that are not counted', async () => {
    const { stderr, code } = await run('-k', '9');
    expect(code).to.equal(2);
    expect(stderr).to.match(/--kernels/);
  });

  // Counted apart from this project: matches from left to right in the kernels of each stream of the JSON.
  const COUNTED: Readonly<Record<string, string>> = {
    'data/kineto/a100_rank3of8_training.json.gz': '1416,2,32998000,8282000,14149000,22431000',
    'data/kineto/h100_vit.json.gz': '12,8,655361,532513,3723181,4255694',
  };
  itEachShared(
    Object.keys(COUNTED),
    [],
    (name) => `has the sums counted in ${name}`,
    async (path, name) => {
      const { stdout } = await runCli('dprof', ['sequences', '-q', '-f', 'csv', '--top', '1', '-c', 'count,kernels,time,small,gaps,saved', path]); // prettier-ignore
      expect(stdout.trimEnd().split('\n').slice(1)).to.deep.equal([COUNTED[name]]);
    },
  );
});
