import fc from 'fast-check';
import { expect } from 'chai';
import type { KernelRole, Work } from '../../../src/ops/family.js';
import { distributeWork, withoutWork, type CallKernel } from '../../../src/prof/work/attribution.js';
import { aten, t } from '../../support/calls.js';

const CALL = aten('op', t([2, 2]));

const work = (role: KernelRole, flops: number | null = null, bytes: number | null = null): Work => ({
  role,
  flops,
  bytes,
  params: [],
  matmul: true,
  formula: `formula of ${role}`,
  source: 'source',
});

interface Op {
  readonly whole?: Work;
  readonly parts?: readonly Work[];
}

/** A kernel of an op, by its name, its time, and the role that its name gives it. */
const member = (name: string, dur: number | null, role: KernelRole, { whole = work('main', 100, 1000), parts }: Op = {}): CallKernel => ({
  record: { name, short: name, dur },
  described: {
    index: 0,
    call: CALL,
    family: {
      id: 'f',
      title: 'f',
      category: null,
      ops: ['op'],
      formulas: [],
      work: () => whole,
      ...(parts === undefined ? {} : { parts: () => parts }),
    },
    work: work(role),
    whole,
    typedBy: null,
  },
}); // prettier-ignore

/** `role flops bytes` of each. */
const shares = (members: readonly CallKernel[], inner = false): string[] =>
  distributeWork(members, inner).map(({ role, flops, bytes }) => `${role} ${flops ?? 'na'} ${bytes ?? 'na'}`);

describe("sharing an op's work among its kernels", () => {
  it('one kernel has all of it, whatever its name', () => {
    for (const role of ['main', 'helper', 'bias', 'dgrad'] as const)
      expect(shares([member('k', 5, role)])).to.deep.equal(['main 100 1000']);
  });

  it('no kernel has none', () => {
    expect(distributeWork([], false)).to.deep.equal([]);
  });

  it('the product has it; the split-K sum and the fill before it have none', () => {
    const group = [member('memset', 2, 'helper'), member('gemm', 9, 'main'), member('splitKreduce', 90, 'helper')];
    expect(shares(group)).to.deep.equal(['helper 0 0', 'main 100 1000', 'helper 0 0']);
  });

  it('of kernels that may do it, that which took the most time in all does', () => {
    const group = [member('a', 60, 'main'), member('b', 40, 'main'), member('b', 40, 'main')];
    // b takes 80, half each.
    expect(shares(group)).to.deep.equal(['helper 0 0', 'main 50 500', 'main 50 500']);
  });

  it('kernels of one name share by time, in whole numbers that add up', () => {
    const group = [member('a', 1, 'main'), member('a', 1, 'main'), member('a', 1, 'main')];
    // A third each; what was rounded comes back with the next one.
    expect(shares(group)).to.deep.equal(['main 33 333', 'main 34 334', 'main 33 333']);
    const uneven = [member('a', 3, 'main'), member('a', 1, 'main')];
    expect(shares(uneven)).to.deep.equal(['main 75 750', 'main 25 250']);
  });

  it('without times they have equal shares', () => {
    expect(shares([member('a', null, 'main'), member('a', null, 'main')])).to.deep.equal([
      'main 50 500',
      'main 50 500',
    ]);
    expect(shares([member('a', 0, 'main'), member('a', 0, 'main')])).to.deep.equal(['main 50 500', 'main 50 500']);
    expect(shares([member('a', null, 'main'), member('a', 4, 'main')])).to.deep.equal(['main 0 0', 'main 100 1000']);
  });

  it('where all names are those of helpers, one of them has it', () => {
    const group = [member('copy', 5, 'helper'), member('fill', 9, 'helper')];
    expect(shares(group)).to.deep.equal(['helper 0 0', 'main 100 1000']);
  });

  it('an unknown amount stays unknown for the kernels that do it', () => {
    const op = { whole: work('main', null, 1000) };
    const group = [member('a', 5, 'main', op), member('a', 5, 'main', op), member('r', 1, 'helper', op)];
    expect(shares(group)).to.deep.equal(['main na 500', 'main na 500', 'helper 0 0']);
  });

  it("element types may come from a kernel's name: those of the main kernel count", () => {
    const group = [
      member('transpose', 2, 'helper', { whole: work('main', 100, 4000) }),
      member('gemm_bf16', 9, 'main', { whole: work('main', 100, 2000) }),
    ];
    expect(shares(group)).to.deep.equal(['helper 0 0', 'main 100 2000']);
  });

  const GEMM = 'ampere_sgemm_32x128_tn';
  const OTHER = 'ampere_sgemm_64x64_nn';

  it('a second product, by its name, is unknown, not a helper', () => {
    const group = [member(GEMM, 60, 'main'), member(OTHER, 40, 'main'), member('scores', 10, 'main')];
    expect(shares(group)).to.deep.equal(['main 100 1000', 'main na na', 'helper 0 0']);
    const [, second] = distributeWork(group, false);
    expect(second?.unknown).to.equal('another product of the call, which its arguments do not determine');
  });

  it('a product, by its name, has the work, however long another kernel takes', () => {
    expect(shares([member(GEMM, 24, 'main'), member('epilogue', 26, 'main')])).to.deep.equal([
      'main 100 1000',
      'helper 0 0',
    ]);
  });

  it('products of an op that is several of them share its work by their times', () => {
    const op = { whole: { ...work('main', 100, 1000), severalProducts: true } as const };
    const group = [member(GEMM, 3, 'main', op), member(OTHER, 1, 'main', op), member('softmax', 90, 'main', op)];
    expect(shares(group)).to.deep.equal(['main 75 750', 'main 25 250', 'helper 0 0']);
    // Without a name of a product among them, the longest has it.
    expect(shares([member('a', 3, 'main', op), member('b', 1, 'main', op)])).to.deep.equal([
      'main 100 1000',
      'helper 0 0',
    ]);
  });

  it('of an op whose work is unknown all is, but that of helpers', () => {
    const op = { whole: { ...work('main', null, null), unknown: 'the weights are not arguments' } };
    const group = [member('bmm_MxE4m3_MxE2m1_sm100f', 9, 'main', op), member('bmm_Bfloat16_MxE2m1_sm100f', 5, 'main', op), member('finalize', 1, 'main', op), member('memset', 1, 'main', op), member('splitKreduce', 1, 'helper', op)]; // prettier-ignore
    expect(shares(group)).to.deep.equal(['main na na', 'main na na', 'helper na na', 'helper 0 0', 'helper 0 0']);
    for (const { flops, unknown } of distributeWork(group, false).slice(1))
      expect(unknown).to.equal(flops === null ? 'the weights are not arguments' : undefined);
    // FLOPs and bytes are unknown apart.
    const half = { whole: { ...work('main', 100, null), unknown: 'the result is not recorded' } };
    expect(shares([member('a', 9, 'main', half), member('b', 1, 'main', half)])).to.deep.equal([
      'main 100 na',
      'helper 0 na',
    ]);
  });

  it('a kernel without a part of the work has none', () => {
    expect(withoutWork(work('main', 5, 6))).to.include({ role: 'helper', flops: 0, bytes: 0 });
    expect(withoutWork(work('bias', 5, 6))).to.include({ role: 'bias', flops: 0, bytes: 0 });
  });
});

