/**
 * Reports → CloudWatch's embedded metric format: one JSON document a line for each row, with the dimensions that identify
 * it. Source: AWS, "Specification: Embedded metric format".
 */
import { jsonOf } from '../../../record/control-characters.js';
import { cloudWatchRows, type CloudWatchRow } from './cloudwatch-metrics.js';
import type { MonitorReport } from './monitor-report.js';

/**
 * The documents of a report, one a line; '' when there are none.
 * @param namespace CloudWatch namespace of the metrics
 * @param unixMs time of the report in ms; null omits `Timestamp`, which CloudWatch requires
 */
export const embeddedMetrics = (report: MonitorReport, namespace: string, unixMs: number | null): string =>
  cloudWatchRows(report)
    .map((row) => document(row, namespace, unixMs))
    .join('');

function document({ dimensions, metrics }: CloudWatchRow, namespace: string, unixMs: number | null): string {
  const directive = {
    Namespace: namespace,
    Dimensions: [Object.keys(dimensions)],
    Metrics: metrics.map(({ name, unit }) => ({ Name: name, Unit: unit })),
  };
  return `${jsonOf({
    _aws: { ...(unixMs === null ? undefined : { Timestamp: unixMs }), CloudWatchMetrics: [directive] },
    ...dimensions,
    ...Object.fromEntries(metrics.map(({ name, value }) => [name, value])),
  })}\n`;
}
