/**
 * Reports → Prometheus text format 0.0.4, a complete exposition for each.
 *
 * Gauges have the values of the report; unknown ones are absent. Counters are sums over the reports so far, since the
 * monitor counts each period anew; they restart when their process was missing from a report.
 */
import { escapeControls } from '../../../record/control-characters.js';
import { entryOf } from '../../../containers/map-entry.js';
import type { Labels } from '../../../record/record.js';
import { PROMETHEUS_FAMILIES, type PrometheusFamily } from './prometheus-families.js';
import { NO_ROW, processOf, sharedTags, type MonitorReport, type MonitorRow } from './monitor-report.js';

/** Labels of every series, by the fact of the instance that they contain. */
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
  /** Its process; null for devices. */
  readonly process: string | null;
  value: number;
}

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
          // Emit each series once: keep the first duplicate.
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

/** Unknown facts are no labels; empty texts are, as in the vendor's exporter. */
function instanceLabels(facts: Labels): PrometheusLabels {
  const labels: Record<string, string> = {};
  for (const [label, name] of Object.entries(INSTANCE_LABELS)) {
    const fact = facts[name];
    if (fact !== undefined) labels[label] = String(fact);
  }
  return labels;
}

/** Labels that identify a row. Processes that share a tag get their pid as a label, or their series would collide. */
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
