/**
 * The matrix unit (tensor cores, matrix cores) of an architecture: the element types that it multiplies, the extents that
 * fill it, and whether it could do an op's product.
 *
 * Sources: NVIDIA, CUDA C++ Programming Guide (element types of warp matrix functions by compute capability) and PTX ISA
 * (mma, wgmma, tcgen05.mma); AMD, instruction set manuals of CDNA 1 to CDNA 4 (MFMA) and RDNA 3 and 4 (WMMA); AWS,
 * architecture guides of NeuronCore-v2 to -v4; Intel, GPU optimization guide (XMX) and Gaudi white papers; Meta, on MTIA;
 * Huawei, platform configuration of CANN's runtime (mmad); Google, Cloud TPU documentation. Only types that run at the
 * unit's rate are listed: FP64 of sm86, sm89 and sm120 exists for compatibility and runs at the speed of the vector unit.
 */
import { capabilityOf } from '../../record/fields/stated-device.js';
import type { OpCall } from '../../record/record.js';
import { numel, type Tensor } from '../call.js';
import { inputTensors, opName } from '../operands.js';
import { byName } from '../by-name.js';

/** Types of multiplication with separate peak rates. `fp8` stands for all its encodings. */
export const MATH_TYPES = ['fp64', 'fp32', 'tf32', 'fp16', 'bf16', 'fp8', 'fp4', 'int8'] as const;
export type MathType = (typeof MATH_TYPES)[number];

interface MatrixUnit {
  readonly arch: RegExp;
  readonly types: readonly MathType[];
}

const UNITS: readonly MatrixUnit[] = [
  { arch: /^sm[1-6]\d$/, types: [] },
  { arch: /^sm7[02]$/, types: ['fp16'] },
  { arch: /^sm75$/, types: ['fp16', 'int8'] },
  { arch: /^sm80$/, types: ['fp64', 'tf32', 'fp16', 'bf16', 'int8'] },
  { arch: /^sm8[67]$/, types: ['tf32', 'fp16', 'bf16', 'int8'] },
  { arch: /^sm89$/, types: ['tf32', 'fp16', 'bf16', 'fp8', 'int8'] },
  { arch: /^sm90$/, types: ['fp64', 'tf32', 'fp16', 'bf16', 'fp8', 'int8'] },
  { arch: /^sm10[01]$/, types: ['fp64', 'tf32', 'fp16', 'bf16', 'fp8', 'fp4', 'int8'] },
  { arch: /^sm1(03|1\d|2\d)$/, types: ['tf32', 'fp16', 'bf16', 'fp8', 'fp4', 'int8'] },
  { arch: /^gfx(90[06]|10\d\d)$/, types: [] },
  { arch: /^gfx11/, types: ['fp16', 'bf16', 'int8'] },
  { arch: /^gfx120/, types: ['fp16', 'bf16', 'fp8', 'int8'] },
  { arch: /^gfx908$/, types: ['fp32', 'fp16', 'bf16', 'int8'] },
  { arch: /^gfx90a?$/, types: ['fp64', 'fp32', 'fp16', 'bf16', 'int8'] },
  { arch: /^gfx94/, types: ['fp64', 'fp32', 'tf32', 'fp16', 'bf16', 'fp8', 'int8'] },
  { arch: /^xe-hpc$/, types: ['tf32', 'fp16', 'bf16', 'int8'] },
  { arch: /^gaudi[23]$/, types: ['bf16', 'fp8'] },
  { arch: /^mtia-/, types: ['fp16', 'bf16', 'int8'] },
  // From the 910B on, a cube multiplies FP32 and BF16 too; HF32 is rounded FP32, like TF32.
  { arch: /^ascend(310p?|910a?)$/, types: ['fp16', 'int8'] },
  { arch: /^ascend(910b|910_93)?$/, types: ['fp32', 'tf32', 'fp16', 'bf16', 'int8'] },
  { arch: /^nc-v[23]$/, types: ['fp32', 'tf32', 'fp16', 'bf16', 'fp8'] },
  { arch: /^nc-v4$/, types: ['fp32', 'tf32', 'fp16', 'bf16', 'fp8', 'fp4'] },
  { arch: /^tpu-v[456]/, types: ['bf16', 'int8'] },
  { arch: /^tpu-v7/, types: ['bf16', 'fp8'] },
  { arch: /^gfx95/, types: ['fp64', 'fp32', 'fp16', 'bf16', 'fp8', 'fp4', 'int8'] },
];

/** Normalises names: `sm_80` and `sm80`, `gfx942:sramecc+:xnack-` and `gfx942` are the same. */
const plain = (arch: string): string => arch.replace(/^sm_/, 'sm').split(':', 1).join();

const typesOf = byName((arch) => UNITS.find((unit) => unit.arch.test(plain(arch)))?.types ?? null);

/** Types that the matrix unit of an architecture multiplies; [] when it has none; null when that is unknown. */
export const matrixTypes = (arch: string | undefined): readonly MathType[] | null =>
  arch === undefined ? null : typesOf(arch);

