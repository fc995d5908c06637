/** Converts nodes of a summary to records, and lists the names by which a summary is recognised. */
import { largest } from '../../../containers/element.js';
import type { Diagnostics } from '../../../record/diagnostics.js';
import type { Labels, ProfileLine, SampleRecord } from '../../../record/record.js';
import type { ReadOptions } from '../../reader.js';
import { endRecord } from '../../trace/emit.js';
import { knownFacts, profileRecord, unitOfMetric } from './profile-record.js';

/** Names of metrics that only this format has. */
const ITS_OWN: readonly RegExp[] = [
  /^(?:tensor|vector|scalar|gpsimd|sync)_engine_(?:active_time|instruction_(?:count|time)|active_time_percent)$/,
  /^(?:static|software_dynamic|hardware_dynamic)_dma_/,
  /^dma_(?:active_|packet_|transfer_|queue_)/,
  /^(?:hbm|sbuf|psum)_(?:read|write)_/,
  /^(?:hfu|mfu|mbu)_[a-z_]+$/,
  /^(?:hardware|transpose|model)_flops$/,
  /^throttle_/,
  /^(?:neuroncore_cycle_count|mm_arithmetic_intensity|peak_flops_bandwidth_ratio|nc_idx|nd_idx)$/,
  /^inputs_and_weights_size|^spill_(?:save|reload)_bytes$/,
];

/** Names of metrics that other formats may have too. */
const COMMON = new Set([
  'total_time',
  'total_active_time',
  'total_active_time_percent',
  'event_count',
  'instance_type',
  'compiler_version',
  'runtime_version',
  'driver_version',
  'collectives_version',
  'profiler_version',
]);

/**
 * Whether names are those of a summary: at least one name that no other format has, or two names that other formats may
 * have. Source: the table Summary of AWS's profile schema reference, and real summaries.
 */
export function areMetrics(names: Iterable<string>): boolean {
  let common = 0;
  for (const name of names) {
    if (ITS_OWN.some((pattern) => pattern.test(name))) return true;
    if (COMMON.has(name)) common++;
  }
  return common > 1;
}

export type MetricValue = number | string | boolean | null;

/** The metrics of one core, rank or run. */
export interface SummaryNode {
  /** Name given by the tool (`n_…`); null for a single node without a name. */
  readonly name: string | number | null;
  readonly metrics: readonly (readonly [name: string, value: MetricValue])[];
}

/** Facts of a profile line, and the metrics that contain them. */
const FACTS: readonly (readonly [fact: string, metric: string])[] = [
  ['instanceType', 'instance_type'],
  ['runtimeVersion', 'runtime_version'],
  ['driverVersion', 'driver_version'],
  ['collectivesVersion', 'collectives_version'],
  ['compilerVersion', 'compiler_version'],
];

export function* summaryRecords(
  nodes: readonly SummaryNode[],
  format: string,
  options: ReadOptions,
  diagnostics: Diagnostics,
): Generator<ProfileLine> {
  const tool = common(nodes, 'profiler_version');
  const seconds = nodes
    .flatMap((node) => valueOf(node, 'total_time') ?? [])
    .filter((value) => typeof value === 'number');
  const longest = seconds.length === 0 ? null : largest(seconds);
  yield profileRecord(format, options, {
    tool: tool === null ? null : `neuron-profile ${tool}`,
    // The time is rounded to picoseconds, the precision of the text, and then down to whole ns. Otherwise rounding
    // errors could lose a nanosecond.
    dur: longest === null ? null : Math.floor(Math.round(longest * 1e12) / 1000),
    devices: [],
    facts: factsOf(nodes, longest),
  });
  const { profile } = options;
  let count = 0;
  for (const { name, metrics } of nodes) {
    const labels: Labels = { from: 'summary', ...(name === null ? undefined : { node: name }) };
    for (const [metric, value] of metrics) {
      count++;
      yield sample(profile, metric, value, labels);
    }
  }
  yield endRecord(profile, { sample: count }, diagnostics);
}

function sample(profile: number, metric: string, value: MetricValue, labels: Labels): SampleRecord {
  const number = typeof value === 'boolean' ? Number(value) : typeof value === 'number' ? value : null;
  return {
    type: 'sample',
    profile,
    start: null,
    device: null,
    metric,
    value: Number.isFinite(number) ? number : null,
    ...(typeof value === 'string' ? { text: value } : undefined),
    unit: typeof value === 'string' ? null : unitOfMetric(metric),
    labels,
  };
}

const factsOf = (nodes: readonly SummaryNode[], longest: number | null): Labels =>
  knownFacts({
    ...Object.fromEntries(FACTS.map(([fact, metric]) => [fact, common(nodes, metric)])),
    totalTimePs: longest === null || nodes.length > 1 ? null : Math.round(longest * 1e12),
  });

const valueOf = ({ metrics }: SummaryNode, metric: string): MetricValue | undefined =>
  metrics.find(([name]) => name === metric)?.[1];

/** The text of a metric, if all nodes that have it agree. */
function common(nodes: readonly SummaryNode[], metric: string): string | null {
  const texts = new Set(nodes.flatMap((node) => valueOf(node, metric) ?? []));
  const [text] = texts;
  return texts.size === 1 && typeof text === 'string' && text !== '' ? text : null;
}
