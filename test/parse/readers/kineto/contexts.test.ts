import { expect } from 'chai';
import { none, t } from '../../../support/calls.js';
import { annotation, ENGINE, frame, kernel, kernels, launch, MAIN, onlyKernel, op, runtime, type EventText } from '../../../support/kineto-trace.js'; // prettier-ignore

/** `aten::linear` around `aten::addmm`, in a module, in a frame, in a step; its launch at 50. */
const FORWARD: readonly EventText[] = [
  annotation('ProfilerStep#3', 0, 1000),
  frame('train.py(184): main', 1, 990),
  frame('torch/nn/modules/module.py(1501): _call_impl', 2, 100),
  frame('nn.Module: Net_0', 3, 99),
  annotation('my loop', 4, 98),
  frame('net.py(12): forward', 5, 97),
  frame('nn.Module: Linear_1', 6, 96),
  op('aten::linear', 40, 90, { 'External id': 20, 'Sequence number': 5, 'Fwd thread id': 0 }),
  op('aten::addmm', 45, 80, {
    'External id': 21,
    'Sequence number': 5,
    'Fwd thread id': 0,
    'Input Dims': [[4], [2, 3], [3, 4], [], []],
    'Input type': ['float', 'float', 'float', 'Scalar', 'Scalar'],
    'Concrete Inputs': ['', '', '', '1', '1'],
  }),
  launch(1, 50),
  kernel('gemm', 1, 70),
];

/** Its backward pass on the engine's thread, with a launch at 200. */
const BACKWARD: readonly EventText[] = [
  op('autograd::engine::evaluate_function: AddmmBackward0', 190, 250, { 'External id': 30, 'Sequence number': 5, 'Fwd thread id': 1 }, ENGINE),
  op('AddmmBackward0', 192, 248, { 'External id': 31, 'Sequence number': 5, 'Fwd thread id': 1 }, ENGINE),
  op('aten::mm', 195, 240, { 'External id': 32 }, ENGINE),
  launch(2, 200, ENGINE),
  kernel('gemm_nt', 2, 300),
]; // prettier-ignore

