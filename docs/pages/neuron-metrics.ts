/** docs/neuron-metrics.md: metrics, warnings and monitor columns of AWS Neuron. */
import { MONITOR_COLUMNS } from '../../src/prof/neuron/monitor/monitor-columns.js';
import { PROMETHEUS_FAMILIES } from '../../src/prof/neuron/monitor/prometheus-families.js';
import { METRIC_GROUPS, type MetricGroup } from '../../src/prof/neuron/metric.js';
import { METRIC_TEXTS, type MetricText } from '../../src/prof/neuron/metrics/metrics.js';
import { inOurUnit } from '../../src/prof/neuron/quantity.js';
import { TERM_KINDS } from '../../src/prof/neuron/terms.js';
import { WARNING_RULES } from '../../src/prof/neuron/warnings.js';
import { code, NOTICE, page, table } from './markdown.js';

const unitOf = ({ unit }: MetricText): string => (unit === 'text' ? '' : inOurUnit(0, unit).unit);

const isGroup = (name: string): name is MetricGroup => Object.hasOwn(METRIC_GROUPS, name);

function group(name: MetricGroup): string[] {
  const metrics = METRIC_TEXTS.filter((metric) => metric.group === name);
  if (metrics.length === 0) return [];
  const rows = metrics.map((metric) => [
    `${code(metric.name)}${metric.own === true ? ' *' : ''}`,
    unitOf(metric),
    metric.doc,
    code(metric.formula),
  ]);
  return [`### ${METRIC_GROUPS[name]}`, table(['metric', 'unit', 'meaning', 'formula'], rows)];
}

const kinds = TERM_KINDS.filter((kind) => kind !== 'metric' && kind !== 'word').join(', ');

export const neuronMetricsPage = (): string =>
  page(
    NOTICE,
    '# AWS Neuron metrics',
    'These are the metrics that `dprof summary --vendor-metrics` and `dprof monitor` show. [neuron.md](neuron.md) explains which files belong together, and what can mislead.',
    '## Metrics of `dprof summary --vendor-metrics`',
    "Names are those of AWS's tool; ours have a star. Units are those of json and csv. A metric that the input lacks is `na`, with the reason. `<k>` is the position of a core among those of the capture, `<kind>` what limits it.",
    ...Object.keys(METRIC_GROUPS).filter(isGroup).flatMap(group),
    '## Warnings',
    table(
      ['warning', 'when'],
      WARNING_RULES.map(({ id, when }) => [code(id), when]),
    ),
    '## Words',
    `\`dprof terms\` lists the words, by kind: ${kinds}. \`dprof terms WORD\` explains one, as it does each metric.`,
    '## Columns of `dprof monitor`',
    table(
      ['key', 'header', 'unit', 'meaning'],
      MONITOR_COLUMNS.map(({ key, header, unit, doc }) => [code(key), header, unit ?? '', doc]),
    ),
    '## Prometheus metrics of `dprof monitor`',
    'Those with a star are not exported by neuron-monitor-prometheus.py.',
    table(
      ['metric', 'type', 'labels'],
      PROMETHEUS_FAMILIES.map(({ name, type, labels, own }) => [
        `${code(name)}${own === true ? ' *' : ''}`,
        type,
        labels.length === 0 ? '' : code(labels.join(', ')),
      ]),
    ),
  );
