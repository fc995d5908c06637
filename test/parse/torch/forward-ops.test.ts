import { expect } from 'chai';
import { ENGINE, frame, kernel, kernels, launch, MAIN, op, type EventText } from '../../support/kineto-trace.js';

const SECOND = 101;

const forward = (name: string, seq: number, at: number, tid: number, args: object = {}): EventText =>
  op(name, at, at + 9, { 'Sequence number': seq, 'Fwd thread id': 0, ...args }, tid);

/** A node with one kernel, whose correlation id is its start. */
const backward = (name: string, seq: number, thread: number, at: number, tid = ENGINE, args: object = {}): EventText[] => [
  op(name, at, at + 9, { 'Sequence number': seq, 'Fwd thread id': thread, ...args }, tid),
  launch(at, at + 2, tid),
  kernel(`k${at}`, at, at + 1000),
]; // prettier-ignore

/** Forward op and its thread, of every kernel. */
const paired = (events: readonly EventText[]): (string | null)[] =>
  kernels([frame('a.py(1): main', 0, 1), ...events]).map(({ forward: found }) =>
    found === undefined || found === null ? null : `${found.op} ${found.tid ?? 0} ${found.start / 1000}`,
  );

/** The same whatever the order of events in the file. */
function pairedAnyhow(events: readonly EventText[]): (string | null)[] {
  const answer = paired(events);
  expect(paired([...events].reverse())).to.deep.equal(answer);
  const half = Math.floor(events.length / 2);
  expect(paired([...events.slice(half), ...events.slice(0, half)])).to.deep.equal(answer);
  return answer;
}

describe('Kineto: backward node and forward op', () => {
  it('have one sequence number; of several forward ops the innermost, which starts last', () => {
    const events = [
      op('aten::linear', 0, 30, { 'Sequence number': 5 }),
      op('aten::t', 2, 6, { 'Sequence number': 5 }),
      op('aten::addmm', 8, 28, { 'Sequence number': 5 }),
      ...backward('AddmmBackward0', 5, 1, 100),
      ...backward('MulBackward0', 6, 1, 120),
    ];
    expect(pairedAnyhow(events)).to.deep.equal(['addmm 100 8', null]);
  });

  it('two forward threads: each number of the profiler is the thread with most of its ops', () => {
    const events = [
      ...[1, 2, 3].map((seq) => forward('aten::mm', seq, seq * 10, MAIN)),
      ...[3, 4, 5].map((seq) => forward('aten::bmm', seq, seq * 10 + 100, SECOND)),
      ...[5, 4, 3].flatMap((seq) => backward('BmmBackward0', seq, 8, 300 - seq * 10)),
      ...[3, 2, 1].flatMap((seq) => backward('MmBackward0', seq, 7, 400 - seq * 10)),
    ];
    expect(pairedAnyhow(events)).to.deep.equal([
      'bmm 101 150',
      'bmm 101 140',
      'bmm 101 130',
      'mm 100 30',
      'mm 100 20',
      'mm 100 10',
    ]);
  });

  it('two forward threads with the same sequence numbers: they are numbered in order of their first op', () => {
    const events = [
      ...[1, 2].map((seq) => forward('aten::mm', seq, seq * 10, SECOND)),
      ...[1, 2].map((seq) => forward('aten::mm', seq, seq * 10 + 5, MAIN)),
      ...[2, 1].flatMap((seq) => backward('MmBackward0', seq, 7, 300 - seq * 10)),
      ...[2, 1].flatMap((seq) => backward('MmBackward0', seq, 9, 400 - seq * 10, 201)),
    ];
    expect(pairedAnyhow(events)).to.deep.equal(['mm 101 20', 'mm 101 10', 'mm 100 25', 'mm 100 15']);
  });

  it('nodes of recomputed ops belong to the recomputed ops, on their own thread', () => {
    const node = 'autograd::engine::evaluate_function: CheckpointFunctionBackward';
    const events = [
      forward('CheckpointFunction', 4, 0, MAIN),
      ...[5, 6].map((seq) => forward('aten::relu', seq, seq * 10, MAIN)),
      // On the engine's thread: once more forward, with numbers of that thread, then backward.
      op(node, 100, 200, { 'Sequence number': 4, 'Fwd thread id': 1 }, ENGINE),
      op('aten::mm', 110, 119, { 'Sequence number': 0 }, ENGINE),
      launch(1, 112, ENGINE),
      kernel('again', 1, 500),
      ...backward('MmBackward0', 0, 2, 150),
    ];
    const [again, gradient] = kernels(events);
    expect(again).to.deep.include({ dir: 'fprop', op: ['mm'], ranges: [node] });
    expect(again).to.not.have.property('forward');
    expect(gradient).to.deep.include({ dir: 'bprop' });
    expect(gradient?.forward).to.deep.include({ op: 'mm', tid: ENGINE, start: 110_000 });
  });

  it("a function of the program's own is a forward op too", () => {
    const events = [forward('MySwish', 3, 0, MAIN), ...backward('MySwishBackward', 3, 1, 50)];
    const [found] = kernels(events);
    expect(found?.forward).to.deep.equal({ mod: 'na', op: 'MySwish', tid: MAIN, start: 0 });
    expect(found?.op).to.deep.equal(['MySwish']);
  });

  it('an op of the backward pass is none, even with a sequence number', () => {
    const events = [
      forward('aten::mm', 3, 0, MAIN),
      op('aten::view', 40, 45, { 'Sequence number': 3, 'Fwd thread id': 1 }, ENGINE),
      ...backward('MmBackward0', 3, 1, 50),
    ];
    expect(pairedAnyhow(events)).to.deep.equal(['mm 100 0']);
  });

  it('the innermost of nested nodes decides', () => {
    const events = [
      forward('aten::mm', 3, 0, MAIN),
      forward('aten::add', 4, 10, MAIN),
      op('autograd::engine::evaluate_function: AddBackward0', 40, 90, { 'Sequence number': 4, 'Fwd thread id': 1 }, ENGINE),
      ...backward('MmBackward0', 3, 1, 50),
    ]; // prettier-ignore
    expect(pairedAnyhow(events)).to.deep.equal(['mm 100 0']);
    expect(kernels(events)[0]).to.deep.include({ seq: [3], altSeq: [4] });
  });
});

