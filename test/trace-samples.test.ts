import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { TRACES } from '../samples/programs/write-samples.js';
import { ROOT } from './support/shared.js';

interface Event {
  readonly ph: string;
  readonly cat?: string;
  readonly name: string;
  readonly id?: number;
  readonly pid: number | string;
  readonly tid: number | string;
  readonly ts: number;
  readonly dur?: number;
  readonly args?: Readonly<Record<string, unknown>>;
}

const bytesOf = (name: string): Buffer => readFileSync(join(ROOT, 'samples', name));
const textOf = (name: string): string => {
  const bytes = bytesOf(name);
  return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
};
const eventsOf = (name: string): Event[] => (JSON.parse(textOf(name)) as { traceEvents: Event[] }).traceEvents;
const kind = ({ cat }: Event): string => cat?.toLowerCase().replace(/^(cuda_|gpu_)/, '') ?? '';

const TODAY = 'lenet.pt.trace.json.gz';
const OLD = 'lenet-2021.pt.trace.json';

/** Args by category, in small letters, as the format's document and traces of these years have them. */
const PLACE = 'external id,device,context,stream,correlation';
const NCCL =
  'collective name,in msg nelems,out msg nelems,group size,dtype,in split size,out split size,process group name,process group description,process group ranks';
const ARGS: Readonly<Record<string, string>> = {
  cpu_op: `external id,record function id,sequence number,fwd thread id,ev idx,concrete inputs,input type,input strides,input dims,${NCCL},rank,global rank start,global rank stride`,
  operator:
    'device,external id,trace name,trace iteration,input dims,call stack,input type,fwd thread id,sequence number',
  user_annotation: 'external id,record function id,ev idx',
  user_annotation_gpu: 'external id',
  python_function: 'python parent id,python id,python module id,ev idx',
  runtime: 'external id,cbid,correlation,external ts',
  kernel: `${PLACE},queued,registers per thread,shared memory,blocks per sm,warps per sm,grid,block,est. achieved occupancy %,${NCCL}`,
  memcpy: `${PLACE},bytes,memory bandwidth (gb/s)`,
  memset: `${PLACE},bytes,memory bandwidth (gb/s)`,
  sync: `${PLACE},cuda_sync_kind`,
  trace: 'op count',
};

const idOf = ({ args }: Event): unknown => args?.['External id'] ?? args?.['external id'];
const isHost = (event: Event): boolean => ['cpu_op', 'operator'].includes(kind(event));
const isWork = (event: Event): boolean => event.ph === 'X' && ['kernel', 'memcpy', 'memset'].includes(kind(event));

