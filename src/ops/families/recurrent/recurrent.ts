/**
 * Recurrent cells: LSTMCell, GRUCell, RNNCell, one time step each.
 *
 * A cell is two products and a pointwise part: gates = Wx·x (layer) + Wh·h (recurrent), with as many rows as the cell
 * has gates, then the gates' activations. The marker of a cell has x [B, X] and h [B, H].
 *
 * LSTM, GRU and RNN modules are left out: their markers have neither hidden size nor layers, and the kernels of their one
 * library call cannot be distinguished.
 */
import { kernelKind } from '../../kernels/kernel-name.js';
import { positional, type Tensor } from '../../call.js';
import type { Extent, OpCall } from '../../../record/record.js';
import type { Family, KernelFacts, Param, Work } from '../../family.js';
import { tensorOf } from '../../operands.js';
import { helperWork, namedParams, workOf } from '../../work.js';

interface CellFacts {
  /** Gate products: rows of the weights per hidden unit. */
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
  return workOf({ flops: null, writes: null, params, matmul, formula: 'not known', source: SOURCE, unknown });
}

/** Both gate products and a state are read, new states and gates written: (2·gates + 3)·H·B elements. */
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

/** The tile of a cuBLAS kernel's name and the operand order at its end: …_128x64_…_nt. */
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

/** The forward order is layer product, recurrent product, pointwise part, step after step. */
const FORWARD_ORDER: readonly (GateProduct | undefined)[] = ['layer', 'recur'];

export const recurrent: Family = {
  id: 'recurrent',
  title: 'Recurrent cells: LSTMCell, GRUCell, RNNCell',
  ops: [...CELLS.keys()].map((cell) => `${cell}.forward`),
  formulas: [
    'layer product: flops = 2·gates·H·B·X; recurrent product: flops = 2·gates·H·B·H; gates = 4 LSTM, 3 GRU, 1 RNN',
    'pointwise part: flops = 13·H·B LSTM, 10·H·B GRU, 2·H·B RNN; bytes = (2·gates + 3)·H·B',
    'backward: the product of a kernel follows from the tile in its name and its grid, else it is not known',
  ],
  work(call, kernel) {
    const cell = read(call);
    if (cell === null) return null;
    const kind = kernelKind(kernel);
    const backward = kernel.dir === 'bprop';
    if (kind === 'helper') return helperWork(cellParams(cell), 'kernel name');
    if (kind === 'elementwise' || CELL_KERNEL.test(kernel.short)) {
      return backward
        ? unknownWork(cell, false, 'no formula for the pointwise part of a cell backward')
        : pointwiseWork(cell);
    }
    if (kind !== 'main' || !GEMM_LIKE.test(kernel.short)) {
      return unknownWork(cell, false, 'the kernel name does not determine its part of the cell');
    }
    if (backward) {
      return backwardGemm(cell, kernel) ?? unknownWork(cell, true, 'tile and grid do not determine the product');
    }
    const which = FORWARD_ORDER[kernel.sub % 3];
    if (which === undefined)
      return unknownWork(cell, true, 'a third product in a step: layer or recurrent is undetermined');
    return gemmWork(cell, which, FORWARD);
  },
};
