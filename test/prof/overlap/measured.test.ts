/** `dprof overlap --measured`: counters of a GPU beside the kinds of work, from a made export, as no real one was available. */
import { expect } from 'chai';
import { NsightDatabase } from '../../support/nsight-database.js';
import { recordsOf } from '../../support/profile-records.js';
import { runCli } from '../../support/run-cli.js';

const [SMS, TENSOR, READ, CLOCK] = [3, 5, 18, 1];
/** hw 2, vm 1, source 7, type with GPU 4 in its lowest bits: more than a double holds exactly. */
const TYPE = (2n << 56n) | (1n << 48n) | (7n << 32n) | 0x1204n;

/** A product from 1000 to 2000 ns and an addition from 2000 to 3000, sampled every 250 ns from 500 to 3500. */
function database(): NsightDatabase {
  const db = new NsightDatabase();
  db.row('TARGET_INFO_GPU', { vmId: 0, id: 4, name: 'NVIDIA H100', cuDevice: 0 });
  db.row('TARGET_INFO_CUDA_DEVICE', { gpuId: 4, cudaId: 0, pid: 1000, numMultiprocessors: 132 });
  db.kernel(
    { start: 1000, end: 2000 },
    null,
    {},
    'sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1',
  );
  db.kernel({ start: 2000, end: 3000 }, null, {}, 'vectorized_elementwise_kernel');
  const names = { [SMS]: 'SMs Active [Throughput %]', [TENSOR]: 'Tensor Active [Throughput %]', [READ]: 'DRAM Read Bandwidth [Throughput %]', [CLOCK]: 'GPC Clock Frequency [MHz]' }; // prettier-ignore
  for (const [metricId, metricName] of Object.entries(names))
    db.row('TARGET_INFO_GPU_METRICS', { typeId: TYPE, sourceId: 7, typeName: 'General Metrics', metricId: Number(metricId), metricName }); // prettier-ignore
  // Of the four periods of the product, two have 60 % and two 80 %.
  const valuesAt = (timestamp: number): readonly [number, number, number] =>
    timestamp >= 1000 && timestamp < 2000
      ? [90, timestamp < 1500 ? 60 : 80, 10]
      : timestamp >= 2000 && timestamp < 3000
        ? [100, 0, 40]
        : [0, 0, 0];
  for (let timestamp = 500; timestamp <= 3500; timestamp += 250) {
    const [sms, tensor, read] = valuesAt(timestamp);
    for (const [metricId, value] of [[SMS, sms], [TENSOR, tensor], [READ, read], [CLOCK, 1980]] as const)
      db.row('GPU_METRICS', { rawTimestamp: timestamp + 7, timestamp, typeId: TYPE, metricId, value }); // prettier-ignore
  }
  return db;
}

