/** Conversion to another element type. */
import { entryOf, type ByName } from '../../by-name.js';
import { bind } from '../../schema/binding.js';
import { dtypeShort } from '../../../record/element-types.js';
import { type Tensor } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import type { Family, KernelFacts, Work } from '../../family.js';
import { isDispatched, dtypeAt, dtypeGiven } from '../../schema/dispatched.js';
import { inputTensor, tensorAt } from '../../operands.js';
import { tensor, tensorParams, workOf } from '../../work.js';

const SOURCE = 'every element read in one type and written in another';

/** Result type by op name. */
const NAMED: ByName<string> = {
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
  return entryOf(NAMED, call) ?? dtypeGiven(call) ?? tensorAt(call, 'other', 1)?.dtype ?? null;
}

/** Of `to` and `_to_copy`: with the type second, after a device, or that of another tensor. */
const SIGNATURES = [
  '@self dtype non_blocking copy memory_format',
  '@self device dtype non_blocking copy memory_format',
  '@self dtype layout device pin_memory non_blocking memory_format',
  '@self dtype layout device pin_memory non_blocking copy memory_format',
  '@self @other non_blocking copy memory_format',
];

/** The type that the arguments give; the type of the input where they give none, null where it is unspecified. */
function dispatchedTarget(call: OpCall, input: Tensor): string | null {
  const bound = bind(call, ...SIGNATURES);
  const dtype = bound?.arg('dtype');
  if (dtype === undefined || dtype.value === null) return bound?.tensor('other')?.dtype ?? input.dtype;
  return dtypeAt(dtype);
}

function work(call: OpCall, kernel: KernelFacts): Work | null {
  const input = inputTensor(call);
  if (input === null) return null;
  const named = isDispatched(call) ? dispatchedTarget(call, input) : (target(call) ?? input.dtype);
  const result = tensor(input.shape, named);
  const backward = kernel.dir === 'bprop';
  return workOf({
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
