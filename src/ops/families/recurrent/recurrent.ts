/**
 * Recurrent cells: LSTMCell, GRUCell, RNNCell, one time step each.
 *
 * A cell is two products and a pointwise part: gates = Wx·x (layer) + Wh·h (recurrent), with as many rows as the cell has
 * gates, then the gates' activations, which are one op in the dispatcher, forward and backward. The marker of a cell has x
 * [B, X] and h [B, H].
 *
 * LSTM, GRU and RNN modules are left out: their markers have neither hidden size nor layers, and the kernels of their
 * single library call cannot be distinguished.
 */
import { kernelKind } from '../../kernels/kernel-name.js';
import { positional, extentAt, numel, type Tensor } from '../../call.js';
import type { Extent, OpCall } from '../../../record/record.js';
import type { Family, KernelFacts, Param, Work } from '../../family.js';
import { tensorOf } from '../../operands.js';
import { helperWork, namedParams, workOf, tensor, tensorParams } from '../../work.js';
import { rules, ruleWork, withTensors, type RuleCost } from '../../schema/op-rules.js';

interface GatesOp {
  /** The argument with one element for each hidden unit and sequence. */
  readonly hidden: string;
  /** Operations per hidden unit, an activation counted as one. */
  readonly flops: number;
  /** Additional operations with biases: one add for each gate and bias. */
  readonly biasFlops?: number;
  /** Widths of the results, in hidden units. */
  readonly widths: readonly number[];
}

const gates = ({ hidden, flops, biasFlops = 0, widths }: GatesOp): RuleCost =>
  withTensors(hidden, ({ shape, dtype }, bound) => {
    const perUnit = flops + (bound.tensor('bias') === null ? 0 : biasFlops);
    return {
      flops: perUnit * numel(shape),
      writes: widths.map((units) => tensor([...shape.slice(0, -1), units, extentAt({ shape }, -1)], dtype)),
      params: tensorParams({ shape, dtype }, 'H'),
      formula: `flops = ${perUnit}·B·H (an activation counted as 1); bytes = operands read + results and workspace written`,
    };
  });

/**
 * Forward counts from the equations in the documentation of torch.nn.LSTMCell and GRUCell, as for a single cell.
 *
 * LSTM backward, with gates i, f, g, o: tanh(c') and dc = dh·o·(1 − tanh²) + dc' (6), products for i, f, g, o and c (5),
 * derivatives of three sigmoids (9) and of tanh (3). GRU backward: dz = dh·(h − n)·(1 − z)·z (5), dh·z (1), dn = dh·(1 −
 * z)·(1 − n²) (4), dn·r (1), dr = dn·b·(1 − r)·r (4).
 */
const LSTM = gates({ hidden: 'state', flops: 13, biasFlops: 8, widths: [1, 1, 4] });
const GRU = gates({ hidden: 'state', flops: 10, biasFlops: 6, widths: [1, 5] });
const LSTM_BACKWARD = gates({ hidden: 'state', flops: 23, widths: [4, 1] });
const GRU_BACKWARD = gates({ hidden: 'grad', flops: 15, widths: [3, 3, 1] });

const RULES = rules`
  ${LSTM} _thnn_fused_lstm_cell: @input_gates @hidden_gates @state @bias? @hidden_bias?
  ${GRU} _thnn_fused_gru_cell: @input_gates @hidden_gates @state @bias? @hidden_bias?
  ${LSTM_BACKWARD} _thnn_fused_lstm_cell_backward _thnn_fused_lstm_cell_backward_impl:
    @grad? @grad_c? @state @new_state @saved has_bias
  ${GRU_BACKWARD} _thnn_fused_gru_cell_backward: @grad @saved has_bias
`;

const GATE_SOURCE = 'equations in the documentation of torch.nn.LSTMCell and GRUCell, and their derivatives';

export const recurrentGates: Family = {
  id: 'recurrent-gates',
  title: 'Pointwise part of LSTM and GRU cells as one op',
  category: 'recurrent',
  ops: Object.keys(RULES),
  formulas: [
    'flops = 13·B·H LSTM, 10·B·H GRU (with biases 21 and 16); backward 23 and 15; an activation counts as 1',
    'bytes = gates, states and biases read; states and workspace, or gradients, written',
  ],
  work: (call, kernel) => (kernel.dir === 'bprop' ? null : ruleWork(RULES, call, kernel, GATE_SOURCE)),
};

