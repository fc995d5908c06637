import { expect } from 'chai';
import fc from 'fast-check';
import { PairIndex } from '../../src/containers/hash-index.js';

type Pair = readonly [number, number];

/** The last row of each key, by the index and by a Map. */
function build(pairs: readonly Pair[]): { index: PairIndex; map: Map<string, number> } {
  const index = new PairIndex(
    (row) => pairs[row]?.[0] ?? NaN,
    (row) => pairs[row]?.[1] ?? NaN,
  );
  const map = new Map<string, number>();
  for (const [row, pair] of pairs.entries()) {
    index.put(row);
    map.set(pair.join(), row);
  }
  return { index, map };
}

describe('index of pairs', () => {
  const small = fc.integer({ min: 0, max: 30 });
  const id = fc.oneof(small, fc.integer({ min: 0, max: 2 ** 32 }), fc.maxSafeInteger(), fc.constant(2 ** 32 + 1));

  it('finds what a Map finds', () => {
    const pairs = fc.array(fc.tuple(fc.oneof(small, id), id), { maxLength: 400 });
    fc.assert(
      fc.property(pairs, pairs, (stored, others) => {
        const { index, map } = build(stored);
        for (const [first, second] of [...stored, ...others]) {
          expect(index.get(first, second)).to.equal(map.get(`${first},${second}`) ?? -1);
        }
      }),
    );
  });

  it('finds every row after many growths', () => {
    const pairs = Array.from({ length: 20_000 }, (_, i): Pair => [i % 3, i * 4096]);
    const { index } = build(pairs);
    for (const [row, [first, second]] of pairs.entries()) expect(index.get(first, second)).to.equal(row);
    expect(index.get(3, 4096)).to.equal(-1);
  });

  it('distinguishes numbers that are equal in their low 32 bits', () => {
    const { index } = build([
      [1, 7],
      [1, 7 + 2 ** 32],
      [1 + 2 ** 32, 7],
    ]);
    expect(index.get(1, 7)).to.equal(0);
    expect(index.get(1, 7 + 2 ** 32)).to.equal(1);
    expect(index.get(1 + 2 ** 32, 7)).to.equal(2);
    expect(index.get(7, 1)).to.equal(-1);
  });

  it('is empty at first', () => {
    expect(build([]).index.get(0, 0)).to.equal(-1);
  });
});
