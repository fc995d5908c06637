/** Checks that read the records of one profile. They find what no reader counts, or add details to what readers count. */
import { entryOf } from '../../containers/map-entry.js';
import { StreamOverlaps } from '../../record/fields/stream-overlaps.js';
import { median } from '../../record/statistics.js';
import { AFFECTS, SYNCHRONIZE } from '../../record/diagnostics.js';
import { counted, plural } from '../../record/plural.js';
import type { KernelLine, ProfileLine, ProfileRecord } from '../../record/record.js';
import { percent as share, time } from '../advise/wording.js';
import type { Annotated } from '../annotate.js';
import { mayHaveWork } from '../analysis.js';
import { frameworkWords } from '../advise/framework-words.js';
import { ByDevice, DeviceTimes } from '../advise/device-times.js';
import { GraphCaptureTest } from '../advise/verdict/verdict-facts.js';
import { clockTexts, launchesGraphs, lostWorkRemedy, lostWorkText } from '../advise/rules/capture-faults.js';
import { missingWorkOf, MissingTimes } from '../steps/missing-work.js';
import { calledCopiesText, UnrecordedCopies } from '../steps/transfers.js';
import { communicates, workOf, type StepActivity } from '../steps/step-work.js';
import { captureOption, layerMarks, stackMarks, stepMarks } from '../work/capture-options.js';
import { KernelOps, kernelTimeName, LEAST_SHARE } from '../advise/rules/unattributed-kernels.js';
import { AbovePeaks, abovePeaksTexts, LEAVE_OUT_TIMES } from '../tally/above-peaks.js';
import type { Detail } from './faults.js';
import type { Reason } from './reason.js';

/** A check of one profile; its memory is bounded by devices, streams and steps. */
export interface Check {
  readonly take?: (record: ProfileLine) => void;
  readonly row?: (row: Annotated) => void;
  /** What it found about the diagnostics of readers, by their names. */
  readonly details?: (profile: ProfileRecord | null) => Iterable<readonly [diagnostic: string, detail: Detail]>;
  readonly reasons?: (profile: ProfileRecord | null) => readonly Reason[];
}

/** How far kernels start before their launch call, and by how much the clocks of devices differ from that of the CPU. */
function clockCheck(): Check {
  let most = 0;
  return {
    take: (record) => {
      if (record.type === 'kernel' && record.launch) most = Math.max(most, record.launch.start - record.start);
    },
    details: (profile) => {
      const clocks = profile === null ? [] : clockTexts(profile);
      return [
        ...(most > 0 ? [['launch-after-kernel', { text: `by up to ${time(most)}` }] as const] : []),
        ...(clocks.length > 0 ? [['clocks-differ', { text: clocks.join(', ') }] as const] : []),
      ];
    },
  };
}

/** Idle time in which a device may have run work that the profiler lost, except after all recorded work. */
function missingCheck(): Check {
  const devices = new DeviceTimes();
  const missing = new ByDevice(() => new MissingTimes());
  let hasNodes = false;
  const detailOf = (isOfGraphs: boolean, profile: ProfileRecord | null): Detail | null => {
    const found = missing.all
      .filter(({ of: lost }) => launchesGraphs(lost.api) === isOfGraphs)
      .map(({ of: lost }) => lost);
    const [first] = found;
    if (first === undefined) return null;
    const ns = found.reduce((sum, { time }) => sum + time, 0);
    return {
      ...(ns > 0 ? { text: lostWorkText(ns) } : {}),
      remedy: lostWorkRemedy(first.api, hasNodes ? null : profile),
    };
  };
  return {
    take: (record) => {
      if (record.type === 'kernel' && record.graph !== undefined) hasNodes = true;
      const lost = missingWorkOf(record);
      if (lost !== null) missing.of({ ...lost, profile: record.profile }).add(lost);
      const gap = devices.take(record);
      if (gap !== null) missing.get(gap.profile, gap.device)?.take(gap.start, gap.end);
    },
    details: (profile) => {
      const [graphs, launches] = [detailOf(true, profile), detailOf(false, profile)];
      return [
        ['launch-without-work', launches ?? { remedy: SYNCHRONIZE }],
        ...(graphs === null ? [] : [['graph-launch-without-work', graphs] as const]),
      ];
    },
  };
}

