import { expect } from 'chai';
import { amount, backward, float, forward, int, paramsOf, secondBackward, workOf } from '../../../support/amounts.js';
import { aten, call, kernel, t, v } from '../../../support/calls.js';

const x = t([64, 64]);
// 64·64 = 4096 elements, 16384 bytes of fp32, 8192 of fp16

describe('pointwise ops', () => {
  it('read each operand and write the result, one operation per element', () => {
    expect(amount(call('Tensor.add', x, x))).to.equal('main 4096 49152'); // 3·16384
    expect(amount(call('Tensor.exp', x))).to.equal('main 4096 32768'); // 2·16384
    expect(amount(call('aten.aten::mul', x, x))).to.equal('main 4096 49152');
  });
  it('count Python numbers as no traffic', () => {
    expect(amount(call('Tensor.__mul__', x, float(2.5)))).to.equal('main 4096 32768');
  });
  it('broadcast', () => {
    expect(amount(call('Tensor.add', t([64, 1]), t([1, 64])))).to.equal('main 4096 16896'); // 256 + 256 + 16384
    expect(amount(call('Tensor.__iadd__', t([35, 20, 600]), t([600])))).to.equal('main 420000 3362400'); // 2·1680000 + 2400
  });
  it('give each operand its own size and the result the promoted one', () => {
    expect(amount(call('Tensor.add', x, t([64, 64], 'float16')))).to.equal('main 4096 40960'); // 16384 + 8192 + 16384
    expect(amount(call('Tensor.div', t([8], 'int64'), int(2)))).to.equal('main 8 96'); // 64 + 8·4, true division is fp32
    expect(amount(call('Tensor.add_', t([8], 'float16'), t([8])))).to.equal('main 8 64'); // 16 + 32 + 16, in place
  });
  it('write one byte per comparison', () => {
    expect(amount(call('Tensor.__gt__', x, x))).to.equal('main 4096 36864'); // 2·16384 + 4096
    expect(amount(call('torch.isnan', x))).to.equal('main 4096 20480');
  });
  it('count a sum with a factor as a multiply-add', () => {
    expect(amount(call('Tensor.add', x, x, v(0.5, 'alpha')))).to.equal('main 8192 49152');
    expect(amount(call('Tensor.add', x, x, v(1, 'alpha')))).to.equal('main 4096 49152');
    expect(amount(call('Tensor.add_', x, int(-20), x))).to.equal('main 8192 49152'); // form before PyTorch 1.5
    expect(amount(call('aten.aten::add', x, x, int(1)))).to.equal('main 4096 49152');
  });
  it('count lerp and addcmul as three, a choice as none', () => {
    expect(amount(call('Tensor.lerp', x, x, float(0.5)))).to.equal('main 12288 49152');
    expect(amount(call('Tensor.addcmul', x, x, x))).to.equal('main 12288 65536');
    // 4096 (mask) + 16384 + 16384
    expect(amount(call('Tensor.masked_fill', x, t([64, 64], 'bool'), float(0)))).to.equal('main 0 36864');
    expect(amount(call('torch.where', t([64, 64], 'bool'), x, x))).to.equal('main 0 53248');
  });
  it('do not read what out= names', () => {
    expect(amount(call('torch.add', x, x, t([64, 64], 'float32', 'out')))).to.equal('main 4096 49152');
  });
  it('take a number for a tensor without dimensions when there is no other operand', () => {
    expect(amount(call('Tensor.add', int(1), int(2)))).to.equal('main 1 8'); // 4 read, 4 written
    expect(paramsOf(call('Tensor.add', int(1), int(2)))).to.equal('T=[(1,)],int32,');
  });
  it('name every operand and every type in the params', () => {
    expect(paramsOf(call('Tensor.add', x, t([64], 'float16')))).to.equal('T=[(64,64),(64,)],fp32,fp16,');
  });
  it('know the FLOPs of a type whose size they do not know', () => {
    const work = workOf(call('Tensor.add', t([8], 'mystery'), t([8], 'mystery')));
    expect(work).to.include({ flops: 8, bytes: null, unknown: 'the element size of mystery is unknown' });
    const unspecified = workOf(call('aten.aten::relu_', { name: '', type: 'tensor', shape: [8] }));
    expect(unspecified).to.include({ flops: 8, bytes: null });
  });
  it('do not fit operands that cannot be broadcast, or none at all', () => {
    expect(amount(call('Tensor.add', t([3]), t([4])))).to.equal(null);
    expect(amount(call('aten.aten::add'))).to.equal(null);
    expect(amount(call('Tensor.add', t([-1]), t([4])))).to.equal(null);
  });
});