describe('Kineto: the context of a launch', () => {
  it('a function that the program defines for autograd is a call; a range of its own is none', () => {
    const args = { 'Sequence number': 5, 'Fwd thread id': 0, 'Input Dims': [[2, 3], [4, 3]], 'Input type': ['float', 'float'] };
    const inside = [launch(1, 50), kernel('gemm', 1, 70)];
    const { calls, op: ops } = onlyKernel([op('_Linear', 40, 90, args), ...inside]);
    expect(calls).to.deep.equal([
      { mod: 'autograd', op: '_Linear', args: [t([2, 3]), t([4, 3])], from: 'dispatcher' },
    ]);
    expect(ops).to.deep.equal(['_Linear']);
    const unspecified = onlyKernel([op('my_loop', 40, 90, { 'Sequence number': 5, 'Fwd thread id': 0 }), ...inside]);
    expect([unspecified.calls, unspecified.ranges]).to.deep.equal([[], ['my_loop']]);
  }); // prettier-ignore

  it('the node of such a function is a call where it launches kernels itself, under the name of the function', () => {
    const args = { 'Sequence number': 5, 'Fwd thread id': 1, 'Input Dims': [[2, 3]], 'Input type': ['float'] };
    const inside = [launch(1, 50, ENGINE), kernel('norm', 1, 70)];
    const callsIn = (name: string, ...more: readonly EventText[]): unknown =>
      onlyKernel([op(name, 40, 90, args, ENGINE), ...more, ...inside]).calls;
    const callOf = (name: string) => ({ mod: 'autograd', op: name, args: [t([2, 3])], from: 'dispatcher' });
    expect(callsIn('FusedNormBackward')).to.deep.equal([callOf('FusedNormBackward')]);
    expect(callsIn('FusedNormBackward', frame('norm.py(7): backward', 45, 80, ENGINE))).to.deep.equal([callOf('FusedNormBackward')]);
    expect(callsIn('torch::autograd::CppNode<ours::Moved<&ours::moved> >')).to.deep.equal([callOf('MovedBackward')]);
    // inside it an op, or PyTorch's own node
    expect(callsIn('FusedNormBackward', op('aten::mm', 45, 80, {}, ENGINE))).to.have.nested.property('[0].op', 'mm');
    expect(callsIn('MulBackward0')).to.deep.equal([]);
    const named = onlyKernel([op('FusedNormBackward', 40, 90, args, ENGINE), ...inside]);
    expect(named).to.deep.include({ mod: ['na'], op: ['FusedNorm'], dir: 'bprop' });
  }); // prettier-ignore

  it('ops, modules, frames, ranges and the step around it, outermost first', () => {
    const found = onlyKernel(FORWARD);
    expect(found).to.deep.include({
      dir: 'fprop',
      layer: ['Net_0', 'Linear_1'],
      trace: ['train.py:184', 'net.py:12'],
      mod: ['aten', 'aten'],
      op: ['linear', 'addmm'],
      ranges: ['ProfilerStep#3', 'my loop'],
      step: 3,
      seq: [5],
      altSeq: [],
      seqMarker: ['aten::linear, seq = 5', 'aten::addmm, seq = 5'],
      callIds: [1, 2],
      callKernels: [1, 1],
      sub: 0,
      pid: 10,
      tid: MAIN,
      corr: 1,
    });
    expect(found).to.not.have.property('forward');
    expect(found.launch).to.deep.equal({ api: 'cudaLaunchKernel', start: 50_000, dur: 1000 });
    expect(found.calls).to.deep.equal([
      { mod: 'aten', op: 'linear', args: [], from: 'dispatcher' },
      {
        mod: 'aten',
        op: 'addmm',
        from: 'dispatcher',
        args: [t([4]), t([2, 3]), t([3, 4]), { name: '', type: 'int', value: 1 }, { name: '', type: 'int', value: 1 }],
      },
    ]);
  });

  it('a backward kernel takes module and frames from its forward op, and has its own calls', () => {
    const [, found] = kernels([...FORWARD, ...BACKWARD]);
    expect(found).to.deep.include({
      dir: 'bprop',
      layer: ['Net_0', 'Linear_1'],
      trace: ['train.py:184', 'net.py:12'],
      mod: ['aten'],
      op: ['mm'],
      seq: [5],
      tid: ENGINE,
      // Of the step by its time.
      step: 3,
      forward: { mod: 'aten', op: 'addmm', tid: MAIN, start: 45_000 },
    });
  });

  it('without its forward op in the trace, a backward kernel says so', () => {
    const found = onlyKernel(BACKWARD);
    expect(found).to.deep.include({ dir: 'bprop', forward: null, layer: [], trace: [] });
    expect(found).to.not.have.property('step');
  });

  it('an op named after the gradient it computes is backward work, also outside of a node', () => {
    const dirOf = (name: string): unknown => onlyKernel([op(name, 40, 90), launch(1, 50), kernel('k', 1, 70)]).dir;
    const backward = ['aten::convolution_backward', 'aten::_flash_attention_backward', 'te::linear_wgrad', 'x::dgrad_gemm', 'x::attn_bwd'];
    expect(backward.map(dirOf)).to.deep.equal(backward.map(() => 'bprop'));
    expect(['aten::mm', 'x::backwards_compatible', 'x::lookback'].map(dirOf)).to.deep.equal(['fprop', 'fprop', 'fprop']);
  }); // prettier-ignore

  it('the accumulation of a gradient belongs to a parameter, not to a forward op', () => {
    const found = onlyKernel([
      op('autograd::engine::evaluate_function: torch::autograd::AccumulateGrad', 10, 90, {}, ENGINE),
      op('torch::autograd::AccumulateGrad', 12, 88, {}, ENGINE),
      op('aten::add_', 14, 80, {}, ENGINE),
      launch(1, 20, ENGINE),
      kernel('add', 1, 50),
    ]);
    expect(found).to.deep.include({ dir: 'bprop', op: ['add_'] });
    expect(found).to.not.have.property('forward');
  });

  describe('checkpoints that do forward work again inside a node', () => {
    const node = { 'Sequence number': 9, 'Fwd thread id': 1 };
    const again = (inner: readonly EventText[]): EventText[] => [
      frame('nn.Module: Net_0', 0, 90),
      frame('nn.Module: Block_0', 1, 89),
      frame('nn.Module: ReLU_0', 2, 88),
      op('aten::relu', 10, 20, { 'Sequence number': 9, 'Fwd thread id': 0 }),
      op('autograd::engine::evaluate_function: ReluBackward0', 100, 300, node, ENGINE),
      op('ReluBackward0', 101, 299, node, ENGINE),
      frame('torch/utils/checkpoint.py(1111): unpack_hook', 102, 200, ENGINE),
      ...inner,
      op('aten::threshold_backward', 210, 290, {}, ENGINE),
      ...[launch(2, 220, ENGINE), kernel('gradient', 2, 400)],
    ];
    const conv = (from: number): EventText[] => [
      op('aten::conv2d', from, from + 20, { 'Sequence number': 4, 'Fwd thread id': 0 }, ENGINE),
      ...[launch(1, from + 5, ENGINE), kernel('conv', 1, 350)],
    ];
    const gradient = { dir: 'bprop', op: ['threshold_backward'], layer: ['Net_0', 'Block_0', 'ReLU_0'], seq: [9] };

    it('have their own direction, modules and numbers', () => {
      const [found, after] = kernels(
        again([
          frame('torch/utils/checkpoint.py(1500): recompute_fn', 103, 199, ENGINE),
          frame('nn.Module: Block_0', 104, 198, ENGINE),
          frame('net.py(7): forward', 105, 197, ENGINE),
          frame('nn.Module: Conv2d_3', 106, 196, ENGINE),
          ...conv(110),
        ]),
      );
      expect(found).to.deep.include({
        ...{ dir: 'fprop', op: ['conv2d'], trace: ['net.py:7'], seq: [4], altSeq: [9] },
        layer: ['Net_0', 'Block_0', 'Conv2d_3'],
      });
      expect(found).to.not.have.property('forward');
      expect(after).to.deep.include(gradient);
    });

    it('are known by the frame where there are no modules, and by the modules where that frame is not there', () => {
      const [byFrame] = kernels(again([frame('torch/utils/checkpoint.py(1500): recompute_fn', 103, 199, ENGINE), ...conv(110)])); // prettier-ignore
      expect(byFrame).to.deep.include({ dir: 'fprop', layer: [] });
      const [byModule] = kernels(again([frame('nn.Module: Elsewhere_0', 103, 199, ENGINE), ...conv(110)]));
      expect(byModule).to.deep.include({ dir: 'fprop', layer: ['Elsewhere_0'] });
      const [neither] = kernels(again(conv(110)));
      expect(neither).to.deep.include({ dir: 'bprop', layer: gradient.layer });
    });

    it('are backward again in a node inside', () => {
      const inside = { 'Sequence number': 4, 'Fwd thread id': 1 };
      const [found] = kernels(again([frame('nn.Module: Block_0', 103, 199, ENGINE), op('MulBackward0', 105, 190, inside, ENGINE), ...conv(110)])); // prettier-ignore
      expect(found).to.deep.include({ dir: 'bprop', forward: null });
    });
  });

  it('a node without an op inside prints under its plain name', () => {
    const node = { 'Sequence number': 7, 'Fwd thread id': 1 };
    const found = onlyKernel([op('MulBackward0', 0, 90, node, ENGINE), launch(1, 20, ENGINE), kernel('mul', 1, 50)]);
    expect(found).to.deep.include({ dir: 'bprop', mod: ['na'], op: ['Mul'], calls: [] });
  });

  it('outside of everything only the step is known', () => {
    const found = onlyKernel([annotation('ProfilerStep#8', 0, 90), launch(1, 20, ENGINE), kernel('k', 1, 50)]);
    expect(found).to.deep.include({ dir: null, mod: ['na'], op: [], calls: [], ranges: [], step: 8 });
    expect(onlyKernel([launch(1, 20), kernel('k', 1, 50)])).to.not.have.property('step');
  });

  describe('what the autograd engine launches', () => {
    const backward = (sequence: number, from: number, thread: number, forward = 1): EventText[] => {
      const args = { 'Sequence number': sequence, 'Fwd thread id': forward };
      return [
        op('autograd::engine::evaluate_function: MmBackward0', from, from + 50, args, thread),
        ...[launch(from, from + 10, thread), kernel(`k${from}`, from, from + 400)],
      ];
    };
    const forwardOf = (sequence: number, at: number, thread: number): EventText =>
      op('aten::mm', at, at + 5, { 'Sequence number': sequence, 'Fwd thread id': 0 }, thread);
    const OTHER = 300;

    it('belongs to the ranges that are open on the thread that called backward, besides its own', () => {
      const [found, after] = kernels([
        ...[annotation('ProfilerStep#3', 0, 500), annotation('backward', 90, 200), forwardOf(7, 10, MAIN)],
        ...[...backward(7, 100, ENGINE), ...backward(7, 250, ENGINE)],
      ]);
      expect(found).to.deep.include({ ranges: [], callerRanges: ['ProfilerStep#3', 'backward'], step: 3 });
      expect(after).to.deep.include({ callerRanges: ['ProfilerStep#3'], step: 3 });
    });

    it('belongs to the thread of its forward op where several have open ranges', () => {
      const [first, second] = kernels([
        ...[annotation('a', 0, 500), forwardOf(7, 10, MAIN)],
        ...[annotation('b', 0, 500, {}, OTHER), forwardOf(9, 20, OTHER)],
        ...[...backward(7, 100, ENGINE, 1), ...backward(9, 200, ENGINE, 2)],
      ]);
      expect([first?.callerRanges, second?.callerRanges]).to.deep.equal([['a'], ['b']]);
    });

    it('has no ranges of another thread that are closed, and none of another process', () => {
      const other = annotation('b', 0, 500).replace('"pid": 10', '"pid": 11');
      const [found] = kernels([annotation('a', 0, 50), other, forwardOf(7, 10, MAIN), ...backward(7, 100, ENGINE)]);
      expect(found).to.not.have.property('callerRanges');
    });

    it('is not what another thread of the program launches', () => {
      const [found] = kernels([annotation('a', 0, 500), op('aten::mm', 100, 200, {}, OTHER), launch(1, 110, OTHER), kernel('k', 1, 150)]); // prettier-ignore
      expect(found).to.not.have.property('callerRanges');
    });
  });

  it('steps follow one another; a launch between them has none', () => {
    const found = kernels([
      annotation('ProfilerStep#1', 0, 100),
      annotation('ProfilerStep#2', 100, 200),
      annotation('ProfilerStep#3', 300, 400),
      ...[50, 150, 250, 350, 450].flatMap((at, i) => [launch(i, at, ENGINE), kernel(`k${i}`, i, at + 5)]),
    ]);
    expect(found.map(({ step }) => step ?? null)).to.deep.equal([1, 2, null, 3, null]);
  });

  it('a step of another process does not count', () => {
    const other = annotation('ProfilerStep#1', 0, 100).replace('"pid": 10', '"pid": 11');
    expect(onlyKernel([other, launch(1, 20), kernel('k', 1, 50)])).to.not.have.property('step');
  });

  it('an annotation named like an op is a range', () => {
    const found = onlyKernel([annotation('aten::mine', 0, 90), launch(1, 20), kernel('k', 1, 50)]);
    expect(found).to.deep.include({ calls: [], ranges: ['aten::mine'], op: [], dir: null });
  });

  it('an event without a name says nothing', () => {
    const nameless = op('x', 0, 90).replace('"name": "x", ', '');
    const found = onlyKernel([nameless, op('aten::mm', 10, 80), launch(1, 20), kernel('k', 1, 50)]);
    expect(found).to.deep.include({ op: ['mm'], ranges: [] });
  });

  it('the profiler writes collectives as annotations with the arguments of an op', () => {
    const args = { 'Input Dims': [[[8]], []], 'Input type': ['TensorList', ''], 'Concrete Inputs': ['', ''] };
    const found = onlyKernel([annotation('nccl:all_reduce', 0, 90, args), launch(1, 20), kernel('nccl', 1, 50)]);
    const tensors = { name: '', type: 'list', items: [{ name: '', type: 'tensor', shape: [8] }] };
    expect(found.calls).to.deep.equal([
      { mod: 'nccl', op: 'nccl:all_reduce', args: [tensors, none], from: 'dispatcher' },
    ]);
  });

  it('a call stack of the op is taken where there are no frames', () => {
    const found = onlyKernel([
      op('aten::linear', 0, 99, { 'Call stack': 'b.py(2): g;a.py(1): f' }),
      op('aten::addmm', 10, 90, { 'Call stack': 'c.py(3): h;b.py(2): g;a.py(1): f' }),
      op('aten::t', 11, 80, { 'Call stack': '' }),
      launch(1, 20),
      kernel('k', 1, 50),
    ]);
    expect(found.trace).to.deep.equal(['a.py:1', 'b.py:2', 'c.py:3']);
  });
});

