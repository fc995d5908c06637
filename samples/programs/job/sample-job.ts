/** The job of the samples: four ranks on two nodes, clocks apart, one layer slow on one rank. */
import { traceName } from './context.js';
import { simulateJob } from './simulate.js';
import { jobTrace } from './trace.js';
import { truthText } from './truth-file.js';

/** The files of the job by name, traces unpacked. */
export function sampleJob(): Readonly<Record<string, () => Buffer>> {
  const job = simulateJob({
    tp: 2,
    pp: 1,
    dp: 2,
    ranksPerNode: 2,
    layers: 2,
    microBatches: 2,
    steps: 5,
    inject: { slowLayer: { rank: 2, layer: 1, factor: 1.2 } },
  });
  const traces = job.ranks.map(({ rank }) => [traceName(rank), () => jobTrace(job, rank)] as const);
  return { ...Object.fromEntries(traces), 'truth.json': () => Buffer.from(truthText(job)) };
}
