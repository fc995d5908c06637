/** The table of metrics that `dprof summary --vendor-metrics` prints and `dprof terms` explains. */
import { DMA_METRICS } from './dma-metrics.js';
import { ENGINE_METRICS } from './engine-metrics.js';
import { METRIC_GROUPS, type MetricGroup, type Metric, type MetricSums } from '../metric.js';
import { OTHER_METRICS } from './system-metrics.js';
import { CORE_TEMPLATES, KIND_TEMPLATES, throttleMetrics } from './throttle-metrics.js';
import { WORK_METRICS } from './work-metrics.js';

const METRICS: readonly Metric[] = [...OTHER_METRICS, ...WORK_METRICS, ...ENGINE_METRICS, ...DMA_METRICS];

/** Description of a metric; names of throttling metrics contain `<kind>` and `<k>`. */
export type MetricText = Pick<Metric, 'name' | 'group' | 'unit' | 'doc' | 'formula' | 'own'>;

export const METRIC_TEXTS: readonly MetricText[] = [
  ...METRICS,
  ...[...CORE_TEMPLATES, ...KIND_TEMPLATES].map((template) => ({ ...template, group: 'throttling' as const })),
];

const ORDER = Object.keys(METRIC_GROUPS);
export const byGroup = (a: { readonly group: MetricGroup }, b: { readonly group: MetricGroup }): number =>
  ORDER.indexOf(a.group) - ORDER.indexOf(b.group);

export const metricsOf = (sums: MetricSums): Metric[] => [...METRICS, ...throttleMetrics(sums)].sort(byGroup);

/** The description of a metric by name, also by template: `throttle_activity_0_active_time_nc1_percent`. */
export const textOf = (name: string): MetricText | null =>
  METRIC_TEXTS.find((text) => text.name === name) ??
  METRIC_TEXTS.find((text) => patternOf(text.name)?.test(name)) ??
  null;

function patternOf(template: string): RegExp | null {
  if (!template.includes('<')) return null;
  return new RegExp(`^${template.replace('<kind>', '(?:[a-z]+(?:_\\d+)?)').replace('<k>', '\\d+')}$`);
}
