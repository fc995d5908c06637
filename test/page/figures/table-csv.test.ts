import { expect } from 'chai';
import fc from 'fast-check';
import { csvOf, type CopiedColumn } from '../../../src/page/figures/table-sort.js';
import { csv } from '../../../src/write/formats.js';
import type { Column } from '../../../src/table/column.js';

interface CsvRow {
  readonly name: string | null;
  readonly time: number | null;
}

const COLUMNS: readonly CopiedColumn<CsvRow>[] = [
  { title: 'Kernel', cell: ({ name }) => name },
  { title: 'Time', unit: 'ns', cell: ({ time }) => time },
];

describe('CSV of a table', () => {
  it('has the units in its heads, and raw numbers', () => {
    const columns: CopiedColumn<CsvRow>[] = [
      ...COLUMNS,
      { title: 'Of peak, measured', unit: 'share', cell: () => 0.123456789 },
      { title: 'FLOP/byte', unit: 'flop/byte', cell: () => 1e21 },
      { title: 'Launches', unit: 'count', cell: () => 3 },
    ];
    expect(csvOf(columns, [{ name: 'a "b", c', time: 1234567.25 }])).to.equal(
      'Kernel,Time (ns),"Of peak, measured (fraction of 1)",FLOP/byte,Launches\n' +
        '"a ""b"", c",1234567.25,0.123456789,1e+21,3\n',
    );
  });

  it('has what a column gives in place of its text', () => {
    const path: CopiedColumn<CsvRow> = {
      title: 'Layer',
      cell: ({ name }) => name,
      copied: ({ name }) => `net / ${name}`,
    };
    expect(csvOf([path], [{ name: 'fc', time: 1 }])).to.equal('Layer\nnet / fc\n');
  });

  it('is that of dprof for the same cells: quotes, formulas, control characters, unknown', () => {
    const shapes: readonly Column<CsvRow>[] = [
      { key: 'name', header: 'Kernel', type: 'str', width: 0, doc: '', value: ({ name }) => name },
      { key: 'time', header: 'Time (ns)', type: 'real', width: 0, doc: '', value: ({ time }) => time },
    ];
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('"', "'", ',', '=', '+', '-', '@', '\n', '\t', '\u202e', '\uff1d', ' ', 'a') }),
    );
    // The data of a page are JSON, which has no infinite numbers.
    const number = fc.double({ noNaN: true, noDefaultInfinity: true });
    const row = fc.record({ name: fc.option(text), time: fc.option(number) });
    fc.assert(
      fc.property(fc.array(row), (rows) => {
        const sheet = csv.open({ columns: shapes, header: true, width: null });
        expect(csvOf(COLUMNS, rows)).to.equal(sheet.head() + sheet.rows(rows.map((one) => sheet.pack(one))));
      }),
    );
  });
});
