/** Fast Fourier transforms. */
import { dispatcherNames } from '../by-name.js';
import { rules, withTensors, workByRules, type BoundCall, type RuleCost } from '../schema/op-rules.js';
import { extentAt, numel, type Tensor } from '../call.js';
import type { Family } from '../family.js';
import { resolveDimension, integers } from '../operands.js';
import { complexTypeOf, realPartType } from '../schema/promotion.js';
import { tensor } from '../work.js';

type Real = 'input' | 'output' | null;

const FORMULA =
  'flops = 5·E·log₂(n), half of that for real input or output, n = product of the sizes of the transformed dimensions';
const SOURCE = 'the convention of FFT benchmarks (benchFFT): 5·n·log₂ n for n complex values';

/** Extents with the last transformed one replaced: half of it plus one when only one side of the spectrum is kept. */
const withLast = (shape: readonly number[], at: number, extent: number): number[] =>
  shape.map((old, i) => (i === at ? extent : old));

/** The result; null when its extents are unspecified. */
function resultOf(bound: BoundCall, x: Tensor, real: Real, last: number): Tensor | null {
  if (real === null) return x;
  if (real === 'output') {
    const extent = bound.number('last');
    return extent === null ? null : tensor(withLast(x.shape, last, extent), realPartType(x.dtype));
  }
  const onesided = bound.flag('onesided');
  if (onesided === null) return null;
  const size = extentAt(x, last);
  const kept = onesided ? Math.floor(size / 2) + 1 : size;
  return tensor(withLast(x.shape, last, kept), complexTypeOf(x.dtype));
}

const unspecified = (unknown: string) => ({ flops: null, writes: null, formula: FORMULA, unknown });

const transform = (real: Real): RuleCost =>
  withTensors('x', (x, bound) => {
    const given = bound.value('dim');
    if (given === undefined) return unspecified('the transformed dimensions are unspecified');
    const dims = integers(given)?.map((dim) => resolveDimension(dim, x.shape.length)) ?? [];
    const known = dims.filter((dim) => dim !== null);
    const last = known.at(-1);
    if (last === undefined || known.length < dims.length) return null;
    const result = resultOf(bound, x, real, last);
    if (result === null) return unspecified('the size of the last transformed dimension is unspecified');
    const full = real === 'output' ? result : x;
    const n = numel(known.map((dim) => extentAt(full, dim)));
    return {
      flops: n < 2 ? 0 : Math.round((real === null ? 5 : 2.5) * numel(full.shape) * Math.log2(n)),
      writes: [result],
      formula: `${FORMULA}; bytes = |x| + |y|`,
    };
  });

const RULES = rules`
  ${transform(null)} _fft_c2c: @x dim normalization forward
  ${transform('input')} _fft_r2c: @x dim normalization onesided
  ${transform('output')} _fft_c2r: @x dim normalization last
`;

export const fourier: Family = {
  id: 'fourier',
  title: 'Fourier transforms',
  category: 'linear-algebra',
  ops: dispatcherNames(Object.keys(RULES)),
  formulas: [`${FORMULA}, E = elements of the larger tensor`, 'bytes = |x| + |y|'],
  work: workByRules(RULES, SOURCE),
};
