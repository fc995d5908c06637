/**
 * Reports → CloudWatch's embedded metric format: one JSON document a line for each row, with dimensions that identify
 * the row. Counts are those of the report's period, since CloudWatch sums them itself.
 *
 * Sources: AWS, "Specification: Embedded metric format"; names of metrics and dimensions as in CloudWatch's own agent
 * (Container Insights, Neuron metrics), without its prefixes for pods and nodes. Metrics that the agent lacks have names
 * of our own. The names of neuron-monitor-cloudwatch.py are not public.
 */
import { jsonOf } from '../../record/control-characters.js';
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

/** A metric, or, where the key ends in a dot, all values of that prefix: `*` in the name stands for the rest of the value's name. */
type EmfMetric = readonly [scope: RowScope, key: string, name: string, unit: CloudWatchUnit];

export const EMF_METRICS: readonly EmfMetric[] = [
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

interface EmfValue {
  readonly name: string;
  readonly unit: CloudWatchUnit;
  readonly value: number;
}

/**
 * The documents of a report, one a line; '' when there are none.
 * @param namespace CloudWatch namespace of the metrics
 * @param unixMs time of the report in ms; null omits `Timestamp`, which CloudWatch requires
 */
export function embeddedMetrics(report: MonitorReport, namespace: string, unixMs: number | null): string {
  const shared = sharedTags(report.rows);
  return report.rows.map((row) => document(row, dimensionsOf(row, report, shared), namespace, unixMs)).join('');
}

type EmfDimensions = Readonly<Record<string, string>>;

function document(row: MonitorRow, dimensions: EmfDimensions, namespace: string, unixMs: number | null): string {
  const metrics = metricsOf(row);
  if (metrics.length === 0) return '';
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

function metricsOf(row: MonitorRow): EmfValue[] {
  const metrics = EMF_METRICS.filter(([scope]) => scope === row.scope).flatMap(([, key, name, unit]): EmfValue[] => {
    if (key.endsWith('.'))
      return under(row, key).map(([kind, value]) => ({ name: name.replace('*', kind), unit, value }));
    const value = valueOf(row, key);
    return value === null ? [] : [{ name, unit, value }];
  });
  const memory = row.scope === 'core' ? sumUnder(row, 'memory.') : null;
  return memory === null
    ? metrics
    : [...metrics, { name: 'neuroncore_memory_usage_total', unit: 'Bytes', value: memory }];
}

/** Dimensions of a row; CloudWatch accepts only texts that are not empty. */
function dimensionsOf(
  { scope, tag, pid, core, device, name }: MonitorRow,
  { facts }: MonitorReport,
  shared: ReadonlySet<string>,
): EmfDimensions {
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
