/**
 * Whole recurrent layers as one op: LSTM, GRU and RNN of cuDNN, MIOpen and oneDNN, and the ops that contain them.
 *
 * Every element of every weight matrix is used once for each position of each sequence, in the product of its layer and
 * direction: 2·P·Σ|W| is 2·gates·T·B·H·(I + H) summed over layers and directions (gates 4 LSTM, 3 GRU, 1 RNN), and includes
 * a projection of the hidden state. Activations of the gates are not counted.
 */
import type { BoundArguments } from '../../schema/binding.js';
import { boundRow, opTable } from '../../schema/op-rules.js';
import { dtypeShort } from '../../../record/element-types.js';
import { extentAt, numel, type Tensor } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import type { Family, KernelFacts, OpCost, Param, Work } from '../../family.js';
import { opName } from '../../operands.js';
import { tensor, workOf } from '../../work.js';

const SOURCE = 'matrix products in the documented equations of torch.nn.LSTM, GRU and RNN, FMA = 2';

const SETTINGS = 'batch_first:bool dropout:number train:bool bidirectional:bool';
const LAYERED = 'biases:bool layers:int dropout train bidirectional batch_first';
const STATES = '@buffer? @hx? @cx?';
const SAVED = '@out? @grad? @grad_hy? @grad_cy?';
const WANTED = 'sizes:list @state? @reserve? wanted:list';

/** Arguments of a layer for padded and for packed sequences. */
const layered = (states: string): string =>
  `@x ${states} @weights[]? ${LAYERED} | @x @sizes ${states} @weights[]? ${LAYERED}`;

const RNN = '@x @weights[]? stride';
const MKLDNN = '@x @w1 @w2 @w3? @w4? @hx @cx';

/** Whether an op is a backward pass, and whether it is a single cell, which has no separate output. */
interface RecurrentForm {
  readonly backward: boolean;
  readonly cell: boolean;
}

const layer: RecurrentForm = { backward: false, cell: false };
const backward: RecurrentForm = { backward: true, cell: false };
const cell: RecurrentForm = { backward: false, cell: true };

/**
 * `x` is the input, `weights` (or w1, w2 …) the weights, `hx` and `cx` (or `states`) the initial states; `grad` marks a
 * backward op. Older versions of cuDNN's ops have no projection.
 */
const FORMS = opTable<RecurrentForm>`
  ${layer} _cudnn_rnn: ${RNN} ${STATES} mode:int hidden:int projected:int layers:int ${SETTINGS} ...
    | ${RNN} ${STATES} mode:int hidden:int layers:int ${SETTINGS} ...
  ${backward} _cudnn_rnn_backward:
      ${RNN} ${STATES} ${SAVED} mode:int hidden:int projected:int layers:int ${SETTINGS} ${WANTED}
    | ${RNN} ${STATES} ${SAVED} mode:int hidden:int layers:int ${SETTINGS} ${WANTED}
  ${layer} miopen_rnn: ${RNN} @hx? @cx? mode:int hidden:int layers:int ${SETTINGS} ...
  ${backward} miopen_rnn_backward: ${RNN} ${STATES} ${SAVED} mode:int hidden:int layers:int ${SETTINGS} ${WANTED}
  ${layer} mkldnn_rnn_layer: ${MKLDNN} reverse:bool sizes:list mode:int hidden:int layers:int ...
  ${backward} mkldnn_rnn_layer_backward:
    ${MKLDNN} @out @hy @cy @grad? @grad_hy? @grad_cy? reverse:bool mode:int hidden:int layers:int ...
  ${layer} aten.lstm: ${layered('@states[]?')}
  ${layer} aten.gru aten.rnn_tanh aten.rnn_relu: ${layered('@hx')}
  ${cell} aten.lstm_cell: @x @states[]? @w1 @w2 @w3? @w4?
  ${cell} aten.gru_cell aten.rnn_tanh_cell aten.rnn_relu_cell: @x @hx @w1 @w2 @w3? @w4?
`;

interface RecurrentLayers extends RecurrentForm {
  readonly args: BoundArguments;
  readonly x: Tensor;
  /** Number of positions of all sequences together. */
  readonly positions: number;
  /** Null when unspecified. */
  readonly weights: readonly Tensor[] | null;
  readonly states: readonly Tensor[];
}

/**
 * Tensors in a list get the element type of the input, because profilers do not record it and the op requires a single
 * type.
 */
const listed = (list: readonly Tensor[], dtype: string): Tensor[] =>
  list.map((item) => (item.dtype === 'na' ? tensor(item.shape, dtype) : item));

function weightsOf(args: BoundArguments, dtype: string): Tensor[] | null {
  const weights = [...args.tensorsOf('w1 w2 w3 w4'), ...listed(args.tensors('weights'), dtype)];
  return weights.length > 0 ? weights : null;
}

function read(call: OpCall): RecurrentLayers | null {
  const row = boundRow(FORMS, call);
  const x = row?.bound.tensor('x') ?? null;
  const width = x?.shape.at(-1);
  if (row === null || x === null || width === undefined || width === 0) return null;
  const { bound: args } = row;
  return {
    ...row.fact,
    args,
    x,
    positions: numel(x.shape) / width,
    weights: weightsOf(args, x.dtype),
    states: [...args.tensorsOf('hx cx'), ...listed(args.tensors('states'), x.dtype)],
  };
}

const matrices = (weights: readonly Tensor[]): readonly Tensor[] => weights.filter(({ shape }) => shape.length === 2);

