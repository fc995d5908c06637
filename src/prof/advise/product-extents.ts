/** Extents of a product padded to fill the matrix unit, and how much work the padding adds. */
import { numel } from '../../ops/call.js';
import { gemmLayout } from '../../ops/kernels/gemm-layout.js';
import { mathType, matrixTypes, multipleOf, productExtentsOf, typeOnUnit } from '../../ops/kernels/matrix-unit.js';
import { inputTensors, opName } from '../../ops/operands.js';
import type { OpCall } from '../../record/record.js';
import type { Annotated } from '../annotate.js';

export interface Padding {
  /** Extents before and after padding, such as 'm=50 n=1000 k=64'. */
  readonly extents: string;
  readonly padded: string;
  readonly multiple: number;
  /** FLOPs after padding divided by FLOPs before. */
  readonly factor: number;
}

type Extents = Readonly<Record<string, number>>;

/** m, n and k of a matrix product, channels of a convolution, or head size of attention. Null when unknown. */
function extentsOf(call: OpCall): Extents | null {
  const op = opName(call);
  if (/conv/.test(op)) {
    const [out, within] = productExtentsOf(call);
    return out === undefined ? null : { out, in: within ?? out };
  }
  if (/attention|attn/.test(op)) {
    const [head, ...others] = productExtentsOf(call);
    return head === undefined || others.length > 0 ? null : { head };
  }
  const [left, right] = (inputTensors(call) ?? []).filter(({ shape }) => shape.length >= 2);
  const k = left?.shape.at(-1);
  const [rows, columns] = right?.shape.slice(-2) ?? [];
  if (left === undefined || k === undefined || rows === undefined || columns === undefined) return null;
  const isLinear = op === 'linear';
  if ((isLinear ? columns : rows) !== k) return null;
  const m = isLinear ? numel(left.shape) / k : left.shape.at(-2);
  return m === undefined ? null : { m, n: isLinear ? rows : columns, k };
}

/**
 * The contiguous extents of a matrix product's operands and result, which must be multiples so that a 16-byte load never
 * straddles two rows. All extents when the kernel's name does not show the layout.
 */
function contiguous(extents: Extents, kernel: string): ReadonlySet<string> {
  const layout = gemmLayout(kernel);
  if (layout === null || !('m' in extents)) return new Set(Object.keys(extents));
  return new Set(['n', layout.right ? 'k' : 'n', layout.left ? 'm' : 'k']);
}

const text = (extents: Extents): string =>
  Object.entries(extents)
    .map(([name, extent]) => `${name}=${extent}`)
    .join(' ');

/**
 * @param dtype type of the arithmetic, as its short name
 * @param arch architecture of the device, as 'sm80'
 * @param kernel full name of the kernel
 * @returns null when all relevant extents fill the unit, or are unknown
 */
export function paddingOf(call: OpCall, dtype: string | null, arch: string | null, kernel: string): Padding | null {
  const type = mathType(dtype);
  const onUnit = type === null ? null : typeOnUnit(type, matrixTypes(arch ?? undefined) ?? []);
  const extents = extentsOf(call);
  if (onUnit === null || extents === null || Object.values(extents).some((extent) => extent <= 0)) return null;
  const multiple = multipleOf(onUnit, arch ?? undefined);
  const matters = contiguous(extents, kernel);
  const padded: Record<string, number> = {};
  let factor = 1;
  for (const [name, extent] of Object.entries(extents)) {
    padded[name] = matters.has(name) ? Math.ceil(extent / multiple) * multiple : extent;
    factor *= padded[name] / extent;
  }
  return factor === 1 ? null : { extents: text(extents), padded: text(padded), multiple, factor };
}

/**
 * Whether a program allows TF32 (HF32 on Ascend) for products of FP32 operands, as seen from products that used it. The
 * framework has one switch for convolutions and one for all other products.
 */
export type ProductKind = 'convolution' | 'product';

/** Null when no op describes the kernel. */
export const productKind = ({ described }: Annotated): ProductKind | null =>
  described === null ? null : /conv/.test(opName(described.call)) ? 'convolution' : 'product';

const ROUNDED = /^[th]f32$/;

export class RoundedProducts {
  readonly #seen = new Set<ProductKind>();

  see(row: Annotated): void {
    const kind = row.tc === 1 && ROUNDED.test(row.unitUse?.dtype ?? '') ? productKind(row) : null;
    if (kind !== null) this.#seen.add(kind);
  }

  /** Whether some product of the kind used TF32, so that the switch is on. */
  isOn(kind: ProductKind | null): boolean {
    return kind !== null && this.#seen.has(kind);
  }
}
