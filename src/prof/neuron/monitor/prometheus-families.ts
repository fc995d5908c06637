/**
 * Metric families of the Prometheus output. Names, labels and derivation of values are those of the exporter that comes
 * with neuron-monitor (neuron-monitor-prometheus.py), so that its dashboards keep working; families that it lacks have our
 * own names and are marked as such.
 */
import { fractionOf } from '../../../record/units.js';
import {
  under,
  valueOf,
  NO_ROW,
  processOf,
  sharedTags,
  type MonitorReport,
  type MonitorRow,
  type RowScope,
} from './monitor-report.js';
import { HARDWARE_FACTS } from './sample-targets.js';
import { escapeControls } from '../../../record/control-characters.js';
import { entryOf } from '../../../containers/map-entry.js';
import type { Labels } from '../../../record/record.js';

/** A value with the labels that identify it within its row. */
interface SeriesPoint {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface PrometheusFamily {
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  /** Labels in addition to those of the instance, for the list in --metrics. */
  readonly labels: readonly string[];
  /** Scope of the rows that have it; null when a report has a single value. */
  readonly scope: RowScope | null;
  /** Set when the vendor's exporter does not have it. */
  readonly own?: true;
  points(row: MonitorRow, report: MonitorReport): SeriesPoint[];
}

type FamilyBase = Pick<PrometheusFamily, 'name' | 'type' | 'help' | 'scope' | 'own'>;

const point = (value: number | null, labels: SeriesPoint['labels'] = {}): SeriesPoint[] =>
  value === null ? [] : [{ labels, value }];

const ofRow = (scope: RowScope | null): string[] => {
  const process = scope === 'core' || scope === 'physical' || scope === 'runtime' ? ['runtime_tag'] : [];
  const core = scope === 'core' || scope === 'physical' ? ['neuroncore'] : [];
  return [...process, ...core, ...(scope === 'device' ? ['neuron_device_index'] : [])];
};

/** Conversion of a value: percentages become ratios. */
type Conversion = (value: number) => number;

const asIs: Conversion = (value) => value;

/** One value of a row. */
const single = (base: FamilyBase, key: string, convert = asIs): PrometheusFamily => ({
  ...base,
  labels: ofRow(base.scope),
  points: (row) => {
    const value = valueOf(row, key);
    return point(value === null ? null : convert(value));
  },
});

/** All values with a prefix, with the rest of their name as a label. */
const each = (base: FamilyBase, prefix: string, label: string, convert = asIs): PrometheusFamily => ({
  ...base,
  labels: [...ofRow(base.scope), label],
  points: (row) => under(row, prefix).map(([name, value]) => ({ labels: { [label]: name }, value: convert(value) })),
});

const MEMORY_KINDS = ['constants', 'model_code', 'model_shared_scratchpad', 'runtime_memory', 'tensors'];

/** Components of user and of system time of the instance, as in the vendor's exporter. */
const VCPU_PARTS = { user: ['user', 'nice'], system: ['system', 'io_wait', 'irq', 'soft_irq'] };

/** Number of significant decimal digits that every double preserves. */
const DECIMAL_DIGITS = 15;

/** Fractions of 1, at most 1; none when one of the components is unknown. */
const systemVcpu = (row: MonitorRow): SeriesPoint[] =>
  Object.entries(VCPU_PARTS).flatMap(([usage_type, parts]) => {
    const shares = parts.map((part) => valueOf(row, `vcpu.${part}`));
    const sum = shares.reduce((total, share) => (total === null || share === null ? null : total + share), 0);
    // Sums of decimal numbers have rounding digits that none of the numbers has.
    return point(sum === null ? null : fractionOf(Number(Math.min(sum, 100).toPrecision(DECIMAL_DIGITS))), {
      usage_type,
    });
  });

/** Facts about the hardware as labels of one point; none without facts. */
function hardware({ facts }: MonitorReport): SeriesPoint[] {
  const known = HARDWARE_FACTS.flatMap((name): [string, string][] => {
    const fact = facts[name];
    return fact === undefined ? [] : [[name, String(fact)]];
  });
  return known.length === 0 ? [] : point(1, Object.fromEntries(known));
}

const gauge = (name: string, scope: RowScope | null, help: string): FamilyBase => ({
  name,
  type: 'gauge',
  help,
  scope,
});
const counter = (name: string, scope: RowScope, help: string): FamilyBase => ({ name, type: 'counter', help, scope });
const asOwn = (base: FamilyBase): FamilyBase => ({ ...base, own: true });

export const PROMETHEUS_FAMILIES: readonly PrometheusFamily[] = [
  single(
    gauge('neuroncore_utilization_ratio', 'core', 'Busy share of a core, 0 to 1'),
    'neuroncore_utilization',
    fractionOf,
  ),
  single(
    asOwn(gauge('neuroncore_flops_per_second', 'core', 'Floating-point operations of a core per second')),
    'flops',
  ),
  {
    ...asOwn(gauge('neuroncore_physical_utilization_ratio', 'physical', 'Busy share of a physical core, 0 to 1')),
    labels: [...ofRow('physical'), 'physical_core'],
    points: (row) => {
      const value = valueOf(row, 'neuroncore_utilization');
      return point(value === null ? null : fractionOf(value), { physical_core: row.name ?? '' });
    },
  },
  ...MEMORY_KINDS.map((kind): PrometheusFamily => {
    const base = gauge(`neuroncore_memory_usage_${kind}`, 'core', `Device memory of a core in bytes: ${kind}`);
    // The vendor's exporter also has this label, always with this value.
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
    asOwn(gauge('neuron_runtime_host_memory_used_bytes', 'runtime', 'Host memory of a process in bytes, by kind')),
    'host.',
    'kind',
  ),
  each(
    gauge('neuron_runtime_vcpu_usage_ratio', 'runtime', 'vCPU time of a process, as a share of 1'),
    'vcpu.',
    'usage_type',
    fractionOf,
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
    asOwn(gauge('execution_device_latency_seconds', 'runtime', 'Latency of executions on the device only')),
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
    ...gauge('instance_info', null, 'Properties of the instance, as labels; the value is always 1'),
    labels: [],
    points: (_, { facts }) => (facts['instance_id'] === undefined ? [] : point(1)),
  },
  {
    ...gauge('neuron_hardware_info', null, 'Hardware of the instance, as labels; the value is always 1'),
    labels: HARDWARE_FACTS,
    points: (_, report) => hardware(report),
  },
];

/** Labels of every series, by the fact about the instance that they contain. */
const INSTANCE_LABELS = {
  availability_zone: 'instance_availability_zone',
  instance_id: 'instance_id',
  instance_name: 'instance_name',
  instance_type: 'instance_type',
  region: 'instance_region',
  subnet_id: 'subnet_id',
} as const;

type PrometheusLabels = Readonly<Record<string, string>>;

interface CounterTotal {
  /** Process of the value; null for devices. */
  readonly process: string | null;
  value: number;
}

/**
 * Turns reports into Prometheus text format 0.0.4, a complete exposition for each.
 *
 * Gauges have the values of the report; unknown ones are absent. Counters are sums over the reports so far, because the
 * monitor counts each period separately; they restart when their process was missing from a report.
 */
export class Exposition {
  /** Sums by family and series. */
  readonly #totals = new Map<string, Map<string, CounterTotal>>();

  /** The exposition after a report, with a final line feed; '' when there are no series. */
  take(report: MonitorReport): string {
    const instance = instanceLabels(report.facts);
    const rowLabels = labelsOfRows(report.rows);
    return PROMETHEUS_FAMILIES.map((family) => {
      const series = new Map<string, number>();
      const totals = family.type === 'counter' ? this.#present(family.name, report.rows) : null;
      for (const row of family.scope === null ? [NO_ROW] : report.rows) {
        if (family.scope !== null && row.scope !== family.scope) continue;
        for (const { labels, value } of family.points(row, report)) {
          const key = seriesText({ ...instance, ...rowLabels(row), ...labels });
          const process = row.tag === null ? null : processOf(row);
          if (totals !== null) entryOf(totals, key, () => ({ process, value: 0 })).value += value;
          // Emit each series once, with the value of the first duplicate.
          else if (!series.has(key)) series.set(key, value);
        }
      }
      if (totals !== null) for (const [key, { value }] of totals) series.set(key, value);
      return familyText(family, series);
    }).join('');
  }

  /** Sums of a family, without those of processes that are missing from the report. */
  #present(name: string, rows: readonly MonitorRow[]): Map<string, CounterTotal> {
    const totals = entryOf(this.#totals, name, () => new Map<string, CounterTotal>());
    const present = new Set(rows.map(processOf));
    for (const [key, { process }] of totals) if (process !== null && !present.has(process)) totals.delete(key);
    return totals;
  }
}

/** Unknown facts have no label; empty strings have one, as in the vendor's exporter. */
function instanceLabels(facts: Labels): PrometheusLabels {
  const labels: Record<string, string> = {};
  for (const [label, name] of Object.entries(INSTANCE_LABELS)) {
    const fact = facts[name];
    if (fact !== undefined) labels[label] = String(fact);
  }
  return labels;
}

/**
 * Labels that identify a row. Processes that share a tag have their pid as a label, because their series would collide
 * otherwise.
 */
function labelsOfRows(rows: readonly MonitorRow[]): (row: MonitorRow) => PrometheusLabels {
  const shared = sharedTags(rows);
  return ({ scope, tag, pid, core, device }) => {
    if (scope === 'device') return device === null ? {} : { neuron_device_index: String(device) };
    return {
      ...(tag === null ? {} : { runtime_tag: tag }),
      ...(tag !== null && pid !== null && shared.has(tag) ? { pid: String(pid) } : {}),
      ...(core === null ? {} : { neuroncore: String(core) }),
    };
  };
}

function familyText({ name, type, help }: PrometheusFamily, series: ReadonlyMap<string, number>): string {
  if (series.size === 0) return '';
  const lines = [...series].map(([key, value]) => `${name}${key} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

const escaped = (value: string): string => value.split('\n').map(escapedLine).join('\\n');

const escapedLine = (line: string): string => escapeControls(line).replace(/[\\"]/g, '\\$&');

function seriesText(labels: PrometheusLabels): string {
  const pairs = Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
