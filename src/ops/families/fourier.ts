/**
 * Fast Fourier transforms.
 */
import { numel, type Tensor } from '../call.js';
import type { OpCall } from '../../record/record.js';
import { bind } from '../binding.js';
import { ofDispatcher } from '../dispatcher-names.js';
import type { Family, Work } from '../family.js';
import { dimension, opName, wholes } from '../operands.js';
import { complexOf, partOf } from '../promotion.js';
import { tensor, tensorParams, trafficWork } from '../work.js';

/** Signature of an op's own arguments, and whether one side of the transform is real. */
interface Transform {
  readonly signature: string;
  readonly real: 'input' | 'output' | null;
}

const OPS: Readonly<Record<string, Transform>> = {
  _fft_c2c: { signature: '@x dim normalization forward', real: null },
  _fft_r2c: { signature: '@x dim normalization onesided', real: 'input' },
  _fft_c2r: { signature: '@x dim normalization last', real: 'output' },
};

const FORMULA = 'flops = 5·E·log₂(n), half as many with a real side, n = extents of the transformed dimensions';
const SOURCE = 'the convention of FFT benchmarks (benchFFT): 5·n·log₂ n for n complex values';

/** Extents with the last transformed one replaced: half of it and one where only one side of the spectrum is kept. */
const withLast = (shape: readonly number[], at: number, extent: number): number[] =>
  shape.map((old, i) => (i === at ? extent : old));

/** Extents and type of the result. */
function resultOf(x: Tensor, real: Transform['real'], last: number, setting: unknown): Tensor | null {
  const size = x.shape[last] ?? 0;
  if (real === null) return x;
  if (real === 'output')
    return typeof setting === 'number' ? tensor(withLast(x.shape, last, setting), partOf(x.dtype)) : null;
  if (typeof setting !== 'boolean') return null;
  const kept = setting ? Math.floor(size / 2) + 1 : size;
  return tensor(withLast(x.shape, last, kept), complexOf(x.dtype));
}

const untold = (x: Tensor, unknown: string): Work => ({
  ...trafficWork({
    ...{ flops: null, reads: [x], writes: [], params: tensorParams(x) },
    ...{ formula: FORMULA, source: SOURCE, unknown },
  }),
  bytes: null,
});

function transform(call: OpCall, { signature, real }: Transform): Work | null {
  const bound = bind(call, signature);
  const [x] = bound?.tensors('x') ?? [];
  if (bound === null || x === undefined) return null;
  const given = bound.arg('dim')?.value;
  if (given === undefined) return untold(x, 'the transformed dimensions are not told');
  const dims = (wholes(given) ?? [NaN]).map((dim) => dimension(dim, x.shape.length));
  const last = dims.at(-1);
  if (last === undefined || last === null || dims.includes(null)) return null;
  const result = resultOf(x, real, last, bound.arg(real === 'output' ? 'last' : 'onesided')?.value);
  if (result === null) return untold(x, 'the extent of the last transformed dimension is not told');
  const full = real === 'output' ? result : x;
  const n = numel(dims.map((dim) => full.shape[dim ?? 0] ?? 1));
  return trafficWork({
    flops: n < 2 ? 0 : Math.round((real === null ? 5 : 2.5) * numel(full.shape) * Math.log2(n)),
    reads: [x],
    writes: [result],
    params: tensorParams(x),
    formula: `${FORMULA}; bytes = |x| + |y|`,
    source: SOURCE,
  });
}

export const fourier: Family = {
  id: 'fourier',
  title: 'Fourier transforms',
  ops: ofDispatcher(Object.keys(OPS)),
  formulas: [`${FORMULA}, E = all elements of the longer side`, 'bytes = |x| + |y|'],
  work(call) {
    const op = opName(call);
    const found = Object.hasOwn(OPS, op) ? OPS[op] : undefined;
    return found === undefined || call.from === undefined ? null : transform(call, found);
  },
};
