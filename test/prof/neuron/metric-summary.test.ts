import { expect } from 'chai';
import { idleCoresText } from '../../../src/prof/neuron/machine.js';
import { MetricSummaries, type MetricRow, type MetricSummary } from '../../../src/prof/neuron/metric-summary.js';
import type { Labels, ProfileLine } from '../../../src/record/record.js';
import { kernel } from '../../support/kernels.js';
import { instruction, neuronProfile, packet, sample, tensor, throttle } from '../../support/neuron.js';
import { CAPTURES, realFile } from '../../parse/readers/neuron/tool-json-files.js';
import { overviewOf } from '../../support/overviews.js';
import { itShared } from '../../support/shared.js';

const summaries = (...records: readonly ProfileLine[]): MetricSummary[] => {
  const all = new MetricSummaries();
  for (const record of records) all.take(record);
  return all.all;
};
const summaryOf = (...records: readonly ProfileLine[]): MetricSummary => {
  const [first] = summaries(...records);
  if (first === undefined) throw new Error('no summary');
  return first;
};
const rowOf = (summary: MetricSummary, name: string): MetricRow => {
  const row = summary.rows.find((one) => one.name === name);
  if (row === undefined) throw new Error(`no metric ${name}`);
  return row;
};
const valuesOf = (summary: MetricSummary, ...names: readonly string[]): unknown[] =>
  names.map((name) => rowOf(summary, name).value);

/** 128 · 128 · 512 multiplications with additions. */
const ELEMENTS = 8_388_608;
const product = (start: number, dur: number, type: 'REGULAR' | 'TRANSPOSE', dtype = 'bfloat16') =>
  instruction('MATMUL', 'Tensor', start, dur, {
    counters: { elements: ELEMENTS },
    labels: { type },
    operands: `src=${dtype}@0x36500[1,0,0][128,1,1] dst=0x2000000[1,0,0] 128*128`,
  });