describe('pointwise ops, backward', () => {
  it('pass the gradient of a sum on, and add it up where an operand was broadcast', () => {
    expect(amount(call('Tensor.add', x, x), backward)).to.equal('main 0 32768');
    // one operand of 64: 4096 additions; 16384 read, 256 written
    expect(amount(call('Tensor.add', x, t([64])), backward)).to.equal('main 4096 16640');
    expect(amount(call('Tensor.add', x, x), secondBackward)).to.equal('helper 0 0');
    expect(amount(call('Tensor.remainder', x, int(2)), backward)).to.equal('main 0 32768');
  });
  it('run a kernel per operand of a product', () => {
    expect(amount(call('Tensor.__mul__', x, x), backward)).to.equal('main 4096 49152');
    // gradient of the second operand: gradient 16384 + first operand 16384 + result 16384
    expect(amount(call('Tensor.mul', x, t([64])), secondBackward)).to.equal('main 4096 49152');
    // gradient of the first: gradient 16384 + second operand 256 + result 16384
    expect(amount(call('Tensor.mul', x, t([64])), backward)).to.equal('main 4096 33024');
    expect(amount(call('Tensor.mul', x, float(2)), backward)).to.equal('main 4096 32768');
    expect(amount(call('Tensor.mul', x, float(2)), secondBackward)).to.equal('helper 0 0');
  });
  it('read what a function saved', () => {
    expect(amount(call('Tensor.tanh', x), backward)).to.equal('main 4096 49152');
    expect(amount(call('Tensor.atan2', x, x), backward)).to.equal('main 4096 65536');
    expect(amount(call('Tensor.addcdiv', x, x, x), backward)).to.equal('main 12288 65536');
    expect(amount(call('Tensor.neg', x), backward)).to.equal('main 4096 32768');
    expect(amount(call('Tensor.lerp', x, x, x), backward)).to.equal('main 4096 49152'); // with a tensor of weights
  });
  it('write zeros for a step, and a choice of the gradient for a mask', () => {
    expect(amount(call('Tensor.floor', x), backward)).to.equal('main 0 16384');
    expect(amount(call('Tensor.masked_fill_', x, t([64, 64], 'bool'), int(0)), backward)).to.equal('main 0 36864');
  });
  it('compute a comparison again', () => {
    expect(amount(call('Tensor.__eq__', x, x), backward)).to.equal(amount(call('Tensor.__eq__', x, x), forward));
  });
  it('give every kernel of a chain without gradients its own work', () => {
    expect(amount(call('Tensor.mul_', x, float(0.5)), kernel('elementwise_kernel', 'fprop', 15))).to.equal(
      'main 4096 32768',
    );
  });
});

