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

/** Metric of the samples that state where work is missing: how many graph launches, labelled `api`, have none from then on. */
export const MISSING_WORK_METRIC = 'missing_work';