describe('summary of a Neuron profile', () => {
  it('adds durations up, and takes overlaps once, over all cores', () => {
    const summary = summaryOf(
      neuronProfile(),
      instruction('ACTIVATE', 'Scalar', 0, 1000),
      instruction('EVENT_SEMAPHORE', 'Scalar', 100, 5000),
      instruction('ACT_TABLE_LOAD', 'Scalar', 500, 1000, { device: 5 }),
    );
    const names = ['count', 'time'].map((what) => `scalar_engine_instruction_${what}`);
    // Three, the wait among them; 1000 + 1000 ns; 0 to 1500 ns of 10 us.
    expect(valuesOf(summary, ...names)).to.deep.equal([3, 2_000_000]);
    expect(valuesOf(summary, 'scalar_engine_active_time', 'scalar_engine_active_time_percent')).to.deep.equal([
      1_500_000, 0.15,
    ]);
    expect(valuesOf(summary, 'activate_instruction_count', 'activate_instruction_time')).to.deep.equal([1, 1_000_000]);
    expect(valuesOf(summary, 'vector_engine_instruction_count', 'total_active_time')).to.deep.equal([0, 1_500_000]);
  });

  it('states the inputs of a metric: other metrics in order of the table, then rates of the machine', () => {
    const { rows } = summaryOf(neuronProfile(), instruction('ACTIVATE', 'Scalar', 0, 1000));
    const names = new Set(rows.map(({ name }) => name));
    const inputsOf = (name: string) => rows.find((row) => row.name === name)?.inputs.map((input) => input.name);
    expect(inputsOf('hfu_estimated_percent')).to.deep.equal(['total_time', 'hardware_flops', 'cores', 'peak']);
    expect(inputsOf('cc_op_active_time_percent')).to.deep.equal(['total_time', 'cc_op_active_time', 'cores']);
    for (const { name, formula } of rows) {
      const named = (formula?.match(/[a-z0-9_]+/g) ?? []).filter((word) => word !== name && names.has(word));
      expect(inputsOf(name), name).to.include.members(named);
    }
  });

  it('takes picoseconds where records have them', () => {
    const summary = summaryOf(
      neuronProfile(),
      instruction('COPY', 'Vector', 10, 5, { ps: [250, 500] }),
      instruction('COPY', 'Vector', 10, 7, { ps: [100, 1] }),
    );
    // 10.100 to 17.101 covers 10.250 to 15.750
    expect(valuesOf(summary, 'vector_engine_instruction_time', 'vector_engine_active_time')).to.deep.equal([
      12_501, 7_001,
    ]);
  });

  it('counts FLOPs, and holds them against the peak of all cores', () => {
    const summary = summaryOf(neuronProfile(), product(0, 500, 'REGULAR'), product(600, 500, 'TRANSPOSE'));
    const flops = 2 * 2 * ELEMENTS;
    expect(valuesOf(summary, 'hardware_flops', 'transpose_flops')).to.deep.equal([flops, flops / 2]);
    // 33 554 432 / (157 286.4e9 · 10e-6) = 0.021333…
    const [hfu, mfu] = valuesOf(summary, 'hfu_estimated_percent', 'mfu_inst_estimated_percent');
    expect(hfu).to.be.closeTo(0.0213333333, 1e-9);
    expect(mfu).to.be.closeTo(0.0106666667, 1e-9);
  });

  it('weighs single precision four times', () => {
    const summary = summaryOf(neuronProfile(), product(0, 500, 'REGULAR', 'fp32'), product(600, 500, 'REGULAR'));
    // (4 + 1) · 2 · 8 388 608
    expect(valuesOf(summary, 'adjusted_hardware_flops', 'hardware_flops')).to.deep.equal([83_886_080, 33_554_432]);
  });

  it('weighs single precision twice where both instructions of a product count all of it', () => {
    const halves = [0, 600].map((start) => {
      const half = product(start, 500, 'REGULAR', 'fp32');
      return { ...half, operands: `fp32_mode=LOW_HIGH ${half.operands ?? ''}` };
    });
    // 2 instructions · 2 · 8 388 608 as they are counted, twice that as the engine takes.
    const summary = summaryOf(neuronProfile(), ...halves);
    expect(valuesOf(summary, 'adjusted_hardware_flops', 'hardware_flops')).to.deep.equal([67_108_864, 33_554_432]);
  });

  it('holds bytes of memory against one stack, and FLOPs against bytes', () => {
    const summary = summaryOf(
      neuronProfile(),
      tensor('q', 'input', 400_000),
      tensor('w', 'weight', 100_000),
      tensor('out', 'output', 50_000),
      product(0, 500, 'REGULAR'),
      instruction('DMA_DIRECT2D', 'Sync', 600, 10, { counters: { hbmReadBytes: 700_000, sbufWriteBytes: 700_000 } }),
      instruction('DMA_DIRECT2D', 'Sync', 700, 10, { counters: { hbmWriteBytes: 16_000, sbufReadBytes: 16_000 } }),
    );
    expect(valuesOf(summary, 'hbm_read_bytes', 'hbm_write_bytes', 'psum_read_bytes')).to.deep.equal([
      700_000, 16_000, 0,
    ]);
    // 716 000 B in 10 us are 71.6e9 B/s, a tenth of 716e9
    expect(rowOf(summary, 'mbu_estimated_percent').value).to.be.closeTo(0.1, 1e-12);
    expect(rowOf(summary, 'mbu_min_read_util_percent').value).to.be.closeTo(0.5 / 7.16, 1e-12);
    expect(rowOf(summary, 'mm_arithmetic_intensity').value).to.be.closeTo(16_777_216 / 716_000, 1e-12);
    expect(rowOf(summary, 'peak_flops_bandwidth_ratio').value).to.be.closeTo(157_286.4 / (2 * 716), 1e-9);
    expect(valuesOf(summary, 'weight_size_bytes', 'inputs_and_weights_size_bytes', 'inputs_outputs_weights_size_bytes')).to.deep.equal([100_000, 500_000, 550_000]); // prettier-ignore
  });

  it('splits packets by who described them', () => {
    const summary = summaryOf(
      neuronProfile(),
      packet('software_dynamic', 0, 100, 1024),
      packet('hardware_dynamic', 50, 100, 2048),
      packet('instruction', 200, 100, 512),
      packet('input', 250, 100, 512),
    );
    expect(valuesOf(summary, 'software_dynamic_dma_packet_count', 'static_dma_packet_count')).to.deep.equal([1, 2]);
    expect(valuesOf(summary, 'static_dma_size', 'hardware_dynamic_dma_size_percent')).to.deep.equal([1024, 0.5]);
    // 0 to 150 and 200 to 350 ns
    expect(valuesOf(summary, 'dma_active_time', 'dma_packet_time')).to.deep.equal([300_000, 400_000]);
    expect(valuesOf(summary, 'dma_active_cycles', 'input_queue_bytes')).to.deep.equal([360, 512]);
    expect(valuesOf(summary, 'static_dma_active_time_percent')).to.deep.equal([0.5]);
    // Where both kinds are under way the vendor counts twice: 200 of 300 ns.
    expect(rowOf(summary, 'dynamic_dma_active_time_percent').value).to.be.closeTo(2 / 3, 1e-12);
  });

  it('normalises throttling by the observed time, in addition to the metrics of the vendor', () => {
    const summary = summaryOf(
      neuronProfile(),
      instruction('NOP', 'Sync', 0, 8000),
      throttle(8, 8, 0, 1000, 'activity_0'),
      throttle(4, 8, 1000, 3000),
    );
    expect(valuesOf(summary, 'throttle_active_nc0_time_ns')).to.deep.equal([3000]);
    // 1000 + 1500 of 8000, when the last instruction ends, and of 4000
    expect(rowOf(summary, 'throttle_avg_util_limit_nc0_percent').value).to.equal(0.3125);
    expect(rowOf(summary, 'throttle_observed_util_limit_nc0_percent').value).to.be.closeTo(0.625, 1e-12);
    expect(rowOf(summary, 'throttle_lost_time_nc0_percent').value).to.be.closeTo(0.15, 1e-12);
    expect(rowOf(summary, 'throttle_activity_1_active_time_nc0_percent').value).to.equal(0.375);
    expect(rowOf(summary, 'throttle_activity_1_avg_util_limit_nc0_percent').value).to.equal(0.5);
    expect(summaryOf(neuronProfile(), instruction('NOP', 'Sync', 0, 1)).rows.some(({ group }) => group === 'throttling')).to.equal(false); // prettier-ignore
  });

  it('says why what a device trace lacks is not known, and never 0', () => {
    const summary = summaryOf(neuronProfile(), instruction('MATMUL', 'Tensor', 0, 100));
    for (const name of ['hardware_flops', 'hfu_estimated_percent', 'hbm_read_bytes', 'mbu_estimated_percent']) {
      expect(rowOf(summary, name))
        .to.include({ value: null })
        .and.have.property('why')
        .that.matches(/instructions have no sizes/);
    }
    expect(rowOf(summary, 'weight_size_bytes').why).to.match(/NEFF/);
    expect(rowOf(summary, 'model_flops').value).to.equal(null);
  });

  it('does not trust unions when records are out of order', () => {
    const summary = summaryOf(
      neuronProfile(),
      instruction('COPY', 'Vector', 900, 10),
      instruction('COPY', 'Vector', 5, 10),
    );
    expect(rowOf(summary, 'vector_engine_active_time')).to.include({
      value: null,
      why: 'the records are not in order of start time',
    });
    expect(rowOf(summary, 'vector_engine_instruction_time').value).to.equal(20_000);
  });

  it('takes the FLOPs of the model from the tool, but not its 0', () => {
    const modelFlops = (value: number) => sample('model_flops', value, { from: 'summary' }, { unit: 'FLOP' });
    const [known, zero] = [1e6, 0].map((value) =>
      summaryOf(neuronProfile(), modelFlops(value), product(0, 500, 'REGULAR')),
    );
    expect(known && valuesOf(known, 'model_flops', 'mfu_estimated_percent')).to.deep.equal([
      1e6,
      1e6 / (157_286.4e9 * 1e-5),
    ]);
    expect(zero && rowOf(zero, 'model_flops').value).to.equal(null);
    expect(zero && rowOf(zero, 'model_flops').check).to.deep.include({ reported: 0, difference: null });
  });

  it('takes the FLOPs of the model from the program, two for each multiply-accumulate', () => {
    const { facts } = neuronProfile();
    const summary = summaryOf(neuronProfile({ facts: { ...facts, hloMacs: 5e5 } }), product(0, 500, 'REGULAR'));
    const mfu = 1e6 / (157_286.4e9 * 1e-5);
    expect(valuesOf(summary, 'model_flops', 'mfu_hlo_estimated_percent', 'mfu_estimated_percent')).to.deep.equal([
      1e6,
      mfu,
      mfu,
    ]);
  });

  it('takes metrics of collectives from the tool, its 0 as none; a device trace alone has none', () => {
    const reported = [
      sample('cc_op_count', 0, { from: 'summary' }, { unit: 'count' }),
      sample('cc_op_time', 0.0139, { from: 'summary' }, { unit: 's' }),
    ];
    const known = summaryOf(neuronProfile(), ...reported, product(0, 500, 'REGULAR'));
    expect(valuesOf(known, 'cc_op_count', 'cc_op_time')).to.deep.equal([0, 13_900_000_000]);
    const alone = summaryOf(neuronProfile(), product(0, 500, 'REGULAR'));
    expect(rowOf(alone, 'cc_op_count')).to.include({
      value: null,
      why: 'the capture has no records of collective operations, and does not state that there were none',
    });
  });

  it('holds each value against the reported one', () => {
    const summary = summaryOf(
      neuronProfile(),
      sample('scalar_engine_instruction_time', 2e-6, { from: 'summary' }, { unit: 's' }),
      sample('scalar_engine_instruction_count', 4, { from: 'summary' }, { unit: 'count' }),
      sample('brand_new', 7, { from: 'summary' }, { unit: 'bytes' }),
      instruction('ACTIVATE', 'Scalar', 0, 1000),
      instruction('ACTIVATE', 'Scalar', 1000, 999),
    );
    expect(rowOf(summary, 'scalar_engine_instruction_time').check).to.deep.equal({
      reported: 2_000_000,
      difference: -0.0005,
      why: 'the JSON has whole nanoseconds: up to 2 ns are lost in 2 intervals',
    });
    expect(rowOf(summary, 'scalar_engine_instruction_count').check).to.deep.include({ reported: 4, difference: -0.5 });
    expect(rowOf(summary, 'brand_new')).to.deep.include({ value: null, group: 'other' });
  });

  it('shows what was reported where there are no records, for every node', () => {
    const all = summaries(
      neuronProfile({ format: 'neuron-summary', devices: [], dur: null, facts: {} }),
      sample('total_time', 0.25, { from: 'summary', node: 'n_1' }, { start: null, device: null, unit: 's' }),
      sample('total_time', 0.5, { from: 'summary', node: 'n_2' }, { start: null, device: null, unit: 's' }),
    );
    expect(all.map(({ node, computed, rows }) => [node, computed, rows.map(({ value }) => value)])).to.deep.equal([
      ['n_1', false, [0.25e12]],
      ['n_2', false, [0.5e12]],
    ]);
  });

  it('keeps profiles of a stream apart, and skips those of other devices', () => {
    const all = new MetricSummaries();
    const records: ProfileLine[] = [
      neuronProfile({ rank: 0 }),
      instruction('NOP', 'Sync', 0, 10),
      neuronProfile({ profile: 1, rank: 1 }),
      instruction('NOP', 'Sync', 0, 30, { profile: 1 }),
      neuronProfile({ profile: 2, format: 'nsight', devices: [] }),
      kernel({ profile: 2 }),
    ];
    for (const record of records) all.take(record);
    expect(all.all.map((one) => [one.rank, rowOf(one, 'sync_engine_active_time').value])).to.deep.equal([[0, 10_000], [1, 30_000]]); // prettier-ignore
    expect(all.others).to.deep.equal(['nsight']);
  });
});

