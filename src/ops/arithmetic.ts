/** Determines the element type in which an op's arithmetic runs: the dtype column. */
import { factorType, multipliesFp32 } from './kernels/kernel-name.js';
import { factorTypeIn } from './families/hlo.js';
import type { OpCall } from '../record/record.js';
import { dtypeBytes, dtypeShort } from '../record/element-types.js';
import { type Tensor } from './call.js';
import { inputTensors } from './operands.js';
import { category, promoteOperands } from './schema/promotion.js';
import type { MatrixUnitVerdict } from './kernels/tensor-core.js';

const isKind = (...kinds: readonly (string | null)[]): ((tensor: Tensor) => boolean) => {
  return ({ dtype }) => kinds.includes(category(dtype));
};
const isFloating = isKind('float', 'complex');
const isInteger = isKind('int');
const isNarrow = ({ dtype }: Tensor): boolean => (dtypeBytes(dtype) ?? Infinity) <= 1;

/** Whether the type is known. For an opaque type, only the size is known. */
const isKnownType = ({ dtype }: Tensor): boolean => category(dtype) !== null && !dtype.startsWith('opaque');

/** The type of a quantised product's first matrix, if the second one is also quantised; null for any other call. */
function quantised(tensors: readonly Tensor[]): string | null {
  const narrow = tensors.filter(({ shape }) => shape.length >= 2).slice(0, 2);
  const [a, b] = narrow;
  if (a === undefined || b === undefined || !narrow.every(isNarrow)) return null;
  if (isFloating(a) && isFloating(b)) return a.dtype;
  return isInteger(a) && isInteger(b) ? 'int8' : null;
}

/** The type of a call's operands after promotion, by the framework's name; null when it is unspecified. */
function promotedType(call: OpCall, matmul: boolean): string | null {
  const known = inputTensors(call)?.filter(isKnownType) ?? [];
  if (matmul) {
    const narrow = quantised(known);
    if (narrow !== null) return narrow;
  }
  // Weights and caches with one-byte elements are unpacked to the type of the other operands.
  const wide = known.filter((tensor) => !isNarrow(tensor));
  return promoteOperands(wide.some(isFloating) ? wide : known, []);
}

/**
 * Types that are narrower than any type to which operands of a product are unpacked, so a kernel whose name contains one
 * multiplies in it.
 */
const NARROW = new Set(['fp8', 'fp4', 'int8']);

/**
 * The narrow type in the kernel's name, because the op may get wide tensors and quantise them first. The operands' type
 * is used when it is more specific, such as the encoding of FP8.
 */
function narrowed(named: string | null, ofOperands: string | null): string | null {
  if (named === null || !NARROW.has(named)) return null;
  return ofOperands?.startsWith(named) === true ? ofOperands : named;
}

/** Data that determine the type of a kernel's arithmetic: the call that describes it, and the kernel. */
interface KernelArithmetic {
  readonly call: OpCall;
  /** Whether the kernel computes the op's product. */
  readonly matmul: boolean;
  readonly name: string;
  readonly verdict: MatrixUnitVerdict;
}

/**
 * The short name of the type: that of the floating-point operands after promotion, else that of the integer operands. For
 * products, the kernel's name decides in three cases: it contains a type of 8 bits or fewer; the operands are FP32, which
 * the matrix unit may round to TF32 or 16 bits; or the operands' type is unspecified. Null when it is unknown.
 */
export function arithmeticType({ call, matmul, name, verdict }: KernelArithmetic): string | null {
  const promoted = (matmul ? factorTypeIn(call) : null) ?? promotedType(call, matmul);
  const short = promoted === null ? null : dtypeShort(promoted);
  if (!matmul) return short;
  const named = factorType(name);
  const narrow = narrowed(named, short);
  if (narrow !== null) return narrow;
  if (short !== null && short !== 'fp32') return short;
  if (named !== null) return named;
  if (short === null) return null;
  // NVIDIA's matrix unit has no FP32; it multiplies FP32 operands as TF32, three times for full precision.
  return verdict === 'yes' && !multipliesFp32(name) ? 'tf32' : short;
}
