import { expect } from 'chai';
import {
  amountText,
  inUnit,
  MEBIBYTE,
  MICROSECOND,
  partialText,
  rounded,
  scaleOf,
  TimeUnit,
} from '../../src/record/units.js';

describe('the table of units', () => {
  it('writes transfers and rates in decimal units, memory in use in binary ones', () => {
    expect([0, 999, 1000, 1536, 2_500_000, 8_050_000_000].map((bytes) => amountText(bytes, 'transfer'))).to.deep.equal([
      ...['0 B', '999 B', '1 kB', '1.536 kB', '2.500 MB', '8.050 GB'],
    ]);
    expect(amountText(1_555_000_000_000, 'rate')).to.equal('1.555 TB/s');
    // 8,050,000,000 / 2^30 = 7.49715
    expect([1023, 1024, 5 * 2 ** 20, 8_050_000_000].map((bytes) => amountText(bytes, 'memory'))).to.deep.equal([
      ...['1023 B', '1 KiB', '5 MiB', '7.497 GiB'],
    ]);
  });

  it('writes times, FLOP and FLOP/s with four significant digits, whole numbers in full', () => {
    expect([7, 1500, 1_092_345, 2e9].map((ns) => amountText(ns, 'time'))).to.deep.equal([
      ...['7 ns', '1.500 us', '1.092 ms', '2 s'],
    ]);
    expect(amountText(2_147_483_648, 'flop')).to.equal('2.147 GFLOP');
    expect(amountText(312e12, 'flop/s')).to.equal('312 TFLOP/s');
    expect([1234.56, 12_345.6, 0.1].map(rounded)).to.deep.equal(['1235', '12346', '0.1000']);
  });

  it('writes shares with one decimal, small ones with one significant digit', () => {
    expect([0, 0.1234, 0.9999, 1, 0.000139, -0.25].map((share) => amountText(share, 'share'))).to.deep.equal([
      ...['0.0 %', '12.3 %', '100.0 %', '100.0 %', '0.01 %', '-25.0 %'],
    ]);
  });

  it('writes what rounds up to one of a unit in that unit', () => {
    expect(amountText(999.96, 'time')).to.equal('1.000 us');
    expect(amountText(999.94, 'time')).to.equal('999.9 ns');
    expect(scaleOf(-2_000_000, 'transfer')).to.deep.equal({ unit: 'MB', size: 1e6 });
  });

  it('has na for an unknown amount', () => {
    expect(amountText(null, 'memory')).to.equal('na');
    expect(amountText(null, 'share')).to.equal('na');
  });

  it('has one unit for the times of a table: ms from 10 ms on, us below', () => {
    const [short, long] = [new TimeUnit(9_999_999), new TimeUnit(10_000_000)];
    expect([short.name, short.text(1_234_567), short.bare(5)]).to.deep.equal(['us', '1234.567 us', '0.005']);
    expect([long.name, long.text(1_234_567)]).to.deep.equal(['ms', '1.235 ms']);
  });

  it('writes numbers of a column in one unit with three decimals', () => {
    expect(inUnit(4_680_448, MICROSECOND)).to.equal('4680.448');
    expect(inUnit(1.5 * 2 ** 20, MEBIBYTE)).to.equal('1.500');
  });
});

describe('the text of a figure that is known for a part of the time', () => {
  it('is that of the figure from half of the time on', () => {
    expect(partialText('3 FLOP', 3, 0.5)).to.equal('3 FLOP');
    expect(partialText('0 FLOP', 0)).to.equal('0 FLOP');
  });

  it('is a lower bound of a sum below half, and unknown for a rate, or without an amount', () => {
    expect(partialText('40 FLOP', 40, 0.17)).to.equal('≥ 40 FLOP');
    expect(partialText('na', null, 0.0358)).to.equal('unknown (3.6 % known)');
    expect(partialText('0 FLOP', 0, 0.0358)).to.equal('unknown (3.6 % known)');
    expect(partialText('na', null, 0)).to.equal('na');
  });
});
