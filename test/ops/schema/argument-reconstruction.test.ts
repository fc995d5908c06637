import { expect } from 'chai';
import { reconstructArguments } from '../../../src/ops/schema/argument-reconstruction.js';
import { resolveWork } from '../../../src/ops/resolve-work.js';
import { parseMarker } from '../../../src/parse/trace/markers/markers.js';
import { OpSizesReader } from '../../../src/parse/trace/markers/op-sizes.js';
import type { Arg, OpCall } from '../../../src/record/record.js';
import { kernel } from '../../support/calls.js';
import { fileOf, ofType, recordsOf, traceOf, TRACES } from '../../support/kineto.js';
import { itEachShared } from '../../support/shared.js';

const reader = new OpSizesReader();

/** The call of a range's text. */
function read(name: string, sizes: string): OpCall {
  const marker = parseMarker(`${name}, op_id = 7, sizes = [${sizes}]`);
  return (marker.kind === 'op' ? reader.callOf(marker) : null) ?? { mod: '', op: name, args: [], from: 'sizes' };
}

/** Arguments in one line: extents, lists in brackets, `?` for what is unspecified. */
const shown = (args: readonly Arg[]): string =>
  args
    .map((arg) => {
      if (arg.items !== undefined) return `[${shown(arg.items)}]`;
      if (arg.shape === undefined) return arg.type === 'list' ? '[?]' : '?';
      return arg.shape.join('x') || '.';
    })
    .join(' ');

const FP16 = kernel(
  'void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::Half>, X>(int)',
);

/** FLOPs and bytes of a call that is given as text, for an FP16 kernel. */
function amounts(name: string, sizes: string, launched = FP16): string {
  const found = resolveWork([read(name, sizes)], launched);
  return found === null ? 'none' : `${found.whole.flops} ${found.whole.bytes}`;
}

describe('TensorLists flattened among the arguments', () => {
  const n = (count: number, shape: string): string => new Array<string>(count).fill(shape).join(', ');
  const CASES: readonly (readonly [name: string, sizes: string, args: string])[] = [
    ['cat', '[2, 3], [4, 3], []', '[2x3 4x3] ?'],
    ['cat', '[2, 3], [4, 3], [], [6, 3]', '[2x3 4x3] ? 6x3'],
    ['stack', '[5], [5], [5], []', '[5 5 5] ?'],
    // Scalars, or a list that PyTorch before 1.11 prints as one blank.
    ['stack', '[], [], []', '[?]'],
    ['cat', '[], []', '[?]'],
    ['index', '[8, 4], [5, 1], [3]', '8x4 [5x1 3]'],
    // One of two dimensions has an index, either.
    ['index', '[8, 4], [5]', '8x4 [?]'],
    // A mask, or positions as many as there are elements.
    ['index', '[8], [8]', '8 [?]'],
    ['index', '[8, 4], [8, 4]', '8x4 [?]'],
    ['index_put_', '[8, 4], [5], [6, 1], [6, 5], []', '8x4 [5 6x1] 6x5 ?'],
    ['_index_put_impl_', '[9], [5], [5], [], []', '9 [5] 5 ? ?'],
    ['_foreach_mul_', '[4], [2, 3], []', '[4 2x3] ?'],
    ['_foreach_mul_', '[4], [2, 3], [4], [2, 3]', '[4 2x3] [4 2x3]'],
    ['_foreach_add_', '[4], [2, 3], []', '[4 2x3] ?'],
    ['_foreach_add_', '[4], [4], [2, 3], []', '[4 4 2x3] ?'],
    // Two tensors and one number, or two lists of one tensor and a factor.
    ['_foreach_add_', '[4], [4], []', '[?]'],
    ['_foreach_addcdiv_', '[4], [2], [4], [2], [4], [2], []', '[4 2] [4 2] [4 2] ?'],
    ['_foreach_addcdiv_', '[4], [2], [4], [4], [4], [2], []', '[?]'],
    ['_foreach_sqrt', '[4], [2]', '[4 2]'],
    [
      '_fused_adamw_',
      `${n(4, '[4], [2]')}, ${n(12, '[]')}`,
      `${n(4, '[4 2]').replaceAll(',', '')} ? [. .] ${n(9, '?').replaceAll(',', '')}`,
    ],
    [
      '_fused_adamw_',
      `${n(5, '[4], [2]')}, ${n(11, '[]')}`,
      `${n(5, '[4 2]').replaceAll(',', '')} [. .] ${n(9, '?').replaceAll(',', '')}`,
    ],
    ['lstm', '[5, 2, 8], [1, 2, 8], [1, 2, 8], [32, 8], [32, 8], [], [], [], [], [], []', '[?]'],
    ['einsum', '[], [2, 3], [3, 4], []', '[?]'],
    // No tensor lists here; in place, so that the first argument can only be a tensor.
    ['add_', '[], [], []', '. ? ?'],
    ['add', '[], [4], []', '? 4 ?'],
  ];
  for (const [name, sizes, args] of CASES) {
    it(`${name} ${sizes.length > 60 ? `${sizes.slice(0, 60)}…` : sizes}`, () => {
      const call = reconstructArguments(read(`aten::${name}`, sizes));
      expect(shown(call.args)).to.equal(args);
      expect(call.from).to.equal('dispatcher');
    });
  }

  it('leave other calls alone', () => {
    const call: OpCall = { mod: 'aten', op: 'cat', args: [], from: 'dispatcher' };
    expect(reconstructArguments(call)).to.equal(call);
  });
});

