import { expect } from 'chai';
import { NsightDatabase } from '../../../support/nsight-database.js';
import { kernelsOf } from '../../../support/profile-records.js';
import { parseMarker, type OpMarker } from '../../../../src/parse/trace/markers/markers.js';

const op = (text: string): Partial<OpMarker> => {
  const marker = parseMarker(text);
  if (marker.kind !== 'op') throw new Error(`${text} is read as ${marker.kind}`);
  const { name, seq, opId, wrapper, node, backward } = marker;
  expect(marker.text).to.equal(text);
  return { name, seq, opId, ...(wrapper && { wrapper }), ...(node && { node }), ...(backward && { backward }) };
};

const kind = (text: string): string => parseMarker(text).kind;

describe("the framework's ops", () => {
  type Case = [text: string, read: Partial<OpMarker>];
  const forward = (name: string, seq: number | null, opId: number | null = null) => ({ name, seq, opId });
  const node = (name: string, seq: number | null, opId: number | null = null) => ({
    ...{ name, seq, opId, node: true, backward: true },
  });

  describe('of PyTorch 0.4 to 1.0', () => {
    const cases: Case[] = [
      ['conv2d, seq=12', forward('conv2d', 12)],
      ['CudnnConvolutionBackward, stashed seq=12', node('CudnnConvolutionBackward', 12)],
    ];
    for (const [text, read] of cases) it(text, () => expect(op(text)).to.deep.equal(read));
  });

  describe('of PyTorch 1.1 to 1.10', () => {
    const cases: Case[] = [
      ['mm, seq = 5', forward('mm', 5)],
      ['conv2d, seq = 0', forward('conv2d', 0)],
      ['aten::mm, seq = 5, sizes = [[2, 3], [3, 4]]', forward('aten::mm', 5)],
      ['aten::cat, seq = 7, sizes = [[], []]', forward('aten::cat', 7)],
      ['MeanBackward1, seq = 5', node('MeanBackward1', 5)],
      ['torch::autograd::AccumulateGrad, seq = 12', node('torch::autograd::AccumulateGrad', 12)],
      ['torch::autograd::CopyBackwards, seq = 3', node('torch::autograd::CopyBackwards', 3)],
      [
        'torch::jit::(anonymous namespace)::DifferentiableGraphBackward, seq = 3',
        node('torch::jit::(anonymous namespace)::DifferentiableGraphBackward', 3),
      ],
      ['cudnn_convolution_backward, seq = 7', { ...forward('cudnn_convolution_backward', 7), backward: true }],
    ];
    for (const [text, read] of cases) it(text, () => expect(op(text)).to.deep.equal(read));
  });

  describe('of PyTorch 1.11 and later', () => {
    const cases: Case[] = [
      ['aten::view, op_id = 314290', forward('aten::view', null, 314290)],
      ['aten::mul, seq = 45328, op_id = 990726', forward('aten::mul', 45328, 990726)],
      ['aten::native_layer_norm, seq = 45332, op_id = 990738', forward('aten::native_layer_norm', 45332, 990738)],
      ['AllToAll4D, seq = 45440, op_id = 991132', forward('AllToAll4D', 45440, 991132)],
      ['FlashAttnFunc, seq = 45368, op_id = 990812', forward('FlashAttnFunc', 45368, 990812)],
      [
        'FSDP::pre_forward (encoder.block.14.layer.1), op_id = 314311',
        forward('FSDP::pre_forward (encoder.block.14.layer.1)', null, 314311),
      ],
      [
        'FSDP::post_forward (blocks.2._checkpoint_wrapped_module), op_id = 990874',
        forward('FSDP::post_forward (blocks.2._checkpoint_wrapped_module)', null, 990874),
      ],
      ['FSDP::inputs_to_device, op_id = 317149', forward('FSDP::inputs_to_device', null, 317149)],
      [
        'RegisterPostBackwardFunction, seq = 45395, op_id = 991014',
        forward('RegisterPostBackwardFunction', 45395, 991014),
      ],
      [
        'aten::copy_, op_id = 15, sizes = [[2, 4096], [2, 4096], []], input_op_ids = [(14,0), (0,-1), (0,-1)]',
        forward('aten::copy_', null, 15),
      ],
      [
        'aten::mul, seq = 6, op_id = 872, sizes = [[512], [4, 256, 512]], input_op_ids = [(183,0), (871,0)]',
        forward('aten::mul', 6, 872),
      ],
      [
        'aten::mm, op_id = 1529997, sizes = [[4, 1024], [1024, 2048]], input_op_ids = [(1529991,0), (1529993,0)]',
        forward('aten::mm', null, 1529997),
      ],
      [
        'autograd::engine::evaluate_function: AddmmBackward0, op_id = 1718',
        { ...node('AddmmBackward0', null, 1718), wrapper: true },
      ],
      ['AddmmBackward0, seq = 596, op_id = 1719', node('AddmmBackward0', 596, 1719)],
      ['aten::t, op_id = 1720', forward('aten::t', null, 1720)],
      ['SigmoidBackward0, seq = 811, op_id = 9', node('SigmoidBackward0', 811, 9)],
      ['CompiledFunctionBackward, seq = 1, op_id = 2', node('CompiledFunctionBackward', 1, 2)],
      ['aten::convolution_backward, op_id = 7', { ...forward('aten::convolution_backward', null, 7), backward: true }],
      ['my, scope, seq = 3, op_id = 4', forward('my, scope', 3, 4)],
      ['a, seq = 1, seq = 2, op_id = 3', forward('a, seq = 1', 2, 3)],
    ];
    for (const [text, read] of cases) it(text, () => expect(op(text)).to.deep.equal(read));
  });

  it('are not texts that only look like them', () => {
    for (const text of [
      'mm, seq = ',
      'mm, seq = x',
      'mm, seq = -1',
      'mm, seq = 5 ',
      'mm, seq = 1234567890123456',
      'mm, op_id = ',
      'mm,seq = 5',
      'seq = 5',
      'mm, sizes = [[2, 3]]',
      '__start_profile',
      'Optimizer.step#AdamW.step',
      '## Call CompiledFxGraph f7x ##',
    ]) {
      expect(kind(text), text).to.equal('range');
    }
  });

  it('of gradient checkpointing are neither forward nor backward', () => {
    for (const text of ['CheckpointFunctionBackward, seq = 9', 'CheckpointFunctionBackward, seq = 9, op_id = 3']) {
      expect(parseMarker(text)).to.deep.equal({ kind: 'recomputation', text });
    }
  });
});

