import { expect } from 'chai';
import fc from 'fast-check';
import { renderParams, type Work } from '../../../../src/ops/family.js';
import { convolution } from '../../../../src/ops/families/convolution/convolution.js';
import type { Arg, OpCall } from '../../../../src/record/record.js';
import { amount, paramsOf, workOf } from '../../../support/amounts.js';
import { aten, kernel, none, t, v } from '../../../support/calls.js';
import { propertyRuns } from '../../../support/property-runs.js';

const MAIN = kernel('sm80_xmma_implicit_gemm_indexed_tf32f32');
const unspecified: Arg = { name: '', type: 'unknown' };
const unspecifiedList: Arg = { name: '', type: 'list' };
const f = (...shape: readonly number[]): Arg => t(shape);
const [one, two, zero] = [v([1, 1]), v([2, 2]), v([0, 0])];
const no = v(false);

// x 2·3·8·8 = 384 elements, w 4·3·3·3 = 108, stride 2 without padding: 3×3 positions, y 2·4·3·3 = 72
const X = f(2, 3, 8, 8);
const W = f(4, 3, 3, 3);
const Y = f(2, 4, 3, 3);
const FLOPS = 2 * 2 * 9 * 108;
const BYTES = 4 * (384 + 108 + 72);

describe('dispatched convolutions', () => {
  const ends = [no, no, v(true)];
  const rows: readonly (readonly [title: string, call: OpCall, amounts: string | null])[] = [
    ['', aten('convolution', X, W, none, two, zero, one, no, zero, v(1)), `main ${FLOPS} ${BYTES}`],
    ['reads the bias', aten('convolution', X, W, f(4), two, zero, one, no, zero, v(1)), `main ${FLOPS} ${BYTES + 16}`],
    ['', aten('_convolution', X, W, none, two, zero, one, no, zero, v(1), no, ...ends), `main ${FLOPS} ${BYTES}`],
    ['padding before stride', aten('cudnn_convolution', X, W, zero, two, one, v(1), ...ends), `main ${FLOPS} ${BYTES}`],
    // cudnn_convolution.deprecated has a bias and as many arguments, deprecated2 has none
    ['no bias', aten('cudnn_convolution', X, W, none, zero, two, one, v(1), no, no), `main ${FLOPS} ${BYTES}`],
    ['a bias', aten('cudnn_convolution', X, W, f(4), zero, two, one, v(1), no, no), `main ${FLOPS} ${BYTES + 16}`],
    ['neither', aten('cudnn_convolution', X, W, zero, two, one, v(1), no, no), `main ${FLOPS} ${BYTES}`],
    // every input position: 2·2·4·4·(3·5·2·2), y 2·5·8·8
    ...[
      [zero, zero, two, one, v(1), ...ends],
      [none, zero, zero, two, one, v(1), no, no],
      [zero, zero, two, one, v(1), no, no],
    ].map((settings, i): readonly [string, OpCall, string] => [
      `transposed, version ${i}`,
      aten('cudnn_convolution_transpose', f(2, 3, 4, 4), f(3, 5, 2, 2), ...settings),
      `main ${2 * 2 * 16 * 60} ${4 * (96 + 60 + 640)}`,
    ]),
    ['', aten('miopen_convolution', X, W, none, zero, two, one, v(1), no, no), `main ${FLOPS} ${BYTES}`],
    ['', aten('mkldnn_convolution', X, W, none, zero, two, one, v(1)), `main ${FLOPS} ${BYTES}`],
    ['', aten('conv2d', X, W, none, two, zero, one, v(1)), `main ${FLOPS} ${BYTES}`],
    ['kernel size first', aten('_slow_conv2d_forward', X, W, v([3, 3]), none, two, zero), `main ${FLOPS} ${BYTES}`],
    [
      'reads the addend',
      aten('cudnn_convolution_add_relu', X, W, Y, v(1), none, two, zero, one, v(1)),
      `main ${FLOPS} ${BYTES + 288}`,
    ],
    // every input position: 2·2·4·4·(3·5·2·2), y 2·5·8·8
    [
      '',
      aten('conv_transpose2d', f(2, 3, 4, 4), f(3, 5, 2, 2), none, two, zero, zero, v(1), one),
      `main ${2 * 2 * 16 * 60} ${4 * (96 + 60 + 640)}`,
    ],
    [
      'transposed',
      aten('convolution', f(2, 3, 4, 4), f(3, 5, 2, 2), none, two, zero, one, v(true), zero, v(1)),
      `main ${2 * 2 * 16 * 60} ${4 * (96 + 60 + 640)}`,
    ],
    // depthwise: the groups follow from the weight; 6×6 positions, y 1·3·6·6
    [
      'groups from the weight',
      aten('_conv_depthwise2d', f(1, 3, 8, 8), f(3, 1, 3, 3), v([3, 3]), none, one, zero, one),
      `main ${2 * 36 * 27} ${4 * (192 + 27 + 108)}`,
    ],
    [
      'unbatched',
      aten('conv1d', f(3, 8), f(4, 3, 3), none, v([1]), v([0]), v([1]), v(1)),
      `main ${2 * 6 * 36} ${4 * (24 + 36 + 24)}`,
    ],
    [
      '3-D, same padding',
      aten('_convolution_mode', f(1, 2, 4, 4, 4), f(3, 2, 3, 3, 3), none, v([1, 1, 1]), v('same'), v([1, 1, 1]), v(1)),
      `main ${2 * 64 * 162} ${4 * (128 + 162 + 192)}`,
    ],
    [
      'settings unspecified',
      aten(
        'cudnn_convolution',
        X,
        W,
        unspecifiedList,
        unspecifiedList,
        unspecifiedList,
        unspecified,
        unspecified,
        unspecified,
        unspecified,
      ),
      'main na na',
    ],
    [
      'transposed, settings unspecified',
      aten(
        'cudnn_convolution_transpose',
        f(2, 3, 4, 4),
        f(3, 5, 2, 2),
        unspecified,
        unspecified,
        unspecified,
        unspecified,
        unspecified,
        unspecified,
        unspecified,
        unspecified,
      ),
      `main ${2 * 2 * 16 * 60} na`,
    ],
    ['misfit', aten('conv2d', X, f(4, 2, 3, 3), none, two, zero, one, v(1)), null],
    // time 5 without padding: 3 steps
    ['', aten('conv_tbc', f(5, 3, 4), f(3, 4, 6), f(6), v(0)), `main ${2 * 3 * 3 * 72} ${4 * (60 + 72 + 6 + 54)}`],
  ];
  for (const [title, call, amounts] of rows)
    it(`${call.op} ${title}`, () => {
      expect(amount(call, MAIN)).to.equal(amounts);
    });

  it('takes the output from the gradient that comes back where settings are unspecified', () => {
    const settings = [
      unspecifiedList,
      unspecifiedList,
      unspecifiedList,
      unspecified,
      unspecified,
      unspecified,
      unspecified,
    ];
    const forward = aten('cudnn_convolution', X, W, ...settings);
    expect(amount({ ...forward, out: [[2, 4, 3, 3]] }, MAIN)).to.equal(`main ${FLOPS} ${BYTES}`);
    expect(workOf(forward, MAIN)?.unknown).to.equal(
      "the call does not specify stride, padding, dilation, so the output's shape is unknown",
    );
  });

  it('names the direction where that alone is unspecified', () => {
    for (const direction of [unspecified, two]) {
      const call = aten('convolution', X, W, none, two, zero, one, direction, zero, v(1));
      expect(workOf(call, MAIN)?.unknown).to.equal(
        "the call does not specify transposed, so the output's shape is unknown",
      );
    }
  });

  it('shows the same letters as a call in Python', () => {
    expect(paramsOf(aten('conv2d', X, W, none, two, zero, one, v(1)))).to.equal(
      'N=2,C=3,H=8,W=8,K=4,P=3,Q=3,R=3,S=3,ph=0,pw=0,U=2,V=2,dh=1,dw=1,g=1,fp32,',
    );
  });
  it('gives layout changes none of it', () => {
    const call = aten('miopen_convolution', X, W, none, zero, two, one, v(1), no, no);
    for (const name of ['batched_transpose_32x32_half', 'SubTensorOpWithScalar1d', 'nchwToNhwcKernel'])
      expect(amount(call, kernel(name)), name).to.equal('helper 0 0');
  });
});

