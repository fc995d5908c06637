/** The causes of idle time of devices. */

/** The causes, each as a clause that fits into a sentence. */
export const IDLE_CAUSES = {
  loading: 'the CPU is loading data',
  garbage: 'Python is collecting garbage',
  overhead: 'the profiler or driver blocks the CPU (buffer flushes, kernels loaded on first use)',
  call: 'one API call blocks the CPU',
  copy: 'the CPU waits for copies before it launches more work',
  launch: 'the CPU launches kernels too slowly',
  host: 'the CPU is doing other work',
  queue: 'gaps between queued kernels',
  semaphore: 'engines wait for semaphores',
  transfer: 'the program waits for transfers that it started',
  unknown: 'launches were not recorded',
} as const;
export type IdleCause = keyof typeof IDLE_CAUSES;

export const NO_IDLE = Object.fromEntries(Object.keys(IDLE_CAUSES).map((cause) => [cause, 0])) as Readonly<
  Record<IdleCause, number>
>;
