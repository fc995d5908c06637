/** The layout of the factors of a matrix product, where a profile has no strides. */
import type { Arg, OpCall } from '../../record/record.js';
import { gemmLayout } from '../../ops/kernels/gemm-layout.js';
import { numel } from '../../ops/call.js';
import { opName } from '../../ops/operands.js';
import { boundRow } from '../../ops/schema/op-rules.js';
import { ATEN_PRODUCTS } from '../../ops/families/products/products.js';

/** A call with strides that are not recorded but follow from the op or the kernel, and a remark about their source. */
interface LaidOut {
  readonly call: OpCall;
  readonly remark: string | null;
}

/** Strides of a contiguous tensor. */
export const contiguous = (shape: readonly number[]): number[] => shape.map((_, i) => numel(shape.slice(i + 1)));

/** Strides of a matrix, or of a batch, whose last two dimensions are exchanged in memory. */
function transposedStrides(shape: readonly number[]): number[] {
  const rows = shape.at(-2) ?? 1;
  return [...contiguous(shape).slice(0, -2), 1, rows];
}

const transposed = (arg: Arg | undefined): Arg | undefined =>
  arg?.shape === undefined || arg.shape.length < 2 ? arg : { ...arg, strides: transposedStrides(arg.shape) };

/** Products of matrices whose layout is free; that of a linear layer follows from its definition. */
const FREE = /^(?:mm|bmm|addmm|addmm_|baddbmm|baddbmm_|matmul|_addmm_activation)$/;

/** Whether a call has a tensor with strides. */
export const hasStrides = ({ args }: OpCall): boolean =>
  args.some((arg) => arg.strides !== undefined || arg.items?.some(({ strides }) => strides !== undefined) === true);

const CONTIGUOUS = 'No other strides are recorded: tensors are contiguous here.';

const isMatrix = ({ shape, items }: Arg): boolean => (shape?.length ?? 0) > 1 || (items?.some(isMatrix) ?? false);

/**
 * The call with the layout of its factors.
 * @param kernel full name of the kernel
 * @param isContiguous whether tensors without strides are known to be contiguous
 */
export function withLayout(call: OpCall, kernel: string, isContiguous: boolean): LaidOut {
  if (isContiguous || hasStrides(call)) return { call, remark: null };
  const bound = boundRow(ATEN_PRODUCTS, call)?.bound;
  const [a, b] = [bound?.arg('a'), bound?.arg('b')];
  const replaced = (laidOut: ReadonlyMap<Arg | undefined, Arg | undefined>): OpCall => ({
    ...call,
    args: call.args.map((arg) => laidOut.get(arg) ?? arg),
  });
  if (opName(call) === '_scaled_mm')
    return {
      call: replaced(new Map([[b, transposed(b)]])),
      remark: 'The second factor is column-major, as _scaled_mm requires.',
    };
  const layout = FREE.test(opName(call)) ? gemmLayout(kernel) : null;
  if (layout === null || bound === undefined) return { call, remark: call.args.some(isMatrix) ? CONTIGUOUS : null };
  const laidOut = new Map([
    [a, layout.left ? transposed(a) : a],
    [b, layout.right ? transposed(b) : b],
  ]);
  return { call: replaced(laidOut), remark: "The layout of the factors is from the kernel's name." };
}
