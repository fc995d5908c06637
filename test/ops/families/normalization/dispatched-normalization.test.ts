import { expect } from 'chai';
import type { Arg } from '../../../../src/record/record.js';
import { amount, int, workOf } from '../../../support/amounts.js';
import { aten, call, kernel, none, t, v } from '../../../support/calls.js';
import { oracleRows } from '../../../support/oracle.js';
import { itShared } from '../../../support/shared.js';

const unspecified: Arg = { name: '', type: 'unknown' };
const eps = v(1e-5);

describe('normalisation of rows as the dispatcher runs it', () => {
  const x = t([141, 512], 'bfloat16'); // 72192 elements, 144384 bytes; 141 rows
  const w = t([512], 'bfloat16'); // 1024 bytes
  const single = t([141, 1]); // 564 bytes

  it('forward: 4 per element, 5 with weights; mean and deviation of each row are saved in single precision', () => {
    // 5·72192; 2·144384 + 2·1024 + 2·141·4
    expect(amount(aten('native_layer_norm', x, v([512]), w, w, eps))).to.equal('main 360960 291944');
    expect(amount(aten('native_layer_norm', x, v([512]), none, none, eps))).to.equal('main 288768 289896');
    expect(amount(aten('layer_norm', x, unspecified, w, w, eps, v(true)))).to.equal('main 360960 291944');
    // the results of an out form are no operands
    const out = aten('native_layer_norm', x, v([512]), w, w, eps, x, single, single);
    expect(amount(out)).to.equal('main 360960 291944');
  });
  it('a mean of squares: 3 per element, 4 with a weight', () => {
    expect(amount(aten('_fused_rms_norm', x, v([512]), w, eps))).to.equal('main 288768 290356'); // + 1024 + 564
    expect(amount(aten('rms_norm', x, v([512]), none, none))).to.equal('main 216576 289332');
  });
  it('backward: the gradients that the mask wants', () => {
    const gradients = (weight: Arg, mask: Arg): string | null =>
      amount(aten('native_layer_norm_backward', x, x, v([512]), single, single, weight, weight, mask));
    // (9 + 1 + 2 + 1)·72192; 3·144384 + 2·564 + 3·1024
    expect(gradients(w, v([true, true, true]))).to.equal('main 938496 437352');
    expect(gradients(w, unspecified)).to.equal('main 938496 437352');
    expect(gradients(none, v([true, false, false]))).to.equal('main 649728 434280'); // 9·72192
    // normalised input 2, product and sum 2, sum 1: 5·72192; 2·144384 + 2·564 + 3·1024
    expect(gradients(w, v([false, true, true]))).to.equal('main 360960 292968');
    // (6 + 1 + 2)·72192; 3·144384 + 564 + 2·1024
    const rms = aten('_fused_rms_norm_backward', x, x, v([512]), single, w, v([true, true]));
    expect(amount(rms)).to.equal('main 649728 435764');
  });
  it('weights of a given length: 3 per element, backward 5', () => {
    const [direction, length] = [t([64, 32]), t([64, 1])]; // 2048 elements, 8192 bytes; 256 bytes
    expect(amount(aten('_weight_norm_interface', direction, length, int(0)))).to.equal('main 6144 16896');
    const back = aten('_weight_norm_interface_backward', direction, direction, length, length, int(0));
    expect(amount(back)).to.equal('main 10240 25344'); // 3·8192 + 3·256
  });
  it('groups: 5 per element, backward 9, or 3 for the sums alone', () => {
    const y = t([2, 8, 4, 4]); // 256 elements, 1024 bytes
    const c = t([8]); // 32 bytes; statistics of 2·4 groups, 32 bytes each
    const extents = [int(2), int(8), int(16), int(4)];
    expect(amount(aten('native_group_norm', y, c, c, ...extents, eps))).to.equal('main 1280 2176'); // 2·1024 + 4·32
    expect(amount(aten('group_norm', y, unspecified, c, c, eps, v(true)))).to.equal('main 1280 2112');
    const s = t([2, 4]);
    const back = (mask: boolean[]): string | null =>
      amount(aten('native_group_norm_backward', y, y, s, s, c, ...extents, v(mask)));
    expect(back([true, true, true])).to.equal('main 2304 3232'); // 3·1024 + 5·32
    expect(back([false, true, true])).to.equal('main 768 2208');
  });
  it('needs an input', () => {
    expect(amount(aten('native_layer_norm'))).to.equal(null);
    expect(amount(aten('native_layer_norm_backward', x))).to.equal(null);
  });
});