describe('sharing an op with several results', () => {
  const parts = [work('dgrad', 100, 10), work('wgrad', 200, 20), work('bias', 7, 3)];
  const op = { parts };

  it('each part goes to the kernel whose name has its role', () => {
    const group = [member('d', 5, 'dgrad', op), member('w', 5, 'wgrad', op), member('b', 5, 'bias', op), member('t', 9, 'helper', op)]; // prettier-ignore
    expect(shares(group)).to.deep.equal(['dgrad 100 10', 'wgrad 200 20', 'bias 7 3', 'helper 0 0']);
  });

  it('the others go, in order, to the main kernels; those first that took the most time', () => {
    const group = [member('x', 5, 'main', op), member('y', 9, 'main', op), member('b', 5, 'bias', op)];
    expect(shares(group)).to.deep.equal(['wgrad 200 20', 'dgrad 100 10', 'bias 7 3']);
  });

  it('one role by a name, one not', () => {
    const group = [member('w', 5, 'wgrad', op), member('x', 9, 'main', op)];
    // The last that names none takes what is left over: input and bias gradient.
    expect(shares(group)).to.deep.equal(['wgrad 200 20', 'main 107 13']);
  });

  it('one kernel does all', () => {
    expect(shares([member('x', 5, 'main', op)])).to.deep.equal(['main 307 33']);
    expect(distributeWork([member('x', 5, 'main', op)], false)[0]?.formula).to.equal(
      'formula of dgrad; formula of wgrad; formula of bias',
    );
  });

  it('one kernel that looks like a bias sum does all', () => {
    expect(shares([member('b', 5, 'bias', op)])).to.deep.equal(['main 307 33']);
  });

  it('kernels of one name share a part', () => {
    const group = [member('d', 5, 'dgrad', op), member('d', 15, 'dgrad', op), member('w', 5, 'wgrad', op), member('b', 5, 'bias', op)]; // prettier-ignore
    expect(shares(group)).to.deep.equal(['dgrad 25 3', 'dgrad 75 7', 'wgrad 200 20', 'bias 7 3']);
  });

  it('a bias gradient that an op inside sums is left to it', () => {
    const group = [member('d', 5, 'dgrad', op), member('w', 5, 'wgrad', op)];
    expect(shares(group, true)).to.deep.equal(['dgrad 100 10', 'wgrad 200 20']);
    expect(shares(group)).to.deep.equal(['main 107 13', 'wgrad 200 20']);
  });

  it('a part that is not known makes the kernel that does it unknown, and says why', () => {
    const unknown = { parts: [work('dgrad', 100, 10), { ...work('wgrad', null, null), unknown: 'the input is not recorded' }] }; // prettier-ignore
    expect(shares([member('d', 5, 'dgrad', unknown), member('w', 5, 'wgrad', unknown)])).to.deep.equal(['dgrad 100 10', 'wgrad na na']); // prettier-ignore
    const [one] = distributeWork([member('x', 5, 'main', unknown)], false);
    expect(one).to.include({ flops: null, bytes: null, unknown: 'the input is not recorded' });
  });

  it('a part that may not be computed is left out where every kernel has another role', () => {
    const perhaps = { parts: [work('dgrad', 100, 10), work('wgrad', 200, 20)].map((part): Work => ({ ...part, perhaps: true })) }; // prettier-ignore
    const [dgrad, wgrad, x, t2] = [member('d', 5, 'dgrad', perhaps), member('w', 5, 'wgrad', perhaps), member('x', 9, 'main', perhaps), member('t', 9, 'helper', perhaps)]; // prettier-ignore
    expect(shares([wgrad])).to.deep.equal(['wgrad 200 20']);
    expect(shares([t2, dgrad])).to.deep.equal(['helper 0 0', 'dgrad 100 10']);
    expect(shares([dgrad, wgrad])).to.deep.equal(['dgrad 100 10', 'wgrad 200 20']);
    // A name that states none may be that of the other.
    expect(shares([wgrad, x])).to.deep.equal(['wgrad 200 20', 'dgrad 100 10']);
    expect(shares([x])).to.deep.equal(['main 300 30']);
    expect(shares([t2])).to.deep.equal(['main 300 30']);
    // What is asked for is never left out.
    expect(shares([member('w', 5, 'wgrad', { parts: perhaps.parts.map((part) => work(part.role, part.flops, part.bytes)) })])).to.deep.equal(['main 300 30']); // prettier-ignore
  });

  it('trials of one gradient leave the other as it is', () => {
    const names = ['wgrad_a', 'wgrad_b', 'wgrad_c', 'wgrad_b'];
    const group = [member('dgrad_d', 5, 'dgrad', op), ...names.map((name) => member(name, 9, 'wgrad', op)), member('b', 5, 'bias', op)]; // prettier-ignore
    const tried = Array<string>(3).fill('trial 0 0');
    expect(shares(group)).to.deep.equal(['dgrad 100 10', ...tried, 'wgrad 200 20', 'bias 7 3']);
  });

  it('a product that no part is left for is unknown', () => {
    const group = [member('sm80_xmma_wgrad_a', 9, 'wgrad', op), member('sm80_xmma_wgrad_b', 5, 'wgrad', op), member('d', 5, 'dgrad', op), member('b', 5, 'bias', op)]; // prettier-ignore
    expect(shares(group)).to.deep.equal(['wgrad 200 20', 'wgrad na na', 'dgrad 100 10', 'bias 7 3']);
  });

  it('no parts are none', () => {
    expect(shares([member('x', 5, 'main', { parts: [] })])).to.deep.equal(['main 100 1000']);
  });
});

