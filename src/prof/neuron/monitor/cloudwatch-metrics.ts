/**
 * CloudWatch metrics in the formats that it accepts: its embedded metric format, and PutMetricData requests. Counts
 * cover only the report's period, because CloudWatch adds them up itself.
 *
 * Names of metrics and dimensions are those of CloudWatch's own agent (Container Insights, Neuron metrics), without its
 * prefixes for pods and nodes. Metrics that the agent lacks have our own names. The names in
 * neuron-monitor-cloudwatch.py are not public.
 *
 * Source of the formats: AWS, "Specification: Embedded metric format"; Amazon CloudWatch API Reference,
 * "PutMetricData": at most 1000 metrics per request; a metric without `Timestamp` has the time of its arrival.
 */
import { jsonOf } from '../../../record/control-characters.js';
import {
  sharedTags,
  sumUnder,
  under,
  valueOf,
  type MonitorReport,
  type MonitorRow,
  type RowScope,
} from './monitor-report.js';

type CloudWatchUnit = 'Percent' | 'Bytes' | 'Count' | 'Count/Second' | 'Seconds';

/**
 * A metric or, if the key ends in a dot, all values with that prefix: `*` in the name stands for the rest of the value's
 * name.
 */
type CloudWatchMetric = readonly [scope: RowScope, key: string, name: string, unit: CloudWatchUnit];

export const CLOUDWATCH_METRICS: readonly CloudWatchMetric[] = [
  ['core', 'neuroncore_utilization', 'neuroncore_utilization', 'Percent'],
  ['core', 'flops', 'neuroncore_flops', 'Count/Second'],
  ['core', 'memory.', 'neuroncore_memory_usage_*', 'Bytes'],
  ['physical', 'neuroncore_utilization', 'neuroncore_physical_utilization', 'Percent'],
  ['runtime', 'used.neuron_device', 'neurondevice_runtime_memory_used_bytes', 'Bytes'],
  ['runtime', 'used.host', 'neuron_runtime_host_memory_used_bytes', 'Bytes'],
  ['runtime', 'status.', 'neuron_execution_status_*', 'Count'],
  ['runtime', 'error.', 'neuron_execution_errors_*', 'Count'],
  ['runtime', 'total_latency.', 'neuron_execution_latency_*', 'Seconds'],
  ['runtime', 'device_latency.', 'neuron_execution_device_latency_*', 'Seconds'],
  ['runtime', 'vcpu.', 'neuron_runtime_vcpu_usage_*', 'Percent'],
  ['device', 'ecc.', 'neurondevice_hw_ecc_events_total_*', 'Count'],
  ['system', 'memory_total_bytes', 'system_memory_total_bytes', 'Bytes'],
  ['system', 'memory_used_bytes', 'system_memory_used_bytes', 'Bytes'],
  ['system', 'swap_total_bytes', 'system_swap_total_bytes', 'Bytes'],
  ['system', 'swap_used_bytes', 'system_swap_used_bytes', 'Bytes'],
  ['system', 'vcpu.', 'system_vcpu_usage_*', 'Percent'],
  ['system', 'context_switch_count', 'system_context_switches', 'Count'],
];

interface CloudWatchValue {
  readonly name: string;
  readonly unit: CloudWatchUnit;
  readonly value: number;
}

type CloudWatchDimensions = Readonly<Record<string, string>>;

/** The metrics of one row, with the dimensions that identify it. */
interface CloudWatchRow {
  readonly dimensions: CloudWatchDimensions;
  readonly metrics: readonly CloudWatchValue[];
}

/** The rows of a report that have metrics. */
function cloudWatchRows(report: MonitorReport): CloudWatchRow[] {
  const shared = sharedTags(report.rows);
  return report.rows
    .map((row) => ({ dimensions: dimensionsOf(row, report, shared), metrics: metricsOf(row) }))
    .filter(({ metrics }) => metrics.length > 0);
}

function metricsOf(row: MonitorRow): CloudWatchValue[] {
  const metrics = CLOUDWATCH_METRICS.filter(([scope]) => scope === row.scope).flatMap(
    ([, key, name, unit]): CloudWatchValue[] => {
      if (key.endsWith('.'))
        return under(row, key).map(([kind, value]) => ({ name: name.replace('*', kind), unit, value }));
      const value = valueOf(row, key);
      return value === null ? [] : [{ name, unit, value }];
    },
  );
  const memory = row.scope === 'core' ? sumUnder(row, 'memory.') : null;
  return memory === null
    ? metrics
    : [...metrics, { name: 'neuroncore_memory_usage_total', unit: 'Bytes', value: memory }];
}

/** Dimensions of a row; CloudWatch accepts only non-empty strings. */
function dimensionsOf(
  { scope, tag, pid, core, device, name }: MonitorRow,
  { facts }: MonitorReport,
  shared: ReadonlySet<string>,
): CloudWatchDimensions {
  const all: readonly (readonly [string, string | number | null | undefined])[] = [
    ['InstanceId', facts['instance_id']],
    ['InstanceType', facts['instance_type']],
    ['RuntimeTag', tag],
    ['ProcessId', tag !== null && shared.has(tag) ? pid : null],
    ['NeuronDevice', device],
    ['NeuronCore', core],
    ['PhysicalCore', scope === 'physical' ? name : null],
  ];
  return Object.fromEntries(
    all.flatMap(([dimension, value]) =>
      value === null || value === undefined || String(value).trim() === '' ? [] : [[dimension, String(value)]],
    ),
  );
}

/**
 * The documents of a report in embedded metric format, one line per row; '' when there are none.
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

const MOST_METRICS = 1000;

/**
 * The requests of a report in the form for `aws cloudwatch put-metric-data --cli-input-json` and boto3's `put_metric_data`;
 * nothing is sent; '' when it has no metrics.
 * @param namespace CloudWatch namespace of the metrics
 * @param unixMs time of the report in ms; with null CloudWatch sets the time
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
