import { expect } from 'chai';
import { csvText } from '../../src/table/csv-cell.js';

describe('text of a CSV cell', () => {
  const CELLS = [
    ...[
      ['=1+1', "'=1+1"],
      ['+1', "'+1"],
      ['-x', "'-x"],
      ['@SUM(A1)', "'@SUM(A1)"],
      ['＝1', "'＝1"],
    ],
    // Behind blanks, and where a semicolon separates cells.
    ...[
      ['  =cmd()', "'  =cmd()"],
      ['a;=cmd()', "a;'=cmd()"],
      ['a; \u00a0@b;-1', "a;' \u00a0@b;'-1"],
    ],
    // Neither an empty list nor what stands within a string is a formula.
    ...[
      ['-', '-'],
      ['-;-', '-;-'],
      ['a=1;b=-2', 'a=1;b=-2'],
      ['mm(2x3, -1)', 'mm(2x3, -1)'],
      ['', ''],
    ],
    ['a\u200b=', String.raw`a\u200b=`],
  ] as const;
  for (const [text, cell] of CELLS)
    it(`of ${JSON.stringify(text)} is no formula`, () => void expect(csvText(text)).to.equal(cell));
});