describe('batch normalisation as the dispatcher runs it', () => {
  const x = t([10, 64, 8, 8], 'bfloat16'); // 40960 elements, 81920 bytes
  const c = t([64], 'bfloat16'); // 128 bytes
  const f = t([64]); // 256 bytes
  const forward = (op: string, training: Arg): string | null => amount(aten(op, x, c, c, c, c, training, v(0.1), eps));

  it('in training: 5 per element and 6 per channel; running statistics are read and written, those of the batch saved', () => {
    // 5·40960 + 6·64; 2·81920 + 6·128 + 2·256
    expect(forward('native_batch_norm', v(true))).to.equal('main 205184 165120');
    expect(forward('miopen_batch_norm', v(true))).to.equal('main 205184 165120');
    expect(amount(aten('batch_norm', x, none, none, none, none, v(true), v(0.1), eps, v(true)))).to.equal(
      'main 205184 164352', // 2·81920 + 2·256
    );
    expect(amount(aten('_batch_norm_with_update', x, c, c, c, c, v(0.1), eps))).to.equal('main 205184 165120');
    expect(amount(aten('_native_batch_norm_legit', x, c, c, v(true), v(0.1), eps))).to.equal('main 205184 164608');
  });
  it('with given statistics: 2 per element', () => {
    expect(forward('native_batch_norm', v(false))).to.equal('main 81920 164352'); // 2·81920 + 4·128
    expect(amount(aten('_native_batch_norm_legit_no_training', x, c, c, c, c, v(0.1), eps))).to.equal(
      'main 81920 164352',
    );
  });
  it('takes the mode from the kernel where it is unspecified, and is unknown without either', () => {
    const old = aten('cudnn_batch_norm', x, c, c, c, c, unspecified, unspecified, unspecified);
    expect(amount(old, kernel('void cudnn::bn_fw_tr_1C11_kernel_NCHW<float>(int)'))).to.equal('main 205184 165120');
    expect(amount(old, kernel('void cudnn::bn_fw_inf_1C11_kernel_NCHW<float>(int)'))).to.equal('main 81920 164352');
    expect(amount(old)).to.equal('main na 164352');
    expect(workOf(old)?.unknown).to.equal('the argument training is unspecified');
  });
  it('a sample alone has statistics of its own', () => {
    const call = aten('instance_norm', x, none, none, none, none, v(true), v(0.1), eps, v(true));
    expect(amount(call)).to.equal('main 208640 168960'); // 5·40960 + 6·640; 2·81920 + 2·640·4
  });
  it('backward: 9 per element; without training 1, and 4 for the sums', () => {
    const back = (train: Arg, mask: Arg, saved: Arg = f): string | null =>
      amount(aten('native_batch_norm_backward', x, x, c, c, c, saved, saved, train, eps, mask));
    // 9·40960; 3·81920 + 3·128 + 2·256
    expect(back(v(true), v([true, true, true]))).to.equal('main 368640 246656');
    expect(back(v(true), v([false, true, true]))).to.equal('main 163840 164736');
    expect(back(v(false), v([true, false, false]))).to.equal('main 40960 246144'); // 3·81920 + 3·128
    expect(back(v(false), v([true, true, true]))).to.equal('main 204800 246400');
    // saved statistics are those of training; an empty tensor stands for none
    expect(back(unspecified, unspecified)).to.equal('main 368640 246656');
    expect(back(unspecified, unspecified, t([0]))).to.equal('main 204800 246400');
    expect(back(unspecified, unspecified, none)).to.equal('main na 246144');
    const library = aten('cudnn_batch_norm_backward', x, x, c, c, c, f, f, eps, t([0], 'uint8'));
    expect(amount(library)).to.equal('main 368640 246656');
  });
  it('in parts, between devices', () => {
    expect(amount(aten('batch_norm_stats', x, eps))).to.equal('main 122880 82432'); // 3·40960; 81920 + 2·256
    expect(amount(aten('batch_norm_elemt', x, c, c, f, f, eps))).to.equal('main 81920 164608');
    const sums = aten('batch_norm_backward_reduce', x, x, f, f, c, v(true), v(true), v(true));
    expect(amount(sums)).to.equal('main 163840 165120'); // 4·40960; 2·81920 + 4·256 + 2·128
    const applied = aten('batch_norm_backward_elemt', x, x, f, f, c, f, f, t([2], 'int32'));
    expect(amount(applied)).to.equal('main 204800 246920'); // 5·40960; 3·81920 + 4·256 + 128 + 8
    const gathered = aten('batch_norm_gather_stats_with_counts', x, t([2, 64]), t([2, 64]), f, f, v(0.1), eps, t([2]));
    expect(amount(gathered)).to.equal('main 1152 2568'); // 9·128; 2·512 + 2·256 + 8 + 4·256
  });
});

