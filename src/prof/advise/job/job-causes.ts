/**
 * What slows down a job of several ranks: ranks that are late more often than by chance, rare delays, slow links. The
 * results are the same as those of `dprof ranks`.
 */
import { elementAt, largest, least } from '../../../containers/element.js';
import { grouped, many, percent, time, shortened } from '../wording.js';
import type { Found } from '../finding.js';
import { JOB_RULE, type JobVerdict, type Rule, type RuleAnswer, type RuleFacts } from '../rule.js';
import type { ApartBegins } from '../../ranks/clocks/job-clocks.js';
import { jobReport, type JobReport } from '../../ranks/job-report.js';
import { nameWithoutWork, rangesText, rankName } from '../../ranks/membership.js';
import { RankCollector } from '../../ranks/part/rank-collector.js';
import type { ProfileWithoutWork, RankPart } from '../../ranks/part/rank-part.js';
import type { Delay } from '../../ranks/stragglers/delays.js';
import { isByKernels, type Reasons } from '../../ranks/stragglers/reasons.js';
import type { Straggler } from '../../ranks/stragglers/stragglers.js';
import type { SlowTransfers } from '../../ranks/slow-groups.js';

/** Returns the profile number and device of a part of the job. */
type PlaceOf = (part: number) => Pick<Found, 'profile' | 'device'>;

/** What to look for on a late rank, by the main part of its lateness. */
const ACTIONS: Readonly<Record<Reasons['parts'][number]['name'], string>> = {
  kernels: 'find out what differs there: more or longer samples, a lower clock, another program on the device',
  copies: 'find out what differs there: other transfers, unpinned memory, a slow path to the host',
  'host gaps': 'look at its host: garbage collection, another program, CPU cores or memory far from the device',
  'data loading': 'look at its data loader: too few workers, slow storage, longer samples',
};

const actionFor = ({ parts: [first] }: Reasons): string =>
  ACTIONS[first !== undefined && first.excess > 0 ? first.name : 'kernels'];

const byText = ({ parts: [first] }: Reasons): string =>
  first === undefined || !(first.excess > 0) ? '' : `, because of ${first.name}`;

/** The op and kernel that take longer; '' when none does. */
function workText(reasons: Reasons): string {
  if (!isByKernels(reasons)) return '';
  const { layer, op, kernel } = reasons.work;
  return [layer[0], op[0], kernel[0]]
    .flatMap((row) => (row === undefined ? [] : [`${shortened(row.name)} takes ${time(row.excess)} longer a step`]))
    .join(', ');
}

function lateFinding({ parts }: JobReport, placeOf: PlaceOf, straggler: Straggler): Found {
  const { part, level, name, members, late, share, q, steps, lateIn, since, until, reasons } = straggler;
  const who = level === 'rank' ? rankName(elementAt(parts, part)) : `${level} ${name ?? ''}`;
  const several = level === 'rank' ? '' : ` (${many(members.length, 'rank')})`;
  const stretch = since !== null ? ` from step ${since} on` : until !== null ? ` up to step ${until}` : '';
  const ns = late * steps;
  const details = workText(reasons);
  return {
    ...placeOf(part),
    what: `${who}${several} is ${time(late)} a step (${percent(share)}) slower than its peers${byText(reasons)}, in ${lateIn === steps ? 'all' : `${grouped(lateIn)} of`} ${many(steps, 'step')}${stretch}`,
    ...(details === '' ? {} : { details }),
    action: actionFor(reasons),
    stake: ns,
    gain: { ns, how: 'its work per step − the median of its peers, which wait for it', isBound: true },
    ...{ kernels: [], count: lateIn },
    evidence: { lateNs: late, steps, lateIn, ranks: members.length, q },
    see: 'dprof ranks -t late FILE',
  };
}

function delayFinding({ parts, delayWaits }: JobReport, placeOf: PlaceOf, delay: Delay, index: number): Found {
  const { part, delayed, steps, late, q, reasons } = delay;
  const numbers = rangesText(delayed.flatMap(({ step }) => step ?? []));
  const { waiters = 0, waited = 0, unsure = 0 } = delayWaits[index] ?? {};
  const when =
    delayed.length === 1 ? `in step ${numbers}` : `in ${delayed.length} of ${many(steps, 'step')} (${numbers})`;
  return {
    ...placeOf(part),
    what: `${rankName(elementAt(parts, part))} is delayed by ${time(late)} ${when}${byText(reasons)}`,
    ...(waiters === 0
      ? {}
      : {
          details: `${many(waiters, 'rank')} waited for it, ${time(waited)} in total${waitDoubt({ waited, unsure })}`,
        }),
    action: actionFor(reasons),
    stake: late,
    gain: {
      ns: late,
      how: 'its work in these steps − its usual work',
      isBound: true,
    },
    ...{ kernels: [], count: delayed.length },
    evidence: { lateNs: late, delayedSteps: delayed.length, steps, waiters, waitedNs: waited, q },
    see: 'dprof ranks -t delays FILE',
  };
}

