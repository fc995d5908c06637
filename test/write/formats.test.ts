import { expect } from 'chai';
import fc from 'fast-check';
import { COLUMNS, chooseColumns } from '../../src/prof/columns/columns.js';
import type { KernelRecord } from '../../src/record/record.js';
import { UserError } from '../../src/record/errors.js';
import { fitId, fitQuantity } from '../../src/write/cell-text.js';
import { cells, cut } from '../../src/table/shortened-texts.js';
import { FORMATS, requireFormat } from '../../src/write/formats.js';
import { kernel, mm } from '../support/kernels.js';
import { annotate } from '../support/rows.js';

interface Options {
  readonly width?: number;
  readonly header?: boolean;
}

function written(format: string, columns: string, records: readonly KernelRecord[], options: Options = {}): string {
  const { width = null, header = true } = options;
  const sheet = requireFormat(format).open({ columns: chooseColumns(columns), width, header });
  return sheet.head() + sheet.rows(annotate(records).map((row) => sheet.pack(row))) + [...sheet.end()].join('');
}

const hostile = kernel({ layer: ['a "b", c\n\u001b[31md', '\ud800'], short: 'void f', dur: 123456789012 });
const gemm = kernel({ calls: [mm(128, 64, 256)], mod: ['torch'], op: ['mm'], layer: ['enc', 'q'] });

