/**
 * What is known about a kernel's work, and what a vendor's devices report about it. There is one model per vendor, in
 * the table of `work-models.ts`.
 */
import type { Category } from '../../ops/category.js';
import type { Convention } from '../../ops/family.js';
import type { ResolvedWork } from '../../ops/resolve-work.js';
import { tensorCore, type TensorCore } from '../../ops/kernels/tensor-core.js';
import type { Device, KernelRecord, OpCall } from '../../record/record.js';
import type { ServingStep } from '../../record/serving-step.js';
import type { DerivedWork } from './derived-work.js';
import { LruCache } from '../../containers/map-entry.js';
import { arithmeticType } from '../../ops/arithmetic.js';
import { isEligible, mathType, matrixTypes, typeOnUnit } from '../../ops/kernels/matrix-unit.js';
import { addsInHalf, factorType, isShortcut } from '../../ops/kernels/kernel-name.js';
import { slowedBy, whyOf, type ProductFacts, type Reason } from '../../ops/kernels/tensor-core-advice.js';

/** A kernel's use of the matrix unit, cached by call and name, because the kernels of a loop repeat with the same ones. */
export interface MatrixUnitUse {
  /** Element type of the arithmetic as its short name; null if unknown. */
  readonly dtype: string | null;
  /** Whether the unit could do it; null when undetermined. */
  readonly eligible: boolean | null;
  /** Why a product is, or is not, on the unit; null for other kernels. */
  readonly why: Reason | null;
  /** What slows a product on the unit; null when nothing is known to. */
  readonly slowed: Reason | null;
  /** Whether FP16 products are accumulated in FP16. */
  readonly halfSums: boolean;
  /**
   * Whether its algorithm does fewer FLOPs than are counted (Winograd, FFT), so that a rate above the peak is not a defect.
   */
  readonly shortcut: boolean;
}

/** Number of calls whose kernels are cached. */
const KEPT = 2048;

/** A judged kernel of a call. */
interface KnownUse {
  readonly product: boolean;
  readonly arch: string | undefined;
  readonly use: MatrixUnitUse;
}

/** By the call that describes the kernel, then by the kernel's name. A call has few kernels. */
const cache = new LruCache<OpCall, Map<string, KnownUse>>(KEPT);

/**
 * @param call the call that describes the kernel
 * @param product whether the kernel computes a product
 * @param name full demangled name
 * @param arch architecture of the device, as 'sm80'
 */
export function matrixUnitUse(call: OpCall, product: boolean, name: string, arch: string | undefined): MatrixUnitUse {
  const uses = cache.of(call, () => new Map<string, KnownUse>());
  const known = uses.get(name);
  if (known?.product === product && known.arch === arch) return known.use;
  const use = judge(call, product, name, arch);
  uses.set(name, { product, arch, use });
  return use;
}

/**
 * The use of the unit by a product without a known op, as far as the kernel's name states the type of its factors;
 * null when it does not.
 */
export function matrixUnitUseByName(name: string, arch: string | undefined): MatrixUnitUse | null {
  const dtype = factorType(name);
  if (dtype === null) return null;
  const types = matrixTypes(arch);
  const type = mathType(dtype);
  // The answer also depends on the extents, which are unknown.
  const excluded = types !== null && type !== null && typeOnUnit(type, types) === null;
  return {
    dtype,
    eligible: excluded ? false : null,
    why: null,
    slowed: null,
    halfSums: addsInHalf(name),
    shortcut: isShortcut(name),
  };
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

/**
 * The column `tc`: 1 the matrix unit was used, 0 it could have been used but was not, '-' not applicable, '?' undetermined,
 * null when no op is known.
 */
export type MatrixUnitCell = 0 | 1 | '-' | '?' | null;

/** A kernel whose use of the matrix unit is judged. */
export interface JudgedKernel {
  readonly record: KernelRecord;
  /** Architecture of its device, as 'sm80'; undefined if unknown. */
  readonly arch: string | undefined;
  readonly described: ResolvedWork | null;
}

/** The model of kernels that only their names describe. */
export const BY_NAME = { id: 'name', text: "the kernel's name does not show it" } as const;

export interface WorkModel {
  isOf(record: KernelRecord, device: Device | null): boolean;

  /**
   * The work of a kernel that belongs to no collective operation.
   * @param calls op calls around its launch, or around that of its forward kernel; outermost first
   * @param serving the server's step that launched it; null for none, and when no formula of the calls uses it
   * @param convention how work is counted; null for the default
   */
  derive(
    calls: readonly OpCall[],
    record: KernelRecord,
    serving: ServingStep | null,
    convention: Convention | null,
  ): DerivedWork;

  /** What the kernel computes, where no op around its launch states it; null when not known. */
  categoryOf(record: KernelRecord): Category | null;

  matrixUnitCell(kernel: JudgedKernel): MatrixUnitCell;

  /** Whether the kernel ran on the matrix unit, according to its name or to the device's counters. */
  verdictOf(record: KernelRecord, arch: string | undefined): TensorCore;

  /** The basis of the verdict, as text: `by its name`. */
  readonly judgedBy: string;

  /** Why the column `tc` has '?': a word, and a sentence. */
  readonly undetermined: { readonly id: string; readonly text: string };

  /**
   * @param isProduct whether the `tc` column says that it is a product
   * @returns null when neither an op nor the kernel's name says anything
   */
  matrixUnitUse(kernel: JudgedKernel, isProduct: boolean): MatrixUnitUse | null;

  /** FLOPs of the matrix unit according to the device's counters; absent when there are none. */
  countedFlops?(record: KernelRecord): number | null;

  /** Whether FP32 operands of convolutions may have been rounded by default, which the profile does not record. */
  mayRoundConvolutions?(record: KernelRecord): boolean;

  /** Why an unknown op has no formula; absent when this follows from the kernel's calls. */
  whyUnknown?(record: KernelRecord): string;
}
