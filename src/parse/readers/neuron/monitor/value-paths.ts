/**
 * The values of a neuron-monitor report by path, and their metrics: the vendor's leaf names, with the variable parts of the
 * path as labels. In a path, `{x}` matches any member and stores its key, or its index in a list, in the label x; `*`
 * matches any member; `a|b` matches either name, the older one last.
 *
 * Source: the Neuron Monitor user guides of 2020 to today, and reports of a trn1 of 2023.
 */

/** A leaf: path, metric, unit, and the label by which it identifies the object that contains it. */
type PathRow = readonly [path: string, metric: string, unit: string | null, label?: string];

const GROUPS = 'neuron_runtime_data|runtime_data.*.report';
const CORE = `${GROUPS}.neuroncore_counters|nc_counters.neuroncores_in_use|neuron_cores.{core}`;
const STATS = `${GROUPS}.execution_stats|inference_stats`;
const USED = `${GROUPS}.memory_used.neuron_runtime_used_bytes|runtime_memory`;
const MODEL = `${GROUPS}.memory_used.loaded_models.{model}`;
const MODEL_USED = `${MODEL}.memory_used_bytes|memory_used|memory_usage`;
const SUBGRAPH = `${MODEL}.subgraphs.{subgraph}`;
const SUBGRAPH_USED = `${SUBGRAPH}.memory_used_bytes|memory_used|memory_usage`;
const VCPU = 'system_data.vcpu_usage|cpu_usage';
const HARDWARE = 'system_data.neuron_hw_counters|hw_counters.neuron_devices.*';
const OLD_HARDWARE = `${GROUPS}.hw_counters.neuron_devices.*`;

const ROWS: readonly PathRow[] = [
  ['neuron_runtime_data|runtime_data.*.pid', 'pid', null, 'pid'],
  ['neuron_runtime_data|runtime_data.*.neuron_runtime_tag', 'neuron_runtime_tag', null, 'tag'],
  ['neuron_runtime_data|runtime_data.*.runtime_index', 'runtime_index', null, 'runtime'],
  ['neuron_runtime_data|runtime_data.*.address', 'address', null],

  [`${CORE}.neuroncore_utilization`, 'neuroncore_utilization', '%'],
  [`${CORE}.flops`, 'flops', 'FLOP/s'],
  [`${CORE}.effective_flops`, 'effective_flops', 'FLOP/s'],
  [`${CORE}.v3d.{physical}.neuroncore_utilization`, 'v3d.neuroncore_utilization', '%'],
  [`${CORE}.loaded_models.*`, 'neuroncore.loaded_models', null],

  [`${STATS}.error_summary.{kind}`, 'error_summary', 'count'],
  [`${STATS}.execution_summary|inference_summary.{kind}`, 'execution_summary', 'count'],
  // The whole object is null while nothing runs.
  [`${STATS}.latency_stats.total_latency`, 'latency_stats.total_latency', 's'],
  [`${STATS}.latency_stats.total_latency.{percentile}`, 'latency_stats.total_latency', 's'],
  [`${STATS}.latency_stats.device_latency`, 'latency_stats.device_latency', 's'],
  [`${STATS}.latency_stats.device_latency.{percentile}`, 'latency_stats.device_latency', 's'],

  [`${USED}.usage_breakdown.neuroncore_memory_usage.{core}.{kind}`, 'neuroncore_memory_usage', 'bytes'],
  [`${USED}.usage_breakdown.{location}.{kind}`, 'usage_breakdown', 'bytes'],
  [`${USED}.{location}`, 'neuron_runtime_used_bytes', 'bytes'],

  [`${MODEL}.name`, 'loaded_models.name', null],
  [`${MODEL}.uuid`, 'loaded_models.uuid', null, 'uuid'],
  [`${MODEL}.model_id`, 'loaded_models.model_id', null, 'modelId'],
  [`${MODEL}.is_running`, 'loaded_models.is_running', null],
  [`${MODEL_USED}.usage_breakdown.{location}.{kind}`, 'loaded_models.usage_breakdown', 'bytes'],
  [`${MODEL_USED}.{location}`, 'loaded_models.memory_used_bytes', 'bytes'],
  [`${SUBGRAPH}.neuroncore_index|neuron_core`, 'loaded_models.neuroncore_index', null, 'core'],
  [`${SUBGRAPH}.neuron_device_index|neuron_device`, 'loaded_models.neuron_device_index', null, 'device'],
  [`${SUBGRAPH_USED}.usage_breakdown.{location}.{kind}`, 'loaded_models.usage_breakdown', 'bytes'],
  [`${SUBGRAPH_USED}.{location}`, 'loaded_models.memory_used_bytes', 'bytes'],

  [
    `${GROUPS}.neuron_runtime_vcpu_usage|runtime_cpu_usage.vcpu_usage|cpu_usage.{kind}`,
    'neuron_runtime_vcpu_usage',
    '%',
  ],

  [`${VCPU}.average_usage.{kind}`, 'vcpu_usage.average_usage', '%'],
  [`${VCPU}.usage_data.{cpu}.{kind}`, 'vcpu_usage.usage_data', '%'],
  [`${VCPU}.context_switch_count`, 'context_switch_count', 'count'],
  ['system_data.memory_info.memory_total_bytes', 'memory_total_bytes', 'bytes'],
  ['system_data.memory_info.memory_used_bytes', 'memory_used_bytes', 'bytes'],
  ['system_data.memory_info.swap_total_bytes', 'swap_total_bytes', 'bytes'],
  ['system_data.memory_info.swap_used_bytes', 'swap_used_bytes', 'bytes'],

  ...[HARDWARE, OLD_HARDWARE].flatMap((path): PathRow[] => [
    [`${path}.neuron_device_index|device_index`, 'neuron_device_index', null, 'device'],
    ...['mem_ecc_corrected', 'mem_ecc_uncorrected', 'sram_ecc_corrected', 'sram_ecc_uncorrected'].map(
      (name): PathRow => [`${path}.${name}`, name, 'count'],
    ),
  ]),

  ...[
    'instance_name',
    'instance_id',
    'instance_type',
    'instance_availability_zone',
    'instance_availability_zone_id',
    'instance_region',
    'ami_id',
    'subnet_id',
  ].map((name): PathRow => [`instance_info|instance_data.${name}`, name, null]),

  ...(
    [
      ['neuron_device_type', null],
      ['neuron_device_version', null],
      ['neuroncore_version', null],
      ['neuron_device_count', 'count'],
      ['neuron_device_memory_size', 'bytes'],
      ['neuroncore_per_device_count', 'count'],
      ['logical_neuroncore_config', null],
    ] as const
  ).map(([name, unit]): PathRow => [`neuron_hardware_info.${name}`, name, unit]),
];

