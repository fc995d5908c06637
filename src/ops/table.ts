/**
 * Op name → family. The order of FAMILIES is the order of the generated docs; an op may be in one family only.
 */
import type { OpCall } from '../record/record.js';
import type { Family, KernelFacts, Work } from './family.js';
import { activation } from './families/activation.js';
import { blas } from './families/blas.js';
import { conversion } from './families/conversion.js';
import { convolution } from './families/convolution.js';
import { copying } from './families/copying.js';
import { embedding } from './families/embedding.js';
import { equality } from './families/equality.js';
import { filling } from './families/filling.js';
import { indexing } from './families/indexing.js';
import { joining } from './families/joining.js';
import { loss } from './families/loss.js';
import { normalization } from './families/normalization.js';
import { optimizer } from './families/optimizer.js';
import { pointwise } from './families/pointwise.js';
import { pooling } from './families/pooling.js';
import { random } from './families/random.js';
import { recurrent } from './families/recurrent.js';
import { reduction } from './families/reduction.js';
import { softmax } from './families/softmax.js';
import { opName } from './operands.js';

export const FAMILIES: readonly Family[] = [
  blas,
  convolution,
  recurrent,
  pointwise,
  activation,
  normalization,
  softmax,
  reduction,
  equality,
  pooling,
  loss,
  embedding,
  indexing,
  joining,
  copying,
  conversion,
  filling,
  random,
  optimizer,
];

const BY_NAME = new Map<string, Family>();
/** Op names that are in the table together with a module: only for these the module matters. */
const WITH_MODULE = new Set<string>();
for (const family of FAMILIES) {
  for (const op of family.ops) {
    const other = BY_NAME.get(op);
    if (other !== undefined) throw new Error(`op ${op} is in the families ${other.id} and ${family.id}`);
    BY_NAME.set(op, family);
    for (let dot = op.indexOf('.'); dot !== -1; dot = op.indexOf('.', dot + 1)) WITH_MODULE.add(op.slice(dot + 1));
  }
}

/** The family of a call, or null when no family knows the op. `aten::mm` and `mm` are the same op. */
export function familyOf(call: OpCall): Family | null {
  const op = opName(call);
  const ofModule = WITH_MODULE.has(op) ? BY_NAME.get(`${call.mod}.${op}`) : undefined;
  return ofModule ?? BY_NAME.get(op) ?? null;
}

export interface Described {
  /** Index of the describing call. */
  readonly index: number;
  readonly call: OpCall;
  readonly family: Family;
  readonly work: Work;
}

/**
 * The innermost of the calls around a launch that has a formula for its arguments: it describes the kernel.
 * @param calls outermost first
 */
export function describe(calls: readonly OpCall[], kernel: KernelFacts): Described | null {
  for (let index = calls.length - 1; index >= 0; index--) {
    const call = calls[index];
    const family = call === undefined ? null : familyOf(call);
    if (call === undefined || family === null) continue;
    const work = family.work(call, call.from === undefined ? kernel : doing(kernel));
    if (work !== null) return { index, call, family, work };
  }
  return null;
}

/** A kernel that does the call itself, first and alone: see `KernelFacts`. */
const doing = (kernel: KernelFacts): KernelFacts => ({ ...kernel, dir: 'fprop', sub: 0 });
