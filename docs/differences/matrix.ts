/**
 * Differences in linear layers, matrix products, convolutions and recurrent cells.
 */
import { familyOf } from '../../src/ops/table.js';
import { byHand, groupsByHand, kindByHand, pick, unitByHand } from './hand.js';
import type { Probe } from './probe.js';
import type { Difference } from './table.js';

const MATRIX_OP = /^(linear|conv\w*|(b?add|b)?b?mm_?|matmul|__matmul__)$/;
const CELL = /^(LSTM|GRU|RNN)Cell$/;

const isMatrix = ({ call }: Probe): boolean => MATRIX_OP.test(call.op);
const isConvolution = ({ call }: Probe): boolean => call.op.startsWith('conv');
const isCell = ({ call }: Probe): boolean => CELL.test(call.mod);
const aborted = ({ pyprof2, nvidia }: Probe): boolean => pyprof2 === null && nvidia === null;
const isProduct = (probe: Probe): boolean => kindByHand(probe) === 'product';
/** Neither reference has a class for the op. */
const isUnknownToBoth = ({ classes }: Probe): boolean => classes[0] === 'Foo' && classes[1] === 'Foo';
const dtypes = ({ call }: Probe): Set<string | undefined> =>
  new Set(call.args.filter((arg) => arg.type === 'tensor').map((arg) => arg.dtype));

/** Abort reasons by the call; first match wins. */
function abortReason(probe: Probe): 'mixed' | 'bfloat16' | 'kernel' | 'arguments' {
  const types = dtypes(probe);
  if (types.size > 1) return 'mixed';
  if (types.has('bfloat16')) return 'bfloat16';
  const { op, mod, args } = probe.call;
  if (op === 'linear') return 'kernel';
  return op === 'matmul' && mod === 'torch' && args.length === 2 ? 'kernel' : 'arguments';
}

const abortOf =
  (reason: ReturnType<typeof abortReason>) =>
  (probe: Probe): boolean =>
    aborted(probe) && isMatrix(probe) && abortReason(probe) === reason;

const ABORTED = 'the run stops with an assertion';
const ALL = ['op', 'flops', 'bytes', 'tc', 'params'] as const;

const BYTES: readonly Difference[] = [
  {
    id: 'linear-bytes',
    title: 'linear: bytes',
    reference: 'm·n + m·k + n·k·size: only the last term is multiplied by the element size',
    ours: 'all three terms are multiplied',
    why: 'operator precedence; the comment next to their formula describes what we compute',
    formula: 'bytes = size·(m·n + m·k + n·k)',
    cells: ['bytes'],
    applies: (probe) => probe.call.op === 'linear' && isProduct(probe) && !aborted(probe) && probe.pyprof2?.flops !== 0,
    expected: (probe) => pick(byHand(probe), 'bytes'),
  },
  {
    id: 'bias-bytes',
    title: 'bias kernels: bytes',
    reference: '2·|out|, forward and backward; 0 for the elementwise kernel that adds the bias of a convolution',
    ours: 'forward reads the result and the bias and writes the result; backward reads the gradient and writes the bias gradient',
    why: 'each operand is read once, each result written once; the backward figure was nearly twice the traffic',
    formula: 'forward bytes = size·(2·|out| + |bias|), backward bytes = size·(|out| + |bias|)',
    cells: ['bytes'],
    applies: (probe) => !aborted(probe) && kindByHand(probe) === 'adds',
    expected: (probe) => pick(byHand(probe), 'bytes'),
  },
  {
    id: 'matmul-batch-bytes',
    title: 'matmul: bytes of batches',
    reference: 'one matrix product is counted, whatever the batch size',
    ours: 'the whole operands and the whole result; a broadcast operand is read once',
    why: 'FLOPs have the batch factor, so bytes need it too: arithmetic intensity came out too high by that factor',
    formula: 'bytes = size·(|A| + |B| + |A·B|)',
    cells: ['bytes'],
    applies: (probe) => probe.call.op === 'matmul' && probe.call.args.some(({ shape = [] }) => shape.length > 2),
    expected: (probe) => pick(byHand(probe), 'bytes'),
  },
];

