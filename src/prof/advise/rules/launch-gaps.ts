/**
 * Rules about idle time of a device: late launches, short gaps between queued kernels, steps that wait for input, garbage
 * collection.
 */
import { LAUNCHING } from '../../../record/glossary.js';
import { ByDevice, type Place } from '../device-times.js';
import { LONGEST_LAUNCH, LONGEST_SWITCH } from '../../steps/step-work.js';
import { isOfGraph, type HostGapsOfDevice } from '../idle/host-gaps.js';
import type { Found } from '../finding.js';
import { actionIn, type Action, type FrameworkWords } from '../framework-words.js';
import type { RuleAnswer, Rule } from '../rule.js';
import { grouped, many, percent, ranked, time } from '../wording.js';
import { atLongest, Ranking } from '../kernel-tally.js';

/** The device waits while Python collects garbage. */
export const garbageCollection: Rule = {
  name: 'garbage-collection',
  vendors: LAUNCHING,
  doc: "GPU idle during Python's garbage collections, where the profile records them (Ascend's gc_detect_threshold)",
  watch: () => ({
    end: ({ host, idle }): RuleAnswer => {
      const isRecorded = host.all.some(({ profile }) => host.collecting.sumOf(profile).count > 0);
      if (!isRecorded) return { found: [], why: 'the profile records no garbage collections' };
      return {
        why: idle.why,
        found: idle.all
          .filter(({ of: hostGaps }) => hostGaps.collecting > 0)
          .map(({ of: hostGaps, ...place }) => {
            const { count, time: ns } = host.collecting.sumOf(place.profile);
            return {
              ...place,
              what: `${many(count, 'garbage collection')} took ${time(ns)} and left the device idle for ${time(hostGaps.collecting)}`,
              action:
                'call gc.freeze() after the first steps, or gc.disable() and then gc.collect() while the device has work queued',
              stake: hostGaps.collecting,
              gain: { ns: hostGaps.collecting, how: 'sum of the idle time within the collections', isBound: true },
              kernels: [],
              count,
              evidence: { collections: count, collectionsNs: ns, idleNs: hostGaps.collecting },
              // The command shows a row GC, even if FILE contains records.
              see: 'dprof --by range -f table FILE',
            };
          }),
      };
    },
  }),
};

/** Advice when the device waits for data. */
const LOAD_AHEAD: Action = ({ loadAhead }) => loadAhead;

/** If a smaller share of the steps has idle time before it, the idle time is not systematic. */
const MOST_STEPS = 0.5;

/** The device waits before each step. */
export const inputPipeline: Rule = {
  name: 'input-pipeline',
  vendors: LAUNCHING,
  doc: 'device idle between steps: from the last work of one to the first work of the next',
  watch: () => ({
    end: ({ idle, devices }): RuleAnswer => {
      if (!devices.all.some(({ of: activity }) => activity.launched > 0))
        return { found: [], why: 'no launches in the profile' };
      if (idle.all.length === 0) return { found: [], why: idle.why };
      const withSteps = idle.all.filter(({ of: hostGaps }) => hostGaps.steps > 0);
      if (withSteps.length === 0) return { found: [], why: 'no two steps in the profile' };
      const waiting = withSteps.filter(({ of: hostGaps }) => hostGaps.idleSteps / hostGaps.steps >= MOST_STEPS);
      return {
        found: waiting.map(({ of: hostGaps, ...place }) => {
          const { time: ns, longest, at, loading } = hostGaps.step;
          const loader = loading > 0 ? `; data was loading for ${percent(loading / ns)} of that` : '';
          return {
            ...place,
            what: `the device was idle before ${grouped(hostGaps.idleSteps)} of ${many(hostGaps.steps, 'step')}, ${time(ns)} in all, ${time(ns / hostGaps.idleSteps)} each${loader}`,
            action:
              loading > 0
                ? LOAD_AHEAD
                : 'find out what the CPU does between steps: loading data, logging, reading results back, or the profiler itself',
            stake: ns,
            gain: { ns, how: 'sum of the idle time between steps that ended with a late launch', isBound: true },
            kernels: hostGaps.firsts.ids,
            ...atLongest(at),
            count: hostGaps.idleSteps,
            evidence: {
              steps: hostGaps.steps,
              idleSteps: hostGaps.idleSteps,
              idleNs: ns,
              longestNs: longest,
              loadingNs: loading,
            },
            see: 'dprof steps FILE',
          };
        }),
      };
    },
  }),
};

