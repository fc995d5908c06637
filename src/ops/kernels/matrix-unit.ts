/**
 * The matrix unit (tensor cores, matrix cores) of an architecture: the element types that it multiplies, and the
 * extents that fill it.
 *
 * Sources: NVIDIA, CUDA C++ Programming Guide (element types of warp matrix functions by compute capability) and PTX ISA
 * (mma, wgmma, tcgen05.mma); AMD, instruction set manuals of CDNA 1 to CDNA 4 (MFMA); AWS, architecture guides
 * of NeuronCore-v2 to -v4; Huawei, platform configuration of CANN's runtime (mmad). Only what runs at the unit's rate
 * is listed: FP64 of sm86, sm89 and sm120 is there for compatibility and no faster than the vector unit.
 */

import { byName } from './name-patterns.js';

/** Types of multiplication with peak rates of their own. `fp8` stands for all its encodings. */
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
  { arch: /^gfx908$/, types: ['fp32', 'fp16', 'bf16', 'int8'] },
  { arch: /^gfx90a?$/, types: ['fp64', 'fp32', 'fp16', 'bf16', 'int8'] },
  { arch: /^gfx94/, types: ['fp64', 'fp32', 'tf32', 'fp16', 'bf16', 'fp8', 'int8'] },
  // A cube multiplies FP32 and BF16 too from the 910B on; HF32 is FP32 rounded as TF32 is.
  { arch: /^ascend(310p?|910a?)$/, types: ['fp16', 'int8'] },
  { arch: /^ascend(910b|910_93)?$/, types: ['fp32', 'tf32', 'fp16', 'bf16', 'int8'] },
  { arch: /^nc-v[23]$/, types: ['fp32', 'tf32', 'fp16', 'bf16', 'fp8'] },
  { arch: /^nc-v4$/, types: ['fp32', 'tf32', 'fp16', 'bf16', 'fp8', 'fp4'] },
  { arch: /^gfx95/, types: ['fp64', 'fp32', 'fp16', 'bf16', 'fp8', 'fp4', 'int8'] },
];

/** `sm_80` and `sm80`, `gfx942:sramecc+:xnack-` and `gfx942` are the same. */
const plain = (arch: string): string => arch.replace(/^sm_/, 'sm').split(':', 1).join();

const typesOf = byName((arch) => UNITS.find((unit) => unit.arch.test(plain(arch)))?.types ?? null);

/** What the matrix unit of an architecture multiplies; [] where there is none; null when that is not known. */
export const matrixTypes = (arch: string | undefined): readonly MathType[] | null =>
  arch === undefined ? null : typesOf(arch);

const numberOf = byName((arch) => {
  const sm = /^sm_?(\d+)/.exec(arch);
  return sm === null ? null : Number(sm[1]);
});

/** `sm80` → 80; null for another vendor's. */
export const smOf = (arch: string | undefined): number | null => (arch === undefined ? null : numberOf(arch));

/**
 * Elements that an extent should be a multiple of: 16 bytes of them (NVIDIA, Matrix Multiplication Background User's
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

/** What extents of a product should be multiples of on an architecture; 1 where there is no such rule. */
export const multipleOf = (type: MathType, arch: string | undefined): number =>
  arch?.startsWith('gfx') === true ? 1 : (MULTIPLES[type] ?? 1);

/** Short names of element types (see `DTYPES`) that are not names of a rate themselves. */
const BY_SHORT_NAME: Readonly<Record<string, MathType>> = {
  fp8e4m3: 'fp8',
  fp8e5m2: 'fp8',
  hf32: 'tf32',
  uint8: 'int8',
  qint8: 'int8',
  quint8: 'int8',
};

/** The rate by which an element type, as the dtype column shows it, is multiplied; null for one without a rate. */
export const mathType = (short: string | null): MathType | null =>
  MATH_TYPES.find((type) => type === short) ??
  (short !== null && Object.hasOwn(BY_SHORT_NAME, short) ? (BY_SHORT_NAME[short] ?? null) : null);
