import { expect } from 'chai';
import fc from 'fast-check';
import { writeFileSync } from 'node:fs';
import { CsvTable } from '../../../src/parse/csv/csv-table.js';
import { Diagnostics } from '../../../src/record/diagnostics.js';
import { freshPath } from '../../support/fresh-path.js';
import { propertyRuns } from '../../support/property-runs.js';

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

function tableOf(
  text: string,
  chunkBytes: number,
  above = 0,
): { header: readonly string[]; rows: (readonly string[])[]; odd: object } {
  const path = freshPath('.csv');
  writeFileSync(path, text);
  const diagnostics = new Diagnostics();
  const table = CsvTable.open(path, diagnostics, { chunkBytes, above });
  return { header: table?.header ?? [], rows: [...(table?.rows() ?? [])], odd: diagnostics.toJSON() };
}

describe('CSV files', () => {
  it('give the same rows however many bytes are read at a time', () => {
    const cell = fc.stringMatching(/^[a-z",\n é]{1,12}$/);
    const rows = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(rows, fc.integer({ min: 8, max: 200 }), (cells, piece) => {
        const text = ['a,b', ...cells.map((row) => row.map(quoted).join(','))].map((line) => `${line}\r\n`).join('');
        expect(tableOf(text, piece)).to.deep.equal({ header: ['a', 'b'], rows: cells, odd: {} });
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  it('with a byte order mark, blanks around names, without a last line break', () => {
    expect(tableOf('\ufeffa, b \n1,2\n3,4', 64)).to.deep.equal({ header: ['a', 'b'], rows: [['1', '2'], ['3', '4']], odd: {} });
  }); // prettier-ignore

  it('may have lines that end in other ways than the first', () => {
    const rows = [['1', '2'], ['3', 'x\ny'], ['5', '6']]; // prettier-ignore
    for (const text of ['a,b\r\n1,2\n3,"x\ny"\r\n5,6\n', 'a,b\n1,2\r\n3,"x\ny"\n5,6\r\n'])
      expect(tableOf(text, 200)).to.deep.equal({ header: ['a', 'b'], rows, odd: {} });
  });

  it('skip and count rows of another length', () => {
    expect(tableOf('a,b\n1,2\n3\n4,5,6\n7,8\n', 64)).to.deep.equal({ header: ['a', 'b'], rows: [['1', '2'], ['7', '8']], odd: { 'csv-row-passed-over': 2 } });
  }); // prettier-ignore

  it('are cut off in a last row with too few cells, which is none', () => {
    const whole = 'a,b\n1,"x, y"\n2,"z, z"\n';
    for (const cut of [' z"\n', '"\n']) {
      expect(tableOf(whole.slice(0, -cut.length), 64)).to.deep.equal({ header: ['a', 'b'], rows: [['1', 'x, y']], odd: { 'truncated-input': 1 } });
    }
    expect(tableOf('a,b,c\n1,2,3\n4,5', 64)).to.deep.equal({ header: ['a', 'b', 'c'], rows: [['1', '2', '3']], odd: { 'truncated-input': 1 } });
  }); // prettier-ignore

  it('may have lines above the header, which may hold anything', () => {
    for (const line of ['# tool 1', '', 'an odd "quote', '\ufeff1,2,3']) {
      for (const chunkBytes of [1, 8, 64]) {
        const text = `${line}\r\n${line}\na,b\n1,2\n`;
        expect(tableOf(text, chunkBytes, 2), line).to.deep.equal({ header: ['a', 'b'], rows: [['1', '2']], odd: {} });
      }
      for (const text of [line, `${line}\n`]) expect(tableOf(text, 64, 1).header).to.deep.equal([]);
    }
  });

  it('without a byte are none', () => {
    expect(tableOf('', 64).header).to.deep.equal([]);
  });
});
