/** Rules about communication: ranks for which the others wait, and operations that do not overlap with compute. */
import { entryOf, groupsOf, addTo } from '../../../containers/map-entry.js';
import { workOf } from '../../steps/step-work.js';
import { ByDevice, type Place } from '../device-times.js';
import { IntervalUnion } from '../../../containers/interval-union.js';
import type { RuleAnswer, RuleFacts, Rule } from '../rule.js';
import { grouped, many, percent, time, ranked } from '../wording.js';
import type { ProfileLine } from '../../../record/record.js';
import type { LongestTime } from '../finding.js';
import { atLongest, longerOf, Longest, Ranking } from '../kernel-tally.js';
import { communicationOf, MovedTimes, mostlyWaiting, type MostlyWaiting } from '../moved-times.js';

class Operations {
  count = 0;
  readonly names = new Ranking();
  readonly longest = new Longest();
  /** Time of operations by stream, and the streams on which kernels compute. */
  readonly #streams = new Map<number, number>();
  readonly #computing = new Set<number>();
  /** The longest operation that no kernel represents. */
  longestOther: LongestTime | null = null;

  add(record: ProfileLine): void {
    if (record.type !== 'collective' && record.type !== 'kernel') return;
    const operation = communicationOf(record);
    const { start, dur, stream } = record;
    if (operation === null) {
      if (stream !== null) this.#computing.add(stream);
      return;
    }
    this.count++;
    if (stream !== null) addTo(this.#streams, stream, dur ?? 0);
    this.names.add(operation.name, dur ?? 0);
    if (record.type === 'kernel') this.longest.add(record);
    else if (dur !== null) this.longestOther = longerOf(this.longestOther, { start, end: start + dur });
  }

  /** Time in ns of operations on streams that also compute. */
  get onComputing(): number {
    return [...this.#streams].reduce((sum, [stream, time]) => (this.#computing.has(stream) ? sum + time : sum), 0);
  }
}

const START_EARLIER =
  'overlap it with compute (smaller gradient buckets, earlier prefetch of shards); if ranks wait for a slow one, fix that first (dprof ranks)';
/** A stream executes its work sequentially. */
const MOVE =
  'move it from the compute stream to its own stream or process group (async_op=True), then start it earlier';

/** More overlap would only move the wait. */
const FIND_LATE =
  'find the rank that the others wait for (dprof ranks with the profiles of all ranks), or the slow link between them; more overlap does not help';

/** The schedule of a pipeline causes these waits, even if all ranks are equally fast. */
const SHRINK_BUBBLE =
  'shrink the pipeline bubble: more microbatches in a step, an interleaved schedule, or stages with equal work (dprof ranks with the profiles of all ranks compares them); more overlap does not help';

function waitingText(waiting: MostlyWaiting | null): string {
  if (waiting === null) return '';
  const share = percent(waiting.share);
  return waiting.of === 'time'
    ? `; data moves for only ${share} of that time`
    : `; ${share} of the peak of links within a machine`;
}

function actionOf(waiting: MostlyWaiting | null, isOnComputing: boolean): string {
  if (waiting !== null) return waiting.isBubble ? SHRINK_BUBBLE : FIND_LATE;
  return isOnComputing ? MOVE : START_EARLIER;
}

/** Communication that does not overlap with compute. */
export const exposedCollectives: Rule = {
  name: 'exposed-collectives',
  doc: 'communication while no compute runs',
  watch: () => {
    const devices = new ByDevice(() => new Operations());
    return {
      take: (record) => {
        if (record.type === 'collective' || record.type === 'kernel') devices.of(record).add(record);
      },
      end: ({ devices: times, moved, profiles }): RuleAnswer => {
        const talking = times.all.filter(({ of: activity }) => activity.communication.total > 0);
        if (talking.length === 0) return { found: [], why: 'no communication between devices' };
        if (talking.every(({ of: activity }) => activity.disordered > 0))
          return { found: [], why: 'records are not in order of start time' };
        const found = talking.map(({ of: activity, ...place }) => {
          const { names, longest, longestOther, count, onComputing } = devices.of(place);
          const { communication, computing, either } = activity;
          const exposed = either.total - computing.total;
          // Communication can only hide behind compute that does not overlap with communication yet.
          const room = computing.total - (communication.total + computing.total - either.total);
          const ns = Math.min(exposed, room);
          const waiting = mostlyWaiting(
            moved.get(place.profile) ?? new MovedTimes(),
            profiles.get(place.profile) ?? null,
          );
          return {
            ...place,
            what: `${percent(exposed / communication.total)} of communication is exposed: ${time(exposed)} of ${time(communication.total)} run while nothing is computed`,
            details: `${many(count, 'operation')}: ${ranked(names)}${waitingText(waiting)}`,
            action: actionOf(waiting, onComputing > communication.total / 2),
            stake: exposed,
            gain:
              waiting === null
                ? { ns, how: 'min(exposed communication, compute without communication)', isBound: true }
                : null,
            kernels: longest.ids,
            ...(longest.ids.length === 0 ? atLongest(longestOther) : {}),
            count,
            evidence: {
              exposedNs: exposed,
              communicationNs: communication.total,
              computingNs: computing.total,
              computingAloneNs: room,
              operations: count,
              onComputingStreamsNs: onComputing,
            },
            see: 'dprof steps FILE',
          };
        });
        const useful = found.filter(({ gain, stake }) => (gain?.ns ?? stake) > 0);
        const exposed = found.some(({ stake }) => stake > 0);
        return {
          found: useful,
          ...(exposed && useful.length === 0 ? { why: 'there is no compute that could hide it' } : undefined),
        };
      },
    };
  },
};

/** Maximum number of steps to keep for all devices together; later steps are not compared. */
const MOST_STEPS = 100_000;
/**
 * A straggler is the slowest rank in more than this share of the steps, and in more steps than chance would give equal
 * ranks.
 */
const MOSTLY = 0.5;
const LIKELY = 0.5;

class ComparedStep {
  readonly computing = new IntervalUnion();
  readonly communication = new IntervalUnion();
}

type RankSteps = ReadonlyMap<number, ComparedStep>;
type Rank = Place & { readonly of: RankSteps };

/** The rank that computed longest in one step, and its difference to others. */
interface Lag {
  readonly slowest: Rank;
  /** Difference in ns to the next slowest rank, and to the median rank. */
  readonly overNext: number;
  readonly overMiddle: number;
  /** Communication time of the slowest rank, and the average of the others. */
  readonly own: number;
  readonly others: number;
}

/** Compute and communication time of the ranks in one step. */
type StepOfRanks = { readonly rank: Rank; readonly computing: number; readonly communication: number }[];

/** Yields for each step the ranks that have it, in order of rank. */
function stepsOf(ranks: readonly Rank[]): Iterable<StepOfRanks> {
  const steps = new Map<number, StepOfRanks>();
  for (const rank of ranks)
    for (const [step, { computing, communication }] of rank.of)
      entryOf(steps, step, (): StepOfRanks => []).push({
        rank,
        computing: computing.total,
        communication: communication.total,
      });
  return steps.values();
}

function lagOf(step: StepOfRanks): Lag | null {
  const sorted = step.toSorted((a, b) => b.computing - a.computing);
  const [slowest, next] = sorted;
  // No rank waits for a rank that does not communicate.
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

const total = (lags: readonly Lag[], lengthOf: (lag: Lag) => number): number =>
  lags.reduce((sum, lag) => sum + lengthOf(lag), 0);

/**
 * Probability that any of several equal ranks is the slowest in at least this many steps: the binomial tail, times the
 * number of ranks (only one rank can be slowest in more than half of the steps).
 */
function chanceOf(slowest: number, steps: number, ranks: number): number {
  const odds = Math.log(1 / (ranks - 1));
  let log = steps * Math.log(1 - 1 / ranks);
  let tail = 0;
  for (let i = 0; i <= steps; i++) {
    if (i >= slowest) tail += Math.exp(log);
    log += Math.log((steps - i) / (i + 1)) + odds;
  }
  return Math.min(1, ranks * tail);
}

/** `rank 5`; with the device when the profile has several, or has no rank. */
function nameOf({ profile, device }: Place, ranks: readonly Rank[], { profiles }: RuleFacts): string {
  const rank = profiles.get(profile)?.rank ?? null;
  const isAlone = ranks.filter((other) => other.profile === profile).length === 1;
  if (rank === null) return `device ${device} of profile ${profile}`;
  return isAlone ? `rank ${rank}` : `device ${device} of rank ${rank}`;
}

function answer(ranks: readonly Rank[], facts: RuleFacts): RuleAnswer {
  if (ranks.length < 2)
    return { found: [], why: 'only one device, or no steps; give dparse the profiles of several ranks' };
  const lags = [...stepsOf(ranks)].map(lagOf).filter((lag) => lag !== null);
  if (lags.length === 0) return { found: [], why: 'no step in which several devices communicate' };
  const lagsOf = groupsOf(
    lags.filter(({ overNext }) => overNext > 0),
    ({ slowest }) => slowest,
  );
  const slow = [...lagsOf].find(([, list]) => list.length / lags.length > MOSTLY);
  if (slow === undefined) return { found: [] };
  const [rank, rankLags] = slow;
  const chance = chanceOf(rankLags.length, lags.length, ranks.length);
  if (chance >= LIKELY) return { found: [], why: 'too few steps to distinguish a slow rank from chance' };
  const [gain, stake] = [total(rankLags, ({ overNext }) => overNext), total(rankLags, ({ overMiddle }) => overMiddle)];
  const [mine, others] = [total(rankLags, (lag) => lag.own), total(rankLags, (lag) => lag.others)];
  if (mine > others)
    return {
      found: [],
      why: 'the rank that computes longest also communicates longest: the others do not wait for it',
    };
  const found = {
    profile: rank.profile,
    device: rank.device,
    what: `${nameOf(rank, ranks, facts)} is the slowest in ${rankLags.length === lags.length ? 'all' : `${grouped(rankLags.length)} of`} ${many(lags.length, 'step')}: ${time(stake / rankLags.length)} a step above the median rank`,
    details: `it communicates for ${time(mine)}, the others for ${time(others)} on average; chance of this among equal ranks: ${percent(chance)}`,
    action:
      'find out what differs there: more or longer samples, throttling, another program on the device or its host',
    stake,
    gain: { ns: gain, how: 'sum over its steps of its compute − that of the next slowest rank', isBound: true },
    kernels: [],
    count: rankLags.length,
    evidence: {
      steps: lags.length,
      slowestIn: rankLags.length,
      ranks: ranks.length,
      overMiddleNs: stake,
      overNextNs: gain,
      communicationNs: mine,
      communicationOfOthersNs: others,
      chance,
    },
    see: 'dprof steps -f csv FILE',
  };
  return { found: [found] };
}

/** The rank that computes longest, for which the others wait. */
export const stragglers: Rule = {
  name: 'stragglers',
  doc: 'several ranks: the one that computes longest in most steps, so that the others wait for it',
  watch: () => {
    const devices = new ByDevice(() => new Map<number, ComparedStep>());
    let kept = 0;
    return {
      take: (record) => {
        const found = workOf(record);
        if (found === null || found.work === 'copy' || !('step' in found.record)) return;
        const { step, start, dur } = found.record;
        if (typeof step !== 'number' || dur === null || !Number.isFinite(start + dur)) return;
        const steps = devices.of(found.record);
        let compared = steps.get(step);
        if (compared === undefined) {
          if (kept === MOST_STEPS) return;
          kept++;
          steps.set(step, (compared = new ComparedStep()));
        }
        compared[found.work].add(start, start + dur);
      },
      end: (facts) => answer(devices.all, facts),
    };
  },
};
