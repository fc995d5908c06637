/** In a trace that was merged from several ranks, the rank of work is that of its device. */
import { expect } from 'chai';
import { A100, profileOn } from '../support/devices.js';
import { kernel } from '../support/kernels.js';
import { neuronLines } from '../support/neuron.js';
import { runCli } from '../support/run-cli.js';
import { itShared } from '../support/shared.js';

/** Devices 4 and 5 are those of the ranks 0 and 1; nothing says whose device 6 is. */
const header = profileOn(A100);
const [device = { id: 0 }] = header.devices;
const ranked = { ...header, devices: [{ ...device, id: 4, rank: 0 }, { ...device, id: 5, rank: 1 }, { ...device, id: 6 }] }; // prettier-ignore
const on = (id: number, place: number, dur: number): object => kernel({ id, start: 10 * id, dur, stream: 7, device: place, step: 0 }); // prettier-ignore
const linesOf = (profile: object): string =>
  neuronLines([
    { ...profile, file: 'merged.json', format: 'kineto' },
    ...[on(1, 4, 10), on(2, 5, 20), on(3, 5, 30), on(4, 6, 40)],
    { type: 'sample', profile: 0, start: 0, device: 5, metric: 'memory_allocated', value: 64, unit: 'bytes' },
    { type: 'end', profile: 0, counts: { kernel: 4, sample: 1 }, diagnostics: {} },
  ] as never);
const run = async (profile: object, ...args: string[]): Promise<string> =>
  (await runCli('dprof', args, { input: linesOf(profile) })).stdout;

describe('the rank of work in a trace of several ranks', () => {
  it('groups and selects kernels', async () => {
    const args = ['--by', 'rank', '-c', 'count,total', '-f', 'csv'];
    expect(await run(ranked, ...args)).to.equal('Rank,Count,Total(ns)\n1,2,50\nna,1,40\n0,1,10\n');
    const chosen = await run(ranked, '--where', 'rank==1', '-f', 'csv', '-c', 'idx,rank');
    expect(chosen).to.equal('Idx,Rank\n2,1\n3,1\n');
  });

  it('is in the rows of devices', async () => {
    expect(await run(ranked, 'steps', '-f', 'csv', '-c', 'device,rank,step')).to.include('\n5,1,0\n');
    expect(await run(ranked, 'memory', '-f', 'csv', '-c', 'device,rank,bytes')).to.equal('device,rank,bytes\n5,1,64\n');
    const overlaps = (await run(ranked, 'overlap', '-f', 'jsonl')).trim().split('\n');
    expect(overlaps.map((line) => (JSON.parse(line) as { rank: unknown }).rank)).to.deep.equal([0, 1, null]);
    expect(await run(ranked, 'stacks', '--by', 'rank,kernel')).to.match(/^rank_1;k 50$/m);
  });

  it('is that of the profile if it states one', async () => {
    const args = ['--by', 'rank', '-c', 'count', '-f', 'csv'];
    expect(await run({ ...ranked, rank: 7 }, ...args)).to.equal('Rank,Count\n7,4\n');
  });

  itShared('is stated for each kernel of four real ranks', ['data/kineto/merged/hpc_training_4ranks.json.gz'], async ([path = '']) => {
    const { stdout } = await runCli('dprof', ['-q', '--by', 'rank', '-c', 'count,total', '-f', 'csv', path]);
    expect(stdout).to.equal('Rank,Count,Total(ns)\n0,3114,112105851\n2,3089,93476308\n1,3089,90696309\n3,3089,45703413\n');
  }); // prettier-ignore
});
