import { expect } from 'chai';
import {
  annotation,
  diagnostics,
  frame,
  kernel,
  kernels,
  launch,
  op,
  type EventText,
} from '../../../support/kineto-trace.js';
import { NsightDatabase } from '../../../support/nsight-database.js';
import { diagnosticsOf, kernelsOf } from '../../../support/profile-records.js';

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
    const db = new NsightDatabase().kernel(one, 1, {}, 'b');
    for (const other of [{}, {}, ...others]) db.kernel(one, 1, other);
    const path = db.write();
    expect(kernelsOf(path)).to.have.lengthOf(2 + others.length);
    expect(diagnosticsOf(path)).to.include({ 'row-repeated': 1 });
  });

  it('may take no time: then each is one of its own', () => {
    const path = new NsightDatabase().kernel({ start: 5, end: 5 }, 1).kernel({ start: 5, end: 5 }, 1).write();
    expect(kernelsOf(path)).to.have.lengthOf(2);
  });
});
