import { expect } from 'chai';
import { A100, profileOn } from '../support/devices.js';
import { kernel } from '../support/kernels.js';
import { neuronLines } from '../support/neuron.js';
import { runCli } from '../support/run-cli.js';

const recordsWith = (diagnostics: Record<string, number>): string =>
  neuronLines([
    { ...profileOn(A100), file: 'net.json', format: 'ncu' },
    kernel({ layer: ['l'], trace: ['a.py:1'], op: ['mm'], mod: ['torch'] }),
    { type: 'end', profile: 0, counts: { kernel: 1 }, diagnostics },
  ]);
const run = (diagnostics: Record<string, number>, ...args: string[]) =>
  runCli('dprof', ['check', ...args], { input: recordsWith(diagnostics) });

describe('dprof check', () => {
  it('writes a verdict and its reasons', async () => {
    const { stdout, code } = await run({ 'row-repeated': 2 });
    expect(code).to.equal(0);
    expect(stdout).to.include('# profile 0: net.json (ncu)\ndoubtful: 1 doubt');
    expect(stdout).to.include('\ndoubt: duplicate rows of device work (one kept): 2 [row-repeated]\n');
    expect(stdout).to.include('\n  affects: counts, sums and shares of every answer\n');
    expect(stdout).to.include('\n  remedy:  export the profile once, into a new file\n');
    const { stdout: lost } = await run({ 'bad-row': 1, 'truncated-input': 1 });
    expect(lost).to.include('\nincomplete: 2 losses\n');
  });

  it('writes one object per profile as JSON, and one row per reason as a table', async () => {
    const { stdout } = await run({ 'row-repeated': 2 }, '-f', 'json');
    const [line = ''] = stdout.split('\n');
    expect(JSON.parse(line)).to.deep.include({ profile: 0, file: 'net.json', rank: null, verdict: 'doubtful' });
    const { stdout: csv } = await run({ 'row-repeated': 2 }, '-f', 'csv', '-c', 'level,check,count', '--top', '1');
    expect(csv).to.equal('level,check,count\ndoubt,row-repeated,2\n');
  });

  it('fails a gate from the given verdict on', async () => {
    const codes = await Promise.all(
      [
        [{}, 'doubtful'],
        [{ 'row-repeated': 1 }, 'doubtful'],
        [{ 'row-repeated': 1 }, 'incomplete'],
        [{ 'bad-row': 1 }, 'incomplete'],
      ].map(async ([diagnostics, verdict]) => {
        const { code } = await run(diagnostics as Record<string, number>, '--fail-if', verdict as string);
        return code;
      }),
    );
    expect(codes).to.deep.equal([0, 1, 0, 1]);
    const { stderr } = await run({ 'bad-row': 1 }, '--fail-if', 'incomplete');
    expect(stderr).to.match(/--fail-if incomplete: 1 profile of 1 failed\n$/);
    expect((await run({}, '--fail-if', 'bad')).code).to.equal(2);
  });
});
