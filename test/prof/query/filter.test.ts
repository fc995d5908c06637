import { expect } from 'chai';
import { parseWhere } from '../../../src/prof/query/kernel-query.js';
import { parseFilter } from '../../../src/prof/query/filter.js';
import { UsageError } from '../../../src/record/errors.js';
import type { Column } from '../../../src/table/column.js';
import { kernel } from '../../support/kernels.js';
import { annotate } from '../../support/rows.js';

const [row] = annotate([
  kernel({ op: ['conv2d'], layer: ['encoder', 'conv1'], seq: [3, 5], dur: 12000, short: 'void x y', stream: null }),
]);

function holds(text: string): boolean {
  if (row === undefined) throw new Error('no row');
  return parseWhere(text)(row);
}

const CASES: readonly [expression: string, expected: boolean][] = [
  ['op==conv2d', true],
  ['op!=conv2d', false],
  ['sil>10000', true],
  ['sil>=12e3', true],
  ['sil<12_000', false],
  ['sil<=12000', true],
  ['sil!=5', true],
  ['layer~ENCODER', true],
  ['layer!~decoder', true],
  ['layer==conv1', true],
  ['layer==encoder:conv1', true],
  ['layer!=conv1', false],
  ['seq==5', true],
  ['seq==4', false],
  ['trace==-', true],
  ['kernel=="void x y"', true],
  ["kernel~'x y'", true],
  ['op=~conv?d', true],
  ['op=~CONV*', true],
  ['op=~conv', false],
  ['layer=~conv*', true],
  ['layer=~*r:conv1', true],
  ['kernel=~"void * y"', true],
  ['sil=~12*', true],
  ['stream=~*', false],
  ['op==relu || op==conv2d', true],
  ['op==conv2d && sil>20000', false],
  ['op==conv2d, sil>10000', true],
  ['op==relu && sil>1 || dir==fprop', true],
  ['op==relu && (sil>1 || dir==fprop)', false],
  [' ( ( op == conv2d ) ) ', true],
  ['op<d', true],
  // Unknown matches nothing but ==na.
  ['stream==7', false],
  ['stream!=7', false],
  ['stream<7', false],
  ['stream==na', true],
  ['stream!=na', false],
  ['op==na', false],
  ['op!=na', true],
];

function fault(text: string): string {
  try {
    parseWhere(text);
  } catch (error) {
    if (error instanceof UsageError) return error.line;
    throw error;
  }
  throw new Error('no error');
}

describe('--where', () => {
  for (const [expression, expected] of CASES) {
    it(`${expression} is ${expected}`, () => {
      expect(holds(expression)).to.equal(expected);
    });
  }

  it('points at what it cannot read', () => {
    expect(fault('')).to.equal('--where: expected a column at 1: >>>end');
    expect(fault('op=conv')).to.match(/^--where: expected one of == .* at 3: op>>>=conv$/);
    expect(fault('op==conv2d sil>5')).to.equal('--where: expected && or || at 12: op==conv2d >>>sil>5');
    expect(fault('(op==a')).to.equal("--where: expected ')' at 7: (op==a>>>end");
    expect(fault('sil>fast')).to.equal('--where: sil takes a number at 5: sil>>>>fast');
    expect(fault('op==')).to.match(/^--where: expected a value .* at 5: op==>>>end$/);
    expect(fault(`${'('.repeat(200)}op==a`)).to.match(/too many parentheses/);
  });

  it('names the nearest column', () => {
    expect(fault('krnel~gemm')).to.equal("unknown column 'krnel' (did you mean kernel?)");
  });
});

describe('a filter of rows of another kind', () => {
  const SIZE: Column<number> = { key: 'size', header: 'Size', type: 'int', width: 4, doc: '', value: (row) => row };

  it('uses the columns that it is given, and names its option', () => {
    const filter = parseFilter('size>2', () => SIZE, '--only');
    expect([1, 2, 3, 4].filter(filter)).to.deep.equal([3, 4]);
    expect(() => parseFilter('size>', () => SIZE, '--only')).to.throw(UsageError, /^--only: expected a value/);
  });
});
