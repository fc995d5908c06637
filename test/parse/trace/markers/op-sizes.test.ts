import { expect } from 'chai';
import { parseMarker, type OpMarker } from '../../../../src/parse/trace/markers/markers.js';
import { MAX_ENTRIES, readSizes, OpSizesReader } from '../../../../src/parse/trace/markers/op-sizes.js';
import type { Arg, OpCall } from '../../../../src/record/record.js';
import { globalTid, NsightDatabase } from '../../../support/nsight-database.js';
import { kernelsOf, onlyKernelOf, recordsOf } from '../../../support/profile-records.js';
import { annotate } from '../../../support/rows.js';
import { sharedFile, itShared } from '../../../support/shared.js';

const op = (text: string): OpMarker => {
  const marker = parseMarker(text);
  if (marker.kind !== 'op') throw new Error(`${text} is read as ${marker.kind}`);
  return marker;
};
const callOf = (text: string): OpCall | null => new OpSizesReader().callOf(op(text));
const tensor = (...shape: number[]): Arg => ({ name: '', type: 'tensor', shape });
const unspecified: Arg = { name: '', type: 'unknown' };

describe('extents behind the name of an op', () => {
  // Strings of real profiles, of PyTorch 2.
  const REAL: readonly (readonly [text: string, mod: string, name: string, args: readonly Arg[]])[] = [
    [
      'aten::copy_, op_id = 15, sizes = [[2, 4096], [2, 4096], []], input_op_ids = [(14,0), (0,-1), (0,-1)]',
      'aten',
      'copy_',
      [tensor(2, 4096), tensor(2, 4096), unspecified],
    ],
    [
      'aten::mul, seq = 6, op_id = 872, sizes = [[512], [4, 256, 512]], input_op_ids = [(183,0), (871,0)]',
      'aten',
      'mul',
      [tensor(512), tensor(4, 256, 512)],
    ],
    [
      'aten::mm, op_id = 1529997, sizes = [[4, 1024], [1024, 2048]], input_op_ids = [(1529991,0), (1529993,0)]',
      'aten',
      'mm',
      [tensor(4, 1024), tensor(1024, 2048)],
    ],
  ];
  for (const [text, mod, name, args] of REAL) {
    it(text, () => expect(callOf(text)).to.deep.equal({ mod, op: name, args, from: 'sizes' }));
  }

  it('are those of ops without a namespace before PyTorch 1.7, of other libraries, and of collectives', () => {
    expect(callOf('mm, seq = 5, sizes = [[2, 3], [3, 4]]')).to.include({ mod: 'aten', op: 'mm' });
    expect(callOf('_C::silu_and_mul, op_id = 5, sizes = [[2, 3], [2, 6]]')).to.include({ mod: '_C' });
    expect(callOf('nccl:all_reduce, op_id = 5, sizes = [[8]]')).to.include({ mod: 'nccl', op: 'nccl:all_reduce' });
  });

  it('make no call of a node, of a function of the program, or where they were not recorded', () => {
    for (const text of [
      'AddmmBackward0, seq = 596, op_id = 1719, sizes = [[8, 64]]',
      'autograd::engine::evaluate_function: AddmmBackward0, op_id = 1718, sizes = [[8, 64]]',
      'FlashAttnFunc, seq = 45368, op_id = 990812, sizes = [[1, 8, 64]]',
      'FSDP::pre_forward (encoder.block.14), op_id = 3, sizes = [[1]]',
      'aten::mm, seq = 5, op_id = 12',
    ]) {
      expect(callOf(text), text).to.equal(null);
    }
  });

  it('that cannot be read leave a call without arguments', () => {
    for (const sizes of [
      ...['[2, -1]', '[2,3]', '[2] [3]', '[2], ', ', [2]', '[2', '2', '[[2]]', '[1e3]', '[9007199254740993]', '[0x10]'],
    ]) {
      expect(readSizes(sizes), sizes).to.equal(null);
      expect(callOf(`aten::mm, op_id = 1, sizes = [${sizes}]`)?.args ?? [], sizes).to.deep.equal([]);
    }
  });

  it('may be zero, and there may be none', () => {
    expect(readSizes('[0], [0, 5]')).to.deep.equal([tensor(0), tensor(0, 5)]);
    expect(readSizes('')).to.deep.equal([]);
  });

  it('are bounded, because the record of every kernel inside repeats them', () => {
    const sizes = (n: number): string => new Array<string>(n).fill('[2, 3]').join(', ');
    expect(readSizes(sizes(MAX_ENTRIES))).to.have.length(MAX_ENTRIES);
    expect(readSizes(sizes(MAX_ENTRIES + 1))).to.equal(null);
  });
});

