/** Calls of Python functions and of the dispatcher's ops that do the same: the same FLOPs and bytes. */
import { expect } from 'chai';
import { resolveWork } from '../../src/ops/resolve-work.js';
import type { Arg, OpCall } from '../../src/record/record.js';
import { aten, byPyprof, call, kernel, none, t, ts, v } from '../support/calls.js';

const F = 'torch.nn.functional';
const GEMM = kernel('volta_sgemm_128x64_tn');
const CONVOLUTION = kernel('sm80_xmma_fprop_implicit_gemm_f32f32');

const amounts = (of: OpCall, by = GEMM): (number | null | undefined)[] => {
  const work = resolveWork([of], by)?.work;
  return [work?.flops, work?.bytes];
};

const pair = v([1, 1]);
const CONV: readonly Arg[] = [t([8, 64, 56, 56]), t([128, 64, 3, 3]), t([128]), pair, pair, pair, v(1)];
const LINEAR: readonly Arg[] = [t([64, 1024]), t([256, 1024]), t([256])];
const ADDMM: readonly Arg[] = [t([256]), t([64, 1024]), t([1024, 256])];

/** FLOPs and bytes worked out by hand, and the bytes by PyProf's convention, which leaves out what is added. */
const ROWS: readonly (readonly [OpCall, OpCall, ReturnType<typeof kernel>, number, number, number])[] = [
  // 2·64·256·1024; 4·(64·1024 + 256·1024 + 256 + 64·256)
  [call(`${F}.linear`, ...LINEAR), aten('linear', ...LINEAR), GEMM, 33554432, 1377280, 1376256],
  [call('torch.addmm', ...ADDMM), aten('addmm', ...ADDMM, v(1), v(1)), GEMM, 33554432, 1377280, 1376256],
  // 2·8·128·56·56·64·9; 4·(8·64·56·56 + 128·64·9 + 128 + 8·128·56·56)
  [call(`${F}.conv2d`, ...CONV), aten('conv2d', ...CONV), CONVOLUTION, 3699376128, 19563008, 19562496],
];

describe('Python calls', () => {
  for (const [python, dispatched, by, flops, bytes, pyprof] of ROWS) {
    it(`${python.op}: as the dispatcher's, and PyProf's by its convention`, () => {
      expect(amounts(python, by)).to.deep.equal([flops, bytes]);
      expect(amounts(dispatched, by)).to.deep.equal([flops, bytes]);
      expect(amounts(python, byPyprof(by))).to.deep.equal([flops, pyprof]);
      expect(amounts(dispatched, byPyprof(by))).to.deep.equal([flops, bytes]);
    });
  }

  it('do not read what is multiplied by 0', () => {
    expect(amounts(call('torch.addmm', ...ADDMM, v(0, 'beta')))).to.deep.equal([33554432, 1376256]);
  });

  it('read no bias where they compute a gradient', () => {
    expect(amounts(call(`${F}.linear`, ...LINEAR), { ...GEMM, dir: 'bprop' })).to.deep.equal([33554432, 1376256]);
  });

  it('mse_loss: two operations per element, both operands read, one result per element written', () => {
    const operands = [t([32, 512]), t([32, 512])];
    const python = call(`${F}.mse_loss`, ...operands);
    const by = kernel('mse_kernel');
    // 2·16384; 3·4·16384. PyProf: 4·16384 + 1; 2·4·16384
    expect(amounts(python, by)).to.deep.equal([32768, 196608]);
    expect(amounts(aten('mse_loss', ...operands, v(1)), by)).to.deep.equal([32768, 196608]);
    expect(amounts(python, byPyprof(by))).to.deep.equal([65537, 131072]);
  });

  it('batch_norm and layer_norm: with the statistics that they save', () => {
    const [x, c] = [t([8, 64, 32, 32]), t([64])];
    const python = call(`${F}.batch_norm`, x, c, c, c, c, v(true), v(0.1), v(1e-5));
    const dispatched = aten('native_batch_norm', x, c, c, c, c, v(true), v(0.1), v(1e-5));
    const by = kernel('bn_fw_tr_1C11_kernel_NCHW');
    // 5·524288 + 6·64; 4·(2·524288 + 8·64). PyProf: 8·524288; 4·(2·524288 + 4·64)
    expect(amounts(python, by)).to.deep.equal([2621824, 4196352]);
    expect(amounts(dispatched, by)).to.deep.equal([2621824, 4196352]);
    expect(amounts(python, byPyprof(by))).to.deep.equal([4194304, 4195328]);

    const [rows, w] = [t([32, 512]), t([512])];
    const layer = kernel('vectorized_layer_norm_kernel');
    // 5·16384; 4·(2·16384 + 2·512 + 2·32)
    expect(amounts(call(`${F}.layer_norm`, rows, v([512]), w, w, v(1e-5)), layer)).to.deep.equal([81920, 135424]);
    expect(amounts(aten('native_layer_norm', rows, v([512]), w, w, v(1e-5)), layer)).to.deep.equal([81920, 135424]);
  });

  const [x, i] = [t([64, 32]), t([64, 4], 'int64')];
  const dim = v(1);
  /** A call of Python, and its op of the dispatcher with all arguments. */
  const SAME: readonly (readonly [OpCall, OpCall, number, number])[] = [
    [call('Tensor.mean', x, v(1, 'dim')), aten('mean', x, v([1]), v(false), none), 2048, 8448],
    [call('torch.gather', x, dim, i), aten('gather', x, dim, i, v(false)), 0, 4096],
    [call('Tensor.scatter_add', x, dim, i, t([64, 4])), aten('scatter_add', x, dim, i, t([64, 4])), 256, 5120],
    [call('torch.cat', x, x), aten('cat', ts(x, x), v(0)), 0, 32768],
    [call('Tensor.to', x, v('torch.float16')), aten('to', x, v(5), v(false), v(false), none), 0, 12288],
    [call('torch.linspace', v(0), v(1), v(7)), aten('linspace', v(0), v(1), v(7), none, none, none, none), 0, 28],
    [call('torch.eye', v(3)), aten('eye', v(3), none, none, none, none), 0, 36],
    [call('torch.bernoulli', x), aten('bernoulli', x, none), 2048, 16384],
    [call('torch.multinomial', t([4, 100]), v(2)), aten('multinomial', t([4, 100]), v(2), v(true), none), 408, 1664],
    [call(`${F}.pad`, x, v([1, 1])), aten('constant_pad_nd', x, v([1, 1]), v(0)), 0, 16896],
    [call(`${F}.max_pool1d`, x, v(2)), aten('max_pool1d_with_indices', x, v([2])), 2048, 20480],
    [call(`${F}.adaptive_avg_pool1d`, t([8, 1]), v(4)), aten('adaptive_avg_pool1d', t([8, 1]), v([4])), 32, 160],
    [call('torch.mul', x, t([], 'float64')), aten('mul', x, t([], 'float64')), 2048, 16392],
    [call('torch.abs', t([8], 'complex64')), aten('abs', t([8], 'complex64')), 8, 96],
  ];
  for (const [python, dispatched, flops, bytes] of SAME) {
    it(`${python.mod}.${python.op}: as the dispatcher's`, () => {
      const by = kernel('a_kernel');
      expect(amounts(python, by)).to.deep.equal([flops, bytes]);
      expect(amounts(dispatched, by)).to.deep.equal([flops, bytes]);
    });
  }
});