/** Σ|W| of all weight matrices, from the settings: gates·H·(I + H) for each layer and direction. */
function settledSize({ args, x, states }: RecurrentLayers): number | null {
  const [mode, hidden, layers] = [args.number('mode'), args.number('hidden'), args.number('layers')];
  const gates = mode === null ? undefined : [1, 1, 4, 3][mode];
  const directions = { true: 2, false: 1 }[String(args.flag('bidirectional'))];
  const projected = args.number('projected');
  const state = states[0]?.shape.at(-1) ?? (projected === 0 ? hidden : projected);
  const [width = 0] = x.shape.slice(-1);
  if (gates === undefined || hidden === null || layers === null || directions === undefined) return null;
  const out = state ?? hidden;
  const projection = out === hidden ? 0 : hidden * out;
  const layer = (input: number): number => directions * (gates * hidden * (input + out) + projection);
  return layer(width) + (layers - 1) * layer(out * directions);
}

/** Number of elements in all weight matrices; null when neither the weights nor the settings are recorded. */
function matrixSize(layers: RecurrentLayers): number | null {
  if (layers.weights === null) return settledSize(layers);
  return matrices(layers.weights).reduce((sum, { shape }) => sum + numel(shape), 0);
}

/** The output: as long as the input, and as wide as the states of all directions of one layer. */
function outputOf({ args, x, states, cell }: RecurrentLayers): Tensor[] {
  const state = states[0];
  if (cell || state === undefined) return [];
  const directions = args.flag('bidirectional') === true ? 2 : 1;
  return [tensor([...x.shape.slice(0, -1), directions * extentAt(state, -1)], x.dtype)];
}

/** Whether the weights' gradients are requested: the last of the op's four flags. */
function wantsWeights(args: BoundArguments): boolean {
  const wanted = args.value('wanted');
  return !(Array.isArray(wanted) && wanted[3] === false);
}

function operandsOf(layers: RecurrentLayers): Required<Pick<OpCost, 'reads' | 'writes'>> {
  const { args, x, states, backward } = layers;
  const weights = layers.weights ?? args.tensorsOf('buffer');
  if (!backward) {
    return { reads: [x, ...weights, ...states], writes: [...outputOf(layers), ...states] };
  }
  const saved = args.tensorsOf('out hy cy grad grad_hy grad_cy reserve');
  return {
    reads: [x, ...weights, ...states, ...saved],
    writes: [x, ...states, ...(wantsWeights(args) ? weights : [])],
  };
}

/** Parameters, without unspecified ones. */
function paramsOf({ args, x, positions, states }: RecurrentLayers): Param[] {
  const param = (key: string, value: number | null | undefined): Param[] =>
    value === null || value === undefined ? [] : [[key, value]];
  return [
    ['P', positions],
    ...param('I', x.shape.at(-1)),
    ...param('H', args.number('hidden') ?? states[0]?.shape.at(-1)),
    ...param('L', args.number('layers')),
    ...(args.flag('bidirectional') === true ? [['', 'bidirectional'] as const] : []),
    ['', dtypeShort(x.dtype)],
  ];
}

/** Sets up the random generators for dropout between layers. The op that contains the layers calls it. */
const DROPOUT_STATE = '_cudnn_init_dropout_state';

const dropoutState = workOf({
  flops: 0,
  writes: null,
  params: [],
  formula: 'flops = 0: only writes generator states',
  source: 'cuDNN, cudnnSetDropoutDescriptor',
  unknown: 'the size of the generator states is unspecified',
});

const NO_SIZES = 'the weights are unspecified, and so are hidden size, layers and mode';

function work(call: OpCall, kernel: KernelFacts): Work | null {
  if (opName(call) === DROPOUT_STATE) return dropoutState;
  const layers = kernel.dir === 'bprop' ? null : read(call);
  if (layers === null) return null;
  const size = matrixSize(layers);
  const factor = layers.backward ? (wantsWeights(layers.args) ? 4 : 2) : 2;
  const saved = layers.backward ? ' + saved results + gradients' : ' + output';
  const operands = operandsOf(layers);
  // Without the weights, or a buffer with them, the traffic is unknown.
  const isWhole = layers.weights !== null || layers.args.tensor('buffer') !== null;
  const unknown = size === null ? NO_SIZES : isWhole ? undefined : 'the weights are unspecified';
  return workOf({
    flops: size === null ? null : factor * layers.positions * size,
    reads: operands.reads,
    writes: isWhole ? operands.writes : null,
    matmul: true,
    severalProducts: true,
    params: paramsOf(layers),
    formula:
      `flops = ${factor}·P·Σ|W|, W the weight matrices of all layers and directions` +
      `${layers.backward ? ', including the gradient of a zero initial state' : ''}; ` +
      `bytes = input + weights + states${saved}`,
    source: SOURCE,
    ...(unknown === undefined ? {} : { unknown }),
  });
}

export const fusedRecurrent: Family = {
  id: 'fused-recurrent',
  title: 'Recurrent layers as one op: LSTM, GRU and RNN of cuDNN, MIOpen and oneDNN',
  category: 'recurrent',
  ops: [...Object.keys(FORMS), DROPOUT_STATE],
  formulas: [
    'flops = 2·P·Σ|W| over the weight matrices = 2·gates·T·B·H·(I + H) per layer and direction; gates 4 LSTM, 3 GRU, 1 RNN',
    'backward: twice that for input and weight gradients (once without weight gradients); activations not counted',
    'bytes = input + weights + states + output; backward: saved results and gradients too',
  ],
  work,
};
