import { expect } from 'chai';
import fc from 'fast-check';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshFolder } from '../../support/fresh-path.js';
import { BlockFile } from '../../../src/parse/input/byte-window.js';
import { propertyRuns } from '../../support/property-runs.js';

describe('a file read by position', () => {
  const folder = freshFolder();
  const path = join(folder, 'file');
  const bytes = Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7 + (i >> 8)) & 0xff));
  before(() => {
    writeFileSync(path, bytes);
  });

  it('gives the bytes, wherever they are and whatever is kept', () => {
    const places = fc.array(fc.tuple(fc.nat(5200), fc.nat(700)), { maxLength: 60 });
    fc.assert(
      fc.property(places, fc.constantFrom(1, 16, 64, 1000), fc.constantFrom(1, 2, 5), (all, size, kept) => {
        const file = new BlockFile(path, size, kept);
        for (const [offset, length] of all)
          expect(file.read(offset, length).equals(bytes.subarray(offset, offset + length))).to.equal(true);
        file.close();
      }),
      { numRuns: propertyRuns(60) },
    );
  });
});
