import { expect } from 'chai';
import { asLoadError } from '../../../src/parse/sqlite/sqlite-library.js';
import type { UserError } from '../../../src/record/errors.js';

const refused = (message: string): Error => Object.assign(new Error(message), { code: 'ERR_DLOPEN_FAILED' });

describe('the library of databases', () => {
  it('names both versions of Node where its binary is of another, on one line', () => {
    const error = refused(
      "The module '/a/better_sqlite3.node'\nwas compiled against a different Node.js version using\n" +
        'NODE_MODULE_VERSION 115. This version of Node.js requires\nNODE_MODULE_VERSION 137. Please try re-compiling',
    );
    expect((asLoadError(error) as UserError).line).to.equal(
      'better-sqlite3, needed to read databases, is built for Node 20, and this is Node 24 (npm rebuild better-sqlite3)',
    );
  });

  it('says what is wrong with a binary that is missing or damaged', () => {
    const lines = [
      new Error('Could not locate the bindings file. Tried:\n → /a\n → /b'),
      refused('/a/better_sqlite3.node: invalid ELF header'),
    ].map((error) => (asLoadError(error) as UserError).line);
    expect(lines).to.deep.equal([
      'better-sqlite3, needed to read databases, has no binary for this machine (npm rebuild better-sqlite3)',
      'better-sqlite3, needed to read databases, cannot be loaded: /a/better_sqlite3.node: invalid ELF header (npm rebuild better-sqlite3)',
    ]);
  });

  it('leaves any other error as it is', () => {
    const other = new Error('file is not a database');
    expect(asLoadError(other)).to.equal(other);
  });
});