/** By how much work of one stream overlaps. */
function overlapCheck(): Check {
  let overlaps = new StreamOverlaps([]);
  return {
    take: (record) => {
      if (record.type === 'profile') overlaps = new StreamOverlaps(record.devices);
      const work = workOf(record)?.record;
      if (work === undefined || work.type === 'collective' || work.type === 'graph') return;
      const { device, stream, start, dur, type } = work;
      if (stream === null || dur === null || work.graph !== undefined) return;
      overlaps.add(device, stream, { start, end: start + dur, isKernel: type === 'kernel' });
    },
    details: () => {
      const { count, total, most } = overlaps;
      const text = `by ${time(total)} in total, ${time(most)} at most`;
      return count === 0 ? [] : [['stream-overlap', { text }]];
    },
  };
}

/** Messages of the vendor's tool about the profile, such as what it could not measure. */
function noticeCheck(): Check {
  let [count, first] = [0, ''];
  return {
    take: (record) => {
      if (record.type === 'notice' && count++ === 0) first = record.text;
    },
    reasons: () =>
      count === 0
        ? []
        : [
            {
              ...{ check: 'tool-notice', level: 'limit', count },
              what: `${counted(count, 'message')} of the profiler${count > 1 ? ', the first' : ''}: ${first}`,
              affects: AFFECTS.messages,
              remedy: 'dprof summary --all lists them',
            },
          ],
  };
}

/** A profile without device work answers only questions about the host. */
function workCheck(): Check {
  let [hasWork, hasEvents, unread] = [false, false, 0];
  /** Whether calls of an API show that there was work. */
  let isLost = false;
  return {
    take: (record) => {
      if (workOf(record) !== null) hasWork = true;
      // Short calls are not among the records, but they count in the duration of the profile.
      hasEvents ||= record.type === 'profile' ? (record.dur ?? 0) > 0 : record.type !== 'end';
      if (record.type !== 'end') return;
      isLost = (record.diagnostics['work-not-recorded'] ?? 0) > 0;
      unread = record.diagnostics['event-not-read'] ?? 0;
    },
    reasons: (profile) => {
      if (hasWork || isLost || profile === null || !mayHaveWork(profile.format)) return [];
      const remedy = captureOption(profile, 'work');
      const what = 'the profile has no device work';
      if (hasEvents) return [{ check: 'no-work', level: 'limit', count: null, what, affects: AFFECTS.devices, remedy }];
      const nothing = unread === 0 ? 'the profile has no events' : `none of ${counted(unread, 'event')} was read`;
      return [{ check: 'no-work', level: 'loss', count: null, what: nothing, affects: AFFECTS.all, remedy }];
    },
  };
}

/** While a graph is captured, the device does not run the captured work. */
function captureCheck(): Check {
  const test = new GraphCaptureTest();
  return {
    take: (record) => test.take(record),
    reasons: () =>
      test.isCapture
        ? [
            {
              ...{ check: 'graph-capture', level: 'limit', count: null },
              what: 'the profile shows the capture of a graph, during which the device does not run the captured work',
              affects: 'times of devices and steps: they do not include the work of the graph',
              remedy:
                'also profile a run of the graph, and read that profile with --capture FILE, where FILE is this one (docs/guide/graphs.md)',
            },
          ]
        : [],
  };
}

/** Copies that the CPU issued, or that instructions started, and the profile lacks. */
function copiesCheck(): Check {
  const copies = new UnrecordedCopies();
  return {
    take: (record) => copies.take(record),
    details: () => {
      const devices = [...copies.started.keys()];
      const text = `on ${plural(devices.length, 'device')} ${devices.join(' ')}`;
      return devices.length === 0 ? [] : [['copies-not-recorded', { text }]];
    },
    reasons: (profile) => {
      const { called } = copies;
      if (called === 0) return [];
      const affects = 'copies, busy time and idle time';
      const [what, remedy] = [calledCopiesText(called), captureOption(profile, 'copies')];
      return [{ check: 'copies-not-recorded', level: 'limit', count: called, what, affects, remedy }];
    },
  };
}

