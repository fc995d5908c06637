/** Conversion to another element type. */
import { mapEntries, type ByName } from '../../by-name.js';
import { dtypeShort } from '../../../record/element-types.js';
import { ALL_OPS, type Family } from '../../family.js';
import { dtypeAt } from '../../schema/dispatched.js';
import { ruleWork, rules, withTensors, type BoundCall, type OpRules, type RuleCost } from '../../schema/op-rules.js';
import { tensor, tensorParams } from '../../work.js';

const SOURCE = 'reads each element in one type and writes it in another';

/** Type of the result by op name. */
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
 * The type in the arguments; the type of the input when they have none, as in PyProf's markers, which drop
 * `torch.dtype` objects; null when it is unspecified.
 */
function typeGiven(bound: BoundCall, input: string): string | null {
  const dtype = bound.arg('dtype');
  if (dtype === undefined || dtype.value === null) return bound.tensor('other')?.dtype ?? input;
  return dtypeAt(dtype);
}

/** The gradient has the type of the input. */
const converted = (named?: string): RuleCost =>
  withTensors('self', (input, bound) => {
    const result = tensor(input.shape, named ?? typeGiven(bound, input.dtype));
    const [from, to] = bound.kernel.dir === 'bprop' ? [result, input] : [input, result];
    return {
      flops: 0,
      reads: [from],
      writes: [to],
      params: [...tensorParams(input), ['', dtypeShort(result.dtype)]],
      formula: 'flops = 0; bytes = E·(size of input + size of result)',
    };
  });

/** The type is the second argument, after a device, or the type of another tensor. */
const RULES: OpRules = {
  ...mapEntries(NAMED, (type) => ({ fact: converted(type), signatures: ['@self ...'] })),
  ...rules`
    ${converted()} to _to_copy type type_as: @self dtype non_blocking copy memory_format
        | @self device dtype non_blocking copy memory_format
        | @self dtype layout device pin_memory non_blocking memory_format
        | @self dtype layout device pin_memory non_blocking copy memory_format
        | @self @other non_blocking copy memory_format
  `,
};

export const conversion: Family = {
  id: 'conversion',
  title: 'Conversion to another element type',
  category: 'copy',
  ops: Object.keys(RULES),
  onlyMoves: ALL_OPS,
  formulas: [
    'flops = 0; bytes = E·(size of input + size of result)',
    "to: the result's type is that of the arguments or the other tensor, otherwise that of the input",
  ],
  work: (call, kernel) => ruleWork(RULES, call, kernel, SOURCE),
};
