import { expect } from 'chai';
import fc from 'fast-check';
import { KernelMemo } from '../../../src/prof/work/derived-work.js';
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

  it('is bounded: of ever new names all are forgotten in the end', () => {
    const memo = new KernelMemo<object>();
    const none = CALLS[0] ?? [];
    const make = (name: string): object => memo.of(none, name, () => true, () => ({})); // prettier-ignore
    const first = make('first');
    for (let i = 0; i < 100_000; i++) make(`k${i}`);
    expect(make('first')).not.to.equal(first);
  });
});
