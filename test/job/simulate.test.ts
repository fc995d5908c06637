import { expect } from 'chai';
import { NO_NOISE, type JobRequest } from '../../samples/programs/job/options.js';
import { simulateJob, type SimulatedJob } from '../../samples/programs/job/simulate.js';
import { SLOTS } from '../../samples/programs/job/messages.js';
import { messagesOf, programOf, type MessageTruth } from '../../samples/programs/job/truth.js';

const SMALL: JobRequest = { steps: 2, layers: 2, microBatches: 3 };

/** Jobs of every form. */
const JOBS: Readonly<Record<string, JobRequest>> = {
  'of three dimensions': SMALL,
  'of tensor-parallel ranks alone': { ...SMALL, tp: 8, pp: 1, dp: 1 },
  'of data-parallel ranks alone': { ...SMALL, tp: 1, pp: 1, dp: 8 },
  'of stages alone': { ...SMALL, tp: 1, pp: 8, dp: 1 },
  'with fewer micro batches than stages': { ...SMALL, tp: 2, pp: 4, dp: 1, microBatches: 2 },
  'with sequence parallelism and few kernels': { ...SMALL, tensorParallel: 'sequence', kernelsPerLayer: 3, buckets: 1 },
  'on several nodes': { ...SMALL, tp: 2, pp: 2, dp: 4, ranksPerNode: 4 },
  'without noise': { ...SMALL, noise: NO_NOISE, clocks: 'none' },
  'with all that may be wrong': {
    ...SMALL,
    inject: {
      slowLayer: { rank: 5, layer: 1, factor: 1.07 },
      slowNode: { node: 0, factor: 1.1 },
      slowLink: { rank: 3, factor: 3 },
      dataLoading: { rank: 2, ns: 5e6 },
    },
  },
};

const truthOf = (job: SimulatedJob): MessageTruth[] => [...messagesOf(job)];

/** Work of a rank, kernels and copies, in order of start time. */
const workOf = (job: SimulatedJob, rank: number) =>
  programOf(job, rank)
    .ops.map((op) => ({ op, start: job.starts[rank]?.[op.index] ?? NaN, end: job.ends[rank]?.[op.index] ?? NaN }))
    .sort((a, b) => a.start - b.start);