function linkFinding({ groups }: JobReport, placeOf: PlaceOf, slow: SlowTransfers): Found {
  const { group, kind, time: ownTime, others, operations, q } = slow;
  const { name, ranks, pair, parts: members } = elementAt(groups, group);
  const suffix = ranks === null ? '' : ` (ranks ${rangesText(pair ?? ranks)})`;
  const ns = (ownTime - others) * operations;
  return {
    ...placeOf(elementAt(members, 0)),
    what: `slow link: ${kind ?? 'an operation'} of group ${name ?? 'unknown'}${suffix} takes ${time(ownTime)}, ${time(others)} in other groups`,
    action: 'check the links between these ranks: a port or cable at a lower rate, retransmissions, other traffic',
    stake: ns,
    gain: { ns, how: 'operations × (their transfer time − that of other groups)', isBound: true },
    ...{ kernels: [], count: operations },
    evidence: { transferNs: ownTime, transferOfOthersNs: others, operations, q },
    see: 'dprof ranks -t groups FILE',
  };
}

/** Smaller shares are not mentioned: waiting as a share of a rank's time, and possible clock error of the waiting. */
const LEAST_SHARE = 0.01;

interface Waiting {
  /** In ns. */
  readonly waited: number;
  /** Part of the waiting that could be an error of the clocks. */
  readonly unsure: number;
}

/** `3.0 % of it could be clock error`; null when the share is too small to matter. */
function unsureText({ waited, unsure }: Waiting, it = 'of it'): string | null {
  if (unsure <= LEAST_SHARE * waited) return null;
  return `${unsure >= waited ? 'all' : percent(unsure / waited)} ${it} could be clock error`;
}

/** `, 3.0 % of it could be clock error`, to follow a time of waiting; empty when the share is too small to matter. */
export function waitDoubt(waiting: Waiting): string {
  const doubt = unsureText(waiting);
  return doubt === null ? '' : `, ${doubt}`;
}

/** How much of all waiting could be clock error; null if it is too little to matter. */
export function unsureWaiting({ ranks }: JobReport): string | null {
  const waited = ranks.reduce((sum, rank) => sum + rank.waited, 0);
  const unsure = ranks.reduce((sum, rank) => sum + rank.unsure, 0);
  const text = unsureText({ waited, unsure }, `of the ${time(waited)} of waiting`);
  return text === null ? null : `${text}: these waits do not exceed the possible error of the clocks`;
}

/** @param nameOf name of a part among those of the job */
export function jobVerdict(
  { parts, ranks, lateness: { stragglers, tested, untested } }: JobReport,
  nameOf: (part: RankPart) => string = rankName,
): JobVerdict {
  const nameAt = (part: number): string => nameOf(elementAt(parts, part));
  const why = tested === 0 ? (untested[0]?.why ?? 'no rank has steps') : null;
  const [most] = ranks.toSorted((a, b) => b.waited - a.waited);
  return {
    who: whoIsLate(stragglers, why, nameAt),
    waits:
      most === undefined || !isNotable(most.waited, elementAt(parts, most.part))
        ? null
        : waitsText(most, nameAt(most.part)),
  };
}

/** Whether a rank waited for a share of its time that matters. @param waited in ns */
function isNotable(waited: number, { steps: { start, end } }: RankPart): boolean {
  return waited > LEAST_SHARE * Math.max(0, largest(end) - least(start));
}

const waitsText = (rank: JobReport['ranks'][number], name: string): string =>
  `${name} waited longest for others: ${time(rank.waited)}${waitDoubt(rank)}`;

