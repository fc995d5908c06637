import { expect } from 'chai';
import { KeyTable } from '../../../src/parse/json/event-fields.js';

const KEYS = ['External id', 'correlation', 'grid', 'ts'];
const table = new KeyTable(KEYS);
const code = (key: string): number => table.code(Buffer.from(`xx${key}xx`), 2, 2 + Buffer.byteLength(key));

describe('KeyTable', () => {
  it('finds keys by their bytes', () => {
    KEYS.forEach((key, i) => expect(code(key)).to.equal(i));
  });

  it('matches letters of either case where it should', () => {
    expect(code('external id')).to.equal(0);
    expect(code('EXTERNAL ID')).to.equal(0);
    expect(code('Grid')).to.equal(2);
  });

  it('decodes escapes', () => {
    expect(code('\\u0067rid')).to.equal(2);
    expect(code('External\\u0020id')).to.equal(0);
    expect(code('gri\\x64')).to.equal(-1);
    expect(code('\\')).to.equal(-1);
  });

  it('returns -1 for any other key', () => {
    for (const key of ['', 'grids', 'gri', 'gxid', 'External xd', 'correlatioN!', 'tss', 'st', '核']) {
      expect(code(key), key).to.equal(-1);
    }
  });

  it('keys of one length, with the same letters at their ends and in the middle, are different keys', () => {
    const alike = new KeyTable(['abxde', 'acxde', 'adxde']);
    const codeOf = (key: string): number => alike.code(Buffer.from(key), 0, key.length);
    expect(['abxde', 'acxde', 'adxde', 'aexde'].map(codeOf)).to.deep.equal([0, 1, 2, -1]);
  });
});