describe('shares', () => {
  const role = fc.constantFrom<KernelRole>('main', 'dgrad', 'wgrad', 'bias', 'helper');
  const amount = fc.oneof(fc.nat(), fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }));
  const dur = fc.oneof(fc.nat(), fc.nat({ max: 3 }), fc.constant(null));
  const kernels = fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), dur, role }), { minLength: 1, maxLength: 12 }); // prettier-ignore
  const partsOf = (amounts: readonly [number, number][]): Work[] =>
    amounts.map(([flops, bytes], i) => work((['dgrad', 'wgrad', 'bias'] as const)[i] ?? 'main', flops, bytes));
  const sum = (numbers: readonly (number | null)[]): bigint =>
    numbers.reduce((all, one) => all + BigInt(one ?? -1), 0n);

  it('of any group add up to the whole op, and none is negative', () => {
    fc.assert(
      fc.property(kernels, amount, amount, (list, flops, bytes) => {
        const whole = work('main', flops, bytes);
        const given = distributeWork(list.map((one) => member(one.name, one.dur, one.role, { whole })), false); // prettier-ignore
        expect(given).to.have.length(list.length);
        expect(sum(given.map((one) => one.flops))).to.equal(BigInt(flops));
        expect(sum(given.map((one) => one.bytes))).to.equal(BigInt(bytes));
        for (const one of given) expect(Math.min(one.flops ?? 0, one.bytes ?? 0)).to.be.at.least(0);
      }),
    );
  });

  it('of any group with parts add up to all parts', () => {
    const small = fc.tuple(fc.nat(), fc.nat());
    fc.assert(
      fc.property(kernels, fc.array(small, { minLength: 1, maxLength: 3 }), (list, amounts) => {
        const op = { parts: partsOf(amounts) };
        const given = distributeWork(list.map((one) => member(one.name, one.dur, one.role, op)), false); // prettier-ignore
        expect(sum(given.map((one) => one.flops))).to.equal(sum(amounts.map(([flops]) => flops)));
        expect(sum(given.map((one) => one.bytes))).to.equal(sum(amounts.map(([, bytes]) => bytes)));
      }),
    );
  });
});
