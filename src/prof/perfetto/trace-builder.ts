/**
 * Turns records into the elements of a trace, in one pass. Memory: a bounded number of slices that are held back to be
 * sorted, the tracks, and a hash of each launch.
 */
import type {
  LayerRecord,
  NoticeRecord,
  ProfileLine,
  ProfileRecord,
  RangeRecord,
  TensorRecord,
} from '../../record/record.js';
import { Annotated } from '../annotate.js';
import type { PathRange } from '../critical-path/critical-path.js';
import { hasLaunched, isDeviceActivity, launchOf, type DeviceActivity } from '../input/device-activity.js';
import type { RecordTypes } from '../analysis.js';
import type { Peaks } from '../roofline/peaks.js';
import { DeviceSlices, LaunchSlices, OpenLaunch, type DeviceSliceSink } from './launch-slices.js';
import { fieldArgs, kernelArgs, nameOf, profileArgs, timeOf, titleOf } from './slice-args.js';
import { ProfileClock, TraceCounters, type Alignment } from './counters.js';
import { NO_ARROWS, type Arrows, type Emit, type TraceArg, type TraceTime } from './trace-element.js';
import { ReorderBuffer, type TimedSlice } from './reorder-buffer.js';
import { DependencyArrows, type MemberArrows, type SliceArrows } from './arrows.js';
import { TraceTracks, type TrackLanes } from './tracks.js';

export const TRACE_TYPES: RecordTypes = new Set([
  ...(['profile', 'kernel', 'copy', 'set', 'sync', 'graph', 'collective'] as const),
  ...(['range', 'sample', 'layer', 'tensor', 'notice', 'end'] as const),
]);

/**
 * Numbers of slices to hold back, for devices, whose records arrive in order of start time, and for the host, which
 * runs ahead of devices.
 */
const HELD_OF_DEVICES = 256;
/** The number with dependency arrows, which are known only when the instructions that waited come. */
const HELD_OF_INSTRUCTIONS = 32_768;
const HELD_OF_HOST = 32_768;

/** Name of the track of the critical path. */
const PATH = 'critical path';

/** Title, category and arguments of a slice or mark. */
interface SliceContent {
  readonly name: string;
  readonly category: string;
  /** Source of the arguments: an annotated kernel, a launch, or any other record. */
  readonly source: Annotated | OpenLaunch | object;
  readonly endsFlow: number | null;
  /** Dependency arrows of an instruction. */
  readonly dependencies?: SliceArrows | null;
}

interface HeldSlice extends TraceTime, TimedSlice {
  /** Whether its duration is unknown. */
  readonly isMark: boolean;
  readonly place: TrackLanes;
  readonly content: SliceContent;
}

/** Counts of what was written and what was left out. */
class TraceCounts {
  slices = 0;
  /** Number of records without a duration, and of samples that are strings. */
  instants = 0;
  counters = 0;
  /** Number of arrows from a launch to what it launched. */
  arrows = 0;
  /** Number of records left out because they have no start. */
  untimed = 0;
  /** Number of records left out because they started before timestamp 0. */
  early = 0;
  /** Number of instants that replace a slice with an unknown duration. */
  unended = 0;
  /** Number of slices left out because no lane was free, as for completely unordered records. */
  crowded = 0;
}

export class TraceBuilder {
  readonly clock: ProfileClock;
  readonly counts = new TraceCounts();
  readonly launches: LaunchSlices;
  /** Null without dependency arrows. */
  readonly dependencies: DependencyArrows | null;
  /** Null without arrows between ranks. */
  readonly members: MemberArrows | null;
  readonly samples: TraceCounters;
  readonly #tracks: TraceTracks;
  readonly #activities: DeviceSlices;
  readonly #ofDevices: ReorderBuffer<HeldSlice>;
  readonly #ofHost: ReorderBuffer<HeldSlice>;
  /** Arrows between ranks for activities that are waiting. */
  readonly #betweenRanks = new WeakMap<DeviceActivity, SliceArrows>();

