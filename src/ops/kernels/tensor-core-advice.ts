/**
 * Explains why a product did not run on the matrix unit, and what slows down a product that did, from the kernel's
 * name, the op's element type and extents, and the device's architecture.
 */
import { alignmentInName, smInName } from './kernel-name.js';
import type { OpCall } from '../../record/record.js';
import { opName } from '../operands.js';
import {
  matrixTypes,
  multipleOf,
  smOf,
  type MathType,
  productExtentsOf,
  typeOnUnit,
  unalignedExtent,
} from './matrix-unit.js';
import type { TensorCore } from './tensor-core.js';

/** Facts about a product's kernel. */
export interface ProductFacts {
  readonly call: OpCall;
  /** Full demangled name. */
  readonly name: string;
  /** Architecture of the device, such as 'sm80'. */
  readonly arch: string | undefined;
  readonly verdict: TensorCore;
  /** Type of the multiplications; null when it is unknown. */
  readonly type: MathType | null;
}

export interface Reason {
  /** A single word, for the tcwhy column. */
  readonly id: string;
  /** Explanation and remedy. */
  readonly text: string;
}

interface ReasonRule {
  readonly id: string;
  applies(facts: ProductFacts): boolean;
  text(facts: ProductFacts): string;
}

const typesOf = (facts: ProductFacts): readonly MathType[] => matrixTypes(facts.arch) ?? [];
const hasTf32 = (facts: ProductFacts): boolean => typesOf(facts).includes('tf32');
const ENABLE_TF32 = "torch.set_float32_matmul_precision('high') runs it as TF32 on the matrix unit";

/** The extent that does not fill the unit, and the number that should divide it. */
function misfit({ call, type, arch }: ProductFacts): readonly [extent: number, multiple: number] | null {
  const onUnit = type === null ? null : typeOnUnit(type, matrixTypes(arch) ?? []);
  const extent = onUnit === null ? null : unalignedExtent(call, onUnit, arch);
  return onUnit === null || extent === null ? null : [extent, multipleOf(onUnit, arch)];
}

const isBehind = ({ name, arch }: ProductFacts): boolean => {
  const [built, device] = [smInName(name), smOf(arch)];
  // cuBLAS and cuDNN use sm80 kernels on sm86 and sm89, which have the same instructions.
  return built !== null && device !== null && Math.floor(built / 10) < Math.floor(device / 10);
};

const alignment = ({ name, type }: ProductFacts): number | null => {
  const elements = alignmentInName(name);
  return elements !== null && elements <= 2 && type !== 'fp64' ? elements : null;
};

const isConvolution = (call: OpCall): boolean => /conv/.test(opName(call));

const isDepthwise = (call: OpCall): boolean => isConvolution(call) && String(productExtentsOf(call)) === '1';

const BEHIND: ReasonRule = {
  id: 'built-for-older',
  applies: isBehind,
  text: ({ name, arch }) =>
    `built for sm${String(smInName(name))}, the device is ${String(arch)}: newer libraries may be faster`,
};

const aligned = (elements: 1 | 2): ReasonRule => ({
  id: `align${elements}`,
  applies: (facts) => alignment(facts) === elements,
  text: () =>
    `the kernel loads ${elements} element${elements === 1 ? '' : 's'} at a time: pad the dimensions to multiples of 8`,
});

/** Reasons why a product is not on the unit; the first match is used. */
export const HELD_BACK: readonly ReasonRule[] = [
  {
    id: 'no-unit',
    applies: ({ arch, verdict }) => verdict.rule === 'device-without-tensor-cores' || matrixTypes(arch)?.length === 0,
    text: ({ arch }) => `${arch ?? 'the device'} has no matrix unit`,
  },
  {
    id: 'vector',
    applies: ({ name, call }) =>
      /gemv|gemmSN|gemmk1_|(^|[\s:_])dot_kernel/.test(name) ||
      (!isConvolution(call) && productExtentsOf(call).includes(1)),
    text: () => 'a product with a vector is memory-bound: the matrix unit would not make it faster',
  },
  {
    id: 'depthwise',
    applies: ({ call }) => isDepthwise(call),
    text: () => 'a depthwise convolution has no sum over channels, so the matrix unit cannot help',
  },
  {
    id: 'dtype',
    applies: (facts) =>
      facts.type !== null && matrixTypes(facts.arch) !== null && typeOnUnit(facts.type, typesOf(facts)) === null,
    text: ({ type, arch }) => `the matrix unit of ${String(arch)} does not support ${String(type)}`,
  },
  {
    id: 'ffma',
    applies: ({ verdict }) => verdict.rule === 'ffma',
    text: (facts) => `FP32 multiply-adds${hasTf32(facts) ? `: ${ENABLE_TF32}` : ''}`,
  },
  {
    id: 'simt',
    applies: ({ verdict }) => verdict.rule === 'simt',
    text: (facts) => `plain multiply-adds${facts.type === 'fp32' && hasTf32(facts) ? `: ${ENABLE_TF32}` : ''}`,
  },
  {
    id: 'fp32-without-tf32',
    applies: (facts) => facts.type === 'fp32' && hasTf32(facts),
    text: () => `FP32 operands: ${ENABLE_TF32}`,
  },
  aligned(1),
  aligned(2),
  {
    id: 'shape',
    applies: (facts) => misfit(facts) !== null,
    text: (facts) => {
      const [extent, multiple] = misfit(facts) ?? [];
      return `the dimension ${String(extent)} is not a multiple of ${String(multiple)}: pad it`;
    },
  },
  BEHIND,
];

/** Reasons why a product on the unit is slow; the first match is used. */
export const SLOWED: readonly ReasonRule[] = [
  aligned(1),
  aligned(2),
  BEHIND,
  {
    id: 'split-k',
    applies: ({ name }) => /splitK(?!reduce)|split_k/.test(name),
    text: () => 'the product is split along K and added up by a second kernel: too few tiles for the device',
  },
];

const find = (rules: readonly ReasonRule[], facts: ProductFacts): Reason | null => {
  const rule = rules.find((candidate) => candidate.applies(facts));
  return rule === undefined ? null : { id: rule.id, text: rule.text(facts) };
};

/**
 * Why a product did not run on the unit: the first reason that applies, else the rule that judged the name.
 * @returns the rule that judged its name, for a kernel that did run on it
 */
export function whyOf(facts: ProductFacts): Reason {
  const { verdict, rule } = facts.verdict;
  const judged = { id: rule, text: `by the kernel's name (rule ${rule})` };
  return verdict === 'no' ? (find(HELD_BACK, facts) ?? judged) : judged;
}

/** What slows down a product on the unit, according to its kernel's name; null when no rule applies. */
export const slowedBy = (facts: ProductFacts): Reason | null =>
  facts.verdict.verdict === 'no' ? null : find(SLOWED, facts);
