import { expect } from 'chai';
import fc from 'fast-check';
import { FAMILIES } from '../../../src/ops/table.js';
import type { Arg, OpCall } from '../../../src/record/record.js';
import { amount, int, workOf } from '../../support/amounts.js';
import { kernel, t, v } from '../../support/calls.js';
import { propertyRuns } from '../../support/property-runs.js';

const unspecified: Arg = { name: '', type: 'unknown' };

const run = (name: string, ...args: Arg[]): OpCall => {
  const [mod = '', op = ''] = name.includes('::') ? name.split('::') : ['', name];
  return { mod, op, args, from: 'dispatcher' };
};

describe('key-value cache', () => {
  const tokens = t([888, 1, 64], 'bfloat16');
  const cache = (dtype: string): Arg => t([4096, 16, 1, 64], dtype);
  const write = (dtype: string, slots: number): OpCall =>
    run('_C_cache_ops::reshape_and_cache_flash', tokens, tokens, cache(dtype), cache(dtype), t([slots], 'int64'));

  it('touches the rows of the new tokens only', () => {
    // 2·56832 elements of 2 bytes read and written, 888 slots of 8
    expect(amount(write('bfloat16', 888))).to.equal('main 0 461760');
    // scaled to 1 byte: one product each
    expect(amount(write('uint8', 888))).to.equal('main 113664 348096');
    // fewer slots than rows: the rows behind are padding. 2·10·64·4 + 80
    expect(amount(write('bfloat16', 10))).to.equal('main 0 5200');
  });
  it('of SGLang, with whole rows of all heads', () => {
    const [rows, slots] = [t([15360, 1024], 'bfloat16'), t([15360], 'int64')];
    const pool = (dtype: string): Arg => t([835874, 1024], dtype);
    const stored = (op: string, dtype: string): OpCall =>
      run(`sglang::${op}`, rows, rows, pool(dtype), pool(dtype), slots, int(2048), int(0));
    // 2·15728640 elements of 2 bytes read and written, 15360 slots of 8
    expect(amount(stored('store_cache', 'bfloat16'))).to.equal('main 0 125952000');
    // scaled to 1 byte
    expect(amount(stored('store_cache_quant', 'float8_e4m3fn'))).to.equal('main 31457280 94494720');
    const whole = pool('bfloat16');
    expect(amount(run('sgl_kernel::store_kv_cache', whole, whole, slots, rows, rows))).to.equal('main 0 125952000');
  });
  it('joins the two parts of a latent cache', () => {
    const call = run(
      '_C_cache_ops::concat_and_cache_mla',
      ...[t([8, 512], 'bfloat16'), t([8, 64], 'bfloat16'), t([100, 16, 576], 'bfloat16'), t([8], 'int64')],
    );
    expect(amount(call)).to.equal('main 0 18496'); // 2·8·576·2 + 64
  });
});

describe('mixture of experts', () => {
  it('chooses', () => {
    const chosen = [t([888, 4]), t([888, 4], 'int32'), t([888, 4], 'int32')];
    // 5·888·128 operations; 454656 bytes read, 3·14208 written
    expect(amount(run('_moe_C::topk_softmax', ...chosen, t([888, 128])))).to.equal('main 568320 497280');
    // 16 ids, 40 sorted tokens, 5 blocks, their number: int32 each
    const [ids, sorted, blocks, count] = [t([8, 2], 'int32'), t([40], 'int32'), t([5], 'int32'), t([1], 'int32')];
    expect(amount(run('_moe_C::moe_align_block_size', ids, int(8), int(8), sorted, blocks, count))).to.equal(
      'main 0 248',
    );
    expect(amount(run('_moe_C::moe_sum', t([8, 4, 16]), t([8, 16])))).to.equal('main 512 2560');
  });
  it('routes as triton_kernels and AITER do', () => {
    const gating = t([32, 32], 'bfloat16');
    const best = (softmax: boolean) =>
      run('na::TopK', gating, int(4), v(softmax), int(1), v(true), unspecified, unspecified);
    // 5·32·4; 2048 bytes of gating; weights and 16-bit indices of 32·4, 32 bits of 32 tokens
    expect(amount(best(true))).to.equal('main 640 2688');
    expect(amount(best(false))).to.equal('main 0 2688');
    // 256 bytes of weights, 256 of indices; 32 counts and 2·128 places of 4 bytes, 128 weights of 2
    const sorted = run('na::SortTokens', t([32, 4], 'bfloat16'), t([32, 4], 'int16'), int(32));
    expect(amount(sorted)).to.equal('main 0 1920');
    // 64 bytes of indices, 64 of weights; 40 places and weights, 5 blocks and a number of 4 bytes, 8·16 zeros of 2
    const [ids, weights, buffer] = [t([8, 2], 'int32'), t([8, 2]), t([8, 16], 'bfloat16')];
    const written = [t([40], 'int32'), t([40]), t([5], 'int32'), t([1], 'int32'), buffer];
    expect(amount(run('aiter::moe_sorting_fwd', ids, weights, ...written, int(4), int(8)))).to.equal('main 0 728');
  });
  it('multiplies by the weights of the experts of each token', () => {
    const experts = [t([8, 16], 'bfloat16'), t([4, 24, 16], 'bfloat16'), t([4, 16, 12], 'bfloat16')];
    const call = run('vllm::inplace_fused_experts', ...experts, t([8, 2]), t([8, 2], 'int32'));
    expect(amount(call)).to.equal('main 18432 na'); // 2·8·2·(24·16 + 16·12)
    expect(workOf(call)?.matmul).to.equal(true);
    const [hidden = unspecified, w1 = unspecified, w2 = unspecified] = experts;
    const places = [t([40], 'int32'), t([5], 'int32'), t([1], 'int32')];
    const between = t([8, 2, 12], 'bfloat16');
    // 2·8·2·24·16 and 2·8·2·16·12
    expect(amount(run('aiter::ck_moe_stage1', hidden, w1, w2, ...places, between, int(2)))).to.equal('main 12288 na');
    expect(amount(run('aiter::ck_moe_stage2', between, w1, w2, ...places, hidden, int(2)))).to.equal('main 6144 na');
    expect(amount(run('aiter::ck_moe_stage1', hidden, w1, w2, ...places, between, unspecified))).to.equal(null);
    expect(amount(run('vllm::moe_forward', t([888, 3072], 'bfloat16'), t([888, 128], 'bfloat16')))).to.equal(
      'main na na',
    );
  });
});

