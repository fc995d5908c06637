/** THE table of metrics: what `dprof summary` shows, and `dprof terms` explains. */
import { DMA_METRICS } from './dma-metrics.js';
import { ENGINE_METRICS } from './engine-metrics.js';
import { GROUPS, type Group, type Metric, type Sums } from './metric.js';
import { OTHER_METRICS } from './system-metrics.js';
import { CORE_TEMPLATES, KIND_TEMPLATES, throttleMetrics } from './throttle-metrics.js';
import { WORK_METRICS } from './work-metrics.js';

/** Those that every profile has. */
export const METRICS: readonly Metric[] = [...OTHER_METRICS, ...WORK_METRICS, ...ENGINE_METRICS, ...DMA_METRICS];

/** What is said of a metric; names of those of throttling have `<kind>` and `<k>` in them. */
export type MetricText = Pick<Metric, 'name' | 'group' | 'unit' | 'doc' | 'formula' | 'own'>;

export const METRIC_TEXTS: readonly MetricText[] = [
  ...METRICS,
  ...[...CORE_TEMPLATES, ...KIND_TEMPLATES].map((template) => ({ ...template, group: 'throttling' as const })),
];

const ORDER = Object.keys(GROUPS);
export const inOrder = (a: { readonly group: Group }, b: { readonly group: Group }): number =>
  ORDER.indexOf(a.group) - ORDER.indexOf(b.group);

/** All metrics of a profile, group by group. */
export const metricsOf = (sums: Sums): Metric[] => [...METRICS, ...throttleMetrics(sums)].sort(inOrder);

/** What a name of a metric is a case of: `throttle_activity_0_active_time_nc1_percent` of its template. */
export const textOf = (name: string): MetricText | null =>
  METRIC_TEXTS.find((text) => text.name === name) ??
  METRIC_TEXTS.find((text) => patternOf(text.name)?.test(name)) ??
  null;

function patternOf(template: string): RegExp | null {
  if (!template.includes('<')) return null;
  return new RegExp(`^${template.replace('<kind>', '(?:[a-z]+(?:_\\d+)?)').replace('<k>', '\\d+')}$`);
}