class DeviceLaunches {
  /** Kernels that were launched one by one. */
  kernels = 0;
  /** Kernels of graphs, and graphs whose kernels are not recorded. */
  inGraphs = 0;
  /** Kernels shorter than the call that launched them. */
  tiny = 0;
  tinyTime = 0;
  /** API of the last launch. */
  api = '';
}

const GRAPHS: readonly (readonly [api: RegExp, graph: string])[] = [
  [/^hip/, 'a HIP graph'],
  [/^cu/, 'a CUDA graph'],
];

const captureFor =
  (api: string): Action =>
  ({ launchTogether }) =>
    launchTogether(GRAPHS.find(([pattern]) => pattern.test(api))?.[1] ?? null);

/** Advice when graphs are launched already. */
const GRAPHS_LATE =
  'launch graphs ahead of the device: do not wait for results between them, prepare inputs earlier, or make fewer, larger graphs';

/** Advice when most kernels run from graphs, and the device waits for the others. */
const FEWER =
  'most kernels already run from graphs: launch fewer, larger kernels between the graphs, and do not wait for results there';

/** A single profile does not show how much of the waiting is due to the profiler. */
const withoutFrames = ({ withoutStacks }: FrameworkWords): string =>
  `profile once without ${withoutStacks}, since recording Python stacks slows the CPU; then `;

/** Minimum share of the idle time during which data is loaded for loading to be the cause. */
const MOSTLY = 0.5;
/** Minimum share of the idle time for the host's main activity to be named. */
const NOTABLE = 0.1;

function shortGaps(
  { of: hostGaps, ...place }: Place & { of: HostGapsOfDevice },
  launches: DeviceLaunches,
  isSlowed: boolean,
): Found {
  const { time: idle, count, longest, at, beforeGraphs, overhead } = hostGaps.by.launch;
  const others = launches.inGraphs > launches.kernels ? FEWER : captureFor(launches.api);
  const tiny =
    launches.tiny > 0
      ? `${grouped(launches.tiny)} of ${many(launches.kernels, 'kernel')} ran shorter than their launch call`
      : '';
  return {
    ...place,
    what: `the CPU launches too slowly: the device ran out of work ${count === 1 ? 'once' : `${grouped(count)} times`} and was idle for ${time(idle)} (${time(idle / count)} each)`,
    ...(launches.tiny > 0 ? { details: tiny } : undefined),
    action: (words) =>
      `${isSlowed ? withoutFrames(words) : ''}${actionIn(beforeGraphs > MOSTLY * idle ? GRAPHS_LATE : others, words)}`,
    stake: idle,
    gain: {
      ns: idle - overhead,
      how: `sum of gaps of at most ${time(LONGEST_LAUNCH)} that ended with a late launch, excluding those between steps or after copies, and excluding recorded profiler overhead`,
      isBound: true,
    },
    kernels: hostGaps.late.ids,
    ...atLongest(at),
    count,
    evidence: {
      gaps: count,
      idleNs: idle,
      longestNs: longest,
      kernels: launches.kernels,
      kernelsInGraphs: launches.inGraphs,
      beforeGraphsNs: beforeGraphs,
      kernelsShorterThanLaunch: launches.tiny,
      kernelsShorterThanLaunchNs: launches.tinyTime,
    },
    see: 'dprof queues FILE',
  };
}

/** Advice by what the host did; the first match is used. */
const PLACES: readonly (readonly [place: RegExp, action: string])[] = [
  [
    /^(?:cuda|hip|aclrt)\w*(?:alloc|free)/i,
    'allocate memory before the part you measure; frameworks cache it after the first steps, so profile later ones',
  ],
  [
    /compile|autotun/i,
    'profile after the steps that compile; if compiling does not stop, keep tensor shapes fixed or allow dynamic shapes',
  ],
];