interface CellFacts {
  /** Number of gate products: rows of the weights per hidden unit. */
  readonly gates: number;
  /** Pointwise operations per hidden unit (an activation counted as one), biases not counted. */
  readonly pointwise: number;
}

/** Pointwise counts from the equations in the documentation of torch.nn.LSTMCell, GRUCell and RNNCell. */
const CELLS: ReadonlyMap<string, CellFacts> = new Map([
  // 4 sums of layer and recurrent part, 4 activations, c' = f·c + i·g (3), o·tanh(c') (2)
  ['LSTMCell', { gates: 4, pointwise: 13 }],
  // 2 sums and activations for r and z; n = tanh(a + r·b) (3); h' = n + z·(h − n) (3)
  ['GRUCell', { gates: 3, pointwise: 10 }],
  // 1 sum, 1 activation
  ['RNNCell', { gates: 1, pointwise: 2 }],
]);

interface RecurrentCell extends CellFacts {
  readonly name: string;
  readonly batch: number;
  readonly inputs: number;
  readonly hidden: number;
  readonly x: Tensor;
  readonly h: Tensor;
}

/** A cell's two products: of the input, and of the hidden state. */
type GateProduct = 'layer' | 'recur';

const SOURCE = 'equations in the documentation of torch.nn.LSTMCell, GRUCell and RNNCell';

function read(call: OpCall): RecurrentCell | null {
  const name = call.mod.replace(/^.*\./, '');
  const facts = CELLS.get(name);
  const [x, h] = positional(call).flatMap((arg) => tensorOf(arg) ?? []);
  if (facts === undefined || x === undefined || h === undefined || x.shape.length > 2) return null;
  const [inputs, hidden] = [x.shape.at(-1), h.shape.at(-1)];
  const batch = x.shape.length === 1 ? 1 : x.shape[0];
  if (inputs === undefined || hidden === undefined || batch === undefined) return null;
  return { ...facts, name, batch, inputs, hidden, x, h };
}

const cellParams = ({ name, inputs, hidden, batch, x }: RecurrentCell): Param[] =>
  namedParams({ cell: name, X: inputs, H: hidden, B: batch }, x);

/** The extents of a cell's product: [M, N, K] column-major. */
type GemmOrder = (cell: RecurrentCell, width: number) => Extent;
const FORWARD: GemmOrder = ({ gates, hidden, batch }, width) => [gates * hidden, batch, width];
const INPUT_GRADIENT: GemmOrder = ({ gates, hidden, batch }, width) => [width, batch, gates * hidden];
const WEIGHT_GRADIENT: GemmOrder = ({ gates, hidden, batch }, width) => [width, gates * hidden, batch];

function gemmWork(cell: RecurrentCell, which: GateProduct, order: GemmOrder): Work {
  const [m, n, k] = order(cell, which === 'recur' ? cell.hidden : cell.inputs);
  const { dtype } = cell.x;
  const role = order === FORWARD ? 'main' : order === INPUT_GRADIENT ? 'dgrad' : 'wgrad';
  const matrix = (...shape: readonly number[]): Tensor => ({ shape, dtype });
  return workOf({
    role,
    flops: 2 * m * n * k,
    reads: [matrix(m, k), matrix(k, n)],
    writes: [matrix(m, n)],
    params: namedParams({ gemm: which, M: m, N: n, K: k }, cell.x),
    matmul: true,
    severalProducts: true,
    formula: 'flops = 2·M·N·K, bytes = M·K + K·N + M·N; M, N, K from gates·H, X or H, and B',
    source: SOURCE,
  });
}

function unknownWork(cell: RecurrentCell, matmul: boolean, unknown: string): Work {
  const params = cellParams(cell);
  return workOf({ flops: null, writes: null, params, matmul, formula: 'unknown', source: SOURCE, unknown });
}

