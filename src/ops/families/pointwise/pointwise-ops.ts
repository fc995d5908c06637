/** The pointwise ops: operations per element, type of the result, and form of the gradient. */

export interface PointwiseOp {
  /** Operations per result element. One call of a function counts as one, whatever it costs in hardware. */
  readonly flops: number;
  /**
   * Type of the result: that of the promoted operands, floating point, bool, the type of a complex number's real part, or
   * complex.
   */
  readonly result: 'promoted' | 'float' | 'bool' | 'real' | 'complex';
  /**
   * How the gradient of an operand follows from that of the result: `passed` on; `scaled` by a number; `product` with the
   * other operand; from `saved` operands; from the two `factors`; `chosen` by a mask; `zero`; or `none`.
   */
  readonly gradient: 'passed' | 'scaled' | 'product' | 'saved' | 'factors' | 'chosen' | 'zero' | 'none';
  /** Whether every operand gets a gradient. A remainder passes it only to the first. */
  readonly sum?: boolean;
  /** The operands that determine the result's type; masks do not. */
  readonly operandCount: 'any' | 'unmasked';
  /** Number of the dispatcher op's first arguments that are operands, which may be tensors or numbers. */
  readonly operands: number;
}

type PointwiseRow = readonly [names: string, facts: Partial<PointwiseOp>];

/** Special functions and polynomials, which have a separate namespace. */
const SPECIAL_UNARY =
  'special_airy_ai special_bessel_j0 special_bessel_j1 special_bessel_y0 special_bessel_y1 special_digamma special_entr ' +
  'special_erf special_erfc special_erfcx special_erfinv special_exp2 special_expit special_expm1 special_gammaln ' +
  'special_i0 special_i0e special_i1 special_i1e special_log1p special_log_ndtr special_logit ' +
  'special_modified_bessel_i0 special_modified_bessel_i1 special_modified_bessel_k0 special_modified_bessel_k1 ' +
  'special_multigammaln special_ndtr special_ndtri special_psi special_scaled_modified_bessel_k0 ' +
  'special_scaled_modified_bessel_k1 special_sinc special_spherical_bessel_j0';
const SPECIAL_BINARY =
  'special_chebyshev_polynomial_t special_chebyshev_polynomial_u special_chebyshev_polynomial_v ' +
  'special_chebyshev_polynomial_w special_gammainc special_gammaincc special_hermite_polynomial_h ' +
  'special_hermite_polynomial_he special_laguerre_polynomial_l special_legendre_polynomial_p special_polygamma ' +
  'special_shifted_chebyshev_polynomial_t special_shifted_chebyshev_polynomial_u ' +
  'special_shifted_chebyshev_polynomial_v special_shifted_chebyshev_polynomial_w special_xlog1py special_xlogy special_zeta';

