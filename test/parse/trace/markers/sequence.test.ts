import { expect } from 'chai';
import { parseMarker, type OpMarker } from '../../../../src/parse/trace/markers/markers.js';
import { SequenceState, withoutBackward, type SequenceFacts } from '../../../../src/parse/trace/markers/sequence.js';
import type { OpCall } from '../../../../src/record/record.js';
import { globalTid, NsightDatabase } from '../../../support/nsight-database.js';
import { kernelsOf } from '../../../support/profile-records.js';

const call = (mod: string, op: string): OpCall => ({ mod, op, args: [] });

function op(text: string): OpMarker {
  const marker = parseMarker(text);
  if (marker.kind !== 'op') throw new Error(`${text} is no op`);
  return marker;
}

interface Launched {
  readonly texts: readonly string[];
  readonly call?: OpCall;
  readonly kernels?: number;
  /** Number of the call that the launch belongs to. */
  readonly instance?: number;
}

/** One launch after another on one thread; a list of strings stands for a launch of one call. */
function sequence(launches: readonly (readonly string[] | Launched)[]): SequenceFacts[] {
  const state = new SequenceState();
  return launches.map((launch) => {
    const { texts, call: own, kernels = 1, instance = 0 } = 'texts' in launch ? launch : { texts: launch };
    const facts = state.next(own === undefined ? [] : [own], texts.map(op), null, kernels, instance);
    if (facts === null) throw new Error('nothing was skipped');
    return facts;
  });
}

const ids = (facts: readonly SequenceFacts[]): unknown[] => facts.map(({ seq, altSeq, sub }) => [seq, altSeq, sub]);

describe('sequence ids', () => {
  it('before PyTorch 1.11: the smallest that is newer than the kernel before', () => {
    const mm = call('torch', 'mm');
    expect(
      ids(sequence(Array.from({ length: 3 }, () => ({ texts: ['linear, seq = 3', 'addmm, seq = 4'], call: mm })))),
      // 3 is newer than nothing; then 4 is newer than 3; then nothing is newer than 4, and the kernel stays with it.
    ).to.deep.equal([
      [[3], [4], 0],
      [[4], [3], 0],
      [[4], [3], 1],
    ]);
  });

  it('before PyTorch 1.11: an id that is not around the launch is not claimed', () => {
    // The second op belongs to no graph (0): it must not be taken for the forward op of id 0, nor for that of 7.
    expect(ids(sequence([['mm, seq = 7'], ['add, seq = 0']]))).to.deep.equal([
      [[7], [], 0],
      [[], [0], 0],
    ]);
  });

  it('since PyTorch 1.11: the innermost', () => {
    const texts = ['aten::linear, seq = 3, op_id = 1', 'aten::addmm, seq = 4, op_id = 2', 'aten::copy_, op_id = 3'];
    const [facts] = sequence([texts]);
    expect(facts).to.deep.include({ seq: [4], altSeq: [3], op: ['copy_'], mod: ['aten'], dir: 'fprop' });
  });

  it('in the backward pass: that of the innermost node', () => {
    const texts = ['OuterBackward, seq = 3', 'AddmmBackward0, seq = 8', 'aten::mm, seq = 99'];
    expect(sequence([texts])[0]).to.deep.include({ dir: 'bprop', seq: [8], altSeq: [3, 99] });
  });

  it('in the backward pass without a node: the smallest', () => {
    const texts = ['b_backward, seq = 9', 'a_backward, seq = 8'];
    expect(sequence([texts])[0]).to.deep.include({ dir: 'bprop', seq: [8], altSeq: [9] });
  });

  it('by the name of an op that computes a gradient, which takes nothing from the name of the node', () => {
    const names = ['_softmax_backward_data, seq = 0', 'SoftmaxBackward, seq = 88'];
    expect(sequence([names])[0]).to.deep.include({ dir: 'bprop', op: ['Softmax'] });
    const [alone] = sequence([['aten::miopen_depthwise_convolution_backward_weight, seq = 5, op_id = 7']]);
    expect(alone).to.deep.include({ dir: 'bprop', op: ['miopen_depthwise_convolution_backward_weight'] });
  });

  it('0 counts only when there is no other', () => {
    expect(ids(sequence([['a, seq = 0']]))).to.deep.equal([[[0], [], 0]]);
    expect(ids(sequence([['a, seq = 0', 'b, seq = 2', 'c, seq = 0']]))).to.deep.equal([[[2], [], 0]]);
  });

  it('without any there is no number, and the numbering goes on after', () => {
    expect(ids(sequence([['mm, seq = 3'], ['aten::t, op_id = 4'], ['mm, seq = 3']]))).to.deep.equal([
      [[3], [], 0],
      [[], [], 0],
      [[3], [], 1],
    ]);
  });
});

