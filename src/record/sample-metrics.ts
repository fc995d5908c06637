/** Names of sample metrics, and their readable titles. */

/**
 * Sample metrics about the host's CPUs; the values are for the whole profile. The labels `cpu` and `pid` give the core and
 * the process; `cpu_traced` has none.
 */
export const CPU_METRICS = {
  /** Time in ns during which threads of the process ran on the core. */
  time: 'cpu_time',
  /** Number of times that a thread of the process was scheduled onto the core. */
  switches: 'cpu_switches',
  /** Number of samples taken on the core while a thread of the process ran. */
  samples: 'cpu_samples',
  /** Time in ns from the first to the last scheduling event; `cpu_time` is a part of it. */
  traced: 'cpu_traced',
} as const;

/**
 * Metrics by thread (labels `pid` and `tid`) and stack (`text`): the number of CPU samples with this stack, and the time of
 * its calls of system libraries.
 */
export const CPU_STACK_METRICS = { samples: 'cpu_stack_samples', calls: 'cpu_stack_calls' } as const;

/** Separates the frames of such a stack, which has the outermost first. */
export const FRAME_SEPARATOR = ';';

/**
 * Metrics of samples that state what a GPU's counters measured over `dur`, in % of the peak, with the beginning of the name
 * that Nsight Systems gives them.
 */
export const GPU_METRICS = {
  gpu_sm_active: 'SMs Active',
  gpu_tensor_active: 'Tensor Active',
  gpu_dram_read: 'DRAM Read',
  gpu_dram_write: 'DRAM Write',
} as const;

/**
 * Metric of samples that state how many cores were busy, averaged over `dur`: with threads of the traced processes, or in a
 * system profile of Neuron with anything on the instance.
 */
export const CPU_BUSY_METRIC = 'cpu_busy';

/**
 * Metric of samples that state where work is missing. The value is the number of graph launches, labelled `api`, whose
 * work is not in the profile.
 */
export const MISSING_WORK_METRIC = 'missing_work';

/**
 * Metric of samples that name DMA queues (labels `stream` and `queue`) with a packet that crosses a boundary of the
 * execution: the Neuron vendor's tool leaves all packets of such a queue out of its metrics.
 */
export const UNEVEN_QUEUE_METRIC = 'dma_queue_uneven';

/**
 * Metric of samples that state when a NeuronCore's core for collectives (CC-core; label `core`) ran an instruction (label
 * `name`): the value is 1 for `dur`.
 */
export const CC_INSTRUCTION_METRIC = 'cc_instruction';

/** Metric of timeline tracks: the use of a NeuronCore's tensor engine as a share of its peak. */
export const TENSOR_UTILISATION_METRIC = 'tensor_utilisation';

const TITLES: Readonly<Record<string, string>> = {
  [CPU_BUSY_METRIC]: 'cores busy',
  throttle: 'rate under throttling (HAM)',
  memory_allocated_since_first: 'memory allocated since the first event',
  npu_mem: 'memory',
  npu_module_mem: 'memory of',
  sb_usage: 'SBUF in use',
  psum_usage: 'PSUM in use',
  dma_transfer_rate: 'DMA throughput',
  hbm_transfer_rate: 'HBM throughput',
  pending_dma: 'pending DMA',
  hbm_bandwidth: 'bandwidth',
  llc_throughput: 'throughput',
  llc_hit_rate: 'hit rate',
  aicore_freq: 'core clock',
  [CC_INSTRUCTION_METRIC]: 'CC-core',
  [TENSOR_UTILISATION_METRIC]: 'TensorMatrix utilisation',
};

/** The metric's title; by default its name in words. */
export const metricTitle = (metric: string): string =>
  (Object.hasOwn(TITLES, metric) ? TITLES[metric] : null) ?? metric.replaceAll('_', ' ');
