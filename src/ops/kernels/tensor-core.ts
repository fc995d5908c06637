/** Whether a kernel ran on the matrix unit (tensor cores, matrix cores), judged by its demangled name, not measured. */
import type { KernelRole, Work } from '../family.js';
import { familyWith, KERNEL_FAMILIES } from './kernel-families.js';
import { smOf } from './matrix-unit.js';

/** `likely`: it depends on element type or shape, which the name does not contain. `unknown`: no rule matches the name. */
export type MatrixUnitVerdict = 'yes' | 'likely' | 'no' | 'unknown';

/** Whether a kernel ran on the matrix unit, and the rule that decided it. */
export interface TensorCore {
  readonly verdict: MatrixUnitVerdict;
  /** Id of the deciding rule. */
  readonly rule: string;
}

interface TensorCoreRule extends TensorCore {
  readonly verdict: Exclude<MatrixUnitVerdict, 'unknown'>;
  readonly pattern: RegExp;
}

/** The first match is used: names that exclude the unit, then names that imply it, then names that make it likely. */
export const TENSOR_CORE_RULES: readonly TensorCoreRule[] = KERNEL_FAMILIES.flatMap(({ id, pattern, unit }) =>
  unit === undefined ? [] : [{ verdict: unit, rule: id, pattern }],
);

const NONE: TensorCore = { verdict: 'unknown', rule: 'none' };
const OLD: TensorCore = { verdict: 'no', rule: 'device-without-tensor-cores' };

const familyWithUnit = familyWith('unit');

/** NVIDIA devices have tensor cores from sm70 on. */
const withoutUnit = (arch: string | undefined): boolean => {
  const sm = smOf(arch);
  return sm !== null && sm < 70;
};

/**
 * The verdict on a kernel.
 * @param name full demangled name
 * @param arch architecture of the device, such as 'sm80'; for a device without the unit the verdict is always `no`
 */
export function tensorCore(name: string, arch?: string): TensorCore {
  if (withoutUnit(arch)) return OLD;
  const family = familyWithUnit(name);
  return family === null ? NONE : { verdict: family.unit, rule: family.id };
}

/** Rules for names of products that do not use the unit. */
const PLAIN_PRODUCTS = new Set([
  'ffma',
  'simt',
  'plain-gemm',
  'plain-convolution',
  'xmma-fp32',
  'tensile-vector',
  'ck-vector',
  'miopen-vector',
  'skinny-gemm',
  'attention-before-tensor-cores',
]);

/** The tc column of a kernel without a known op: by its name if that is a product's name, else 'na'. */
export function matrixUnitByName(name: string, arch?: string): 'na' | '1' | '0' {
  const { verdict, rule } = tensorCore(name);
  if (verdict === 'yes' || verdict === 'likely') return withoutUnit(arch) ? '0' : '1';
  return PLAIN_PRODUCTS.has(rule) ? '0' : 'na';
}

const NOT_PRODUCTS: ReadonlySet<KernelRole> = new Set(['helper', 'trial', 'bias']);

/**
 * The tc column of a kernel. 'na': no known op describes it. '-': the unit could not do its work (not a product, or a
 * helper, trial or bias kernel). '1': used or likely used. '0': could be used but is not. '?': undetermined.
 */
export function matrixUnitCell(work: Work | null, name: string, arch?: string): 'na' | '-' | '1' | '0' | '?' {
  if (work === null) return 'na';
  if (!work.matmul || NOT_PRODUCTS.has(work.role)) return '-';
  return ({ yes: '1', likely: '1', no: '0', unknown: '?' } as const)[tensorCore(name, arch).verdict];
}
