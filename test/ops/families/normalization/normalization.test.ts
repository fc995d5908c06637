import { expect } from 'chai';
import { amount, backward, forward, list, secondBackward } from '../../../support/amounts.js';
import { call, kernel, t, v } from '../../../support/calls.js';

const F = 'torch.nn.functional';
const x = t([35, 20, 200]);
// 140000 elements, 560000 bytes; weight and bias of 200 elements, 800 bytes each
const layerNorm = call(`${F}.layer_norm`, x, list([200]), t([200]), t([200]), v(1e-5));

describe('normalisation', () => {
  it('is four operations per element, five with weights, three to four for a root mean square', () => {
    expect(amount(call(`${F}.layer_norm`, x, list([200])))).to.equal('main 560000 1120000');
    expect(amount(layerNorm)).to.equal('main 700000 1121600'); // 2·560000 + 2·800
    expect(amount(call(`${F}.rms_norm`, x, list([200])))).to.equal('main 420000 1120000');
    expect(amount(call(`${F}.rms_norm`, x, list([200]), t([200])))).to.equal('main 560000 1120800');
  });
  it('is eight for a batch, with the running statistics and the weights', () => {
    const y = t([8, 64, 56, 56]); // 1605632 elements, 6422528 bytes; 256 bytes per parameter
    const c = t([64]);
    expect(amount(call(`${F}.batch_norm`, y, c, c, c, c, v(true)))).to.equal('main 12845056 12846080'); // 4·256
    // weight read, gradients of weight and bias written: 3·6422528 + 3·256
    expect(amount(call(`${F}.batch_norm`, y, c, c, c, c, v(true)), backward)).to.equal('main 12845056 19268352');
    expect(amount(call('torch.batch_norm', y, c, c, c, c, v(true)), backward)).to.equal('main 12845056 19268352');
    expect(amount(call(`${F}.batch_norm`, y, c, c), secondBackward)).to.equal('helper 0 0');
  });
  it('gives each named kernel of a layer norm its part', () => {
    const part = (name: string, dir: 'fprop' | 'bprop', sub: number): string | null =>
      amount(layerNorm, kernel(`void at::native::${name}<float>(int)`, dir, sub));
    expect(part('RowwiseMomentsCUDAKernel', 'fprop', 0)).to.equal('main 280000 560000'); // 2·E; input
    expect(part('LayerNormForwardCUDAKernel', 'fprop', 1)).to.equal('main 420000 1121600'); // 3·E; input, weights, result
    expect(part('ComputeInternalGradientsCUDAKernel', 'bprop', 0)).to.equal('main 280000 1120000'); // 2·E; gradient, input
    expect(part('ComputeGradientFusedParamsCUDAKernel', 'bprop', 1)).to.equal('helper 0 0');
    expect(part('LayerNormBackwardCUDAKenrel', 'bprop', 2)).to.equal('main 420000 1680800'); // 3·E; 3·560000 + 800
    expect(part('GammaBetaBackwardCUDAKernel', 'bprop', 3)).to.equal('wgrad 420000 1121600'); // 3·E; 2·560000 + 2·800
    expect(part('layer_norm_grad_input_kernel', 'bprop', 0)).to.equal('main 700000 1680800'); // 5·E
  });
  it('takes an elementwise kernel behind group statistics for their application', () => {
    const groupNorm = call(`${F}.group_norm`, t([2, 8, 4, 4]), v(4)); // 256 elements, 1024 bytes
    expect(amount(groupNorm, forward)).to.equal('main 1024 2048');
    expect(amount(groupNorm, kernel('elementwise_kernel', 'fprop', 2))).to.equal('main 512 2048');
    expect(amount(groupNorm, kernel('fill', 'fprop', 2))).to.equal('helper 0 0');
  });
  it('needs an input', () => {
    expect(amount(call(`${F}.layer_norm`))).to.equal(null);
  });
});
