/** The library: every export says what it is. */
import { expect } from 'chai';
import { libraryExports } from '../docs/pages/api.js';
import { ROOT } from './support/shared.js';

describe('the library', () => {
  const exported = libraryExports(ROOT);

  it('says of every export what it is', () => {
    const undocumented = exported.filter(({ kind, summary }) => kind === null || summary === null);
    expect(undocumented.map(({ name, path }) => `${path}: ${name}`)).to.deep.equal([]);
    expect(exported).to.have.length.above(60);
  });
});
