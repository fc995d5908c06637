/** What `dprof perfetto` writes of a profile is read back from its trace. */
import { expect } from 'chai';
import { basename, join } from 'node:path';
import { COLUMNS } from '../../../../src/prof/columns/columns.js';
import type { CellValue } from '../../../../src/table/column.js';
import type { Device, ProfileLine } from '../../../../src/record/record.js';
import { freshPath } from '../../../support/fresh-path.js';
import { kernel } from '../../../support/kernels.js';
import { headerOf, openedRecordsOf, recordsOf } from '../../../support/profile-records.js';
import { annotate } from '../../../support/rows.js';
import { runCli } from '../../../support/run-cli.js';
import { itEachShared, ROOT } from '../../../support/shared.js';
import { profile } from '../../../support/trace-events.js';

const KEYS = ['kernel', 'long', 'start', 'sil', 'device', 'stream', 'api', 'pid', 'tid', 'corr', 'op', 'mod', 'layer', 'dir', 'grid', 'block', 'ranges', 'step', 'collective', 'group', 'ranks', 'algbytes', 'trace', 'params', 'dtype', 'tc', 'flops', 'bytes', 'tflops', 'bound', 'occ', 'operands']; // prettier-ignore

/** Cells of each kernel; kernels that start together are in no order. */
function cellsOf(records: readonly ProfileLine[], keys: readonly string[]): string[] {
  const columns = COLUMNS.filter(({ key }) => keys.includes(key));
  return annotate(records).map((row) => JSON.stringify(columns.map((column): CellValue => column.value(row)))).sort(); // prettier-ignore
}

const countsOf = (records: readonly ProfileLine[]): Readonly<Record<string, number>> => {
  const last = records.at(-1);
  const { kernel, copy, set, sync, graph, collective, notice, tensor, layer } = last?.type === 'end' ? last.counts : {};
  return { kernel, copy, set, sync, graph, collective, notice, tensor, layer } as Record<string, number>;
};

/** Records of other kinds than kernels, without where they were launched. */
const othersIn = (records: readonly ProfileLine[]): string[] =>
  records
    .filter(({ type }) => ['copy', 'set', 'sync', 'notice', 'tensor', 'layer'].includes(type))
    .map((record) =>
      JSON.stringify(
        Object.entries(record)
          .filter(([key]) => !PLACE.has(key))
          .sort(),
      ),
    )
    .sort();
const PLACE = new Set(['profile', 'pid', 'tid', 'corr', 'launch', 'othersWait', 'graph']);

/** What a profile states of its devices; a trace states their ranks too. */
const devicesOf = (records: readonly ProfileLine[]): readonly Device[] => {
  const [first] = records;
  return first?.type === 'profile' ? first.devices.map((device) => ({ ...device, rank: 0 })) : [];
};

async function check(path: string, keys: readonly string[]): Promise<void> {
  const trace = freshPath('.pftrace');
  expect((await runCli('dprof', ['perfetto', '-q', '-o', trace, path])).code).to.equal(0);
  const [before, after] = [await openedRecordsOf(path, { name: path }), recordsOf(trace)];
  expect(cellsOf(after, keys)).to.deep.equal(cellsOf(before, keys));
  expect(countsOf(after)).to.deep.equal(countsOf(before));
  expect(othersIn(after)).to.deep.equal(othersIn(before));
  expect(devicesOf(after)).to.deep.include.members([...devicesOf(before)]);
}

const SAMPLES = [
  ...['lenet.nsys.sqlite', 'transformer.nsys.sqlite', 'lenet.nvprof.sql', 'lenet.pt.trace.json.gz'],
  ...['lenet-2021.pt.trace.json', 'decoder.pt.trace.json.gz', 'decoder.rpd', 'mlp_results.db'],
  ...['matmul_kernel_trace.csv', 'softmax_results.json', 'saxpy_rocprof.db', 'step-gpu.xplane.pb'],
  ...['step-tpu.xplane.pb', 'ascend_pytorch_profiler_0.db', 'gemm_results.pftrace', 'linear.pftrace'],
  'job/rank_0.pt.trace.json.gz',
];
const SHARED = ['data/kineto/h100_vit.json.gz', 'data/kineto/mi300_hipgraph_decode.json.gz'];
const MORE_SHARED = ['data/nsys/fsdp_2proc.sqlite'];

describe('Traces of dprof perfetto', () => {
  for (const name of SAMPLES) it(`give back the kernels of ${name}`, () => check(join(ROOT, 'samples', name), KEYS));

  for (const name of ['attention.ntff', 'attention.neuron.json'])
    it(`give back the instructions of ${name}`, () => check(join(ROOT, 'samples', name), KEYS));

  it('give back the profiler, the ranks of a job, and samples', async () => {
    const trace = freshPath('.pftrace');
    const files = [0, 1].map((rank) => join(ROOT, `samples/job/rank_${rank}.pt.trace.json.gz`));
    await runCli('dprof', ['perfetto', '-q', '-o', trace, ...files]);
    const { tool, facts, devices } = headerOf(trace);
    expect([tool, facts?.['source_format']]).to.deep.equal(['PyTorch Profiler', 'kineto']);
    expect(devices.map(({ rank }) => rank)).to.deep.equal([0, 1]);
    const [first, second] = await Promise.all(files.map((file) => openedRecordsOf(file, { name: basename(file) })));
    const kernels = [first, second].flatMap((records = []) => records.filter(({ type }) => type === 'kernel'));
    expect(recordsOf(trace).filter(({ type }) => type === 'kernel')).to.have.length(kernels.length);
  });

  it('give back labels of samples: texts as texts, whatever is in them, and numbers as numbers', async () => {
    const labels = { core: '007', bank: '7', size: 7, rate: -1.5e30, kind: 'L2 "read" a=b', path: 'a\\b', hex: '0x10', none: '' }; // prettier-ignore
    const at = { type: 'sample', profile: 0, device: 0, unit: 'bytes' } as const;
    const samples = [
      { ...at, start: 5, metric: 'memory', value: 1, labels },
      { ...at, start: null, metric: 'total', value: 2, labels: { ...labels, last: 'x (y)' } },
    ];
    const end = { type: 'end', profile: 0, counts: {}, diagnostics: {} };
    const input = [profile(), kernel({ start: 1, launch: null }), ...samples, end].map((line) => `${JSON.stringify(line)}\n`); // prettier-ignore
    const trace = freshPath('.pftrace');
    expect((await runCli('dprof', ['perfetto', '-q', '-o', trace], { input: input.join('') })).code).to.equal(0);
    const read = recordsOf(trace).flatMap((record) => (record.type === 'sample' ? [[record.metric, record.value, record.labels]] : [])); // prettier-ignore
    expect(read).to.have.deep.members(samples.map(({ metric, value, labels: all }) => [metric, value, all]));
  });

  itEachShared(SHARED, MORE_SHARED, (name) => `give back the kernels of ${name}`, (path) => check(path, KEYS)); // prettier-ignore

  const TPU = ['data/xplane/tpu_v6e_4.xplane.pb'];
  itEachShared(TPU, [], (name) => `give back the collectives of ${name}`, (path) => check(path, ['kernel', 'collective', 'algbytes'])); // prettier-ignore
});
