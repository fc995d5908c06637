/**
 * Differences in elementwise ops, reductions, normalisations and memory movement.
 */
import { elementwiseByHand, operands, paramsByHand } from './elementwise-hand.js';
import { pick } from './hand.js';
import type { Cell, Probe } from './probe.js';
import type { Difference } from './table.js';

type Text = Pick<Difference, 'id' | 'title' | 'reference' | 'ours' | 'why'> & { readonly formula?: string };

const aborted = ({ pyprof2, nvidia }: Probe): boolean => pyprof2 === null && nvidia === null;
const isBackward = ({ kernel }: Probe): boolean => kernel.dir === 'bprop';
const isForward = (probe: Probe): boolean => !isBackward(probe);

/** Answered by at least one reference, for these ops. */
const answered =
  (ops: RegExp, also: (probe: Probe) => boolean = () => true) =>
  (probe: Probe): boolean =>
    ops.test(probe.call.op) && !aborted(probe) && also(probe);

/** Stopped by an assertion in both references, for these ops. */
const stopped =
  (ops: RegExp, also: (probe: Probe) => boolean = () => true) =>
  (probe: Probe): boolean =>
    ops.test(probe.call.op) && aborted(probe) && also(probe);

/** A difference whose cells have the values worked out by hand. */
const difference = (cells: readonly Cell[], applies: (probe: Probe) => boolean, text: Text): Difference => ({
  ...text,
  cells,
  applies,
  expected: (probe) => pick(elementwiseByHand(probe), ...cells),
});

const ALL = ['flops', 'bytes', 'tc', 'params'] as const;
const ABORTED = 'the run stops with an assertion';
const UNKNOWN = '0 FLOPs, 0 bytes, params the bare shapes: ops without a class';

const hasType =
  (dtype: string) =>
  ({ call }: Probe): boolean =>
    call.args.some((arg) => arg.dtype === dtype);

const isMixed = (probe: Probe): boolean => new Set(operands(probe).map(({ short }) => short)).size > 1;