const rolesOf = (works: readonly Work[] | null | undefined): string[] | undefined =>
  works?.map(({ role, flops, bytes, matmul }) => `${role} ${flops ?? 'na'} ${bytes ?? 'na'}${matmul ? '' : ' -'}`);

describe('dispatched gradients of convolutions', () => {
  const dgrad = `dgrad ${FLOPS} ${BYTES}`;
  const wgrad = `wgrad ${FLOPS} ${BYTES}`;
  // one add for each of the 72 elements of dy
  const bias = `bias 72 ${4 * (72 + 4)} -`;
  const backward = (mask: Arg, x = X, w = W, dy = Y, transposed = no, groups = v(1)): OpCall =>
    aten('convolution_backward', dy, x, w, v([4]), two, zero, one, transposed, zero, groups, mask);
  const parts = (call: OpCall): string[] | undefined => rolesOf(convolution.parts?.(call));

  it('are the parts that the mask asks for, and together the whole', () => {
    expect(parts(backward(v([true, true, true])))).to.deep.equal([dgrad, wgrad, bias]);
    expect(parts(backward(v([false, true, false])))).to.deep.equal([wgrad]);
    expect(amount(backward(v([true, true, true])), MAIN)).to.equal(`main ${2 * FLOPS + 72} ${2 * BYTES + 304}`);
    expect(amount(backward(v([false, false, false])), MAIN)).to.equal('main 0 0');
  });
  it('are both where the mask is unspecified, and say so', () => {
    const call = backward(unspecifiedList);
    expect(parts(call)).to.deep.equal([dgrad, wgrad]);
    expect(convolution.parts?.(call)?.[0]?.formula).to.contain('unspecified');
  });
  it('do not multiply by the groups', () => {
    // 4 groups: w [8, 2, 3, 3], 6×6 positions
    const grouped = aten(
      'convolution_backward',
      f(1, 8, 6, 6),
      f(1, 8, 8, 8),
      f(8, 2, 3, 3),
      none,
      one,
      zero,
      one,
      no,
      zero,
      v(4),
      v([true, true, false]),
    );
    const flops = 2 * 36 * 144;
    const bytes = 4 * (288 + 144 + 512);
    expect(parts(grouped)).to.deep.equal([`dgrad ${flops} ${bytes}`, `wgrad ${flops} ${bytes}`]);
  });
  it('of a transposed one: every position of the input', () => {
    const call = backward(v([true, true, false]), f(2, 3, 4, 4), f(3, 5, 2, 2), f(2, 5, 8, 8), v(true));
    const amounts = `${2 * 2 * 16 * 60} ${4 * (96 + 60 + 640)}`;
    expect(parts(call)).to.deep.equal([`dgrad ${amounts}`, `wgrad ${amounts}`]);
  });
  it('need no settings: whether it is transposed follows from the channels', () => {
    const all = [
      unspecifiedList,
      unspecifiedList,
      unspecifiedList,
      unspecifiedList,
      unspecified,
      unspecifiedList,
      unspecified,
      unspecifiedList,
    ];
    expect(parts(aten('convolution_backward', Y, X, W, ...all))).to.deep.equal([dgrad, wgrad]);
    // 3 channels in and out, and 4×4 positions for 2×2: it may be either
    const either = aten('convolution_backward', f(1, 3, 2, 2), f(1, 3, 4, 4), f(3, 3, 2, 2), ...all);
    expect(parts(either)).to.deep.equal([`dgrad na na`, `wgrad na na`]);
  });
  it('of the libraries, one op for each', () => {
    const rest = [
      unspecifiedList,
      unspecifiedList,
      unspecifiedList,
      unspecified,
      unspecified,
      unspecified,
      unspecified,
    ];
    expect(parts(aten('cudnn_convolution_backward', X, Y, W, ...rest, unspecifiedList))).to.deep.equal([dgrad, wgrad]);
    expect(parts(aten('cudnn_convolution_backward_input', v([2, 3, 8, 8]), Y, W, ...rest))).to.deep.equal([dgrad]);
    expect(parts(aten('cudnn_convolution_backward_weight', v([4, 3, 3, 3]), Y, X, ...rest))).to.deep.equal([wgrad]);
    // the extents of dx are unspecified: FLOPs alone
    expect(parts(aten('cudnn_convolution_backward_input', unspecifiedList, Y, W, ...rest))).to.deep.equal([
      `dgrad ${FLOPS} na`,
    ]);
    expect(parts(aten('miopen_convolution_backward_bias', Y))).to.deep.equal([bias]);
    expect(parts(aten('_slow_conv2d_backward', Y, X, W, v([3, 3]), two, zero, v([true, true, true])))).to.deep.equal([
      dgrad,
      wgrad,
      bias,
    ]);
    expect(parts(aten('_slow_conv2d_backward', Y, X, W, v([3, 3]), two, zero, X, W, f(4)))).to.deep.equal([
      dgrad,
      wgrad,
      bias,
    ]);
    // with buffers of the forward pass, and a mask or the tensors to write to
    const slow = [Y, X, W, v([3, 3]), two, zero];
    const [columns, ones] = [f(2, 27, 9), f(0)];
    for (const op of ['thnn_conv2d_backward', 'slow_conv3d_backward']) {
      const mask = v([true, true, true]);
      expect(parts(aten(op, ...slow, columns, ones, mask))).to.deep.equal([dgrad, wgrad, bias]);
      expect(parts(aten(op, ...slow, columns, ones, X, W, f(4)))).to.deep.equal([dgrad, wgrad, bias]);
      expect(parts(aten(op, ...slow, columns, ones, none, W, none))).to.deep.equal([wgrad]);
      expect(parts(aten(op, ...slow, columns, X, W, none))).to.deep.equal([dgrad, wgrad]);
    }
    expect(parts(aten('_slow_conv2d_backward', ...slow, X, none, f(4)))).to.deep.equal([dgrad, bias]);
    const time = 2 * 3 * 3 * 72;
    expect(parts(aten('conv_tbc_backward', f(3, 3, 6), f(5, 3, 4), f(3, 4, 6), f(6), v(0)))).to.deep.equal([
      `dgrad ${time} ${4 * (54 + 72 + 60)}`,
      `wgrad ${time} ${4 * (54 + 60 + 72)}`,
      `bias 54 ${4 * (54 + 6)} -`,
    ]);
  });
  it('of a transposed library op: the input from the settings', () => {
    const call = aten(
      'cudnn_convolution_transpose_backward_input',
      f(2, 5, 8, 8),
      f(3, 5, 2, 2),
      zero,
      two,
      one,
      v(1),
      no,
      no,
      no,
    );
    expect(parts(call)).to.deep.equal([`dgrad ${2 * 2 * 16 * 60} ${4 * (96 + 60 + 640)}`]);
  });
  it('misfits', () => {
    for (const call of [
      backward(v([true, true, true]), f(3, 3, 8, 8)),
      backward(v([true, true, true]), X, f(5, 3, 3, 3)),
      backward(v([true, true, true]), X, f(4, 3, 3)),
      aten('convolution_backward', Y),
    ])
      expect([parts(call), amount(call, MAIN)]).to.deep.equal([undefined, null]);
  });
});

