/** Facts of kernels in the timeline: as `--explain` words them, held once for equal kernels, within bounds. */
import { expect } from 'chai';
import { packed } from '../../../page/timeline/fixture.js';
import { FactTable, NO_FACTS, UsedFacts } from '../../../../src/prof/html/timeline/fact-table.js';
import { factsOf, loadFacts } from '../../../../src/page/timeline/events/kernel-facts.js';
import { explain, repeatedFacts } from '../../../../src/prof/report/explain.js';
import type { Annotated } from '../../../../src/prof/annotate.js';
import { completeKernel } from '../../../../src/record/fields/record-fields.js';
import type { KernelRecord, OpCall, ProfileLine } from '../../../../src/record/record.js';
import { mm } from '../../../support/kernels.js';
import { packet } from '../../../support/neuron.js';
import { annotate } from '../../../support/rows.js';
import { recordsOf } from '../../../support/profile-records.js';
import { fileOf, rowsOf, traceOf, TRACES } from '../../../support/kineto.js';
import { itEachShared } from '../../../support/shared.js';

const SAMPLES = ['samples/lenet-2021.pt.trace.json', 'samples/transformer.nsys.sqlite', 'samples/lenet.nvprof.sql'];
/** One object, as calls that repeat. */
const NONE: readonly OpCall[] = [];

/** Kernels that differ in one thing from another. */
const CHANGED: Readonly<Record<string, (kernel: KernelRecord) => KernelRecord>> = {
  grid: (kernel) => ({ ...kernel, grid: [1, 2, 3] }),
  'no grid': (kernel) => ({ ...kernel, grid: null }),
  block: (kernel) => ({ ...kernel, block: [32, 3, 1] }),
  registers: (kernel) => ({ ...kernel, registers: (kernel.registers ?? 0) + 100 }),
  'a register that limits nothing': (kernel) => ({ ...kernel, registers: (kernel.registers ?? 0) + 1 }),
  'shared memory': (kernel) => ({ ...kernel, sharedBytes: (kernel.sharedBytes ?? 0) + 50_000 }),
  graph: (kernel) => ({ ...kernel, graph: { id: 1, node: kernel.id } }),
  'origin of a graph': (kernel) => ({ ...kernel, graph: { id: 1, node: 2, from: 'capture', capture: 'c.json' } }),
  'generated source': (kernel) => ({ ...kernel, labels: { kernel_file: 'a.py' } }),
  direction: (kernel) => ({ ...kernel, dir: kernel.dir === 'fprop' ? 'bprop' : 'fprop' }),
  forward: (kernel) => ({ ...kernel, forward: { mod: 'aten', op: 'x', tid: 1, start: 0 } }),
  'another forward': (kernel) => ({
    ...kernel,
    forward: { mod: `m${kernel.id}`, op: `o${kernel.id}`, tid: 1, start: 0 },
    calls: NONE,
  }),
  trace: (kernel) => ({ ...kernel, trace: [...kernel.trace, 'a.py:1'] }),
  name: (kernel) => ({ ...kernel, name: `triton_poi_fused_add_mul_${kernel.id}`, short: 'triton' }),
  calls: (kernel) => ({ ...kernel, calls: [mm(64, 128, 32)] }),
  'no calls': (kernel) => ({ ...kernel, calls: NONE }),
  'kernels of a call': (kernel) => ({
    ...kernel,
    callIds: kernel.calls.map((_, i) => 1000 * kernel.id + i),
    callKernels: kernel.calls.map(() => 2),
  }),
  duration: (kernel) => ({ ...kernel, dur: 1000 * (kernel.dur ?? 1) }),
  device: (kernel) => ({ ...kernel, device: 99 }),
  'sequence id': (kernel) => ({ ...kernel, dir: 'bprop', seq: [kernel.id + 100_000], calls: NONE }),
};
/** Lines of `--explain` that name a time, or another kernel. */
const OWN = new Set(['grid, block', 'forward', 'direction']);

async function listedFacts(table: FactTable, rows: readonly Annotated[]) {
  const used = new UsedFacts(table, (text) => text);
  const numbers = rows.map((row) => used.numberOf(table.numberOf(row)));
  const lists = await loadFacts(used.packed);
  return { lists, facts: numbers.map((number) => factsOf(lists, number)) };
}

