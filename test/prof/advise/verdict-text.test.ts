/** The sentence of a verdict: what is said of waits at the beginning, of communication, and of what is computed. */
import { expect } from 'chai';
import type { Collective } from '../../../src/record/fields/collective.js';
import type { CollectiveRecord, KernelRecord, ProfileLine } from '../../../src/record/record.js';
import { verdictOf } from '../../support/advice.js';
import { device, profileOn } from '../../support/devices.js';
import { kernel, mm } from '../../support/kernels.js';

/** Links of 300 GB/s in one direction. */
const PROFILE = profileOn(device('NVIDIA A100-SXM4-80GB', { arch: 'sm80' }));
const MS = 1_000_000;

const textOf = (...records: ProfileLine[]): string => verdictOf([PROFILE, ...records]).text;

describe('the sentence of a verdict', () => {
  describe('on a wait at the beginning', () => {
    /** A kernel of 5 ns, a wait of launched work, and computing with a late launch in the middle. */
    const waiting = (ns: number): KernelRecord[] =>
      [0, ns, ns + 3 * MS].map((start, i) =>
        kernel({
          ...{ id: i + 1, start, dur: i === 0 ? 5 : MS, op: ['mm'] },
          launch: { api: 'cudaLaunchKernel', start: i === 2 ? ns + 3 * MS - 10 : -20 + i, dur: 5 },
        }),
      );

    it('leaves it out of the shares where it is longer than the rest', () => {
      expect(textOf(...waiting(9 * MS))).to.match(
        /^GPU waited for 9\.000 ms at the beginning, perhaps for work from before the profile\. In the 4\.000 ms after it, idle 50\.0 %: the CPU is doing/,
      );
      expect(textOf(...waiting(3 * MS))).to.match(/^GPU idle 71\.4 %: gaps between queued kernels/);
    });

    it('keeps it in the parts, which add up to the span', () => {
      const { parts, span } = verdictOf([PROFILE, ...waiting(9 * MS)]);
      expect(parts.reduce((sum, { time }) => sum + time, 0)).to.equal(span);
      expect(parts[0]).to.deep.include({ part: 'idle', cause: 'queue', time: 9 * MS - 5 });
    });
  });

  describe('on an operation that takes more than all the rest', () => {
    /** Of each duration an all-reduce on a stream of its own, and 1 ms of computing after each. */
    const reducing = (...durs: number[]): KernelRecord[] => {
      let now = 0;
      return durs.flatMap((dur, i) => {
        const reduction = kernel({
          id: 2 * i + 1,
          start: now,
          dur,
          stream: 9,
          short: 'ncclDevKernel_AllReduce_Sum_bf16',
        });
        const product = kernel({ id: 2 * i + 2, start: now + dur, dur: MS, op: ['mm'] });
        now += dur + MS;
        return [reduction, product];
      });
    };

    it('says all of it only where that is so to the digit that it prints', () => {
      const two = (other: number) => [
        kernel({ start: 0, dur: 10_000 * 1000 - other, op: ['mm'] }),
        kernel({ id: 2, start: 10_000 * 1000 - other, dur: other, op: ['add'] }),
      ];
      expect(textOf(...two(20_000))).to.match(/mm is 99\.8 % of it/);
      expect(textOf(...two(1000))).to.match(/all of it in mm/);
    });

    it('says that it waited for another rank, and what the rest of the time was', () => {
      // 4 ms of computing and 3 operations of 10 us are beside it: 4 of 4.03 ms.
      expect(textOf(...reducing(900 * MS, 10_000, 10_000, 10_000))).to.equal(
        'GPU waited for 900 ms in one all-reduce (3 others take 10 us on average), perhaps for a rank that began later. In the other 4.030 ms, computing 99.3 %, all of it in mm.',
      );
    });

    it('keeps it in the parts', () => {
      const { parts, span } = verdictOf([PROFILE, ...reducing(900 * MS, 10_000, 10_000, 10_000)]);
      expect(parts[0]).to.deep.include({ part: 'communication', time: 900 * MS + 30_000 });
      expect(parts.reduce((sum, { time }) => sum + time, 0)).to.equal(span);
    });

    it('is communication where others take as long, where there are few others, and where something is computed', () => {
      expect(textOf(...reducing(900 * MS, 100 * MS, 90 * MS, 90 * MS))).to.match(/^GPU communicating 99\.7 %/);
      expect(textOf(...reducing(900 * MS, 10_000, 10_000))).to.match(/^GPU communicating 99\.7 %/);
      const under = kernel({ id: 9, start: 0, dur: 880 * MS, op: ['mm'] });
      expect(textOf(under, ...reducing(900 * MS, 10_000, 10_000, 10_000))).to.match(/^GPU computing 97\.8 %/);
    });
  });

  it('says of the capture of a graph that it is none of its run', () => {
    const captured = { ...PROFILE, facts: { graph_capture_ns: 5 * MS } };
    const fill = kernel({ start: 0, dur: 2 * MS });
    expect(verdictOf([captured, fill]).text).to.equal(
      'This profile shows a graph capture, during which the GPU does not run the graph: other work takes 2 ms.',
    );
    expect(verdictOf([captured, { ...fill, graph: { id: 1, node: 2 } }]).text).to.match(/^GPU computing/);
  });

  it('says how much is computed by kernels with an implausible end, and is about the others', () => {
    const computing = [90, 6, 4].map((dur, i) =>
      kernel({ id: i + 1, start: [0, 90, 96][i] ?? 0, dur, op: [['mm', 'add', 'mul'][i] ?? ''] }),
    );
    const [cut, ...others] = computing;
    expect(textOf(...computing)).to.equal('GPU computing 100.0 %: mm is 90.0 % of it.');
    expect(textOf({ ...kernel(), ...cut, cut: true }, ...others)).to.equal(
      'GPU computing 100.0 %, 90.0 % of it in 1 kernel with an implausible recorded end: add is 60.0 % of the rest.',
    );
    expect(textOf({ ...kernel(), ...cut, cut: true })).to.equal(
      'GPU computing 100.0 %, 100.0 % of it in 1 kernel with an implausible recorded end.',
    );
  });

  it('says the same of communication and of copies, whose rate is that of the others', () => {
    const moved = { profile: 0, device: 0, stream: 7, pid: 1, tid: 1, corr: null, launch: null };
    const copy = (kind: 'HtoD' | 'DtoH', start: number, dur: number, bytes: number): ProfileLine => ({
      ...{ type: 'copy', id: 1, kind, start, dur, bytes, ...moved },
    });
    const copies = [kernel({ start: 0, dur: 100 }), copy('DtoH', 100, 270, 2700), copy('HtoD', 370, 30, 300)];
    // 400 ns: 100 computing, 300 copying, 270 of it by the first copy.
    expect(textOf(...copies)).to.match(/^GPU copying 75\.0 % without overlap, mostly DtoH \(10 GB\/s\)\. /);
    expect(textOf(...copies.map((record, i) => (i === 1 ? { ...record, cut: true } : record) as ProfileLine))).to.match(
      /^GPU copying 75\.0 % without overlap, 90\.0 % of all copying in 1 copy with an implausible recorded end; the rest is mostly HtoD \(10 GB\/s\)\. /,
    );
    const cut = { name: 'ncclDevKernel_AllReduce(x)', start: 100, dur: 300, cut: true } as const;
    expect(textOf(kernel({ start: 0, dur: 100 }), kernel({ id: 2, ...cut }))).to.match(
      /^GPU communicating 75\.0 % without overlap, 100\.0 % of all communication in 1 operation with an implausible recorded end; more overlap/,
    );
  });

  describe('on communication', () => {
    const nccl = (dur: number, bytes: number | null): KernelRecord => {
      const collective: Collective = {
        ...{ op: 'allreduce', bytesIn: bytes, bytesOut: bytes, dtype: 'Float', group: '0', groupSize: 8, ranks: null },
      };
      return kernel({ id: 2, name: 'ncclDevKernel_AllReduce(x)', start: 100, dur, collective });
    };
    const computing = kernel({ start: 0, dur: 100 });

    it('offers overlap where it moves data, and looks for another rank where it hardly does', () => {
      expect(textOf(computing, nccl(100, 10_000))).to.match(
        /mostly all-reduce \(100 GB\/s\); more overlap would recover/,
      );
      expect(textOf(computing, nccl(100, 1000))).to.match(
        /mostly all-reduce \(10 GB\/s\), 3\.3 % of the peak of links within a machine: look for a late rank or a slow link\./,
      );
      expect(textOf(computing, nccl(100, null))).to.match(/mostly all-reduce; more overlap would recover/);
    });

    it('has the rate of operations whose duration is known', () => {
      const lost = { ...nccl(100, 10_000), id: 3, start: 300, dur: null };
      expect(textOf(computing, nccl(100, 10_000), lost)).to.match(/mostly all-reduce \(100 GB\/s\);/);
    });

    it('says how long data is moved where the profiler records messages', () => {
      const operation = (...durs: (number | null)[]): CollectiveRecord => ({
        ...{
          type: 'collective',
          profile: 0,
          name: 'hcom_allReduce_1',
          kind: 'allReduce',
          start: 100,
          dur: 100,
          device: 0,
        },
        ...{
          stream: 1,
          corr: null,
          bytes: null,
          dtype: null,
          group: null,
          groupSize: null,
          ranks: null,
          algorithm: null,
        },
        ...{ link: null, launch: null, pid: null, tid: null },
        transfers: durs.map((dur, dst) => ({ src: 0, dst, link: 'HCCS', bytes: 1, count: 1, dur })),
      });
      expect(textOf(computing, operation(4, 5, null))).to.match(
        /, but data moves for only 5\.0 % of that time: look for a late rank\./,
      );
      expect(textOf(computing, operation(4, 60))).to.match(/; more overlap would recover/);
      expect(textOf(computing, operation(null))).to.match(/; more overlap would recover/);
    });
  });

  describe('on computing', () => {
    /** FP16 products of 4096³: 0.44 ms at the 312 TFLOP/s of an A100. */
    const product = (dur: number): KernelRecord =>
      kernel({
        name: 'ampere_fp16_s16816gemm_fp16_128x128_nn',
        start: 0,
        dur,
        op: ['mm'],
        calls: [mm(4096, 4096, 4096)],
      });

    it('calls what is near a peak bound by it, and else states how near it is', () => {
      expect(textOf(product(0.6 * MS))).to.match(/all of it in mm, compute-bound \(73\.4 % of peak FLOP\/s\)\.$/);
      expect(textOf(product(2 * MS))).to.match(/all of it in mm, at 22\.0 % of peak FLOP\/s\.$/);
      expect(textOf(product(9 * MS))).to.match(/all of it in mm, far below both peaks\.$/);
    });

    it('states the least share of an op where other kernels have none', () => {
      const [named, nameless] = [kernel({ start: 0, dur: 700, op: ['mm'] }), kernel({ id: 2, start: 700, dur: 300 })];
      expect(textOf(named, nameless)).to.match(/: mm is at least 70\.0 % of it \(30\.0 % has no op\)\.$/);
      expect(textOf(named, { ...nameless, dur: 30 })).to.match(/: mm is 95\.9 % of it\.$/);
      expect(textOf({ ...nameless, dur: 900 }, { ...named, start: 2000 })).to.match(/: k is 56\.3 % of it/);
    });
  });
});
