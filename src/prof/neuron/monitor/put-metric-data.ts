/**
 * Reports → requests of CloudWatch's PutMetricData, one JSON object a line, as
 * `aws cloudwatch put-metric-data --cli-input-json` and boto3's `put_metric_data` take them. Nothing is sent.
 *
 * Source: Amazon CloudWatch API Reference, "PutMetricData": at most 1000 metrics a request; the time of a metric without
 * `Timestamp` is that of its arrival.
 */
import { jsonOf } from '../../../record/control-characters.js';
import { cloudWatchRows } from './cloudwatch-metrics.js';
import type { MonitorReport } from './monitor-report.js';

const MOST_METRICS = 1000;

/**
 * The requests of a report; '' when it has no metrics.
 * @param namespace CloudWatch namespace of the metrics
 * @param unixMs time of the report in ms; null leaves it to CloudWatch
 */
export function putMetricData(report: MonitorReport, namespace: string, unixMs: number | null): string {
  const time = unixMs === null ? undefined : { Timestamp: new Date(unixMs).toISOString() };
  const data = cloudWatchRows(report).flatMap(({ dimensions, metrics }) => {
    const Dimensions = Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
    return metrics.map(({ name, value, unit }) => ({
      MetricName: name,
      Dimensions,
      ...time,
      Value: value,
      Unit: unit,
    }));
  });
  const requests = Array.from({ length: Math.ceil(data.length / MOST_METRICS) }, (_, i) =>
    data.slice(i * MOST_METRICS, (i + 1) * MOST_METRICS),
  );
  return requests.map((MetricData) => `${jsonOf({ Namespace: namespace, MetricData })}\n`).join('');
}
