import { expect } from 'chai';
import { counted, plural } from '../../src/record/plural.js';

describe('counts in words', () => {
  it('are of one, or of many', () => {
    expect([0, 1, 2].map((count) => counted(count, 'kernel'))).to.deep.equal(['0 kernels', '1 kernel', '2 kernels']);
  });

  it('know words whose plural is more than an s', () => {
    expect(['copy', 'HtoD copy', 'graph launch', 'activity', 'display'].map((what) => plural(2, what))).to.deep.equal([
      'copies',
      'HtoD copies',
      'graph launches',
      'activities',
      'displays',
    ]);
    expect(plural(1, 'graph launch')).to.equal('graph launch');
  });
});
