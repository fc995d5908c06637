import { expect } from 'chai';
import { amount, backward, int, paramsOf } from '../../../support/amounts.js';
import { aten, call, kernel, none, t, v } from '../../../support/calls.js';

const F = 'torch.nn.functional';
const x = t([64, 128]);
// 8192 elements, 32768 bytes

describe('activations', () => {
  it('are one operation per element, one read and one write; backward two reads and one write', () => {
    expect(amount(call(`${F}.relu`, x))).to.equal('main 8192 65536');
    expect(amount(call(`${F}.gelu`, x), backward)).to.equal('main 8192 98304');
    expect(amount(call(`${F}.relu`, t([64, 128], 'float32', 'input')))).to.equal('main 8192 65536');
    expect(paramsOf(call(`${F}.relu`, x))).to.equal('T=(64,128),fp32,');
  });
  it('read the weight of prelu, and write products for its gradient', () => {
    expect(amount(call(`${F}.prelu`, x, t([1])))).to.equal('main 8192 65540');
    expect(amount(call(`${F}.prelu`, x, t([1])), backward)).to.equal('main 16384 131076'); // 4·32768 + 4
  });
  it('halve the gated dimension of glu', () => {
    expect(amount(call(`${F}.glu`, x))).to.equal('main 8192 49152'); // 2·4096; 32768 + 16384
    expect(amount(call(`${F}.glu`, x, int(0)), backward)).to.equal('main 8192 81920'); // 2·32768 + 16384
    expect(amount(call(`${F}.glu`, x, int(2)))).to.equal(null);
  });
  it('need an input', () => {
    expect(amount(call(`${F}.relu`))).to.equal(null);
  });
});

describe('activations of the dispatcher', () => {
  const half = t([16, 559, 2816], 'bfloat16');
  // 25186304 elements, 96.078125 MiB read and written
  it('read their input and their weight, not an out tensor', () => {
    expect(amount(aten('silu', half))).to.equal(`main 25186304 ${96.078125 * 2 ** 20}`);
    expect(amount(aten('silu', half, half))).to.equal(`main 25186304 ${96.078125 * 2 ** 20}`);
    expect(amount(aten('gelu', x, v('none')))).to.equal('main 8192 65536');
    expect(amount(aten('elu', x, int(1), int(1), int(1)), backward)).to.equal('main 8192 65536');
    expect(amount(aten('_prelu_kernel', x, t([128])))).to.equal('main 8192 66048'); // 32768 + 512 + 32768
  });
  it('halve a gated dimension, specified or not', () => {
    expect(amount(aten('glu', x, int(0)))).to.equal('main 8192 49152');
    expect(amount(aten('glu', x, { name: '', type: 'int' }))).to.equal('main 8192 49152');
    expect(amount(aten('glu', t([3]), { name: '', type: 'int' }))).to.equal(null);
  });
});

describe('gradients of activations', () => {
  const gradient = t([10, 64, 56, 56], 'bfloat16');
  it('read the gradient and the saved tensor, and write a gradient', () => {
    // 2007040 elements, 11.484375 MiB in three tensors
    const three = `main 2007040 ${11.484375 * 2 ** 20}`;
    expect(amount(aten('threshold_backward', gradient, gradient, int(0)))).to.equal(three);
    expect(amount(aten('threshold_backward', gradient, gradient, int(0), gradient))).to.equal(three);
    expect(amount(aten('gelu_backward', gradient, gradient, v('tanh')))).to.equal(three);
    expect(amount(aten('tanh_backward', gradient, gradient))).to.equal(three);
    expect(amount(aten('elu_backward', gradient, int(1), int(1), int(1), v(false), gradient))).to.equal(three);
    expect(amount(aten('hardtanh_backward', gradient, gradient, { name: '', type: 'unknown' }, int(6)))).to.equal(
      three,
    );
    expect(amount(aten('log_sigmoid_backward', x, x, t([0])))).to.equal('main 8192 98304');
  });
  it('are as large as the gated input of glu', () => {
    expect(amount(aten('glu_backward', t([64, 64]), x, int(-1)))).to.equal('main 8192 81920'); // 16384 + 2·32768
  });
  it('count the gradient of a weight', () => {
    expect(amount(aten('_prelu_kernel_backward', x, x, t([128])))).to.equal('main 16384 131584'); // 4·32768 + 512
  });
  it('do not fit without their saved tensor', () => {
    expect(amount(aten('silu_backward', x))).to.equal(null);
    expect(amount(aten('silu_backward', x, none))).to.equal(null);
    expect(amount(call('torch.silu_backward', x, x))).to.equal(null);
  });
});

describe('softmax', () => {
  it('is five operations per element forward, four backward', () => {
    expect(amount(call(`${F}.softmax`, x, v(-1, 'dim')))).to.equal('main 40960 65536'); // 5·8192, 2·32768
    expect(amount(call('Tensor.log_softmax', x, int(-1)), backward)).to.equal('main 32768 98304'); // 4·8192, 3·32768
  });
  it('shares its backward pass with an elementwise kernel that makes the products', () => {
    const opCall = call(`${F}.softmax`, x, v(-1, 'dim'));
    expect(amount(opCall, backward)).to.equal('main 8192 98304'); // 1·8192
    expect(amount(opCall, kernel('softmax_warp_backward', 'bprop', 1))).to.equal('main 24576 98304'); // 3·8192
    expect(amount(opCall, kernel('softmax_warp_backward', 'bprop'))).to.equal('main 32768 98304'); // alone: 4·8192
    expect(amount(opCall, kernel('reduce_kernel', 'fprop', 1))).to.equal('helper 0 0');
  });
  it('writes the type that the call names', () => {
    const half = t([64, 128], 'float16');
    expect(amount(call(`${F}.softmax`, half, int(-1), v('torch.float32', 'dtype')))).to.equal('main 40960 49152'); // 16384 + 32768
    expect(amount(call('aten.aten::_softmax', half, int(-1), v(true)))).to.equal('main 40960 49152');
  });
  it('needs a tensor', () => {
    expect(amount(call(`${F}.softmax`))).to.equal(null);
    expect(amount(call(`${F}.softmax`, int(3)))).to.equal('main 5 8'); // a tensor without dimensions, as a number
  });
});
