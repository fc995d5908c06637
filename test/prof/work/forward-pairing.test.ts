import { expect } from 'chai';
import fc from 'fast-check';
import { ForwardKernels, type Pairing } from '../../../src/prof/work/forward-pairing.js';
import type { KernelRecord } from '../../../src/record/record.js';
import { kernel, mm } from '../../support/kernels.js';

const forward = (id: number, seq: number[], fields: Partial<KernelRecord> = {}): KernelRecord =>
  kernel({ id, seq, dir: 'fprop', op: [`op${id}`], seqMarker: seq.map((n) => `op${id}, seq = ${n}`), ...fields });
const backward = (seq: number[], fields: Partial<KernelRecord> = {}): KernelRecord =>
  kernel({ id: 99, seq, dir: 'bprop', tid: 200, seqMarker: seq.map((n) => `NodeBackward0, seq = ${n}`), ...fields });

function pairLast(...kernels: KernelRecord[]): Pairing {
  const pairs = new ForwardKernels();
  return kernels.map((one) => pairs.pair(one)).at(-1) ?? { kind: 'own' };
}

/** Id of the forward kernel, or the kind when there is none. */
const found = (pairing: Pairing): number | string => (pairing.kind === 'paired' ? pairing.forward.id : pairing.kind);

describe('pairing', () => {
  it('takes the last earlier forward kernel with the id', () => {
    expect(found(pairLast(forward(1, [5]), forward(2, [5]), forward(3, [6]), backward([5])))).to.equal(2);
  });

  it('looks among the other ids only when no chosen id fits', () => {
    const other = forward(2, [6], { altSeq: [5] });
    expect(found(pairLast(forward(1, [5]), other, backward([5])))).to.equal(1);
    expect(found(pairLast(other, backward([5])))).to.equal(2);
  });

  it('does not cross processes or profiles', () => {
    expect(found(pairLast(forward(1, [5], { pid: 11 }), backward([5])))).to.equal('no-forward');
    expect(found(pairLast(forward(1, [5], { profile: 1 }), backward([5])))).to.equal('no-forward');
  });

  it('leaves kernels alone that are forward or have calls of their own', () => {
    expect(found(pairLast(forward(1, [5]), backward([5], { calls: [mm(1, 1, 1)] })))).to.equal('own');
    expect(found(pairLast(forward(1, [5]), backward([])))).to.equal('no-id');
  });

  it('distinguishes threads by the name of the node', () => {
    const conv = { tid: 101, seqMarker: ['aten::convolution, seq = 5'] };
    const relu = { tid: 200, seqMarker: ['relu, seq = 5'] };
    const node = { seqMarker: ['autograd::engine::evaluate_function: CudnnConvolutionBackward0, seq = 5'] };
    expect(found(pairLast(forward(1, [5], conv), forward(2, [5], relu), backward([5], node)))).to.equal(1);
  });

  it("prefers the backward thread's own forward (recomputation), and is honest about several others", () => {
    const [main, helper, own] = [forward(1, [5]), forward(2, [5], { tid: 101 }), forward(3, [5], { tid: 200 })];
    expect(found(pairLast(main, own, backward([5])))).to.equal(3);
    expect(found(pairLast(own, main, backward([5])))).to.equal(3);
    expect(pairLast(main, helper, backward([5]))).to.deep.equal({ kind: 'ambiguous', threads: 2 });
  });

  it('does not mind replicas that did the same', () => {
    const same = { op: ['mm'], calls: [], seqMarker: ['mm, seq = 5'] };
    expect(found(pairLast(forward(1, [5], same), forward(2, [5], { ...same, tid: 101 }), backward([5])))).to.equal(1);
  });

  it('gives backward kernels the calls of their forward kernel as the same objects where these repeat', () => {
    const call = mm(1, 2, 3);
    const step = (seq: number, layer: string): KernelRecord[] => [
      forward(seq, [seq], { calls: [call], layer: [layer] }),
      backward([seq], { layer: [] }),
    ];
    const pairs = new ForwardKernels();
    const pairings = [...step(1, 'a'), ...step(2, 'b'), ...step(3, 'c')].map((one) => pairs.pair(one));
    const contexts = pairings.flatMap((one) => (one.kind === 'paired' ? [one.forward.context] : []));
    expect(contexts.map(({ calls, layer }) => ({ calls, layer }))).to.deep.equal(
      ['a', 'b', 'c'].map((layer) => ({ calls: [call], layer: [layer] })),
    );
    expect(contexts.slice(1).map(({ calls: [only] }) => only === call)).to.deep.equal([true, true]);
  });

  it('agrees with a search through all earlier kernels (one thread)', () => {
    const step = fc.record({
      bprop: fc.boolean(),
      seq: fc.array(fc.nat(6), { maxLength: 2 }),
      altSeq: fc.array(fc.nat(6), { maxLength: 2 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const pairs = new ForwardKernels();
        const earlier: KernelRecord[] = [];
        for (const [i, { bprop, seq, altSeq }] of steps.entries()) {
          const record = bprop ? backward(seq, { id: i + 1 }) : forward(i + 1, seq, { altSeq });
          const pairing = pairs.pair(record);
          if (bprop && seq[0] !== undefined) {
            const wanted = seq[0];
            const expected =
              earlier.findLast((one) => one.seq.includes(wanted)) ??
              earlier.findLast((one) => one.altSeq.includes(wanted));
            expect(found(pairing)).to.equal(expected?.id ?? 'no-forward');
          }
          if (!bprop) earlier.push(record);
        }
      }),
    );
  });

  it('stays within its memory: the oldest ids go first, and are counted', () => {
    const pairs = new ForwardKernels(400_000);
    for (let i = 1; i <= 5000; i++) pairs.pair(forward(i, [i], { trace: [`a.py:${i}`] }));
    expect(pairs.evicted).to.be.within(3000, 4999);
    expect(found(pairs.pair(backward([5000])))).to.equal(5000);
    expect(found(pairs.pair(backward([1])))).to.equal('no-forward');
  });
});
