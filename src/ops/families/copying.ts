/**
 * Copies: between tensors, into another layout, into a padded or repeated tensor.
 */
import { argument, dtypeShort, numel, positional, type Tensor } from '../call.js';
import type { OpCall } from '../../record/record.js';
import type { Family, KernelFacts, Work } from '../family.js';
import { opName, subject, tensorAt, wholes } from '../operands.js';
import { showShape, tensor, tensorParams, trafficWork } from '../work.js';

const SOURCE = 'every element read once and written once';

/** copy_(target, source): the source may be broadcast and of another type. */
function copyInto(call: OpCall): Work | null {
  const target = subject(call);
  const source = tensorAt(call, 'src', 1) ?? tensorAt(call, 'source', 1) ?? tensorAt(call, 'other', 1);
  if (target === null || source === null) return null;
  return trafficWork({
    flops: 0,
    reads: [source],
    writes: [target],
    params: [
      ['T', showShape(target.shape)],
      ['', dtypeShort(source.dtype)],
      ['', dtypeShort(target.dtype)],
    ],
    formula: 'flops = 0; bytes = source + target',
    source: SOURCE,
  });
}

/** A plain copy. A view launches no kernel, so that a kernel of `reshape` is a copy. */
function copy(call: OpCall): Work | null {
  const input = subject(call);
  if (input === null) return null;
  const params = tensorParams(input);
  const formula = 'flops = 0; bytes = 2·E·size';
  return trafficWork({ flops: 0, reads: [input], writes: [input], params, formula, source: SOURCE });
}

/** Extents after padding: pairs of (before, after), last dimension first; negative ones cut. */
function paddedShape(input: Tensor, pad: readonly number[]): number[] | null {
  if (pad.length % 2 === 1 || pad.length > 2 * input.shape.length) return null;
  const shape = input.shape.map((extent, i) => {
    const at = 2 * (input.shape.length - 1 - i);
    return extent + (pad[at] ?? 0) + (pad[at + 1] ?? 0);
  });
  return shape.every((extent) => extent >= 0) ? shape : null;
}

/** Extents after repeating: counts for the last dimensions, more counts than dimensions prepend new ones. */
function repeatedShape(input: Tensor, counts: readonly number[]): number[] | null {
  if (counts.some((count) => count < 0)) return null;
  const rank = Math.max(input.shape.length, counts.length);
  const extent = (list: readonly number[], i: number): number => list[i - rank + list.length] ?? 1;
  return Array.from({ length: rank }, (_, i) => extent(input.shape, i) * extent(counts, i));
}

/** Whole numbers in one sequence, or spread over the positional arguments after the first. */
function sequence(call: OpCall, name: string): number[] | null {
  const spread = positional(call).slice(1);
  const numbers = spread.map(({ value }) => wholes(value)).filter((list) => list !== null);
  if (spread.length > 1 && numbers.length === spread.length) return numbers.flat();
  return wholes(argument(call, name, 1)?.value);
}

function enlarged(call: OpCall, kernel: KernelFacts): Work | null {
  const input = subject(call);
  const pads = opName(call) !== 'repeat' && opName(call) !== 'tile';
  const given = pads ? wholes(argument(call, 'pad', 1)?.value) : sequence(call, 'repeats');
  const shape = input === null || given === null ? null : (pads ? paddedShape : repeatedShape)(input, given);
  if (input === null || shape === null || !Number.isSafeInteger(numel(shape))) return null;
  const result = tensor(shape, input.dtype);
  const backward = kernel.dir === 'bprop';
  return trafficWork({
    flops: backward && !pads ? numel(shape) : 0,
    reads: [backward ? result : input],
    writes: [backward ? input : result],
    params: tensorParams(input),
    formula: `flops = ${backward && !pads ? 'E(result)' : '0'}; bytes = input + result`,
    source: SOURCE,
  });
}

type Formula = (call: OpCall, kernel: KernelFacts) => Work | null;

const named = (names: string, formula: Formula): [string, Formula][] => names.split(' ').map((op) => [op, formula]);

const FORMULAS: ReadonlyMap<string, Formula> = new Map([
  ...named('copy_ copy', copyInto),
  ...named('clone contiguous reshape flatten ravel cuda cpu npu', copy),
  ...named('pad constant_pad_nd repeat tile', enlarged),
]);

export const copying: Family = {
  id: 'copying',
  title: 'Copies: copy_, clone, contiguous, reshape, pad, repeat',
  ops: [...FORMULAS.keys()],
  formulas: [
    'flops = 0',
    'copy_: source + target, each with its own size; clone, contiguous, reshape: 2·E·size (a kernel is launched only when it copies)',
    'pad, repeat: input + result; backward of repeat: E(result) additions',
  ],
  work: (call, kernel) => FORMULAS.get(opName(call))?.(call, kernel) ?? null,
};