describe('normalisation of other libraries', () => {
  const x = t([888, 2880], 'bfloat16'); // 2557440 elements, 5114880 bytes
  const w = t([2880], 'bfloat16'); // 5760 bytes
  const q = t([888, 2880], 'float8_e4m3fn'); // 2557440 bytes
  const of = (name: string, ...args: readonly Arg[]): string | null =>
    amount({ ...call(name, ...args), from: 'dispatcher' });

  it('a residual is added first, and written', () => {
    expect(of('_C.rms_norm', x, x, w, eps)).to.equal('main 10229760 10235520'); // 4·E; 2·5114880 + 5760
    expect(of('_C.fused_add_rms_norm', x, x, w, eps)).to.equal('main 12787200 20465280'); // 5·E; 4·5114880 + 5760
    expect(of('sgl_kernel.fused_add_rmsnorm', x, x, w, eps, v(false))).to.equal('main 12787200 20465280');
    expect(of('aiter.rmsnorm2d_fwd', x, w, eps, int(0))).to.equal('main 10229760 10235520');
    expect(of('aiter.rmsnorm2d_fwd_with_add', x, x, x, x, w, eps)).to.equal('main 12787200 20465280');
    expect(of('vllm.rocm_aiter_rmsnorm2d_fwd_with_add', x, x, w, eps)).to.equal('main 12787200 20465280');
  });
  it('a scale to fewer bits is one operation, three where it has to be found', () => {
    // 5·E; 5114880 + 2557440 + 5760 + 4
    expect(of('_C.rms_norm_static_fp8_quant', q, x, w, t([1]), eps)).to.equal('main 12787200 7678084');
    const scales = t([888, 1]); // 3552 bytes
    expect(of('_C.rms_norm_dynamic_per_token_quant', q, x, w, scales, eps, none, none)).to.equal(
      'main 17902080 7681632', // 7·E
    );
    expect(of('_C.rms_norm_dynamic_per_token_quant', q, x, w, scales, eps, none, x)).to.equal(
      'main 20459520 17911392', // 8·E; the residual read and written
    );
  });
  it('of AITER, below the functions that allocate the result', () => {
    expect(of('aiter.add_rmsnorm', x, x, x, x, w, eps)).to.equal('main 12787200 20465280'); // 5·E; 4·5114880 + 5760
    expect(of('aiter.rmsnorm2d_fwd_with_add_ck', x, x, x, x, w, eps, int(0))).to.equal('main 12787200 20465280');
    expect(of('aiter.rmsnorm', x, x, w, eps)).to.equal('main 10229760 10235520'); // 4·E; 2·5114880 + 5760
    const scales = t([888, 1]); // 3552 bytes
    // 7·E; 2557440 + 5114880 + 3552 + 5760
    expect(of('aiter.rmsnorm_quant', q, x, scales, w, eps, int(0), v(false))).to.equal('main 17902080 7681632');
    // 8·E; 2557440 + 3·5114880 + 3552 + 5760
    const added = 'main 20459520 17911392';
    expect(of('aiter.add_rmsnorm_quant', q, x, x, x, scales, w, eps, int(0), v(false))).to.equal(added);
    expect(of('aiter.rmsnorm2d_fwd_with_add_dynamicquant', q, x, x, x, scales, w, eps, int(0))).to.equal(added);
    const columns = t([2880]); // 11520 bytes
    // 9·E; 17911392 + 11520
    const smoothed = of('aiter.rmsnorm2d_fwd_with_add_smoothquant', q, x, x, x, columns, scales, w, eps, none, int(0));
    expect(smoothed).to.equal('main 23016960 17922912');
    // 9·E; 7681632 + 11520 + 5760 of the bias
    const centred = of('aiter.layernorm2d_fwd_with_smoothquant', q, x, columns, scales, w, w, eps, none);
    expect(centred).to.equal('main 23016960 7698912');
    expect(of('aiter.layer_norm', x, w, w, eps, none)).to.equal('main 12787200 10241280'); // 5·E; 10229760 + 2·5760
    // a bias of the input: 6·E; 5760 more
    expect(of('aiter.layernorm2d_fwd_ck', x, w, w, eps, w)).to.equal('main 15344640 10247040');
  });
  it('groups of channels: five operations per element; of the sums between the kernels nothing is counted', () => {
    const [image, c] = [t([1, 128, 64, 64], 'bfloat16'), t([128], 'bfloat16')]; // 524288 elements, 1048576 bytes; 256
    const normalised = 'main 2621440 2097664'; // 5·524288; 2·1048576 + 2·256
    expect(of('aiter._groupnorm_run', image, int(32), c, c, eps)).to.equal(normalised);
    expect(of('aiter._groupnorm_run', image, t([8192]), image, int(32), c, c, eps)).to.equal(normalised);
  });
  it('autograd functions: the gradient alone is recorded, a weight has its last dimension', () => {
    const layer = of('.FusedLayerNormAffineFunction', x, w, w, v([2880]), eps, v(false));
    expect(layer).to.equal('main 12787200 10241280'); // 5·E; 2·5114880 + 2·5760
    // 13·E; 3·5114880 + 3·5760 + 2·888·4
    expect(of('.FusedLayerNormAffineFunctionBackward', x)).to.equal('main 33246720 15369024');
    expect(of('.FusedRMSNormFunctionBackward', x)).to.equal('main 15344640 15348192'); // 6·E
  });
});

