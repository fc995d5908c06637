/** The element type that an op's arithmetic runs in: the dtype column. */
import type { OpCall } from '../record/record.js';
import { dtypeBytes, dtypeShort, type Tensor } from './call.js';
import { inputTensors } from './operands.js';
import { factorType } from './kernels/type-in-name.js';
import { category, promoteOperands } from './schema/promotion.js';
import type { MatrixUnitVerdict } from './tensor-core.js';

const isKind = (...kinds: readonly (string | null)[]): ((tensor: Tensor) => boolean) => {
  return ({ dtype }) => kinds.includes(category(dtype));
};
const isFloating = isKind('float', 'complex');
const isInteger = isKind('int');
const isNarrow = ({ dtype }: Tensor): boolean => (dtypeBytes(dtype) ?? Infinity) <= 1;

/** Whether the type is known; of an opaque type only the size is. */
const isKnownType = ({ dtype }: Tensor): boolean => category(dtype) !== null && !dtype.startsWith('opaque');

/** The type of a quantised product's first matrix, if a second one is quantised too; null for any other call. */
function quantised(tensors: readonly Tensor[]): string | null {
  const narrow = tensors.filter(({ shape }) => shape.length >= 2).slice(0, 2);
  const [a, b] = narrow;
  if (a === undefined || b === undefined || !narrow.every(isNarrow)) return null;
  if (isFloating(a) && isFloating(b)) return a.dtype;
  return isInteger(a) && isInteger(b) ? 'int8' : null;
}

/** The type of a call's operands after promotion, as the framework names it; null when it is unspecified. */
function promotedType(call: OpCall, matmul: boolean): string | null {
  const known = inputTensors(call)?.filter(isKnownType) ?? [];
  if (matmul) {
    const narrow = quantised(known);
    if (narrow !== null) return narrow;
  }
  // Weights and caches in one byte are unpacked to the type of the other operands.
  const wide = known.filter((tensor) => !isNarrow(tensor));
  return promoteOperands(wide.some(isFloating) ? wide : known, []);
}

/** What determines the type of a kernel's arithmetic: the call that describes it, and the kernel. */
interface KernelArithmetic {
  readonly call: OpCall;
  /** Whether the kernel does the op's product. */
  readonly matmul: boolean;
  readonly name: string;
  readonly verdict: MatrixUnitVerdict;
}

/**
 * The type, by its short name: that of the floating-point operands after promotion, else that of the integer ones. For products the kernel's name decides where the operands are FP32, which the matrix unit may round to
 * TF32 or 16 bits on the way in, and where their type is unspecified. Null when it is not known.
 */
export function arithmeticType({ call, matmul, name, verdict }: KernelArithmetic): string | null {
  const promoted = promotedType(call, matmul);
  const short = promoted === null ? null : dtypeShort(promoted);
  if (!matmul || (short !== null && short !== 'fp32')) return short;
  const named = factorType(name);
  if (named !== null) return named;
  if (short === null) return null;
  // NVIDIA's unit has no FP32; what it multiplies of FP32 operands is TF32, three times over for full precision.
  return verdict === 'yes' && !/Cijk_|xdl|Xdl|mfma|Wmma/.test(name) ? 'tf32' : short;
}
