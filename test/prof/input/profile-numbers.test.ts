import { expect } from 'chai';
import { ProfileNumbers } from '../../../src/sources/sources.js';
import type { ProfileLine } from '../../../src/record/record.js';
import { kernel } from '../../support/kernels.js';

const head = (profile: number): ProfileLine => ({
  ...{ type: 'profile', v: 1, profile, format: 'kineto', tool: null, file: 'x.json', rank: null },
  ...{ startUnixNs: null, dur: null, devices: [] },
});

describe('numbers of profiles', () => {
  const numbersOf = (numbers: ProfileNumbers, records: readonly ProfileLine[]): number[] =>
    records.map((record) => numbers.take(record).profile);

  it('stay as they are in one input', () => {
    const numbers = new ProfileNumbers();
    const record = kernel({ profile: 3 });
    expect(numbers.take(record)).to.equal(record);
    expect(numbersOf(numbers, [head(0), kernel({}), head(1), kernel({ profile: 0 })])).to.deep.equal([0, 0, 1, 0]);
  });

  it('count on from input to input, with and without profile lines', () => {
    const numbers = new ProfileNumbers();
    expect(numbersOf(numbers, [head(0), kernel({}), head(1)])).to.deep.equal([0, 0, 1]);
    numbers.nextInput();
    expect(numbersOf(numbers, [kernel({}), kernel({ profile: 1 }), kernel({})])).to.deep.equal([2, 3, 2]);
    numbers.nextInput();
    expect(numbersOf(numbers, [head(7), head(0), kernel({ profile: 7 })])).to.deep.equal([7, 4, 7]);
  });

  it('distinguish concatenated files: a second profile line of a number begins another profile', () => {
    const numbers = new ProfileNumbers();
    const joined = [head(0), kernel({}), head(0), kernel({}), head(1), head(0), kernel({}), kernel({ profile: 1 })];
    expect(numbersOf(numbers, joined)).to.deep.equal([0, 0, 1, 1, 2, 3, 3, 2]);
  });
});
