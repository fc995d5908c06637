import { expect } from 'chai';
import fc from 'fast-check';
import { Comparison, DEFAULT_BY } from '../../../src/prof/diff/comparison.js';
import { leavesOf, shownNodes, type ChangeNode } from '../../../src/prof/diff/tree/change-tree.js';
import { DEFAULTS } from '../../../src/prof/diff/verdict.js';
import { requireColumn } from '../../../src/prof/columns/columns.js';
import type { KernelRecord, ProfileLine } from '../../../src/record/record.js';
import { kernel, mm } from '../../support/kernels.js';
import { neuronProfile } from '../../support/neuron.js';

type Kernels = readonly Partial<KernelRecord>[];

/** A comparison that has taken some records. */
function comparisonOf(base: readonly ProfileLine[], next: readonly ProfileLine[]): Comparison {
  const by = DEFAULT_BY.map(requireColumn);
  const comparison = new Comparison({ by, isTree: true, conditions: [], settings: DEFAULTS });
  for (const record of base) comparison.take('base', record);
  for (const record of next) comparison.take('new', record);
  return comparison;
}

const linesOf = (kernels: Kernels): KernelRecord[] =>
  kernels.map((fields, i) => kernel({ id: i + 1, seq: [i], ...fields }));

function compare(base: Kernels, next: Kernels): Comparison {
  const comparison = comparisonOf(linesOf(base), linesOf(next));
  comparison.end('base');
  comparison.end('new');
  return comparison;
}

const treeOf = (base: Kernels, next: Kernels): ChangeNode => {
  const { tree } = compare(base, next);
  if (tree === null) throw new Error('no tree');
  return tree.top;
};

/** `path cause change` of each leaf, by path. */
const leafLines = (base: Kernels, next: Kernels): string[] =>
  leavesOf(treeOf(base, next)).map(({ path, cause, change, aligned }) => `${path.join('/')} ${aligned} ${cause} ${change}`).sort(); // prettier-ignore

/** A matrix product: 2·m·k·n FLOPs. */
const product = (m: number, fields: Partial<KernelRecord>): Partial<KernelRecord> => ({
  ...{ calls: [mm(m, 16, 16)], mod: ['torch'], op: ['mm'], short: 'gemm', name: 'gemm' },
  ...fields,
});

