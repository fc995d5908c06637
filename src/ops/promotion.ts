/**
 * The element type of a result: PyTorch's type promotion.
 */
import { dtypeBytes, type Tensor } from './call.js';

/** Categories in order of precedence (PyTorch documentation, "Tensor Attributes", type promotion). */
const CATEGORIES = ['bool', 'int', 'float', 'complex'] as const;
type Category = (typeof CATEGORIES)[number];

const INTEGERS = new Set(['byte', 'char', 'short', 'int', 'long', 'qint8', 'quint8', 'qint32']);

/** The type a Python number has when it decides the result: PyTorch's default types. */
const DEFAULTS: Readonly<Record<Category, string>> = {
  bool: 'bool',
  int: 'int64',
  float: 'float32',
  complex: 'complex64',
};

/** Category of an element type, or null when the type is not known. */
export function category(dtype: string): Category | null {
  if (dtypeBytes(dtype) === null) return null;
  if (dtype === 'bool') return 'bool';
  if (dtype.startsWith('complex')) return 'complex';
  return INTEGERS.has(dtype) || /^u?int\d+$/.test(dtype) ? 'int' : 'float';
}

const rank = (name: Category): number => CATEGORIES.indexOf(name);

/** Two types of one width that hold each other's values in neither: the next wider type of their category. */
const widened = (kind: Category): string => (kind === 'int' ? 'int16' : 'float32');

/** Result type of two types; null when one of them is not known. */
function promotePair(a: string, b: string): string | null {
  const [kindA, kindB] = [category(a), category(b)];
  if (a === b) return a;
  if (kindA === null || kindB === null) return null;
  if (kindA !== kindB) return rank(kindA) > rank(kindB) ? a : b;
  const [bytesA, bytesB] = [dtypeBytes(a) ?? 0, dtypeBytes(b) ?? 0];
  if (bytesA !== bytesB) return bytesA > bytesB ? a : b;
  return bytesA <= 2 ? widened(kindA) : a;
}

/**
 * Result type of an op on these tensors and Python numbers.
 *
 * The higher category wins, within a category the wider type. A Python number counts only when its category is higher
 * than that of every tensor; then the result has the default type of that category.
 * @returns null when it cannot be told
 */
export function promote(tensors: readonly Tensor[], scalars: readonly (boolean | number)[] = []): string | null {
  const [first, ...rest] = tensors.map((tensor) => tensor.dtype);
  if (first === undefined) return null;
  const dtype = rest.reduce<string | null>((a, b) => (a === null ? null : promotePair(a, b)), first);
  const kind = dtype === null ? null : category(dtype);
  if (dtype === null || kind === null) return dtype;
  const highest = Math.max(-1, ...scalars.map((scalar) => rank(scalarCategory(scalar))));
  const winner = CATEGORIES[highest];
  return winner !== undefined && highest > rank(kind) ? DEFAULTS[winner] : dtype;
}

function scalarCategory(scalar: boolean | number): Category {
  if (typeof scalar === 'boolean') return 'bool';
  return Number.isInteger(scalar) ? 'int' : 'float';
}

/** Result type of an op that computes in floating point: whole numbers become the default type. */
export function floating(dtype: string | null): string | null {
  const kind = dtype === null ? null : category(dtype);
  return kind === 'bool' || kind === 'int' ? DEFAULTS.float : dtype;
}
