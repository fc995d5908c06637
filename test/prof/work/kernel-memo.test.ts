import { expect } from 'chai';
import fc from 'fast-check';
import type { OpCall } from '../../../src/record/record.js';
import { KernelMemo } from '../../../src/prof/work/kernel-memo.js';
import { mm } from '../../support/kernels.js';

const [ONE, ANOTHER] = [mm(1, 2, 3), mm(1, 2, 3)];
const CALLS = [[], [ONE], [ANOTHER], [ANOTHER, ONE], [ONE]];

describe('what is kept of kernels', () => {
  it('is of the kernel that is asked for, however many there were', () => {
    const asked = fc.record({ calls: fc.nat({ max: 4 }), name: fc.constantFrom('a', 'b'), of: fc.nat({ max: 40 }) });
    fc.assert(
      fc.property(fc.array(asked, { maxLength: 300 }), (all) => {
        const memo = new KernelMemo<string>();
        for (const { calls, name, of } of all) {
          // The last list has the same calls as the second.
          const own = `${calls === 4 ? 1 : calls} ${name} ${of}`;
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

  it('is made once for lists of the same calls, which a profile that is read has for each kernel', () => {
    const memo = new KernelMemo<object>();
    const make = (calls: OpCall[]): object => memo.of(calls, 'a', () => true, () => ({})); // prettier-ignore
    expect(make([ANOTHER, ONE])).to.equal(make([ANOTHER, ONE]));
    expect(make([ANOTHER, ONE])).not.to.equal(make([ONE]));
  });

  it('is bounded: of ever new names all are forgotten in the end', () => {
    const memo = new KernelMemo<object>();
    const none = CALLS[0] ?? [];
    const make = (name: string): object => memo.of(none, name, () => true, () => ({})); // prettier-ignore
    const first = make('first');
    for (let i = 0; i < 100_000; i++) make(`k${i}`);
    expect(make('first')).not.to.equal(first);
  });

  it('is nothing where kernels do not repeat', () => {
    const memo = new KernelMemo<object>(8);
    const make = (calls: OpCall[]): object => memo.of(calls, 'a', () => true, () => ({})); // prettier-ignore
    for (let i = 0; i < 100; i++) make([mm(1, 2, 3)]);
    expect(memo.isOn).to.equal(false);
    expect(make([ONE])).not.to.equal(make([ONE]));
  });
});
