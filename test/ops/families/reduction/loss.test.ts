import { expect } from 'chai';
import { amount, backward, float, forward, int, paramsOf, workOf } from '../../../support/amounts.js';
import { byPyprof, call, kernel, t, v } from '../../../support/calls.js';

const F = 'torch.nn.functional';
const x = t([64, 10]);
// 640 elements, 2560 bytes

describe('losses', () => {
  it('mse_loss: difference and square; gradient: difference, norm, product; a mean in a kernel of its own', () => {
    const loss = call(`${F}.mse_loss`, x, x);
    const none = call(`${F}.mse_loss`, x, x, v('none', 'reduction'));
    expect(amount(loss)).to.equal('main 1280 7680'); // 2·640; 3·2560
    expect(amount(loss, kernel('reduce_kernel', 'fprop', 1))).to.equal('main 640 2564');
    expect(amount(loss, backward)).to.equal('main 1920 7684'); // 3·640; the gradient of the mean is one number
    expect(amount(none)).to.equal('main 1280 7680');
    expect(amount(none, backward)).to.equal('main 1920 10240');
    expect(amount(call('aten.aten::mse_loss', x, x, int(0)))).to.equal('main 1280 7680'); // aten writes 0 for none
    expect(amount(call(`${F}.mse_loss`, x, t([64])))).to.equal(null);
  });
  it('mse_loss by PyProf: two operations per element moved, and one', () => {
    const loss = call(`${F}.mse_loss`, x, x);
    const none = call(`${F}.mse_loss`, x, x, v('none', 'reduction'));
    expect(amount(loss, byPyprof(forward))).to.equal('main 2561 5120'); // 4·640 + 1; 2·2560
    expect(amount(loss, byPyprof(backward))).to.equal('main 3841 7680');
    expect(amount(none, byPyprof(forward))).to.equal('main 3841 7680');
    expect(amount(none, byPyprof(backward))).to.equal('main 5121 10240');
    expect(paramsOf(loss, byPyprof(forward))).to.equal('T=(64,10),fp32,red=mean,');
  });
  it('others: the operations of their definition', () => {
    expect(amount(call(`${F}.l1_loss`, x, x))).to.equal('main 1920 5124'); // (2 + 1)·640; one result
    expect(amount(call(`${F}.l1_loss`, x, x, v('none', 'reduction')))).to.equal('main 1280 7680');
    expect(amount(call(`${F}.kl_div`, x, x), backward)).to.equal('main 1280 5124'); // product, sign; gradients of 4 and 2560, target
    expect(amount(call(`${F}.l1_loss`, x))).to.equal(null);
  });
  // 700 samples of 33278 classes: 23294600 elements, 93178400 bytes
  const logits = t([700, 33278]);
  const target = t([700], 'int64');
  it('nll_loss: one element per target', () => {
    const loss = call(`${F}.nll_loss`, logits, target, v(null), v(null), int(-100), v(null), v('mean'));
    expect(amount(loss)).to.equal('main 700 8408'); // 700·(8 + 4) + 4, and the total weight
    // 700·(8 + 4), gradient and total weight: the kernel before it writes the zeros.
    expect(amount(loss, backward)).to.equal('main 700 8408');
    expect(amount(call(`${F}.nll_loss`, logits))).to.equal(null);
  });
  it('cross_entropy: its kernels are identified by name', () => {
    const loss = call(`${F}.cross_entropy`, logits, target);
    expect(amount(loss, kernel('void cunn_SoftMaxForward<float>(int)'))).to.equal('main 116473000 186356800'); // 5·E, 2·E·4
    expect(amount(loss, kernel('cunn_ClassNLLCriterion_updateOutput_kernel'))).to.equal('main 700 8408');
    expect(amount(loss, kernel('fused_kernel'))).to.equal('main 116473700 186365208'); // both
    const fill = 'void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>(int)';
    expect(amount(loss, kernel(fill, 'bprop'))).to.equal('helper 0 0'); // zeros for the gradient
    expect(amount(call(`${F}.cross_entropy`, logits))).to.equal(null);
    const unknown = workOf(call(`${F}.cross_entropy`, t([7, 3], 'mystery'), target), kernel('fused_kernel'));
    expect(unknown).to.equal(null); // more targets than inputs
    expect(amount(call(`${F}.cross_entropy`, t([700, 3], 'mystery'), target))).to.equal('main 11200 na');
  });
});

describe('fused optimiser steps', () => {
  const floats = [1e-3, 0.9, 0.999, 1e-8, 1, 1, 0].map((number) => float(number));
  const w = t([10]);

  it('adam: weights and moments read and written, gradient read, half-precision weights written', () => {
    const mixed = call('fused_adam_cuda.adam', w, t([0]), w, w, t([10], 'float16'), ...floats);
    expect(amount(mixed)).to.equal('main 130 280'); // 13·10; 6·40 + 2·20
    expect(paramsOf(mixed)).to.equal('T=(10,),fp32,fp16,');
    expect(amount(call('fused_adam_cuda.adam', w, t([0]), w, w, w, ...floats))).to.equal('main 130 280'); // 7·40
    expect(amount(mixed, kernel('adam_cuda_kernel', 'fprop', 1))).to.equal('helper 0 0');
    expect(amount(call('fused_adam_cuda.adam', w, t([0]), w, w))).to.equal(null);
    expect(amount(call('fused_adam_cuda.adam', w, t([0]), w, w, t([3])))).to.equal(null);
  });
});