describe('fused kernels of torch.compile', () => {
  const tensors = [t([888], 'int32'), t([888], 'int64'), t([888], 'bool')];

  it('touch each tensor once', () => {
    const call = run('triton_poi_fused_add_bitwise_and_ge_lt_mul_sub_0', ...tensors, int(0), int(888));
    expect(amount(call)).to.equal('main na 11544'); // 888·(4 + 8 + 1)
    expect(workOf(call)?.unknown).to.equal('the operations of a fused kernel are unspecified');
    expect(amount(run('triton_red_fused_mean_3', t([8, 16]), t([8])))).to.equal('main na 544');
  });
  it('are unknown where they may touch parts only', () => {
    expect(amount(run('triton_poi_fused_embedding_0', ...tensors))).to.equal('main na na');
    expect(amount(run('triton_tem_fused_mm_0', ...tensors))).to.equal('main na na');
    expect(amount(run('triton_poi_fused_add_0', int(3)))).to.equal('main na na');
    expect(amount({ mod: 'na', op: 'triton_poi_fused_add_0', args: tensors })).to.equal(null);
  });
});

describe('families of moved data on odd arguments of the dispatcher', () => {
  const shape = fc.array(fc.oneof(fc.nat(5), fc.constantFrom(-1, 1.5, 2 ** 53)), { maxLength: 4 });
  const scalar = fc.oneof(
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.integer()),
    fc.string(),
  );
  const tensor: fc.Arbitrary<Arg> = fc.oneof(
    fc.record({
      name: fc.constant(''),
      type: fc.constant('tensor'),
      shape,
      dtype: fc.constantFrom('int64', 'bool', 'odd'),
    }),
    fc.record({ name: fc.constant(''), type: fc.constant('tensor'), shape }),
  );
  const arg: fc.Arbitrary<Arg> = fc.oneof(
    tensor,
    fc.record({
      name: fc.constant(''),
      type: fc.constantFrom('int', 'float', 'bool', 'list', 'NoneType'),
      value: scalar,
    }),
    fc.record({ name: fc.constant(''), type: fc.constantFrom('unknown', 'list') }),
    fc.record({ name: fc.constant(''), type: fc.constant('list'), items: fc.array(tensor, { maxLength: 3 }) }),
  );
  const IDS = new Set(
    'indexing tensor-indexing joining ordering copying slicing conversion filling random key-value-cache mixture-of-experts collective triton'.split(
      ' ',
    ),
  );
  for (const family of FAMILIES.filter(({ id }) => IDS.has(id))) {
    it(`${family.id} answers with null or with amounts, and reasons for what is unknown`, () => {
      const args = fc.array(arg, { maxLength: 7 });
      fc.assert(
        fc.property(fc.constantFrom(...family.ops), args, (name, given) => {
          const op = name.replace(/^.*\.|\*$/g, '');
          const work = family.work({ mod: name.split('.')[0] ?? '', op, args: given, from: 'dispatcher' }, kernel('k'));
          if (work === null) return;
          for (const number of [work.flops, work.bytes])
            if (number !== null) expect(Number.isFinite(number) && number >= 0).to.equal(true);
          if (work.flops === null || work.bytes === null) expect(work.unknown ?? '').not.to.equal('');
        }),
        { seed: 3, numRuns: propertyRuns(375) },
      );
    });
  }
});