const SHARES: readonly Difference[] = [
  {
    id: 'helper-kernels',
    title: 'helper kernels of a product',
    reference: 'split-K reductions, copies and reductions around the product get its FLOPs and bytes again',
    ours: 'role helper: 0 FLOPs, 0 bytes, tc "-"; the product has them once',
    why: 'the work of an op is done once; counted per kernel it adds up to more than the op needs',
    formula: 'flops = 0, bytes = 0',
    cells: ['flops', 'bytes', 'tc'],
    applies: (probe) => isMatrix(probe) && !isConvolution(probe) && !aborted(probe) && kindByHand(probe) === 'helper',
    expected: () => ({ flops: 0, bytes: 0, tc: '-' }),
  },
  {
    id: 'linear-gradient-by-transposition',
    title: 'linear backward: which gradient a GEMM computes',
    reference:
      'the first kernel counts as the input gradient, the second as the weight gradient, later ones as neither',
    ours: 'a name that ends in _nt is the weight gradient, _nn the input gradient; the order only decides without one',
    why: 'dW = dYᵀ·X and dX = dY·W are nt and nn in BLAS; frozen inputs, split-K helpers and the order of the autograd engine break the rule of order (in the V100 language model the weight gradient comes first)',
    formula: 'wgrad: M=in, N=out, K=rows; dgrad: M=in, N=rows, K=out',
    cells: ['params'],
    applies: ({ call, kernel }) => call.op === 'linear' && kernel.dir === 'bprop' && /gemm\w*_nt/.test(kernel.name),
    // The probes' weight is 4096×1024 and their input has 8·128 rows.
    expected: () => ({ params: 'M=1024,N=4096,K=(8,128),fp16,' }),
  },
  {
    id: 'linear-late-product',
    title: 'linear backward: products from the third kernel on',
    reference: '0 FLOPs, 0 bytes',
    ours: 'the FLOPs and bytes of one gradient; params still show X and W, because it is unknown which gradient the kernel computes',
    why: 'helper kernels run between the two products (split-K reductions), and both gradients cost the same',
    formula: 'flops = 2·m·n·k, bytes = size·(m·n + m·k + n·k)',
    cells: ['flops', 'bytes'],
    applies: ({ call, kernel, pyprof2 }) => call.op === 'linear' && kernel.dir === 'bprop' && pyprof2?.flops === 0,
    expected: (probe) => pick(byHand(probe), 'flops', 'bytes'),
  },
  {
    id: 'convolution-kernel-names',
    title: 'convolutions: current kernels',
    reference: '0 FLOPs and 0 bytes for every kernel name outside a list from 2019 (all of Ampere and later)',
    ours: 'every kernel of the call gets the work, except helpers',
    why: 'the call determines the work of a convolution; the kernel name only identifies helpers',
    formula: 'flops = 2·N·K·prod(out)·(C/g)·prod(kernel), bytes = size·(|x| + |W| + |y|)',
    cells: ['flops', 'bytes'],
    applies: (probe) => probe.classes[0] === 'Conv' && isProduct(probe) && probe.pyprof2?.flops === 0,
    expected: (probe) => pick(byHand(probe), 'flops', 'bytes'),
  },
  {
    id: 'grouped-convolution',
    title: 'convolutions with groups',
    reference: 'one kernel per group is assumed and given its share: FLOPs are divided by g twice',
    ours: 'one kernel does all groups',
    why: "today's libraries do this; a group costs 1/g² of the ungrouped convolution, and there are g of them",
    formula: 'flops = 2·N·K·prod(out)·(C/g)·prod(kernel), bytes = size·(|x| + |W| + |y|)',
    cells: ['flops', 'bytes'],
    applies: (probe) =>
      probe.classes[0] === 'Conv' && groupsByHand(probe) > 1 && !/grouped_direct|epthwise/.test(probe.kernel.name),
    expected: (probe) => pick(byHand(probe), 'flops', 'bytes'),
  },
];

const TENSOR_CORES: readonly Difference[] = [
  {
    id: 'tensor-core-names',
    title: 'tensor cores: current names',
    reference: '"-" or 0 for xmma implicit GEMMs, CUTLASS 3 and other names outside their lists',
    ours: '1',
    why: 'the name states the MMA shape, the element types of a tensor-core instruction, or a warp group',
    cells: ['tc'],
    applies: (probe) =>
      isMatrix(probe) &&
      !aborted(probe) &&
      isProduct(probe) &&
      unitByHand(probe) === '1' &&
      probe.pyprof2?.tc !== '1' &&
      probe.nvidia?.tc !== '1',
    expected: () => ({ tc: '1' }),
  },
  {
    id: 'convolution-without-tensor-cores',
    title: 'tensor cores: convolutions that do not use them',
    reference: '"-", as if a convolution could not use them',
    ours: '0: possible but not used',
    why: 'the meaning of 0 that they document, and that they apply to matrix products',
    cells: ['tc'],
    applies: (probe) => probe.classes[0] === 'Conv' && isProduct(probe) && unitByHand(probe) === '0',
    expected: () => ({ tc: '0' }),
  },
  {
    id: 'tensor-cores-undetermined',
    title: 'tensor cores: undetermined names',
    reference: '0 or "-" for whatever is not in the list (cutlass::Kernel without its template arguments)',
    ours: '?',
    why: 'a name without a matching rule does not prove that tensor cores were unused',
    cells: ['tc'],
    applies: (probe) =>
      (isMatrix(probe) || isCell(probe)) &&
      !aborted(probe) &&
      isProduct(probe) &&
      unitByHand(probe) === '?' &&
      !/dot_kernel/.test(probe.kernel.name),
    expected: () => ({ tc: '?' }),
  },
];