describe('a comparison by tree', () => {
  it('aligns the same op in the same layer, whatever its kernels, and splits its change into causes', () => {
    const base = [product(16, { layer: ['Net_0', 'A_0'], dur: 100, short: 'sgemm' })];
    const next = [product(32, { layer: ['Net_0', 'A_0'], dur: 260, short: 'Cijk_Ailk_Bljk_HB_MT64x64x16' })];
    const [leaf] = leavesOf(treeOf(base, next));
    // The same number of calls, each with twice the FLOPs: 200 at the old rate, and 60 more by the rate.
    expect(leaf).to.deep.include({ path: ['Net_0', 'A_0', 'mm'], change: 160, aligned: 'tree', cause: 'shape' });
    expect(leaf?.effects).to.deep.equal({ count: 0, shape: 100, rate: 60 });
    expect(leaf?.name).to.equal('Net_0:A_0:mm');
  });

  it('compares the calls of an op in their order, if all steps have the same number of them', () => {
    const step = (number: number, ...times: number[]): Kernels =>
      times.map((dur) => ({ step: number, layer: ['A_0'], op: ['add'], dur }));
    const base = [...step(0, 10, 50), ...step(1, 12, 50)];
    const next = [...step(0, 10, 80), ...step(1, 10, 80)];
    expect(leafLines(base, next)).to.deep.equal(['A_0/add/call 1 tree unknown -1', 'A_0/add/call 2 tree unknown 30']);
    // A step with one call more: 4 calls of 122 in 2 steps, and 5 of 190. Half a call a step more, of 30.5 each.
    const [leaf] = leavesOf(treeOf(base, [...next, ...step(1, 10)]));
    expect(leaf).to.deep.include({ path: ['A_0', 'add'], change: 34 });
    expect(leaf?.effects).to.deep.equal({ count: 15.25, unknown: 18.75 });
  });

  it('knows the calls of ops by their number, and kernels of one call by their place in it', () => {
    const numbered = (id: number, dur: number): Partial<KernelRecord> => ({
      ...{
        layer: ['A_0'],
        op: ['foo'],
        calls: [{ mod: 'torch', op: 'foo', args: [] }],
        callIds: [id],
        callKernels: [2],
        dur,
      },
    });
    const base = [numbered(1, 10), numbered(1, 5), numbered(2, 20), numbered(2, 5)];
    const marked = [1, 1, 2, 2].map((seq, i) => ({ layer: ['A_0'], op: ['foo'], seq: [seq], sub: i % 2, dur: 10 }));
    expect(leafLines(base, marked)).to.deep.equal(['A_0/foo/call 1 tree unknown 5', 'A_0/foo/call 2 tree unknown -5']);
  });

  it('says new and gone, and moves what is left to the same op of another layer', () => {
    const base = [
      { layer: ['A_0'], op: ['relu'], dur: 10 },
      { layer: ['B_0'], op: ['dropout'], dur: 20 },
    ];
    const next = [{ layer: ['C_0'], op: ['relu'], dur: 13 }, { layer: ['C_0'], op: ['gelu'], dur: 7 }]; // prettier-ignore
    expect(leafLines(base, next)).to.deep.equal([
      'B_0/dropout null gone -20',
      'C_0/gelu null new 7',
      '[same op elsewhere]/relu op unknown 3',
    ]);
  });

  it('takes an op for the same in place, by the library of another vendor, and in a wrapped model', () => {
    const base = [
      { layer: ['Net_0'], op: ['cudnn_convolution_backward'], dir: 'bprop' as const, dur: 10 },
      { layer: ['Net_0'], op: ['add_'], dur: 5 },
    ];
    const next = [{ layer: ['DistributedDataParallel_0', 'Net_0'], op: ['miopen_convolution_backward'], dir: 'bprop' as const, dur: 13 }, { layer: ['OptimizedModule_0', 'Net_0'], op: ['add'], dur: 5 }]; // prettier-ignore
    expect(leafLines(base, next)).to.deep.equal([
      'Net_0/add tree same 0',
      'Net_0/convolution_backward (bprop) tree unknown 3',
    ]);
  });

  it('aligns ops with the kernel of the layer that was fused from them, and the reverse', () => {
    const apart = [
      { layer: ['Net_0', 'A_0'], op: ['add'], dur: 10 },
      { layer: ['Net_0', 'B_0'], op: ['relu'], dur: 12 },
      { layer: ['Net_0', 'B_0'], op: ['mm'], dur: 50 },
    ];
    const name = 'triton_poi_fused_add_relu_0';
    const fused = [{ layer: ['Net_0'], name, short: name, dur: 15 }, { layer: ['Net_0', 'B_0'], op: ['mm'], dur: 50 }]; // prettier-ignore
    expect(leafLines(apart, fused)).to.deep.equal(['Net_0/B_0/mm tree same 0', 'Net_0/add+relu fusion fused -7']);
    expect(leafLines(fused, apart)).to.deep.equal(['Net_0/B_0/mm tree same 0', 'Net_0/add+relu fusion unfused 7']);
  });

  it('aligns attention in one op with the ops that computed it before, and only with a softmax', () => {
    const eager = ['matmul', 'div', 'softmax', 'matmul'].map((op, i) => ({ layer: ['Attention_0'], op: [op], dur: 10 + i })); // prettier-ignore
    const one = [{ layer: ['Attention_0'], op: ['scaled_dot_product_attention'], dur: 20 }];
    expect(leafLines(eager, one)).to.deep.equal(['Attention_0/matmul+div+softmax fusion fused -26']);
    const without = eager.filter(({ op }) => op[0] !== 'softmax');
    expect(leafLines(without, one)).to.include('Attention_0/matmul null gone -23');
  });

  it('aligns kernels without an op by name, then by category, and no different ops by their kernel', () => {
    const unnamed = (short: string, dur: number): Partial<KernelRecord> => ({ name: short, short, dur });
    const base = [unnamed('scan', 10), unnamed('ampere_sgemm_128x64_tn', 100), unnamed('odd', 1)];
    const next = [{ ...unnamed('scan', 12), layer: ['A_0'] }, unnamed('Cijk_Ailk_Bljk_SB_MT64x64', 70)];
    expect(leafLines(base, next)).to.deep.equal([
      '[same category]/gemm category unknown -30',
      '[same kernel elsewhere]/scan kernel unknown 2',
      'odd null gone -1',
    ]);
    const known = (op: string): Partial<KernelRecord> => ({ op: [op], short: 'vectorized_elementwise_kernel' });
    expect(leafLines([known('mul')], [known('div')])).to.deep.equal(['div null new 10', 'mul null gone -10']);
  });

  it('sums up layers, shows the parts of each that changed most, and the others in one row', () => {
    const of = (...times: number[]): Kernels =>
      times.map((dur, i) => ({ layer: ['Net_0', i < 3 ? 'A_0' : 'B_0'], op: [`op${i}`], dur }));
    const { tree } = compare(of(10, 10, 10, 40, 50), of(30, 11, 12, 40, 90));
    if (tree === null) throw new Error('no tree');
    const rows = [...shownNodes(tree.top, { top: 1, least: 0 }, tree.settings)];
    expect(rows.map(({ name, level, change, share }) => [name, level, change, share?.toFixed(2)])).to.deep.equal([
      ['total', 0, 63, '100.00'],
      ['Net_0', 1, 63, '100.00'],
      ['B_0', 2, 40, '63.49'],
      ['op4', 3, 40, '63.49'],
      ['op3', 3, 0, '0.00'],
      ['A_0', 2, 23, '36.51'],
    ]);
    const brief = [...shownNodes(tree.top, { top: Infinity, least: 20 }, tree.settings)];
    expect(brief.map(({ name, change }) => [name, change]).slice(-3)).to.deep.equal([['A_0', 23], ['op0', 20], ['[2 more]', 3]]); // prettier-ignore
  });

  it('measures the gap between time and what the device could do, of each input', () => {
    const profile = (name: string): ProfileLine => neuronProfile({ devices: [{ ...{ id: 0, vendor: 'nvidia', name, arch: null, units: null }, clockHz: null, memBytesPerS: null, memBytes: null }] }); // prettier-ignore
    const comparison = comparisonOf([profile('NVIDIA H100 80GB HBM3')], [profile('AMD Instinct MI300X')]);
    for (const which of ['base', 'new'] as const) {
      comparison.take(
        which,
        kernel({ ...product(4096, {}), calls: [mm(4096, 4096, 4096, 'bfloat16')], dur: 1_000_000 }),
      );
      comparison.end(which);
    }
    const top = comparison.tree?.top;
    // 2·4096³ = 137.4 GFLOP take 138.9 us at 989.4 TFLOP/s, and 105.1 us at 1307.4 TFLOP/s.
    expect(top?.base.gap).to.be.closeTo(1000 / 138.9, 0.02);
    expect(top?.new.gap).to.be.closeTo(1000 / 105.1, 0.02);
  });

  it('adds up to the whole change, in every node and over causes', () => {
    const names = ['add', 'relu', 'mm', 'softmax', 'scaled_dot_product_attention'];
    const anyKernel = fc.record({
      layer: fc.subarray(['Net_0', 'A_0', 'B_0']),
      op: fc.oneof(fc.constant([]), fc.constantFrom(...names).map((op) => [op])),
      short: fc.constantFrom('k', 'triton_poi_fused_add_relu_0', 'ampere_sgemm_128x64_tn', 'scan'),
      step: fc.constantFrom(null, 0, 1, 2),
      dir: fc.constantFrom('fprop' as const, 'bprop' as const),
      dur: fc.integer({ min: 1, max: 1_000_000 }),
      sub: fc.integer({ min: 0, max: 2 }),
      seq: fc.constantFrom([1], [2], []),
    }); // prettier-ignore
    const kernels = fc.array(anyKernel, { minLength: 1, maxLength: 40 }).map((all) => all.map((one) => ({ ...one, name: one.short }))); // prettier-ignore
    fc.assert(
      fc.property(kernels, kernels, (base, next) => {
        const { tree } = compare(base, next);
        if (tree === null) throw new Error('no tree');
        const { top, settings: { steps } } = tree; // prettier-ignore
        const leaves = leavesOf(top);
        // Whole ns, so that sums are exact: in units of a ns per step of both inputs.
        const scaled = ({ base: { time: before }, new: { time: after } }: ChangeNode): number => after * steps.base - before * steps.new; // prettier-ignore
        const time = (all: Kernels): number => all.reduce((sum, { dur }) => sum + (dur ?? 0), 0);
        const whole = time(next) * steps.base - time(base) * steps.new;
        expect(leaves.reduce((sum, leaf) => sum + scaled(leaf), 0)).to.equal(whole);
        const nodes = [...shownNodes(top, { top: 2, least: 0 }, tree.settings)];
        for (const node of [...nodes, ...leaves]) {
          if (node.parts.length > 0) expect(node.parts.reduce((sum, part) => sum + scaled(part), 0)).to.equal(scaled(node)); // prettier-ignore
          const parts = Object.values(node.effects).reduce((sum, ns) => sum + ns, 0);
          expect(parts).to.be.closeTo(node.change, 1e-6 * (1 + node.each.base + node.each.new));
        }
      }),
    );
  });
});
