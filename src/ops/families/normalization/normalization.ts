/** Normalisation over a batch, a layer, groups, instances or a root mean square. */
import { entryOf, named, type ByName } from '../../by-name.js';
import { numel, type Tensor } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import type { Family, KernelFacts, OpCost, Work } from '../../family.js';
import { isDispatched } from '../../schema/dispatched.js';
import { inputTensors, opName, inputTensor, tensorAt } from '../../operands.js';
import { ruleWork, type OpRules } from '../../schema/op-rules.js';
import { helperWork, tensorParams, workOf } from '../../work.js';
import { BATCH_RULES } from './batch-normalization.js';
import { FUSED_RULES } from './fused-normalization.js';
import { LAYER_RULES } from './layer-normalization.js';

const SOURCE = 'fvcore (4 per element, 5 with weights); PyProf (batch_norm, backward: 8 per element); PyTorch kernels';

interface Normalization {
  /** Operations per element: of the statistics, of their application, of weights where there are any. */
  readonly flops: readonly [statistics: number, application: number, affine: number];
  /** Positions of weight and bias. */
  readonly affine: readonly [weight: number, bias: number];
}

const layer: Normalization = { flops: [2, 2, 1], affine: [2, 3] };
const batch: Normalization = { flops: [4, 4, 0], affine: [3, 4] };
const batchByWeight: Normalization = { ...batch, affine: [1, 2] };
const instance: Normalization = { flops: [2, 2, 1], affine: [3, 4] };
// The mean of squares: square and add; then scale.
const rms: Normalization = { flops: [2, 1, 1], affine: [2, -1] };

const KINDS: ByName<Normalization> = {
  ...named('batch_norm', batch),
  ...named('torch.batch_norm native_batch_norm cudnn_batch_norm miopen_batch_norm', batchByWeight),
  ...named('_batch_norm_impl_index', batchByWeight),
  ...named('layer_norm native_layer_norm group_norm', layer),
  ...named('native_group_norm', batchByWeight),
  ...named('instance_norm', instance),
  ...named('torch.instance_norm', { ...instance, affine: [1, 2] }),
  ...named('rms_norm _fused_rms_norm', rms),
};

/** Backward, per element, by part: 8 in all, which is what PyProf counts for batch_norm. */
const BACKWARD_FLOPS = { sums: 2, application: 3, input: 5, weights: 3, whole: 8 } as const;

type NormalizationPart = 'helper' | 'statistics' | 'sums' | 'weights' | 'application' | 'input' | 'whole';

/** The part of a normalisation that a kernel computes, by its name; first match wins. */
const PARTS: readonly (readonly [RegExp, NormalizationPart])[] = [
  [/FusedParams/i, 'helper'],
  [/RowwiseMoments|collect_statistics|welford/i, 'statistics'],
  [/ComputeInternalGradients|backward_reduce/i, 'sums'],
  [/GammaBeta/i, 'weights'],
  [/grad_input/i, 'input'],
  [/LayerNorm(For|Back)ward|transform_input|backward_elemt/i, 'application'],
  [/(layer|group|batch|rms)_?norm|bn_[fb]w/i, 'whole'],
];

/** By default the first kernel computes all; a later elementwise kernel of a group norm applies the statistics. */
function partOf(op: string, kernel: KernelFacts): NormalizationPart {
  const named = PARTS.find(([pattern]) => pattern.test(kernel.name));
  if (named !== undefined) return named[1];
  if (kernel.sub === 0) return 'whole';
  return op.includes('group') && /elementwise/.test(kernel.name) ? 'application' : 'helper';
}

interface Parts {
  readonly kind: Normalization;
  readonly input: Tensor;
  /** Weight and bias. */
  readonly affine: readonly Tensor[];
  /** Every tensor but the input: weights and running statistics. */
  readonly parameters: readonly Tensor[];
}