describe('simulated jobs', () => {
  for (const [name, request] of Object.entries(JOBS)) {
    describe(name, () => {
      const job = simulateJob(request);
      const truth = truthOf(job);

      it('let no work of a stream overlap, and all take whole nanoseconds', () => {
        for (const { rank } of job.ranks) {
          const free = new Map<number, number>();
          for (const { op, start, end } of workOf(job, rank)) {
            expect(Number.isInteger(start) && Number.isInteger(end) && end >= start, `${rank}: ${op.index}`).to.equal(
              true,
            );
            expect(start).to.be.at.least(free.get(op.stream) ?? 0);
            free.set(op.stream, end);
          }
        }
      });

      it('have each member in each message of its groups once', () => {
        const messages = job.ranks.map(({ rank }) => programOf(job, rank).ops.filter(({ message }) => message !== null).length); // prettier-ignore
        const counted = job.ranks.map(() => 0);
        const keys = new Set<string>();
        for (const { group, ranks, ordinal, kind } of truth) {
          if (kind === 'send') expect(group.ranks).to.include.members([...ranks]);
          else expect(ranks).to.deep.equal(group.ranks);
          for (const rank of ranks) counted[rank] = (counted[rank] ?? 0) + 1;
          const key = `${group.name} ${ordinal} ${kind === 'send' ? ranks.join(' ') : ''}`;
          expect(keys.has(key), key).to.equal(false);
          keys.add(key);
        }
        expect(counted).to.deep.equal(messages);
      });

      it('begin transfers when the last member arrives, and end them on all when they are through', () => {
        const { endSkewNs, lateNs } = job.options.noise;
        for (const { arrivals, ends, begin, transferNs, lastRank, ranks } of truth) {
          expect(begin).to.equal(Math.max(...arrivals));
          expect(arrivals[ranks.indexOf(lastRank)]).to.equal(begin);
          for (const end of ends) {
            expect(end - begin - transferNs).to.be.within(0, endSkewNs + lateNs[1]);
          }
        }
      });

      it('transfer as fast as the links are', () => {
        const { links, noise, inject } = job.options;
        for (const { group, bytes, kind, ranks, transferNs, busBytesPerS } of truth) {
          const factor = { allreduce: 2, send: ranks.length / (ranks.length - 1) }[kind as string] ?? 1;
          const busBytes = (bytes * factor * (ranks.length - 1)) / ranks.length;
          const link = group.betweenNodes ? links.betweenNodes : links.inNode;
          const slow = group.kind === 'data' && ranks.includes(inject.slowLink?.rank ?? -1) ? (inject.slowLink?.factor ?? 1) : 1; // prettier-ignore
          const ns = link.latencyNs + (slow * busBytes * 1e9) / link.bytesPerS;
          // Six standard deviations.
          expect(transferNs).to.be.within(ns * (1 - 6 * noise.transfer) - 1, ns * (1 + 6 * noise.transfer) + 1);
          expect(busBytesPerS).to.be.closeTo(busBytes / (transferNs / 1e9), 1e-6 * busBytesPerS);
        }
      });

      it('let receives end after their sends began, and computing wait for them', () => {
        for (const { kind, arrivals, ends } of truth) {
          if (kind === 'send') expect(ends[1]).to.be.above(arrivals[0] ?? NaN);
        }
        for (const { rank } of job.ranks) {
          const { ops } = programOf(job, rank);
          for (const op of ops) {
            for (const before of op.after) {
              expect(job.starts[rank]?.[op.index]).to.be.above(job.ends[rank]?.[before] ?? NaN);
            }
          }
        }
      });

      it('go step by step on the host', () => {
        for (const begins of job.stepBegins) expect([...begins]).to.deep.equal([...begins].sort((a, b) => a - b));
      });
    });
  }

  it('are the same for the same seed, and others for another', () => {
    const endsOf = (seed: number) => simulateJob({ ...SMALL, seed }).ends.map((ends) => [...ends]);
    expect(endsOf(1)).to.deep.equal(endsOf(1));
    expect(endsOf(1)).to.not.deep.equal(endsOf(2));
  });

  it('have the same noise whatever is wrong, so that the difference is what was injected', () => {
    const [plain, slow] = [{}, { slowLayer: { rank: 0, layer: 1, factor: 2 } }].map((inject) => simulateJob({ ...SMALL, inject })); // prettier-ignore
    if (plain === undefined || slow === undefined) throw new Error('no jobs');
    expect(slow.transfers).to.deep.equal(plain.transfers);
    for (const { op } of workOf(plain, 0).filter(({ op: { kernel } }) => kernel !== null)) {
      const [before, after] = [plain, slow].map(({ starts, ends }) => (ends[0]?.[op.index] ?? NaN) - (starts[0]?.[op.index] ?? NaN)); // prettier-ignore
      expect(after).to.be.closeTo((before ?? NaN) * (op.part?.layer === 1 ? 2 : 1), 1);
    }
  });

  it('last as long as their kernels when nothing disturbs one rank', () => {
    const request: JobRequest = { tp: 1, pp: 1, dp: 1, steps: 1, layers: 1, microBatches: 1, noise: NO_NOISE };
    const job = simulateJob(request);
    const [loss] = truthOf(job);
    const { ops } = programOf(job, 0);
    const [, ...rest] = ops;
    const work = rest.reduce((sum, { kernel, copy }) => sum + (kernel?.ns ?? copy?.ns ?? 0), 0);
    // 300 µs of loading, then a launch each 6 µs: the second one is 6 µs before its kernel. 1 µs between two kernels.
    const second = (job.stepBegins[0]?.[0] ?? NaN) + 300_000 + 6000 + 6000;
    const end = second + work + (loss?.transferNs ?? NaN) + 1000 * (rest.length - 1);
    expect(job.ends[0]?.at(-1)).to.equal(end);
  });

  it('number ranks with tensor-parallel ones next to each other, then data, then pipeline', () => {
    const { ranks, groups } = simulateJob({ ...SMALL, tp: 2, dp: 3, pp: 2 });
    expect(ranks.map(({ tensor, data, pipeline }) => `${tensor}${data}${pipeline}`).join(' ')).to.equal(
      '000 100 010 110 020 120 001 101 011 111 021 121',
    );
    const of = (kind: string): readonly (readonly number[])[] => groups.filter((group) => group.kind === kind).map((group) => group.ranks); // prettier-ignore
    expect(of('data')).to.deep.equal([[0, 2, 4], [1, 3, 5], [6, 8, 10], [7, 9, 11]]); // prettier-ignore
    expect(of('tensor').slice(0, 2)).to.deep.equal([[0, 1], [2, 3]]); // prettier-ignore
    expect(of('pipeline').slice(0, 2)).to.deep.equal([[0, 6], [1, 7]]); // prettier-ignore
  });

  it('cost what their work waits for, once each', () => {
    const visits = (request: JobRequest): number => simulateJob({ ...SMALL, ...request }).visits;
    const edges = (request: JobRequest): number => {
      const job = simulateJob({ ...SMALL, ...request });
      const after = ({ rank }: { rank: number }): number => programOf(job, rank).ops.reduce((sum, op) => sum + op.after.length, 0); // prettier-ignore
      return job.ranks.reduce((sum, rank) => sum + after(rank), 0);
    };
    for (const request of [{}, { steps: 4 }, { dp: 8 }]) expect(visits(request)).to.equal(edges(request));
    expect(visits({ dp: 8 }) / visits({ dp: 2 })).to.equal(4);
  });

  it('find every channel from both ends', () => {
    const { channels, ranks } = simulateJob(SMALL);
    for (const { id, members, slots } of channels.all) {
      members.forEach((rank, i) => {
        expect(channels.of[rank * SLOTS.length + SLOTS.indexOf(slots[i] ?? 'world')]).to.equal(id);
      });
    }
    expect(channels.of.length).to.equal(ranks.length * SLOTS.length);
  });
});