describe('Kineto: extents of results, from the gradients that the backward node is given', () => {
  const args = { 'Input Dims': [[10, 3, 8, 8], [64, 3, 3, 3], []], 'Input type': ['float', 'float', ''] };
  const node = { 'Input Dims': [[10, 64, 6, 6], []] };
  const conv = (more: object): EventText[] => [
    op('aten::conv2d', 0, 40, { 'Sequence number': 5, ...args, ...more }),
    launch(1, 10),
    kernel('conv', 1, 500),
  ];
  const outOf = (events: readonly EventText[]): unknown => kernels(events)[0]?.calls[0]?.out;

  it('are read where the values of arguments are not recorded', () => {
    const wrapper = op('autograd::engine::evaluate_function: ConvBackward', 98, 130, { 'Sequence number': 5, 'Fwd thread id': 1, ...node }, ENGINE); // prettier-ignore
    const inner = backward('ConvBackward', 5, 1, 100, ENGINE, { 'Input Dims': [[7]] });
    expect(outOf([...conv({}), wrapper, ...inner])).to.deep.equal([[10, 64, 6, 6], []]);
    // The first and outermost node, whatever the order of events.
    expect(outOf([...inner, wrapper, ...conv({})])).to.deep.equal([[10, 64, 6, 6], []]);
  });

  it('are left out where the values are recorded, or the node has no shapes', () => {
    const inner = backward('ConvBackward', 5, 1, 100, ENGINE, node);
    expect(outOf([...conv({ 'Concrete Inputs': ['', '', ''] }), ...inner])).to.equal(undefined);
    expect(outOf([...conv({}), ...backward('ConvBackward', 5, 1, 100, ENGINE, { 'Input Dims': [[]] })])).to.equal(undefined); // prettier-ignore
    expect(outOf([...conv({}), ...backward('ConvBackward', 5, 1, 100)])).to.equal(undefined);
    expect(outOf(conv({}))).to.equal(undefined);
  });

  it('hundreds of forward threads: a sequence number that all have identifies none of them', () => {
    const threads = Array.from({ length: 300 }, (_, n) => n);
    const events = threads.flatMap((n) => [
      forward('aten::mm', 1, 20 * n, 1000 + n),
      forward('aten::bmm', 100 + n, 20 * n + 10, 1000 + n),
      ...backward('BmmBackward0', 100 + n, 300 - n, 10_000 + 20 * n),
    ]);
    const found = paired([...events, ...backward('MmBackward0', 1, 300, 20_000)]);
    expect(found.slice(0, 3)).to.deep.equal(['bmm 1000 10', 'bmm 1001 30', 'bmm 1002 50']);
    expect(found.at(-1)).to.equal('mm 1000 0');
    expect(found.filter((one) => one === null)).to.deep.equal([]);
  });
});
