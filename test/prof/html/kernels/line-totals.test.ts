import { expect } from 'chai';
import { LineTotals } from '../../../../src/prof/html/kernels/line-totals.js';
import type { OpTotal } from '../../../../src/prof/html/kernels/kernel-data.js';
import type { KernelRecord } from '../../../../src/record/record.js';
import { kernel, mm } from '../../../support/kernels.js';
import { annotate } from '../../../support/rows.js';

describe('totals of lines', () => {
  const totalsOf = (kernels: readonly Partial<KernelRecord>[], totals = new LineTotals(), most = 10) => {
    for (const row of annotate(kernels.map((fields) => kernel(fields)))) totals.add(row);
    return totals.totals(most);
  };
  const unnamed = { calls: [], op: [], name: 'x', short: 'x' };

  it('are of the innermost frame with a line; kernels without one are a row', () => {
    const inModel = ['train.py:9', 'src/model.py:5', 'forward'];
    const lines = totalsOf([
      { op: ['add'], calls: [], dur: 4, trace: ['train.py:9'] },
      // A product of 64 × 64 matrices: 2 · 64³ FLOPs.
      { op: ['mm'], calls: [mm(64, 64, 64)], dur: 10, trace: inModel },
      { op: ['relu'], calls: [], dur: 7, trace: inModel },
      { ...unnamed, dur: 1, trace: ['main'] },
      { ...unnamed, dur: null, trace: inModel },
    ]);
    expect(lines).to.deep.equal({
      shown: [
        { line: 'src/model.py:5', count: 2, time: 17, op: 'mm', ops: 2, flops: 524288 },
        { line: 'train.py:9', count: 1, time: 4, op: 'add', ops: 1, flops: null },
        { line: null, count: 1, time: 1, op: null, ops: 0, flops: null },
      ],
      ...{ count: 3, restTime: 0, time: 22 },
    });
  });

  it('are bounded: the time of further lines is the rest', () => {
    const kernels = ['a.py:1', 'b.py:2', 'c.py:3', 'a.py:1'].map((line, i) => ({ trace: [line], dur: 2 ** i }));
    const lines = totalsOf(kernels, new LineTotals(2), 1);
    expect(lines?.shown.map(({ line, time }) => [line, time])).to.deep.equal([['a.py:1', 9]]);
    expect([lines?.restTime, lines?.time]).to.deep.equal([6, 15]);
  });

  it('name the line that took most of the time of each op', () => {
    const totals = new LineTotals();
    totalsOf(
      [
        { op: ['mm'], calls: [], dur: 3, trace: ['train.py:9'] },
        { op: ['mm'], calls: [], dur: 4, trace: ['src/model.py:5'] },
        { op: ['add'], calls: [], dur: 5, trace: ['train.py:9'] },
        { op: ['mm'], calls: [], dur: 2, trace: ['train.py:9'] },
        { op: ['relu'], calls: [], dur: 9, trace: [] },
      ],
      totals,
    );
    const shown = ['mm', 'add', 'relu', null].map((op) => ({ op })) as unknown as OpTotal[];
    const ops = totals.withLines({ shown, count: 4, restTime: 0, time: 23 });
    // 3 + 2 in train.py, 4 in the model.
    expect(ops.shown.map(({ line }) => line)).to.deep.equal([
      { name: 'train.py:9', time: 5 },
      { name: 'train.py:9', time: 5 },
      undefined,
      undefined,
    ]);
  });

  it('are null where no kernel has a line', () => {
    expect(totalsOf([{ dur: 3, trace: [] }])).to.equal(null);
  });
});
