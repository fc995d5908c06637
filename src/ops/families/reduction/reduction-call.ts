/** A reduction as the dispatcher runs it: the extents and types of its results from its arguments. */
import type { Arg, OpCall } from '../../../record/record.js';
import { numel, type Tensor } from '../../call.js';
import { dtypeAt } from '../../schema/dtype-argument.js';
import type { Work } from '../../family.js';
import { bind, type BoundArguments } from '../../schema/binding.js';
import { tensor, tensorParams, workOf } from '../../work.js';
import type { Reduction } from './reduction-ops.js';
import { reducedShape, reducedType } from './reduction-result.js';

const SOURCE = 'operations per element: src/ops/families/reduction/reduction-ops.ts; result types: PyTorch';

/** Extents of the result without `keepdim`; or that the dimensions are unspecified, or out of range. */
type ReducedExtents = readonly number[] | 'unspecified' | 'misfit';

function extents(input: Tensor, dim: Arg | undefined): ReducedExtents {
  if (dim === undefined || dim.type === 'NoneType' || dim.value === null) return [];
  // One dimension at most: reducing it reduces all.
  if (dim.value === undefined) return input.shape.length <= 1 ? [] : 'unspecified';
  // A tensor without dimensions may be reduced over its first.
  return input.shape.length === 0 ? [] : (reducedShape(input, dim.value) ?? 'misfit');
}

/** Values, and their positions where the op returns these for a dimension. */
function resultsOf(kind: Reduction, input: Tensor, bound: BoundArguments, shape: readonly number[]): Tensor[] {
  const values = tensor(shape, bound.outs[0]?.dtype ?? reducedType(kind, input, dtypeAt(bound.arg('dtype'))));
  const positioned = kind.indices === true && bound.arg('dim') !== undefined;
  return [...Array.from({ length: kind.results ?? 1 }, () => values), ...(positioned ? [tensor(shape, 'int64')] : [])];
}

/** The work of the dispatcher's call; null when its arguments do not fit. */
export function dispatchedReduction(kind: Reduction, call: OpCall): Work | null {
  const bound = bind(call, ...kind.signatures);
  const input = bound?.tensor('self') ?? null;
  if (bound === null || input === null) return null;
  const recorded = extents(input, bound.arg('dim'));
  // The gradient of the result (`OpCall.out`) has its extents.
  const shape = recorded === 'unspecified' ? (call.out?.[0] ?? recorded) : recorded;
  if (shape === 'misfit') return null;
  const [perInput, perResult] = kind.dispatched ?? kind.flops;
  const results = shape === 'unspecified' ? [] : resultsOf(kind, input, bound, shape);
  const flops = perInput * numel(input.shape) + perResult * numel(results[0]?.shape ?? []);
  const isKnown = shape !== 'unspecified';
  return workOf({
    flops: isKnown || perResult === 0 ? flops : null,
    reads: [input],
    writes: isKnown ? results : null,
    params: tensorParams(input),
    formula: `flops = ${perInput}·E${perResult > 0 ? ` + ${perResult}·E(result)` : ''}; bytes = input + ${results.length > 1 ? 'results' : 'result'}`,
    source: SOURCE,
    ...(isKnown ? {} : { unknown: 'the reduced dimensions are unspecified' }),
  });
}
