import { expect } from 'chai';
import { renderParams } from '../../../src/ops/family.js';
import { resolveWork } from '../../../src/ops/resolve-work.js';
import type { OpCall } from '../../../src/record/record.js';
import { forward } from '../../support/amounts.js';
import { aten, t, v } from '../../support/calls.js';

const x = t([1024, 1024], 'bfloat16');

/** `1048576 3145728 T=[(1024,1024)],bf16,`: FLOPs, bytes and params of the kernel inside these calls. */
function amountOf(...calls: readonly OpCall[]): string {
  const work = resolveWork(calls, forward)?.work;
  return `${String(work?.flops)} ${String(work?.bytes)} ${renderParams(work?.params ?? [])}`;
}

describe('an operand given twice', () => {
  // 1024·1024 elements: 2 bytes each read once, a truth value of 1 byte each written.
  const ONCE = '1048576 3145728 T=[(1024,1024)],bf16,';

  it('is read once: isnan compares its operand with itself', () => {
    expect(amountOf(aten('isnan', x), aten('ne', x, x))).to.equal(ONCE);
    expect(amountOf(aten('isfinite', x), aten('eq', x, x))).to.equal(ONCE);
  });
  it('is found in ranges that state sizes alone', () => {
    const shape = { name: '', type: 'tensor', shape: [8, 4] };
    const sized = (op: string, ...args: OpCall['args']): OpCall => ({ mod: 'aten', op, args, from: 'sizes' });
    // 32 elements of unknown size: the FLOPs and the operands show.
    expect(amountOf(sized('isnan', shape), sized('ne', shape, shape))).to.equal('32 null T=[(8,4)],na,');
  });
  it('is not assumed of two tensors alike', () => {
    const twice = '1048576 5242880 T=[(1024,1024),(1024,1024)],bf16,';
    expect(amountOf(aten('ne', x, x))).to.equal(twice);
    expect(amountOf(aten('isclose', x, x), aten('eq', x, x))).to.equal(twice);
    expect(amountOf(aten('isfinite', x), aten('ne', x, v(Infinity)))).to.equal(ONCE);
    expect(amountOf(aten('isnan', x), aten('ne', x, t([1024], 'bfloat16')))).to.equal(
      '1048576 3147776 T=[(1024,1024),(1024,)],bf16,',
    );
  });
});
