import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { embeddedMetrics } from '../../../../src/prof/neuron/monitor/cloudwatch-metrics.js';
import type { MonitorReport } from '../../../../src/prof/neuron/monitor/monitor-report.js';
import { executions, lines, report, reportsOf, runtime } from '../../../support/monitor-report.js';
import { itShared } from '../../../support/shared.js';

interface Directive {
  readonly Namespace: string;
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: readonly { readonly Name: string; readonly Unit: string }[];
}
type Document = Readonly<Record<string, unknown>> & {
  readonly _aws: { readonly Timestamp?: number; readonly CloudWatchMetrics: readonly Directive[] };
};

/** Documents of a report; what the format demands of each is checked. */
function documents(found: MonitorReport | undefined, unixMs: number | null = null): Document[] {
  const text = found === undefined ? '' : embeddedMetrics(found, 'Neuron', unixMs);
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const document = JSON.parse(line) as Document;
      for (const { Namespace, Dimensions, Metrics } of document._aws.CloudWatchMetrics) {
        expect(Namespace).to.equal('Neuron');
        expect(Metrics.length).to.be.within(1, 100);
        for (const { Name } of Metrics) expect(document[Name], Name).to.be.a('number');
        for (const dimension of Dimensions.flat())
          expect(document[dimension], dimension).to.be.a('string').and.not.equal('');
      }
      return document;
    });
}

describe('embedded metric format', () => {
  itShared('has the values of a real report', ['data/neuron/neuron_monitor_trn1.jsonl'], ([path = '']) => {
    const [core0, , process, device, system] = documents(reportsOf(readFileSync(path, 'utf8'))[0]);
    expect(core0).to.include({
      InstanceId: 'i-01db7a16f4c054239',
      RuntimeTag: '1337',
      NeuronCore: '0',
      NeuronDevice: '0',
      neuroncore_utilization: 1.3631567613356375,
      neuroncore_memory_usage_model_code: 101125344,
      neuroncore_memory_usage_total: 102265560,
    });
    expect(core0?._aws.CloudWatchMetrics[0]?.Metrics[0]).to.deep.equal({
      Name: 'neuroncore_utilization',
      Unit: 'Percent',
    });
    expect(process).to.include({
      neuron_execution_status_completed: 260,
      neuron_execution_errors_generic: 23654,
      neuron_execution_latency_p99: 0.00013184547424316406,
      neurondevice_runtime_memory_used_bytes: 102298328,
    });
    expect(device).to.include({ NeuronDevice: '0', neurondevice_hw_ecc_events_total_mem_ecc_corrected: 0 });
    expect(system).to.include({ system_memory_used_bytes: 11233579008, system_vcpu_usage_idle: 80.08 });
    expect(system?._aws).to.not.have.property('Timestamp');
  });

  it('counts each period by itself, has the given time, and separates processes of one tag', () => {
    const stats = { execution_stats: executions(9) };
    const both = report([runtime(1, 't', stats), runtime(2, 't', stats)]);
    const [, second] = reportsOf(lines(both, both));
    const found = documents(second, 1700000000123);
    expect(found.map(({ neuron_execution_status_completed: n }) => n)).to.deep.equal([9, 9]);
    expect(found.map(({ ProcessId }) => ProcessId)).to.deep.equal(['1', '2']);
    expect(found[0]?._aws.Timestamp).to.equal(1700000000123);
  });
});
