import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Arg, ArgValue, OpCall } from '../../../../src/record/record.js';
import { aten, none, t, ts, v } from '../../../support/calls.js';
import { amount, float, int, paramsOf, workOf } from '../../../support/amounts.js';
import { itShared } from '../../../support/shared.js';

/** A tensor within a list, whose element type is unspecified. */
const bare = (...shape: number[]): Arg => ({ name: '', type: 'tensor', shape });
const list = (...value: ArgValue[]): Arg => ({ name: '', type: 'list', value });
const unknown: Arg = { name: '', type: 'unknown' };

/** Two layers, two directions, T = 7, B = 3, I = 10, H = 20; gates 4: weights of each layer and direction. */
const layer = (gates: number, input: number, hidden: number): Arg[] => [
  bare(gates * hidden, input),
  bare(gates * hidden, hidden),
  bare(gates * hidden),
  bare(gates * hidden),
];
const lstmWeights = ts(...layer(4, 10, 20), ...layer(4, 10, 20), ...layer(4, 40, 20), ...layer(4, 40, 20));
const x = t([7, 3, 10]);
const state = t([4, 3, 20]);
/** 2·gates·T·B·H·(I + H) per layer and direction: 2·4·7·3·20 = 3360, times 30 and 60, both directions. */
const LSTM_FLOPS = 3360 * 2 * (30 + 60);
/** Elements: matrices 80·(30 + 60)·2 and eight biases of 80. */
const LSTM_WEIGHTS = 80 * 90 * 2 + 8 * 80;

describe('recurrent layers as one op', () => {
  const settings = [v(false), float(0), v(true), v(true), list(), none];
  const cudnn = (weights: Arg, buffer: Arg, mode: Arg): OpCall =>
    aten('_cudnn_rnn', x, weights, int(4), buffer, state, state, mode, int(20), int(0), int(2), ...settings);
  /** Input, weights, two first states; output [7, 3, 40] and two last states. */
  const bytes = 4 * (210 + LSTM_WEIGHTS + 2 * 240 + 840 + 2 * 240);

  it('multiply each weight matrix once per position', () => {
    expect(amount(cudnn(lstmWeights, none, int(2)))).to.equal(`main ${LSTM_FLOPS} ${bytes}`);
    expect(paramsOf(cudnn(lstmWeights, none, int(2)))).to.equal('P=21,I=10,H=20,L=2,bidirectional,fp32,');
    expect(workOf(cudnn(lstmWeights, none, int(2)))?.matmul).to.equal(true);
  });

  it('follow from the settings where the weights are unspecified', () => {
    const buffer = t([LSTM_WEIGHTS]);
    expect(amount(cudnn(list(), buffer, int(2)))).to.equal(`main ${LSTM_FLOPS} ${bytes}`);
    expect(amount(cudnn(unknown, none, int(3)))).to.equal(`main ${(LSTM_FLOPS / 4) * 3} na`);
    expect(amount(cudnn(unknown, none, unknown))).to.equal('main na na');
    expect(workOf(cudnn(unknown, none, unknown))?.unknown).to.contain(
      'the weights are unspecified, and so are hidden size',
    );
  });

  it('know the older order without a projection, and count a projection', () => {
    const before = aten('_cudnn_rnn', x, lstmWeights, int(4), none, state, state, int(2), int(20), int(2), ...settings);
    expect(amount(before)).to.equal(`main ${LSTM_FLOPS} ${bytes}`);
    // one layer, projected to 5: 2·P·(80·10 + 80·5 + 5·20)
    const weights = ts(bare(80, 10), bare(80, 5), bare(80), bare(80), bare(5, 20));
    const [hx, cx] = [t([1, 3, 5]), t([1, 3, 20])];
    const projected = (weights: Arg): OpCall =>
      aten(
        '_cudnn_rnn',
        ...[x, weights, int(5), none, hx, cx, int(2), int(20), int(5), int(1)],
        ...[v(false), float(0), v(true), v(false), list(), none],
      );
    expect(workOf(projected(weights))?.flops).to.equal(42 * (800 + 400 + 100));
    expect(workOf(projected(unknown))?.flops).to.equal(42 * (800 + 400 + 100));
  });

  it('take twice as much backward, as much without weight gradients', () => {
    const [out, reserve] = [t([7, 3, 40]), t([5000], 'uint8')];
    const backward = (weightsWanted: boolean): OpCall =>
      aten(
        '_cudnn_rnn_backward',
        ...[x, lstmWeights, int(4), t([LSTM_WEIGHTS]), state, state, out, out, none, none, int(2), int(20), int(0)],
        ...[int(2), ...settings, reserve, list(true, false, false, weightsWanted)],
      );
    // x, weights, states, out and its gradient, reserve; gradients of x and states, of the weights
    const read = 4 * (210 + LSTM_WEIGHTS + 480 + 2 * 840) + 5000;
    expect(amount(backward(true))).to.equal(`main ${2 * LSTM_FLOPS} ${read + 4 * (210 + 480 + LSTM_WEIGHTS)}`);
    expect(amount(backward(false))).to.equal(`main ${LSTM_FLOPS} ${read + 4 * (210 + 480)}`);
  });

  it('of MIOpen stand without a buffer', () => {
    const call = aten('miopen_rnn', x, lstmWeights, int(4), state, state, int(2), int(20), int(2), ...settings);
    expect(amount(call)).to.equal(`main ${LSTM_FLOPS} ${bytes}`);
  });

  it('as the op that contains them: dense and packed', () => {
    const rest = [v(true), int(2), float(0), v(true), v(true)];
    const states = ts(bare(4, 3, 20), bare(4, 3, 20));
    expect(amount(aten('lstm', x, states, lstmWeights, ...rest, v(false)))).to.equal(`main ${LSTM_FLOPS} ${bytes}`);
    // 15 positions of 3 sequences
    const packed = aten('lstm', t([15, 10]), t([7], 'int64'), states, lstmWeights, ...rest);
    expect(workOf(packed)?.flops).to.equal((LSTM_FLOPS / 21) * 15);
    const gruWeights = ts(...layer(3, 10, 20));
    const gru = aten('gru', x, t([1, 3, 20]), gruWeights, v(true), int(1), float(0), v(false), v(false), v(false));
    expect(workOf(gru)?.flops).to.equal(2 * 3 * 21 * 20 * 30);
    expect(workOf(aten('gru', t([15, 10]), t([7], 'int64'), t([1, 3, 20]), gruWeights, v(true)))?.flops).to.equal(
      2 * 3 * 15 * 20 * 30,
    );
    expect(amount(aten('lstm', unknown))).to.equal(null);
  });

  it('do not count for the set-up of dropout within them', () => {
    expect(amount(aten('_cudnn_init_dropout_state', float(0.1), v(true), int(7)))).to.equal('main 0 na');
  });

  it('one step of a cell is two products', () => {
    // 2·B·gates·H·(I + H); x, h, weights, biases, new state
    const cell = aten('gru_cell', t([3, 10]), t([3, 20]), t([60, 10]), t([60, 20]), t([60]), t([60]));
    expect(amount(cell)).to.equal(`main ${2 * 3 * 60 * 30} ${4 * (30 + 60 + 1800 + 120 + 60)}`);
  });
});

