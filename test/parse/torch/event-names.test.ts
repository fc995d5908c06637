import { expect } from 'chai';
import { readFrame, readName, readStack, type HostName } from '../../../src/parse/torch/event-names.js';

const call = (mod: string, op: string): HostName => ({ kind: 'call', mod, op });
const node = (name: string): HostName => ({ kind: 'node', name });
const range = (text: string): HostName => ({ kind: 'range', text });
const NONE: HostName = { kind: 'none' };

describe('Kineto: op names and annotations', () => {
  const names: [name: string, says: HostName][] = [
    ['aten::addmm', call('aten', 'addmm')],
    ['aten::_scaled_dot_product_flash_attention', call('aten', '_scaled_dot_product_flash_attention')],
    ['_C_cache_ops::reshape_and_cache_flash', call('_C_cache_ops', 'reshape_and_cache_flash')],
    ['torch::ops::mine', call('torch::ops', 'mine')],
    ['record_param_comms', call('c10d', 'record_param_comms')],
    ['nccl:all_reduce', call('nccl', 'nccl:all_reduce')],
    ['triton_poi_fused_add_0', call('triton', 'triton_poi_fused_add_0')],
    ['autograd::engine::evaluate_function: AddmmBackward0', node('AddmmBackward0')],
    ['autograd::engine::evaluate_function: torch::autograd::AccumulateGrad', node('torch::autograd::AccumulateGrad')],
    ['autograd::engine::evaluate_function: MyOwn', node('MyOwn')],
    ['AddmmBackward0', node('AddmmBackward0')],
    ['CudnnConvolutionBackward', node('CudnnConvolutionBackward')],
    ['torch::autograd::CopyBackwards', node('torch::autograd::CopyBackwards')],
    ['torch::autograd::AccumulateGrad', node('torch::autograd::AccumulateGrad')],
    ['torch::autograd::CppNode<SomeFunction>', node('torch::autograd::CppNode<SomeFunction>')],
    ['ProfilerStep#17', range('ProfilerStep#17')],
    ['Optimizer.step#Adam.step', range('Optimizer.step#Adam.step')],
    ['my loop', range('my loop')],
    ['aten::', range('aten::')],
    ['aten::mm extra', range('aten::mm extra')],
    ['::mm', range('::mm')],
    [
      'Torch-Compiled Region: 0/0',
      { kind: 'range', text: 'Torch-Compiled Region: 0/0', compiled: { graph: null, backward: false } },
    ],
    ['', NONE],
  ];
  for (const [name, says] of names) {
    it(name === '' ? 'no name' : name, () => {
      expect(readName(name)).to.deep.equal(says);
    });
  }

  it('gradient checkpointing recomputes forward work', () => {
    for (const name of [
      'CheckpointFunctionBackward',
      'autograd::engine::evaluate_function: CheckpointFunctionBackward',
    ])
      expect(readName(name)).to.deep.equal({ kind: 'range', text: name, recomputes: true });
  });
});

describe('Kineto: names of Python frames', () => {
  const names: [name: string, says: HostName][] = [
    ['train.py(184): main', { kind: 'frame', frame: 'train.py:184' }],
    ['/home/me/my (old) code/a.py(7): <lambda>', { kind: 'frame', frame: '/home/me/my (old) code/a.py:7' }],
    ['torchvision/models/resnet.py(285): forward', { kind: 'frame', frame: 'torchvision/models/resnet.py:285' }],
    ['nn.Module: Linear_0', { kind: 'layer', name: 'Linear_0' }],
    ['torch/nn/modules/module.py(1501): _call_impl', NONE],
    ['/usr/lib/python3/dist-packages/torch/nn/functional.py(9): relu', NONE],
    ['threading.py(1002): _bootstrap', NONE],
    ['<built-in method conv2d of type object at 0x7f>', NONE],
    ['<string>(2): f', NONE],
    ['main', NONE],
    ['', NONE],
  ];
  for (const [name, says] of names) {
    it(name === '' ? 'no name' : name, () => {
      expect(readFrame(name)).to.deep.equal(says);
    });
  }

  it('a call stack has the innermost frame first', () => {
    expect(readStack('a.py(611): f;torch/nn/modules/linear.py(9): forward;b.py(12): g; ')).to.deep.equal([
      'b.py:12',
      'a.py:611',
    ]);
    expect(readStack('')).to.deep.equal([]);
  });
});
