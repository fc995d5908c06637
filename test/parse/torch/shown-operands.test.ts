/** Operands of triton_kernels' products, by the ops before their launch. */
import { expect } from 'chai';
import { itShared } from '../../support/shared.js';
import { kernel, kernels, launch, op, type EventText } from '../../support/kineto-trace.js';
import { capturesIn } from '../../../src/parse/readers/kineto/kineto.js';
import { Diagnostics } from '../../../src/record/diagnostics.js';
import { openCaptures } from '../../../src/parse/captures.js';
import { workOf } from '../../support/amounts.js';

const NAME = '_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1';

const view = (at: number, shape: readonly number[], type = 'unsigned char'): EventText =>
  op('aten::view', at, at + 1, { 'Input Dims': [shape, []], 'Input type': [type, 'ScalarList'], 'Concrete Inputs': ['', `[${shape.join(', ')}]`] }); // prettier-ignore
const empty = (at: number, shape: readonly number[]): EventText =>
  op('aten::empty', at, at + 1, { 'Input Dims': [[], []], 'Input type': ['ScalarList', 'Scalar'], 'Concrete Inputs': [`[${shape.join(', ')}]`, '15'] }); // prettier-ignore

const moe = (from: number, to: number): EventText =>
  op('vllm::moe_forward', from, to, { 'Input Dims': [[32, 64]], 'Input type': ['c10::BFloat16'], 'Concrete Inputs': [''] }); // prettier-ignore

/** Names of the calls of the only kernel, and the shapes of the innermost one. */
function callsOf(name: string, ops: readonly EventText[]): unknown[] {
  const [first] = kernels([moe(0, 100), ...ops, launch(1, 50), kernel(name, 1, 200)]);
  return [first?.op, first?.calls.at(-1)?.args.map(({ shape }) => shape), first?.callKernels];
}

const AROUND = [['moe_forward'], [[32, 64]], [1]]; // prettier-ignore

describe('products of triton_kernels', () => {
  it('have the rows of their result and the weights that are viewed last', () => {
    const ops = [
      view(1, [8, 16, 64]),
      empty(5, [1, 128, 96]),
      view(10, [1, 32, 64], 'c10::BFloat16'),
      view(20, [8, 32, 96]),
    ];
    expect(callsOf(NAME, ops)).to.deep.equal([['moe_forward', 'matmul_ogs'], [[128, 64], [8, 64, 96]], [1, 1]]); // prettier-ignore
  });

  it('with a gated activation have a result half as wide as the weights', () => {
    const ops = [empty(5, [1, 128, 48]), view(20, [8, 32, 96])];
    expect(callsOf(`${NAME}_swiglu`, ops)[1]).to.deep.equal([[128, 64], [8, 64, 96]]); // prettier-ignore
    expect(callsOf(NAME, ops)).to.deep.equal(AROUND);
  });

  it('of weights that are not packed have these as they are', () => {
    const name = '_p_matmul_ogs_NNN_bf16xbf16xbf16_128x128x64x1';
    const ops = [empty(5, [128, 96]), view(20, [8, 32, 96], 'c10::BFloat16')];
    expect(callsOf(name, ops)[1]).to.deep.equal([[128, 32], [8, 32, 96]]); // prettier-ignore
  });

  it('are unknown where one of the two is missing, is after the launch, or in another op', () => {
    for (const ops of [
      [empty(5, [1, 128, 96])],
      [view(20, [8, 32, 96])],
      [empty(5, [1, 128, 96]), view(60, [8, 32, 96])],
      [empty(5, [1, 128, 96]), op('aten::other', 10, 30), view(20, [8, 32, 96])],
    ]) {
      expect(callsOf(NAME, ops)).to.deep.equal(AROUND);
    }
    expect(callsOf('_matmul_of_another', [empty(5, [1, 128, 96]), view(20, [8, 32, 96])])).to.deep.equal(AROUND);
  });

  itShared(
    'of a real capture are those of its views: 24 layers, two products each',
    ['data/kineto/graphs/vllm_decode.capture.json.gz'],
    async ([path]) => {
      const captures = await openCaptures(path, '-');
      const [graph] = capturesIn(captures.files).graphs(null, new Diagnostics());
      captures.dispose();
      const products = (graph?.nodes ?? []).filter(({ name }) => name?.startsWith('_matmul_ogs') === true);
      const flops = products.map(({ context }) => workOf(context.calls.at(-1) as never)?.flops);
      // 32 tokens of 4 experts each; the model's 2880 columns are padded to 3072, 5760 and 2880 to 5888 and 2944.
      const [up, down] = [2 * 128 * 3072 * 5888, 2 * 128 * 2944 * 3072];
      expect(flops).to.deep.equal(Array.from({ length: 24 }, () => [up, down]).flat());
    },
  );
});
