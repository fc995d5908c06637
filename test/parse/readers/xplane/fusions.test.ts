/** Which op a fusion of HLO is: that of the instruction that computes the most in it. */
import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { message, packed, type Field } from '../../../../samples/programs/wire.js';
import { BF16, computation, file, F32, PlaneWriter, shape } from '../../../../samples/programs/write-xplane.js';
import { freshPath } from '../../../support/fresh-path.js';
import { kernelsOf } from '../../../support/profile-records.js';

type Written = Parameters<typeof computation>[2][number];

const parameter = (...extents: readonly number[]): Written => ({
  ...{ name: `p${extents.join('x')}`, opcode: 'parameter', shape: shape(BF16, ...extents) },
});
const CONTRACTING: Field = [
  30,
  [
    [1, packed([1])],
    [2, packed([0])],
  ],
];
/** A product of 64 · 32 elements with 256 terms each. */
const product = (path: string): Written[] => [
  parameter(64, 256),
  parameter(256, 32),
  { name: 'dot.1', opcode: 'dot', shape: shape(F32, 64, 32), operands: [1, 2], path, more: [CONTRACTING] },
];

/** Op, module, direction and layers of a kernel whose fusion has these instructions. @param named path of the fusion */
function factsOf(inside: readonly Written[], named: string): readonly unknown[] {
  const calls: Field = [38, packed([1])];
  const fusion: Written = { name: 'f.1', opcode: 'fusion', shape: shape(F32, 64, 32), path: named, more: [calls] };
  const main = computation(2, 'main', [parameter(64, 256), fusion]);
  const program = message([[1, [[1, 'jit_step'], [2, 'main'], computation(1, 'fused', inside), main, [5, 7], [6, 2]]]]); // prettier-ignore
  const metadata = new PlaneWriter('/host:metadata');
  metadata.kind('jit_step(7)', { 'Hlo Proto': program });
  const gpu = new PlaneWriter('/device:GPU:0')
    .line(1, 'Stream #1(Kernel)', 0, [
      [
        'f_1.kd',
        [100, 10],
        {
          kernel_details: 'grid:1,1,1 block:1,1,1',
          hlo_op: 'f.1',
          hlo_module: 'jit_step',
          program_id: 7,
          name: named,
          tf_op: 'XlaModule:',
        },
      ],
    ])
    .stats({ device_vendor: 'AMD' });
  const path = freshPath('.xplane.pb');
  writeFileSync(path, file([metadata, gpu]));
  return kernelsOf(path).flatMap(({ op, mod, dir, layer }) => [op, mod, dir, layer]);
}

describe('fusions of HLO', () => {
  it('have the path of the product in them, not of the conversion that ends them', () => {
    const inside = [...product('jit(f)/jvp(head)/dot_general'), { name: 'c', opcode: 'convert', shape: shape(F32, 64, 32), operands: [3] }]; // prettier-ignore
    expect(factsOf(inside, 'jit(f)/out/convert_element_type')).to.deep.equal([['dot_general'], ['jax'], 'fprop', ['head']]); // prettier-ignore
  });

  it('are a product where its path names an op that computes nothing', () => {
    // The compiler folded the transposition of the result into the product, and kept the path of the former.
    const path = 'jit(f)/transpose(jvp(head))/transpose';
    expect(factsOf(product(path), path)).to.deep.equal([['dot'], ['hlo'], 'bprop', ['head']]);
  });

  it('keep their path where nothing in them computes more than an operation for each element of the result', () => {
    const sum = (elements: number): Written[] => [
      parameter(elements),
      { name: 'reduce.1', opcode: 'reduce', shape: shape(F32), operands: [1], path: 'jit(f)/norm/reduce_sum' },
    ];
    const path = 'jit(f)/norm/div';
    // The result has 64 · 32 elements.
    expect(factsOf(sum(2048), path)).to.deep.equal([['div'], ['jax'], null, ['norm']]);
    expect(factsOf(sum(2049), path)).to.deep.equal([['reduce_sum'], ['jax'], null, ['norm']]);
    expect(factsOf([parameter(64, 32)], 'jit(f)/head/transpose')).to.deep.equal([['transpose'], ['jax'], null, ['head']]); // prettier-ignore
  });
});
