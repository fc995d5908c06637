/**
 * Metrics of the Prometheus text, by name. Names, labels and the way values are derived are those of the exporter that
 * comes with neuron-monitor (neuron-monitor-prometheus.py), so that dashboards made for it go on working; what it does
 * not tell has names of our own, marked as such.
 */
import { under, valueOf, type MonitorReport, type MonitorRow, type Scope } from './monitor-report.js';

/** One value with the labels that tell it apart within its row. */
export interface Point {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  /** Labels besides those of the instance, for the list in --metrics. */
  readonly labels: readonly string[];
  /** Rows that it is told of; null: told once of the report. */
  readonly scope: Scope | null;
  /** Not told by the companion. */
  readonly own?: true;
  points(row: MonitorRow, report: MonitorReport): Point[];
}

type Base = Pick<Family, 'name' | 'type' | 'help' | 'scope' | 'own'>;

const point = (value: number | null, labels: Point['labels'] = {}): Point[] =>
  value === null ? [] : [{ labels, value }];

/** Labels that a row's own place gives to all its values. */
const ofRow = (scope: Scope | null): string[] => {
  const process = scope === 'core' || scope === 'physical' || scope === 'runtime' ? ['runtime_tag'] : [];
  const core = scope === 'core' || scope === 'physical' ? ['neuroncore'] : [];
  return [...process, ...core, ...(scope === 'device' ? ['neuron_device_index'] : [])];
};

/** One value of a row, or a share of it. */
const single = (base: Base, key: string, per = 1): Family => ({
  ...base,
  labels: ofRow(base.scope),
  points: (row) => {
    const value = valueOf(row, key);
    return point(value === null ? null : value / per);
  },
});

/** All values behind a prefix, told apart by a label. */
const each = (base: Base, prefix: string, label: string, per = 1): Family => ({
  ...base,
  labels: [...ofRow(base.scope), label],
  points: (row) => under(row, prefix).map(([name, value]) => ({ labels: { [label]: name }, value: value / per })),
});

const MEMORY_KINDS = ['constants', 'model_code', 'model_shared_scratchpad', 'runtime_memory', 'tensors'];

/** What the companion counts as user and as system time of the instance. */
const VCPU_PARTS = { user: ['user', 'nice'], system: ['system', 'io_wait', 'irq', 'soft_irq'] };

/** Shares of 1, at most 1; none where one of the parts is not known. */
const systemVcpu = (row: MonitorRow): Point[] =>
  Object.entries(VCPU_PARTS).flatMap(([usage_type, parts]) => {
    const shares = parts.map((part) => valueOf(row, `vcpu.${part}`));
    const sum = shares.reduce((total, share) => (total === null || share === null ? null : total + share), 0);
    return point(sum === null ? null : Math.min(sum, 100) / 100, { usage_type });
  });

const HARDWARE_LABELS = [
  'neuron_device_count',
  'neuroncore_per_device_count',
  'neuron_device_type',
  'neuron_device_version',
  'neuroncore_version',
  'neuron_device_memory_size',
  'logical_neuroncore_config',
];

/** What the monitor tells of the hardware, as labels; none where it tells nothing. */
function hardware({ facts }: MonitorReport): Point[] {
  const known = HARDWARE_LABELS.flatMap((name): [string, string][] => {
    const fact = facts[name];
    return fact === undefined ? [] : [[name, String(fact)]];
  });
  return known.length === 0 ? [] : point(1, Object.fromEntries(known));
}

const gauge = (name: string, scope: Scope | null, help: string): Base => ({ name, type: 'gauge', help, scope });
const counter = (name: string, scope: Scope, help: string): Base => ({ name, type: 'counter', help, scope });
const own = (base: Base): Base => ({ ...base, own: true });

export const FAMILIES: readonly Family[] = [
  single(gauge('neuroncore_utilization_ratio', 'core', 'Busy share of a core, 0 to 1'), 'neuroncore_utilization', 100),
  single(own(gauge('neuroncore_flops_per_second', 'core', 'Floating-point operations of a core a second')), 'flops'),
  {
    ...single(
      own(gauge('neuroncore_physical_utilization_ratio', 'physical', 'Busy share of a physical core, 0 to 1')),
      'neuroncore_utilization',
      100,
    ),
    labels: [...ofRow('physical'), 'physical_core'],
    points: (row) => {
      const value = valueOf(row, 'neuroncore_utilization');
      return point(value === null ? null : value / 100, { physical_core: row.name ?? '' });
    },
  },
  ...MEMORY_KINDS.map((kind): Family => {
    const base = gauge(`neuroncore_memory_usage_${kind}`, 'core', `Device memory of a core in bytes: ${kind}`);
    // The companion's series have this label too, and always this value.
    const labels = { memory_location: 'None' };
    return {
      ...base,
      labels: [...ofRow('core'), 'memory_location'],
      points: (row) => point(valueOf(row, `memory.${kind}`), labels),
    };
  }),
  each(
    gauge('neuron_runtime_memory_used_bytes', 'runtime', 'Memory of a process in bytes, on the host and on devices'),
    'used.',
    'memory_location',
  ),
  each(
    own(gauge('neuron_runtime_host_memory_used_bytes', 'runtime', 'Host memory of a process in bytes, by kind')),
    'host.',
    'kind',
  ),
  each(
    gauge('neuron_runtime_vcpu_usage_ratio', 'runtime', 'vCPU time of a process, as a share of 1'),
    'vcpu.',
    'usage_type',
    100,
  ),
  each(
    counter('execution_errors_total', 'runtime', 'Errors of executions, summed over the reports read so far'),
    'error.',
    'error_type',
  ),
  each(
    counter('execution_status_total', 'runtime', 'Outcomes of executions, summed over the reports read so far'),
    'status.',
    'status_type',
  ),
  each(
    gauge('execution_latency_seconds', 'runtime', 'Latency of executions in the last period'),
    'total_latency.',
    'percentile',
  ),
  each(
    own(gauge('execution_device_latency_seconds', 'runtime', 'Latency of executions on the device alone')),
    'device_latency.',
    'percentile',
  ),
  each(
    counter('hardware_ecc_events_total', 'device', 'ECC events of a device, summed over the reports read so far'),
    'ecc.',
    'event_type',
  ),
  single(gauge('system_memory_total_bytes', 'system', 'Memory of the instance in bytes'), 'memory_total_bytes'),
  single(gauge('system_memory_used_bytes', 'system', 'Memory of the instance in use, in bytes'), 'memory_used_bytes'),
  single(gauge('system_swap_total_bytes', 'system', 'Swap of the instance in bytes'), 'swap_total_bytes'),
  single(gauge('system_swap_used_bytes', 'system', 'Swap of the instance in use, in bytes'), 'swap_used_bytes'),
  {
    ...gauge('system_vcpu_count', null, 'vCPUs of the instance'),
    labels: [],
    points: (_, { rows }) => {
      const vcpus = rows.filter(({ scope }) => scope === 'vcpu').length;
      return point(vcpus === 0 ? null : vcpus);
    },
  },
  {
    ...gauge('system_vcpu_usage_ratio', 'system', 'vCPU time of the instance, as a share of 1'),
    labels: ['usage_type'],
    points: systemVcpu,
  },
  {
    ...gauge('instance_info', null, 'The instance, by its labels'),
    labels: [],
    points: (_, { facts }) => (facts['instance_id'] === undefined ? [] : point(1)),
  },
  {
    ...gauge('neuron_hardware_info', null, 'The hardware of the instance, by its labels'),
    labels: HARDWARE_LABELS,
    points: (_, report) => hardware(report),
  },
];
