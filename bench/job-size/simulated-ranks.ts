/** Ranks of a simulated job as files: traces, and records. */
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { jobRecords } from '../../samples/programs/job/records.js';
import { simulateJob, type SimulatedJob } from '../../samples/programs/job/simulate.js';
import { jobTrace } from '../../samples/programs/job/trace.js';

/** One layer of this rank takes 10 % longer. */
const SLOW_LAYER = { rank: 5, layer: 1, factor: 1.1 };

/** Ways of being parallel. */
function shapeOf(ranks: number): { readonly tp: number; readonly pp: number; readonly dp: number } {
  const tp = ranks >= 64 ? 8 : 2;
  const pp = ranks >= 256 ? 8 : ranks >= 64 ? 4 : 2;
  const dp = ranks / tp / pp;
  if (!Number.isInteger(dp)) throw new Error(`${ranks} ranks: not a multiple of ${tp * pp}`);
  return { tp, pp, dp };
}

/** A job of 4,700 to 4,900 kernels a rank. */
export const jobOf = (ranks: number): SimulatedJob =>
  simulateJob({ ...shapeOf(ranks), steps: 6, layers: 4, microBatches: 8, inject: { slowLayer: SLOW_LAYER } });

export const writeTrace = (job: SimulatedJob, rank: number, path: string): void =>
  writeFileSync(path, gzipSync(jobTrace(job, rank), { level: 1 }));

export function writeRecords(job: SimulatedJob, rank: number, path: string): void {
  let text = '';
  for (const record of jobRecords(job, rank, { profile: 0 })) text += `${JSON.stringify(record)}\n`;
  writeFileSync(path, text);
}
