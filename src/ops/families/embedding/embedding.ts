/** Embedding: rows of a table by index. */
import { extentAt, numel, type Tensor, tensors } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import { isDispatched } from '../../schema/dispatched.js';
import type { Family, KernelFacts, Work } from '../../family.js';
import { ruleWork } from '../../schema/op-rules.js';
import { hasIntegerType, opName, tensorAt } from '../../operands.js';
import { EMBEDDING_RULES, lookupParams } from './embedding-bags.js';
import { helperWork, tensor, workOf } from '../../work.js';

const SOURCE = 'PyProf (touched rows); PyTorch embedding_dense_backward, which zeroes the whole gradient first';

interface EmbeddingLookup {
  readonly indices: Tensor;
  readonly table: Tensor;
}

/** `F.embedding(indices, table)` and `torch.embedding(table, indices)`: the whole numbers are the indices. */
function read(call: OpCall): EmbeddingLookup | null {
  const first = tensorAt(call, 'input', 0) ?? tensorAt(call, 'indices', 1);
  const second = tensorAt(call, 'weight', 1) ?? tensorAt(call, 'weight', 0);
  if (first === null || second === null || tensors(call).length > 2) return null;
  const tableFirst = !hasIntegerType(first) && hasIntegerType(second);
  const [indices, table] = tableFirst ? [second, first] : [first, second];
  return table.shape.length === 2 ? { indices, table } : null;
}

const rows = ({ indices, table }: EmbeddingLookup): Tensor =>
  tensor([numel(indices.shape), extentAt(table, 1)], table.dtype);

/** Kernels of the backward pass that only zero the gradient of the table. */
const isZeroing = (kernel: KernelFacts): boolean => kernel.sub === 0 && /elementwise|fill/i.test(kernel.name);

/** Kernels that add into the gradient, whatever came before them. */
const isAddition = (kernel: KernelFacts): boolean => /embedding|grad_weight|indexing_backward/i.test(kernel.name);

function backward(lookup: EmbeddingLookup, kernel: KernelFacts): Work {
  const params = lookupParams(lookup.table, lookup.indices);
  if (isZeroing(kernel)) {
    const formula = 'flops = 0; bytes = gradient of the whole table, zeroed';
    return workOf({ role: 'helper', flops: 0, writes: [lookup.table], params, formula, source: SOURCE });
  }
  if (kernel.sub > 0 && !isAddition(kernel)) return helperWork(params, SOURCE);
  const touched = rows(lookup);
  return workOf({
    flops: numel(touched.shape),
    reads: [touched, touched, lookup.indices],
    writes: [touched],
    params,
    formula: 'flops = n·D; bytes = 3·n·D·size (gradient, old sum, new sum) + indices',
    source: SOURCE,
  });
}

function work(call: OpCall, kernel: KernelFacts): Work | null {
  if (isDispatched(call) || opName(call) !== 'embedding') return ruleWork(EMBEDDING_RULES, call, kernel, SOURCE);
  const lookup = read(call);
  if (lookup === null || !Number.isSafeInteger(numel(rows(lookup).shape))) return null;
  if (kernel.dir === 'bprop') return backward(lookup, kernel);
  const touched = rows(lookup);
  return workOf({
    flops: 0,
    reads: [lookup.indices, touched],
    writes: [touched],
    params: lookupParams(lookup.table, lookup.indices),
    formula: 'flops = 0; bytes = indices + 2·n·D·size',
    source: SOURCE,
  });
}

export const embedding: Family = {
  id: 'embedding',
  title: 'Embedding: rows of a table by index',
  ops: Object.keys(EMBEDDING_RULES),
  formulas: [
    'flops = 0; bytes = indices + 2·n·D·size; n indices, rows of D',
    'backward: flops = n·D; bytes = 3·n·D·size + indices; the kernel before it that zeroes the gradient writes V·D·size',
    'ops of the dispatcher: embedding_dense_backward flops = n·D; bytes = gradient + indices + V·D·size; bags flops = n·D, with weights 2·n·D; bytes = indices + offsets + n·D·size + bags·D·size',
  ],
  work,
};