/** Kernels faster than their device can be: a duration, a size or the device's name is wrong. */
function peakCheck(): Check {
  const above = new AbovePeaks();
  return {
    row: (row) => {
      if (row.record.dur !== null) above.add(row);
    },
    reasons: () => {
      const { count, mistimed } = above;
      const { defect, short } = abovePeaksTexts(above);
      if (count === 0) return [];
      const texts = [defect, short].filter((text) => text !== null);
      return [
        {
          ...{ check: 'above-peak', level: 'doubt', count },
          what: `${texts.join('; ')} (${time(above.time)} in all)`,
          affects: 'rates and roofline of these kernels',
          remedy:
            mistimed === count
              ? LEAVE_OUT_TIMES
              : 'dprof advise --rule impossible lists them; --peaks sets other peaks',
        },
      ];
    },
  };
}

/** Minimum share of the profile's time that a limit is about. */
const LEAST_OVERHEAD = 0.01;

/** What the profiler itself took: time in which it blocked the CPU, and Python stacks, which slow each call. */
function overheadCheck(): Check {
  let [count, ns, start, end] = [0, 0, Infinity, -Infinity];
  /** Since the last work: it counts once more work follows, so that only time between first and last work does. */
  let after = { count: 0, ns: 0 };
  /** End of all overhead so far: what overlaps counts once. */
  let reach = 0;
  let hasFrames = false;
  const addWork = ({ start: from, dur }: StepActivity): void => {
    if (dur === null) return;
    [count, ns] = [count + after.count, ns + after.ns];
    after = { count: 0, ns: 0 };
    [start, end] = [Math.min(start, from), Math.max(end, from + dur)];
  };
  return {
    take: (record) => {
      const work = workOf(record)?.record;
      if (work !== undefined) addWork(work);
      if (record.type !== 'range') return;
      hasFrames ||= record.kind === 'frame';
      if (record.kind !== 'overhead' || start > record.start) return;
      const until = record.start + record.dur;
      after = { count: after.count + 1, ns: after.ns + Math.max(0, until - Math.max(record.start, reach)) };
      reach = Math.max(reach, until);
    },
    reasons: (profile) => {
      const stacks: Reason = {
        ...{ check: 'recorded-stacks', level: 'limit', count: null },
        what: 'the profiler recorded the Python stack of each call, which slows the CPU',
        affects: 'CPU times, and idle time in which the device waits for the CPU',
        remedy: `to measure times, profile once without ${frameworkWords(profile).withoutStacks}`,
      };
      const overhead: Reason = {
        ...{ check: 'profiler-overhead', level: 'limit', count },
        what: `the profiler or driver blocked the CPU ${counted(count, 'time')} for ${time(ns)}, ${share(ns / (end - start))} of the time from first to last work`,
        affects: 'CPU times, and idle time in which the device waits for the CPU',
        remedy: 'leave out the first steps; load kernels before profiling (CUDA_MODULE_LOADING=EAGER)',
      };
      const isWithStacks = hasFrames || profile?.facts?.['with_stack'] === 'true';
      return [
        ...(end > start && ns > LEAST_OVERHEAD * (end - start) ? [overhead] : []),
        ...(isWithStacks ? [stacks] : []),
      ];
    },
  };
}

/** A limit of the profile; it is dropped if its profiler cannot record more. */
type Limit = Omit<Reason, 'level' | 'count'>;

/** A limit for kernels that lack something, if they take a notable share of the time. */
const lacking = (
  check: string,
  without: number,
  { time, name = kernelTimeName(0) }: { readonly time: number; readonly name?: string },
  lacks: string,
): Pick<Limit, 'check' | 'what'>[] =>
  without > LEAST_SHARE * time
    ? [{ check, what: `${share(without / time)} of ${name} has no ${lacks} in the profile` }]
    : [];

