/**
 * The operands of an Ascend kernel as its profiler records them: `32,9216;4096,9216;`, `FLOAT;FLOAT;FLOAT`,
 * `FORMAT_ND;FORMAT_ND;FORMAT_ND`, one slot for each tensor. An empty slot is a tensor without dimensions, or an optional
 * tensor that was not passed.
 */
import { elementType } from '../../record/element-types.js';
import type { KernelRecord, Labels } from '../../record/record.js';
import { numel, type Tensor } from '../call.js';

/** A tensor as stored: padded extents, in the order of its format. */
export interface StoredTensor extends Tensor {
  /** Format: 'ND', 'NCHW', 'NC1HWC0', 'FRACTAL_NZ', 'FRACTAL_Z' … */
  readonly format: string;
}

/** A slot; null when it is empty. */
export type OperandSlot = StoredTensor | null;

export interface KernelTensors {
  readonly inputs: readonly OperandSlot[];
  readonly outputs: readonly OperandSlot[];
}

const UNDEFINED = 'UNDEFINED';

/** `DT_BF16` → `bfloat16`. */
const typeOf = (text: string): string => {
  const bare = text.replace(/^DT_/, '');
  return elementType(bare)?.dtype ?? bare.toLowerCase();
};

/** `FORMAT_ND` → `ND`, `NC1HWC0:1` → `NC1HWC0`. */
const formatOf = (text: string): string =>
  text
    .replace(/^FORMAT_/, '')
    .split(':', 1)
    .join();

const listOf = (labels: Labels, name: string): string[] => {
  const text = labels[name];
  return text === undefined ? [] : String(text).split(';');
};

function extentsOf(text: string): number[] | null {
  if (text === '') return null;
  const extents = text.split(',').map(Number);
  return extents.every((extent) => Number.isSafeInteger(extent) && extent >= 0) ? extents : null;
}

/** @param isLone whether an empty slot certainly is a tensor without dimensions */
function slots(labels: Labels, side: 'input' | 'output', isLone: (count: number) => boolean): OperandSlot[] {
  const [shapes, types] = [listOf(labels, `${side}Shapes`), listOf(labels, `${side}Types`)];
  const formats = listOf(labels, `${side}Formats`);
  const count = Math.max(shapes.length, types.length);
  return Array.from({ length: count }, (_, i): OperandSlot => {
    const { [i]: type = '' } = types;
    const { [i]: text = '' } = shapes;
    const { [i]: format = '' } = formats;
    const shape = text === '' && isLone(count) && type !== '' ? [] : extentsOf(text);
    if (shape === null || type.endsWith(UNDEFINED) || !Number.isSafeInteger(numel(shape))) return null;
    return { shape, dtype: typeOf(type), format: formatOf(format) };
  });
}

/** The kernel's inputs and outputs; null when the profile has no operands (level 0). */
export function kernelTensors({ labels }: Pick<KernelRecord, 'labels'>): KernelTensors | null {
  if (labels === undefined) return null;
  // Elementwise kernels have up to three operands, none of them optional; a single result is never optional.
  const tensors = {
    inputs: slots(labels, 'input', (count) => count <= 3),
    outputs: slots(labels, 'output', (count) => count === 1),
  };
  return tensors.inputs.length + tensors.outputs.length === 0 ? null : tensors;
}

export const present = (slotList: readonly OperandSlot[]): StoredTensor[] => slotList.filter((slot) => slot !== null);

/** Rows and columns of a matrix, or of each matrix of a batch; null for a tensor of lower rank. */
export function matrixOf({ shape, format }: StoredTensor): readonly [rows: number, columns: number] | null {
  const [c = 0, d = 0] = shape.slice(-2);
  if (shape.length < 2) return null;
  if (!format.includes('FRACTAL_NZ') || shape.length < 4) return [c, d];
  const [n1 = 0, m1 = 0] = shape.slice(-4);
  return [m1 * c, n1 * d];
}

/** Batch, height and width of a feature map; null for an unknown format. */
export function positionsOf({ shape, format }: StoredTensor): readonly [n: number, h: number, w: number] | null {
  const [n = 0, b = 0, c = 0, d = 0] = shape;
  if (format === 'NC1HWC0' && shape.length === 5) return [n, c, d];
  if (format === 'NHWC' && shape.length === 4) return [n, b, c];
  return shape.length === 4 && (format === 'NCHW' || format === 'ND') ? [n, c, d] : null;
}

/**
 * Kernel names that contain the operator type: `aclnnAddmm_MatMulCommon_MatMulV2`, `trans_TransData_25`,
 * `Conv2DBackpropFilter10`.
 */
const NAMES: readonly RegExp[] = [
  /^trans_([A-Za-z]\w*?)_\d+$/,
  /^aclnn\w*_([A-Za-z][A-Za-z\d]*)$/,
  /^(\w*?[A-Za-z])\d+$/,
];

/** The operator type of a kernel: as recorded in the profile, else from the kernel's name (level 0). */
export function operatorType({ name, labels }: Pick<KernelRecord, 'name' | 'labels'>): string {
  const recorded = labels?.['opType'];
  if (recorded !== undefined) return String(recorded);
  for (const pattern of NAMES) {
    const found = pattern.exec(name)?.[1];
    if (found !== undefined) return found;
  }
  return name;
}