describe('Kineto: kernels of one call', () => {
  it('are numbered, and know how many there are', () => {
    const found = kernels([
      op('aten::linear', 0, 100),
      op('aten::mm', 10, 50),
      ...[launch(1, 20), kernel('a', 1, 200), launch(2, 30), kernel('b', 2, 220)],
      op('aten::add', 60, 90),
      ...[launch(3, 70), kernel('c', 3, 240)],
      op('aten::mm', 300, 400),
      ...[launch(4, 310), kernel('d', 4, 420)],
    ]);
    expect(found.map(({ callIds, callKernels, sub }) => ({ callIds, callKernels, sub }))).to.deep.equal([
      { callIds: [1, 2], callKernels: [3, 2], sub: 0 },
      { callIds: [1, 2], callKernels: [3, 2], sub: 1 },
      { callIds: [1, 3], callKernels: [3, 1], sub: 0 },
      { callIds: [4], callKernels: [1], sub: 0 },
    ]);
  });

  it('of a graph launch get its context, and are marked as such', () => {
    const graph = { 'graph id': 4, 'graph node id': 11 };
    const found = kernels([
      op('aten::mm', 0, 100),
      runtime('cudaGraphLaunch', 9, 20, 30),
      kernel('a', 9, 50, graph),
      kernel('b', 9, 70),
    ]);
    expect(found.map(({ graph: node, op: name, callKernels }) => [node, name, callKernels])).to.deep.equal([
      [{ id: 4, node: 11 }, ['mm'], [2]],
      [{ id: null, node: null }, ['mm'], [2]],
    ]);
  });

  it('outside graphs have no graph, although traces from 2026 give them graph id 0 and node id 0', () => {
    const zero = { 'graph id': 0, 'graph node id': 0 };
    const found = kernels([op('aten::mm', 0, 100), runtime('cudaLaunchKernel', 1, 20, 30), kernel('a', 1, 50, zero)]);
    expect(found).to.have.length(1);
    expect(found[0]).not.to.have.property('graph');
  });

  it('launched by the driver API get its context; of two rows of one launch the runtime’s counts', () => {
    const driver = (corr: number, at: number): EventText =>
      runtime('cuLaunchKernel', corr, at, at + 1).replace('cuda_runtime', 'cuda_driver');
    expect(onlyKernel([driver(1, 20), kernel('k', 1, 50)]).launch?.api).to.equal('cuLaunchKernel');
    const both = [driver(1, 21), runtime('cudaLaunchKernel', 1, 20, 24), kernel('k', 1, 50)];
    expect(onlyKernel(both).launch?.api).to.equal('cudaLaunchKernel');
  });
});

