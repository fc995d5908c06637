/**
 * How busy the devices and the host cores of all profiles of a page were over time. There is one line for each machine,
 * or for each rank or device of a single machine; if there are many, there are lines for their mean, minimum and
 * maximum. Times are those of the job when all clocks could be aligned. Memory: the bins of as many lines.
 */
import { groupsOf } from '../../../containers/map-entry.js';
import type { PageJob, PageProfile } from '../page-data.js';
import { BinnedMeans, type ValueStretch } from './utilisation-curve.js';
import type { BinnedValues, JointCurves, JointUtilisation, Utilisation } from './utilisation-data.js';

const BINS = 300;
/** Maximum number of lines for single machines or ranks. */
const MOST_LINES = 8;

type JobRank = PageJob['ranks'][number];

/** A profile and its ranks; there are several when several devices are ranks. */
interface ProfileRanks {
  readonly utilisation: Utilisation;
  readonly ranks: readonly JobRank[];
}

interface Member {
  readonly rank: JobRank;
  readonly curve: BinnedValues;
  /** Converts a time to job time, when clocks are aligned. */
  readonly timeOf: (time: number) => number;
}

export function jointUtilisation(
  ranks: readonly JobRank[],
  profiles: readonly Pick<PageProfile, 'utilisation'>[],
): JointUtilisation {
  const byProfile = [...groupsOf(ranks, ({ profile }) => profile)].flatMap(([profile, some]) => {
    const utilisation = profile === null ? undefined : profiles[profile]?.utilisation;
    return utilisation === undefined ? [] : [{ utilisation, ranks: some }];
  });
  const isAligned = runTogether(byProfile);
  const memberOf = (rank: JobRank, curve: BinnedValues | null): Member[] =>
    curve?.values.some((value) => value !== null) === true
      ? [{ rank, curve, timeOf: timeIn(isAligned ? rank : null) }]
      : [];
  const devices = byProfile.flatMap(({ utilisation: { start, width, devices: all }, ranks: some }) => {
    const busy = new Map(all.map(({ device, busy: values }) => [device, values]));
    return some.flatMap((rank) => {
      const values = busy.get(rank.device);
      return values === undefined ? [] : memberOf(rank, { start, width, values });
    });
  });
  // All devices of a profile have the same host.
  const cpu = byProfile.flatMap(({ utilisation, ranks: [first] }) =>
    first === undefined ? [] : memberOf(first, utilisation.cpu),
  );
  return { isAligned, devices: curvesOf(devices), cpu: curvesOf(cpu) };
}

/**
 * Whether all clocks are known, and there is a time of the job at which all profiles worked. Otherwise they are from
 * several runs.
 */
function runTogether(profiles: readonly ProfileRanks[]): boolean {
  let [latest, earliest] = [-Infinity, Infinity];
  for (const { utilisation, ranks } of profiles) {
    const span = spanOf(utilisation);
    if (span === null) continue;
    for (const { shift } of ranks) {
      if (shift === null) return false;
      latest = Math.max(latest, shift + span.from);
      earliest = Math.min(earliest, shift + span.to);
    }
  }
  return latest < earliest;
}

/** The time of a profile's work or, without work, of its threads; null for a profile with neither, which has no line. */
function spanOf({ start, width, devices, cpu }: Utilisation): Omit<ValueStretch, 'value'> | null {
  const spans = devices.reduce((most, { busy }) => Math.max(most, busy.length), 0);
  if (spans > 0) return { from: start, to: start + spans * width };
  return cpu === null ? null : { from: cpu.start, to: cpu.start + cpu.values.length * cpu.width };
}

/** @param clock the clock that converts times to job time; null keeps the profile's own times */
function timeIn(clock: JobRank | null): Member['timeOf'] {
  if (clock === null) return (time) => time;
  return (time) => (clock.shift ?? 0) + (1 - (clock.drift ?? 0)) * time;
}

function* stretchesOf({ curve: { start, width, values }, timeOf }: Member): Generator<ValueStretch> {
  for (const [bin, value] of values.entries()) {
    if (value === null) continue;
    yield { from: timeOf(start + bin * width), to: timeOf(start + (bin + 1) * width), value };
  }
}

function curvesOf(members: readonly Member[]): JointCurves | null {
  if (members.length < 2) return null;
  let [start, end] = [Infinity, -Infinity];
  for (const member of members)
    for (const { from, to } of stretchesOf(member)) [start, end] = [Math.min(start, from), Math.max(end, to)];
  const width = (end - start) / BINS;
  const meansOf = (some: readonly Member[]): BinnedValues['values'] => {
    const bins = new BinnedMeans(start, width, BINS);
    for (const member of some) for (const stretch of stretchesOf(member)) bins.add(stretch);
    return bins.values;
  };
  const nodes = new Set(members.map(({ rank }) => rank.node));
  const isByMachine = nodes.size > 1 && !nodes.has(null);
  const nameOf = namesIn(members);
  const groups = groupsOf(members, ({ rank }) => (isByMachine ? `machine ${rank.node ?? ''}` : nameOf(rank)));
  const lines =
    groups.size <= MOST_LINES
      ? [...groups].map(([name, some]) => ({ name, values: meansOf(some) }))
      : extremes(members, meansOf);
  return { start, width, members: members.length, isByMachine, lines: [{ name: 'All', values: meansOf(members) }, ...lines] }; // prettier-ignore
}

/** Names of ranks; when two runs have the same rank, with their profile, as in the page's lists. */
function namesIn(members: readonly Member[]): (rank: JobRank) => string {
  const alike = groupsOf(members, ({ rank: { name } }) => name);
  return ({ name, profile }) => ((alike.get(name)?.length ?? 0) > 1 ? `${name}, profile ${profile}` : name);
}

/** Minimum and maximum over all lines in each bin. */
function extremes(
  members: readonly Member[],
  meansOf: (some: readonly Member[]) => BinnedValues['values'],
): JointCurves['lines'] {
  const least = Array<number | null>(BINS).fill(null);
  const most = Array<number | null>(BINS).fill(null);
  for (const member of members) {
    for (const [bin, value] of meansOf([member]).entries()) {
      if (value === null) continue;
      least[bin] = Math.min(least[bin] ?? Infinity, value);
      most[bin] = Math.max(most[bin] ?? -Infinity, value);
    }
  }
  return [
    { name: 'Minimum', values: least },
    { name: 'Maximum', values: most },
  ];
}
