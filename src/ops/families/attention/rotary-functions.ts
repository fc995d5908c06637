/** Rotary position embedding (RoPE) of training libraries, by angles or by their sines and cosines. */
import { rules, withTensors, workByRules, type RuleCost } from '../../schema/op-rules.js';
import { extentAt, numel } from '../../call.js';
import type { Family } from '../../family.js';
import { tensorListParams } from '../../work.js';

const SOURCE =
  'RoFormer (Su et al.), equation 34; arguments: apex/transformer/functional/fused_rope.py of apex, ' +
  'transformer_engine/pytorch/attention/rope.py and csrc/stable/registration.cpp of TransformerEngine';

/** FLOPs per rotated element: a pair takes four products and two sums. */
export const ROTATION = 3;

/** Elements beyond the rotated width of a row are copied. */
const rotation = (tables: string): RuleCost =>
  withTensors('input', (input, bound) => {
    const width = extentAt(input, -1);
    const rotated = bound.tensorsOf(tables).reduce((sum, table) => sum + extentAt(table, -1), 0);
    if (width === 0 || rotated === 0) return null;
    return {
      flops: ROTATION * (numel(input.shape) / width) * Math.min(width, rotated),
      writes: [input],
      params: tensorListParams(bound.reads),
      formula:
        'flops = 3·E rotated, sines and cosines of the angles not counted; bytes = input + tables + offsets + result',
    };
  });

const ANGLES = rotation('freqs');

const RULES = rules`
  // Angles alone, or their cosines and sines, which came first.
  // The format is a string, which may be unspecified.
  ${ANGLES} FusedRoPEFunc: @input @freqs @sin transposed:bool
      | @input @freqs transposed:bool
      | @input @freqs @start? format interleaved:bool @offsets? cp_size:int cp_rank:int
      | @input @freqs @start? interleaved:bool @offsets? cp_size:int cp_rank:int
      | @input @freqs @offsets ...
  ${ANGLES} FusedRoPECachedFunc: @input @freqs @sin transposed
  ${ANGLES} FusedRoPETHDFunc: @input @offsets @freqs
  ${rotation('cos_h cos_w')} FusedRoPE2DFunc: @input height width @cos_h @sin_h @cos_w @sin_w
      | @input @cos_h @sin_h @cos_w @sin_w
  ${ANGLES} fused_rope_forward fused_rope_backward: @input @freqs @start? format:int interleaved:bool @offsets?
      cp_size:int cp_rank:int
`;

export const rotaryFunctions: Family = {
  id: 'rotary-functions',
  title: 'Rotary position embedding of TransformerEngine and apex',
  ops: Object.keys(RULES),
  formulas: ['flops = 3·E rotated (six per pair); bytes = input + tables + result'],
  work: workByRules(RULES, SOURCE),
};