function longGaps({ of: hostGaps, ...place }: Place & { of: HostGapsOfDevice }): Found {
  const { time: idle, count, longest, at, loading, afterCopies } = hostGaps.by.long;
  const places = new Ranking();
  for (const [name, ns] of hostGaps.idle.places) places.add(name, ns);
  const [most = '', mostTime = 0] = places.top(1)[0] ?? [];
  const isKnown = mostTime >= NOTABLE * idle;
  const parts = [
    ...(loading > 0 ? [`data was loading for ${percent(loading / idle)} of it`] : []),
    ...(isKnown ? [`the CPU was in ${ranked(places)}`] : []),
    ...(afterCopies > 0 ? [`${percent(afterCopies / idle)} of it followed a copy that the CPU waited for`] : []),
  ];
  const known = isKnown ? PLACES.find(([pattern]) => pattern.test(most))?.[1] : undefined;
  return {
    ...place,
    what: `the CPU launched nothing for more than ${time(LONGEST_LAUNCH)} ${count === 1 ? 'once' : `${grouped(count)} times`}: the device was idle for ${time(idle)}`,
    ...(parts.length > 0 ? { details: parts.join('; ') } : undefined),
    action:
      loading > MOSTLY * idle
        ? LOAD_AHEAD
        : (known ?? 'find out what the CPU does there: a launch does not take that long'),
    stake: idle,
    gain: null,
    kernels: [],
    ...atLongest(at),
    count,
    evidence: { gaps: count, idleNs: idle, longestNs: longest, loadingNs: loading, afterCopiesNs: afterCopies },
    see: 'dprof critical-path FILE',
  };
}

/**
 * The device waits for launches: idle time before calls that began too late, and kernels that are shorter than their calls.
 */
export const launchGaps: Rule = {
  name: 'launch-gaps',
  vendors: LAUNCHING,
  doc: 'the device waits for launches: late calls, kernels shorter than their launch call',
  watch: () => {
    const devices = new ByDevice(() => new DeviceLaunches());
    return {
      take: (record) => {
        if (record.type !== 'kernel' && record.type !== 'graph') return;
        const launches = devices.of(record);
        if (isOfGraph(record)) launches.inGraphs++;
        const launch = record.launch ?? null;
        if (record.type === 'graph' || launch === null || record.dur === null || isOfGraph(record)) return;
        launches.kernels++;
        launches.api = launch.api ?? launches.api;
        if (record.dur >= launch.dur) return;
        launches.tiny++;
        launches.tinyTime += record.dur;
      },
      end: ({ host, idle, devices: times }): RuleAnswer => {
        if (!times.all.some(({ of: activity }) => activity.launched > 0))
          return { found: [], why: 'no launches in the profile' };
        const found = idle.all.flatMap((place) => [
          ...(place.of.by.launch.count > 0
            ? [shortGaps(place, devices.of(place), host.places.hasFrames(place.profile))]
            : []),
          ...(place.of.by.long.count > 0 ? [longGaps(place)] : []),
        ]);
        return { found, why: idle.why };
      },
    };
  },
};

/** Minimum share of a device's time in gaps between queued kernels: every program has some. */
const LEAST_SWITCHING = 0.05;

/** The device has work queued, but much of its time passes between one short kernel and the next. */
export const queuedGaps: Rule = {
  name: 'queued-gaps',
  vendors: LAUNCHING,
  doc: 'many short gaps between kernels that the CPU launched in time',
  watch: () => ({
    end: ({ idle, devices }): RuleAnswer => {
      if (!devices.all.some(({ of: activity }) => activity.launched > 0))
        return { found: [], why: 'no launches in the profile' };
      const switching = idle.all.filter(
        ({ of: hostGaps, profile, device }) => hostGaps.switches.time > LEAST_SWITCHING * devices.span(profile, device),
      );
      return {
        why: idle.why,
        found: switching.map(({ of: hostGaps, ...place }) => {
          const { count, time: ns, longest, at } = hostGaps.switches;
          return {
            ...place,
            what: `${many(count, 'short gap')} between kernels that were already queued left the device idle for ${time(ns)} (${time(ns / count)} each): the CPU launches in time, but there are many short kernels`,
            details: `most before ${ranked(hostGaps.switchesBefore)}`,
            action: ({ fuseSmall }) => `run fewer, larger kernels: ${fuseSmall}`,
            stake: ns,
            gain: {
              ns,
              how: `sum of gaps of at most ${time(LONGEST_SWITCH)} between kernels launched before the gap began`,
              isBound: true,
            },
            kernels: [],
            ...atLongest(at),
            count,
            evidence: { gaps: count, idleNs: ns, longestNs: longest },
            see: 'dprof --by kernel -f table FILE',
          };
        }),
      };
    },
  }),
};
