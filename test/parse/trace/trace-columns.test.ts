import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import { Ranges } from '../../../src/parse/trace/trace-columns.js';
import { freshFolder } from '../../support/fresh-path.js';
import { withTemporary } from '../../support/temporary-folder.js';

/** Takes 11 bytes for each row: 42 MiB. */
const ROWS = 4_000_000;
const MOST = 32 * 2 ** 20;

function filled(): Ranges {
  const ranges = new Ranges();
  for (let row = 0; row < ROWS; row++) {
    ranges.pushCells(row, row + 10, row % 7, row % 200);
    ranges.domain.push(row % 3);
  }
  return ranges;
}

function expectAll({ start, end, thread, text, domain }: Ranges): void {
  for (let row = 0; row < ROWS; row += 1111) {
    const cells = [start, end, thread, text, domain].map((column) => column.at(row));
    expect(cells).to.deep.equal([row, row + 10, row % 7, row % 200, row % 3]);
  }
}

describe('ranges that do not fit in memory', () => {
  it('wait in a file without a name, until they are closed', async () => {
    const folder = freshFolder();
    await withTemporary(folder, () => {
      const before = process.memoryUsage().arrayBuffers;
      const ranges = filled();
      expect(process.memoryUsage().arrayBuffers - before).to.be.below(MOST + 2 ** 21);
      expect(readdirSync(folder)).to.deep.equal([]);
      expectAll(ranges);
      ranges.space.close();
      expect(() => expectAll(ranges)).to.throw(RangeError, 'the column file is closed');
    });
  });

  it('stay in memory if the temporary folder does not take them', async () => {
    await withTemporary('/nowhere', () => {
      const ranges = filled();
      expectAll(ranges);
      ranges.space.close();
      expectAll(ranges);
    });
  });
});
