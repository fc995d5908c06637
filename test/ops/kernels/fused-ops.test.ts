import { expect } from 'chai';
import fc from 'fast-check';
import { fusedOps } from '../../../src/ops/kernels/fused-ops.js';
import { propertyRuns } from '../../support/property-runs.js';

describe('the ops that a kernel of torch.compile was fused from', () => {
  // As the comments above generated kernels list them ("Original ATen").
  const names: readonly (readonly [name: string, ops: string])[] = [
    ['triton_poi_fused_add_mul_relu_3', 'add mul relu'],
    ['triton_red_fused__softmax_native_layer_norm_0', '_softmax native_layer_norm'],
    ['triton_per_fused__to_copy_add_clone_mul_native_layer_norm_4', '_to_copy add clone mul native_layer_norm'],
    ['triton_red_fused__to_copy_argmax_eq_7', '_to_copy argmax eq'],
    ['triton_poi_fused__to_copy__unsafe_index_leaky_relu_25', '_to_copy _unsafe_index leaky_relu'],
    ['triton_red_fused_native_layer_norm_backward_select_backward_1', 'native_layer_norm_backward select_backward'],
    ['triton_red_fused_native_layer_norm_native_layer_norm_backward_8', 'native_layer_norm native_layer_norm_backward'],
    ['triton_tem_fused__to_copy_addmm_gelu_t_view_9', '_to_copy addmm gelu t view'],
    ['triton_tem_fused_flex_attention_backward_split_transpose_2', 'flex_attention_backward split transpose'],
    ['triton_unk_fused_sum_view_3', 'sum view'],
    ['triton_for_fused_add_1', 'add'],
    // An op in place ends in an underscore; sorted, none that begins with one comes after it.
    ['triton_poi_fused_add_copy__3', 'add copy_'],
    ['triton_poi_fused_add_copy__sub_3', 'add copy_ sub'],
    // Specialized arguments, as kernels are named before Triton 3.
    ['triton_poi_fused_add_mul_12_0d1d2d3de', 'add mul'],
    // What is unknown, or cut off, stays as it is.
    ['triton_poi_fused_add_my_own_op_relu_0', 'add my_own_op relu'],
    ['triton_poi_fused_add_native_layer_no_0', 'add native_layer_no'],
  ];
  for (const [name, ops] of names) it(name, () => expect(fusedOps(name)).to.deep.equal(ops.split(' ')));

  const without = [
    'triton_poi_fused_0',
    'triton_for_fused_1',
    'triton_',
    'triton__0d1d2',
    'triton_mm_kernel',
    'gemm',
    '',
  ];
  it('a name that lists none', () => {
    for (const name of without) expect(fusedOps(name), name).to.equal(null);
  });

  const ops =
    '_softmax _to_copy _unsafe_view _log_softmax_backward_data add addmm amax bitwise_and cat clone convolution div ' +
    'embedding embedding_dense_backward exp gelu_backward index_put le mean mm mul native_batch_norm_backward ' +
    'native_dropout neg pow relu rsqrt scalar_tensor select slice_backward split_with_sizes squeeze sub sum t tanh ' +
    'threshold_backward transpose unsqueeze var_mean view where';
  it('sorted and joined, they are found again', () => {
    fc.assert(
      fc.property(fc.subarray(ops.split(' '), { minLength: 1 }), (some) => {
        const sorted = some.toSorted((a, b) => (a < b ? -1 : 1));
        expect(fusedOps(`triton_poi_fused_${sorted.join('_')}_7`)).to.deep.equal(sorted);
      }),
      { numRuns: propertyRuns(200) },
    );
  });

  it('nothing of any name is lost', () => {
    const words = fc.array(fc.constantFrom('', 'add', 'to', 'copy', 'x1', 'norm', 'layer', 'native'), { minLength: 1 });
    fc.assert(
      fc.property(words, (list) => {
        const joined = list.join('_');
        fc.pre(joined !== '');
        expect(fusedOps(`triton_red_fused_${joined}_0`)?.join('_')).to.equal(joined);
      }),
      { numRuns: propertyRuns(200) },
    );
  });
});
