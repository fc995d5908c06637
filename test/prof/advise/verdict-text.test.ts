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

      // Messages of two sizes on one link follow each other: 4 + 26 of 100 ns.
      const sizes = (src: number | null, ...durs: number[]): CollectiveRecord => ({
        ...operation(),
        transfers: durs.map((dur, index) => ({ src, dst: src, link: 'HCCS', bytes: 1 + index, count: 1, dur })),
      });
      for (const src of [0, null]) {
        expect(textOf(computing, sizes(src, 4, 26))).to.match(/data moves for only 30\.0 % of that time/);
        // Messages to unknown ranks may move at the same time, but for no longer than the operation.
        expect(textOf(computing, sizes(src, 40, 140), operation(4), operation(4), operation(4))).to.match(
          /data moves for only 28\.0 % of that time/,
        );
      }
    });
  });

  it('blames the pipeline for waits between its stages, and not a late rank', () => {
    const groups = Object.entries({ a: 'pp', b: 'dp_cp', c: 'EMBEDDING_GROUP', d: null, e: 'cp' }).map(
      ([name, description]) => ({ name, description, size: 2, ranks: [0, 2] }),
    );
    const operation = (kind: string, group: string, moving: number): CollectiveRecord => ({
      ...{ type: 'collective', profile: 0, name: kind, kind, start: 200, dur: 100, device: 0, stream: 1 },
      ...{ corr: null, bytes: null, dtype: null, group, groupSize: 2, ranks: [0, 2], algorithm: null, link: null },
      ...{ launch: null, pid: null, tid: null },
      transfers: [{ src: null, dst: null, link: 'HCCS', bytes: 1, count: 1, dur: moving }],
    });
    const said = (...operations: CollectiveRecord[]): string | undefined =>
      /time: (look for a late rank|the rest is mostly the pipeline bubble)/.exec(
        verdictOf([{ ...PROFILE, groups }, kernel({ start: 0, dur: 100, op: ['mm'] }), ...operations]).text,
      )?.[1];
    const [bubble, late] = ['the rest is mostly the pipeline bubble', 'look for a late rank'];
    expect(said(operation('batchSendRecv', 'a', 5))).to.equal(bubble);
    expect(said(operation('allReduce', 'c', 5))).to.equal(bubble);
    expect(said(operation('send', 'd', 5))).to.equal(bubble);
    // The ring of context parallelism, and groups of data parallelism.
    expect(said(operation('batchSendRecv', 'e', 5))).to.equal(late);
    expect(said(operation('allReduce', 'd', 5), operation('allReduce', 'b', 5))).to.equal(late);
    // What waits longer decides: 95 ns for a stage, 60 for another rank.
    expect(said(operation('batchSendRecv', 'a', 5), operation('allReduce', 'b', 40))).to.equal(bubble);
    expect(said(operation('batchSendRecv', 'a', 45), operation('allReduce', 'b', 40))).to.equal(late);
  });

  describe('on NeuronCores', () => {
    const cores = profileOn(...[4, 5].map((id) => device('Trainium2', { id, vendor: 'aws', arch: 'nc-v3' })));
    const instruction = (name: string, on: number, start: number, dur: number): KernelRecord =>
      kernel({ ...{ name, short: name, engine: 'Vector', device: on, start, dur, op: [], mod: [], launch: null } });
    const works = [instruction('TENSOR_REDUCE', 4, 0, 600), instruction('COPY', 4, 800, 200)];

    const onCores = (...records: (ProfileLine | undefined)[]): string =>
      verdictOf([cores, ...records.flatMap((record) => record ?? [])]).text;

    it('says what the engines wait for while a core is idle', () => {
      const after = (operands: string, stream = 3): KernelRecord => ({
        ...instruction('TENSOR_REDUCE', 4, 800, 200),
        ...{ operands, stream },
      });
      const wait = (operands: string, stream: number): KernelRecord => ({
        ...instruction('EVENT_SEMAPHORE', 4, 600, 200),
        ...{ operands, stream },
      });
      const [first] = works.map((work) => ({ ...work, stream: 3 }));
      const whyOf = (...records: ProfileLine[]): string | undefined =>
        /idle 20\.0 %: (.*?)\. /.exec(onCores(first, ...records))?.[1];
      const [barrier, queue] = ['$S[2]==4 $S[2]++@complete', 'S[9] (qGpSimdDynamic)>=16'];
      // By the work after the gap, by the wait of its engine before, or by what most of the five engines wait for.
      expect(whyOf(after('S[4] (Scalar)>=14'))).to.equal('engines wait for Scalar (S[4])');
      expect(whyOf(wait(queue, 3), after(''))).to.equal('engines wait for DMA queue qGpSimdDynamic (S[9])');
      const three = [0, 1, 2].map((stream) => wait(barrier, stream));
      expect(whyOf(...three, after(''))).to.equal('engines wait for each other (barrier $S[2])');
      expect(whyOf(...three.slice(1), after(''))).to.equal('the profile does not say why');
      // 100 ns for a queue, then 200 for a barrier.
      const [half, late] = [
        { ...after(queue), start: 700, dur: 300 },
        { ...after(barrier), start: 1200 },
      ];
      const { parts } = verdictOf([cores, ...[first, half, late].flatMap((one) => one ?? [])]);
      expect(parts.find(({ cause }) => cause === 'semaphore')).to.deep.include({
        detail: 'each other (barrier $S[2])',
        time: 300,
      });
    });

    it('takes shares over the cores that run the program', () => {
      // Core 4 computes for 800 of 1000 ns; on core 5 the runtime runs control instructions for 20 of 2000 ns.
      const runtime = [instruction('DRAIN', 5, 0, 10), instruction('TENSOR_LOAD', 5, 1990, 10)];
      const { text, devices, span } = verdictOf([cores, ...works, ...runtime]);
      expect([devices, span]).to.deep.equal([1, 1000]);
      expect(text).to.match(
        /^NeuronCore idle 20\.0 %: .*\. Computing 80\.0 %: TENSOR_REDUCE is 73\.2 % of instruction time\. Core 5 idle: no instruction of the program\.$/,
      );
      const both = verdictOf([cores, ...works, instruction('COPY', 5, 0, 10), ...runtime]);
      expect([both.devices, both.span]).to.deep.equal([2, 3000]);
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