/** Op names; `x*` stands for `x` and its in-place form `x_`. */
const ROWS: readonly PointwiseRow[] = [
  // Arithmetic
  [
    'add* sub* subtract* rsub __add__ __radd__ __iadd__ __sub__ __rsub__ __isub__',
    { gradient: 'passed', sum: true, operands: 2 },
  ],
  ['mul* multiply* __mul__ __rmul__ __imul__ ldexp*', { gradient: 'product', operands: 2 }],
  [
    'div* divide* true_divide* __div__ __truediv__ __idiv__ __itruediv__',
    { gradient: 'product', result: 'float', operands: 2 },
  ],
  ['__rdiv__ __rtruediv__', { gradient: 'saved', result: 'float', operands: 2 }],
  ['floor_divide* __floordiv__ __rfloordiv__ __ifloordiv__', { gradient: 'zero', operands: 2 }],
  ['remainder* fmod* __mod__ __rmod__ __imod__', { gradient: 'passed', operands: 2 }],
  ['neg* negative* positive __neg__ __pos__ deg2rad* rad2deg*', { gradient: 'scaled' }],
  ['abs* absolute* __abs__', { gradient: 'saved', result: 'real' }],
  ['square* nan_to_num*', { gradient: 'saved' }],
  ['maximum minimum fmax fmin clamp_min* clamp_max*', { gradient: 'saved', operands: 2 }],
  ['clamp* clip*', { gradient: 'saved', operands: 3 }],
  ['pow* __pow__ __rpow__ __ipow__', { gradient: 'saved', operands: 2 }],
  ['reciprocal* sqrt* rsqrt* cbrt', { gradient: 'saved', result: 'float' }],
  ['float_power* hypot* copysign* nextafter*', { gradient: 'saved', result: 'float', operands: 2 }],
  ['sign* sgn*', { gradient: 'zero' }],
  ['gcd* lcm* heaviside*', { gradient: 'zero', operands: 2 }],
  ['real imag conj conj_physical* _conj_physical', { gradient: 'scaled' }],
  ['angle', { gradient: 'scaled', result: 'real' }],
  ['complex polar', { gradient: 'saved', result: 'complex', operands: 2 }],
  // Two products and a difference
  ['linalg_cross cross', { flops: 3, gradient: 'product', operands: 2 }],
  // Exponential and logarithmic
  ['exp* expm1* exp2* log* log10* log1p* log2* logit*', { gradient: 'saved', result: 'float' }],
  ['logaddexp logaddexp2 xlogy*', { gradient: 'saved', result: 'float', operands: 2 }],
  // Trigonometric and hyperbolic
  ['sin* cos* tan* asin* acos* atan* arcsin* arccos* arctan*', { gradient: 'saved', result: 'float' }],
  ['atan2* arctan2*', { gradient: 'saved', result: 'float', operands: 2 }],
  [
    'sinh* cosh* tanh* asinh* acosh* atanh* arcsinh* arccosh* arctanh* sigmoid* sinc*',
    { gradient: 'saved', result: 'float' },
  ],
  // Rounding
  ['ceil* floor* round* trunc* fix* special_round', { gradient: 'zero' }],
  ['frac*', { gradient: 'passed' }],
  // Error, gamma and other special functions
  ['erf* erfc* erfinv* erf_inv erfcx lgamma* digamma* mvlgamma* i0* ndtri', { gradient: 'saved', result: 'float' }],
  ['bessel_i0e bessel_i1 bessel_i1e bessel_j0 bessel_j1 spherical_bessel_j0', { gradient: 'saved', result: 'float' }],
  ['polygamma* igamma* igammac* zeta', { gradient: 'saved', result: 'float', operands: 2 }],
  [SPECIAL_UNARY, { gradient: 'saved', result: 'float' }],
  [SPECIAL_BINARY, { gradient: 'saved', result: 'float', operands: 2 }],
  // Comparison
  [
    'eq* ne* lt* le* gt* ge* __eq__ __ne__ __lt__ __le__ __gt__ __ge__',
    { result: 'bool', gradient: 'none', operands: 2 },
  ],
  ['not_equal* less* less_equal* greater* greater_equal* isclose', { result: 'bool', gradient: 'none', operands: 2 }],
  ['isnan isinf isfinite isposinf isneginf signbit', { result: 'bool', gradient: 'none' }],
  // Logic and bits
  ['logical_and* logical_or* logical_xor*', { result: 'bool', gradient: 'none', operands: 2 }],
  ['logical_not*', { result: 'bool', gradient: 'none' }],
  ['bitwise_and* bitwise_or* bitwise_xor* bitwise_left_shift* bitwise_right_shift*', { gradient: 'none', operands: 2 }],
  ['bitwise_not* __invert__', { gradient: 'none' }],
  ['__and__ __rand__ __iand__ __or__ __ror__ __ior__ __xor__ __rxor__ __ixor__', { gradient: 'none', operands: 2 }],
  ['__lshift__ __rlshift__ __ilshift__ __rshift__ __rrshift__ __irshift__', { gradient: 'none', operands: 2 }],
  ['shift_left shift_right_arithmetic', { gradient: 'none', operands: 2 }],
  // Three operands: value·a·b + c, value·a/b + c, a + w·(b − a)
  ['addcmul* addcdiv*', { flops: 3, gradient: 'factors', operands: 3 }],
  ['lerp*', { flops: 3, gradient: 'scaled', operands: 3 }],
  // A choice only moves data
  ['where _s_where masked_fill*', { flops: 0, gradient: 'chosen', operandCount: 'unmasked', operands: 3 }],
];

const DEFAULT: PointwiseOp = { flops: 1, result: 'promoted', gradient: 'saved', operandCount: 'any', operands: 1 };

const spelled = (name: string): string[] =>
  name.endsWith('*') ? [name.slice(0, -1), `${name.slice(0, -1)}_`] : [name];

export const POINTWISE_OPS: ReadonlyMap<string, PointwiseOp> = new Map(
  ROWS.flatMap(([names, facts]) =>
    names
      .split(' ')
      .flatMap(spelled)
      .map((name) => [name, { ...DEFAULT, ...facts }] as const),
  ),
);