  /**
   * @param hasDependencies whether instructions have arrows to those that waited for them
   * @param membersOf makes the arrows between ranks that take part in one operation; null for none
   */
  constructor(
    private readonly emit: Emit,
    alignment: Alignment,
    peaks: Peaks | null = null,
    hasDependencies = false,
    membersOf: ((nextFlow: () => number) => MemberArrows) | null = null,
  ) {
    let flows = 0;
    const nextFlow = (): number => ++flows;
    this.launches = new LaunchSlices(nextFlow);
    this.dependencies = hasDependencies ? new DependencyArrows(nextFlow) : null;
    this.clock = new ProfileClock(alignment);
    this.members = membersOf === null ? null : membersOf(nextFlow);
    this.#tracks = new TraceTracks(emit);
    this.samples = new TraceCounters(emit, this.#tracks, this.clock, this.counts);
    this.#ofDevices = new ReorderBuffer(
      hasDependencies ? HELD_OF_INSTRUCTIONS : HELD_OF_DEVICES,
      'shorter-first',
      this.#emitHeld,
    );
    this.#ofHost = new ReorderBuffer(HELD_OF_HOST, 'longer-first', this.#emitHeld);
    const sink: DeviceSliceSink = {
      kernel: (row, endsFlow) => this.#kernel(row, endsFlow),
      other: (record, endsFlow) => this.#onDevice(record, titleOf(record), record, endsFlow),
    };
    this.#activities = new DeviceSlices(sink, peaks);
  }

  take(record: ProfileLine): void {
    if (isDeviceActivity(record)) this.#activity(record);
    else if (record.type === 'range' && !hasLaunched(record)) this.#range(record);
    else if (record.type === 'sample') this.samples.take(record);
    else if (record.type === 'profile') this.#profile(record);
    else if (record.type === 'layer') this.#layer(record);
    else if (record.type === 'notice') this.#timeless(record, 'notices', record.text);
    else if (record.type === 'tensor') this.#timeless(record, 'tensors', record.name);
  }

  /** Draws the critical path of the profile whose line was taken last. @param path in order of start time */
  path(path: readonly PathRange[]): void {
    for (const { profile, start: from, dur, text: name, line, step } of path) {
      const [start, end] = [Math.round(from), Math.round(from + dur)];
      const time = this.clock.time(profile, timeOf(start));
      const track = time === null ? null : this.#tracks.lane(this.#tracks.own(profile, PATH, false), { start, end });
      if (time === null || track === null) this.counts[time === null ? 'early' : 'crowded']++;
      else {
        const args: TraceArg[] = [...(line === null ? [] : [['line', line] as const]), ...(step === null ? [] : [['step', step] as const])]; // prettier-ignore
        this.counts.slices++;
        this.emit({ type: 'slice', track, ...time, dur: end - start, name, category: PATH, args, ...NO_ARROWS });
      }
    }
  }

  /**
   * Must be called with records that are left out, in order, because arrows between ranks depend on the index of an
   * operation.
   */
  skip(record: ProfileLine): void {
    this.members?.skip(record);
  }

