import { expect } from 'chai';
import { join } from 'node:path';
import type { OpTotal } from '../../../../src/prof/html/kernels/kernel-data.js';
import { PAGE_TYPES } from '../../../../src/prof/html/page-builder.js';
import { OpTotals } from '../../../../src/prof/html/kernels/op-totals.js';
import type { KernelRecord, ProfileLine } from '../../../../src/record/record.js';
import { openSource } from '../../../../src/sources/sources.js';
import { groupsOf, valuesOf } from '../../../support/groups.js';
import { kernel, mm } from '../../../support/kernels.js';
import { pageDataOf } from '../../../support/pages.js';
import { annotate } from '../../../support/rows.js';
import { itEachShared, ROOT } from '../../../support/shared.js';

const COLUMNS = 'op,count,total,share,flops,bytes,tflops,gbps,peak,bw,tcshare';
const HOST = `${COLUMNS},passes,host,hostself`;

async function recordsOf(path: string): Promise<ProfileLine[]> {
  const { batches, close } = await openSource(path, {}, { types: PAGE_TYPES });
  try {
    const records: ProfileLine[] = [];
    for await (const batch of batches) for (const record of batch) records.push(record);
    return records;
  } finally {
    close();
  }
}

const scaled = (value: number | null, factor: number): number | null => (value === null ? null : value * factor);

/** An op as `dprof --by op -f json` has it. */
const asGroup = (op: OpTotal, whole: number | null): Record<string, unknown> => ({
  // Kernels of a profile without devices are 0 in an answer, which lists them; whether there were any is not known.
  ...{ op: op.op, count: op.count ?? 0, total: Math.round(op.time ?? 0) },
  share: (whole ?? 0) > 0 ? (100 * (op.time ?? 0)) / (whole ?? 0) : null,
  ...{ flops: op.flops, bytes: op.bytes, passes: op.passes, host: op.host, hostself: op.hostSelf },
  ...{ tflops: scaled(op.flopsPerS, 1e-12), gbps: scaled(op.bytesPerS, 1e-9) },
  ...{ peak: scaled(op.ofCompute, 100), bw: scaled(op.ofMemory, 100), tcshare: scaled(op.tc, 100) },
});

/** Numbers up to the rounding of a change of units. */
const rounded = (row: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([key, value]) => [key, typeof value === 'number' ? Number(value.toPrecision(12)) : value]),
  );

async function check(path: string): Promise<void> {
  const records = await recordsOf(path);
  const { profiles } = pageDataOf(records);
  expect(profiles).to.have.length(1);
  for (const { ops } of profiles) {
    const groups = valuesOf(groupsOf(records, { by: 'op', columns: HOST }));
    expect(ops.count).to.equal(groups.length);
    const byOp = new Map(groups.map((group) => [group['op'], group]));
    for (const op of ops.shown) {
      const group = byOp.get(op.op);
      expect(rounded(asGroup(op, ops.time)), String(op.op)).to.deep.equal(rounded(group ?? {}));
      expect(op.within ?? 0).to.be.at.least(op.time ?? 0);
    }
  }
}

const SAMPLED = [
  'data/kineto/mi300_norm_layers_training.json.gz',
  'data/kineto/mi300_hipgraph_decode.json.gz',
  'data/nsys/vsr_a100_pyprof.sqlite',
  'data/neuron/trn2_fused_bf16_s512',
  'data/ascend/db_level1_rank1',
];
const OTHERS = [
  ...['data/kineto/h100_vit.json.gz', 'data/kineto/mi300_resnet_training.json.gz'],
  'data/nsys/fsdp_2proc.sqlite',
];

describe('totals of ops', () => {
  for (const name of ['lenet.nsys.sqlite', 'attention.ntff', 'ascend_pytorch_profiler_0.db'])
    it(`are those of dprof --by op of ${name}`, () => check(join(ROOT, 'samples', name)));
  itEachShared(SAMPLED, OTHERS, (name) => `are those of dprof --by op of ${name}`, check);

  const totalsOf = (kernels: readonly Partial<KernelRecord>[], totals = new OpTotals(), nodes = 100) => {
    for (const row of annotate(kernels.map((fields) => kernel(fields)))) totals.add(row);
    return totals.totals(2, 2, nodes);
  };

  it('have the kernels of ops within, and each launch once', () => {
    const calls = [{ ...mm(64, 64, 64), op: 'linear' }, mm(64, 64, 64)];
    const launch = { api: 'launch', start: 5, dur: 3 };
    const { ops } = totalsOf([
      { calls, op: ['linear', 'mm'], dur: 10, tid: 1, launch },
      { calls, op: ['linear', 'mm'], dur: 20, tid: 1, launch },
      { calls: [mm(64, 64, 64)], op: ['mm'], dur: 4, tid: 1, launch: { ...launch, start: 50 } },
      { calls: [], op: [], dur: 1, launch: null, name: 'x', short: 'x' },
    ]);
    expect(ops.shown.map(({ op, count, time, within, launch }) => [op, count, time, within, launch])).to.deep.equal([
      ['linear', 2, 30, 30, 3],
      ['mm', 1, 4, 34, 3],
    ]);
    expect({ count: ops.count, restTime: ops.restTime, time: ops.time }).to.deep.equal({
      count: 3,
      restTime: 1,
      time: 35,
    });
  });

  it('are bounded: kernels of further ops are in the rest', () => {
    const kernels = ['a', 'b', 'c', 'a'].map((op, i) => ({ op: [op], calls: [], dur: 2 ** i }));
    const { ops } = totalsOf(kernels, new OpTotals(2));
    expect(ops.shown.map(({ op, time }) => [op, time])).to.deep.equal([['a', 9], ['b', 2]]); // prettier-ignore
    expect(ops.restTime).to.equal(4);
  });

  it('have their call stacks with the most time, whose frames are kept when others are left out', () => {
    const { ops, stacks } = totalsOf(
      [
        { op: ['a'], calls: [], dur: 8, trace: ['main', 'f'] },
        { op: ['a'], calls: [], dur: 4, trace: ['main', 'g'] },
        { op: ['a'], calls: [], dur: 2, trace: ['main', 'h'] },
        { op: ['a'], calls: [], dur: 8, trace: ['main', 'f'] },
        { op: ['b'], calls: [], dur: 1, trace: [] },
      ],
      new OpTotals(),
      2,
    );
    expect(stacks).to.deep.equal({
      ...{ frames: ['main', 'f', 'g'], parents: [-1, 0, 0], frameOf: [0, 1, 2] },
      ...{ counts: [4, 2, 1], times: [22, 16, 4], leftOut: 1 },
    });
    expect(ops.shown.map(({ stacks: own, stackCount }) => [own, stackCount])).to.deep.equal([
      [[{ node: 1, count: 2, time: 16 }, { node: 2, count: 1, time: 4 }], 3],
      [[], 0],
    ]); // prettier-ignore
  });
});