describe('Kineto: External id', () => {
  const [MM, ADD] = [op('aten::mm', 0, 40, { 'External id': 20 }), op('aten::add', 50, 90, { 'External id': 21 })];

  it('identifies the op where the launch is not in the trace', () => {
    const found = onlyKernel([MM, ADD, kernel('k', 1, 200, { 'External id': 20 })]);
    expect(found).to.deep.include({ op: ['mm'], launch: null, callIds: [1], callKernels: [1] });
  });

  it('that repeats the correlation id is not trusted', () => {
    const found = kernels([
      MM,
      ADD,
      kernel('k', 20, 200, { 'External id': 20 }),
      kernel('l', 21, 220, { 'External id': 21 }),
    ]);
    expect(found.map(({ op: name }) => name)).to.deep.equal([[], []]);
  });

  it('that two ops share identifies neither', () => {
    for (const events of [
      [MM, MM.replace('aten::mm', 'aten::bmm')],
      [MM.replace('aten::mm', 'aten::bmm'), MM],
    ])
      expect(onlyKernel([...events, kernel('k', 1, 200, { 'External id': 20 })]).op).to.deep.equal([]);
  });

  it('decides where rounded times put the launch behind its op', () => {
    // The op ends at 41 and its launch begins there; the one around it goes on.
    const outer = op('aten::linear', 0, 90, { 'External id': 19 });
    const inner = op('aten::addmm', 2, 41, { 'External id': 20 });
    const events = (id: number): EventText[] => [
      outer,
      inner,
      launch(1, 41),
      kernel('k', 1, 60, { 'External id': id }),
    ];
    expect(onlyKernel(events(20)).op).to.deep.equal(['linear', 'addmm']);
    expect(onlyKernel(events(19)).op).to.deep.equal(['linear']);
  });

  it('of an op elsewhere does not move a launch', () => {
    const there = op('aten::add', 50, 90, { 'External id': 21 }, ENGINE);
    for (const other of [ADD, there]) {
      const found = onlyKernel([MM, other, launch(1, 20), kernel('k', 1, 200, { 'External id': 21 })]);
      expect(found.op).to.deep.equal(['mm']);
    }
  });
});
