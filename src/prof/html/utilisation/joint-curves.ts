/**
 * How busy the devices, and the cores of the hosts, of all profiles of a page were over time: a line for each machine, or for each rank
 * or device of one machine; where those are many, their mean, least and most. In the time of the job where all clocks could
 * be set against each other.
 */
import { entryOf } from '../../../containers/map-entry.js';
import type { PageJob, PageProfile } from '../page-data.js';
import { BinnedMeans, type ValueStretch } from './binned-means.js';
import type { BinnedValues, JointCurves, JointUtilisation, Utilisation } from './utilisation-data.js';

const BINS = 300;
/** Lines of single machines or ranks. */
const MOST_LINES = 8;

type JobRank = PageJob['ranks'][number];

interface Member {
  readonly rank: JobRank;
  readonly stretches: readonly ValueStretch[];
}

export function jointUtilisation(
  ranks: readonly JobRank[],
  profiles: readonly Pick<PageProfile, 'utilisation'>[],
): JointUtilisation {
  const isAligned = runTogether(ranks, profiles);
  const membersOf = (list: readonly JobRank[], curveOf: (of: Utilisation, rank: JobRank) => BinnedValues | null) =>
    list.flatMap((rank): Member[] => {
      const profile = rank.profile === null ? undefined : profiles[rank.profile];
      const curve = profile === undefined ? null : curveOf(profile.utilisation, rank);
      return curve === null ? [] : [{ rank, stretches: stretchesOf(curve, isAligned ? rank : null) }];
    });
  const devices = membersOf(ranks, ({ start, width, devices: all }, { device }) => {
    const own = all.find((one) => one.device === device);
    return own === undefined ? null : { start, width, values: own.busy };
  });
  // The devices of a profile have one host.
  const hosts = ranks.filter(({ profile }, at) => ranks.findIndex((one) => one.profile === profile) === at);
  const cpu = membersOf(hosts, (of) => of.cpu);
  return { isAligned, devices: curvesOf(devices), cpu: curvesOf(cpu) };
}

/** Whether all clocks are known, and there is a time of the job at which all worked: others are of several runs. */
function runTogether(ranks: readonly JobRank[], profiles: readonly Pick<PageProfile, 'utilisation'>[]): boolean {
  let [latest, earliest] = [-Infinity, Infinity];
  for (const { profile, shift } of ranks) {
    const of = profile === null ? undefined : profiles[profile]?.utilisation;
    if (of === undefined) continue;
    if (shift === null) return false;
    const spans = of.devices.reduce((most, { busy }) => Math.max(most, busy.length), 0);
    latest = Math.max(latest, shift + of.start);
    earliest = Math.min(earliest, shift + of.start + spans * of.width);
  }
  return latest < earliest;
}

/** @param clock by which times become those of the job; null: they stay the profile's own */
function stretchesOf({ start, width, values }: BinnedValues, clock: JobRank | null): ValueStretch[] {
  const timeOf = (time: number): number =>
    clock === null ? time : (clock.shift ?? 0) + (1 - (clock.drift ?? 0)) * time;
  return values.flatMap((value, bin) =>
    value === null ? [] : [{ from: timeOf(start + bin * width), to: timeOf(start + (bin + 1) * width), value }],
  );
}

function curvesOf(members: readonly Member[]): JointCurves | null {
  const all = members.flatMap(({ stretches }) => stretches);
  if (members.length < 2 || all.length === 0) return null;
  const start = all.reduce((first, { from }) => Math.min(first, from), Infinity);
  const width = (all.reduce((last, { to }) => Math.max(last, to), -Infinity) - start) / BINS;
  const meansOf = (stretches: readonly ValueStretch[]): BinnedValues['values'] => {
    const bins = new BinnedMeans(start, width, BINS);
    for (const one of stretches) bins.add(one);
    return bins.values;
  };
  const nodes = new Set(members.map(({ rank }) => rank.node));
  const isByMachine = nodes.size > 1 && !nodes.has(null);
  const groups = new Map<string, ValueStretch[]>();
  for (const { rank, stretches } of members) {
    const name = isByMachine ? `machine ${rank.node ?? ''}` : rank.name;
    const group = entryOf(groups, name, (): ValueStretch[] => []);
    for (const one of stretches) group.push(one);
  }
  const lines =
    groups.size <= MOST_LINES
      ? [...groups].map(([name, stretches]) => ({ name, values: meansOf(stretches) }))
      : extremes(members.map(({ stretches }) => meansOf(stretches)));
  return {
    start,
    width,
    members: members.length,
    isByMachine,
    lines: [{ name: 'All', values: meansOf(all) }, ...lines],
  };
}

/** In each bin the least and the most of all. */
function extremes(all: readonly BinnedValues['values'][]): JointCurves['lines'] {
  const over = (choose: (...values: number[]) => number): BinnedValues['values'] =>
    Array.from({ length: BINS }, (_, bin) => {
      const known = all.flatMap((values) => values[bin] ?? []);
      return known.length === 0 ? null : choose(...known);
    });
  return [
    { name: 'Least', values: over(Math.min) },
    { name: 'Most', values: over(Math.max) },
  ];
}