function read(call: OpCall): Parts | null {
  const kind = entryOf(KINDS, call);
  const given = inputTensors(call);
  const input = inputTensor(call);
  if (kind === undefined || given === null || input === null) return null;
  const affine = [tensorAt(call, 'weight', kind.affine[0]), tensorAt(call, 'bias', kind.affine[1])];
  return { kind, input, affine: affine.filter((tensor) => tensor !== null), parameters: given.slice(1) };
}

type PartCost = Pick<OpCost, 'flops' | 'reads' | 'writes' | 'formula'> & Partial<Pick<OpCost, 'role'>>;

function forwardAmount(part: NormalizationPart, { kind, input, affine, parameters }: Parts): PartCost {
  const [statistics, application, weights] = kind.flops;
  const applied = application + (affine.length > 0 ? weights : 0);
  const elements = numel(input.shape);
  if (part === 'statistics') {
    const formula = `flops = ${statistics}·E; bytes = input`;
    return { flops: statistics * elements, reads: [input], writes: [], formula };
  }
  const perElement = part === 'application' ? applied : statistics + applied;
  return {
    flops: perElement * elements,
    reads: [input, ...parameters],
    writes: [input],
    formula: `flops = ${perElement}·E; bytes = input + parameters + result`,
  };
}

function backwardAmount(part: NormalizationPart, { input, affine }: Parts): PartCost {
  const elements = numel(input.shape);
  if (part === 'weights') {
    const formula = 'flops = 3·E; bytes = gradient + input + gradients of weight and bias';
    return { role: 'wgrad', flops: BACKWARD_FLOPS.weights * elements, reads: [input, input], writes: affine, formula };
  }
  if (part === 'sums') {
    const formula = 'flops = 2·E; bytes = gradient + input';
    return { flops: BACKWARD_FLOPS.sums * elements, reads: [input, input], writes: [], formula };
  }
  const partial = part === 'application' || part === 'input';
  const perElement = BACKWARD_FLOPS[partial ? part : 'whole'];
  return {
    flops: perElement * elements,
    reads: [input, input, ...affine.slice(0, 1)],
    writes: [input, ...(partial ? [] : affine)],
    formula: `flops = ${perElement}·E; bytes = input + gradient + weight + gradients of the input${partial ? '' : ', weight and bias'}`,
  };
}

const RULES: OpRules = { ...LAYER_RULES, ...BATCH_RULES, ...FUSED_RULES };
const RULES_SOURCE =
  'fvcore (rows, forward); otherwise the operations of the definition, a multiply-add counted as 2; PyTorch native_functions.yaml';

function work(call: OpCall, kernel: KernelFacts): Work | null {
  if (isDispatched(call) || entryOf(KINDS, call) === undefined) return ruleWork(RULES, call, kernel, RULES_SOURCE);
  const parts = read(call);
  if (parts === null) return null;
  const params = tensorParams(parts.input);
  const part = partOf(opName(call), kernel);
  if (part === 'helper') return helperWork(params, SOURCE);
  const amount = kernel.dir === 'bprop' ? backwardAmount(part, parts) : forwardAmount(part, parts);
  return workOf({ ...amount, params, source: SOURCE });
}

export const normalization: Family = {
  id: 'normalization',
  title: 'Normalisation: batch, layer, group, instance, root mean square',
  ops: [...new Set([...Object.keys(KINDS), ...Object.keys(RULES)])],
  formulas: [
    'flops = 4·E (5·E with weights); batch_norm 8·E; rms_norm 3·E (4·E with weight); backward 8·E',
    'bytes = input + parameters + result; backward: input + gradient + gradient of the input + weight + gradients of weight and bias',
    'an op that runs as several kernels (statistics, application, weight gradients, by their names): each gets its part',
    'ops of the dispatcher: batch_norm 5·E + 6·C, with given statistics 2·E; group_norm 5·E; a residual added E; a scale for fewer bits E',
    'their backward, gradient of the input: 9·E (root mean square 6·E), in rows also weight E; gradient of a row weight 2·E, of its bias E',
  ],
  work,
};
