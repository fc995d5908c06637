import { expect } from 'chai';
import { any, diagnostics, kernel, kernels, launch, MAIN, type EventText } from '../../../support/kineto-trace.js';

type Ids = readonly [id: number, caller: number | null];
const called = (name: string, from: number, to: number, [id, caller]: Ids): EventText =>
  any('python_function', name, from, to, { tid: MAIN }, { 'Python id': id, 'Python parent id': caller });

describe('Kineto: the callers of Python frames', () => {
  it('end a frame whose return was missed where its caller calls another', () => {
    const trace = (callerOfStep: number): EventText[] => [
      called('train.py(10): main', 0, 1000, [1, null]),
      called('data.py(3): next', 10, 1010, [2, 1]),
      launch(1, 20),
      called('optim.py(5): step', 100, 300, [3, callerOfStep]),
      launch(2, 110),
      launch(3, 400),
      ...[1, 2, 3].map((corr) => kernel('k', corr, 500 + 20 * corr)),
    ];
    const stacks = (callerOfStep: number): unknown => kernels(trace(callerOfStep)).map((one) => one.trace);
    const [main, next, step] = ['train.py:10', 'data.py:3', 'optim.py:5'];
    expect(stacks(1)).to.deep.equal([[main, next], [main, step], [main]]);
    expect(stacks(2)).to.deep.equal([
      [main, next],
      [main, next, step],
      [main, next],
    ]);
    for (const caller of [1, 2]) expect(diagnostics(trace(caller))).to.have.property('frame-cut', 1);
  });
});
