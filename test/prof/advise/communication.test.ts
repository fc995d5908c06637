import { expect } from 'chai';
import { findingsOf, silenceOf } from '../../support/advice.js';
import { A100, device, profileOn } from '../../support/devices.js';
import { communicationOf } from '../../../src/prof/advise/moved-times.js';
import { kernel } from '../../support/kernels.js';
import type { KernelRecord, ProfileLine, ProfileRecord } from '../../../src/record/record.js';

const nccl = (start: number, dur: number, change: Partial<KernelRecord> = {}): KernelRecord =>
  kernel({ name: 'ncclDevKernel_AllReduce_Sum_f32_RING_LL', short: 'ncclDevKernel_AllReduce', start, dur, stream: 20, ...change }); // prettier-ignore

describe('the operation of a kernel', () => {
  const nameOf = (short: string): string | undefined => communicationOf(kernel({ name: short, short }))?.name;

  it('is called as in the summary, or by the kernel where nothing tells it', () => {
    expect(nameOf('deep_ep::intranode::dispatch')).to.equal('dispatch');
    expect(nameOf('ncclDevKernel_AllReduce_Sum_f32_RING_LL')).to.equal('all-reduce');
    expect(nameOf('ncclDevKernel_Generic_1')).to.equal('ncclDevKernel_Generic_1');
    expect(nameOf('gemm')).to.equal(undefined);
  });
});

describe('the rule exposed-collectives', () => {
  it('says to move an operation off a stream that computes, where nothing can run beside it', () => {
    const on = (stream: number): string | undefined =>
      findingsOf('exposed-collectives', [
        profileOn(A100),
        kernel({ start: 0, dur: 100, stream: 7 }),
        nccl(100, 100, { id: 2, stream }),
      ])[0]?.action;
    expect(on(7)).to.match(/^move it from the compute stream/);
    expect(on(20)).to.match(/^overlap it with compute/);
  });

  it('bounds the gain by the computing that could hide it', () => {
    // Computing 0-100, communication 80-300: 20 are hidden, 200 are not; 80 of computing hide nothing.
    const [found] = findingsOf('exposed-collectives', [profileOn(A100), kernel({ start: 0, dur: 100 }), nccl(80, 220, { id: 2 })]); // prettier-ignore
    expect(found).to.deep.include({ stake: 200, count: 1, kernels: ['0:2'] });
    expect(found?.gain).to.include({ ns: 80, how: 'min(exposed communication, compute without communication)' });
  });

  it('asks for the late rank, not for overlap, where little data moves', () => {
    const collective = { op: 'allreduce', bytesIn: 1000, bytesOut: 1000, dtype: 'Float', group: '0', groupSize: 8, ranks: null };
    const records = (bytes: number) => [
      profileOn(device('NVIDIA A100-SXM4-80GB', { arch: 'sm80' })),
      kernel({ start: 0, dur: 100 }),
      nccl(100, 100, { id: 2, collective: { ...collective, bytesIn: bytes, bytesOut: bytes } }),
    ];
    // 1000 B in 100 ns are 10 GB/s, 3.3 % of 300 GB/s; 10,000 B are a third of it.
    const [waiting] = findingsOf('exposed-collectives', records(1000));
    expect(waiting).to.include({ stake: 100, gain: null });
    expect(waiting?.action).to.match(/^find the rank that the others wait for/);
    expect(waiting?.details).to.match(/; 3\.3 % of the peak of links within a machine$/);
    expect(findingsOf('exposed-collectives', records(10_000))[0]?.gain).to.include({ ns: 100 });
  }); // prettier-ignore

  it('counts operations that are reported as such', () => {
    const operation: ProfileLine = {
      ...{ type: 'collective', profile: 0, name: 'hcom_allReduce_1', kind: 'allReduce', start: 50, dur: 40, device: 0 },
      ...{ stream: 1, pid: null, tid: null, corr: null, launch: null, bytes: 8, dtype: null, group: null },
      ...{ groupSize: 2, ranks: null, algorithm: null, link: null },
    };
    const [found] = findingsOf('exposed-collectives', [profileOn(A100), kernel({ start: 0, dur: 60 }), operation]);
    expect(found?.stake).to.equal(30);
    expect(found?.details).to.include('all-reduce');
  });

  it('is silent where nothing is computed that could hide it', () => {
    expect(silenceOf('exposed-collectives', [profileOn(A100), nccl(0, 50), nccl(60, 50, { id: 2 })])).to.equal(
      'there is no compute that could hide it',
    );
  });

  it('is silent where computing hides all of it, and without any', () => {
    expect(silenceOf('exposed-collectives', [profileOn(A100), kernel({ start: 0, dur: 100 }), nccl(10, 50)])).to.equal('nothing'); // prettier-ignore
    expect(silenceOf('exposed-collectives', [profileOn(A100), kernel()])).to.equal('no communication between devices');
  });
});

