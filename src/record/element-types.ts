/**
 * Element types of tensors and messages: their sizes, and their names in each source.
 *
 * Sources: PyTorch's table of torch.dtype and c10/core/ScalarType.h (sizes, names, codes; the compiler's names of the C++
 * types), NCCL's ncclDataType_t without `nccl`, HcclDataType of Ascend's communication library and the operand types of its
 * kernels (`FLOAT`, `BF16`), PyProf's short names (`fp32`, `int64` …), which AWS Neuron's tools write too.
 */

/** Categories in order of precedence (PyTorch documentation, "Tensor Attributes", type promotion). */
export const CATEGORIES = ['bool', 'int', 'float', 'complex'] as const;
export type DtypeCategory = (typeof CATEGORIES)[number];

export interface ElementType {
  /** The framework's name: `float32`. */
  readonly dtype: string;
  /** Name for display, from PyProf or in its style: `fp32`. */
  readonly short: string;
  /** Size of an element in bytes. An element of `float4_e2m1fn_x2` is one byte with two values. */
  readonly bytes: number;
  readonly category: DtypeCategory;
}

type Row = readonly [dtype: string, short: string, bytes: number, code: number | null, aliases: string];

/**
 * A row for each type: its names, its size, its code in PyTorch's ScalarType, and a comma-separated list of further names
 * in any letter case. The first of these is PyTorch's alias, if it has one.
 */
const ROWS: Readonly<Record<DtypeCategory, readonly Row[]>> = {
  bool: [['bool', 'bool', 1, 11, '']],
  int: [
    ['uint8', 'uint8', 1, 0, 'byte, unsigned char'],
    ['int8', 'int8', 1, 1, 'char, signed char'],
    ['int16', 'int16', 2, 2, 'short, short int'],
    ['uint16', 'uint16', 2, 27, 'unsigned short'],
    ['int32', 'int32', 4, 3, 'int'],
    ['uint32', 'uint32', 4, 28, 'unsigned int'],
    ['int64', 'int64', 8, 4, 'long, long int, long long'],
    ['uint64', 'uint64', 8, 29, 'unsigned long'],
    ['int128', 'int128', 16, null, ''],
    ['qint8', 'qint8', 1, 12, ''],
    ['quint8', 'quint8', 1, 13, ''],
    ['qint32', 'qint32', 4, 14, ''],
  ],
  float: [
    ['float16', 'fp16', 2, 5, 'half'],
    ['bfloat16', 'bf16', 2, 15, 'bfp16'],
    ['float32', 'fp32', 4, 6, 'float'],
    ['float64', 'fp64', 8, 7, 'double'],
    ['float8_e4m3fn', 'fp8e4m3', 1, 24, 'float8e4m3'],
    ['float8_e4m3fnuz', 'fp8e4m3', 1, 26, ''],
    ['float8_e5m2', 'fp8e5m2', 1, 23, 'float8e5m2'],
    ['float8_e5m2fnuz', 'fp8e5m2', 1, 25, ''],
    ['float8_e8m0fnu', 'fp8e8m0', 1, 44, ''],
    ['float4_e2m1fn_x2', 'fp4', 1, 45, ''],
    ['hif8', 'hif8', 1, null, 'hifloat8'],
    // Elements of copy kernels, whose only known property is the size.
    ...[1, 2, 4, 8, 16].map((bytes): Row => [`opaque${8 * bytes}`, `${8 * bytes}bit`, bytes, null, '']),
  ],
  complex: [
    ['complex32', 'c32', 4, 8, 'complexhalf, complex<half>'],
    ['complex64', 'c64', 8, 9, 'complexfloat, complex<float>'],
    ['complex128', 'c128', 16, 10, 'complexdouble, complex<double>'],
  ],
};

const BY_NAME = new Map<string, ElementType>();
const BY_CODE = new Map<number, ElementType>();
for (const category of CATEGORIES) {
  for (const [dtype, short, bytes, code, aliases] of ROWS[category]) {
    const type = { dtype, short, bytes, category };
    BY_NAME.set(dtype, type);
    if (code !== null) BY_CODE.set(code, type);
    for (const alias of [short, ...aliases.split(', ')])
      if (alias !== '' && !BY_NAME.has(alias)) BY_NAME.set(alias, type);
  }
}

/** All types, each listed once, for the docs. */
export const ELEMENT_TYPES: readonly ElementType[] = [...new Set(BY_NAME.values())];

/** Finds a type by any of its names: `float32`, `c10::BFloat16`, `Long`, `FP16`, `FLOAT`; null for an unknown name. */
export const elementType = (name: string): ElementType | null =>
  BY_NAME.get(name) ?? BY_NAME.get(name.replaceAll('c10::', '').toLowerCase()) ?? null;

/**
 * Finds a type by its number in PyTorch's ScalarType: 15 → `bfloat16`; null when its size is not a whole number of bytes.
 */
export const elementTypeNumbered = (code: number): ElementType | null => BY_CODE.get(code) ?? null;

/** Size of an element in bytes; null for an unknown type. */
export const dtypeBytes = (name: string): number | null => elementType(name)?.bytes ?? null;

/** Short name for display; the given name for an unknown type. */
export const dtypeShort = (name: string): string => elementType(name)?.short ?? name;