describe('the pointwise part of a recurrent cell as one op', () => {
  const [gates, c] = [t([3, 80]), t([3, 20])];

  it('LSTM: 13 operations per hidden unit, 8 more with biases', () => {
    // gates twice and c read; h, c and a workspace of four gates written
    expect(amount(aten('_thnn_fused_lstm_cell', gates, gates, c, none, none))).to.equal(
      `main ${13 * 60} ${4 * (480 + 60 + 60 + 60 + 240)}`,
    );
    expect(amount(aten('_thnn_fused_lstm_cell', gates, gates, c, t([80]), t([80])))).to.equal(
      `main ${21 * 60} ${4 * (480 + 60 + 160 + 360)}`,
    );
  });

  it('LSTM backward: 23 operations per hidden unit', () => {
    expect(amount(aten('_thnn_fused_lstm_cell_backward_impl', c, none, c, c, gates, v(true)))).to.equal(
      `main ${23 * 60} ${4 * (180 + 240 + 240 + 60)}`,
    );
  });

  it('GRU: 10 operations per hidden unit, 15 backward', () => {
    const three = t([3, 60]);
    expect(amount(aten('_thnn_fused_gru_cell', three, three, c, none, none))).to.equal(
      `main ${10 * 60} ${4 * (360 + 60 + 60 + 300)}`,
    );
    expect(amount(aten('_thnn_fused_gru_cell_backward', c, t([3, 100]), v(false)))).to.equal(
      `main ${15 * 60} ${4 * (60 + 300 + 360 + 60)}`,
    );
  });
});

interface CounterRow {
  readonly op: string;
  readonly flops: number;
  readonly arithmetic_flops?: number;
  readonly args: readonly { type: string; shape?: number[]; dtype?: string; value?: ArgValue }[];
}

describe('recurrent layers beside FlopCounterMode', () => {
  itShared('oneDNN: arithmetic where the counter has none', ['reference/flop-counter/flop_counter.jsonl'], ([file]) => {
    const rows = readFileSync(file ?? '', 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as CounterRow)
      .filter(({ op }) => op.startsWith('aten.mkldnn_rnn_layer'));
    const callOf = ({ op, args }: CounterRow): OpCall =>
      aten(
        op.split('.')[1] ?? '',
        ...args.map(({ type, shape, dtype, value }): Arg => {
          if (type === 'tensor' && shape && dtype) return t(shape, dtype);
          return { name: '', type, value: value ?? null };
        }),
      );
    // forward 2·6·(80·10 + 80·20); backward twice 2·6·(16·6 + 16·4)
    expect(rows.map((row) => [row.op, workOf(callOf(row))?.flops])).to.deep.equal([
      ['aten.mkldnn_rnn_layer.default', 28800],
      ['aten.mkldnn_rnn_layer_backward.default', 3840],
    ]);
    expect(rows[0]?.arithmetic_flops).to.equal(28800);
  });
});
