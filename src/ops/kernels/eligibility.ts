/** Whether the matrix unit could do an op's product: its element type, and extents that fill the unit. */
import type { OpCall } from '../../record/record.js';
import { numel, type Tensor } from '../call.js';
import { matrixTypes, multipleOf, type MathType } from './matrix-unit.js';
import { inputTensors, opName } from '../operands.js';

const matrices = (tensors: readonly Tensor[]): Tensor[] => tensors.filter(({ shape }) => shape.length >= 2);

/** Rows of a linear layer's input are one extent, however many dimensions they come in. */
function linearExtents(tensors: readonly Tensor[]): number[] {
  const [x, weight] = tensors;
  return x === undefined ? [] : [numel(x.shape.slice(0, -1)), ...(weight?.shape ?? [])];
}

/** Channels within a group, in and out: the weight's first two extents, the first one for all groups together. */
function convolutionExtents(tensors: readonly Tensor[], call: OpCall): number[] {
  const [left, right, third] = matrices(tensors);
  const backward = /backward/.test(opName(call));
  const [input, weight] = backward ? [right, third] : [left, right];
  const [channels] = input?.shape.slice(1) ?? [];
  const [out, within] = weight?.shape ?? [];
  if (channels === undefined || out === undefined || within === undefined || within === 0) return [];
  // A transposed convolution's weight has the input's channels first.
  const groups = channels % within === 0 ? channels / within : 1;
  return out % groups === 0 ? [out / groups, within] : [out, within];
}

/** Head sizes: the sequence is tiled by the kernel, whatever its length. */
const attentionExtents = (tensors: readonly Tensor[]): number[] =>
  matrices(tensors)
    .slice(0, 3)
    .map(({ shape }) => shape.at(-1) ?? 1);

const productExtents = (tensors: readonly Tensor[]): number[] =>
  matrices(tensors).flatMap(({ shape }) => shape.slice(-2));

type ExtentReader = (tensors: readonly Tensor[], call: OpCall) => number[];

/** Which extents must fill the unit, by op name; first match wins. */
const EXTENTS: readonly (readonly [RegExp, ExtentReader])[] = [
  [/^linear$/, linearExtents],
  [/conv/, convolutionExtents],
  [/attention|attn/, attentionExtents],
];

/** The extents of a product that should be multiples, without repetitions; [] when they are not known. */
export function productExtentsOf(call: OpCall): number[] {
  const find = EXTENTS.find(([pattern]) => pattern.test(opName(call)))?.[1] ?? productExtents;
  return [...new Set(find(inputTensors(call) ?? [], call))];
}

/** FP32 operands go through NVIDIA's unit as TF32. */
export const typeOnUnit = (type: MathType, types: readonly MathType[]): MathType | null =>
  types.includes(type) ? type : type === 'fp32' && types.includes('tf32') ? 'tf32' : null;

/** The first extent that does not fill the unit; null when all do, or none is known. */
export function unalignedExtent(call: OpCall, type: MathType, arch: string | undefined): number | null {
  const multiple = multipleOf(type, arch);
  return productExtentsOf(call).find((extent) => extent % multiple !== 0) ?? null;
}

/**
 * Whether the unit could do the product of a call.
 * @param type what the product is done in
 * @param arch of the device
 * @returns null when the type, the architecture or the extents are not known
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