/** Top-level members by which a report is recognised. */
export const REPORT_KEYS: readonly string[] = [
  'neuron_runtime_data',
  'runtime_data',
  'system_data',
  'instance_info',
  'instance_data',
  'neuron_hardware_info',
  'neuron_k8s_info',
];

/**
 * A member of an object or a list. With `any`, its key becomes a label, if there is one, instead of a part of the metric's
 * name.
 */
interface PathMember {
  readonly place: PathNode;
  readonly any: boolean;
  readonly label: string | null;
}

/** Node of the trie of paths. */
export class PathNode {
  metric: string | null = null;
  unit: string | null = null;
  /** Members whose values become labels of everything inside the object. */
  readonly identities: (readonly [key: string, label: string])[] = [];
  readonly asNamed: PathMember = { place: this, any: false, label: null };
  readonly #named = new Map<string, PathNode>();
  #any: PathMember | null = null;

  member(key: string): PathMember | null {
    return this.#named.get(key)?.asNamed ?? this.#any;
  }

  add(path: readonly string[], row: PathRow): void {
    const [first, ...rest] = path;
    if (first === undefined) [, this.metric, this.unit] = row;
    else {
      for (const name of first.split('|')) {
        this.#within(name).add(rest, row);
        if (rest.length === 0 && row[3] !== undefined) this.identities.push([name, row[3]]);
      }
    }
  }

  #within(name: string): PathNode {
    const label = /^\{(.*)\}$/.exec(name)?.[1] ?? null;
    if (name === '*' || label !== null) {
      this.#any ??= { place: new PathNode(), any: true, label };
      return this.#any.place;
    }
    const place = this.#named.get(name) ?? new PathNode();
    this.#named.set(name, place);
    return place;
  }
}

export const REPORT = new PathNode();
for (const row of ROWS) REPORT.add(row[0].split('.'), row);
