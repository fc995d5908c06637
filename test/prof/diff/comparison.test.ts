import { requireColumn } from '../../../src/prof/columns/columns.js';
import { expect } from 'chai';
import { Comparison, OTHERS, type ComparisonOptions } from '../../../src/prof/diff/comparison.js';
import type { DiffRow } from '../../../src/prof/diff/diff-row.js';
import { parseCondition } from '../../../src/prof/diff/fail-if.js';
import { Samples, Sums } from '../../../src/prof/diff/input-sums.js';
import { DEFAULTS, testSteps } from '../../../src/prof/diff/verdict.js';
import type { KernelRecord, ProfileLine, ProfileRecord } from '../../../src/record/record.js';
import { kernel } from '../../support/kernels.js';
import { neuronProfile } from '../../support/neuron.js';

const header = (profile: number, rank: number | null): ProfileRecord => neuronProfile({ profile, rank });

function compare(
  base: readonly ProfileLine[],
  next: readonly ProfileLine[],
  options: Partial<ComparisonOptions> = {},
): Comparison {
  const comparison = new Comparison({ by: [requireColumn('op')], conditions: [], settings: DEFAULTS, ...options });
  for (const record of base) comparison.take('base', record);
  comparison.end('base');
  for (const record of next) comparison.take('new', record);
  comparison.end('new');
  return comparison;
}

/** A kernel of each op in each of some steps. */
const steps = (count: number, ops: Readonly<Record<string, (step: number) => number>>): KernelRecord[] =>
  Array.from({ length: count }, (_, step) =>
    Object.entries(ops).map(([op, dur]) => kernel({ op: [op], step, dur: dur(step) })),
  ).flat();

const named = (rows: readonly DiffRow[]): Record<string, DiffRow> =>
  Object.fromEntries(rows.map((row) => [row.keys.join(), row]));

