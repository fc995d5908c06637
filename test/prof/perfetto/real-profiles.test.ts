/** Traces of whole profiles show each record once, in both formats, and nothing else. */
import { type CellValue } from '../../../src/table/column.js';
import { expect } from 'chai';
import { join } from 'node:path';
import { openProfile } from '../../../src/parse/find.js';
import { readProfile } from '../../../src/parse/profile.js';
import { COLUMNS } from '../../../src/prof/columns/columns.js';
import type { ProfileLine } from '../../../src/record/record.js';
import { annotate } from '../../support/rows.js';
import { itEachShared, ROOT } from '../../support/shared.js';
import { chrome, cutOnes, expectedOf, foundIn, traced } from '../../support/trace-events.js';

const zeroOf = (records: readonly ProfileLine[]): bigint => {
  const [first] = records;
  return BigInt(first?.type === 'profile' ? (first.startUnixNs ?? 0) : 0);
};

async function check(path: string): Promise<void> {
  const { source } = await openProfile(path);
  const records = [...readProfile(source.path, { profile: 0, name: source.name, ranges: true })];
  source.dispose();
  const { shown, events } = traced(records);
  const expected = expectedOf(records);
  expect(foundIn(shown, zeroOf(records))).to.deep.equal(expected);
  expect(events.counts).to.include({ untimed: 0, crowded: 0, slices: expected.slices.length });
  expect(events.counts).to.include({ arrows: expected.arrows.length, counters: expected.counters.length });

  // FLOPs and bytes of a kernel are those of the report's columns.
  const amounts = (flops: CellValue = null, bytes: CellValue = null): string => JSON.stringify([flops, bytes]);
  const kernels = shown.events.filter(({ category }) => category === 'kernel');
  const columns = COLUMNS.filter(({ key }) => key === 'flops' || key === 'bytes');
  const rows = annotate(records).map((row) => columns.map((column) => column.value(row)));
  expect(kernels.map(({ args }) => amounts(args['flops'], args['bytes'])).sort()).to.deep.equal(
    rows.map(([flops, bytes]) => amounts(flops, bytes)).sort(),
  );

  const { traceEvents } = chrome(records);
  const count = (phase: string): number => traceEvents.filter(({ ph }) => ph === phase).length;
  expect([count('X'), count('s'), count('f'), count('C')]).to.deep.equal([
    expected.slices.length,
    expected.arrows.length,
    expected.arrows.length,
    expected.counters.length,
  ]);
  expect(cutOnes(traceEvents)).to.deep.equal([]);
}

const SAMPLES = [
  ...['lenet.nsys.sqlite', 'transformer.nsys.sqlite', 'lenet.nvprof.sql', 'transformer.nvprof.sql'],
  ...['lenet.pt.trace.json.gz', 'lenet-2021.pt.trace.json', 'attention.ntff', 'attention.neuron.json'],
  ...['ascend_pytorch_profiler_0.db', 'ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json', 'neuron-monitor.jsonl'],
];
const OTHERS = [
  ...['data/kineto/h100_vit.json.gz', 'data/kineto/mi300_resnet_training.json.gz', 'data/nsys/fsdp_2proc.sqlite'],
];
const SHARED = [
  ...['data/kineto/mi300_norm_layers_training.json.gz', 'data/kineto/mi300_hipgraph_decode.json.gz'],
  ...['data/nsys/cuda_graph_rtx3060.sqlite', 'data/nsys/vsr_a100_pyprof.sqlite'],
  ...['data/nvprof/nccl_8v100.nvvp', 'data/nvprof/lm_v100.net.sql'],
  'data/neuron/trn2_fused_bf16_s512/fused_exec_2.ntff',
  'data/ascend/db_level1_rank1/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_1.db',
];

describe('traces of whole profiles', () => {
  for (const name of SAMPLES) {
    it(`show the records of ${name}`, () => check(join(ROOT, 'samples', name)));
  }
  itEachShared(SHARED, OTHERS, (name) => `show the records of ${name}`, check);
});