describe('work by tensor extents alone', () => {
  it('is that of the product, forward and backward: 2·M·N·K', () => {
    const gemm = kernel('ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_32x6_nn');
    // 2·4·2048·1024; (4·1024 + 1024·2048 + 4·2048)·2 bytes.
    expect(amounts('aten::mm', '[4, 1024], [1024, 2048]', gemm)).to.equal('16777216 4218880');
    expect(amounts('aten::mm', '[4, 1024], [1024, 2048]', { ...gemm, dir: 'bprop', sub: 3 })).to.equal(
      '16777216 4218880',
    );
    // 2·8·32·64 and the bias added: FLOPs of the product do not need a type.
    expect(amounts('aten::bmm', '[8, 16, 64], [8, 64, 32]', kernel('gemm'))).to.equal('524288 null');
  });

  it('is that of the joined lists, and not known where the list is not', () => {
    // (2·3 + 4·3)·2 bytes read, the same written.
    expect(amounts('aten::cat', '[2, 3], [4, 3], []')).to.equal('0 72');
    expect(amounts('aten::cat', '[], []')).to.equal('0 null');
    expect(amounts('aten::_foreach_add_', '[4], [4], []')).to.equal('null null');
    expect(amounts('aten::lstm', '[5, 2, 8], [1, 2, 8], [1, 2, 8], [32, 8], [32, 8], [], [], [], []')).to.match(
      /none|null/,
    );
  });

  it('has positions of 64 bits where indices pick rows', () => {
    const pick = kernel('void at::native::index_elementwise_kernel<128, 4, at::native::OpaqueType<2u> >(long)');
    // 5·3 elements of 2 bytes read and written, 5 + 3 positions of 8.
    expect(amounts('aten::index', '[8, 4], [5, 1], [3]', pick)).to.equal('0 124');
    expect(amounts('aten::index', '[8, 4], [5]', pick)).to.equal('0 null');
  });

  it('has one describing call for all kernels of an op, whatever types their names have', () => {
    const calls = [read('aten::linear', '[8, 64], [32, 64], []'), read('aten::mm', '[8, 64], [64, 32]')];
    for (const name of ['ampere_fp16_s16816gemm_fp16_64x64_ldg8_f2f_stages_64x5_tn', 'splitKreduce_kernel']) {
      expect(resolveWork(calls, kernel(name))?.index, name).to.equal(1);
    }
  });
});

/** Entries of an argument as PyTorch prints them. */
const entries = (arg: Arg): string[] =>
  (arg.items === undefined || arg.items.length === 0 ? [arg] : arg.items).map(
    ({ shape = [] }) => `[${shape.join(', ')}]`,
  );

/** Ops whose families assume a value for an unspecified argument: both gradients of a convolution, and no change of type. */
const ASSUMED = new Set(['convolution_backward', 'reshape_and_cache_flash']);

describe('real calls, reduced to the extents of their tensors', () => {
  /** Inference in several types, generated kernels, collectives, and training. */
  const SAMPLED: readonly string[] = ['h100_vit', 'h100_qwen', 'b200_rank0of8', 'mi300_norm_layers_training'];
  itEachShared(
    SAMPLED.map(fileOf),
    TRACES.filter((trace) => !SAMPLED.includes(trace)).map(fileOf),
    (file) => `have the FLOPs they had, or unknown ones: ${traceOf(file)}`,
    async (_, file) => {
      const other: string[] = [];
      for (const record of ofType(await recordsOf(traceOf(file)), 'kernel')) {
        const calls = record.calls.filter(({ args, mod }) => args.length > 0 && mod !== 'c10d');
        const again = calls.map(({ mod, op, args }) =>
          read(mod === op ? op : `${mod}::${op}`, args.flatMap(entries).join(', ')),
        );
        const found = resolveWork(again, record);
        const flops = found?.whole.flops ?? null;
        if (found === null || flops === null || ASSUMED.has(found.call.op)) continue;
        const full = resolveWork(calls, record);
        if (full?.whole.flops !== flops)
          other.push(`${calls.map(({ op }) => op).join(' > ')}: ${flops}, not ${full?.whole.flops}`);
      }
      expect([...new Set(other)]).to.deep.equal([]);
    },
  );
});
