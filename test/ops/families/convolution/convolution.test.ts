import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { renderParams, type Work } from '../../../../src/ops/family.js';
import { convolution } from '../../../../src/ops/families/convolution/convolution.js';
import type { Arg, OpCall } from '../../../../src/record/record.js';
import { call, kernel, t, v } from '../../../support/calls.js';
import { itShared } from '../../../support/shared.js';

const MAIN = kernel('sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc');

function work(of: OpCall, by = MAIN): Work {
  const found = convolution.work(of, by);
  if (found === null) throw new Error(`no work for ${of.op}`);
  return found;
}

const F = 'torch.nn.functional';
const PAIR = v([1, 1]);

describe('convolution', () => {
  const X = t([8, 64, 56, 56], 'float16');
  const W = t([128, 64, 3, 3], 'float16');
  const plain = call(`${F}.conv2d`, X, W, v(null), PAIR, PAIR, PAIR, v(1));

  it('2-D: every output position takes C·R·S multiply-adds for each of K filters', () => {
    // 2·8·128·56·56·64·3·3; 2·(8·64·56·56 + 128·64·3·3 + 8·128·56·56)
    const found = work(plain);
    expect(found).to.include({ role: 'main', flops: 3699376128, bytes: 9781248, matmul: true });
    expect(renderParams(found.params)).to.equal(
      'N=8,C=64,H=56,W=56,K=128,P=56,Q=56,R=3,S=3,ph=1,pw=1,U=1,V=1,dh=1,dw=1,g=1,fp16,',
    );
  });

  it('takes any kernel name other than that of a helper', () => {
    for (const name of [
      'nvjet_hsh_128x256',
      'cutlass::Kernel',
      'winograd3x3Kernel',
      'my_own',
      'triton_tem_fused_convolution_1',
    ])
      expect(work(plain, kernel(name)).flops, name).to.equal(3699376128);
    const helpers = [
      'cudnn::ops::nchwToNhwcKernel',
      'void cudnn::ops::nhwcToNchwKernel<__half, __half, float>(int)',
      'cudnn::gemm::computeOffsetsKernel',
      'cudnn::winograd::generateWinogradTilesKernel',
      'cudnn::winograd_nonfused::winogradForwardData4x4',
      'cudnn::winograd_nonfused::winogradForwardFilter4x4',
      'cudnn::winograd_nonfused::winogradForwardOutput4x4',
      'cudnn::winograd_nonfused::winogradWgradDelta4x4',
      'compute_gemm_pointers',
      'flip_filter',
      'fft2d_r2c_32x32',
      'fft1d_c2r_32',
      'cudnn::ops::scaleTensor_kernel',
      'elementwise_kernel',
    ];
    for (const name of helpers)
      expect(work(plain, kernel(name)), name).to.include({ role: 'helper', flops: 0, bytes: 0 });
  });

  it('backward: gradients by the words in the name, else by place, at the cost of the forward pass', () => {
    const roles: readonly (readonly [string, number, string])[] = [
      ['volta_s884cudnn_fp16_256x128_ldg8_dgrad_exp_interior_nhwc_tt_v1', 1, 'dgrad'],
      ['cudnn::detail::wgrad_alg0_engine', 0, 'wgrad'],
      ['volta_scudnn_128x64_stridedB_splitK_xregs_large_nn_v1', 0, 'dgrad'],
      ['volta_scudnn_128x64_stridedB_splitK_xregs_large_nn_v1', 1, 'wgrad'],
      ['volta_scudnn_128x64_stridedB_splitK_xregs_large_nn_v1', 4, 'main'],
      ['conv_depthwise2d_backward_kernel', 1, 'dgrad'],
      ['conv_depthwise2d_grad_weight_kernel', 0, 'wgrad'],
    ];
    for (const [name, sub, role] of roles)
      expect(work(plain, kernel(name, 'bprop', sub)), name).to.include({ role, flops: 3699376128, bytes: 9781248 });
  });

  it('bias kernels: one add per output element', () => {
    const biased = call(`${F}.conv2d`, X, W, t([128], 'float16'), PAIR, PAIR);
    // y = 8·128·56·56 = 3211264; forward 2·(2·y + 128), backward 2·(y + 128)
    expect(work(biased, kernel('elementwise_kernel'))).to.include({ role: 'bias', flops: 3211264, bytes: 12845312 });
    const backward = { role: 'bias', flops: 3211264, bytes: 6422784 };
    expect(work(biased, kernel('reduce_kernel', 'bprop', 2))).to.include(backward);
    expect(work(plain, kernel('cudnn::ops::calc_bias_diff', 'bprop', 0))).to.include(backward);
  });

  const rows: readonly (readonly [title: string, OpCall, flops: number, elements: number, params: string])[] = [
    [
      'groups',
      // each of the 128 filters sees 16 channels: 2·8·128·56·56·16·9; W = 128·16·9
      call(`${F}.conv2d`, t([8, 64, 56, 56]), t([128, 16, 3, 3]), v(null), PAIR, PAIR, PAIR, v(4)),
      924844032,
      1605632 + 18432 + 3211264,
      'N=8,C=64,H=56,W=56,K=128,P=56,Q=56,R=3,S=3,ph=1,pw=1,U=1,V=1,dh=1,dw=1,g=4,fp32,',
    ],
    [
      'depthwise',
      // one channel each: 2·8·64·56·56·9
      call(`${F}.conv2d`, t([8, 64, 56, 56]), t([64, 1, 3, 3]), v(null), PAIR, PAIR, PAIR, v(64)),
      28901376,
      1605632 + 576 + 1605632,
      'N=8,C=64,H=56,W=56,K=64,P=56,Q=56,R=3,S=3,ph=1,pw=1,U=1,V=1,dh=1,dw=1,g=64,fp32,',
    ],
    [
      'stride, dilation and unequal kernel',
      // P = ⌊(9 + 2·2 − (2·2 + 1)) / 2⌋ + 1 = 5, Q = ⌊(10 + 0 − (1·1 + 1)) / 3⌋ + 1 = 3; 2·4·5·3·3·3·2
      call(`${F}.conv2d`, t([1, 3, 9, 10]), t([4, 3, 3, 2]), v(null), v([2, 3]), v([2, 0]), v([2, 1])),
      2160,
      270 + 72 + 60,
      'N=1,C=3,H=9,W=10,K=4,P=5,Q=3,R=3,S=2,ph=2,pw=0,U=2,V=3,dh=2,dw=1,g=1,fp32,',
    ],
    [
      'keywords',
      // P = Q = ⌊(56 − 3) / 2⌋ + 1 = 27; 2·8·128·27·27·64·9
      call(
        `${F}.conv2d`,
        t([8, 64, 56, 56], 'float32', 'input'),
        t([128, 64, 3, 3], 'float32', 'weight'),
        v(2, 'stride'),
      ),
      859963392,
      1605632 + 73728 + 8 * 128 * 27 * 27,
      'N=8,C=64,H=56,W=56,K=128,P=27,Q=27,R=3,S=3,ph=0,pw=0,U=2,V=2,dh=1,dw=1,g=1,fp32,',
    ],
    [
      "padding 'same' with an even kernel",
      // as many outputs as inputs: 2·2·5·7·7·3·4·4
      call(`${F}.conv2d`, t([2, 3, 7, 7]), t([5, 3, 4, 4]), v(null), v(1), v('same')),
      47040,
      294 + 240 + 490,
      'N=2,C=3,H=7,W=7,K=5,P=7,Q=7,R=4,S=4,ph=same,pw=same,U=1,V=1,dh=1,dw=1,g=1,fp32,',
    ],
    [
      "padding 'valid'",
      // 4·4 outputs: 2·2·5·4·4·3·4·4
      call(`${F}.conv2d`, t([2, 3, 7, 7]), t([5, 3, 4, 4]), v(null), v(1), v('valid')),
      15360,
      294 + 240 + 160,
      'N=2,C=3,H=7,W=7,K=5,P=4,Q=4,R=4,S=4,ph=0,pw=0,U=1,V=1,dh=1,dw=1,g=1,fp32,',
    ],
    [
      'without a batch',
      call(`${F}.conv2d`, t([3, 7, 7]), t([5, 3, 4, 4])),
      7680,
      147 + 240 + 80,
      'N=1,C=3,H=7,W=7,K=5,P=4,Q=4,R=4,S=4,ph=0,pw=0,U=1,V=1,dh=1,dw=1,g=1,fp32,',
    ],
    [
      '1-D, with groups',
      // Q = (100 + 2 − 3) + 1 = 100; 2·8·64·100·32·3
      call(`${F}.conv1d`, t([8, 64, 100]), t([64, 32, 3]), v(null), v([1]), v([1]), v([1]), v(2)),
      9830400,
      51200 + 6144 + 51200,
      'N=8,C=64,H=1,W=100,K=64,P=1,Q=100,R=1,S=3,ph=0,pw=1,U=1,V=1,dh=1,dw=1,g=2,fp32,',
    ],
    [
      '3-D',
      // outputs 14·106·106: 2·8·64·14·106·106·3·(3·7·7)
      call(`${F}.conv3d`, t([8, 3, 16, 112, 112]), t([64, 3, 3, 7, 7])),
      71035969536,
      8 * 3 * 16 * 112 * 112 + 64 * 3 * 147 + 8 * 64 * 14 * 106 * 106,
      'N=8,C=3,D=16,H=112,W=112,K=64,Z=14,P=106,Q=106,T=3,R=7,S=7,pd=0,ph=0,pw=0,sd=1,U=1,V=1,dd=1,dh=1,dw=1,g=1,fp32,',
    ],
    [
      'transposed: by input positions',
      // 2·8·64·28·28·32·2·2; outputs (28 − 1)·2 + 2 = 56
      call(`${F}.conv_transpose2d`, t([8, 64, 28, 28]), t([64, 32, 2, 2]), v(null), v([2, 2])),
      102760448,
      401408 + 8192 + 8 * 32 * 56 * 56,
      'N=8,C=64,H=28,W=28,K=32,P=56,Q=56,R=2,S=2,ph=0,pw=0,U=2,V=2,dh=1,dw=1,g=1,fp32,',
    ],
    [
      'transposed, 1-D, groups, output padding, dilation',
      // K = 3·2 = 6; outputs (10 − 1)·2 − 2·1 + 2·(3 − 1) + 1 + 1 = 22; 2·2·4·10·3·3
      call(`${F}.conv_transpose1d`, t([2, 4, 10]), t([4, 3, 3]), v(null), v(2), v(1), v(1), v(2), v(2)),
      1440,
      80 + 36 + 2 * 6 * 22,
      'N=2,C=4,H=1,W=10,K=6,P=1,Q=22,R=1,S=3,ph=0,pw=1,U=1,V=2,dh=1,dw=2,g=2,fp32,',
    ],
    [
      'transposed, 3-D',
      // 2·1·2·2·2·2·3·27; outputs 4·4·4
      call(`${F}.conv_transpose3d`, t([1, 2, 2, 2, 2]), t([2, 3, 3, 3, 3])),
      2592,
      16 + 162 + 192,
      'N=1,C=2,D=2,H=2,W=2,K=3,Z=4,P=4,Q=4,T=3,R=3,S=3,pd=0,ph=0,pw=0,sd=1,U=1,V=1,dd=1,dh=1,dw=1,g=1,fp32,',
    ],
  ];
  for (const [title, of, flops, elements, params] of rows) {
    it(title, () => {
      const found = work(of);
      expect(found).to.include({ flops, bytes: 4 * elements });
      expect(renderParams(found.params)).to.equal(params);
    });
  }

  it('a transposed convolution runs forward by what is another one’s input gradient', () => {
    const transposed = call(`${F}.conv_transpose2d`, t([8, 64, 28, 28]), t([64, 32, 2, 2]), v(null), v([2, 2]));
    expect(work(transposed, kernel('cudnn::detail::dgrad_engine')).role).to.equal('main');
    expect(work(transposed, kernel('sm80_xmma_fprop_implicit_gemm_f16f16', 'bprop', 1)).role).to.equal('dgrad');
    expect(work(transposed, kernel('sm80_xmma_wgrad_implicit_gemm_f16f16', 'bprop', 0)).role).to.equal('wgrad');
  });

  it('gives no answer where the arguments do not fit', () => {
    const small = t([1, 3, 7, 7]);
    const filter = t([5, 3, 4, 4]);
    const misfits: readonly OpCall[] = [
      call(`${F}.conv2d`),
      call(`${F}.conv2d`, small),
      call(`${F}.conv2d`, small, t([5, 4, 4, 4])),
      call(`${F}.conv2d`, small, t([5, 3, 8, 8])),
      call(`${F}.conv2d`, t([1, 3, 7]), t([5, 3, 4])),
      call(`${F}.conv1d`, small, filter),
      call(`${F}.conv2d`, small, filter, v(null), v(0)),
      call(`${F}.conv2d`, small, filter, v(null), v([1, 1, 1])),
      call(`${F}.conv2d`, small, filter, v(null), v('2')),
      call(`${F}.conv2d`, small, filter, v(null), v(1), v('circular')),
      call(`${F}.conv2d`, small, filter, v(null), v(2), v('same')),
      call(`${F}.conv2d`, small, filter, v(null), v(1), v(-1)),
      call(`${F}.conv2d`, small, filter, v(null), v(1), v(0), v(1), v(0)),
      call(`${F}.conv2d`, small, filter, v(null), v([[1], [1]])),
      call('aten.convolution', t([1, 3]), t([5, 3])),
    ];
    for (const misfit of misfits) expect(convolution.work(misfit, MAIN), JSON.stringify(misfit.args)).to.equal(null);
  });

  interface Counted {
    readonly case: string;
    readonly op: string;
    readonly args: readonly Arg[];
    readonly flops: number;
  }
  itShared('counts what torch counts', ['reference/flop-counter/flop_counter.jsonl'], ([path = '']) => {
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    const counted = lines
      .map((line) => JSON.parse(line) as Counted)
      .filter(({ op }) => /^aten\._?convolution\./.test(op));
    expect(counted.length).to.be.greaterThan(50);
    for (const { op, args, flops, case: title } of counted) {
      const found = convolution.work({ mod: 'aten', op: op.split('.')[1] ?? '', args }, MAIN);
      expect(found?.flops, title).to.equal(flops);
    }
  });
});
