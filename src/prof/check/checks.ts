/** Checks that read the records of one profile: what they find, no diagnostic of a reader counts. */
import { entryOf } from '../../containers/map-entry.js';
import { median } from '../../record/statistics.js';
import { deviceWords } from '../../record/glossary.js';
import { AFFECTS, SYNCHRONIZE } from '../../record/diagnostics.js';
import { counted, many, plural } from '../../record/plural.js';
import { isTransferStart } from '../../ops/families/hlo.js';
import { smOf } from '../../ops/kernels/matrix-unit.js';
import type { Device, KernelLine, ProfileLine, ProfileRecord } from '../../record/record.js';
import { percent as share, time } from '../advise/wording.js';
import type { Annotated } from '../annotate.js';
import { mayHaveWork } from '../analysis.js';
import { frameworkWords } from '../advise/framework-words.js';
import { ByDevice, DeviceTimes } from '../advise/device-times.js';
import { LAUNCHING } from '../advise/rule.js';
import { clockTexts, launchesGraphs, lostWorkRemedy, lostWorkText } from '../advise/rules/capture-faults.js';
import { missingWorkOf, MissingTimes } from '../steps/missing-work.js';
import { calledCopiesText, UnrecordedCopies } from '../steps/transfers.js';
import { communicates, isWait, workOf, type StepActivity } from '../steps/step-work.js';
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

/** Unit: ns. Shorter overlaps come from the resolution of the device's clock. */
const LEAST_OVERLAP = 1_000;
/**
 * Compute capability from which a kernel may start before the kernel in front of it has ended: programmatic dependent launch
 * (CUDA C++ Programming Guide).
 */
const STARTS_EARLY = 90;

/** What a device runs strictly in the order of its streams. */
type InOrder = 'nothing' | 'copies' | 'all';

function inOrderOn(device: Device): InOrder {
  const { vendor } = deviceWords({ devices: [device] });
  if (vendor === null || !LAUNCHING.includes(vendor)) return 'nothing';
  // A device of unknown compute capability may be a new one.
  const startsEarly = vendor === 'nvidia' && (smOf(device.arch ?? undefined) ?? STARTS_EARLY) >= STARTS_EARLY;
  return startsEarly ? 'copies' : 'all';
}

/** Whether a stream runs it strictly after the work in front of it. */
function isInOrder(work: StepActivity, onDevice: InOrder = 'nothing'): boolean {
  if (work.stream === null || work.type === 'collective' || work.type === 'graph') return false;
  if (work.graph !== undefined) return false;
  return onDevice === 'all' || (onDevice === 'copies' && work.type !== 'kernel');
}

/** Work of one stream that overlaps, although a stream runs its work in order: its start or duration is wrong. */
function overlapCheck(): Check {
  const ends = new Map<string, number>();
  let devices = new Map<number, InOrder>();
  let [count, most, total] = [0, 0, 0];
  return {
    take: (record) => {
      if (record.type === 'profile') devices = new Map(record.devices.map((device) => [device.id, inOrderOn(device)]));
      const work = workOf(record)?.record;
      if (work === undefined || work.dur === null || !isInOrder(work, devices.get(work.device))) return;
      const [stream, end] = [`${work.device} ${work.stream}`, work.start + work.dur];
      const before = ends.get(stream) ?? -Infinity;
      const overlap = Math.min(before, end) - work.start;
      ends.set(stream, Math.max(before, end));
      if (overlap <= LEAST_OVERLAP) return;
      count++;
      total += overlap;
      most = Math.max(most, overlap);
    },
    reasons: () =>
      count === 0
        ? []
        : [
            {
              ...{ check: 'stream-overlap', level: 'doubt', count },
              what: `${counted(count, 'piece')} of work began before the previous work on the same stream had ended: ${time(total)} in total, ${time(most)} at most`,
              affects: 'durations of this work, and their sums',
              remedy: 'record with a newer profiler and driver',
            },
          ],
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

/** Copies that the CPU issued, or that instructions started, and the profile lacks. */
function copiesCheck(): Check {
  const copies = new UnrecordedCopies();
  return {
    take: (record) => copies.take(record),
    reasons: (profile) => {
      const { called, started } = copies;
      const affects = 'copies, busy time and idle time';
      const common = { check: 'copies-not-recorded' } as const;
      if (called > 0) {
        const what = calledCopiesText(called);
        return [{ ...common, level: 'limit', count: called, what, affects, remedy: captureOption(profile, 'copies') }];
      }
      const count = [...started.values()].reduce((sum, copies) => sum + copies, 0);
      if (count === 0) return [];
      const devices = `${plural(started.size, 'device')} ${[...started.keys()].join(' ')}`;
      const what = `${devices} started ${many(count, 'copy')}, but the profile contains none of them`;
      return [{ ...common, level: 'loss', count, what, affects: `${affects} of these devices`, remedy: null }];
    },
  };
}

/**
 * Kernels whose duration is 0. Profilers of 2021 round times to whole microseconds; where times are finer, the end of these
 * kernels was not recorded.
 */
function zeroCheck(): Check {
  let [count, areWhole] = [0, true];
  return {
    take: (record) => {
      if (record.type !== 'kernel' || record.dur === null || isWait(record) || isTransferStart(record.labels)) return;
      if (record.dur === 0) count++;
      areWhole &&= record.start % 1000 === 0 && record.dur % 1000 === 0;
    },
    reasons: () =>
      count === 0
        ? []
        : [
            {
              ...{ check: 'zero-duration', level: areWhole ? 'limit' : 'doubt', count },
              what: `the duration of ${counted(count, 'kernel')} is 0${areWhole ? ', because the profile rounds times to whole microseconds' : ''}`,
              affects: 'durations and rates of these kernels, and their sums',
              remedy: 'record with a newer profiler and driver',
            },
          ],
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
  zeroCheck,
  peakCheck,
  workCheck,
  noticeCheck,
  stepsCheck,
  overheadCheck,
  programCheck,
];
