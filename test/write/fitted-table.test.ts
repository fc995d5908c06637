import { expect } from 'chai';
import fc from 'fast-check';
import { column, int, real, str, type Column } from '../../src/table/column.js';
import { cells, shortenedTexts } from '../../src/table/shortened-texts.js';
import { tableText } from '../../src/write/columns.js';
import { fitted, planColumns } from '../../src/write/fitted-table.js';

interface Row {
  readonly name: string;
  readonly time: number | null;
}

const COLUMNS: readonly Column<Row>[] = [
  column('kernel', 'Kernel', str(0), 'name', ({ name }) => name),
  column('count', 'Count', int(5), 'how many', () => 12),
  column('total', 'Total(ns)', int(12, 'ns'), 'time', ({ time }) => time),
  column('share', 'Share%', real(6, 2, '%'), 'share', ({ time }) => (time === null ? null : time / 3e6)),
];

const linesOf = (rows: readonly Row[], width: number): string[] =>
  [...tableText(fitted, { columns: COLUMNS, rows }, { width })].join('').split('\n').slice(0, -1);

const NAMES = [
  'sm80_xmma_gemm_f32f32_tn_n_tilesize64x256x8_stage3',
  'sm80_xmma_gemm_f32f32_tn_n_tilesize128x256x8_stage3',
  'relu',
];

describe('a table fitted to a width', () => {
  it('has amounts with their units, and names that differ where it cuts them', () => {
    const rows = NAMES.map((name, i) => ({ name, time: i === 2 ? null : 1_234_567 * (i + 1) }));
    expect(linesOf(rows, 60)).to.deep.equal([
      'Kernel                               Count     Total  Share%',
      'sm80_xmma_g…tilesize64x256x8_stage3     12  1.235 ms     0.4',
      'sm80_xmma_g…ilesize128x256x8_stage3     12  2.469 ms     0.8',
      'relu                                    12        na      na',
    ]);
  });

  it('keeps the indentation of names in a tree, also where it cuts them', () => {
    const names = ['net', '  encoder_layer_with_a_long_name_0', '  encoder_layer_with_a_long_name_1', '    relu'];
    const lines = linesOf(
      names.map((name) => ({ name, time: 1000 })),
      48,
    );
    expect(lines.slice(1).map((line) => line.slice(0, 24))).to.deep.equal([
      'net                     ',
      '  encoder…th_a_long_name_0'.slice(0, 24),
      '  encoder…th_a_long_name_1'.slice(0, 24),
      '    relu                ',
    ]);
  });

  it('leaves out columns without room, and names them', () => {
    expect(linesOf([{ name: 'relu', time: 5 }], 15)).to.deep.equal([
      'Kernel  Count',
      'relu       12',
      '# no room for total and 1 more: -f csv shows all',
    ]);
  });

  it('has no line beyond the width, however many rows', () => {
    const row = fc.record({ name: fc.string({ maxLength: 80 }), time: fc.option(fc.nat(2 ** 31)) });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 20 }), fc.integer({ min: 40, max: 160 }), (rows, width) => {
        for (const line of linesOf(rows, width)) if (!line.startsWith('#')) expect(cells(line)).to.be.at.most(width);
      }),
    );
    const many = Array.from({ length: 2500 }, (_, i) => ({ name: `kernel_${i}`, time: i }));
    expect(linesOf(many, 80)).to.have.length(2501);
  });
});

describe('shortened texts', () => {
  it('are no wider than they may be, marked where they are cut, and differ where the texts do', () => {
    const text = fc.stringMatching(/^[ab]{0,40}$/);
    fc.assert(
      fc.property(fc.array(text, { maxLength: 12 }), fc.integer({ min: 12, max: 20 }), (texts, width) => {
        const short = shortenedTexts(texts, width);
        for (const one of short) expect(cells(one)).to.be.at.most(width);
        for (const [i, one] of short.entries()) expect(one === texts[i] || one.includes('…')).to.equal(true);
        expect(new Set(short).size).to.equal(new Set(texts).size);
      }),
    );
    const kernels = ['gemm_a_1_tail', 'gemm_a_2_tail', 'gemm_b_1_tail'].map((end) => 'x'.repeat(30) + end);
    expect(new Set(shortenedTexts(kernels, 24)).size).to.equal(3);
  });

  it('are no wider than they may be where that has no room for a number', () => {
    expect(shortenedTexts(['linear', 'lin', 'layer_norm'], 2)).to.satisfy((short: string[]) =>
      short.every((text) => cells(text) <= 2),
    );
  });

  it('end in a number where one repeats the end of the other', () => {
    const names = [30, 34].map((length) => 'a'.repeat(length));
    expect(shortenedTexts(names, 12)).to.deep.equal(['aaa…aaaaaaaa', 'aaa…aaaaa…~2']);
  });

  it('end in a number where they differ in two distant places', () => {
    const middle = '_'.repeat(40);
    const names = ['a1', 'a2', 'b1', 'b2'].map(([first = '', last = '']) => `gemm${first}${middle}${last}`);
    expect(shortenedTexts(names, 12)).to.deep.equal(['gem…_______1', 'gem…_______2', 'gem…_____…~2', 'gem…_____…~3']);
  });
});

describe('the plan of columns', () => {
  it('gives texts the room that numbers leave, narrow ones first', () => {
    expect(planColumns([40, 6, 10], [8, 6, 8], 40)).to.deep.equal({ count: 3, widths: [20, 6, 10] });
    expect(planColumns([40, 30], [40, 30], 50)).to.deep.equal({ count: 1, widths: [40] });
  });
});
