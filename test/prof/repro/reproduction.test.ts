import { expect } from 'chai';
import { isRefusal, reproduce, type Reproduction } from '../../../src/prof/repro/reproduction.js';
import type { KernelRecord, OpCall, ProfileRecord } from '../../../src/record/record.js';
import { aten, call, none, t, ts, v } from '../../support/calls.js';
import { kernel } from '../../support/kernels.js';
import { annotate } from '../../support/rows.js';

const PROFILE: ProfileRecord = {
  ...{ type: 'profile', v: 1, profile: 0, format: 'kineto', tool: null, file: 't.json', rank: null },
  ...{ startUnixNs: null, dur: null },
  devices: [
    { id: 0, vendor: 'nvidia', name: null, arch: null, units: null, clockHz: null, memBytesPerS: null, memBytes: null },
  ],
};

const unknown = { name: '', type: 'unknown' } as const;

function found(calls: readonly OpCall[], fields: Partial<KernelRecord> = {}, hasStrides = true) {
  const [row] = annotate([PROFILE, kernel({ calls, ...fields })]);
  if (row === undefined) throw new Error('no row');
  return reproduce(row, { hasStrides });
}

function reproduced(calls: readonly OpCall[], fields: Partial<KernelRecord> = {}, hasStrides = true): Reproduction {
  const result = found(calls, fields, hasStrides);
  if (isRefusal(result)) throw new Error(result.refused);
  return result;
}

function refused(calls: readonly OpCall[], fields: Partial<KernelRecord> = {}): string {
  const result = found(calls, fields);
  if (!isRefusal(result)) throw new Error(`${result.name} is not refused`);
  return result.hint === null ? result.refused : `${result.refused} (${result.hint})`;
}

const BY_HAND = 'write its call by hand, with the arguments that dprof --explain shows';
const NEWER = 'PyTorch 2.1 or later records numbers and lists too, with record_shapes=True';

describe('an op that can run alone', () => {
  it('is the outermost call that launched the same kernels', () => {
    const calls = [
      aten('linear', t([64, 400]), t([120, 400]), t([120])),
      aten('addmm', t([120]), t([64, 400]), t([400, 120]), v(1), v(1)),
    ];
    expect(reproduced(calls, { callKernels: [1, 1] }).name).to.equal('aten::linear');
    expect(reproduced(calls, { callKernels: [2, 1] }).name).to.equal('aten::addmm');
  });

  it('is a call further out when the innermost lacks arguments', () => {
    const calls = [aten('relu', t([8])), aten('clamp_min', t([8], ''), v(0))];
    expect(reproduced(calls, { callKernels: [2, 1] })).to.include({ name: 'aten::relu', index: 0 });
  });

  it('has defaults for values that do not change its time, and says so', () => {
    const { args } = reproduced([aten('add', t([8]), t([8]), unknown)]);
    expect(args[2]?.value).to.deep.equal({ value: 1, type: '' });
    expect(args[2]?.remark).to.equal("alpha: not recorded; it does not change the op's time");
  });

  it('has indices in the range that shapes allow', () => {
    const below = (calls: readonly OpCall[], at: number): unknown => {
      const value = reproduced(calls).args[at]?.value;
      return value !== undefined && 'tensor' in value ? value.tensor.values.below : undefined;
    };
    const rest = [v(-1), v(false), v(false)];
    expect(below([aten('embedding', t([1000, 64]), t([8, 16], 'int64'), ...rest)], 1)).to.equal(1000);
    expect(below([call('torch.nn.functional.embedding', t([8], 'int64'), t([50, 64]))], 0)).to.equal(50);
    expect(below([aten('gather', t([4, 70]), v(-1), t([4, 9], 'int64'), v(false))], 2)).to.equal(70);
    expect(below([aten('index', t([30, 40]), ts(t([5], 'int64'), t([5], 'int64')))], 1)).to.equal(undefined);
    expect(below([aten('nll_loss_nd', t([512, 10]), t([512], 'int64'), none, v(1), v(-100))], 1)).to.equal(10);
  });

  it('has the layout of its factors from the kernel, where no strides are recorded', () => {
    const product = [aten('mm', t([64, 10]), t([10, 84]))];
    const strides = (name: string, hasStrides: boolean): unknown[] =>
      reproduced(product, { name }, hasStrides).args.map(({ value }) => 'tensor' in value && value.tensor.strides);
    expect(strides('ampere_sgemm_32x32_nt', false)).to.deep.equal([[1, 64], null]);
    expect(strides('ampere_sgemm_32x32_tn', false)).to.deep.equal([null, [1, 10]]);
    expect(strides('Cijk_Alik_Bljk_BBS_BH', false)).to.deep.equal([null, [1, 10]]);
    expect(strides('ampere_sgemm_32x32_tn', true)).to.deep.equal([null, null]);
  });

  it('is a forward call whose gradient is computed', () => {
    const { backward, args } = reproduced([call('torch.nn.functional.batch_norm', t([8, 4]), t([4]), t([4]), t([4]))], {
      dir: 'bprop',
      seq: [],
    });
    const grads = args.map(({ value }) => 'tensor' in value && value.tensor.grad);
    expect({ backward, grads }).to.deep.equal({ backward: true, grads: [true, false, false, true] });
  });
});

