/** Quantisation by ATen: to whole numbers and back, fake quantisation and its gradients. */
import { expect } from 'chai';
import { amount, float, int, workOf } from '../../../support/amounts.js';
import { aten, none, t, ts, v } from '../../../support/calls.js';
import type { Arg } from '../../../../src/record/record.js';

const x = t([8, 16]); // 128 elements, 512 bytes
const mask = t([8, 16], 'bool');
const unspecified: Arg = { name: '', type: 'unknown' };
const range = [int(-128), int(127)];
const [scale, zero] = [t([1]), t([1], 'int32')]; // 4 bytes each
const [scales, zeros] = [t([8]), t([8], 'int32')]; // 32 bytes each

describe('quantisation', () => {
  it('has a result of the type asked for', () => {
    // 4·128; 512 + 128
    expect(amount(aten('quantize_per_tensor', x, float(0.1), int(0), int(12)))).to.equal('main 512 640');
    expect(amount(aten('quantize_per_tensor', x, scale, zero, int(13)))).to.equal('main 512 648');
    expect(amount(aten('quantize_per_tensor', x, float(0.1), int(0), int(14)))).to.equal('main 512 1024'); // qint32
    expect(amount(aten('quantize_per_tensor', x, unspecified, unspecified, unspecified))).to.equal('main 512 na');
    expect(amount(aten('quantize_per_channel', x, scales, zeros, int(0), int(12)))).to.equal('main 512 704');
  });
  it('goes back to single precision', () => {
    expect(amount(aten('dequantize', t([8, 16], 'qint8')))).to.equal('main 256 640'); // 2·128; 128 + 512
    expect(amount(aten('dequantize', ts(t([4], 'quint8'), t([2], 'quint8'))))).to.equal('main 12 30');
  });
});

describe('fake quantisation', () => {
  it('quantises and goes back', () => {
    expect(amount(aten('fake_quantize_per_tensor_affine', x, float(0.1), int(0), ...range))).to.equal('main 768 1024');
    expect(amount(aten('fake_quantize_per_tensor_affine', x, scale, zero, ...range))).to.equal('main 768 1032');
    expect(amount(aten('fake_quantize_per_channel_affine', x, scales, zeros, int(0), ...range))).to.equal(
      'main 768 1088',
    );
    expect(amount(aten('_fake_quantize_learnable_per_tensor_affine', x, scale, zero, ...range, float(1)))).to.equal(
      'main 768 1032',
    );
  });
  it('keeps what was in range', () => {
    // 7·128; 512 + 512 + 128
    const op = 'fake_quantize_per_tensor_affine_cachemask';
    expect(amount(aten(op, x, float(0.1), int(0), ...range))).to.equal('main 896 1152');
    expect(amount(aten(`_${op}_tensor_qparams`, x, scale, zero, t([1], 'int64'), ...range))).to.equal('main 896 1168');
    expect(amount(aten('fake_quantize_per_channel_affine_cachemask', x, scales, zeros, int(0), ...range))).to.equal(
      'main 896 1216',
    );
    expect(amount(aten(op, x, unspecified, unspecified, unspecified, unspecified, x, mask))).to.equal('main 896 1152'); // out
  });
  it('has gradients', () => {
    // 128; 512 + 128 + 512
    expect(amount(aten('fake_quantize_per_tensor_affine_cachemask_backward', x, mask))).to.equal('main 128 1152');
    expect(amount(aten('fake_quantize_per_channel_affine_cachemask_backward', x, mask))).to.equal('main 128 1152');
    // 11·128; two operands, three results of 512, and the scale with its zero point
    const learned = [int(-128), int(127), float(1)];
    expect(amount(aten('_fake_quantize_learnable_per_tensor_affine_backward', x, x, scale, zero, ...learned))).to.equal(
      'main 1408 2568',
    );
    expect(
      amount(aten('_fake_quantize_learnable_per_channel_affine_backward', x, x, scales, zeros, int(0), ...learned)),
    ).to.equal('main 1408 2624');
  });
  it('leaves the averages to the op that observes', () => {
    const [on, average] = [t([1], 'int64'), t([1])];
    const settings = [float(0.01), ...range, int(-1), v(false), v(false)];
    const call = aten('_fused_moving_avg_obs_fq_helper', x, on, on, average, average, scale, zero, ...settings);
    // 8 + 8, 2·(4 + 4), 4 + 4
    expect(amount(call)).to.equal('main na 40');
    expect(workOf(call)?.unknown).to.equal('values in tensors decide whether it observes or quantises');
  });
  it('misfits', () => {
    expect(amount(aten('quantize_per_tensor', none, float(0.1), int(0), int(12)))).to.equal(null);
    expect(amount({ mod: 'torch', op: 'quantize_per_tensor', args: [x] })).to.equal(null);
  });
});