/** Rows where the other count is not what the op has to do; see the titles. */
const DEVIATIONS = {
  flops:
    /^(layer_norm|native_layer_norm_backward|_fused_rms_norm(_backward)?|instance_norm|miopen_batch_norm_backward) /,
  bytes: /^(layer_norm|native_layer_norm_backward|miopen_batch_norm_backward) /,
};

describe('normalisation beside TraceLens', () => {
  const near = (ours: number | null | undefined, theirs: number, within: number): boolean =>
    typeof ours === 'number' && Math.abs(ours / theirs - 1) <= within;

  for (const [name, rows, flops, bytes] of [
    // bert's row statistics are counted as six vectors of the weight's length: 1.01 % more bytes
    ['h100_bert_small', 1, 1, 1],
    ['h100_vit', 1, 1, 0],
    ['mi300_norm_layers_training', 20, 10, 6],
    ['mi300_resnet_training', 14, 0, 0],
  ] as const) {
    itShared(
      `has its FLOPs and bytes but for the rows explained: ${name}`,
      [`data/kineto/oracle/${name}.unified_perf_summary.csv`],
      ([path = '']) => {
        const found = oracleRows(path).filter(({ op }) => op.includes('norm'));
        expect(found).to.have.lengthOf(rows);
        const label = ({ op, call: { args } }: (typeof found)[number]): string =>
          `${op} ${JSON.stringify(args.map(({ shape, value }) => shape ?? value ?? null))}`;
        const other = found.filter((row) => !near(workOf(row.call)?.flops, row.flops, 0.001)).map(label);
        const moved = found.filter((row) => !near(workOf(row.call)?.bytes, row.bytes, 0.01)).map(label);
        expect(other.filter((text) => !DEVIATIONS.flops.test(text))).to.deep.equal([]);
        expect(moved.filter((text) => !DEVIATIONS.bytes.test(text))).to.deep.equal([]);
        expect([other.length, moved.length], [...other, '', ...moved].join('\n')).to.deep.equal([flops, bytes]);
      },
    );
  }
});
