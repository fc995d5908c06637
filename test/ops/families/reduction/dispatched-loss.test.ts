import { expect } from 'chai';
import type { Arg } from '../../../../src/record/record.js';
import { amount, int, workOf } from '../../../support/amounts.js';
import { aten, call, kernel, none, t, v } from '../../../support/calls.js';

const unspecified: Arg = { name: '', type: 'unknown' };
const x = t([64, 10]); // 640 elements, 2560 bytes
const scalar = t([]); // 4 bytes

describe('losses as the dispatcher runs them', () => {
  it('by element: a mean or sum of the results is an op of its own', () => {
    expect(amount(aten('mse_loss', x, x, int(1)))).to.equal('main 1280 7680'); // 2·640; 3·2560
    expect(amount(aten('mse_loss_backward', scalar, x, x, int(1)))).to.equal('main 1920 7684'); // 3·640; 3·2560 + 4
    expect(amount(aten('mse_loss_backward', scalar, x, x, int(1), x))).to.equal('main 1920 7684'); // out form
    expect(amount(aten('smooth_l1_loss', x, x, int(1), v(1.5)))).to.equal('main 3200 7680');
    expect(amount(aten('huber_loss_backward', x, x, x, int(0), v(1)))).to.equal('main 3200 10240');
    expect(amount(aten('binary_cross_entropy', x, x, none, int(1)))).to.equal('main 4480 7680'); // 7·640
    expect(amount(aten('binary_cross_entropy', x, x, x, int(1)))).to.equal('main 5120 10240'); // 8·640, weights
    expect(amount(aten('binary_cross_entropy_backward', scalar, x, x, none, int(1)))).to.equal('main 4480 7684');
    expect(amount(aten('mse_loss_backward', scalar, x))).to.equal(null);
  });
  it('by class: one element per target is read, and one of the gradient written', () => {
    const target = t([64], 'int64'); // 512 bytes
    // 64·(8 + 4) + result + total weight
    expect(amount(aten('nll_loss_forward', x, target, none, int(1), int(-100)))).to.equal('main 64 776');
    expect(amount(aten('nll_loss_forward', x, target, t([10]), int(0), int(-100)))).to.equal('main 128 1068'); // + 40, 256 for 4
    // 64·(8 + 4) + gradient + total weight
    expect(amount(aten('nll_loss_backward', scalar, x, target, none, unspecified, unspecified, scalar))).to.equal(
      'main 64 776',
    );
    // Ascend: 2560 for 256
    const gradient = aten('nll_loss_backward', scalar, x, target, none, unspecified, unspecified, scalar);
    expect(amount(gradient, kernel('aclnnNLLLossBackward_NLLLossGradAiCore_NLLLossGrad'))).to.equal('main 64 3080');
    // log_softmax 5·640 and 2·2560, nll_loss 64 and 772: whole, whatever the kernel
    const both = aten('cross_entropy_loss', x, target, none, int(1), int(-100), v(0));
    expect(amount(both, kernel('softmax_warp_forward'))).to.equal('main 3264 5896');
    expect(amount(aten('nll_loss_backward', scalar, t([4]), target, none, int(1), int(0), scalar))).to.equal(null);
  });
  it('by alignment: 13 per state and step', () => {
    const probabilities = t([50, 4, 20]); // 16000 bytes
    const targets = t([4, 10], 'int64'); // 320 bytes, 21 states
    const lengths = [v([50, 50, 50, 50]), v([10, 9, 8, 7])];
    // 13·4·50·21; 16000 + 320 + 4200·4 + 4·4
    const loss = aten('_ctc_loss', probabilities, targets, ...lengths, int(0), v(false));
    expect(amount(loss)).to.equal('main 54600 33136');
    const flat = aten('_ctc_loss', probabilities, t([34], 'int64'), ...lengths, int(0), v(false));
    expect(amount(flat)).to.equal('main 54600 33088'); // the longest of the lengths
    const hidden = aten('_ctc_loss', probabilities, t([34], 'int64'), unspecified, unspecified, int(0), v(false));
    expect(amount(hidden)).to.equal('main na na');
    expect(workOf(hidden)?.unknown).to.equal('the longest target is unspecified');
    const states = t([4, 50, 21]);
    const back = aten(
      '_ctc_loss_backward',
      t([4]),
      probabilities,
      targets,
      ...lengths,
      t([4]),
      states,
      int(0),
      v(false),
    );
    expect(amount(back)).to.equal('main 54600 65952'); // 16 + 16000 + 320 + 16 + 16800 read; 16800 + 16000 written
  });
});

describe('softmax as the dispatcher runs it', () => {
  const y = t([2, 8, 8], 'float16'); // 128 elements, 256 bytes

  it('backward: 4 per element; the type of the result is a number, or that of the input', () => {
    expect(amount(aten('_softmax', y, int(-1), v(false)))).to.equal('main 640 512');
    expect(amount(aten('_softmax', y, int(-1), v(true)))).to.equal('main 640 768'); // half in, single out
    expect(amount(aten('_softmax_backward_data', y, y, int(-1), int(5)))).to.equal('main 512 768');
    const single = t([2, 8, 8]); // 512 bytes
    expect(amount(aten('_log_softmax_backward_data', single, single, int(-1), int(5)))).to.equal('main 512 1280');
    expect(amount(aten('_log_softmax_backward_data', single, single, unspecified, single))).to.equal('main 512 1536');
  });
  it('with a mask, a scale, or half of the matrix', () => {
    const mask = t([2, 8, 8], 'bool');
    expect(amount(aten('_masked_softmax', y, mask, int(-1), int(2)))).to.equal('main 768 640'); // 6·128; 512 + 128
    expect(amount(aten('_masked_softmax_backward', y, y, mask, int(-1)))).to.equal('main 512 896');
    const function_ = (name: string, ...args: readonly Arg[]): string | null =>
      amount({ ...call(`.${name}`, ...args), from: 'dispatcher' });
    expect(function_('ScaledMaskedSoftmax', y, mask, v(0.5))).to.equal('main 896 640'); // 7·128
    expect(function_('ScaledMaskedSoftmaxBackward', y)).to.equal('main 640 768');
    // 2·36 elements on and below the diagonal
    expect(function_('ScaledUpperTriangMaskedSoftmax', y, v(0.5))).to.equal('main 432 400'); // 144 + 256
    expect(function_('ScaledUpperTriangMaskedSoftmaxBackward', y)).to.equal('main 360 544'); // 2·144 + 256
    expect(function_('ScaledUpperTriangMaskedSoftmax', t([2, 8, 4]), v(0.5))).to.equal(null);
  });
});

describe('the gradient of dropout', () => {
  it('is two operations per element, with a byte per element of the mask', () => {
    const y = t([8, 16], 'float16');
    expect(amount(aten('native_dropout_backward', y, t([8, 16], 'bool'), v(2)))).to.equal('main 256 640');
  });
});