describe("the profilers' dicts", () => {
  it('are op calls', () => {
    const text =
      "{'mod': 'torch.nn.functional', 'op': 'conv2d', 'args': [{'name': '', 'type': 'tensor', 'shape': (32, 1, 28, 28), 'dtype': 'float32'}, {'name': '', 'type': 'int', 'value': 1}, {'name': 'pad', 'type': 'tuple', 'value': (1, 1)}]}";
    expect(parseMarker(text)).to.deep.equal({
      kind: 'call',
      call: {
        mod: 'torch.nn.functional',
        op: 'conv2d',
        args: [
          { name: '', type: 'tensor', shape: [32, 1, 28, 28], dtype: 'float32' },
          { name: '', type: 'int', value: 1 },
          { name: 'pad', type: 'tuple', value: [1, 1] },
        ],
      },
    });
  });

  it('are op calls without arguments, which PyProf takes for plain text for want of the word type', () => {
    expect(parseMarker("{'mod': 'torch', 'op': 'rand', 'args': []}")).to.deep.equal({
      ...{ kind: 'call', call: { mod: 'torch', op: 'rand', args: [] } },
    });
  });

  it("are DLProf's calls and stacks, these with the modules on them", () => {
    const call = "{'mod': 'torch', 'op': 'mm', 'args': [], 'callid': 12, 'input_callids': ['12', -1]}";
    expect(parseMarker(call)).to.deep.equal({ kind: 'call', call: { mod: 'torch', op: 'mm', args: [] } });
    const stack = "{'traceMarker': ['a.py:1'], 'funcStack': '/Net::forward/conv2d'}";
    expect(parseMarker(stack)).to.deep.equal({ kind: 'trace', frames: ['a.py:1'], modules: ['Net'] });
  });

  it('of DLProf name the layer, where no range does', () => {
    const stack = (text: string): string => `{'traceMarker': ['a.py:1'], 'funcStack': '${text}'}`;
    const outer = stack('/main/Trainer::fit/Net::forward');
    const inner = stack('/main/Trainer::fit/Net::forward/Conv2d::forward/Conv2d::_conv_forward/conv2d');
    const call = "{'mod': 'torch.nn.functional', 'op': 'conv2d', 'args': []}";
    const layerOf = (...texts: readonly string[]): readonly string[] | undefined =>
      kernelsOf(new NsightDatabase().launch(1, texts).write())[0]?.layer;
    expect(layerOf(outer, inner, call)).to.deep.equal(['Net', 'Conv2d']);
    expect(layerOf(outer, call)).to.deep.equal(['Net']);
    expect(layerOf('layer:conv1', inner, call)).to.deep.equal(['conv1']);
    expect(layerOf(stack('/main/SGD::step/_foreach_add_'), call)).to.deep.equal([]);
  });

  it("are call stacks, without the framework's own frames", () => {
    const text =
      "{'traceMarker': ['train.py:42', '/x/torch/_tensor.py:9', '/x/torch/tensor.py:9', '/x/torch/nn/modules/linear.py:4', '/x/torch/optim/sgd.py:7', '/y/pyprof2/nvtx/nvmarker.py:3', '/path/net.py:17']}";
    expect(parseMarker(text)).to.deep.equal({ kind: 'trace', frames: ['train.py:42', '/path/net.py:17'] });
  });

  it('are look-ups of names, which are not calls', () => {
    const text = "{'mod': 'torch', 'op': '__getattr__', 'args': [{'name': '', 'type': 'str', 'value': 'extra_repr'}]}";
    expect(parseMarker(text)).to.deep.equal({ kind: 'lookup' });
    // As in a real profile, where they nest by the hundred around every op.
    const call = "{'mod': 'torch', 'op': 'relu', 'args': []}";
    const [kernel] = kernelsOf(new NsightDatabase().launch(1, [text, text, call, text]).write());
    expect(kernel).to.deep.include({ mod: ['torch'], op: ['relu'], ranges: [], dir: 'fprop' });
    expect(kernel?.calls).to.have.length(1);
  });

  it('are module representations', () => {
    const text = "{'mod': 'Conv2d', 'strRepr': '1, 32, kernel_size=(3, 3), stride=(1, 1)'}";
    expect(parseMarker(text)).to.deep.equal({ kind: 'repr', text });
  });

  it('are layers of the layer-wise hooks', () => {
    const inner =
      "{'Module': 'model.layers.0.self_attn.q', 'TrainableParams': {'weight': [2112, 7168]}, 'Inputs': [[2048, 7168]]}";
    expect(parseMarker(inner)).to.deep.equal({ kind: 'layer', name: 'model.layers.0.self_attn.q' });
    expect(parseMarker("{'Module': 'lm_head', 'StaticParams': {'in_features': 7}}")).to.deep.equal({
      ...{ kind: 'layer', name: 'lm_head' },
    });
  });

  it('that are not literals, or have the wrong types, are plain ranges and counted as malformed', () => {
    for (const text of [
      "{'mod': 'torch', 'op': 'mm', 'args': [",
      "{'mod': 'torch', 'op': 'mm', 'args': [{'name': '', 'type': tensor}]}",
      "{'mod': 'torch', 'op': 'mm', 'args': __import__('os').system('true')}",
      "{'mod': 'torch', 'op': 'mm', 'args': [x for x in ()]}",
      "{'mod': 1, 'op': 'mm', 'args': []}",
      "{'mod': 'torch', 'op': 'mm', 'args': {}}",
      "{'mod': 'torch', 'op': 'mm', 'args': [{'type': 'tensor', 'shape': ('a',), 'dtype': 'int8'}]}",
      "{'traceMarker': [1, 2]}",
      "{'traceMarker': 'a.py:1'}",
      "{'Module': 7}",
      "{'x': 'args', 'y': 'args'}",
      `{'args': ${'['.repeat(1000)}`,
    ]) {
      const marker = parseMarker(text);
      expect(marker, text).to.deep.include({ kind: 'range', text, malformed: true });
    }
  });
});

