import { expect } from 'chai';
import { OpTotals } from '../../../../src/prof/html/kernels/op-totals.js';
import type { KernelRecord } from '../../../../src/record/record.js';
import { kernel, mm } from '../../../support/kernels.js';
import { annotate } from '../../../support/rows.js';

describe('totals of ops', () => {
  const totalsOf = (kernels: readonly Partial<KernelRecord>[], totals = new OpTotals(), nodes = 100) => {
    for (const row of annotate(kernels.map((fields) => kernel(fields)))) totals.add(row);
    return totals.totals(2, 2, nodes);
  };

  it('have the kernels of ops within, and each launch once', () => {
    const calls = [{ ...mm(64, 64, 64), op: 'linear' }, mm(64, 64, 64)];
    const launch = { api: 'launch', start: 5, dur: 3 };
    const { ops } = totalsOf([
      { calls, op: ['linear', 'mm'], dur: 10, tid: 1, launch },
      { calls, op: ['linear', 'mm'], dur: 20, tid: 1, launch },
      { calls: [mm(64, 64, 64)], op: ['mm'], dur: 4, tid: 1, launch: { ...launch, start: 50 } },
      { calls: [], op: [], dur: 1, launch: null, name: 'x', short: 'x' },
    ]);
    expect(ops.shown.map(({ op, count, time, within, launch }) => [op, count, time, within, launch])).to.deep.equal([
      ['linear', 2, 30, 30, 3],
      ['mm', 1, 4, 34, 3],
    ]);
    expect({ count: ops.count, restTime: ops.restTime, time: ops.time }).to.deep.equal({
      count: 3,
      restTime: 1,
      time: 35,
    });
  });

  it('have the time of their communication kernels apart', () => {
    const { ops } = totalsOf([
      { calls: [], op: ['reduce'], dur: 10, name: 'ncclKernel_AllReduce', short: 'ncclKernel_AllReduce' },
      { calls: [], op: ['reduce'], dur: 3 },
      { calls: [], op: ['add'], dur: 2 },
    ]);
    expect(ops.shown.map(({ op, time, communicating }) => [op, time, communicating])).to.deep.equal([
      ['reduce', 13, 10],
      ['add', 2, undefined],
    ]);
  });

  it('are bounded: kernels of further ops are in the rest', () => {
    const kernels = ['a', 'b', 'c', 'a'].map((op, i) => ({ op: [op], calls: [], dur: 2 ** i }));
    const { ops } = totalsOf(kernels, new OpTotals(2));
    expect(ops.shown.map(({ op, time }) => [op, time])).to.deep.equal([['a', 9], ['b', 2]]); // prettier-ignore
    expect(ops.restTime).to.equal(4);
  });

  it('have their call stacks with the most time, whose frames are kept when others are left out', () => {
    const { ops, stacks } = totalsOf(
      [
        { op: ['a'], calls: [], dur: 8, trace: ['main', 'f'] },
        { op: ['a'], calls: [], dur: 4, trace: ['main', 'g'] },
        { op: ['a'], calls: [], dur: 2, trace: ['main', 'h'] },
        { op: ['a'], calls: [], dur: 8, trace: ['main', 'f'] },
        { op: ['b'], calls: [], dur: 1, trace: [] },
      ],
      new OpTotals(),
      2,
    );
    expect(stacks).to.deep.equal({
      ...{ frames: ['main', 'f', 'g'], parents: [-1, 0, 0], frameOf: [0, 1, 2] },
      ...{ counts: [4, 2, 1], times: [22, 16, 4], leftOut: 1 },
    });
    expect(ops.shown.map(({ stacks: own, stackCount }) => [own, stackCount])).to.deep.equal([
      [[{ node: 1, count: 2, time: 16 }, { node: 2, count: 1, time: 4 }], 3],
      [[], 0],
    ]); // prettier-ignore
  });
});
