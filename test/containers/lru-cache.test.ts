import { expect } from 'chai';
import fc from 'fast-check';
import { AdaptiveCache, LruCache } from '../../src/containers/lru-cache.js';

const SIZE = 8;

/** How many of so many lookups of the keys, in turn, made a value. */
function madeOf(cache: AdaptiveCache<number, object>, keys: (i: number) => number, lookups: number): number {
  let made = 0;
  for (let i = 0; i < lookups; i++) cache.of(keys(i), () => ({ made: ++made }));
  return made;
}

describe('caches of what was used last', () => {
  it('an LRU cache has the last keys, and at most twice as many', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 40 }), { maxLength: 200 }), (keys) => {
        const cache = new LruCache<number, number>(SIZE);
        for (const [i, key] of keys.entries()) {
          const since = keys.lastIndexOf(key, i - 1);
          const isRecent = i > 0 && since >= 0 && new Set(keys.slice(since, i)).size <= SIZE;
          expect(cache.get(key)).to.be.oneOf(isRecent ? [-key] : [-key, undefined]);
          cache.set(key, -key);
        }
        const kept = Array.from({ length: 41 }, (_, key) => cache.get(key)).filter((value) => value !== undefined);
        expect(kept.length).to.be.at.most(2 * SIZE);
      }),
    );
  });

  it('an adaptive one keeps values of keys that repeat', () => {
    expect(madeOf(new AdaptiveCache(SIZE), (i) => i % SIZE, 1000)).to.equal(SIZE);
  });

  it('and nothing where they do not', () => {
    const cache = new AdaptiveCache<number, object>(SIZE);
    expect(madeOf(cache, (i) => i, 100)).to.equal(100);
    expect(madeOf(cache, () => 1, 10)).to.equal(10);
  });
});
