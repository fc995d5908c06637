/**
 * Elementwise ops told by a signature alone: what they read, what they write, and operations per element.
 */
import { numel, type Tensor } from '../call.js';
import type { OpCall } from '../../record/record.js';
import type { Work } from '../family.js';
import { bind, type Bound } from '../binding.js';
import { tensor, tensorListParams, trafficWork } from '../work.js';

/** One op. */
export interface SignatureOp {
  /** See `bind`. */
  readonly signature: string;
  /** Arguments that each have a new result of their extents and type; an `out` variant is given these. */
  readonly makes: readonly string[];
  /** Operations per element of the argument `per`. */
  readonly flops: number;
  readonly per: string;
}

/** The op's new results: as large as the arguments they are made like, of the type of the out tensor where there is one. */
function results(op: SignatureOp, bound: Bound): Tensor[] {
  const like = op.makes.flatMap((name) => bound.tensors(name));
  return like.map(({ shape, dtype }, i) => tensor(shape, bound.outs[i]?.dtype ?? dtype));
}

/** Arguments that the op writes, without those of an out variant. */
const written = (bound: Bound): readonly Tensor[] => bound.writes.slice(0, bound.writes.length - bound.outs.length);

/** The work of a call of the dispatcher that fits the op's signature, else null. */
export function signatureWork(op: SignatureOp, call: OpCall, source: string): Work | null {
  const bound = call.from === undefined ? null : bind(call, op.signature);
  const counted = bound?.tensors(op.per) ?? [];
  if (bound === null || counted.length === 0) return null;
  return trafficWork({
    flops: counted.reduce((sum, { shape }) => sum + op.flops * numel(shape), 0),
    reads: bound.reads,
    writes: [...written(bound), ...results(op, bound)],
    params: tensorListParams(bound.reads),
    formula: `flops = ${op.flops}·E(${op.per}); bytes = operands read + results written`,
    source,
  });
}
