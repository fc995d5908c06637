/** The element type of a result: PyTorch's type promotion. */
import type { Arg } from '../../record/record.js';
import { CATEGORIES, dtypeBytes, elementType, type DtypeCategory } from '../../record/element-types.js';
import { type Tensor } from '../call.js';

/** The type of a Python number when it determines the result: PyTorch's default types. */
const DEFAULTS: Readonly<Record<DtypeCategory, string>> = {
  bool: 'bool',
  int: 'int64',
  float: 'float32',
  complex: 'complex64',
};

/** Category of an element type, or null when the type is unknown. */
export const category = (dtype: string): DtypeCategory | null => elementType(dtype)?.category ?? null;

const rank = (name: DtypeCategory): number => CATEGORIES.indexOf(name);

/** Promotion of two types with the same width when neither holds all values of the other: the next wider type. */
const widened = (kind: DtypeCategory): string => (kind === 'int' ? 'int16' : 'float32');

/** Result type of two types; null when one of them is unknown. */
function promotePair(a: string, b: string): string | null {
  const [kindA, kindB] = [category(a), category(b)];
  if (a === b) return a;
  if (kindA === null || kindB === null) return null;
  if (kindA !== kindB) return rank(kindA) > rank(kindB) ? a : b;
  const [bytesA, bytesB] = [dtypeBytes(a), dtypeBytes(b)];
  if (bytesA === null || bytesB === null) return null;
  if (bytesA !== bytesB) return bytesA > bytesB ? a : b;
  return bytesA <= 2 ? widened(kindA) : a;
}

/** Result type of an op on these tensors: the higher category wins, within a category the wider type; null if not known. */
export const promote = (tensors: readonly Tensor[]): string | null => common(tensors) ?? null;

/** Complex types, each with the type of its parts. */
const PARTS: readonly (readonly [complex: string, real: string])[] = [
  ['complex32', 'float16'],
  ['complex64', 'float32'],
  ['complex128', 'float64'],
];

/** The type of one part of a complex number; null for any other type. */
export const realPartType = (dtype: string | null): string | null =>
  PARTS.find(([complex]) => complex === dtype)?.[1] ?? null;

/** The complex type whose parts have this type; null when there is none. */
export const complexTypeOf = (dtype: string | null): string | null =>
  PARTS.find(([, real]) => real === dtype)?.[0] ?? null;

/** Result type of an op that computes in floating point: integers become the default type. */
export function floatingType(dtype: string | null): string | null {
  const kind = dtype === null ? null : category(dtype);
  return kind === 'bool' || kind === 'int' ? DEFAULTS.float : dtype;
}

/**
 * Category of a numeric operand, from the argument's type, which is known even when the value is unspecified; null for
 * anything else, and when its type is unspecified.
 */
export const argCategory = ({ type }: Arg): DtypeCategory | null => CATEGORIES.find((kind) => kind === type) ?? null;

/** Whether the tensor is a wrapped Python number, which the dispatcher makes a 0-dim tensor of a 64-bit type. */
const isWrapped = ({ shape, dtype }: Tensor): boolean => {
  const kind = category(dtype);
  return shape.length === 0 && (kind === 'complex' ? 16 : 8) === dtypeBytes(dtype);
};

/** Promotion with an operand of lower priority, which is considered only when its category is higher. */
function raise(dtype: string | null, kind: DtypeCategory | null, other: string): string | null {
  const current = dtype === null ? null : category(dtype);
  return current !== null && kind !== null && rank(kind) > rank(current) ? other : dtype;
}

const common = (tensors: readonly Tensor[]): string | null | undefined =>
  tensors.length === 0
    ? undefined
    : tensors.reduce<string | null>(
        (a, { dtype }) => (a === null ? null : promotePair(a, dtype)),
        tensors[0]?.dtype ?? null,
      );

/**
 * Result type of a dispatcher op on these operands.
 *
 * Tensors with dimensions have priority over those without, and these over Python numbers; an operand of lower priority
 * counts only when its category is higher (PyTorch, "Tensor Attributes"). A 0-dim tensor of a 64-bit type is treated as a
 * wrapped Python number.
 * @returns null when a type is unknown
 */
export function promoteOperands(tensors: readonly Tensor[], numbers: readonly (DtypeCategory | null)[]): string | null {
  const wrapped = tensors.filter(isWrapped);
  const [dimensioned, bare] = [true, false].map((has) =>
    common(tensors.filter((tensor) => tensor.shape.length > 0 === has && !isWrapped(tensor))),
  );
  if (dimensioned === undefined && bare === undefined) return common(wrapped) ?? null;
  let dtype = dimensioned === undefined ? (bare ?? null) : dimensioned;
  if (typeof bare === 'string') dtype = raise(dtype, category(bare), bare);
  for (const kind of [...wrapped.map((tensor) => category(tensor.dtype)), ...numbers])
    dtype = raise(dtype, kind, kind === null ? '' : DEFAULTS[kind]);
  return dtype;
}