const ABORTS: readonly Difference[] = [
  {
    id: 'mixed-element-types',
    title: 'products of mixed element types (automatic mixed precision)',
    reference: ABORTED,
    ours: 'each operand with its own size; the result has the type of the first; the params name both types',
    why: 'the call is as it is; FLOPs do not depend on the type',
    formula: 'bytes = |x|·size(x) + |W|·size(W) + |y|·size(x)',
    cells: ALL,
    applies: abortOf('mixed'),
    expected: byHand,
  },
  {
    id: 'bfloat16',
    title: 'products in bfloat16',
    reference: ABORTED,
    ours: 'an element type of 2 bytes, shown as bf16',
    why: 'a type they do not know',
    formula: 'as for fp16',
    cells: ALL,
    applies: abortOf('bfloat16'),
    expected: byHand,
  },
  {
    id: 'product-kernel-names',
    title: 'linear and matmul: kernel names outside the lists',
    reference: ABORTED,
    ours: 'kernels with clearly elementwise names add the bias of a linear layer; all others compute the product',
    why: 'new kernel families appear every year (nvjet, Triton, CUTLASS 3); the work still follows from the call',
    formula: 'flops = 2·m·n·k, bytes = size·(m·n + m·k + n·k); bias: flops = m·n, bytes = size·(2·m·n + m)',
    cells: ALL,
    applies: abortOf('kernel'),
    expected: byHand,
  },
  {
    id: 'product-arguments',
    title: "products: ways to call them (Tensor.mm, out=, lists, padding='same', groups in conv1d, 1x1 inputs)",
    reference: ABORTED,
    ours: 'the same answer as for the ordinary form of the call',
    why: 'the meaning of the call is documented by the framework',
    formula: "padding 'same': prod(out) = prod(in); else as in the ordinary form",
    cells: ALL,
    applies: abortOf('arguments'),
    expected: byHand,
  },
];

/** B = 64, X = 128, H = 256 in the probes; the products of RNNCell have 1·H rows. */
const RNN_CELL = {
  flops: 2 * 256 * 64 * 128,
  bytes: 4 * (256 * 128 + 128 * 64 + 256 * 64),
  tc: '?',
  params: 'gemm=layer,M=256,N=64,K=128,fp32,',
} as const;

const NEW_OPS: readonly Difference[] = [
  {
    id: 'products-not-known',
    title: 'conv3d, conv_transpose, baddbmm, RNNCell',
    reference: '0 FLOPs, 0 bytes, tc "-", params the bare shapes: ops without a class',
    ours: 'counted like related ops; a transposed convolution over its input positions',
    why: 'matrix work is most of what a network does',
    formula:
      'transposed: flops = 2·N·C·prod(in)·(K/g)·prod(kernel); baddbmm: flops = 2·b·m·n·k; RNNCell: flops = 2·H·B·X or 2·H·B·H',
    cells: ['flops', 'bytes', 'tc', 'params'],
    applies: (probe) => isUnknownToBoth(probe) && (isMatrix(probe) || isCell(probe)),
    expected: (probe) => (isCell(probe) ? RNN_CELL : byHand(probe)),
  },
  {
    id: 'unknown-op',
    title: 'ops without a formula',
    reference: '0 FLOPs, 0 bytes, tc "-", params the bare shapes',
    ours: 'null (na in text)',
    why: 'unknown is not 0: a sum over zeros looks like an answer',
    cells: ['flops', 'bytes', 'tc', 'params'],
    applies: (probe) => isUnknownToBoth(probe) && familyOf(probe.call) === null,
    expected: () => ({ flops: null, bytes: null, tc: 'na', params: 'na' }),
  },
];

const CELLS: readonly Difference[] = [
  {
    id: 'cell-third-product',
    title: 'recurrent cells: a product in the position of the pointwise part',
    reference: 'the third kernel of a step is the pointwise part, whatever its name, and has 0 FLOPs',
    ours: 'a GEMM there is an undetermined product: null; the pointwise kernel has its sums and activations',
    why: 'the kernel name says what it is; helper kernels shift the positions',
    formula: 'pointwise part: flops = 13·H·B LSTM, 10·H·B GRU, 2·H·B RNN',
    cells: ['flops', 'bytes'],
    applies: (probe) =>
      isCell(probe) && probe.kernel.dir === 'fprop' && probe.kernel.sub % 3 === 2 && /gemm/.test(probe.kernel.name),
    expected: () => ({ flops: null, bytes: null }),
  },
  {
    id: 'cell-backward-undetermined',
    title: 'recurrent cells: backward kernels whose part is undetermined',
    reference: '0 FLOPs and 0 bytes, or the run stops with an assertion',
    ours: 'null where tile and grid fit neither or both products, and for the pointwise part',
    why: 'not known is not 0; a tile of 256 covers a width of 256 as well as one of 128',
    cells: ['flops', 'bytes', 'tc', 'params'],
    applies: (probe) => isCell(probe) && probe.kernel.dir === 'bprop' && (aborted(probe) || probe.pyprof2?.flops === 0),
    expected: (probe) => ({
      flops: null,
      bytes: null,
      ...(aborted(probe) ? { tc: unitByHand(probe), params: 'cell=LSTMCell,X=128,H=256,B=64,fp32,' } : {}),
    }),
  },
];

export const MATRIX: readonly Difference[] = [...BYTES, ...SHARES, ...TENSOR_CORES, ...ABORTS, ...NEW_OPS, ...CELLS];