describe('which gradient a kernel computes', () => {
  const call = (w: Arg, mask = v([true, true, true])): OpCall =>
    aten('convolution_backward', f(2, 4, 8, 8), f(2, 4, 8, 8), w, v([4]), one, one, one, no, zero, v(1), mask);
  const wide = call(f(4, 4, 3, 3));
  const pointwise = aten(
    'convolution_backward',
    f(2, 4, 8, 8),
    f(2, 4, 8, 8),
    f(4, 4, 1, 1),
    v([4]),
    one,
    zero,
    one,
    no,
    zero,
    v(1),
    v([true, true, true]),
  );
  const role = (of: OpCall, name: string): string | undefined => workOf(of, kernel(name))?.role;

  it('follows from words in its name', () => {
    expect(role(wide, 'sm80_xmma_dgrad_implicit_gemm_tf32f32')).to.equal('dgrad');
    expect(role(wide, 'igemm_bwd_gtcx3_nhwc_bf16_bx0')).to.equal('dgrad');
    expect(role(wide, 'igemm_wrw_gtcx3_nhwc_bf16_bx0')).to.equal('wgrad');
    expect(role(wide, 'kernel_batched_gemm_xdlops_bwd_weight')).to.equal('wgrad');
    expect(role(wide, 'volta_scudnn_128x128_stridedB_splitK_small_nn_v1')).to.equal('wgrad');
    expect(role(wide, 'void at::native::reduce_kernel<512, 1>(int)')).to.equal('bias');
    expect(role(wide, 'cudnn::ops::nchwToNhwcKernel')).to.equal('helper');
    expect(role(wide, 'void cudnn::cnn::reduce_wgrad_nchw_helper<float, float>(int)')).to.equal('helper');
    expect(role(wide, 'volta_sgemm_64x64_nt')).to.equal('main');
  });
  it('follows from the transposition where the kernel is 1×1', () => {
    expect(role(pointwise, 'cutlass::Kernel<cutlass_80_tensorop_s1688gemm_256x64_16x4_nt_align4>')).to.equal('dgrad');
    expect(role(pointwise, 'ampere_sgemm_64x64_nt')).to.equal('dgrad');
    expect(role(pointwise, 'ampere_sgemm_64x64_tn')).to.equal('wgrad');
  });
  it('is the only one that is asked for', () => {
    expect(role(call(f(4, 4, 3, 3), v([false, true, false])), 'volta_sgemm_64x64_nt')).to.equal('wgrad');
  });
});