const numberOf = byName(capabilityOf);

/** `sm80` → 80; null for other vendors. */
export const smOf = (arch: string | undefined): number | null => (arch === undefined ? null : numberOf(arch));

/**
 * Number of elements that should divide an extent: 16 bytes of them (NVIDIA, Matrix Multiplication Background User's
 * Guide). AMD's unit has no such rule.
 */
const MULTIPLES: Readonly<Partial<Record<MathType, number>>> = {
  tf32: 4,
  fp16: 8,
  bf16: 8,
  fp8: 16,
  int8: 16,
  fp4: 32,
};

/** The number that should divide a product's extents on an architecture; 1 when there is no such rule. */
export const multipleOf = (type: MathType, arch: string | undefined): number =>
  arch?.startsWith('gfx') === true ? 1 : (MULTIPLES[type] ?? 1);

/** Short names of element types (see `DTYPES`) that are not themselves names of a rate. */
const BY_SHORT_NAME: Readonly<Record<string, MathType>> = {
  fp8e4m3: 'fp8',
  fp8e5m2: 'fp8',
  hf32: 'tf32',
  uint8: 'int8',
  qint8: 'int8',
  quint8: 'int8',
};

/** The math type whose rate applies to an element type, as in the dtype column; null when it has no rate. */
export const mathType = (short: string | null): MathType | null =>
  MATH_TYPES.find((type) => type === short) ??
  (short !== null && Object.hasOwn(BY_SHORT_NAME, short) ? (BY_SHORT_NAME[short] ?? null) : null);

const matrices = (tensors: readonly Tensor[]): Tensor[] => tensors.filter(({ shape }) => shape.length >= 2);

/** All dimensions of a linear layer's input rows together are one extent. */
function linearExtents(tensors: readonly Tensor[]): number[] {
  const [x, weight] = tensors;
  return x === undefined ? [] : [numel(x.shape.slice(0, -1)), ...(weight?.shape ?? [])];
}

/** Input and output channels within a group: the weight's first two extents. The first covers all groups. */
function convolutionExtents(tensors: readonly Tensor[], call: OpCall): number[] {
  const [left, right, third] = matrices(tensors);
  const backward = /backward/.test(opName(call));
  const [input, weight] = backward ? [right, third] : [left, right];
  const [channels] = input?.shape.slice(1) ?? [];
  const [out, within] = weight?.shape ?? [];
  if (channels === undefined || out === undefined || within === undefined || within === 0) return [];
  // A transposed convolution's weight starts with the input's channels.
  const groups = channels % within === 0 ? channels / within : 1;
  return out % groups === 0 ? [out / groups, within] : [out, within];
}

/** Only head dimensions matter, because the kernel tiles the sequence, whatever its length. */
const attentionExtents = (tensors: readonly Tensor[]): number[] =>
  matrices(tensors)
    .slice(0, 3)
    .map(({ shape }) => shape.at(-1) ?? 1);

const productExtents = (tensors: readonly Tensor[]): number[] =>
  matrices(tensors).flatMap(({ shape }) => shape.slice(-2));

type ExtentReader = (tensors: readonly Tensor[], call: OpCall) => number[];

/** The extents that must fill the unit, by op name; the first match is used. */
const EXTENTS: readonly (readonly [RegExp, ExtentReader])[] = [
  [/^linear$/, linearExtents],
  [/conv/, convolutionExtents],
  [/attention|attn/, attentionExtents],
];

/** The distinct extents of a product that should be multiples; [] when they are unknown. */
export function productExtentsOf(call: OpCall): number[] {
  const find = EXTENTS.find(([pattern]) => pattern.test(opName(call)))?.[1] ?? productExtents;
  return [...new Set(find(inputTensors(call) ?? [], call))];
}

/** NVIDIA's unit processes FP32 operands as TF32. */
export const typeOnUnit = (type: MathType, types: readonly MathType[]): MathType | null =>
  types.includes(type) ? type : type === 'fp32' && types.includes('tf32') ? 'tf32' : null;

/** The first extent that does not fill the unit; null when all do, or none is known. */
export function unalignedExtent(call: OpCall, type: MathType, arch: string | undefined): number | null {
  const multiple = multipleOf(type, arch);
  return productExtentsOf(call).find((extent) => extent % multiple !== 0) ?? null;
}

/**
 * Whether the unit could do the product of a call.
 * @param type type in which the product is computed
 * @param arch architecture of the device
 * @returns null when the type, the architecture or the extents are unknown
 */
export function isEligible(call: OpCall, type: MathType | null, arch: string | undefined): boolean | null {
  const types = matrixTypes(arch);
  if (types?.length === 0) return false;
  if (type === null || types === null) return null;
  const onUnit = typeOnUnit(type, types);
  if (onUnit === null) return false;
  if (productExtentsOf(call).length === 0) return null;
  return unalignedExtent(call, onUnit, arch) === null;
}
