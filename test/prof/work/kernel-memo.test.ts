import { expect } from 'chai';
import fc from 'fast-check';
import type { OpCall } from '../../../src/record/record.js';
import { KernelMemo } from '../../../src/prof/work/kernel-memo.js';
import { mm } from '../../support/kernels.js';

const CALLS = [[], [mm(1, 2, 3)], [mm(1, 2, 3)]];

describe('what is kept of kernels', () => {
  it('is of the kernel that is asked for, however many there were', () => {
    const asked = fc.record({ calls: fc.nat({ max: 2 }), name: fc.constantFrom('a', 'b'), of: fc.nat({ max: 40 }) });
    fc.assert(
      fc.property(fc.array(asked, { maxLength: 300 }), (all) => {
        const memo = new KernelMemo<string>();
        for (const { calls, name, of } of all) {
          const own = `${calls} ${name} ${of}`;
          const found = memo.of(
            CALLS[calls] ?? [],
            name,
            (known) => known === own,
            () => own,
          );
          expect(found).to.equal(own);
        }
      }),
    );
  });

  it('is made once for a kernel that comes again', () => {
    const memo = new KernelMemo<object>();
    const make = (): object => memo.of(CALLS[1] ?? [], 'a', () => true, () => ({})); // prettier-ignore
    expect(make()).to.equal(make());
  });

  it('is bounded: of ever new names all are forgotten in the end', () => {
    const memo = new KernelMemo<object>();
    const none = CALLS[0] ?? [];
    const make = (name: string): object => memo.of(none, name, () => true, () => ({})); // prettier-ignore
    const first = make('first');
    for (let i = 0; i < 100_000; i++) make(`k${i}`);
    expect(make('first')).not.to.equal(first);
  });

  it('is kept again where kernels begin to repeat after many that did not', () => {
    const memo = new KernelMemo<object>(8);
    const none = (): OpCall[] => [];
    const make = (calls: OpCall[]): object => memo.of(calls, 'a', () => true, () => ({})); // prettier-ignore
    for (let i = 0; i < 100; i++) make(none());
    expect(memo.isOn).to.equal(false);
    const again = none();
    for (let i = 0; i < 1000; i++) make(again);
    expect(make(again)).to.equal(make(again));
  });
});