describe('a comparison', () => {
  it('judges a condition on what one side has once, and none on what no side has', () => {
    const conditions = [parseCondition('op:new>+5%'), parseCondition('op:typo>+5%')];
    const { result } = compare([kernel({ op: ['mm'] })], [kernel({ op: ['mm'] }), kernel({ op: ['new'] })], { conditions });
    expect(result.conditions.map(({ met }) => met)).to.deep.equal([true, null]);
  }); // prettier-ignore

  it('adds up by key, in all and a step, and compares', () => {
    const base = steps(10, { mm: (i) => 1000 + i, relu: (i) => 200 + i, gone: () => 50 });
    const next = steps(10, { mm: (i) => 1100 + i, relu: (i) => 200 + i, new: () => 70 });
    const { result } = compare(base, next);
    expect(result).to.include({ basis: 'step', tested: 2 });
    // The most time first: 100, 70, -50, 0 ns a step.
    expect(result.rows.map(({ keys, verdict, change }) => [keys[0], verdict, change])).to.deep.equal([
      ['mm', 'slower', 100],
      ['new', 'new', 70],
      ['gone', 'gone', -50],
      ['relu', 'same', 0],
    ]);
    const { mm, gone, relu } = named(result.rows);
    expect(mm?.base).to.deep.include({ count: 10, time: 10_045, each: 1004.5, samples: 10 });
    expect(mm?.percent).to.be.closeTo(100 / 10.045, 1e-9);
    // Times of all kernels of BASE: 10·(1000 + 200 + 50) + 2·45.
    expect(mm?.base.share).to.be.closeTo(1004500 / 12_590, 1e-9);
    // No value of the one exceeds one of the other: 2 / C(20, 10), and of two tests twice that.
    expect(mm?.p).to.be.closeTo(2 / 184_756, 1e-12);
    expect(mm?.q).to.be.closeTo(4 / 184_756, 1e-12);
    expect(gone).to.include({ percent: -100, p: null, q: null });
    expect(relu?.p).to.equal(1);
    // (1004.5 + 204.5 + 50 to 1104.5 + 204.5 + 70.)
    expect(result.total).to.deep.include({ change: 120, verdict: 'slower' });
  });

  it('does not call a certain change below the minimum effect', () => {
    const row = (effect: number): string | undefined =>
      compare(steps(20, { mm: (i) => 100_000 + i }), steps(20, { mm: (i) => 100_500 + i }), {
        settings: { ...DEFAULTS, minEffect: effect },
      }).result.rows[0]?.verdict;
    expect(row(0.01)).to.equal('same');
    expect(row(0)).to.equal('slower');
  });

  it('compares mean steps of inputs that have more and fewer of them', () => {
    const { result } = compare(steps(40, { mm: (i) => 100 + i / 10 }), steps(10, { mm: (i) => 101.5 + i / 10 }));
    expect(result.total.percent).to.be.closeTo(0, 1e-9);
    expect(result.rows[0]).to.deep.include({ verdict: 'same', change: 0 });
  });

  it('says too few samples: of a few steps, of none, of kernels that belong to none', () => {
    const few = compare(steps(4, { mm: (i) => i }), steps(9, { mm: (i) => 50 + i })).result;
    expect(few.rows[0]?.verdict).to.equal('too-few-samples');
    const none = compare([kernel({ op: ['mm'] })], [kernel({ op: ['mm'], dur: 90 })]).result;
    expect(none).to.include({ basis: 'run', tested: 0 });
    expect(none.rows[0]).to.deep.include({ verdict: 'too-few-samples', change: 80, percent: 800, p: null });
    const outside = Array.from({ length: 9 }, () => kernel({ op: ['io'], step: null }));
    const mixed = compare(
      [...steps(9, { mm: () => 9 }), ...outside],
      [...steps(9, { mm: () => 9 }), ...outside],
    ).result;
    expect(named(mixed.rows)['io']).to.deep.include({ verdict: 'too-few-samples', change: 0 });
    expect(named(mixed.rows)['io']?.base.each).to.equal(10);
  });

  describe('of captures without steps and of unequal length', () => {
    /** Runs of so many calls of mm, each of a time, and one of relu. */
    const runsOf = (runs: number, calls: number, dur: number): ProfileLine[] =>
      Array.from({ length: runs }, (_, profile) => [
        header(profile, null),
        ...Array.from({ length: calls }, (_, call) => kernel({ profile, op: ['mm'], dur: dur + (call % 2) + profile })),
        kernel({ profile, op: ['relu'], dur: 50 }),
      ]).flat();
    const conditions = [parseCondition('total>+1%'), parseCondition('op:mm>+1%'), parseCondition('op:relu>+1%')];

    it('is of calls, and so are verdict and conditions', () => {
      // 20 calls of 100, 101, … and 16 of 103, 104, …: 20 % fewer, each 2.985 % longer.
      const {
        basis,
        total,
        rows,
        conditions: judged,
      } = compare(runsOf(5, 20, 98.5), runsOf(5, 16, 101.5), { conditions }).result;
      expect(basis).to.equal('call');
      const mm = named(rows)['mm'];
      expect(mm?.change).to.equal(16 * 104 - 20 * 101);
      expect(mm?.base).to.deep.include({ calls: 20, perCall: 101 });
      expect(mm?.callPercent).to.be.closeTo(300 / 101, 1e-9);
      expect(mm?.callsPercent).to.equal(-20);
      expect(mm?.comparable.ns).to.be.closeTo(60, 1e-9);
      // 60 ns more of 2,020 + 50.
      expect(total.comparable.percent).to.be.closeTo(6000 / 2070, 1e-9);
      expect(judged.map(({ met }) => met)).to.deep.equal([true, true, false]);
    });

    it('is tested over the mean calls of runs', () => {
      const slower = compare(runsOf(8, 20, 100), runsOf(8, 16, 150)).result;
      expect(slower.rows.map(({ keys, verdict }) => [keys[0], verdict])).to.deep.equal([
        ['mm', 'slower'],
        ['relu', 'same'],
      ]);
      expect(slower.total).to.deep.include({ verdict: 'slower' });
    });

    it('is of runs where these differ by a kernel in a hundred at most', () => {
      expect(compare(runsOf(1, 199, 100), runsOf(1, 198, 100)).result.basis).to.equal('run');
    });
  });

  it('takes ranks for one run, and profiles of one rank for several', () => {
    const of = (ranks: readonly (number | null)[]): ProfileLine[] =>
      ranks.flatMap((rank, profile) => [header(profile, rank), kernel({ profile, op: ['mm'], dur: 10 + profile })]);
    const ranked = compare(of([0, 1, 2]), of([0, 1, 2]));
    expect(ranked.sides.base.samples.runs).to.equal(1);
    expect(ranked.result.rows[0]?.base).to.deep.include({ each: 33, samples: 1 });
    const runs = compare(of([null, null, null, null, null]), of([3, 3, 3, 3, 3])).result;
    expect(runs.rows[0]?.base).to.deep.include({ each: 12, samples: 5 });
    expect(runs.rows[0]?.verdict).to.equal('same');
  });

  it('leaves kernels without a duration out, and counts them', () => {
    const odd = [null, NaN, -5].map((dur) => kernel({ op: ['mm'], dur }));
    const { total } = compare([...odd, kernel({ op: ['mm'] })], []);
    expect(total.base).to.include({ untimed: 3, count: 1, time: 10 });
  });

  it('keeps so many rows, and adds the others up in one', () => {
    const ops = Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`op${i}`, () => 10]));
    const comparison = compare(steps(2, ops), steps(2, { ...ops, late: () => 5 }), { mostRows: 3 });
    expect(comparison.others).to.equal(2 * 3 + 2 * 4);
    const rows = named(comparison.result.rows);
    expect(Object.keys(rows)).to.have.members(['op0', 'op1', 'op2', OTHERS]);
    expect(rows[OTHERS]?.new).to.include({ count: 8, time: 70 });
  });

  it('keeps so many sums, and tests the first steps alone', () => {
    const many = steps(100, { mm: (i) => 1000 + i, relu: (i) => 100 + i });
    const comparison = compare(many, many, { mostSums: 60 });
    const { samples } = comparison.sides.base;
    const { base } = comparison.result.rows[0] ?? comparison.result.total;
    expect(samples.isCut).to.equal(true);
    expect(base.samples).to.be.within(5, 20);
    expect(base).to.deep.include({ count: 100, time: 104_950, each: 1049.5 });
    // The sums that are kept are whole: those of the first steps, in order.
    const sums = new Sums();
    const room = new Samples(4);
    for (const step of [7, 8, 8, 9, 10, 11, 12]) sums.add(step, room.at(0, step), room);
    expect([...sums.timesOf(room.tested('step'))]).to.deep.equal([7, 16, 9]);
    expect(room.tested('run')).to.deep.equal([]);
  });

  it('tests the other way round alike', () => {
    const [a, b] = [Float64Array.of(10, 11, 12, 13, 14), Float64Array.of(20, 21, 22, 23, 24)];
    const settings = { ...DEFAULTS, minEffect: 0.05 };
    // Of 10 values 252 choices of 5; medians 12 and 22.
    expect(testSteps({ base: a, new: b }, settings)).to.deep.equal({
      percent: 1000 / 12,
      p: 2 / 252,
      pBeyond: 2 / 252,
      side: 1,
      least: 2 / 252,
    });
    expect(testSteps({ base: b, new: a }, settings)?.side).to.equal(-1);
    expect(testSteps({ base: a, new: a }, settings)).to.deep.equal({
      percent: 0,
      p: 1,
      pBeyond: 1,
      side: 0,
      least: 2 / 252,
    });
    expect(testSteps({ base: a, new: b }, { ...settings, minSamples: 6 })).to.equal(null);
  });
});
