import { expect } from 'chai';
import fc from 'fast-check';
import { LruCache } from '../../src/containers/map-entry.js';

const SIZE = 8;

describe('an LRU cache', () => {
  it('has the last keys, and at most twice as many', () => {
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
});
