/**
 * The pointwise ops: operations per element, type of the result, and what the gradient is made from.
 */

export interface PointwiseOp {
  /** Operations per result element. One is one call of the function, whatever it costs on the hardware. */
  readonly flops: number;
  readonly result: 'promoted' | 'float' | 'bool';
  /**
   * How the gradient of an operand follows from that of the result: `passed` on; `scaled` by a number; `product` with
   * the other operand; from `saved` operands; from the two `factors`; `chosen` by a mask; `zero`; or `none` at all.
   */
  readonly gradient: 'passed' | 'scaled' | 'product' | 'saved' | 'factors' | 'chosen' | 'zero' | 'none';
  /** Every operand gets a gradient (a remainder passes it to the first only). */
  readonly sum?: boolean;
  /** Which operands decide the result's type; a mask does not. */
  readonly operandCount: 'any' | 'unmasked';
}

type Row = readonly [names: string, facts: Partial<PointwiseOp>];

/** Rows of names; a name `x` may be followed by a star: its in-place form `x_` exists too. */
const ROWS: readonly Row[] = [
  // Arithmetic
  ['add* sub* subtract* rsub __add__ __radd__ __iadd__ __sub__ __rsub__ __isub__', { gradient: 'passed', sum: true }],
  ['mul* multiply* __mul__ __rmul__ __imul__ ldexp*', { gradient: 'product' }],
  ['div* divide* true_divide* __div__ __truediv__ __idiv__ __itruediv__', { gradient: 'product', result: 'float' }],
  ['__rdiv__ __rtruediv__', { gradient: 'saved', result: 'float' }],
  ['floor_divide* __floordiv__ __rfloordiv__ __ifloordiv__', { gradient: 'zero' }],
  ['remainder* fmod* __mod__ __rmod__ __imod__', { gradient: 'passed' }],
  ['neg* negative* positive __neg__ __pos__ deg2rad* rad2deg*', { gradient: 'scaled' }],
  ['abs* absolute* __abs__ square* maximum minimum fmax fmin', { gradient: 'saved' }],
  ['clamp* clamp_min* clamp_max* clip* nan_to_num*', { gradient: 'saved' }],
  ['pow* __pow__ __rpow__ __ipow__', { gradient: 'saved' }],
  ['reciprocal* sqrt* rsqrt* float_power* hypot* copysign*', { gradient: 'saved', result: 'float' }],
  ['gcd* lcm* sign* sgn* heaviside*', { gradient: 'zero' }],
  ['real imag conj conj_physical* angle', { gradient: 'scaled' }],
  // Exponential and logarithmic
  [
    'exp* expm1* exp2* log* log10* log1p* log2* logaddexp logaddexp2 xlogy* logit*',
    { gradient: 'saved', result: 'float' },
  ],
  // Trigonometric and hyperbolic
  ['sin* cos* tan* asin* acos* atan* atan2* arcsin* arccos* arctan* arctan2*', { gradient: 'saved', result: 'float' }],
  [
    'sinh* cosh* tanh* asinh* acosh* atanh* arcsinh* arccosh* arctanh* sigmoid* sinc*',
    { gradient: 'saved', result: 'float' },
  ],
  // Rounding
  ['ceil* floor* round* trunc* fix*', { gradient: 'zero' }],
  ['frac*', { gradient: 'passed' }],
  // Error and gamma functions
  ['erf* erfc* erfinv* lgamma* digamma* polygamma* mvlgamma* i0*', { gradient: 'saved', result: 'float' }],
  // Comparison
  ['eq* ne* lt* le* gt* ge* __eq__ __ne__ __lt__ __le__ __gt__ __ge__', { result: 'bool', gradient: 'none' }],
  ['not_equal* less* less_equal* greater* greater_equal*', { result: 'bool', gradient: 'none' }],
  ['isnan isinf isfinite isposinf isneginf isclose signbit', { result: 'bool', gradient: 'none' }],
  // Logic and bits
  ['logical_and* logical_or* logical_xor* logical_not*', { result: 'bool', gradient: 'none' }],
  ['bitwise_and* bitwise_or* bitwise_xor* bitwise_not* bitwise_left_shift* bitwise_right_shift*', { gradient: 'none' }],
  ['__and__ __rand__ __iand__ __or__ __ror__ __ior__ __xor__ __rxor__ __ixor__ __invert__', { gradient: 'none' }],
  ['__lshift__ __rlshift__ __ilshift__ __rshift__ __rrshift__ __irshift__', { gradient: 'none' }],
  // Three operands: value·a·b + c, value·a/b + c, a + w·(b − a)
  ['addcmul* addcdiv*', { flops: 3, gradient: 'factors' }],
  ['lerp*', { flops: 3, gradient: 'scaled' }],
  // A choice moves data and computes nothing
  ['where masked_fill*', { flops: 0, gradient: 'chosen', operandCount: 'unmasked' }],
];

const DEFAULT: PointwiseOp = { flops: 1, result: 'promoted', gradient: 'saved', operandCount: 'any' };

const spelled = (name: string): string[] =>
  name.endsWith('*') ? [name.slice(0, -1), `${name.slice(0, -1)}_`] : [name];

/** Op name → facts. */
export const POINTWISE_OPS: ReadonlyMap<string, PointwiseOp> = new Map(
  ROWS.flatMap(([names, facts]) =>
    names
      .split(' ')
      .flatMap(spelled)
      .map((name) => [name, { ...DEFAULT, ...facts }] as const),
  ),
);
