/** Which samples are drawn over time, what their tracks are called, and how long a value holds. */
import {
  CC_INSTRUCTION_METRIC,
  CPU_BUSY_METRIC,
  CPU_METRICS,
  metricTitle,
  MISSING_WORK_METRIC,
  TENSOR_UTILISATION_METRIC,
} from '../../../record/sample-metrics.js';
import type { Labels, SampleRecord } from '../../../record/record.js';

export interface TrackMetric {
  readonly title: string;
  /** Whether the last value holds to the end: of what changes only where there is a sample. */
  readonly holds: boolean;
  /** Labels that distinguish the series; null for all. */
  readonly by: readonly string[] | null;
}

type MetricShape = Omit<TrackMetric, 'title'>;

const changes = (by: TrackMetric['by'] = null): MetricShape => ({ holds: true, by });
const sampled = (by: TrackMetric['by'] = null): MetricShape => ({ holds: false, by });

/** Metrics in the order of their tracks; all others follow under their own names. */
const METRICS: Readonly<Record<string, MetricShape>> = {
  throttle: sampled(['kind']),
  [CPU_BUSY_METRIC]: sampled(),
  memory_allocated: changes(),
  memory_reserved: changes(),
  memory_active: changes(),
  memory_allocated_since_first: changes(),
  npu_mem: sampled(),
  npu_module_mem: changes(),
  sb_usage: changes([]),
  psum_usage: changes([]),
  [TENSOR_UTILISATION_METRIC]: changes([]),
  dma_transfer_rate: changes([]),
  pending_dma: changes([]),
  hbm_bandwidth: sampled(),
  llc_throughput: sampled(),
  llc_hit_rate: sampled(),
  aicore_freq: sampled(),
  [CC_INSTRUCTION_METRIC]: sampled(['core']),
};

/**
 * Metrics that are no quantity over time: sizes of single allocations, spans of steps and of missing work, what is of the
 * whole profile. Semaphores count events of the program: there are hundreds, and dependencies show more of them.
 */
const NO_TRACKS: ReadonlySet<string> = new Set<string>([
  ...Object.values(CPU_METRICS),
  ...['op_memory', 'npu_op_mem', 'step', 'semaphore', 'tensor_engine_active'],
  MISSING_WORK_METRIC,
]);

/** Place of a metric in the order of tracks. */
export function placeOf(metric: string): number {
  const place = Object.keys(METRICS).indexOf(metric);
  return place === -1 ? Object.keys(METRICS).length : place;
}

/** How a sample is drawn; null where it is not: one without a time, a text, or no quantity over time. */
export function trackMetricOf({ metric, start, text, labels }: SampleRecord): TrackMetric | null {
  if (start === null || text !== undefined || NO_TRACKS.has(metric)) return null;
  // Values of one kernel, which is the range.
  if (labels?.['range'] !== undefined) return null;
  const shape = Object.hasOwn(METRICS, metric) ? METRICS[metric] : undefined;
  return { title: metricTitle(metric), ...(shape ?? sampled()) };
}

/** Labels that differ from sample to sample of one series. */
const OF_SAMPLES: ReadonlySet<string> = new Set(['report']);

/** `activity_0` and `activity_1` are states of one limit. */
const STATE = /^(activity|gpio)_\d+$/;

/** What distinguishes a series from others of its metric: 'CUDA', 'app hbm', 'hbm 0 read'; '' where there is but one. */
export function seriesName({ by }: TrackMetric, labels: Labels = {}): string {
  return Object.entries(labels)
    .filter(([name]) => (by === null ? !OF_SAMPLES.has(name) : by.includes(name)))
    .map(([name, value]) => (typeof value === 'number' ? `${name} ${value}` : value.replace(STATE, '$1')))
    .join(' ');
}