describe('pointwise dispatcher ops', () => {
  const half = (...shape: number[]): ReturnType<typeof t> => t(shape, 'bfloat16');
  it('read operands and write the result, whatever the pass', () => {
    // 16·16·559·64 = 9158656 elements of 2 bytes; bytes as an independent tool has them: 52.40625 MiB
    const operand = half(16, 16, 559, 64);
    expect(amount(aten('add', operand, operand, int(1)))).to.equal(`main 9158656 ${52.40625 * 2 ** 20}`);
    expect(amount(aten('add', operand, operand, int(1)), backward)).to.equal(`main 9158656 ${52.40625 * 2 ** 20}`);
    expect(amount(aten('mul', half(1024), half(16, 559, 1024)))).to.equal(`main 9158656 ${34.939453125 * 2 ** 20}`);
    expect(amount(aten('pow', t([16, 559, 1024]), int(2)))).to.equal(`main 9158656 ${69.875 * 2 ** 20}`);
  });
  it('read and write what they change in place', () => {
    // 10·64·56·56 = 2007040 elements: 7.65625 MiB
    expect(amount(aten('clamp_min_', half(10, 64, 56, 56), int(0)))).to.equal(`main 2007040 ${7.65625 * 2 ** 20}`);
    expect(amount(aten('add_', t([], 'int64'), t([], 'int64'), int(1)))).to.equal('main 1 24');
    expect(amount(aten('add_', half(1, 5184, 4), t([5184, 4]), int(1)))).to.equal('main 20736 165888'); // 20736·(2 + 4 + 2)
    expect(amount(aten('add_', int(1), x, int(1)))).to.equal(null);
  });
  it('write an out tensor and do not read it', () => {
    expect(amount(aten('mul', half(512), t([], 'float64'), half(512)))).to.equal('main 512 2056'); // 1024 + 8 + 1024
    expect(amount(aten('add', x, x, int(1), x))).to.equal('main 4096 49152');
    expect(amount(aten('clamp', x, float(0), float(1), x))).to.equal('main 4096 32768');
    expect(amount(aten('neg', x, x))).to.equal('main 4096 32768');
    expect(amount(aten('add', x, x, int(1), t([0], 'float16')))).to.equal('main 4096 40960'); // yet to be resized
  });
  it('count a factor where it is specified and not one', () => {
    expect(amount(aten('sub', x, x, float(0.5)))).to.equal('main 8192 49152');
    expect(amount(aten('add', x, x, { name: '', type: 'int' }))).to.equal('main 4096 49152');
    expect(amount(aten('add', x, x, { name: '', type: 'unknown' }))).to.equal('main 4096 49152');
  });
  it('give the result the type of the tensors that have dimensions', () => {
    expect(amount(aten('sub', t([], 'float64'), half(1, 1, 5, 5), int(1)))).to.equal('main 25 108'); // 8 + 50 + 50
    expect(amount(aten('mul', t([8], 'int64'), t([], 'float64')))).to.equal('main 8 104'); // 64 + 8 + 8·4
    expect(amount(aten('div', t([8], 'int32'), int(2)))).to.equal('main 8 64'); // 32 + 8·4
    expect(amount(aten('eq', t([16, 559], 'int64'), int(1)))).to.equal('main 8944 80496'); // 8944·(8 + 1)
  });
  it('know the masks of a choice', () => {
    // 1 + 2 + 5184·2 + 5184·2
    expect(amount(aten('where', t([1, 1, 1], 'bool'), half(), half(1, 5184, 1)))).to.equal('main 0 20739');
    expect(amount(aten('masked_fill_', half(888, 2880), t([888, 1], 'bool'), int(0)))).to.equal('main 0 10230648');
    expect(amount(aten('where', t([8], 'bool')))).to.equal(null);
  });
  it('are the same for primitives', () => {
    expect(amount({ ...aten('mul', x, x), mod: 'prims' })).to.equal('main 4096 49152');
    expect(amount({ ...aten('shift_left', t([8], 'int32'), int(1)), mod: 'prims' })).to.equal('main 8 64');
  });
  it('know the FLOPs of tensors whose type is unspecified', () => {
    const unspecified = { name: '', type: 'tensor', shape: [8, 4] };
    expect(workOf({ ...aten('mul', unspecified, unspecified), from: 'sizes' })).to.include({ flops: 32, bytes: null });
  });
});