describe('dispatched convolutions on odd arguments', () => {
  const extent = fc.oneof(fc.nat(4), fc.constantFrom(-1, 0.5, 2 ** 53));
  const shape = fc.oneof(fc.array(extent, { maxLength: 5 }), fc.constantFrom([2, 4, 3, 3], [2, 3, 8, 8], [4, 3, 3, 3]));
  const tensor = fc.record({
    name: fc.constant(''),
    type: fc.constant('tensor'),
    shape,
    dtype: fc.constantFrom('float32', 'odd'),
  });
  const value = fc.oneof(
    fc.integer(),
    fc.boolean(),
    fc.string(),
    fc.array(fc.oneof(fc.integer({ min: -1, max: 4 }), fc.boolean()), { maxLength: 4 }),
    fc.constant(null),
  );
  const arg: fc.Arbitrary<Arg> = fc.oneof(
    { weight: 2, arbitrary: tensor },
    fc.record({ name: fc.constant(''), type: fc.constant('int'), value }),
    fc.constant(unspecified),
  );
  const names = fc.constantFrom('sgemm_nt', 'wgrad', 'elementwise_kernel', 'reduce_kernel', '');
  it('never throw; what is not known has a reason', () => {
    const calls = fc.tuple(
      fc.constantFrom(...convolution.ops),
      fc.array(tensor, { maxLength: 3 }),
      fc.array(arg, { maxLength: 9 }),
    );
    fc.assert(
      fc.property(calls, names, ([op, first, rest], name) => {
        const call = aten(op.replace(/^aten\./, ''), ...first, ...rest);
        for (const work of [convolution.work(call, kernel(name)), ...(convolution.parts?.(call) ?? [])]) {
          if (work === null) continue;
          for (const number of [work.flops, work.bytes]) expect(number === null || number >= 0).to.equal(true);
          if (work.flops === null || work.bytes === null) expect(work.unknown).to.be.a('string');
          expect(renderParams(work.params)).to.be.a('string');
        }
      }),
      { seed: 1, numRuns: propertyRuns(1500) },
    );
  });
});
