import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { embeddedMetrics, putMetricData } from '../../../../src/prof/neuron/monitor/cloudwatch-metrics.js';
import { cores, lines, report, reportsOf, runtime } from '../../../support/monitor-report.js';
import { itShared } from '../../../support/shared.js';

interface PutMetricData {
  readonly Namespace: string;
  readonly MetricData: readonly {
    readonly MetricName: string;
    readonly Dimensions: readonly { readonly Name: string; readonly Value: string }[];
    readonly Timestamp?: string;
    readonly Value: number;
    readonly Unit: string;
  }[];
}

const requestsOf = (text: string): PutMetricData[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as PutMetricData);

describe("requests of CloudWatch's PutMetricData", () => {
  itShared('have the metrics of a real report', ['data/neuron/neuron_monitor_trn1.jsonl'], ([path = '']) => {
    const [first] = reportsOf(readFileSync(path, 'utf8'));
    const text = first === undefined ? '' : putMetricData(first, 'Neuron', 1_700_000_000_500);
    const [request, ...others] = requestsOf(text);
    expect(others).to.deep.equal([]);
    expect(request?.Namespace).to.equal('Neuron');
    // Read off the first line of the file.
    expect(request?.MetricData[0]).to.deep.equal({
      MetricName: 'neuroncore_utilization',
      Dimensions: [
        { Name: 'InstanceId', Value: 'i-01db7a16f4c054239' },
        { Name: 'InstanceType', Value: 'trn1.2xlarge' },
        { Name: 'RuntimeTag', Value: '1337' },
        { Name: 'NeuronDevice', Value: '0' },
        { Name: 'NeuronCore', Value: '0' },
      ],
      Timestamp: '2023-11-14T22:13:20.500Z',
      Value: 1.3631567613356375,
      Unit: 'Percent',
    });
    const value = (name: string): number | undefined =>
      request?.MetricData.find(({ MetricName }) => MetricName === name)?.Value;
    expect(value('neuron_execution_status_completed')).to.equal(260);
    expect(value('neuron_execution_errors_generic')).to.equal(23654);
    // Each metric of the embedded form, and no other.
    const embedded = embeddedMetrics(first as NonNullable<typeof first>, 'Neuron', null)
      .trim()
      .split('\n');
    const names = embedded.flatMap((line) => {
      const { _aws } = JSON.parse(line) as { _aws: { CloudWatchMetrics: { Metrics: { Name: string }[] }[] } };
      return _aws.CloudWatchMetrics.flatMap(({ Metrics }) => Metrics.map(({ Name }) => Name));
    });
    expect(request?.MetricData.map(({ MetricName }) => MetricName)).to.deep.equal(names);
  });

  it('have at most 1000 metrics each, and no time where none is known', () => {
    const inUse = Object.fromEntries(Array.from({ length: 1001 }, (_, core) => [core, { neuroncore_utilization: 1 }]));
    const [one] = reportsOf(lines(report([runtime(1, 'train', { neuroncore_counters: cores(inUse) })])));
    const requests = requestsOf(putMetricData(one as NonNullable<typeof one>, 'N', null));
    expect(requests.map(({ MetricData }) => MetricData.length)).to.deep.equal([1000, 1]);
    expect(requests[1]?.MetricData[0]).to.not.have.property('Timestamp');
    expect(putMetricData(reportsOf(lines(report([])))[0] as NonNullable<typeof one>, 'N', null)).to.equal('');
  });
});