/** Reads both gate products and a state, and writes new states and gates: (2·gates + 3)·H·B elements. */
function pointwiseWork(cell: RecurrentCell): Work {
  const { gates, hidden, batch, x } = cell;
  return workOf({
    flops: cell.pointwise * hidden * batch,
    reads: [{ shape: [2 * gates + 1, hidden, batch], dtype: x.dtype }],
    writes: [{ shape: [2, hidden, batch], dtype: x.dtype }],
    params: cellParams(cell),
    formula: `flops = ${cell.pointwise}·H·B (an activation counted as 1, biases not), bytes = (2·gates + 3)·H·B`,
    source: SOURCE,
  });
}

const GEMM_LIKE = /gemm|gemv|cutlass|nvjet|xmma|_mm_|Cijk_/i;
const CELL_KERNEL = /(lstm|gru|rnn)_?cell|(LSTM|GRU|RNN)_elementWise/i;

/** The tile in a cuBLAS kernel's name and the operand order at its end: …_128x64_…_nt. */
function tileOf(name: string): { rows: number; columns: number; order: GemmOrder } | null {
  const tile = /(?<!stages|warpsize)_(\d+)x(\d+)(?=_|$)/.exec(name);
  const order = /_nn(_|$)/.test(name) ? INPUT_GRADIENT : /_nt(_|$)/.test(name) ? WEIGHT_GRADIENT : null;
  return tile === null || order === null ? null : { rows: Number(tile[1]), columns: Number(tile[2]), order };
}

/**
 * A backward product, identified by its tiles: grid x tiles span the width (X or H) and, for a weight gradient,
 * grid y tiles span the gates. Null when the tiles fit neither or both.
 */
function backwardGemm(cell: RecurrentCell, { short, grid }: KernelFacts): Work | null {
  const tile = tileOf(short);
  if (tile === null || grid === null) return null;
  const [across, down] = grid;
  if (tile.order === WEIGHT_GRADIENT && down !== Math.ceil((cell.gates * cell.hidden) / tile.columns)) return null;
  const spans = (width: number): boolean => across === Math.ceil(width / tile.rows);
  if (spans(cell.hidden) && (!spans(cell.inputs) || cell.inputs === cell.hidden))
    return gemmWork(cell, 'recur', tile.order);
  return spans(cell.inputs) && !spans(cell.hidden) ? gemmWork(cell, 'layer', tile.order) : null;
}

/** The forward order is layer product, recurrent product, pointwise part, repeated for each step. */
const FORWARD_ORDER: readonly (GateProduct | undefined)[] = ['layer', 'recur'];

export const recurrent: Family = {
  id: 'recurrent',
  title: 'Recurrent cells: LSTMCell, GRUCell, RNNCell',
  category: 'recurrent',
  ops: [...CELLS.keys()].map((cell) => `${cell}.forward`),
  formulas: [
    'layer product: flops = 2·gates·H·B·X; recurrent product: flops = 2·gates·H·B·H; gates = 4 LSTM, 3 GRU, 1 RNN',
    'pointwise part: flops = 13·H·B LSTM, 10·H·B GRU, 2·H·B RNN; bytes = (2·gates + 3)·H·B',
    "backward: the kernel's product is inferred from its grid and the tile in its name, otherwise unknown",
  ],
  work(call, kernel) {
    const cell = read(call);
    if (cell === null) return null;
    const kind = kernelKind(kernel);
    const backward = kernel.dir === 'bprop';
    if (kind === 'helper') return helperWork(cellParams(cell), 'kernel name');
    if (kind === 'elementwise' || CELL_KERNEL.test(kernel.short)) {
      return backward
        ? unknownWork(cell, false, "no formula for the pointwise part of a cell's backward pass")
        : pointwiseWork(cell);
    }
    if (kind !== 'main' || !GEMM_LIKE.test(kernel.short)) {
      return unknownWork(cell, false, 'the kernel name does not determine its part of the cell');
    }
    if (backward) {
      return backwardGemm(cell, kernel) ?? unknownWork(cell, true, 'tile and grid fit no single product');
    }
    const which = FORWARD_ORDER[kernel.sub % 3];
    if (which === undefined)
      return unknownWork(cell, true, 'a third product in a step: layer or recurrent product unknown');
    return gemmWork(cell, which, FORWARD);
  },
};