/** @param untested why no rank could be tested; null when some were */
function whoIsLate(
  [first, ...others]: readonly Straggler[],
  untested: string | null,
  nameOf: (part: number) => string,
): string {
  if (first === undefined)
    return untested === null ? 'no rank is late beyond chance' : `which rank is late is unknown: ${untested}`;
  const { part, level, name, late, share, reasons } = first;
  const { op, kernel } = reasons.work;
  const [most, kind] = op[0] === undefined ? [kernel[0], 'kernel'] : [op[0], 'op'];
  const mostly = most === undefined || !isByKernels(reasons) ? '' : `, mostly ${kind} ${shortened(most.name)}`;
  const who = name === null ? nameOf(part) : `${level} ${name}`;
  const more = others.length > 0 ? `; ${grouped(others.length)} more` : '';
  return `${who} is late: ${time(late)} a step (${percent(share)})${mostly}${more}`;
}

/** Profilers that were started one after the other, so that ranks seem to wait in their first operations. */
function apartFinding({ parts }: JobReport, placeOf: PlaceOf, { first, last, time: ns }: ApartBegins): Found {
  return {
    ...placeOf(last),
    about: 'profile',
    what: `profiles start ${time(ns)} apart, ${rankName(elementAt(parts, first))} first and ${rankName(elementAt(parts, last))} last: waits in the first operations may only reflect that`,
    action: 'start the profilers of all ranks in the same step, and ignore the first step',
    stake: ns,
    gain: null,
    ...{ kernels: [], count: parts.length },
    evidence: { apartNs: ns },
    see: 'dprof ranks -t ranks -c rank,begin FILE',
  };
}

/**
 * One finding for the profiles that the job's figures leave out. A profile without a rank number may not be a rank.
 * @param span time of the device that worked longest, in ns
 */
function withoutWorkFinding(profiles: readonly ProfileWithoutWork[], span: number): Found[] {
  const ranks = profiles.flatMap(({ part }) => part.rank ?? []);
  const [first] = profiles.filter(({ part }) => part.rank !== null);
  if (first === undefined) return [];
  const single = `${nameWithoutWork(first.part)} has no device work in its profile`;
  const reason = profiles.find((profile) => profile.reason !== null)?.reason ?? null;
  return [
    {
      ...{ profile: first.profile, device: null },
      what: ranks.length === 1 ? single : `ranks ${rangesText(ranks)} have no device work in their profiles`,
      ...(reason === null ? {} : { details: reason.what }),
      action: reason?.hint ?? 'check whether these ranks used a device and whether the profiler recorded it',
      ...{ stake: span, gain: null, kernels: [], count: ranks.length },
      evidence: { ranks: rangesText(ranks) },
      see: 'dprof ranks FILE',
    },
  ];
}

function answer(collector: RankCollector, { devices }: RuleFacts): RuleAnswer {
  const placed = [...collector.partsByProfile].flatMap(([profile, parts]) =>
    parts.map((part) => [part, { profile, device: part.device }] as const),
  );
  const { withoutWork } = collector;
  if (placed.length + withoutWork.length < 2)
    return { found: [], why: 'only one rank: give dparse the profiles of several ranks' };
  const places = new Map(placed);
  const report = jobReport(
    placed.map(([part]) => part),
    withoutWork,
  );
  const { stragglers, delays, tested, untested } = report.lateness;
  const placeOf: PlaceOf = (part) => places.get(elementAt(report.parts, part)) ?? { profile: 0, device: null };
  // A late machine makes all of its ranks late.
  const together = new Set(stragglers.flatMap(({ level, members }) => (level === 'rank' ? [] : members)));
  const found = [
    ...withoutWorkFinding(report.withoutWork, devices.longest),
    ...(report.apart === null ? [] : [apartFinding(report, placeOf, report.apart)]),
    ...stragglers
      .filter(({ level, part }) => level !== 'rank' || !together.has(part))
      .map((straggler) => lateFinding(report, placeOf, straggler)),
    ...delays.map((delay, index) => delayFinding(report, placeOf, delay, index)),
    ...report.slowGroups.map((slow) => linkFinding(report, placeOf, slow)),
  ];
  const [why] = untested;
  const verdict = report.parts.length > 1 ? jobVerdict(report) : null;
  return { found, verdict, ...(found.length === 0 && tested === 0 && why !== undefined ? { why: why.why } : {}) };
}

export const job: Rule = {
  name: JOB_RULE,
  doc: 'several ranks: which rank is late or delayed beyond chance and why, slow links, profiles that start apart or have no work',
  watch: () => {
    const collector = new RankCollector();
    return {
      take: (record) => collector.take(record),
      row: (row) => collector.take(row),
      end: (facts) => answer(collector, facts),
    };
  },
};