const POINTWISE: readonly Difference[] = [
  difference(['flops'], answered(/^(tanh|sigmoid|pow|erf|digamma|atan2)$/), {
    id: 'function-weight',
    title: 'functions: operations per element',
    reference:
      'PyProf2: 4 for tanh and sigmoid, 1 for exp, 0 for pow, erf, digamma and atan2; NVIDIA PyProf: 20 for all',
    ours: 'one call of a function is one operation, forward and backward',
    why: 'figures of different functions can be added up; what a function costs depends on hardware and library',
    formula: 'flops = E(result)',
  }),
  difference(['flops'], answered(/^lerp$/), {
    id: 'lerp-flops',
    title: 'lerp: FLOPs',
    reference: '0',
    ours: '3 per element: difference, product, sum',
    why: 'a + w·(b − a)',
    formula: 'flops = 3·E(result)',
  }),
  difference(['flops'], answered(/^add_$/), {
    id: 'sum-with-factor',
    title: 'add and sub with a factor: FLOPs',
    reference: '1.5 per element: half an operation per element read or written',
    ours: '2 per element, a multiply-add; 1 where the factor is 1',
    why: 'a + alpha·b',
    formula: 'flops = 2·E(result)',
  }),
  difference(['flops'], answered(/^(add|__radd__)$/, isBackward), {
    id: 'sum-gradient',
    title: 'add and sub backward: FLOPs',
    reference: 'PyProf2: half an operation per element moved; NVIDIA PyProf: 0',
    ours: '0 where the gradient is passed on; E(result) additions for each operand that was broadcast',
    why: 'the gradient of a broadcast operand is a sum',
    formula: 'flops = E(result)·(operands broadcast)',
  }),
  difference(['bytes'], answered(/^(exp|tanh|sigmoid|pow|clamp|sqrt|erf|digamma)$/, isBackward), {
    id: 'saved-operand',
    title: 'functions backward: bytes',
    reference: 'gradient read, gradient written',
    ours: 'the saved input or result is read too',
    why: 'the derivative depends on it',
    formula: 'bytes = 3·E·size',
  }),
  difference(['flops', 'bytes'], answered(/^round$/, isBackward), {
    id: 'step-gradient',
    title: 'rounding backward',
    reference: 'E operations, gradient read and gradient written',
    ours: '0 FLOPs, zeros written',
    why: 'the derivative of a step function is zero, whatever the gradient',
    formula: 'flops = 0, bytes = E·size',
  }),
  difference(ALL, stopped(/^(add_|mul|lerp|atan2|__gt__|__eq__|__and__)$/, isBackward), {
    id: 'pointwise-backward',
    title: 'pointwise ops backward, other than add, sub, div and __mul__',
    reference: ABORTED,
    ours: 'a product: a kernel per operand; other functions: gradient, saved operands, gradient; comparisons and logic: the forward figures',
    why: 'any op can run in the backward pass; one without a gradient is recomputed there',
    formula: 'mul: flops = E, bytes = 3·E·size; atan2: flops = E, bytes = 4·E·size; lerp: flops = E, bytes = 2·E·size',
  }),
  difference(ALL, stopped(/^(add|long)$/, hasType('bfloat16')), {
    id: 'bfloat16-elementwise',
    title: 'elementwise ops in bfloat16',
    reference: ABORTED,
    ours: 'an element type of 2 bytes, shown as bf16',
    why: 'a type they do not know',
    formula: 'as for fp16',
  }),
  {
    id: 'params-in-one-form',
    title: 'params: one form',
    reference:
      'NVIDIA PyProf: [64,64]fp32;[64,64]fp16 for some classes, PyProf2’s form for others; unknown to PyProf2: bare shapes',
    ours: 'PyProf2’s form for every op: T=[(64,64),(64,64)],fp32,fp16,',
    why: 'one form can be searched and split',
    cells: ['params'],
    applies: ({ pyprof2, nvidia, classes }) =>
      (pyprof2 === null && nvidia?.params.startsWith('[') === true) || (classes[0] === 'Foo' && classes[1] !== 'Foo'),
    expected: (probe) => ({ params: paramsByHand(probe) }),
  },
  {
    id: 'zero-dimensional',
    title: 'params of a tensor without dimensions',
    reference: 'PyProf2: fp32 whatever its type; NVIDIA PyProf: []int32',
    ours: 'the type that its value has in the marker',
    why: 'the marker writes such a tensor as a Python number',
    cells: ['params'],
    applies: ({ call, pyprof2 }) => call.op === 'add' && pyprof2 !== null && call.args[0]?.type === 'int',
    expected: (probe) => ({ params: paramsByHand(probe) }),
  },
];