describe('calls of ops that print their extents', () => {
  const LINEAR = 'aten::linear, seq = 5, op_id = 11, sizes = [[8, 64], [32, 64], [32]]';
  const ADDMM = 'aten::addmm, seq = 5, op_id = 12, sizes = [[32], [8, 64], [64, 32], [], []]';

  it('are in the record outermost first, with their ids and how many kernels each has', () => {
    const db = new NsightDatabase();
    db.range(LINEAR, 50, 500).range('aten::t, op_id = 13', 60, 80).range(ADDMM, 90, 400);
    for (const n of [1, 2]) {
      db.call({ start: 100 * n, end: 100 * n + 10 }, n).kernel({ start: 100 * n + 20, end: 100 * n + 30 }, n);
    }
    db.call({ start: 450, end: 460 }, 3).kernel({ start: 470, end: 480 }, 3);
    const kernels = kernelsOf(db.write());
    expect(kernels.map(({ calls }) => calls.map(({ op: name, from }) => `${name} ${from ?? ''}`))).to.deep.equal([
      ['linear sizes', 'addmm sizes'],
      ['linear sizes', 'addmm sizes'],
      ['linear sizes'],
    ]);
    expect(kernels.map(({ callIds }) => callIds)).to.deep.equal([[1, 2], [1, 2], [1]]);
    expect(kernels.map(({ callKernels }) => callKernels)).to.deep.equal([[3, 2], [3, 2], [3]]);
  });

  it('count the kernels of a graph that one call launches, and those of each thread and process apart', () => {
    const db = new NsightDatabase().range(ADDMM, 50, 500).call({ start: 100, end: 110 }, 1);
    for (const n of [0, 1, 2]) db.kernel({ start: 120 + 10 * n, end: 125 + 10 * n }, 1);
    const other = { globalTid: globalTid(77) };
    db.range(ADDMM, 50, 500, other).call({ start: 100, end: 110 }, 2, other).kernel({ start: 200, end: 210 }, 2);
    expect(kernelsOf(db.write()).map(({ callIds, callKernels }) => [callIds, callKernels])).to.deep.equal([
      [[2], [3]],
      [[2], [3]],
      [[2], [3]],
      [[1], [1]],
    ]);
  });

  it('do not depend on the order of rows', () => {
    const steps: ((db: NsightDatabase) => NsightDatabase)[] = [
      (db) => db.range(LINEAR, 50, 500),
      (db) => db.range(ADDMM, 90, 400),
      (db) => db.range(ADDMM, 90, 400, { globalTid: globalTid(77) }),
      ...[1, 2].map((n) => (db: NsightDatabase) => db.launch(n, [])),
      (db) => db.launch(3, [], { globalTid: globalTid(77) }),
    ];
    const [forward, backward] = [steps, steps.toReversed()].map((order) =>
      kernelsOf(order.reduce((db, step) => step(db), new NsightDatabase()).write()),
    );
    expect(forward).to.deep.equal(backward);
    expect(forward?.map(({ callIds }) => callIds)).to.deep.equal([[2, 3], [2, 3], [1]]);
  });

  it('have their work given out once, to the kernel that does it', () => {
    const db = new NsightDatabase().range(ADDMM, 90, 400);
    const names = ['ampere_fp16_s16816gemm_fp16_64x64_ldg8_f2f_stages_64x5_tn', 'void splitKreduce_kernel<int>(int)'];
    names.forEach((name, i) => {
      const at = 100 * (i + 1);
      db.call({ start: at, end: at + 10 }, i + 1).kernel({ start: at + 20, end: at + 60 }, i + 1, {}, name);
    });
    const rows = annotate(recordsOf(db.write()));
    // 2·8·32·64; (32 + 8·64 + 64·32 + 8·32)·2 bytes.
    expect(rows.map(({ role, flops, bytes }) => [role, flops, bytes])).to.deep.equal([
      ['main', 32768, 5696],
      ['helper', 0, 0],
    ]);
  });

  it('leave names, direction and sequence ids as they are without them', () => {
    const bare = (text: string): string => text.replace(/, sizes = .*/, '');
    const texts = [
      'autograd::engine::evaluate_function: AddmmBackward0, op_id = 9',
      'AddmmBackward0, seq = 4, op_id = 10',
    ];
    for (const around of [
      [LINEAR, ADDMM],
      [...texts, ADDMM],
    ]) {
      const actual = onlyKernelOf(new NsightDatabase().launch(1, around).write());
      const plain = onlyKernelOf(new NsightDatabase().launch(1, around.map(bare)).write());
      for (const key of ['mod', 'op', 'dir', 'seq', 'altSeq', 'sub', 'layer'] as const) {
        expect(actual[key], key).to.deep.equal(plain[key]);
      }
      expect(plain).to.not.have.any.keys('callIds', 'callKernels');
    }
  });

  it('are left out where a marker describes the call', () => {
    const marked = "{'mod': 'torch', 'op': 'addmm', 'args': []}";
    const kernel = onlyKernelOf(new NsightDatabase().launch(1, [marked, LINEAR, ADDMM]).write());
    expect(kernel.calls).to.deep.equal([{ mod: 'torch', op: 'addmm', args: [] }]);
    expect(kernel).to.not.have.any.keys('callIds', 'callKernels');
  });

  for (const file of ['fsdp_2proc', 'h100_2gpu_orphans']) {
    const name = `data/nsys/${file}.sqlite`;
    itShared(`are none in ${file}, whose ops print no extents`, [name], () => {
      const kernels = kernelsOf(sharedFile(name) ?? '');
      expect(kernels.filter(({ callIds, calls }) => callIds !== undefined || calls.length > 0)).to.deep.equal([]);
    });
  }
});
