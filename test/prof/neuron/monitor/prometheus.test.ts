import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { PROMETHEUS_FAMILIES, Exposition } from '../../../../src/prof/neuron/monitor/prometheus-families.js';
import { cores, executions, group, lines, report, reportsOf, runtime } from '../../../support/monitor-report.js';
import { parseExposition, seriesValue, type Metric } from '../../../support/prometheus-text.js';
import { itShared } from '../../../support/shared.js';

/** The exposition after each report. */
const expositions = (text: string): Map<string, Metric>[] => {
  const exposition = new Exposition();
  return reportsOf(text).map((report) => parseExposition(exposition.take(report)));
};

const process = (pid: number, completed: number, tag = String(pid)): ReturnType<typeof runtime> =>
  runtime(pid, tag, { execution_stats: executions(completed) });

describe('Prometheus text', () => {
  itShared('has the values of real reports', ['data/neuron/neuron_monitor_trn1.jsonl'], ([path = '']) => {
    const [first, , third] = expositions(readFileSync(path, 'utf8'));
    const value = (name: string, labels: Record<string, string> = {}): number | undefined =>
      seriesValue(first ?? new Map<string, Metric>(), name, labels);
    // Read off the first line of the file; percent with the point two digits to the left.
    expect(value('neuroncore_utilization_ratio', { neuroncore: '0', runtime_tag: '1337' })).to.equal(
      0.013631567613356375,
    );
    expect(value('neuroncore_memory_usage_model_code', { neuroncore: '0', memory_location: 'None' })).to.equal(
      101125344,
    );
    expect(value('neuron_runtime_memory_used_bytes', { memory_location: 'host' })).to.equal(610705408);
    expect(value('neuron_runtime_memory_used_bytes', { memory_location: 'neuron_device' })).to.equal(102298328);
    expect(value('neuron_runtime_vcpu_usage_ratio', { usage_type: 'user' })).to.equal(0.1926);
    expect(value('execution_errors_total', { error_type: 'generic' })).to.equal(23654);
    expect(value('execution_status_total', { status_type: 'completed' })).to.equal(260);
    expect(value('execution_latency_seconds', { percentile: 'p99' })).to.equal(0.00013184547424316406);
    expect(value('system_memory_used_bytes')).to.equal(11233579008);
    expect(value('system_vcpu_count')).to.equal(8);
    // user 16.99 + nice 0; system 2.94 + io_wait, irq, soft_irq 0.
    expect(value('system_vcpu_usage_ratio', { usage_type: 'user' })).to.equal(0.1699);
    expect(value('system_vcpu_usage_ratio', { usage_type: 'system' })).to.equal(0.0294);
    expect(value('hardware_ecc_events_total', { event_type: 'sram_ecc_corrected', neuron_device_index: '0' })).to.equal(
      0,
    );
    expect(value('instance_info', { instance_type: 'trn1.2xlarge', region: 'us-west-2', instance_name: '' })).to.equal(
      1,
    );
    expect(value('neuron_hardware_info', { neuron_device_count: '1', neuroncore_per_device_count: '2' })).to.equal(1);
    expect(value('neuroncore_flops_per_second')).to.equal(undefined);
    // The second and the third report are of another process: 260 executions each.
    const last = third ?? new Map<string, Metric>();
    expect(seriesValue(last, 'execution_status_total', { status_type: 'completed' })).to.equal(520);
  });

  itShared(
    'has the names and labels of neuron-monitor-prometheus.py',
    ['data/neuron/neuron_monitor_trn1.jsonl'],
    ([path = '']) => {
      const [first] = expositions(readFileSync(path, 'utf8'));
      const labels = (names: string): string[] =>
        `availability_zone instance_id instance_name instance_type region subnet_id ${names}`.trim().split(' ').sort();
      const kinds = ['constants', 'model_code', 'model_shared_scratchpad', 'runtime_memory', 'tensors'];
      // As the script declares them; it labels memory of cores with a memory_location of Python's None.
      const declared: readonly (readonly [name: string, type: string, labels: string, series: number])[] = [
        ['neuroncore_utilization_ratio', 'gauge', 'runtime_tag neuroncore', 2],
        ['neuron_runtime_vcpu_usage_ratio', 'gauge', 'runtime_tag usage_type', 2],
        ['neuron_runtime_memory_used_bytes', 'gauge', 'runtime_tag memory_location', 2],
        ...kinds.map(
          (kind) => [`neuroncore_memory_usage_${kind}`, 'gauge', 'runtime_tag memory_location neuroncore', 2] as const,
        ),
        ['execution_errors_total', 'counter', 'runtime_tag error_type', 6],
        ['execution_status_total', 'counter', 'runtime_tag status_type', 6],
        ['execution_latency_seconds', 'gauge', 'runtime_tag percentile', 7],
        ['hardware_ecc_events_total', 'counter', 'event_type neuron_device_index', 4],
        ['system_vcpu_count', 'gauge', '', 1],
        ['system_vcpu_usage_ratio', 'gauge', 'usage_type', 2],
        ...['memory_total', 'memory_used', 'swap_total', 'swap_used'].map(
          (name) => [`system_${name}_bytes`, 'gauge', '', 1] as const,
        ),
        ['instance_info', 'gauge', '', 1],
        ['neuron_hardware_info', 'gauge', 'neuron_device_count neuroncore_per_device_count', 1],
      ];
      for (const [name, type, names, count] of declared) {
        const metric = first?.get(name);
        expect([metric?.type, metric?.series.size], name).to.deep.equal([type, count]);
        for (const key of metric?.series.keys() ?? []) {
          const found = [...key.matchAll(/(?:^|,)(\w+)="/g)].map(([, label]) => label);
          expect(found, name).to.deep.equal(labels(names));
        }
      }
      const own = PROMETHEUS_FAMILIES.filter((family) => family.own === true).map(({ name }) => name);
      const others = [...(first?.keys() ?? [])].filter((name) => !own.includes(name));
      expect(others).to.have.members(declared.map(([name]) => name));
    },
  );

  it('sums counters while their process is there, and the devices always', () => {
    const ecc = (n: number): Record<string, unknown> => ({
      neuron_hw_counters: group({ neuron_devices: [{ neuron_device_index: 3, mem_ecc_corrected: n }] }),
    });
    const texts = expositions(
      lines(
        report([process(1, 10)], ecc(2)),
        report([process(1, 5)]),
        report([process(2, 7)], ecc(1)),
        report([process(1, 4)]),
      ),
    );
    const done = (tag: string): (number | undefined)[] =>
      texts.map((one) => seriesValue(one, 'execution_status_total', { runtime_tag: tag, status_type: 'completed' }));
    expect(done('1')).to.deep.equal([10, 15, undefined, 4]);
    expect(done('2')).to.deep.equal([undefined, undefined, 7, undefined]);
    expect(texts.map((one) => seriesValue(one, 'hardware_ecc_events_total'))).to.deep.equal([2, 2, 3, 3]);
  });

  it('has ratios with the digits that the monitor printed', () => {
    // 0.57 / 100 is 0.005699999999999999 and 2.93 + 0.01 + 0.12 is 3.06 with a long tail, in binary numbers.
    const usage = { user: 0.57, nice: 0, system: 2.93, io_wait: 0.01, irq: 0.12, soft_irq: 0 };
    const stats = {
      neuroncore_counters: cores({ '0': { neuroncore_utilization: 0.57 }, '1': { neuroncore_utilization: 1e-7 } }),
    };
    const exposition = new Exposition();
    const [one] = reportsOf(
      lines(report([runtime(1, '1', stats)], { vcpu_usage: group({ average_usage: usage, usage_data: {} }) })),
    );
    const text = one === undefined ? '' : exposition.take(one);
    expect([...text.matchAll(/_ratio\{.*\} (\S+)$/gm)].map(([, value]) => value)).to.deep.equal([
      ...['0.0057', '1e-9', '0.0057', '0.0306'],
    ]);
  });

  it('has no series for unknown values', () => {
    const stats = {
      neuroncore_counters: cores({ '0': { neuroncore_utilization: null }, '1': { neuroncore_utilization: 50 } }),
    };
    const vcpu = { vcpu_usage: group({ average_usage: { user: 1, nice: null, system: 2 }, usage_data: {} }) };
    const [first] = expositions(lines(report([runtime(1, '1', stats), process(2, 0)], vcpu)));
    expect([...(first?.get('neuroncore_utilization_ratio')?.series.values() ?? [])]).to.deep.equal([0.5]);
    expect(first?.has('execution_latency_seconds')).to.equal(false);
    expect(first?.has('system_vcpu_usage_ratio')).to.equal(false);
    expect(first?.has('system_vcpu_count')).to.equal(false);
  });

  it('escapes labels, and separates processes of one tag by their pid', () => {
    const tag = 'a "b"\\\nc';
    const [first] = expositions(lines(report([process(1, 10, tag), process(2, 20, tag), process(3, 30, 'x')])));
    const done = (labels: Record<string, string>): number | undefined =>
      seriesValue(first ?? new Map<string, Metric>(), 'execution_status_total', {
        status_type: 'completed',
        ...labels,
      });
    expect(done({ runtime_tag: tag, pid: '1' })).to.equal(10);
    expect(done({ runtime_tag: tag, pid: '2' })).to.equal(20);
    expect(done({ runtime_tag: 'x' })).to.equal(30);
    expect(done({ pid: '3' })).to.equal(undefined);
  });

  it('has the labels in its list of metrics', () => {
    const v3d = { 'nc_v3.0': { neuroncore_utilization: 3 } };
    const stats = {
      neuroncore_counters: cores({ '0': { neuroncore_utilization: 1, flops: 2, v3d } }),
      execution_stats: executions(1),
    };
    const [first] = expositions(lines(report([runtime(1, '1', stats)])));
    const instance = ['instance_id', 'instance_type'];
    for (const [name, { series }] of first ?? []) {
      const family = PROMETHEUS_FAMILIES.find((one) => one.name === name);
      const labels = [...([...series.keys()][0] ?? '').matchAll(/(\w+)="/g)].map(([, label]) => label);
      expect([...(family?.labels ?? []), ...instance], name).to.include.members(labels);
    }
    expect(first?.get('neuroncore_physical_utilization_ratio')?.series.size).to.equal(1);
  });
});