const ACTIVATIONS_AND_NORMS: readonly Difference[] = [
  difference(['bytes'], answered(/^prelu$/), {
    id: 'prelu-weight',
    title: 'prelu: bytes',
    reference: 'without the weight',
    ours: 'the weight is read too',
    why: 'each operand is read once',
    formula: 'bytes = 2·E·size + weight',
  }),
  difference(['flops', 'bytes', 'params'], answered(/^(gelu|silu|hardswish|glu)$/), {
    id: 'activations-not-known',
    title: 'gelu, silu, hardswish, glu',
    reference: UNKNOWN,
    ours: 'activations like relu; glu has half the results, of two operations each',
    why: 'most networks of today use them',
    formula: 'flops = E, bytes = 2·E·size; glu: flops = E, bytes = 1.5·E·size',
  }),
  difference(['flops', 'bytes'], answered(/softmax$/), {
    id: 'softmax-count',
    title: 'softmax and log_softmax: FLOPs and bytes',
    reference: 'PyProf2: 0 FLOPs; NVIDIA PyProf: 40 or 21 per element; both: 3·E·size bytes forward, 5·E·size backward',
    ours: '5 per element forward (maximum, subtraction, exponential, sum, division), 4 backward (1 in an elementwise kernel, which makes the products for the softmax kernel); input and result, backward gradient, result and gradient',
    why: 'one operation per function call; each operand read once, each result written once',
    formula: 'flops = 5·E, bytes = 2·E·size; backward flops = 4·E, bytes = 3·E·size',
  }),
  difference(ALL, stopped(/^softmax$/), {
    id: 'softmax-forms',
    title: 'torch.softmax, Tensor.softmax, more than two arguments',
    reference: ABORTED,
    ours: 'the same answer as for torch.nn.functional.softmax',
    why: 'the meaning of the call is documented by the framework',
    formula: 'as above',
  }),
  difference(['bytes'], answered(/^batch_norm$/), {
    id: 'batch-norm-bytes',
    title: 'batch_norm: bytes',
    reference: '4·E·size forward, 5·E·size backward',
    ours: 'forward reads the input and writes the result; backward reads the input and the gradient, and writes the gradient of the input; both also count the parameters',
    why: 'least traffic, as everywhere: each operand read once, each result written once. A kernel that reads its input again shows it as a lower achieved bandwidth',
    formula: 'bytes = 2·E·size + parameters; backward 3·E·size + weight + gradients of weight and bias',
  }),
  difference(['flops', 'bytes', 'params'], answered(/^(layer_norm|group_norm)$/), {
    id: 'norms-not-known',
    title: 'layer_norm, group_norm',
    reference: UNKNOWN,
    ours: 'layer_norm 4 per element (5 with weights), group_norm 5; input, result, mean and deviation of each row or group',
    why: 'the formulas of the dispatcher ops, in every convention; layer_norm as counted by fvcore',
    formula: 'flops = 4·E (group_norm 5·E), bytes = 2·E·size + 2·n·4 for n rows or groups',
  }),
  difference(['flops', 'bytes', 'params'], answered(/^max_pool2d$/), {
    id: 'pooling-not-known',
    title: 'pooling',
    reference: UNKNOWN,
    ours: 'one operation per window element; input, result and, for max pooling, int64 positions',
    why: 'the positions are what the backward pass needs',
    formula: 'flops = E(result)·window, bytes = E·size + E(result)·(size + 8)',
  }),
];

const REDUCTIONS: readonly Difference[] = [
  difference(['bytes'], answered(/^(sum|norm)$/, isForward), {
    id: 'reduction-result',
    title: 'sum and norm: bytes',
    reference: 'the input',
    ours: 'the result too',
    why: 'it is not small when only one dimension is reduced; NVIDIA PyProf counts that of mean',
    formula: 'bytes = (E + E(result))·size',
  }),
  difference(['flops', 'bytes'], answered(/^(sum|mean|norm)$/, isBackward), {
    id: 'reduction-gradient',
    title: 'sum, mean and norm backward',
    reference: 'the forward figures',
    ours: 'sum: the gradient is copied to every element; mean: it is divided as well; norm: input and result are read too',
    why: 'a gradient of the size of the input is written',
    formula: 'bytes = (E + E(result))·size, norm twice that; flops: sum 0, mean E, norm E + E(result)',
  }),
  difference(['flops', 'bytes'], answered(/^any$/), {
    id: 'any-count',
    title: 'any: FLOPs and bytes',
    reference: '0 FLOPs, E·size bytes',
    ours: 'one operation per element, and the result of one byte',
    why: 'logical operations are counted in other ops',
    formula: 'flops = E, bytes = E·size + 1',
  }),
  difference(ALL, stopped(/^(mean|norm|any)$/), {
    id: 'reduction-forms',
    title: 'mean with keepdim, norm of a tensor without dimensions, torch.any',
    reference: ABORTED,
    ours: 'the same answer as for the ordinary form of the call',
    why: 'the meaning of the call is documented by the framework',
    formula: 'as above',
  }),
];

