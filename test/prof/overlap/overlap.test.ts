import { expect } from 'chai';
import { requireColumn } from '../../../src/prof/columns/columns.js';
import { OverlapSweep } from '../../../src/prof/overlap/overlap-sweep.js';
import { Overlap, type DeviceOverlap } from '../../../src/prof/overlap/overlap.js';
import type { CopyLine, KernelRecord, ProfileLine } from '../../../src/record/record.js';
import { kernel } from '../../support/kernels.js';
import { instruction, neuronProfile, packet } from '../../support/neuron.js';
import { takeAll } from '../../support/rows.js';

function swept(...work: readonly (readonly [kind: string, from: number, to: number])[]): OverlapSweep['times'] {
  const sweep = new OverlapSweep();
  for (const one of work) sweep.add(...one);
  return sweep.times;
}

describe('the sweep over kinds of work', () => {
  it('has the time of each pair, each kind, and each kind alone', () => {
    // a 0–10, b 5–15, c 8–9, a 20–25.
    expect(swept(['a', 0, 10], ['b', 5, 15], ['c', 8, 9], ['a', 20, 25])).to.deep.equal([
      { kind: 'a', count: 2, active: 15, alone: 10, both: [15, 5, 1] },
      { kind: 'b', count: 1, active: 10, alone: 5, both: [5, 10, 1] },
      { kind: 'c', count: 1, active: 1, alone: 0, both: [1, 1, 1] },
    ]);
  });

  it('counts a moment once, however much work of a kind runs', () => {
    expect(swept(['a', 0, 10], ['a', 2, 12], ['b', 4, 6], ['b', 4, 8])).to.deep.equal([
      { kind: 'a', count: 2, active: 12, alone: 8, both: [12, 4] },
      { kind: 'b', count: 2, active: 4, alone: 0, both: [4, 4] },
    ]);
  });

  it('gives work that touches, or has no length, no time with others', () => {
    expect(swept(['a', 0, 10], ['c', 3, 3], ['b', 10, 12]).map(({ both }) => both)).to.deep.equal([
      [10, 0, 0],
      [0, 0, 0],
      [0, 0, 2],
    ]);
  });

  it('agrees with a count of every moment', () => {
    let seed = 7;
    const random = (below: number): number => (seed = (seed * 48271) % 2147483647) % below;
    const work = Array.from({ length: 300 }, () => {
      const from = random(2000);
      return [`k${random(5)}`, from, from + random(40)] as const;
    }).sort((a, b) => a[1] - b[1]);
    const times = swept(...work);
    const runs = (kind: string, at: number): boolean =>
      work.some(([name, from, to]) => name === kind && from <= at && at < to);
    const moments = Array.from({ length: 2040 }, (_, at) => times.map(({ kind }) => runs(kind, at)));
    for (const [i, { both, alone }] of times.entries()) {
      expect(both).to.deep.equal(
        times.map((_, j) => moments.filter((one) => one[i] === true && one[j] === true).length),
      );
      expect(alone).to.equal(moments.filter((one) => one[i] === true && one.filter(Boolean).length === 1).length);
    }
  });
});

const copyAt = (start: number, dur: number, stream: number): CopyLine => ({
  ...{ type: 'copy', profile: 0, start, dur, device: 0, stream, bytes: 4, kind: 'HtoD' },
  ...{ pid: 10, tid: 100, corr: null, launch: null },
});
const kernelAt = (start: number, dur: number, fields: Partial<KernelRecord>): KernelRecord => kernel({ start, dur, ...fields }); // prettier-ignore

function overlapOf(key: string, ...records: readonly ProfileLine[]): readonly DeviceOverlap[] {
  const overlap = new Overlap(requireColumn(key));
  takeAll(records, overlap);
  return overlap.finish().facts;
}

const shown = ([device]: readonly DeviceOverlap[]): unknown =>
  device?.kinds.map(({ kind, active, alone, both }) => [kind, active, alone, ...both]);

describe('overlap on a device', () => {
  const records = [
    kernelAt(0, 100, { stream: 7, short: 'ampere_sgemm_128x64_tn', name: 'ampere_sgemm_128x64_tn' }),
    copyAt(50, 100, 8),
    kernelAt(60, 20, { stream: 9, short: 'ncclDevKernel_AllReduce', name: 'ncclDevKernel_AllReduce' }),
  ];

  it('is that of streams, the longest first', () => {
    expect(shown(overlapOf('stream', ...records))).to.deep.equal([
      ['7', 100, 50, 100, 50, 20],
      ['8', 100, 50, 50, 100, 20],
      ['9', 20, 0, 20, 20, 20],
    ]);
  });

  it('is that of categories, with copies as their own kind', () => {
    expect(shown(overlapOf('category', ...records))).to.deep.equal([
      ['gemm', 100, 50, 100, 50, 20],
      ['memcpy', 100, 50, 50, 100, 20],
      ['communication', 20, 0, 20, 20, 20],
    ]);
  });

  it('counts picoseconds, and keeps devices apart', () => {
    const late = kernelAt(0, 10, { stream: 8, ps: [500, 0] });
    expect(shown(overlapOf('stream', late, kernelAt(0, 10, { stream: 7 })))).to.deep.equal([
      ['7', 10, 0.5, 10, 9.5],
      ['8', 10, 0.5, 9.5, 10],
    ]);
    const devices = overlapOf('stream', kernelAt(0, 10, {}), kernelAt(0, 10, { device: 1 }));
    expect(devices.map(({ device, kinds }) => [device, kinds.map(({ alone }) => alone)])).to.deep.equal([
      [0, [10]],
      [1, [10]],
    ]);
  });

  it('needs work with a time', () => {
    expect(() => overlapOf('stream', kernelAt(0, 10, { dur: null }))).to.throw('no kernels');
  });

  it('names the streams of a NeuronCore by their engines', () => {
    const overlap = new Overlap(requireColumn('stream'));
    takeAll([neuronProfile(), instruction('MATMUL', 'Tensor', 0, 10), packet('dma', 0, 20, 8)], overlap);
    expect(overlap.finish().facts[0]?.kinds.map(({ kind }) => kind)).to.deep.equal(['DMA E64', 'Tensor']);
  });
});
