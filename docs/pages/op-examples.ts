/** One call for every family of ops, with the kernel that it launches: the worked examples of docs/ops.md. */
import { renderParams, type Family, type KernelFacts } from '../../src/ops/family.js';
import { asTensor, showTensor } from '../../src/ops/call.js';
import { describe } from '../../src/ops/table.js';
import type { Arg, ArgValue, OpCall } from '../../src/record/record.js';
import { code, grouped } from './markdown.js';

interface Example {
  readonly call: OpCall;
  /** Name of the kernel. */
  readonly kernel: string;
}

const t = (dtype: string, ...shape: readonly number[]): Arg => ({ name: '', type: 'tensor', shape, dtype });
const v = (value: ArgValue, name = ''): Arg => ({ name, type: typeof value, value });

function example(name: string, kernel: string, ...args: readonly Arg[]): Example {
  const dot = name.lastIndexOf('.');
  return { call: { mod: name.slice(0, dot), op: name.slice(dot + 1), args }, kernel };
}

const F = 'torch.nn.functional';
const ELEMENTWISE = 'at::native::vectorized_elementwise_kernel';

/** By the family's id. */
const EXAMPLES: Readonly<Record<string, Example>> = {
  blas: example(
    `${F}.linear`,
    'ampere_fp16_s16816gemm_fp16_64x64_ldg8_f2f_stages_64x5_tn',
    t('float16', 8, 64, 256),
    t('float16', 1024, 256),
    t('float16', 1024),
  ),
  convolution: example(
    `${F}.conv2d`,
    'cudnn::detail::implicit_convolve_sgemm',
    t('float32', 64, 6, 14, 14),
    t('float32', 16, 6, 5, 5),
    t('float32', 16),
  ),
  recurrent: example(
    'LSTMCell.forward',
    'volta_sgemm_32x32_sliced1x4_tn',
    t('float32', 64, 128),
    t('float32', 64, 256),
    t('float32', 64, 256),
  ),
  pointwise: example('Tensor.__mul__', ELEMENTWISE, t('float32', 64, 1024), t('float32', 64, 1)),
  activation: example(`${F}.relu`, ELEMENTWISE, t('float32', 64, 6, 28, 28)),
  normalization: example(
    `${F}.layer_norm`,
    'at::native::vectorized_layer_norm_kernel',
    t('float16', 8, 64, 256),
    v([256]),
    t('float16', 256),
    t('float16', 256),
  ),
  softmax: example(`${F}.softmax`, 'softmax_warp_forward', t('float32', 64, 1000), v(1, 'dim')),
  reduction: example('torch.mean', 'at::native::reduce_kernel', t('float32', 64, 1000)),
  equality: example('torch.equal', ELEMENTWISE, t('float32', 64, 1000), t('float32', 64, 1000)),
  pooling: example(
    `${F}.max_pool2d`,
    'at::native::max_pool_forward_nchw',
    t('float32', 64, 6, 28, 28),
    v(2, 'kernel_size'),
  ),
  loss: example(`${F}.mse_loss`, 'at::native::reduce_kernel', t('float32', 64, 1000), t('float32', 64, 1000)),
  embedding: example(`${F}.embedding`, 'at::native::indexSelectLargeIndex', t('int64', 8, 64), t('float16', 1000, 256)),
  indexing: example(
    'torch.gather',
    'at::native::vectorized_gather_kernel',
    t('float32', 64, 1000),
    v(1),
    t('int64', 64, 10),
  ),
  joining: example(
    'torch.cat',
    'at::native::CatArrayBatchedCopy',
    t('float32', 64, 1000),
    t('float32', 64, 24),
    v(1, 'dim'),
  ),
  copying: example('Tensor.contiguous', ELEMENTWISE, t('float32', 64, 1000)),
  conversion: example('Tensor.half', ELEMENTWISE, t('float32', 64, 1000)),
  filling: example('torch.zeros', ELEMENTWISE, v(64), v(1000)),
  random: example(`${F}.dropout`, 'at::native::fused_dropout_kernel_vec', t('float16', 8, 64, 256)),
  optimizer: example(
    'fused_adam_cuda.adam',
    'adam_cuda_kernel',
    t('float32', 1_000_000),
    t('float16', 1_000_000),
    t('float32', 1_000_000),
    t('float32', 1_000_000),
    t('float16', 1_000_000),
  ),
};

const amount = (n: number | null, unit: string): string => (n === null ? `unknown ${unit}` : `${grouped(n)} ${unit}`);

function showArg(arg: Arg): string {
  const tensor = asTensor(arg);
  const text = tensor === null ? JSON.stringify(arg.value) : showTensor(tensor);
  return arg.name === '' ? text : `${arg.name}=${text}`;
}

/**
 * The family's example, worked out by the family itself.
 * @throws Error when the family has no example, or another family answers it
 */
export function exampleOf(family: Family): { readonly text: string; readonly source: string } {
  const given = EXAMPLES[family.id];
  if (given === undefined) throw new Error(`docs/pages/op-examples.ts has no example for the family ${family.id}`);
  const { call, kernel } = given;
  const facts: KernelFacts = { name: kernel, short: kernel, dir: 'fprop', sub: 0, grid: null, block: null };
  const found = describe([call], facts);
  if (found?.family !== family) throw new Error(`the example of the family ${family.id} is not answered by it`);
  const { flops, bytes, formula, source, params } = found.work;
  const shown = code(`${call.op}(${call.args.map(showArg).join(', ')})`);
  const numbers = `${amount(flops, 'FLOPs')}, ${amount(bytes, 'bytes')}`;
  return { text: `${shown}: ${numbers}, params ${code(renderParams(params))}; ${formula}.`, source };
}
