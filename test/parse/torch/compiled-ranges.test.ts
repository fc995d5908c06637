import { expect } from 'chai';
import type { KernelRecord } from '../../../src/record/record.js';
import { annotation, ENGINE, frame, kernel, kernels, launch, MAIN, onlyKernel, op, type EventText } from '../../support/kineto-trace.js'; // prettier-ignore

const HASH = 'fp5r5pk7bndvtfxhvsvzndl5pa42kyv4kgpya5imdcl36x5bf6lh';
const BACKWARD_HASH = 'fud64jsrxcxliekg7lptyw24yz5k3oa65b73wjfbhz6j2fg6ouu7';
const graph = (hash: string, from: number, to: number, tid = MAIN): EventText =>
  annotation(`## Call CompiledFxGraph ${hash} ##`, from, to, undefined, tid);

const TENSORS = { 'Input Dims': [[4, 8], [8]], 'Input type': ['float', 'float'] };
const SOURCE = '/tmp/torchinductor_root/5n/c5n4ij2m.py';

/** A compiled forward pass with gradients: a kernel in its own op, one in a product, one without an op. */
const FORWARD: readonly EventText[] = [
  op('Torch-Compiled Region: 0/0', 0, 100),
  op('CompiledFunction', 10, 90, { ...TENSORS, 'Sequence number': 7, 'Fwd thread id': 0 }),
  graph(HASH, 15, 85),
  op('triton_poi_fused_add_0', 20, 30, { ...TENSORS, kernel_file: SOURCE, kernel_hash: 'c5n4ij2m' }),
  launch(1, 22),
  kernel('triton_poi_fused_add_0', 1, 110),
  op('aten::mm', 40, 50),
  launch(2, 42),
  kernel('gemm', 2, 130),
  launch(3, 60),
  kernel('triton_red_fused_mul_sum_1', 3, 150),
];

/** Its backward pass on the engine's thread. */
const NODE = { ...TENSORS, 'Sequence number': 7, 'Fwd thread id': 1 };
const BACKWARD: readonly EventText[] = [
  op('autograd::engine::evaluate_function: CompiledFunctionBackward', 200, 300, NODE, ENGINE),
  op('CompiledFunctionBackward', 205, 295, NODE, ENGINE),
  graph(BACKWARD_HASH, 210, 290, ENGINE),
  op('aten::mm', 220, 230, {}, ENGINE),
  launch(4, 222, ENGINE),
  kernel('gemm_nt', 4, 320),
  launch(5, 240, ENGINE),
  kernel('triton_poi_fused_mul_2', 5, 340),
];

const IN_MODULE = [frame('nn.Module: Net_0', -2, 190), frame('nn.Module: Block_1', -1, 180)];

const columnOf = <Key extends keyof KernelRecord>(events: readonly EventText[], key: Key): KernelRecord[Key][] =>
  kernels(events).map((record) => record[key]);

describe('Kineto: code that torch.compile generated', () => {
  it('is forward work where no autograd node is around it, with an op or without', () => {
    expect(columnOf(FORWARD, 'dir')).to.deep.equal(['fprop', 'fprop', 'fprop']);
    const launched = [launch(1, 50), kernel('k', 1, 70)];
    const inside = (text: string): unknown => onlyKernel([op(text, 40, 60), ...launched]).dir;
    expect(['Torch-Compiled Region: 3/1', 'CompiledFunction', 'Torch-Compiled Region of mine'].map(inside)).to.deep.equal(['fprop', 'fprop', null]);
  }); // prettier-ignore

  it('is backward work in the node of a compiled function', () => {
    const backward = kernels([...FORWARD, ...BACKWARD]).slice(3);
    expect(backward.map(({ dir }) => dir)).to.deep.equal(['bprop', 'bprop']);
    expect(backward.map(({ forward }) => forward?.op)).to.deep.equal(['CompiledFunction', 'CompiledFunction']);
  });

  it('is backward work in a region of compiled autograd, which has no nodes', () => {
    for (const region of ['!0', '!0/1/0']) {
      const text = `Torch-Compiled Region: ${region}`;
      const events = [op(text, 0, 100), graph(BACKWARD_HASH, 5, 90), op('aten::mm', 10, 20), launch(1, 12), kernel('gemm', 1, 50)];
      expect(onlyKernel(events), region).to.deep.include({ dir: 'bprop', layer: ['CompiledFxGraph_fud64jsr'] });
    }
  }); // prettier-ignore

  it('its own ranges are no ops: kernels have the op inside, or none', () => {
    const found = kernels([...FORWARD, ...BACKWARD]);
    expect(found.map((record) => record.op)).to.deep.equal([['triton_poi_fused_add_0'], ['mm'], [], ['mm'], []]);
    expect(found.map(({ calls }) => calls.map((call) => call.op))).to.deep.equal([['triton_poi_fused_add_0'], ['mm'], [], ['mm'], []]);
    expect(found[2]?.ranges).to.deep.equal(['Torch-Compiled Region: 0/0', 'CompiledFunction', `## Call CompiledFxGraph ${HASH} ##`]);
  }); // prettier-ignore

  it('its graph is the layer where there are no modules', () => {
    const [own, backward] = [['CompiledFxGraph_fp5r5pk7'], ['CompiledFxGraph_fud64jsr']];
    expect(columnOf([...FORWARD, ...BACKWARD], 'layer')).to.deep.equal([own, own, own, backward, backward]);
    const modules = ['Net_0', 'Block_1'];
    expect(columnOf([...IN_MODULE, ...FORWARD, ...BACKWARD], 'layer')).to.deep.equal(Array(5).fill(modules));
  });

  it('a graph without a hash is no layer; of graphs in one another the inner one is', () => {
    const launched = [launch(1, 50), kernel('k', 1, 70)];
    expect(onlyKernel([graph('None', 40, 60), ...launched])).to.deep.include({ layer: [], dir: 'fprop' });
    const nested = [graph(HASH, 30, 90), graph(BACKWARD_HASH, 40, 60), ...launched];
    expect(onlyKernel(nested).layer).to.deep.equal(['CompiledFxGraph_fud64jsr']);
  });

  it('a kernel has the source that was generated for its op', () => {
    const labels = { kernel_file: SOURCE, kernel_hash: 'c5n4ij2m' };
    expect(columnOf(FORWARD, 'labels')).to.deep.equal([labels, undefined, undefined]);
    const within = [op('triton_poi_fused_add_0', 0, 50, { kernel_file: SOURCE }), frame('launcher.py(3): run', 5, 45)];
    expect(onlyKernel([...within, launch(1, 10), kernel('k', 1, 70)]).labels).to.deep.equal({ kernel_file: SOURCE });
    const foreign = [...within, op('aten::mm', 8, 20), launch(1, 10), kernel('k', 1, 70)];
    expect(onlyKernel(foreign)).not.to.have.property('labels');
  });

  it('does not depend on the order of events', () => {
    const events = [...FORWARD, ...BACKWARD];
    expect(kernels(events.toReversed())).to.deep.equal(kernels(events));
  });
});
