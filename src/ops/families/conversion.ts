/**
 * Conversion to another element type.
 */
import { dtypeShort } from '../call.js';
import type { OpCall } from '../../record/record.js';
import type { Family, KernelFacts, Work } from '../family.js';
import { dtypeGiven } from '../dtype-argument.js';
import { opName, subject, tensorAt } from '../operands.js';
import { tensor, tensorParams, trafficWork } from '../work.js';

const SOURCE = 'every element read in one type and written in another';

/** The type that an op's name tells. */
const NAMED: Readonly<Record<string, string>> = {
  bfloat16: 'bfloat16',
  bool: 'bool',
  byte: 'uint8',
  cdouble: 'complex128',
  cfloat: 'complex64',
  char: 'int8',
  double: 'float64',
  float: 'float32',
  half: 'float16',
  int: 'int32',
  long: 'int64',
  short: 'int16',
};

/**
 * The type of the result: by the op's name, as a text argument, or that of another tensor. PyProf's markers drop
 * `torch.dtype` objects: without any of these, the input's type.
 */
function target(call: OpCall): string | null {
  const op = opName(call);
  if (Object.hasOwn(NAMED, op)) return NAMED[op] ?? null;
  return dtypeGiven(call) ?? tensorAt(call, 'other', 1)?.dtype ?? null;
}

function work(call: OpCall, kernel: KernelFacts): Work | null {
  const input = subject(call);
  if (input === null) return null;
  const result = tensor(input.shape, target(call) ?? input.dtype);
  const backward = kernel.dir === 'bprop';
  return trafficWork({
    flops: 0,
    reads: [backward ? result : input],
    writes: [backward ? input : result],
    params: [...tensorParams(input), ['', dtypeShort(result.dtype)]],
    formula: 'flops = 0; bytes = E·(size of input + size of result)',
    source: SOURCE,
  });
}

export const conversion: Family = {
  id: 'conversion',
  title: 'Conversion to another element type',
  ops: [...Object.keys(NAMED), 'to', '_to_copy', 'type', 'type_as'],
  formulas: [
    'flops = 0; bytes = E·(size of input + size of result)',
    'to: the result has the type named by an argument, that of the other tensor, else the type of the input',
  ],
  work,
};