describe('layers', () => {
  const cases: [text: string, name: string][] = [
    ['layer:conv1', 'conv1'],
    ['layer:a:b', 'a:b'],
    ['layer:encoder:block 1: attention', 'encoder:block 1: attention'],
    ['layer: enc 1', ' enc 1'],
    ['layer:', ''],
    ["layer:{'mod': 'torch', 'op': 'mm', 'args': []}", "{'mod': 'torch', 'op': 'mm', 'args': []}"],
    ['layer:mm, seq = 5', 'mm, seq = 5'],
  ];
  for (const [text, name] of cases) {
    it(text, () => expect(parseMarker(text)).to.deep.equal({ kind: 'layer', name }));
  }

  it('are only recognised at the start', () => {
    for (const text of ['my player: x', 'xlayer:conv1', ' layer:conv1', 'Layer:conv1']) {
      expect(parseMarker(text)).to.deep.include({ kind: 'range', text, malformed: false });
    }
  });

  it('of TensorRT are the ranges of its domain, but for calls of its own', () => {
    for (const name of ['onnx::Conv_239', '/conv1/Conv + /relu/Relu', '{ForeignNode[a...b]}', 'Conv_0', 'layer:a'])
      expect(parseMarker(`TensorRT:${name}`, true)).to.deep.equal({ kind: 'layer', name });
    for (const name of ['ExecutionContext::enqueue', 'ExecutionContext::execute', ''])
      expect(parseMarker(`TensorRT:${name}`, true)).to.deep.include({ kind: 'range', text: `TensorRT:${name}` });
    // of another domain, and of a program without domains
    expect(parseMarker('myelin-exec:myelinGraphExecute', true)).to.deep.include({ kind: 'range', inDomain: true });
    expect(parseMarker('TensorRT:Conv_0')).to.deep.include({ kind: 'range', text: 'TensorRT:Conv_0' });
    const long = parseMarker(`TensorRT:${'x'.repeat(3000)}`, true);
    expect(long.kind === 'layer' ? long.name.length : 0).to.equal(2001);
  });
});
