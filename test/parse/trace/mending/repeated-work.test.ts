import { expect } from 'chai';
import {
  annotation,
  any,
  diagnostics,
  frame,
  kernel,
  kernels,
  launch,
  MAIN,
  op,
  read,
  runtime,
  type EventText,
} from '../../../support/kineto-trace.js';
import { NsightDatabase } from '../../../support/nsight-database.js';
import { NvprofDatabase } from '../../../support/nvprof-database.js';
import type { ProfileLine } from '../../../../src/record/record.js';
import { diagnosticsOf, kernelsOf, recordsOf } from '../../../support/profile-records.js';

const mm = (n: number): EventText[] => [
  op('aten::mm', 100 * n, 100 * n + 30, {
    'External id': n,
    'Input Dims': [[64, 32], [32, 16]],
    'Input type': ['float', 'float'],
  }),
  launch(n, 100 * n + 10),
  kernel('gemm', n, 100 * n + 40),
]; // prettier-ignore

describe('work that a profile has twice', () => {
  it('is one kernel of one op, whatever stands between its rows', () => {
    const events = [1, 2, 3].flatMap(mm);
    expect(kernels([...events, ...events])).to.deep.equal(kernels(events));
    expect(kernels(events.flatMap((event) => [event, event]))).to.deep.equal(kernels(events));
    expect(diagnostics([...events, ...events])).to.include({ 'row-repeated': 3 });
  });

  it('is in each of its modules and frames once, where times are exact', () => {
    const around = [frame('train.py(3): main', 0.5, 900), frame('nn.Module: Net_0', 1, 800), annotation('loop', 2, 700)];
    const events = [...around, ...mm(1)];
    expect(kernels([...events, ...events])).to.deep.equal(kernels(events));
  }); // prettier-ignore

  it('is not that of another stream, device, launch, name or size', () => {
    const one = { start: 100, end: 200 };
    const others = [
      { streamId: 8 },
      { deviceId: 1 },
      { correlationId: 2 },
      { gridX: 2 },
      { end: 201 },
      { graphNodeId: 7n },
    ];
    for (const other of [...others, { contextId: 2 }]) {
      const path = new NsightDatabase().kernel(one, 1).kernel(one, 1, other).write();
      expect(kernelsOf(path), JSON.stringify(Object.keys(other))).to.have.lengthOf(2);
    }
    expect(kernelsOf(new NsightDatabase().kernel(one, 1).kernel(one, 1, {}, 'b').write())).to.have.lengthOf(2);
    const same = new NsightDatabase().kernel(one, 1).kernel(one, 1).write();
    expect(kernelsOf(same)).to.have.lengthOf(1);
    expect(diagnosticsOf(same)).to.include({ 'row-repeated': 1 });
  });

  describe('of a graph, of which two kernels may be the same in all that is recorded', () => {
    /** Branches of a graph at whole microseconds, as its replay at `at` runs them. */
    const replay = (corr: number, at: number): EventText[] => [
      runtime('cudaGraphLaunch', corr, at, at + 5),
      ...[1, 2].map(() => kernel('branch', corr, at + 10)),
    ];

    it('is two, unless the node is recorded', () => {
      expect(kernels(replay(1, 0))).to.have.lengthOf(2);
      const nodes = [7, 7, 8].map((node) => kernel('branch', 1, 10, { 'graph node id': node }));
      expect(kernels([runtime('cudaGraphLaunch', 1, 0, 5), ...nodes])).to.have.lengthOf(2);
    });

    it('is two where its launch is not in the profile, and it has other work or no id', () => {
      const other = kernel('other', 1, 40);
      expect(kernels([kernel('branch', 1, 10), kernel('branch', 1, 10), other])).to.have.lengthOf(3);
      const unknown = kernel('branch', undefined, 10);
      expect(kernels([unknown, unknown])).to.have.lengthOf(2);
    });

    it('is one where nearly all of the profile is there twice', () => {
      const once = Array.from({ length: 12 }, (_, n) => kernel('k', undefined, 20 * n));
      const of = (twice: number): number => kernels([...once, ...once.slice(0, twice)]).length;
      expect([9, 10, 11, 12].map(of)).to.deep.equal([21, 22, 12, 12]);
    });
  });

  it('may take no time: then each is one of its own', () => {
    const path = new NsightDatabase().kernel({ start: 5, end: 5 }, 1).kernel({ start: 5, end: 5 }, 1).write();
    expect(kernelsOf(path)).to.have.lengthOf(2);
  });
});

describe('what the host did, which a profile has twice', () => {
  const rangesOf = (records: readonly ProfileLine[]): unknown[] => records.filter(({ type }) => type === 'range');

  it('is each range and call once in a trace: by its id where times are whole microseconds', () => {
    const called = (id: number): EventText =>
      any('python_function', 'train.py(3): main', 0, 900, { tid: MAIN }, { 'Python id': id });
    const main = called(4);
    const events = [main, ...[1, 2, 3].flatMap(mm)];
    const twice = read([...events, ...events], { ranges: true });
    expect(rangesOf(twice)).to.deep.equal(rangesOf(read(events, { ranges: true })));
    expect(rangesOf(twice)).to.have.lengthOf(7);
    expect(twice.at(-1)).to.have.deep.property('diagnostics', { 'duplicate-launch-row': 3, 'range-repeated': 4, 'row-repeated': 3 });
    // Without an id it may be called twice in a microsecond.
    const other = annotation('loop', 5, 6);
    expect(rangesOf(read([...events, other, other], { ranges: true }))).to.have.lengthOf(9);
    expect(rangesOf(read([...events, called(5)], { ranges: true }))).to.have.lengthOf(8);
  }); // prettier-ignore

  it('is one layer and one op of a kernel, and one range, in databases', () => {
    const texts = ['layer:fc', "{'mod': 'torch', 'op': 'mm', 'args': []}"];
    for (const Database of [NsightDatabase, NvprofDatabase]) {
      const [once, twice] = [new Database().launch(1, texts), new Database().launch(1, texts).launch(1, texts)];
      const [expected, found] = [once, twice].map((db) => recordsOf(db.write(), { ranges: true }).slice(1));
      expect(found?.slice(0, -1)).to.deep.equal(expected?.slice(0, -1));
      expect(found?.at(-1)).to.have.deep.property('diagnostics', { 'duplicate-launch-row': 1, 'range-repeated': 2, 'row-repeated': 1 }); // prettier-ignore
    }
  });
});