describe('bound of a Neuron profile', () => {
  const moving = (bytes: number) =>
    instruction('DMA_DIRECT2D', 'Sync', 2000, 10, { counters: { hbmReadBytes: bytes } });
  /** 157 286.4e9 FLOP/s · 10 us = 1 572 864 000 FLOP: so many elements are as much as the time allows. */
  const computing = (share: number) =>
    instruction('MATMUL', 'Tensor', 0, 1000, {
      counters: { elements: (1_572_864_000 * share) / 2 },
      operands: 'src=bfloat16@0x1',
    });
  const boundOf = (...records: readonly ProfileLine[]) => summaryOf(neuronProfile(), ...records).bound;

  it('is what takes longest at its full rate, if that is half of the time', () => {
    expect(boundOf(computing(0.8), moving(716_000))).to.deep.include({ kind: 'compute', computeShare: 0.8 });
    expect(boundOf(computing(0.1), moving(6_444_000))).to.deep.include({ kind: 'memory', memoryShare: 0.9 });
    expect(boundOf(computing(0.1), moving(716_000))?.kind).to.equal('latency');
  });

  it('says the numbers', () => {
    expect(boundOf(computing(0.1), moving(716_000))?.text).to.equal(
      'bound by latency: at full rate, compute would take 10.0 % of the time and device memory 10.0 %; 219.7 FLOP/B, balanced at 219.7 FLOP/B; no core computes or copies for 89.9 % of the time',
    );
  });

  it('is not known without FLOPs and bytes', () => {
    const bound = boundOf(instruction('MATMUL', 'Tensor', 0, 2500));
    expect(bound).to.include({ kind: null, computeShare: null, idleShare: 0.75 });
    expect(bound?.text).to.match(/^bound unknown: instructions have no sizes/);
  });

  it('shows what the tool states of a core or of one thing in the program, each as it stands', () => {
    const stated = (from: string, metric: string, value: number, labels: Labels = {}): ProfileLine => ({
      ...sample(metric, value, { from, ...labels }, { start: null, device: 4, unit: 'count' }),
    });
    const tensor1 = { tensor_name: 'w 1' };
    const summary = summaryOf(
      ...[
        neuronProfile(),
        stated('model_info', 'new_count', 7, { subgraph: 'sg00' }),
        stated('trace', 'event_count', 9),
      ],
      ...[stated('annotation', 'loads', 3, tensor1), stated('annotation', 'size', 64, tensor1)],
      ...[stated('annotation', 'loads', 5), stated('annotation', 'loads', 6, tensor1)],
    );
    expect(summary.rows.filter(({ of }) => of !== null).map(({ name, value, of, group }) => [name, value, of, group])).to.deep.equal([
      ['model_info/core4/new_count', 7, 'core 4, subgraph sg00', 'other'],
      ['annotation/1/loads', 3, 'core 4, tensor_name w 1', 'other'],
      ['annotation/1/size', 64, 'core 4, tensor_name w 1', 'other'],
      ['annotation/2/loads', 5, 'core 4', 'other'],
      ['annotation/3/loads', 6, 'core 4, tensor_name w 1', 'other'],
    ]); // prettier-ignore
    // None of them is one of the vendor's summary.
    expect(summary.rows.every(({ of, own }) => of === null || own)).to.equal(true);
  });

  it('counts such values where they are more than it shows', () => {
    const many = Array.from({ length: 2003 }, (_, i): ProfileLine => {
      return sample('loads', i, { from: 'annotation', id: i }, { start: null, device: 4, unit: 'count' });
    });
    const { rows } = summaryOf(neuronProfile(), ...many);
    expect(rows.filter(({ name }) => name.startsWith('annotation/'))).to.have.length(2000);
    expect(rows.find(({ name }) => name === 'stated_values_left_out')?.value).to.equal(3);
  });
});

