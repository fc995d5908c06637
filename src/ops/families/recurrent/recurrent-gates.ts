/**
 * The pointwise part of a recurrent cell after its two gate products, as one op, forward and backward.
 */
import { entryOf, type ByName } from '../../by-name.js';
import { bind } from '../../schema/binding.js';
import { extentAt, numel } from '../../call.js';
import type { OpCall } from '../../../record/record.js';
import type { Family, KernelFacts, Work } from '../../family.js';
import { tensor, tensorParams, workOf } from '../../work.js';

interface GatesOp {
  /** See `bind`. */
  readonly signature: string;
  /** The argument with one element per hidden unit and sequence. */
  readonly hidden: string;
  /** Operations per hidden unit, an activation counted as one. */
  readonly flops: number;
  /** Additional operations where biases are given: one add per gate and bias. */
  readonly biasFlops: number;
  /** Widths of the results, in hidden units. */
  readonly writes: readonly number[];
}

/**
 * Forward counts from the equations in the documentation of torch.nn.LSTMCell and GRUCell, as for a cell by itself.
 *
 * LSTM backward, with gates i, f, g, o: tanh(c') and dc = dh·o·(1 − tanh²) + dc' (6), products for i, f, g, o and c (5),
 * derivatives of three sigmoids (9) and of tanh (3).
 * GRU backward: dz = dh·(h − n)·(1 − z)·z (5), dh·z (1), dn = dh·(1 − z)·(1 − n²) (4), dn·r (1),
 * dr = dn·b·(1 − r)·r (4).
 */
const OPS: ByName<GatesOp> = {
  _thnn_fused_lstm_cell: {
    signature: '@input_gates @hidden_gates @state @bias? @hidden_bias?',
    ...{ hidden: 'state', flops: 13, biasFlops: 8, writes: [1, 1, 4] },
  },
  _thnn_fused_gru_cell: {
    signature: '@input_gates @hidden_gates @state @bias? @hidden_bias?',
    ...{ hidden: 'state', flops: 10, biasFlops: 6, writes: [1, 5] },
  },
  _thnn_fused_lstm_cell_backward: {
    signature: '@grad? @grad_c? @state @new_state @saved has_bias',
    ...{ hidden: 'state', flops: 23, biasFlops: 0, writes: [4, 1] },
  },
  _thnn_fused_lstm_cell_backward_impl: {
    signature: '@grad? @grad_c? @state @new_state @saved has_bias',
    ...{ hidden: 'state', flops: 23, biasFlops: 0, writes: [4, 1] },
  },
  _thnn_fused_gru_cell_backward: {
    signature: '@grad @saved has_bias',
    ...{ hidden: 'grad', flops: 15, biasFlops: 0, writes: [3, 3, 1] },
  },
};

function work(call: OpCall, kernel: KernelFacts): Work | null {
  const op = entryOf(OPS, call);
  const bound = op === undefined || kernel.dir === 'bprop' ? null : bind(call, op.signature);
  const hidden = op === undefined ? null : (bound?.tensor(op.hidden) ?? null);
  if (op === undefined || bound === null || hidden === null) return null;
  const perUnit = op.flops + (bound.tensor('bias') === null ? 0 : op.biasFlops);
  return workOf({
    flops: perUnit * numel(hidden.shape),
    reads: bound.reads,
    writes: op.writes.map((units) => tensor([...hidden.shape.slice(0, -1), units, extentAt(hidden, -1)], hidden.dtype)),
    params: tensorParams(hidden, 'H'),
    formula: `flops = ${perUnit}·B·H (an activation counted as 1); bytes = operands read + results and workspace written`,
    source: 'equations in the documentation of torch.nn.LSTMCell and GRUCell, and their derivatives',
  });
}

export const recurrentGates: Family = {
  id: 'recurrent-gates',
  title: 'Pointwise part of LSTM and GRU cells as one op',
  ops: Object.keys(OPS),
  formulas: [
    'flops = 13·B·H LSTM, 10·B·H GRU, with biases 21 and 16; backward 23 and 15; an activation counted as 1',
    'bytes = gates, states and biases read; states and workspace, or gradients, written',
  ],
  work,
};
