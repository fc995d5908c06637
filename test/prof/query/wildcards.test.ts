import { expect } from 'chai';
import fc from 'fast-check';
import { wildcardTest } from '../../../src/prof/query/wildcards.js';
import { propertyRuns } from '../../support/property-runs.js';

describe('a pattern of names', () => {
  it('has to match all of a text, in any case', () => {
    const matching = (pattern: string, ...texts: readonly string[]): string[] => texts.filter(wildcardTest(pattern));
    expect(matching('mm', 'mm', 'MM', 'addmm', 'comms', '')).to.deep.equal(['mm', 'MM']);
    expect(matching('*mm', 'mm', 'addmm', 'comms')).to.deep.equal(['mm', 'addmm']);
    expect(matching('a?d*', 'add', 'addmm', 'ad', 'a?d')).to.deep.equal(['add', 'addmm', 'a?d']);
    expect(matching('*', '', 'a')).to.deep.equal(['', 'a']);
    expect(matching('', '', 'a')).to.deep.equal(['']);
    expect(matching('S[5]++', 'S[5]++', 'S5')).to.deep.equal(['S[5]++']);
  });

  it('matches as the regular expression of it does', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'B'), maxLength: 8 });
    const patterns = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 6 });
    fc.assert(
      fc.property(patterns, letters, (pattern, text) => {
        const expression = new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'i');
        expect(wildcardTest(pattern)(text)).to.equal(expression.test(text));
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it('is tested in bounded time', () => {
    // A regular expression of this takes longer than anyone waits.
    expect(wildcardTest('*a'.repeat(30))(`${'a'.repeat(5000)}b`)).to.equal(false);
  });
});
