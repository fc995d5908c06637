import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readProfile } from '../../../src/parse/profile.js';
import { FRAME_KINDS, framesOf, type FrameKind } from '../../../src/prof/stacks/frames.js';
import { MergedStacks, OTHERS, Stacks, type StackOptions } from '../../../src/prof/stacks/stack-sums.js';
import type { CollectiveRecord, KernelRecord, ProfileLine } from '../../../src/record/record.js';
import { kernel, mm } from '../../support/kernels.js';
import { fileOf, ofType, recordsOf } from '../../support/kineto.js';
import { annotate } from '../../support/rows.js';
import { itShared } from '../../support/shared.js';

const kinds = (names: string): FrameKind[] =>
  names
    .split(',')
    .map((name) => FRAME_KINDS.find((kind) => kind.name === name))
    .filter((kind) => kind !== undefined);
const DEFAULT = 'stack,op,kernel';
const framesOfOne = (fields: Partial<KernelRecord>, by = DEFAULT): string[] => {
  const [row] = annotate([kernel({ short: 'gemm', ...fields })]);
  if (row === undefined) throw new Error('no row');
  return framesOf(row, kinds(by));
};
const stacksOf = (records: Iterable<ProfileLine>, change: Partial<StackOptions> = {}): Stacks => {
  const options = { kinds: kinds(DEFAULT), safe: (text: string) => text, apart: false, collectives: false };
  const stacks = new Stacks({ ...options, ...change });
  for (const record of records) stacks.take(record);
  return stacks;
};
const linesOf = (stacks: Stacks): string[] =>
  stacks.profiles.flatMap((one) => [...one.stacks.sorted()].map(({ frames, ns }) => `${frames.join(';')} ${ns}`));

const aten = { ...mm(2, 3, 4), mod: 'aten', from: 'dispatcher' } as const;

describe('stacks of kernels', () => {
  it('has the call stack, or layers where there is none, then ops, then the kernel', () => {
    const trace = ['train.py:9', 'net.py:4'];
    const layer = ['Net_0', 'Linear_0'];
    expect(framesOfOne({ trace, layer, calls: [aten] })).to.deep.equal([...trace, 'aten::mm', 'gemm']);
    expect(framesOfOne({ layer, calls: [mm(2, 3, 4)] })).to.deep.equal([...layer, 'torch.mm', 'gemm']);
    expect(framesOfOne({ trace, layer }, 'trace,layer,kernel')).to.deep.equal([...trace, ...layer, 'gemm']);
    expect(framesOfOne({ mod: ['na'], op: ['Relu'] })).to.deep.equal(['Relu', 'gemm']);
  });

  it('marks kernels that nothing places', () => {
    expect(framesOfOne({ mod: ['na'] })).to.deep.equal(['[unknown]', 'gemm']);
    expect(framesOfOne({}, 'rank,layer,name')).to.deep.equal(['rank na', '[unknown]', 'void k<float>(int)']);
    expect(framesOfOne({}, 'kernel')).to.deep.equal(['gemm']);
  });

  it('puts backward kernels under the forward op', () => {
    const backward = { dir: 'bprop', seq: [5], seqMarker: ['MmBackward0, seq = 5'] } as const;
    const forward = { mod: 'aten', op: 'linear', tid: 1, start: 0 };
    const frames = framesOfOne({ ...backward, trace: ['net.py:4'], calls: [aten], callIds: [1], forward });
    expect(frames).to.deep.equal(['net.py:4', 'aten::linear', 'MmBackward0', 'aten::mm', 'gemm']);
    // Markers of PyProf: the forward kernel with the same sequence id has the call and the stack.
    const lines = linesOf(
      stacksOf([
        kernel({ short: 'f', trace: ['net.py:4'], calls: [mm(2, 3, 4)], seq: [5], dur: 3 }),
        kernel({ ...backward, short: 'b', dur: 4 }),
      ]),
    );
    expect(lines).to.deep.equal(['net.py:4;torch.mm;MmBackward0;b 4', 'net.py:4;torch.mm;f 3']);
  });

  it('adds up equal stacks, and separates profiles on demand', () => {
    const records = [kernel({ dur: 3 }), kernel({ dur: 4 }), kernel({ dur: 5, profile: 1 }), kernel({ dur: null })];
    const stacks = stacksOf(records);
    expect(linesOf(stacks)).to.deep.equal(['[unknown];k 12']);
    expect(stacks).to.include({ kernels: 3, untimed: 1 });
    const apart = stacksOf(records, { apart: true });
    expect(apart.profiles.map(({ name, stacks: own }) => [name, own.total])).to.deep.equal([
      ['profile 0', 7],
      ['profile 1', 5],
    ]);
  });

  it('counts collective operations on demand', () => {
    const operation = { ...kernel(), type: 'collective', name: 'hcom_allReduce__1', kind: 'allReduce', dur: 9 };
    const records = [operation as unknown as CollectiveRecord];
    expect(linesOf(stacksOf(records))).to.deep.equal([]);
    expect(linesOf(stacksOf(records, { collectives: true }))).to.deep.equal(['[unknown];allReduce 9']);
  });

  it('is bounded: stacks that are too many are added up in one', () => {
    const merged = new MergedStacks(6);
    for (const name of ['abc', 'def', 'ghi', 'abc', 'jkl']) merged.add([name], 2);
    expect([...merged.sorted()].map(({ frames, ns }) => [...frames, ns])).to.deep.equal([
      [OTHERS, 4],
      ['abc', 4],
      ['def', 2],
    ]);
    expect(merged).to.include({ total: 10, others: 2 });
  });
});

describe('stacks of real profiles', () => {
  const total = (records: readonly ProfileLine[]): number =>
    ofType(records, 'kernel').reduce((sum, { dur }) => sum + (dur ?? 0), 0);

  for (const trace of ['h100_vit', 'a100_nccl_metadata']) {
    itShared(`all time of ${trace}`, [fileOf(trace)], async () => {
      const records = await recordsOf(trace);
      const lines = linesOf(stacksOf(records));
      expect(lines.reduce((ns, line) => ns + Number(line.split(' ').at(-1)), 0)).to.equal(total(records));
    });
  }

  const database = 'data/ascend/db_level1_rank1/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_1.db';
  itShared('all time of an Ascend database, its backward kernels under forward lines', [database], ([path = '']) => {
    const expected = readFileSync(join(dirname(path), '..', 'expected_kernels.jsonl'), 'utf8')
      .trim()
      .split('\n');
    const sum = expected.reduce((ns, line) => ns + (JSON.parse(line) as { durNs: number }).durNs, 0);
    const records = [...readProfile(path, { profile: 0 })];
    const stacks = stacksOf(records).profiles[0]?.stacks;
    expect([stacks?.total, total(records)]).to.deep.equal([sum, sum]);
    const backward = [...(stacks?.sorted() ?? [])].filter(({ frames }) => frames.includes('ConvolutionBackward0'));
    expect(backward.length).to.be.greaterThan(0);
    expect(backward.every(({ frames }) => frames.some((frame) => /alexnet\.py:\d+$/.test(frame)))).to.equal(true);
  });
});
