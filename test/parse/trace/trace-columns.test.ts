import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Ranges } from '../../../src/parse/trace/trace-columns.js';

/** Takes 11 bytes for each row: 69 MiB. */
const ROWS = 6_600_000;
const MOST = 64 * 2 ** 20;

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

const temporary = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('dparse-'));

describe('ranges that do not fit in memory', () => {
  it('wait in a file without a name, until they are closed', () => {
    const others = temporary();
    const before = process.memoryUsage().arrayBuffers;
    const ranges = filled();
    expect(process.memoryUsage().arrayBuffers - before).to.be.below(MOST + 2 ** 20);
    expect(temporary()).to.deep.equal(others);
    expectAll(ranges);
    ranges.close();
    expect(() => expectAll(ranges)).to.throw(RangeError, 'a closed file of columns');
  });

  it('stay in memory if the temporary folder does not take them', () => {
    const folder = process.env['TMPDIR'];
    process.env['TMPDIR'] = '/nowhere';
    try {
      const ranges = filled();
      expectAll(ranges);
      ranges.close();
      expectAll(ranges);
    } finally {
      if (folder === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = folder;
    }
  });
});