describe('counters of a GPU in an Nsight Systems export', () => {
  it('stand beside the verdict on the matrix unit; a note says that their reading is unchecked', async () => {
    const { stdout, stderr, code } = await runCli('dprof', ['overlap', '--by', 'tc', '--measured', '-f', 'jsonl', database().write()]); // prettier-ignore
    expect(code, stderr).to.equal(0);
    expect(stderr).to.match(/by the published schema of Nsight Systems, which no real export was available to check/);
    const place = { profile: 0, device: 0 };
    expect(stdout.trimEnd().split('\n').map((row) => JSON.parse(row) as object)).to.deep.equal([
      { ...place, kind: '(idle)', periods: 4, time: 1000, sm_active: 0, tensor_active: 0, dram_read: 0, dram_write: null },
      { ...place, kind: '1', periods: 4, time: 1000, sm_active: 90, tensor_active: 70, dram_read: 10, dram_write: null },
      { ...place, kind: 'na', periods: 4, time: 1000, sm_active: 100, tensor_active: 0, dram_read: 40, dram_write: null },
    ]); // prettier-ignore
  });

  it('have periods of their own for each set of metrics of a GPU', async () => {
    const db = database();
    const typeId = TYPE + 0x100n;
    db.row('TARGET_INFO_GPU_METRICS', { typeId, sourceId: 7, typeName: 'Memory', metricId: 9, metricName: 'DRAM Write Bandwidth [Throughput %]' }); // prettier-ignore
    // From 1100 to 1600 ns only the product ran, from 2100 to 2600 ns only the addition, from 3100 to 3600 ns nothing.
    const samples = [600, 1, 1100, 20, 1600, 2, 2100, 30, 2600, 3, 3100, 0, 3600, 4];
    for (let i = 0; i < samples.length; i += 2)
      db.row('GPU_METRICS', { rawTimestamp: 0, timestamp: samples[i] ?? 0, typeId, metricId: 9, value: samples[i + 1] ?? 0 }); // prettier-ignore
    const { stdout } = await runCli('dprof', ['overlap', '--by', 'tc', '--measured', '-f', 'csv', db.write()]);
    expect(stdout.trimEnd().split('\n').slice(1)).to.deep.equal([
      '0,0,(idle),4,1000,0,0,0,0',
      '0,0,1,4,1000,90,70,10,20',
      '0,0,na,4,1000,100,0,40,30',
    ]);
  });

  it('leave out periods in which several kinds ran', async () => {
    const db = database();
    db.kernel({ start: 1100, end: 1200 }, null, {}, 'reduce_kernel');
    const { stdout } = await runCli('dprof', ['overlap', '--by', 'kernel', '--measured', '-f', 'csv', '-c', 'kind,periods,tensor_active', db.write()]); // prettier-ignore
    expect(stdout.split('\n').find((row) => row.startsWith('sm90'))).to.match(/,3,73\.33/);
    expect(stdout).to.not.match(/reduce/);
  });

  it('come in order of start time, also when one GPU is sampled less often than another', async () => {
    const db = new NsightDatabase();
    for (const [id, cudaId] of [
      [4, 0],
      [5, 1],
    ] as const) {
      db.row('TARGET_INFO_GPU', { vmId: 0, id, name: 'NVIDIA H100', cuDevice: cudaId });
      db.row('TARGET_INFO_CUDA_DEVICE', { gpuId: id, cudaId, pid: 1000, numMultiprocessors: 132 });
      const typeId = TYPE + BigInt(id - 4);
      db.row('TARGET_INFO_GPU_METRICS', { typeId, sourceId: 7, typeName: 'General Metrics', metricId: SMS, metricName: 'SMs Active [Throughput %]' }); // prettier-ignore
      for (let timestamp = 0; timestamp <= 2000; timestamp += id === 4 ? 1000 : 100)
        db.row('GPU_METRICS', { rawTimestamp: timestamp, timestamp, typeId, metricId: SMS, value: 50 });
    }
    // Device 0 works until 1000 in two kernels; the second begins before the first period has ended.
    for (const start of [0, 500]) db.kernel({ start, end: start + 500 }, null, {}, 'k');
    const path = db.write();
    const starts = recordsOf(path, { derived: true }).flatMap((record) => record.type === 'sample' && record.metric.startsWith('gpu_') ? (record.start ?? NaN) : []); // prettier-ignore
    expect(starts).to.deep.equal(starts.toSorted((a, b) => a - b));
    const { stdout } = await runCli('dprof', ['overlap', '--by', 'kernel', '--measured', '-f', 'csv', '-c', 'device,kind,periods', path]); // prettier-ignore
    expect(stdout.trimEnd().split('\n').slice(1).sort()).to.deep.equal(['0,(idle),1', '0,k,1', '1,(idle),20']);
  });

  it('are read only when asked for', () => {
    const path = database().write();
    const countOf = (derived: boolean): number => recordsOf(path, { derived }).filter((record) => record.type === 'sample' && record.metric.startsWith('gpu_')).length; // prettier-ignore
    // Three metrics of twelve periods; the last sample has no end.
    expect([countOf(false), countOf(true)]).to.deep.equal([0, 36]);
  });

  it('are missed with what records them', async () => {
    const db = new NsightDatabase();
    db.kernel({ start: 1000, end: 2000 }, null, {}, 'k');
    const { stderr } = await runCli('dprof', ['overlap', '--measured', db.write()]);
    expect(stderr).to.match(/no GPU counters \(nsys profile --gpu-metrics-devices=all records them/);
  });
});
