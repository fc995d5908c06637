/** What chance decides about a job, drawn before it runs: the same for a seed, whatever is wrong with the job. */
import { Noise } from '../../../test/support/noise.js';
import type { Channel } from './channels.js';
import type { RankClock } from './clocks.js';
import type { JobRank } from './layout.js';
import type { JobOptions } from './options.js';
import type { JobOp, StageProgram } from './program.js';

/** No piece of work is shorter than this share of its time without noise. */
const SHORTEST = 0.5;

/** A stream of numbers for each rank and each channel of each seed. */
function noiseOf(seed: number, kind: 'rank' | 'channel', index: number): Noise {
  const word = Math.floor(new Noise(seed).uniform() * 2 ** 32);
  return new Noise(word + 2 * index + (kind === 'rank' ? 0 : 1));
}

export interface RankDraws {
  readonly clock: RankClock;
  /** When its first step begins, ns. */
  readonly firstBegin: number;
  /** By step: how long the host loads data, ns. */
  readonly loading: Float64Array;
  /** By step: how long the host takes for a launch, ns. */
  readonly launch: Float64Array;
}

/** How late the last rank is when it begins its first step. */
const FIRST_BEGIN_NS = 2e6;

/** How much more the loading of data varies than the host's pace. */
const LOADING_VARIES = 5;

/**
 * Draws for one rank. Into `durations` come the durations of its work; of messages how much later than the transfer they
 * end on this rank.
 * @param ranksOf how many take part in a message
 */
export function drawRank(
  options: JobOptions,
  rank: JobRank,
  program: StageProgram,
  durations: Int32Array,
  ranksOf: (op: JobOp) => number,
): RankDraws {
  const { steps, noise: amounts, clocks, dataLoadingNs, launchNs, inject } = options;
  const noise = noiseOf(options.seed, 'rank', rank.rank);
  const [offset, drift] = [2 * noise.uniform() - 1, 2 * noise.uniform() - 1];
  const clock =
    clocks === 'none'
      ? { offsetNs: 0, drift: 0 }
      : { offsetNs: Math.round(offset * clocks.offsetNs), drift: drift * clocks.drift };
  const firstBegin = Math.round(noise.uniform() * FIRST_BEGIN_NS);
  const varied = (deviation: number): number => Math.max(SHORTEST, 1 + deviation * noise.normal());
  const extra = inject.dataLoading?.rank === rank.rank ? inject.dataLoading.ns : 0;
  const loading = new Float64Array(steps);
  const launch = new Float64Array(steps);
  for (let step = 0; step < steps; step++) {
    loading[step] = Math.round(dataLoadingNs * varied(LOADING_VARIES * amounts.host)) + extra;
    launch[step] = launchNs * varied(amounts.host);
  }
  const slow = slowness(options, rank);
  for (const op of program.ops) {
    // As many draws for each piece of work, whatever it is and however large the noise.
    const [factor, skew, late, lateness] = [varied(amounts.kernel), noise.uniform(), noise.uniform(), noise.uniform()];
    const { endSkewNs, lateNs } = amounts;
    const isLate = op.message !== null && late * ranksOf(op) < amounts.late;
    const outlier = isLate ? lateNs[0] + lateness * (lateNs[1] - lateNs[0]) : 0;
    const base = op.kernel?.ns ?? op.copy?.ns ?? 0;
    durations[op.index] = Math.round(op.message === null ? base * factor * slow(op) : skew * endSkewNs + outlier);
  }
  return { clock, firstBegin, loading, launch };
}

/** How many times longer a rank's work takes by what is wrong with the job. */
function slowness({ inject }: JobOptions, { rank, node }: JobRank): (op: JobOp) => number {
  const { slowLayer, slowNode } = inject;
  const ofNode = slowNode !== undefined && [slowNode.node].flat().includes(node) ? slowNode.factor : 1;
  const layer = slowLayer?.rank === rank ? slowLayer.layer : -1;
  return ({ kernel, part }) => (kernel === null ? 1 : ofNode * (part?.layer === layer ? (slowLayer?.factor ?? 1) : 1));
}

/** By message of a channel: what its transfer is multiplied by. */
export function drawTransfers({ seed, noise: amounts }: JobOptions, channel: Channel): Float64Array {
  const noise = noiseOf(seed, 'channel', channel.id);
  return Float64Array.from({ length: channel.length }, () => Math.max(SHORTEST, 1 + amounts.transfer * noise.normal()));
}