describe('MFU of a Neuron profile in the summary', () => {
  it('is that of the vendor', () => {
    const { kernels } = overviewOf([neuronProfile(), product(0, 1000, 'REGULAR'), product(2000, 1000, 'TRANSPOSE')]);
    const flops = 2 * ELEMENTS;
    // Of 1 572 864 000 FLOP that the cores could do in 10 us.
    const { mfu = null, tensor = null } = kernels?.work ?? {};
    expect(tensor).to.include({ hardwareFlops: 2 * flops, transposeFlops: flops, mfu });
    expect(mfu).to.be.closeTo(flops / 1_572_864_000, 1e-12);
    expect(tensor?.hfu).to.be.closeTo((2 * flops) / 1_572_864_000, 1e-12);
    // All products ran on core 4, whose peak is half of that; core 5 did nothing.
    const [busy, idle] = tensor?.cores ?? [];
    expect(busy?.core).to.equal(4);
    expect(busy?.hfu).to.be.closeTo((4 * flops) / 1_572_864_000, 1e-12);
    expect(idle).to.deep.equal({ core: 5, hfu: 0 });
  });

  it('stands beside the cores that did nothing', () => {
    const wait = instruction('EVENT_SEMAPHORE', 'Vector', 0, 9000, { device: 5 });
    const { header, devices } = overviewOf([neuronProfile(), product(0, 1000, 'REGULAR'), wait]);
    expect(idleCoresText(header, devices)).to.equal('core 5 idle: no instruction of the program');
    // Only the runtime runs on core 5: control, loads of registers, and fetches of instructions.
    const control = ['DRAIN', 'TENSOR_LOAD'].map((name, i) => instruction(name, 'Scalar', 10 * i, 5, { device: 5 }));
    const runtime = overviewOf([neuronProfile(), product(0, 1000, 'REGULAR'), ...control]);
    expect(runtime.devices.map(({ device }) => device)).to.deep.equal([4]);
    expect(idleCoresText(runtime.header, runtime.devices)).to.equal('core 5 idle: no instruction of the program');
    expect(idleCoresText(header, [])).to.equal(null);
  });

  for (const path of CAPTURES)
    itShared(`is what the tool reported for ${path}`, [path], ([file = '']) => {
      const { tables, lines } = realFile(file);
      const reported = tables['summary']?.[0] ?? {};
      const tensor = overviewOf(lines).kernels?.work.tensor ?? expect.fail();
      const { hardwareFlops, transposeFlops, repeatedFlops, hfu, mfu } = tensor;
      // Two products of attention with 128 channels, each 2·S·S·128; the vendor also counts transposes, and FP32 twice.
      const tokens = Number(/_s(\d+)/.exec(path)?.[1]);
      const products = Number(hardwareFlops) - Number(transposeFlops) - Number(repeatedFlops);
      expect(products).to.equal(2 * 2 * tokens * tokens * 128);
      expect([hardwareFlops, transposeFlops]).to.deep.equal([reported['hardware_flops'], reported['transpose_flops']]);
      expect(hfu).to.be.closeTo(Number(reported['hfu_estimated_percent']), 1e-6);
      expect(mfu).to.be.closeTo(Number(reported['mfu_estimated_percent']), 1e-6);
    });
});