const MEMORY: readonly Difference[] = [
  difference(['bytes'], answered(/^dropout$/), {
    id: 'dropout-mask',
    title: 'dropout: bytes',
    reference: '2·E·size',
    ours: 'and a mask of one byte per element',
    why: 'the mask is written forward and read backward',
    formula: 'bytes = 2·E·size + E',
  }),
  difference(['flops'], answered(/^dropout$/, isBackward), {
    id: 'dropout-gradient',
    title: 'dropout backward: FLOPs',
    reference: '5 per element, as forward',
    ours: '2 per element',
    why: 'products with mask and scale; no random number is drawn',
    formula: 'flops = 2·E',
  }),
  difference(['bytes'], answered(/^embedding$/, isBackward), {
    id: 'embedding-zeros',
    title: 'embedding backward: the first kernel',
    reference: 'the elementwise kernel that comes first has 3·n·D·size, the one that adds the gradients 0',
    ours: 'the first zeroes the gradient of the whole table; the one that adds has n·D FLOPs and 3·n·D·size bytes',
    why: 'their names say what they do, and so does the time: 30 µs for a table of 27 MB on a V100',
    formula: 'bytes = V·D·size',
  }),
  difference(['bytes'], answered(/^gather$/, isForward), {
    id: 'gather-index',
    title: 'gather: bytes',
    reference: '2·E(input)·size',
    ours: 'the elements picked, read and written, and the index',
    why: 'there is one result per index',
    formula: 'bytes = 2·E(index)·size + 8·E(index)',
  }),
  difference(['flops', 'bytes'], answered(/^(gather|index_select)$/, isBackward), {
    id: 'pick-gradient',
    title: 'gather and index_select backward',
    reference: 'the forward figures',
    ours: 'each gradient is added to the element that was picked',
    why: 'an index may occur twice',
    formula: 'flops = E(picked), bytes = 3·E(picked)·size + 8·E(index)',
  }),
  difference(ALL, stopped(/^masked_/), {
    id: 'bool-masks',
    title: 'masked_select, masked_scatter_ with bool masks',
    reference: ABORTED,
    ours: 'as with uint8 masks: the worst case, every element chosen; without `--convention pyprof` the bytes are unknown',
    why: 'masks are bool since PyTorch 1.2',
    formula: 'bytes = 2·E·size + E',
  }),
  difference(['bytes'], answered(/^reshape$/), {
    id: 'reshape-copies',
    title: 'reshape: bytes',
    reference: '0',
    ours: 'input and result',
    why: 'a view launches no kernel: where there is one, it copies',
    formula: 'bytes = 2·E·size',
  }),
  difference(['flops'], answered(/^adam$/), {
    id: 'adam-flops',
    title: 'fused Adam: FLOPs',
    reference: '0',
    ours: '13 per weight',
    why: 'unscaling 1, moments 3 and 4, root and epsilon 2, step 3',
    formula: 'flops = 13·E',
  }),
  difference(
    ['bytes'],
    answered(/^(zeros|full)$/, ({ nvidia }) => nvidia === null),
    {
      id: 'filling-keywords',
      title: 'zeros and full with device=',
      reference: 'PyProf2: 0 bytes; NVIDIA PyProf: the run stops with an assertion',
      ours: 'E·size',
      why: 'the device changes nothing',
      formula: 'bytes = E·size',
    },
  ),
  difference(ALL, stopped(/^cat$/, isMixed), {
    id: 'cat-mixed-types',
    title: 'cat of mixed element types',
    reference: ABORTED,
    ours: 'each operand with its own size, the result with the promoted type',
    why: 'the call is as it is',
    formula: 'bytes = operands + E(result)·size(promoted)',
  }),
  difference(
    ALL,
    stopped(/^(relu|to|gather|copy_|cat)$/, (probe) => probe.call.op !== 'cat' || !isMixed(probe)),
    {
      id: 'elementwise-arguments',
      title:
        'ways to call: relu(input=), to(device), gather(sparse_grad=), copy_(non_blocking), copy_ with broadcast, cat without dim',
      reference: ABORTED,
      ours: 'the same answer as for the ordinary form of the call',
      why: 'the meaning of the call is documented by the framework',
      formula: 'copy_: bytes = source + target; others as in the ordinary form',
    },
  ),
];

export const ELEMENTWISE: readonly Difference[] = [...POINTWISE, ...ACTIVATIONS_AND_NORMS, ...REDUCTIONS, ...MEMORY];