describe('an op that cannot run alone', () => {
  it('lacks arguments that change its time: they are listed', () => {
    expect(refused([aten('_log_softmax', t([64, 10]), unknown, unknown)])).to.equal(
      `aten::_log_softmax: not recorded: dim, half_to_float (${NEWER})`,
    );
    expect(refused([aten('addmm', t([64, 8]), t([64, 4]), t([4, 8]), unknown, unknown)])).to.equal(
      `aten::addmm: not recorded: beta (${NEWER})`,
    );
    expect(refused([aten('mm', t([64, 10], 'hif8'), t([10, 84]))])).to.equal(
      `aten::mm: not recorded: element type of a (hif8) (${NEWER})`,
    );
  });

  it('has no arguments at all', () => {
    expect(refused([aten('relu_')])).to.equal(
      'the profile has no arguments of aten::relu_: record them with record_shapes=True',
    );
  });

  it('has arguments that no profiler records', () => {
    expect(refused([aten('index', t([30, 40]), none)])).to.equal(
      `aten::index: no profiler records indices (${BY_HAND})`,
    );
    expect(refused([aten('cat', ts(), v(0))])).to.equal(`aten::cat: not recorded: tensors (${NEWER})`);
    expect(refused([aten('einsum', none, ts(t([4, 4])), none)])).to.include('no profiler records equation');
  });

  it('depends on values', () => {
    expect(refused([aten('nonzero', t([30]))])).to.equal(
      'the time of aten::nonzero depends on values, which no profile records',
    );
    expect(refused([aten('_flash_attention_forward', ...[0, 1, 2].map(() => t([9, 2, 8], 'float16')), t([5], 'int32'), t([5], 'int32'), v(9), v(9), v(0), v(false), v(false), v(1), none, none, none, none, none)])).to.include('values of cu_q'); // prettier-ignore
  });

  it('is none of PyTorch', () => {
    const custom = { ...aten('paged_attention', t([8])), mod: 'vllm' };
    expect(refused([custom])).to.equal(`vllm.paged_attention is a custom op without a known schema (${BY_HAND})`);
    expect(refused([{ ...aten('triton_poi_fused_0', t([8])), mod: 'triton' }])).to.include('torch.compile generated');
    expect(refused([{ ...aten('fusion', t([8])), mod: 'hlo', from: undefined } as unknown as OpCall])).to.include(
      'an op of XLA',
    );
    expect(refused([call('apex.normalization.fused', t([8]))])).to.equal(
      `apex.normalization.fused is a function whose arguments are not known (${BY_HAND})`,
    );
    expect(refused([call('torch.load', v('weights.pt'))])).to.equal(
      `torch.load is a function whose arguments are not known (${BY_HAND})`,
    );
    expect(refused([aten('from_file', v('secret'), none, v(8))])).to.equal(
      `aten::from_file takes texts, and its parameters are unknown (${BY_HAND})`,
    );
  });

  it('communicates', () => {
    const calls = [{ ...aten('allreduce_', ts(t([8]))), mod: 'c10d' }];
    const name = 'ncclDevKernel_AllReduce_Sum_f32_RING_LL';
    expect(refused(calls, { name, short: name })).to.equal(
      `${name} is a collective operation (nccl-tests or rccl-tests run it alone)`,
    );
  });

  it('is not known', () => {
    expect(refused([])).to.match(/^no op call is known for k: /);
  });
});