/** Each kernel's facts are among what `--explain` says of it. */
async function expectExplained(rows: readonly Annotated[]): Promise<void> {
  const { lists, facts } = await listedFacts(new FactTable(), rows);
  for (const [i, row] of rows.entries()) {
    const explained = new Set(explain(row));
    const own = facts[i] ?? [];
    expect(own).to.have.length.above(3);
    const others = own
      .filter(([label]) => !OWN.has(label))
      .map(([label, text]) => `${label.padEnd(10)} ${text}`.trimEnd())
      .filter((line) => !explained.has(line));
    expect(others, row.record.name).to.deep.equal([]);
  }
  expect(lists.ends.length).to.be.at.most(rows.length + 1);
}

describe('facts of kernels in the timeline', () => {
  for (const sample of SAMPLES)
    it(`are what --explain says of each kernel of ${sample}`, async () => {
      await expectExplained(annotate(recordsOf(sample)));
    });
  /** Inference, training, graphs that are replayed, and a trace without the host. */
  const SAMPLED: readonly string[] = [
    ...['h100_vit', 'b200_rank0of8', 'mi300_norm_layers_training', 'mi300_hipgraph_decode', 'mi210_gpu_only'],
  ];
  itEachShared(
    SAMPLED.map(fileOf),
    TRACES.filter((trace) => !SAMPLED.includes(trace)).map(fileOf),
    (file) => `are what --explain says of each kernel of ${traceOf(file)}`,
    async (_, file) => {
      await expectExplained(await rowsOf(traceOf(file)));
    },
  );

  it('are those of its own duration, where equal kernels take longer', async () => {
    const slow = recordsOf('samples/transformer.nsys.sqlite').flatMap((record): ProfileLine[] =>
      record.type === 'kernel' ? [record, { ...record, dur: 1000 * (record.dur ?? 0) }] : [record],
    );
    await expectExplained(annotate(slow));
  });

  it('are held once for equal kernels', async () => {
    const rows = annotate(recordsOf('samples/transformer.nsys.sqlite'));
    const { lists } = await listedFacts(new FactTable(), [...rows, ...rows, ...rows]);
    const { lists: once } = await listedFacts(new FactTable(), rows);
    expect(lists).to.deep.equal(once);
  });

  it('are those of each kernel, whatever it differs in from an equal one before', async () => {
    const records = recordsOf('samples/transformer.nsys.sqlite');
    for (const [what, changed] of Object.entries(CHANGED)) {
      const pairs = records.flatMap((record): ProfileLine[] =>
        record.type === 'kernel' ? [record, changed(completeKernel(record))] : [record],
      );
      const rows = annotate(pairs);
      const { facts } = await listedFacts(new FactTable(), rows);
      for (const [i, row] of rows.entries())
        expect(facts[i], what).to.deep.equal(repeatedFacts(row).map(([label, text]) => [label, text]));
    }
  });

  it('beyond the bounds of the table are left out', () => {
    const rows = annotate(recordsOf('samples/transformer.nsys.sqlite'));
    const table = new FactTable({ lists: 5, text: 1 << 20 });
    const numbers = new Set(rows.map((row) => table.numberOf(row)));
    expect([...numbers].sort()).to.deep.equal([NO_FACTS, 1, 2, 3, 4, 5]);
  });

  it('of a list that does not exist, or of damaged numbers, are none', async () => {
    const lists = await loadFacts({
      texts: ['a', 'b'],
      pairs: packed('u32', [0, 1, 0, 9]),
      ends: packed('u32', [0, 4]),
    });
    expect(factsOf(lists, 1)).to.deep.equal([
      ['a', 'b'],
      ['a', 'na'],
    ]);
    for (const list of [0, 2, 99]) expect(factsOf(lists, list)).to.deep.equal([]);
  });

  it('are those that packets of a transfer share', () => {
    const table = new FactTable();
    const labels = { variable: 'k', source: 'HBM', dest: 'SB', transfer: 'sg00:SP:2' };
    const first = table.numberOfPacket(packet('hardware_dynamic', 0, 5, 512, { labels }));
    expect(table.numberOfPacket(packet('hardware_dynamic', 9, 5, 512, { labels: { id: '1', ...labels } }))).to.equal(first);
    expect(table.textsOf(first)).to.deep.equal(['tensor', 'k', 'source', 'HBM', 'destination', 'SB', 'transfer', 'sg00:SP:2']);
    expect(table.numberOfPacket(packet('instruction', 0, 5, 512))).to.equal(NO_FACTS);
  }); // prettier-ignore
});
