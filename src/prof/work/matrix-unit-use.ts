/** A kernel's use of the matrix unit, cached by call and name, since the kernels of a loop repeat with the same ones. */
import { LruCache } from '../../containers/lru-cache.js';
import { addsInHalf, isShortcut } from '../../ops/kernels/kernel-name.js';
import { entryOf } from '../../containers/map-entry.js';
import { arithmeticType } from '../../ops/arithmetic.js';
import { mathType, isEligible } from '../../ops/kernels/matrix-unit.js';
import { slowedBy, whyOf, type ProductFacts, type Reason } from '../../ops/kernels/tensor-core-advice.js';
import { tensorCore } from '../../ops/kernels/tensor-core.js';
import type { OpCall } from '../../record/record.js';

export interface MatrixUnitUse {
  /** Element type of the arithmetic by its short name; null when not known. */
  readonly dtype: string | null;
  /** Whether the unit could do it; null when undetermined. */
  readonly eligible: boolean | null;
  /** Why a product is, or is not, on the unit; null for other kernels. */
  readonly why: Reason | null;
  /** What slows a product on the unit; null when nothing is known to. */
  readonly slowed: Reason | null;
  /** Whether FP16 products are accumulated in FP16. */
  readonly halfSums: boolean;
  /** Whether its algorithm does less than is counted (Winograd, FFT), so that a rate above the peak is no defect. */
  readonly shortcut: boolean;
}

/** Calls whose kernels are remembered. */
const KEPT = 2048;

/** By the call that describes the kernel, then by kernel and device. A call has few kernels. */
const cache = new LruCache<OpCall, Map<string, MatrixUnitUse>>(KEPT);

/**
 * @param call the one that describes the kernel
 * @param product whether the kernel computes a product
 * @param name full demangled name
 * @param arch of the device, as 'sm80'
 */
export function matrixUnitUse(call: OpCall, product: boolean, name: string, arch: string | undefined): MatrixUnitUse {
  const uses = cache.of(call, () => new Map<string, MatrixUnitUse>());
  return entryOf(uses, `${product}/${String(arch)}/${name}`, () => judge(call, product, name, arch));
}

function judge(call: OpCall, product: boolean, name: string, arch: string | undefined): MatrixUnitUse {
  const verdict = tensorCore(name, arch);
  const dtype = arithmeticType({ call, matmul: product, name, verdict: verdict.verdict });
  if (!product) return { dtype, eligible: false, why: null, slowed: null, halfSums: false, shortcut: false };
  const facts: ProductFacts = { call, name, arch, verdict, type: mathType(dtype) };
  return {
    dtype,
    eligible: isEligible(call, facts.type, arch),
    why: whyOf(facts),
    slowed: slowedBy(facts),
    halfSums: addsInHalf(name),
    shortcut: isShortcut(name, call.from === undefined && /conv/.test(call.op)),
  };
}
