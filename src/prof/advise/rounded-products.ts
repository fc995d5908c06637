/**
 * Whether a program lets products of FP32 operands go through the matrix unit as TF32 (HF32 on Ascend): seen in products
 * that did. The framework has one switch for convolutions and one for all other products.
 */
import { opName } from '../../ops/operands.js';
import type { Annotated } from '../annotate.js';

export type ProductKind = 'convolution' | 'product';

/** Null where no op describes the kernel. */
export const productKind = ({ described }: Annotated): ProductKind | null =>
  described === null ? null : /conv/.test(opName(described.call)) ? 'convolution' : 'product';

const ROUNDED = /^[th]f32$/;

export class RoundedProducts {
  readonly #seen = new Set<ProductKind>();

  see(row: Annotated): void {
    const kind = row.tc === 1 && ROUNDED.test(row.unitUse?.dtype ?? '') ? productKind(row) : null;
    if (kind !== null) this.#seen.add(kind);
  }

  /** Whether some product of the kind was rounded, so that the switch is on. */
  isOn(kind: ProductKind | null): boolean {
    return kind !== null && this.#seen.has(kind);
  }
}
