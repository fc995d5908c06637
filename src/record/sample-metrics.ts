/** Names of metrics of samples, and what they are called where people read them. */

/**
 * Metrics of samples about the host's CPUs, values of the whole profile. The labels `cpu` and `pid` say of which core and
 * process; `cpu_traced` has none.
 */
export const CPU_METRICS = {
  /** ns in which threads of the process ran on the core. */
  time: 'cpu_time',
  /** Times that a thread of the process was scheduled onto the core. */
  switches: 'cpu_switches',
  /** Samples taken on the core while a thread of the process ran. */
  samples: 'cpu_samples',
  /** ns from the first to the last event of scheduling: the time of which `cpu_time` is a part. */
  traced: 'cpu_traced',
} as const;

/** Metric of the samples that state how many cores threads of the traced processes kept busy, mean over `dur`. */
export const CPU_BUSY_METRIC = 'cpu_busy';

/** Metric of the samples that state where work is missing: how many graph launches, labelled `api`, have none from then on. */
export const MISSING_WORK_METRIC = 'missing_work';

/**
 * Metric of the samples that name the queues of DMA engines, by the labels `stream` and `queue`, with a packet across a bound
 * of the execution: the Neuron vendor's tool leaves all packets of such a queue out of its metrics.
 */
export const UNEVEN_QUEUE_METRIC = 'dma_queue_uneven';

/**
 * Metric of the samples that state when a core for collectives of a NeuronCore (CC-core), labelled `core`, ran an
 * instruction, labelled `name`: the value is 1 for `dur`.
 */
export const CC_INSTRUCTION_METRIC = 'cc_instruction';

/** Metric of what the tensor engine of a NeuronCore does as a share of its peak, in the tracks of a timeline. */
export const TENSOR_UTILISATION_METRIC = 'tensor_utilisation';

const TITLES: Readonly<Record<string, string>> = {
  [CPU_BUSY_METRIC]: 'cores busy',
  throttle: 'rate that throttling leaves (HAM)',
  memory_allocated_since_first: 'memory allocated since the first event',
  npu_mem: 'memory',
  npu_module_mem: 'memory of',
  sb_usage: 'SBUF in use',
  psum_usage: 'PSUM in use',
  dma_transfer_rate: 'DMA throughput',
  pending_dma: 'pending DMA',
  hbm_bandwidth: 'bandwidth',
  llc_throughput: 'throughput',
  llc_hit_rate: 'hit rate',
  aicore_freq: 'clock of the cores',
  [CC_INSTRUCTION_METRIC]: 'CC-core',
  [TENSOR_UTILISATION_METRIC]: 'TensorMatrix utilisation',
};

/** The metric's own name in words where it has no other. */
export const metricTitle = (metric: string): string =>
  (Object.hasOwn(TITLES, metric) ? TITLES[metric] : null) ?? metric.replaceAll('_', ' ');
