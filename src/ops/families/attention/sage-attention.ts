/** SageAttention: scores from 8-bit whole numbers, values in 16 bits, or in 8 bits and transposed. */
import { extentAt, numel, type Tensor } from '../../call.js';
import { rules, withTensors } from '../../schema/op-rules.js';
import { namedParams, tensor } from '../../work.js';

const SOURCE =
  'two products, dense, FMA = 2; arguments: sageattention/sm80_compile.py, sm89_compile.py and sm90_compile.py of SageAttention';

/** `tensor_layout`: positions of the sequence and the heads, [batch, sequence, heads, width] or the two in between changed. */
const LAYOUTS: readonly (readonly [sequence: number, heads: number])[] = [
  [1, 2],
  [2, 1],
];

const RANK = 4;

const attended = withTensors('q k v out', (q, k, _, out, bound) => {
  const [sequence, heads] = LAYOUTS[bound.count('layout') ?? -1] ?? [];
  const about = {
    params: namedParams({ B: extentAt(q, 0) }, q),
    matmul: true,
    severalProducts: true,
    formula: 'flops = 4·B·Hq·Sq·Sk·D, masked pairs counted too; bytes = q + k + v + scales + out (+ log-sum-exp)',
    source: SOURCE,
  };
  if (q.shape.length !== RANK || k.shape.length !== RANK) return null;
  if (sequence === undefined || heads === undefined)
    return { ...about, flops: null, writes: null, unknown: 'the layout of the tensors is unspecified' };
  const [B, Hq, Sq, Sk] = [extentAt(q, 0), extentAt(q, heads), extentAt(q, sequence), extentAt(k, sequence)];
  const [Hk, D] = [extentAt(k, heads), extentAt(q, -1)];
  // The log-sum-exp of each row of scores, where it is wanted; else nothing is returned.
  const lse: Tensor[] = bound.count('want_lse') === 1 ? [tensor([B, Hq, Sq], 'float32')] : [];
  return {
    ...about,
    flops: 4 * numel([B, Hq, Sq, Sk]) * D,
    writes: [out, ...lse],
    params: namedParams({ B, Sq, Sk, Hq, Hk, D }, q),
  };
});

const START = '@q @k @v !out @q_scale @k_scale';
const END = 'layout:int causal:int granularity:int scale:number want_lse:int';

export const SAGE_ATTENTION = rules`
  ${attended} qk_int8_sv_f16_accum_f16_attn qk_int8_sv_f16_accum_f32_attn qk_int8_sv_f16_accum_f16_attn_inst_buf
      qk_int8_sv_f8_accum_f32_attn qk_int8_sv_f8_accum_f32_attn_inst_buf qk_int8_sv_f8_accum_f16_attn_inst_buf:
      ${START} ${END}
  ${attended} qk_int8_sv_f16_accum_f16_fuse_v_mean_attn: ${START} @v_mean ${END}
  ${attended} qk_int8_sv_f8_accum_f32_fuse_v_scale_attn qk_int8_sv_f8_accum_f32_fuse_v_scale_attn_inst_buf
      qk_int8_sv_f8_accum_f16_fuse_v_scale_attn_inst_buf: ${START} @v_scale ${END}
  ${attended} qk_int8_sv_f8_accum_f32_fuse_v_scale_fuse_v_mean_attn: ${START} @v_scale @v_mean ${END}
`;
