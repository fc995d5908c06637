import { expect } from 'chai';
import { KindCounts } from '../../src/parse/unread-events.js';

describe('counts of what is not read, by kind', () => {
  it('are in order of name, with one for what has none', () => {
    const counts = new KindCounts();
    counts.add('b');
    counts.add('a', 3);
    counts.add('');
    counts.add('b', 2);
    expect(String(counts)).to.equal('a: 3, b: 3, no name: 1');
    expect(counts.total).to.equal(7);
  });

  it('name twenty kinds, and sum up the others', () => {
    const counts = new KindCounts();
    for (let kind = 0; kind < 1000; kind++) counts.add(`k${kind}`, 2);
    counts.add('k3');
    expect(String(counts)).to.match(/^k0: 2, .*k3: 3, .*k9: 2, other kinds: 1960$/);
    expect(counts.total).to.equal(2001);
  });
});
