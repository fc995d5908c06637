/** The rank that computes longest, for which the others wait. */
import { workOf } from '../../steps/work.js';
import { ByDevice, type Place } from '../by-device.js';
import { Cover } from '../cover.js';
import type { Answer, Facts, Rule } from '../rule.js';
import { many, time } from '../words.js';

/** Steps of all devices together that are kept; those beyond are not compared. */
const MOST_STEPS = 100_000;
/** Share of the steps in which one rank must be the slowest to be called a straggler: chance alone gives it 1 / ranks. */
const MOSTLY = 0.5;

class Step {
  readonly computing = new Cover();
  readonly communication = new Cover();
}

type Steps = ReadonlyMap<number, Step>;
type Rank = Place & { readonly of: Steps };

/** What one step says: who computed longest, and by how much. */
interface Lag {
  readonly slowest: Rank;
  /** ns longer than the next, and than the middle one. */
  readonly overNext: number;
  readonly overMiddle: number;
  /** Communication of the slowest, and on average of the others. */
  readonly own: number;
  readonly others: number;
}

function lagOf(step: number, ranks: readonly Rank[]): Lag | null {
  const sorted = ranks
    .flatMap((rank) => {
      const found = rank.of.get(step);
      return found === undefined ? [] : [{ rank, computing: found.computing.total, communication: found.communication.total }]; // prettier-ignore
    })
    .sort((a, b) => b.computing - a.computing);
  const [slowest, next] = sorted;
  // Whoever does not communicate makes nobody wait.
  if (slowest === undefined || next === undefined || sorted.some(({ communication }) => communication === 0))
    return null;
  const middle = sorted[Math.floor(sorted.length / 2)] ?? next;
  const others = sorted.slice(1).reduce((sum, { communication }) => sum + communication, 0) / (sorted.length - 1);
  return {
    slowest: slowest.rank,
    overNext: slowest.computing - next.computing,
    overMiddle: slowest.computing - middle.computing,
    own: slowest.communication,
    others,
  };
}

const total = (lags: readonly Lag[], of: (lag: Lag) => number): number => lags.reduce((sum, lag) => sum + of(lag), 0);

function answer(ranks: readonly Rank[], { profiles }: Facts): Answer {
  if (ranks.length < 2) return { found: [], why: 'one device alone, or no steps: dparse takes the profiles of several ranks' }; // prettier-ignore
  const steps = [...new Set(ranks.flatMap(({ of }) => [...of.keys()]))];
  const lags = steps.map((step) => lagOf(step, ranks)).filter((lag) => lag !== null);
  if (lags.length === 0) return { found: [], why: 'no step in which several devices communicate' };
  const found = ranks.flatMap((rank) => {
    const own = lags.filter(({ slowest }) => slowest === rank);
    if (own.length / lags.length < MOSTLY || own.length === 0) return [];
    const [gain, stake] = [total(own, ({ overNext }) => overNext), total(own, ({ overMiddle }) => overMiddle)];
    const [mine, others] = [total(own, (lag) => lag.own), total(own, (lag) => lag.others)];
    const name = profiles.get(rank.profile)?.rank ?? null;
    return [
      {
        profile: rank.profile,
        device: rank.device,
        what: `${name === null ? `device ${rank.device} of profile ${rank.profile}` : `rank ${name}`} computes longest in ${own.length} of ${many(lags.length, 'step')}, ${time(stake)} longer than the middle of ${ranks.length}; it communicates for ${time(mine)}, the others for ${time(others)} on average`,
        action: 'look for what is different there: more or longer samples, throttling, another program on the device or its host',
        stake,
        gain: { ns: gain, how: 'sum over its steps of its computing − that of the next slowest', isBound: true },
        kernels: [],
        count: own.length,
        evidence: {
          steps: lags.length,
          slowestIn: own.length,
          ranks: ranks.length,
          overMiddleNs: stake,
          overNextNs: gain,
          communicationNs: mine,
          communicationOfOthersNs: others,
        },
        see: 'dprof steps -f csv FILE',
      },
    ];
  }); // prettier-ignore
  return { found };
}

export const stragglers: Rule = {
  name: 'stragglers',
  doc: 'several ranks: the one that computes longest in most steps, for which the others wait',
  watch: () => {
    const devices = new ByDevice(() => new Map<number, Step>());
    let kept = 0;
    return {
      take: (record) => {
        const found = workOf(record);
        if (found === null || found.work === 'copy' || !('step' in found.record)) return;
        const { step, start, dur } = found.record;
        if (typeof step !== 'number' || dur === null || !Number.isFinite(start + dur)) return;
        const steps = devices.of(found.record);
        let one = steps.get(step);
        if (one === undefined) {
          if (kept === MOST_STEPS) return;
          kept++;
          steps.set(step, (one = new Step()));
        }
        one[found.work].add(start, start + dur);
      },
      end: (facts) => answer(devices.all, facts),
    };
  },
};
