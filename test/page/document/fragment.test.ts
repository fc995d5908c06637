import { expect } from 'chai';
import { readFragment, withName } from '../../../src/page/document/fragment.js';

describe('fragment of a page’s address', () => {
  it('changes one name and leaves the others', () => {
    const fragment = withName('#theme=dark&t.search=a%26b', 'panel', 'layers');
    expect([...readFragment(fragment)]).to.deep.equal([
      ['theme', 'dark'],
      ['t.search', 'a&b'],
      ['panel', 'layers'],
    ]);
    expect(withName(fragment, 'theme', null)).to.not.include('theme');
  });

  it('is empty of nothing', () => {
    expect(readFragment('').size).to.equal(0);
    expect(withName('', 'theme', null)).to.equal('');
  });
});
