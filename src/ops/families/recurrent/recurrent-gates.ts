/** The pointwise part of a recurrent cell after its two gate products, as one op, forward and backward. */
import { rules, ruleWork, withTensors, type RuleCost } from '../../schema/op-rules.js';
import { extentAt, numel } from '../../call.js';
import type { Family } from '../../family.js';
import { tensor, tensorParams } from '../../work.js';

interface GatesOp {
  /** The argument with one element per hidden unit and sequence. */
  readonly hidden: string;
  /** Operations per hidden unit, an activation counted as one. */
  readonly flops: number;
  /** Additional operations where biases are given: one add per gate and bias. */
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
 * Forward counts from the equations in the documentation of torch.nn.LSTMCell and GRUCell, as for a cell by itself.
 *
 * LSTM backward, with gates i, f, g, o: tanh(c') and dc = dh·o·(1 − tanh²) + dc' (6), products for i, f, g, o and c (5),
 * derivatives of three sigmoids (9) and of tanh (3).
 * GRU backward: dz = dh·(h − n)·(1 − z)·z (5), dh·z (1), dn = dh·(1 − z)·(1 − n²) (4), dn·r (1),
 * dr = dn·b·(1 − r)·r (4).
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

const SOURCE = 'equations in the documentation of torch.nn.LSTMCell and GRUCell, and their derivatives';

export const recurrentGates: Family = {
  id: 'recurrent-gates',
  title: 'Pointwise part of LSTM and GRU cells as one op',
  ops: Object.keys(RULES),
  formulas: [
    'flops = 13·B·H LSTM, 10·B·H GRU, with biases 21 and 16; backward 23 and 15; an activation counted as 1',
    'bytes = gates, states and biases read; states and workspace, or gradients, written',
  ],
  work: (call, kernel) => (kernel.dir === 'bprop' ? null : ruleWork(RULES, call, kernel, SOURCE)),
};
