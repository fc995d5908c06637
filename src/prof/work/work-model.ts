/** What a vendor's devices know and report of a kernel's work: one model each, in the table of `work-models.ts`. */
import type { ResolvedWork } from '../../ops/resolve-work.js';
import type { TensorCore } from '../../ops/kernels/tensor-core.js';
import type { Device, KernelRecord, OpCall } from '../../record/record.js';
import type { ServingStep } from '../../record/serving-step.js';
import type { DerivedWork } from './derived-work.js';
import type { MatrixUnitUse } from './matrix-unit-use.js';

/**
 * The column `tc`: 1 the matrix unit was used, 0 it could be used and was not, '-' not applicable, '?' undetermined, null no
 * op known.
 */
export type MatrixUnitCell = 0 | 1 | '-' | '?' | null;

/** A kernel whose use of the matrix unit is judged. */
export interface JudgedKernel {
  readonly record: KernelRecord;
  /** Architecture of its device, as 'sm80'; undefined when not known. */
  readonly arch: string | undefined;
  readonly described: ResolvedWork | null;
}

/** Of a kernel whose name decides. */
export const BY_NAME = { id: 'name', text: "the kernel's name does not say" } as const;

export interface WorkModel {
  isOf(record: KernelRecord, device: Device | null): boolean;

  /**
   * The work of a kernel that belongs to no collective operation.
   * @param calls op calls around its launch, or around that of its forward kernel; outermost first
   * @param serving the server's step that launched it; null for none, and where no formula of the calls reads it
   */
  derive(calls: readonly OpCall[], record: KernelRecord, serving: ServingStep | null): DerivedWork;

  matrixUnitCell(kernel: JudgedKernel): MatrixUnitCell;

  /** Whether the kernel ran on the matrix unit, by its name or by what its device counted. */
  verdictOf(record: KernelRecord, arch: string | undefined): TensorCore;

  /** What the verdict follows from, for people: `by its name`. */
  readonly judgedBy: string;

  /** Why the column `tc` has '?': a word, and a sentence. */
  readonly undetermined: { readonly id: string; readonly text: string };

  /** @param isProduct whether the `tc` column says that it is a product */
  matrixUnitUse(kernel: JudgedKernel & { readonly described: ResolvedWork }, isProduct: boolean): MatrixUnitUse;

  /** FLOPs that the matrix unit did as the device counted them; absent where it counts none. */
  countedFlops?(record: KernelRecord): number | null;

  /** Whether FP32 operands of convolutions may have been rounded by default, which the profile does not record. */
  mayRoundConvolutions?(record: KernelRecord): boolean;

  /** Why an unknown op has no formula; absent where this follows from the kernel's calls. */
  whyUnknown?(record: KernelRecord): string;
}