describe('space', () => {
  it('has one record a line and no blank inside a cell', () => {
    expect(written('space', 'idx,layer,trace,op,kernel,params', [gemm, hostile])).to.match(
      /^Idx Layer Trace Op Kernel Params\n1 enc:q - mm k \S+,\n1 a_"b",_c_\\u001b\[31md:\ud800 - na void_f na\n$/,
    );
  });
  it('can do without a header', () => {
    expect(written('space', 'idx,sil', [gemm], { header: false })).to.equal('1 10\n');
  });
});

describe('csv', () => {
  it('quotes what needs it (RFC 4180), one record a line', () => {
    expect(written('csv', 'idx,grid,layer,sil', [gemm, hostile])).to.equal(
      'Idx,Grid,Layer,Sil(ns)\n1,"2,1,1",enc:q,10\n1,"2,1,1","a ""b"", c\\u000a\\u001b[31md:\ud800",123456789012\n',
    );
  });
});

describe('json', () => {
  it('has raw values by column key, null for unknown', () => {
    const [line = '', rest] = written('json', 'idx,layer,grid,seq,op,stream,tc,flops,start', [
      { ...gemm, name: 'volta_sgemm_128x64_nn', stream: null, start: NaN },
    ]).split('\n');
    expect(rest).to.equal('');
    expect(JSON.parse(line)).to.deep.equal({
      idx: 1,
      layer: ['enc', 'q'],
      grid: [2, 1, 1],
      seq: [],
      op: 'mm',
      stream: null,
      tc: 0,
      flops: 4194304,
      start: null,
    });
  });
  it('is one line whatever a name holds', () => {
    const text = written('json', 'layer', [hostile]);
    expect(text.trimEnd().split('\n')).to.have.length(1);
    expect(text).to.include('\\ud800').and.to.include('\\u001b');
  });
});

describe('columns', () => {
  const wide = kernel({
    id: 123456789,
    short: 'k'.repeat(300),
    layer: ['日本語のレイヤー名前'],
    dur: 123456789012,
    trace: ['/a/b.py:1', '/c/d/e.py:22'],
  });

  it('line up; numbers are never cut', () => {
    expect(written('columns', 'idx,dir,kernel,sil', [gemm, wide], { width: 40 }).split('\n')).to.deep.equal([
      '    Idx Direc Kernel             Sil(ns)',
      '      1 fprop k                       10',
      '####### fprop kkkkkkkkkkkkkkk 1.23457e11',
      '',
    ]);
  });

  it('have numbers to the right, grids and blocks too', () => {
    expect(written('columns', 'grid,block,regs', [gemm, wide], { width: 40 }).split('\n')).to.deep.equal([
      '        Grid        Block Regs',
      '       2,1,1      128,1,1   na',
      '       2,1,1      128,1,1   na',
      '',
    ]);
  });

  it('show of a trace the innermost frame without its folder', () => {
    expect(written('columns', 'trace', [wide], { width: 30, header: false })).to.equal('e.py:22\n');
  });

  it('are never wider than asked for, in cells of the terminal', () => {
    const some = fc.subarray(
      COLUMNS.map(({ key }) => key),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(some, fc.nat(200), (keys, more) => {
        let least = 1;
        try {
          written('columns', keys.join(), [], { width: 1 });
        } catch (error) {
          if (!(error instanceof UserError)) throw error;
          least = Number(/is (\d+)/.exec(error.what)?.[1]);
        }
        const text = written('columns', keys.join(), [gemm, wide, hostile], { width: least + more });
        for (const line of text.split('\n')) expect(cells(line)).to.be.at.most(least + more);
        expect(text.split('\n')).to.have.length(5);
      }),
    );
  });

  it('share what is left: flexible ones differ by one character at most', () => {
    const [header = ''] = written('columns', 'kernel,params,long', [], { width: 100 }).split('\n');
    expect([header.indexOf('Params'), header.indexOf('LongName')]).to.deep.equal([34, 68]);
  });

  it('that do not fit are refused with the least width', () => {
    expect(() => written('columns', 'idx,kernel,sil', [], { width: 20 })).to.throw(
      UserError,
      'minimum width for idx,kernel,sil is 25',
    );
    expect(written('columns', 'idx,kernel,sil', [], { width: 25 })).to.equal('    Idx Kernel    Sil(ns)\n');
  });
});

describe('table', () => {
  it('is framed, quantities with their thousands apart', () => {
    expect(written('table', 'idx,op,sil', [{ ...gemm, dur: 1234567 }])).to.equal(
      [
        '┌─────┬────┬───────────┐',
        '│ Idx │ Op │   Sil(ns) │',
        '├─────┼────┼───────────┤',
        '│   1 │ mm │ 1,234,567 │',
        '└─────┴────┴───────────┘',
        '',
      ].join('\n'),
    );
  });
  it('cuts long texts and says so', () => {
    expect(written('table', 'kernel', [kernel({ short: 'k'.repeat(90) })])).to.include(`│ ${'k'.repeat(47)}… │`);
  });
  it('cuts texts that differ at their ends where they agree', () => {
    const ending = (end: string): KernelRecord => kernel({ short: 'k'.repeat(60) + end });
    const rows = written('table', 'kernel', [ending('first'), ending('last'), ending('first')])
      .split('\n')
      .slice(3, 6);
    expect(rows.map((row) => row.replace(/^.*…k*/, '').trim())).to.deep.equal(['first │', 'last │', 'first │']);
    for (const row of rows) expect(cells(row)).to.equal(52);
  });
});

describe('a table of a given width', () => {
  const wide = kernel({ short: 'k'.repeat(40), dur: 10 });

  it('cuts texts, but no numbers, so that its lines fit', () => {
    // Of 38 characters, the frame takes 4 at the edges and 3 between columns, and Sil(ns) 7: 24 are left.
    expect(written('table', 'kernel,sil', [wide], { width: 38 })).to.include(`│ ${'k'.repeat(23)}… │      10 │\n`);
  });

  it('names the columns that have no room', () => {
    const text = written('table', 'kernel,sil,grid', [wide], { width: 38 });
    expect(text).to.match(/\n# no room for grid: -f csv shows all\n$/);
    for (const line of text.split('\n')) expect(cells(line), line).to.be.at.most(38);
  });
});

describe('a table of many rows', () => {
  const sheet = requireFormat('table').open({ columns: chooseColumns('kernel,sil'), width: null, header: false });
  const [row] = annotate([kernel({ dur: 7 })]);

  it('is given in pieces, all as wide as the widest cell', () => {
    if (row === undefined) throw new Error('no row');
    const [wide] = annotate([kernel({ short: '層', dur: 1000 })]);
    if (wide === undefined) throw new Error('no row');
    // 300,000 rows are more than a call can have arguments.
    for (let i = 0; i < 300; i++) expect(sheet.rows(new Array(1000).fill(sheet.pack(row)))).to.equal('');
    sheet.rows([sheet.pack(wide)]);
    const lines = [...sheet.end()].join('').split('\n');
    expect(lines).to.have.length(300_001 + 3);
    expect([lines[0], lines[1], lines.at(-3), lines.at(-2)]).to.deep.equal([
      '┌────┬───────┐',
      '│ k  │     7 │',
      '│ 層 │ 1,000 │',
      '└────┴───────┘',
    ]);
  });

  it('of none is a header, or nothing', () => {
    expect(written('table', 'kernel', [])).to.equal('┌────────┐\n│ Kernel │\n└────────┘\n');
    expect(written('table', 'kernel', [], { header: false })).to.equal('');
  });
});

describe('every format', () => {
  for (const { id } of FORMATS.filter(({ binary }) => binary !== true)) {
    it(`${id} writes every column of an odd row without failing`, () => {
      const all = COLUMNS.map(({ key }) => key).join();
      expect(written(id, all, [hostile, gemm], { width: 1000 })).to.not.match(/undefined|NaN|\[object/);
    });
  }
  it('is known by name', () => {
    expect(() => requireFormat('cvs')).to.throw("unknown format 'cvs'");
  });
});

describe('cell text', () => {
  it('is cut by cells, not by characters', () => {
    expect([cells('abc'), cells('日本'), cells('e\u0301')]).to.deep.equal([3, 4, 1]);
    expect([cut('日本語', 5), cut('abc', 2), cut('a\u{1f600}b', 2)]).to.deep.equal(['日本', 'ab', 'a']);
  });
  it('of a number is in full, with an exponent, or #', () => {
    expect([
      fitQuantity(1234567890, 10),
      fitQuantity(12345678901, 10),
      fitQuantity(12345678901, 6),
      fitQuantity(12345678901, 3),
    ]).to.deep.equal(['1234567890', '1.23457e10', '1.2e10', '###']);
    expect([fitId(1234, 4), fitId(12345, 4)]).to.deep.equal(['1234', '####']);
  });
});