describe('sample traces', () => {
  for (const name of Object.keys(TRACES)) {
    describe(name, () => {
      it('has only args that real traces have', () => {
        for (const event of eventsOf(name).filter(({ ph }) => ph === 'X')) {
          const key = event.cat === 'gpu_user_annotation' ? 'user_annotation_gpu' : kind(event);
          const args = Object.keys(event.args ?? {}).map((arg) => arg.toLowerCase());
          expect((ARGS[key] ?? '').split(','), `${key} ${event.name}`).to.include.members(args);
        }
      });

      it('has a launch and an op for all work on the device, and one arrow from the one to the other', () => {
        const events = eventsOf(name);
        const work = events.filter(isWork);
        expect(work).to.have.length.above(50);
        for (const { args, ts, tid } of work) {
          const launch = events.filter(
            (e) => kind(e) === 'runtime' && e.args?.['correlation'] === args?.['correlation'],
          );
          expect(launch).to.have.length(1);
          const op = events.find((event) => isHost(event) && idOf(event) === idOf({ args } as Event));
          expect(op?.tid, 'thread of op and launch').to.equal(launch[0]?.tid);
          expect(op?.ts).to.be.at.most(launch[0]?.ts ?? 0);
          const arrows = events.filter(({ id, cat }) => id === args?.['correlation'] && cat !== 'fwdbwd');
          expect(arrows.map(({ ph }) => ph).toSorted()).to.deep.equal(['f', 's']);
          expect(arrows.find(({ ph }) => ph === 'f')).to.include({ ts, tid });
        }
      });

      it('has a forward op on the main thread for each node that runs backward', () => {
        const ops = eventsOf(name).filter((event) => isHost(event) && event.args?.['Sequence number'] !== undefined);
        const backward = ops.filter(({ args }) => args?.['Fwd thread id'] === 1);
        expect(backward).to.have.length.above(10);
        for (const { args, tid } of backward) {
          const number = args?.['Sequence number'];
          const forward = ops.filter((op) => op.args?.['Fwd thread id'] === 0 && op.args['Sequence number'] === number);
          expect(forward, String(number)).to.have.length.above(0);
          for (const op of forward) expect(op.tid).to.not.equal(tid);
        }
      });

      it('has as many extents and types as an op has arguments', () => {
        const names = ['Input Dims', 'Input type', 'Concrete Inputs', 'Input Strides'];
        for (const { args = {}, name: op } of eventsOf(name).filter(isHost)) {
          const lengths = names.flatMap((key) => (key in args ? [(args[key] as unknown[]).length] : []));
          expect(new Set(lengths).size, op).to.be.at.most(1);
        }
      });

      it('nests the events of one thread', () => {
        const spans = eventsOf(name).filter((event) => isHost(event) || kind(event) === 'python_function');
        for (const a of spans) {
          const end = a.ts + (a.dur ?? 0);
          const torn = spans.filter(
            (b) => b.tid === a.tid && a.ts < b.ts && b.ts < end - 5e-4 && b.ts + (b.dur ?? 0) > end + 5e-4,
          );
          expect(
            torn.map((b) => b.name),
            a.name,
          ).to.deep.equal([]);
        }
      });
    });
  }

  it('shows the parts of each form', () => {
    const categories = (name: string): string[] => [...new Set(eventsOf(name).flatMap(({ cat }) => cat ?? []))].sort();
    expect(categories(TODAY).join(' ')).to.equal(
      'Trace ac2g cpu_op cuda_runtime cuda_sync fwdbwd gpu_memcpy gpu_memset gpu_user_annotation kernel python_function user_annotation',
    );
    expect(categories(OLD).join(' ')).to.equal('Kernel Memcpy Memset Operator Runtime Trace async');
  });

  it('today counts from a base in nanoseconds, in 2021 from 1970 in whole microseconds', () => {
    expect(textOf(TODAY)).to.include('"baseTimeNanoseconds": 1751410836000000000');
    for (const [, ts] of textOf(TODAY).matchAll(/"ts": ([^,\n]+)/g)) expect(ts).to.match(/^4458676\d{6}\.\d{3}$/);
    for (const [, ts] of textOf(OLD).matchAll(/"ts": ([^,\n]+)/g)) expect(ts).to.match(/^16131426234\d{5}$/);
    expect(eventsOf(OLD).find(({ cat }) => cat === 'Kernel')?.tid).to.equal('stream 7');
  });

  it('numbers Python frames from their callers, and names modules', () => {
    const frames = eventsOf(TODAY).filter((event) => kind(event) === 'python_function');
    const byId = new Map(frames.map((frame) => [frame.args?.['Python id'], frame]));
    expect(byId.size).to.equal(frames.length);
    const conv = frames.find((frame) => frame.name === 'nn.Module: Conv2d_1');
    const callers: string[] = [];
    for (let at = conv; at !== undefined; at = byId.get(at.args?.['Python parent id'])) callers.push(at.name);
    expect(callers).to.deep.equal([
      'nn.Module: Conv2d_1',
      'lenet.py(24): forward',
      'torch/nn/modules/module.py(1762): _call_impl',
      'nn.Module: LeNet_0',
      'train.py(44): train',
      'train.py(61): <module>',
    ]);
  });

  it('exchanges all gradients of LeNet-5 in one collective a step', () => {
    // 6·25+6 + 16·150+16 + 120·400+120 + 84·120+84 + 10·84+10
    const elements = 156 + 2416 + 48_120 + 10_164 + 850;
    const kernels = eventsOf(TODAY).filter((event) => kind(event) === 'kernel' && event.name.startsWith('nccl'));
    expect(kernels).to.have.length(2);
    for (const { args, tid } of kernels) {
      expect(tid).to.equal(20);
      expect(args).to.include({ 'In msg nelems': elements, dtype: 'Float', 'Process Group Ranks': '[0, 1]' });
    }
  });
});