  /**
   * Kernels come back from `#activities` later than records that are left out in between; operations are counted here, in
   * record order.
   */
  #activity(record: DeviceActivity): void {
    const between = this.members?.at(record) ?? null;
    if (between !== null) this.#betweenRanks.set(record, between);
    this.#activities.take(record, this.#arrow(record));
  }

  /** Must be called after the last record; each profile line calls it for the previous profile. */
  end(): void {
    this.#activities.end();
    this.#ofDevices.flush();
    this.#ofHost.flush();
    this.samples.end();
  }

  #profile(record: ProfileRecord): void {
    this.end();
    const isFirst = this.clock.profile(record);
    const { unixStart } = this.clock;
    if (isFirst && unixStart !== null) this.emit({ type: 'clock', at: unixStart });
    this.#activities.profile(record);
    this.#tracks.profile(record);
    this.#mark(record.profile, 'profile', nameOf(record.file), 'profile', profileArgs(record));
  }

  #kernel(row: Annotated, endsFlow: number | null): void {
    const { record } = row;
    const isShown = this.clock.time(record.profile, timeOf(record.start)) !== null;
    this.#onDevice(record, record.short, row, endsFlow, isShown ? this.dependencies?.open(record) : null);
  }

  #onDevice(
    record: DeviceActivity,
    name: string,
    source: Annotated | object,
    endsFlow: number | null,
    dependencies: SliceArrows | null = null,
  ): void {
    const { profile, type: category } = record;
    const arrows = dependencies ?? this.#betweenRanks.get(record) ?? null;
    this.#hold(this.#ofDevices, profile, record, { name, category, source, endsFlow, dependencies: arrows }, () =>
      this.#tracks.stream(record),
    );
  }

  #range(record: RangeRecord): void {
    const { profile, pid, tid, text } = record;
    const what = { name: nameOf(text), category: 'range', source: record, endsFlow: null };
    this.#hold(this.#ofHost, profile, record, what, () => this.#tracks.thread(profile, pid, tid));
  }

  #layer(record: LayerRecord): void {
    const { profile, device, name } = record;
    const what = { name: nameOf(name), category: 'layer', source: record, endsFlow: null };
    this.#hold(this.#ofHost, profile, record, what, () => this.#tracks.onDevice(profile, device, 'layers'));
  }

  /** Records without a time are marked at the profile's start. */
  #timeless(record: NoticeRecord | TensorRecord, line: string, name: string): void {
    this.counts.instants++;
    this.#mark(record.profile, line, nameOf(name), record.type, fieldArgs(record));
  }

  #mark(profile: number, line: string, name: string, category: string, args: readonly TraceArg[]): void {
    const track = this.#tracks.mark(this.#tracks.own(profile, line, true), 0);
    const time = { zero: this.clock.zero(profile), start: 0 };
    this.emit({ type: 'instant', track, ...time, name, category, args, ...NO_ARROWS });
  }

  /** Number of the arrow from an activity's launch; null for none. The first activity of a launch makes its slice. */
  #arrow(record: DeviceActivity): number | null {
    const launch = launchOf(record);
    if (launch === null || timeOf(launch.start) === null) return null;
    const { profile, corr = null } = record;
    const { pid, tid } = launch;
    const start = timeOf(record.start) ?? -Infinity;
    const flow = this.launches.flow({ profile, pid, tid, corr, start }, launch, (opened) => {
      const what = { name: launch.api ?? 'launch', category: 'launch', source: opened, endsFlow: null };
      return this.#hold(this.#ofHost, profile, launch, what, () => this.#tracks.thread(profile, pid, tid));
    });
    if (flow !== null) this.counts.arrows++;
    return flow;
  }

  /** `place` is called only when a slice is shown, so that no empty tracks are made; returns whether it is shown. */
  #hold(
    order: ReorderBuffer<HeldSlice>,
    profile: number,
    times: { readonly start: number; readonly dur: number | null },
    content: SliceContent,
    place: () => TrackLanes,
  ): boolean {
    const start = timeOf(times.start);
    const time = this.clock.time(profile, start);
    if (time === null) {
      this.counts[start === null ? 'untimed' : 'early']++;
      return false;
    }
    const end = typeof times.dur === 'number' ? timeOf(times.start + times.dur) : null;
    const isMark = end === null || end < time.start;
    if (isMark) this.counts.unended++;
    order.push({ zero: time.zero, start: time.start, end: isMark ? time.start : end, isMark, place: place(), content });
    return true;
  }

  readonly #emitHeld = (held: HeldSlice): void => {
    const { zero, start, end, place, isMark, content } = held;
    const { name, category, source, dependencies = null } = content;
    if (source instanceof OpenLaunch) this.launches.close(source);
    if (dependencies !== null) this.dependencies?.close(dependencies);
    const arrows = arrowsOf(content);
    const track = isMark ? this.#tracks.mark(place, start) : this.#tracks.lane(place, held);
    if (track === null) {
      this.counts.crowded++;
      this.counts.arrows -= countOf(arrows);
      return;
    }
    const args = dependencies === null ? argsOf(source) : [...argsOf(source), ...dependencies.args];
    if (isMark) {
      this.counts.instants++;
      this.emit({ type: 'instant', track, zero, start, name, category, args, ...arrows });
    } else {
      this.counts.slices++;
      this.emit({ type: 'slice', track, zero, start, dur: end - start, name, category, args, ...arrows });
    }
  };
}

const countOf = ({ flows, endsFlows, endsLateFlows = [], launchFlow }: Arrows): number =>
  flows.length + endsFlows.length + endsLateFlows.length + (launchFlow === null ? 0 : 1);

/** Arrows of a slice: from launches, from dependencies, and between ranks. */
function arrowsOf({ source, endsFlow: launchFlow, dependencies = null }: SliceContent): Arrows {
  if (dependencies !== null) {
    const { kind: arrows, flows, endsFlows, endsLateFlows = [] } = dependencies;
    return { arrows, flows, endsFlows, endsLateFlows, launchFlow };
  }
  if (source instanceof OpenLaunch) return { ...NO_ARROWS, flows: source.flows };
  return launchFlow === null ? NO_ARROWS : { ...NO_ARROWS, launchFlow };
}

function argsOf(source: SliceContent['source']): readonly TraceArg[] {
  if (source instanceof Annotated) return kernelArgs(source);
  return fieldArgs(source instanceof OpenLaunch ? { corr: source.first.corr } : source);
}
