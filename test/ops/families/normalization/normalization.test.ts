import { expect } from 'chai';
import { amount, backward, forward, list, secondBackward } from '../../../support/amounts.js';
import { byPyprof, call, kernel, t, v } from '../../../support/calls.js';

const F = 'torch.nn.functional';
const x = t([35, 20, 200]);
// 140000 elements, 560000 bytes; weight and bias of 200 elements, 800 bytes each
const layerNorm = call(`${F}.layer_norm`, x, list([200]), t([200]), t([200]), v(1e-5));

describe('normalisation', () => {
  it('is four operations per element, five with weights, three to four for a root mean square', () => {
    // 700 rows, with a mean and a deviation of 4 bytes each
    expect(amount(call(`${F}.layer_norm`, x, list([200])))).to.equal('main 560000 1125600');
    expect(amount(layerNorm)).to.equal('main 700000 1127200'); // 2·560000 + 2·800 + 2·2800
    expect(amount(call(`${F}.rms_norm`, x, list([200])))).to.equal('main 420000 1122800');
    expect(amount(call(`${F}.rms_norm`, x, list([200]), t([200])))).to.equal('main 560000 1123600');
  });
  it('is five for a batch and six per channel, backward nine; PyProf counts eight', () => {
    const y = t([8, 64, 56, 56]); // 1605632 elements, 6422528 bytes; 256 bytes per parameter
    const c = t([64]);
    const batchNorm = call(`${F}.batch_norm`, y, c, c, c, c, v(true));
    // 5·1605632 + 6·64; four parameters read, running statistics and those of the batch written: 8·256
    expect(amount(batchNorm)).to.equal('main 8028544 12847104');
    expect(amount(batchNorm, byPyprof(forward))).to.equal('main 12845056 12846080'); // 4·256
    // 9·1605632; weight and statistics of the batch read, gradients of weight and bias written: 3·6422528 + 5·256
    expect(amount(batchNorm, backward)).to.equal('main 14450688 19268864');
    expect(amount(call('torch.batch_norm', y, c, c, c, c, v(true)), backward)).to.equal('main 14450688 19268864');
    expect(amount(batchNorm, byPyprof(backward))).to.equal('main 12845056 19268352'); // 3·256
    expect(amount(call(`${F}.batch_norm`, y, c, c), secondBackward)).to.equal('helper 0 0');
  });
  it('takes the mode of a batch norm from the call, by default without training', () => {
    const [y, c, w] = [t([2, 8, 4, 4]), t([8]), t([8], 'float16')]; // 256 elements, 1024 bytes; 32 and 16 bytes
    // 2·256; 2·1024 + 2·32 + 2·16: weights stand behind the running statistics
    expect(amount(call(`${F}.batch_norm`, y, c, c, w, w))).to.equal('main 512 2144');
    expect(amount(call(`${F}.batch_norm`, y, c, c, w, w, v(false)), backward)).to.equal('main 1280 3184'); // 5·256; 3·1024 + 2·32 + 3·16
    expect(amount(call(`${F}.instance_norm`, y))).to.equal('main 1376 2176'); // 5·256 + 6·16; 2·1024 + 2·16·4
  });
  it('gives the kernels of a batch norm their parts, which add up to all of its operations per element', () => {
    const y = t([2, 8, 4, 4]); // 256 elements, 1024 bytes; 32 bytes per channel
    const batchNorm = call(`${F}.batch_norm`, y, t([8]), t([8]), t([8]), t([8]), v(true));
    const part = (name: string, dir: 'fprop' | 'bprop'): string | null => amount(batchNorm, kernel(name, dir));
    expect(part('batch_norm_collect_statistics_kernel', 'fprop')).to.equal('main 768 1088'); // 3·256; 1024 + 2·32
    expect(part('batch_norm_transform_input_kernel', 'fprop')).to.equal('main 512 2176'); // 2·256; 2·1024 + 4·32
    expect(part('batch_norm_backward_reduce_kernel', 'bprop')).to.equal('main 1024 2208'); // 4·256; 2·1024 + 5·32
    expect(part('batch_norm_backward_elemt_kernel', 'bprop')).to.equal('main 1280 3232'); // 5·256; 3·1024 + 5·32
  });
  it('gives each named kernel of a layer norm its part', () => {
    const part = (name: string, dir: 'fprop' | 'bprop', sub: number): string | null =>
      amount(layerNorm, kernel(`void at::native::${name}<float>(int)`, dir, sub));
    // 2·E; input, statistics
    expect(part('RowwiseMomentsCUDAKernel', 'fprop', 0)).to.equal('main 280000 565600');
    // 3·E; input, weights, statistics, result
    expect(part('LayerNormForwardCUDAKernel', 'fprop', 1)).to.equal('main 420000 1127200');
    // 5·E, weighting among them; gradient, input, statistics, weight, sums: 2·560000 + 4·2800 + 800
    expect(part('ComputeInternalGradientsCUDAKernel', 'bprop', 0)).to.equal('main 700000 1132000');
    expect(part('ComputeGradientFusedParamsCUDAKernel', 'bprop', 1)).to.equal('helper 0 0');
    // 5·E; 3·560000 + 4·2800 + 800
    expect(part('LayerNormBackwardCUDAKenrel', 'bprop', 2)).to.equal('main 700000 1692000');
    // 5·E; 2·560000 + 2·2800 + 3·800
    expect(part('GammaBetaBackwardCUDAKernel', 'bprop', 3)).to.equal('wgrad 700000 1128000');
    // 10·E; 3·560000 + 2·2800 + 800
    expect(part('layer_norm_grad_input_kernel', 'bprop', 0)).to.equal('main 1400000 1686400');
    // 13·E; 3·560000 + 2·2800 + 3·800
    expect(part('layer_norm_backward', 'bprop', 0)).to.equal('main 1820000 1688000');
  });
  it('takes an elementwise kernel behind group statistics for their application', () => {
    const groupNorm = call(`${F}.group_norm`, t([2, 8, 4, 4]), v(4)); // 256 elements, 1024 bytes; 8 groups
    expect(amount(groupNorm, forward)).to.equal('main 1280 2112'); // 5·256; 2·1024 + 2·8·4
    expect(amount(groupNorm, kernel('elementwise_kernel', 'fprop', 2))).to.equal('main 512 2112');
    expect(amount(groupNorm, kernel('fill', 'fprop', 2))).to.equal('helper 0 0');
    // It reads the sums of the groups, not the input.
    expect(amount(groupNorm, kernel('GammaBeta1dBackwardCUDAKernel1', 'bprop', 3))).to.equal('helper 0 0');
  });
  it('needs an input', () => {
    expect(amount(call(`${F}.layer_norm`))).to.equal(null);
  });
});
