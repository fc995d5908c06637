/**
 * Reports → Prometheus' text format 0.0.4, a whole exposition each.
 *
 * Gauges are of the report at hand; what is not known is absent. Counters are sums over the reports so far, as the
 * monitor counts anew in each; they begin again when their process was gone from a report.
 */
import type { Labels } from '../../record/record.js';
import { FAMILIES, type Family } from './families.js';
import { processOf, sharedTags, type MonitorReport, type MonitorRow } from './monitor-report.js';

/** Labels of the instance, on every series, and the fact each is. */
const INSTANCE_LABELS = {
  availability_zone: 'instance_availability_zone',
  instance_id: 'instance_id',
  instance_name: 'instance_name',
  instance_type: 'instance_type',
  region: 'instance_region',
  subnet_id: 'subnet_id',
} as const;

type TextLabels = Readonly<Record<string, string>>;

interface Total {
  /** The process that it counts for; null for devices. */
  readonly process: string | null;
  value: number;
}

const NO_ROW: MonitorRow = {
  scope: 'system',
  pid: null,
  tag: null,
  device: null,
  core: null,
  name: null,
  dur: null,
  values: new Map(),
};

export class Exposition {
  /** Sums by family and series. */
  readonly #totals = new Map<string, Map<string, Total>>();

  /** The exposition after a report, ending in a line feed; '' when there is nothing to tell. */
  take(report: MonitorReport): string {
    const instance = instanceLabels(report.facts);
    const rowLabels = labelsOfRows(report.rows);
    return FAMILIES.map((family) => {
      const series = new Map<string, number>();
      const totals = family.type === 'counter' ? this.#present(family.name, report.rows) : null;
      for (const row of family.scope === null ? [NO_ROW] : report.rows) {
        if (family.scope !== null && row.scope !== family.scope) continue;
        for (const { labels, value } of family.points(row, report)) {
          const key = seriesText({ ...instance, ...rowLabels(row), ...labels });
          if (totals !== null) add(totals, key, value, row.tag === null ? null : processOf(row));
          // One series stands once: of two parts of a process that tell the same, the first.
          else if (!series.has(key)) series.set(key, value);
        }
      }
      for (const [key, { value }] of totals ?? []) series.set(key, value);
      return familyText(family, series);
    }).join('');
  }

  /** Sums of a family, without those of processes that the report does not know. */
  #present(name: string, rows: readonly MonitorRow[]): Map<string, Total> {
    const totals = this.#totals.get(name) ?? new Map<string, Total>();
    this.#totals.set(name, totals);
    const present = new Set(rows.map(processOf));
    for (const [key, { process }] of totals) if (process !== null && !present.has(process)) totals.delete(key);
    return totals;
  }
}

function add(totals: Map<string, Total>, key: string, value: number, process: string | null): void {
  const total = totals.get(key);
  if (total === undefined) totals.set(key, { process, value });
  else total.value += value;
}

/** What the monitor does not tell is no label; an empty text is one, as in the companion. */
function instanceLabels(facts: Labels): TextLabels {
  const labels: Record<string, string> = {};
  for (const [label, name] of Object.entries(INSTANCE_LABELS)) {
    const fact = facts[name];
    if (fact !== undefined) labels[label] = String(fact);
  }
  return labels;
}

/** Labels by a row's place. Processes that share a tag are told apart by their pid, or their series would be one. */
function labelsOfRows(rows: readonly MonitorRow[]): (row: MonitorRow) => TextLabels {
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

function familyText({ name, type, help }: Family, series: ReadonlyMap<string, number>): string {
  if (series.size === 0) return '';
  const lines = [...series].map(([key, value]) => `${name}${key} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };
const escaped = (value: string): string => value.replace(/[\\"\n]/g, (character) => ESCAPES[character] ?? '');

function seriesText(labels: TextLabels): string {
  const pairs = Object.keys(labels)
    .sort()
    .map((name) => `${name}="${escaped(labels[name] ?? '')}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