describe('the rule stragglers', () => {
  const profile = (number: number): ProfileRecord => ({ ...profileOn(A100), profile: number, rank: number + 4 });
  /** Steps of one rank: computing for so long, communication until 100 after the step began. */
  const rank = (number: number, computing: readonly number[]): ProfileLine[] => [
    profile(number),
    ...computing.flatMap((dur, step) => [
      kernel({ profile: number, step, start: 1000 * step, dur }),
      nccl(1000 * step + dur, 100 - dur, { profile: number, step }),
    ]),
  ];

  it('names the rank that computes longest in most steps', () => {
    // Rank 5: 80, 80, 30, 90; the others at most 50, 60, 40, 90. Over the next: 30 + 20 + 30.
    const records = [...rank(0, [50, 50, 40, 50]), ...rank(1, [80, 80, 30, 90]), ...rank(2, [40, 60, 35, 60])];
    const [found, ...more] = findingsOf('stragglers', records);
    expect(more).to.deep.equal([]);
    expect(found).to.include({ profile: 1, device: 0, count: 3 });
    expect(found?.what).to.match(/^rank 5 is the slowest in 3 of 4 steps/);
    expect(found?.gain?.ns).to.equal(80);
    // The middle of three is the second.
    expect(found?.stake).to.equal(30 + 20 + 30);
    // It communicates for 20 + 20 + 10, the others for (50 + 60) / 2 + (50 + 40) / 2 + (50 + 40) / 2.
    expect(found?.evidence).to.include({ communicationNs: 50, communicationOfOthersNs: 145, ranks: 3, slowestIn: 3 });
    // Any of three equal ranks in 3 of 4 steps or more: 3 · (4 · (1/3)³ · 2/3 + (1/3)⁴) = 3 · 9/81.
    expect(found?.evidence['chance']).to.be.closeTo(27 / 81, 1e-12);
    expect(found?.details).to.match(/chance of this among equal ranks: 33\.3 %$/);
  });

  it('distinguishes devices of one profile', () => {
    const both = [0, 1].map((device) => rank(0, device === 0 ? [50, 50, 50] : [80, 80, 80]).map((record) =>
      record.type === 'kernel' ? { ...record, device } : record));
    expect(findingsOf('stragglers', both.flat())[0]?.what).to.match(/^device 1 of rank 4 is the slowest in all 3 steps/);
  }); // prettier-ignore

  it('is silent where too few steps, or a tie, show no slow rank', () => {
    const why = 'too few steps to distinguish a slow rank from chance';
    // One of two is always the slowest of a step: by chance in all profiles, and in half of them in two steps of two.
    expect(silenceOf('stragglers', [...rank(0, [80]), ...rank(1, [50])])).to.equal(why);
    expect(silenceOf('stragglers', [...rank(0, [80, 80]), ...rank(1, [50, 50])])).to.equal(why);
    // Each in half of the steps.
    expect(silenceOf('stragglers', [...rank(0, [80, 50]), ...rank(1, [50, 80])])).to.equal('nothing');
    expect(silenceOf('stragglers', [...rank(0, [50, 50, 50]), ...rank(1, [50, 50, 50])])).to.equal('nothing');
  });

  it('is silent where the rank that computes longest communicates longer than the others', () => {
    // Rank 5 computes for 80 of 200 and waits for the rest; rank 4 computes for 50 and joins last, for 10.
    const early = [
      profile(1),
      ...[0, 1, 2].flatMap((step) => [
        kernel({ profile: 1, step, start: 1000 * step, dur: 80 }),
        nccl(1000 * step + 80, 120, { profile: 1, step }),
      ]),
    ];
    const late = [
      profile(0),
      ...[0, 1, 2].flatMap((step) => [
        kernel({ step, start: 1000 * step, dur: 50 }),
        nccl(1000 * step + 190, 10, { step }),
      ]),
    ];
    expect(silenceOf('stragglers', [...late, ...early])).to.match(/the others do not wait for it$/);
  });

  it('is silent where the slowest rank changes, and on one rank', () => {
    const turns = [...rank(0, [80, 50, 50]), ...rank(1, [50, 80, 50]), ...rank(2, [50, 50, 80])];
    expect(silenceOf('stragglers', turns)).to.equal('nothing');
    expect(silenceOf('stragglers', rank(0, [50, 50]))).to.match(/^only one device/);
    const alone = [profile(0), kernel({ step: 1 }), profile(1), kernel({ step: 1, profile: 1 })];
    expect(silenceOf('stragglers', alone)).to.equal('no step in which several devices communicate');
  });
});