/** What of the program the profile knows: without ops, arguments, layers, lines or steps some questions have no answer. */
function programCheck(): Check {
  const ops = new KernelOps();
  let [withoutLayer, withoutLines, steps] = [0, 0, 0];
  const opLimits = (profile: ProfileRecord | null): Limit[] =>
    ops.limits(profile).map(({ kind, what, remedy }) => ({
      ...{ check: kind === 'nameless' ? 'no-op' : 'no-shapes', what, remedy },
      affects: 'FLOPs, bytes and rates of these kernels',
    }));
  return {
    row: (row) => {
      const ns = ops.add(row);
      if (ns === null) return;
      if ((row.record.step ?? null) !== null) steps++;
      // Collectives may belong to no layer or line.
      if (communicates(row.record)) return;
      if (row.layer.length === 0) withoutLayer += ns;
      if (row.trace.length === 0) withoutLines += ns;
    },
    reasons: (profile) => {
      const { time, launchless } = ops;
      const computing = { time: ops.computing, name: kernelTimeName(ops.collectiveTime) };
      const noLaunch = lacking('no-launch', launchless, { time }, 'launch call');
      const noSteps = time > 0 && steps === 0 ? [{ check: 'no-steps', what: 'the profile has no steps' }] : [];
      const limits: readonly Limit[] = [
        ...noLaunch.map((limit) => ({ ...limit, affects: AFFECTS.launches, remedy: ops.launchRemedy(profile) })),
        ...opLimits(profile),
        ...lacking('no-layer', withoutLayer, computing, 'layer').map((limit) => ({
          ...limit,
          affects: 'time by layer',
          remedy: layerMarks(profile),
        })),
        ...lacking('no-lines', withoutLines, computing, 'source line').map((limit) => ({
          ...limit,
          affects: 'time by line and stack',
          remedy: stackMarks(profile),
        })),
        ...noSteps.map((limit) => ({
          ...limit,
          affects: 'times by step, and how they vary',
          remedy: stepMarks(profile),
        })),
      ];
      return limits.flatMap((limit): Reason[] =>
        limit.remedy === null ? [] : [{ ...limit, level: 'limit', count: null }],
      );
    },
  };
}

interface StepWork {
  kernels: number;
  busy: number;
}

/** Steps of a program that does the same in each differ by less. */
const [SAME, LESS, SLOWER] = [0.02, 0.95, 1.5];

/**
 * Steps at the edges of the profile: a last step with fewer kernels than the others, all of which have the same number, was
 * cut off; a first step that took much longer warmed up. Fewer than four steps are not compared.
 */
function stepsCheck(): Check {
  const devices = new Map<number, Map<number, StepWork>>();
  const add = ({ device, step, dur }: KernelLine): void => {
    if (step === null || step === undefined) return;
    const steps = entryOf(devices, device, () => new Map<number, StepWork>());
    const work = entryOf(steps, step, () => ({ kernels: 0, busy: 0 }));
    work.kernels++;
    work.busy += dur ?? 0;
  };
  return {
    take: (record) => {
      if (record.type === 'kernel') add(record);
    },
    reasons: () => [...devices].sort(([a], [b]) => a - b).flatMap(([device, steps]) => edgeReasons(device, steps)),
  };
}

function edgeReasons(device: number, steps: ReadonlyMap<number, StepWork>): Reason[] {
  const ordered = [...steps].sort(([a], [b]) => a - b);
  const [first, last] = [ordered[0], ordered.at(-1)];
  if (ordered.length < 4 || first === undefined || last === undefined) return [];
  const inner = ordered.slice(1, -1).map(([, work]) => work);
  const kernels = median(inner.map((work) => work.kernels)) ?? 0;
  const busy = median(inner.map((work) => work.busy)) ?? 0;
  const areEqual = inner.every((work) => Math.abs(work.kernels - kernels) <= SAME * kernels);
  const cut: Reason = {
    ...{ check: 'step-cut', level: 'doubt', count: 1 },
    what: `step ${last[0]} has ${counted(last[1].kernels, 'kernel')} on device ${device}, the others ${kernels}: the profile ends within it`,
    affects: 'the last step, and figures over all steps',
    remedy: `leave it out: --step ${first[0]}-${ordered.at(-2)?.[0]}`,
  };
  const slow: Reason = {
    ...{ check: 'warm-up', level: 'limit', count: 1 },
    what: `kernels of step ${first[0]} take ${(first[1].busy / busy).toFixed(1)} times those of a median step on device ${device}`,
    affects: 'means and figures over all steps',
    remedy: `leave it out: --step ${ordered[1]?.[0]}-${last[0]}`,
  };
  return [
    ...(areEqual && last[1].kernels < LESS * kernels ? [cut] : []),
    ...(busy > 0 && first[1].busy > SLOWER * busy ? [slow] : []),
  ];
}

/** All checks; each begins anew for every profile. */
export const CHECKS: readonly (() => Check)[] = [
  clockCheck,
  missingCheck,
  overlapCheck,
  copiesCheck,
  peakCheck,
  workCheck,
  captureCheck,
  noticeCheck,
  stepsCheck,
  overheadCheck,
  programCheck,
];

/** Those that find losses and doubts which no reader counts, in profiles with work. */
export const FINDING_CHECKS: readonly (() => Check)[] = [peakCheck, stepsCheck];