describe('sub-sequence', () => {
  const subs = (launches: readonly (readonly string[] | Launched)[]): number[] =>
    sequence(launches).map(({ sub }) => sub);

  it('counts launches of one op and id', () => {
    const launches = [['mm, seq = 3'], ['mm, seq = 3'], ['mm, seq = 4'], ['mm, seq = 4'], ['add, seq = 4']];
    expect(subs(launches)).to.deep.equal([0, 1, 0, 1, 0]);
  });

  it('begins again with every call, though calls outside autograd share an id', () => {
    const mm = (instance: number): Launched => ({ texts: ['mm, seq = 3'], instance });
    expect(subs([mm(1), mm(1), mm(2), mm(2), mm(3)])).to.deep.equal([0, 1, 0, 1, 0]);
  });

  it('goes on inside a recurrent cell, whatever the ids, and begins again with its next step', () => {
    const step = (mod: string, instance: number): Launched[] =>
      [0, 1].map((i) => ({ texts: [`a, seq = ${2 * instance + i}`], call: call(mod, 'forward'), instance }));
    for (const [mod, numbers] of [
      ['LSTMCell', [0, 1, 0, 1]],
      ['GRUCell', [0, 1, 0, 1]],
      ['RNNCell', [0, 1, 0, 1]],
      ['Linear', [0, 0, 0, 0]],
    ] as const) {
      expect(subs([...step(mod, 1), ...step(mod, 2)]), mod).to.deep.equal(numbers);
    }
  });

  it('leaves room for all kernels of a launch', () => {
    expect(subs([{ texts: ['mm, seq = 3'], kernels: 3 }, ['mm, seq = 3']])).to.deep.equal([0, 3]);
  });

  it('numbers the kernels of one launch in order of start time', () => {
    const db = new NsightDatabase().launch(1, ['mm, seq = 3']);
    for (const start of [180, 140, 160]) db.kernel({ start, end: start + 5 }, 1);
    // Another range is another call, though of the same text.
    db.launch(2, ['mm, seq = 3']);
    const numbers = kernelsOf(db.write()).map(({ start, sub }) => `${start}: ${sub}`);
    expect(numbers).to.deep.equal(['120: 0', '140: 1', '160: 2', '180: 3', '220: 0']);
  });
});

describe('threads', () => {
  it('have each their own numbering: interleaving them changes nothing', () => {
    const texts = (thread: number, n: number): string[] =>
      thread === 0 ? [`mm, seq = ${Math.floor(n / 4)}`] : ['conv2d, seq = 70', 'conv, seq = 71'];
    const build = (threads: readonly number[]): NsightDatabase => {
      const db = new NsightDatabase();
      for (let n = 1; n <= 20; n++) {
        const thread = n % 2;
        if (threads.includes(thread)) db.launch(n, texts(thread, n), { globalTid: globalTid(100 + thread) });
      }
      return db;
    };
    const facts = (threads: readonly number[], tid: number): unknown =>
      kernelsOf(build(threads).write())
        .filter((kernel) => kernel.tid === tid)
        .map(({ id, ...rest }) => ({ ...rest, id: typeof id }));
    expect(facts([0, 1], 100))
      .to.deep.equal(facts([0], 100))
      .and.to.have.length(10);
    expect(facts([0, 1], 101))
      .to.deep.equal(facts([1], 101))
      .and.to.have.length(10);
  });

  it('go by order of launch, not of the kernels on the device', () => {
    const db = new NsightDatabase().range('mm, seq = 1', 0, 1000);
    for (const n of [1, 2, 3]) db.call({ start: 100 * n, end: 100 * n + 10 }, n);
    for (const n of [1, 2, 3]) db.kernel({ start: 5000 - 1000 * n, end: 5001 - 1000 * n }, n);
    expect(kernelsOf(db.write()).map(({ corr, sub }) => [corr, sub])).to.deep.equal([
      ...[[3, 2], [2, 1], [1, 0]],
    ]); // prettier-ignore
  });
});

describe('names of autograd nodes', () => {
  const cases: [node: string, op: string][] = [
    ['CudnnConvolutionBackward', 'CudnnConvolution'],
    ['AddmmBackward0', 'Addmm'],
    ['MeanBackward12', 'Mean'],
    ['cudnn_convolution_backward', 'cudnn_convolution'],
    ['torch::autograd::AccumulateGrad', 'AccumulateGrad'],
    ['torch::autograd::CopyBackwards', 'Copy'],
    ['torch::jit::(anonymous namespace)::DifferentiableGraphBackward', 'DifferentiableGraph'],
    ['Backward', 'Backward'],
  ];
  for (const [node, op] of cases) it(`${node} → ${op}`, () => expect(withoutBackward(node)).to.equal(op));
});

describe('op and module', () => {
  it('are those of the calls, outermost first, when there are any', () => {
    const facts = new SequenceState().next([call('F', 'cross_entropy'), call('torch', 'log_softmax')], [op('x, seq = 1')], 'ncclSend', 1, 0); // prettier-ignore
    expect(facts).to.deep.include({ mod: ['F', 'torch'], op: ['cross_entropy', 'log_softmax'] });
  });

  it('are unknown where ranges of the program alone are around a launch: an annotation is no op', () => {
    const db = new NsightDatabase().launch(1, ['epoch', 'optimizer', 'foo']);
    expect(kernelsOf(db.write())[0]).to.deep.include({
      op: [],
      mod: ['na'],
      ranges: ['epoch', 'optimizer', 'foo'],
    });
  });

  it('are not known without any range', () => {
    expect(new SequenceState().next([], [], null, 1, 0)).to.deep.include({ op: [], mod: ['na'], dir: null });
  });

  it('of a node are the node, of an op outside autograd the op', () => {
    const name = (texts: readonly string[]): unknown => sequence([texts])[0]?.op;
    expect(name(['autograd::engine::evaluate_function: AddmmBackward0, op_id = 8', 'AddmmBackward0, seq = 5, op_id = 9', 'aten::mm, op_id = 10'])).to.deep.equal(['Addmm']); // prettier-ignore
    expect(name(['FSDP::pre_forward (blocks.2), op_id = 3'])).to.deep.equal(['FSDP::pre_forward (blocks.2)']);
    expect(name(['flash_attn::_flash_attn_forward, op_id = 4'])).to.deep.equal(['_flash_attn_forward']);
    expect(name(['torch::autograd::CppNode<fb::Permute<&fb::permute> >, op_id = 5'])).to.deep.equal(['CppNode<fb::Permute<&fb::permute> >']); // prettier-ignore
  });
});
