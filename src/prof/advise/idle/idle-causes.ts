/** Why a device was idle: each gap has one cause, so that the times of all causes add up to the idle time. */
import { addTo } from '../../../containers/map-entry.js';
import { LONGEST_LAUNCH, type StepActivity } from '../../steps/step-work.js';
import { MOSTLY } from '../../steps/transfers.js';
import type { Gap } from '../device-times.js';
import type { LongestTime } from '../finding.js';
import { longerOf } from '../kernel-tally.js';
import type { IdleCause } from './cause-names.js';
import type { HostPlace } from './host-places.js';
import type { CopyLine } from '../../../record/record.js';
import { isWaitingCopy } from '../../../record/wait-calls.js';

/** Copies between host and device for which the host waited. */
export type HostCopyKind = 'HtoD' | 'DtoH';

/** A copy between host and device whose launch and time are known. */
export interface HostCopy extends CopyLine {
  readonly kind: HostCopyKind;
  readonly dur: number;
  readonly launch: NonNullable<CopyLine['launch']>;
}

export const isHostCopy = (record: StepActivity): record is HostCopy =>
  record.type === 'copy' &&
  (record.kind === 'HtoD' || record.kind === 'DtoH') &&
  record.dur !== null &&
  (record.launch ?? null) !== null;

/**
 * Three kinds of evidence that the host waited. The call's name says that it is synchronous. Or
 * the memory is pageable, which an asynchronous call copies piece by piece, and the call still ran when the copy began.
 * Or the kind of memory is unknown, and the call returned only after the copy had ended. Null when the host did not
 * wait: a call with pinned memory that returns late was only slow.
 */
export type Wait = 'synchronous' | 'pageable' | 'late-return';

export function waitOf({ launch, start, dur, hostMemory }: HostCopy): Wait | null {
  if (launch.api !== null && isWaitingCopy(launch.api)) return 'synchronous';
  const returned = launch.start + launch.dur;
  if (hostMemory === 'pageable') return returned > start ? 'pageable' : null;
  return hostMemory === undefined && returned >= start + dur ? 'late-return' : null;
}

/** What the engines of a NeuronCore wait for, by their semaphores, or a program for the end of a transfer. */
export interface Awaited {
  readonly cause: Extract<IdleCause, 'semaphore' | 'transfer'>;
  readonly name: string;
}

/** What the host did during a gap, and what the device waited for. */
export interface HostWithin {
  /** Time in ns in which it loaded data, collected garbage, or waited for profiler or driver. */
  readonly loading: number;
  readonly collecting: number;
  readonly overhead: number;
  /** Time in ns of overhead in which it loaded the code of kernels. */
  readonly firstUse: number;
  /** What filled most of a gap that is longer than a launch takes; null if unknown. */
  readonly place: HostPlace | null;
  /** What the program on the device waited for; null if unknown, and where a CPU launches each piece of work. */
  readonly awaited: Awaited | null;
}

/** Kind of the copy for which the host waited right before the gap; null when there is none. */
export const copyBefore = ({ before }: Gap): HostCopyKind | null =>
  isHostCopy(before) && waitOf(before) !== null ? before.kind : null;

type GapTimes = Pick<Gap, 'start' | 'end'>;

/** The call that launched a piece of work, if it fills most of the gap. */
function fillingCall({ start, end }: GapTimes, { launch = null }: StepActivity): StepActivity['launch'] {
  if (launch === null) return null;
  const within = Math.min(end, launch.start + launch.dur) - Math.max(start, launch.start);
  return within > MOSTLY * (end - start) ? launch : null;
}

/** Name of that call if it took longer than a launch. */
function longCall(gap: GapTimes, work: StepActivity): string | null {
  const call = fillingCall(gap, work) ?? null;
  return call === null || call.dur <= LONGEST_LAUNCH ? null : (call.api ?? '');
}

function causeOf(gap: Gap, { loading, collecting, overhead, firstUse, awaited }: HostWithin): IdleCause {
  const time = gap.end - gap.start;
  // A wait of the program shows that the device had work.
  if (awaited?.cause === 'transfer') return 'transfer';
  if (gap.ended === null) return awaited?.cause ?? 'unknown';
  // The device had work and waited for something else, whatever the host did.
  if (gap.ended === 'queue') return 'queue';
  if (collecting > MOSTLY * time) return 'garbage';
  if (loading > MOSTLY * time) return 'loading';
  const isLongCall = longCall(gap, gap.after) !== null;
  // A launch that loads the code of its kernel is due to the program, which could launch the kernel once before.
  const isFirstUse = isLongCall && firstUse > MOSTLY * time;
  if (overhead > MOSTLY * time && !isFirstUse) return 'overhead';
  if (isLongCall) return 'call';
  const cause = lateCause(time);
  // The host waited for a copy until the gap began. If it then does something for longer than a launch takes, that is
  // the cause.
  return cause === 'launch' && copyBefore(gap) !== null ? 'copy' : cause;
}

const lateCause = (time: number): IdleCause => (time <= LONGEST_LAUNCH ? 'launch' : 'host');

/** What the host did for most of a gap: the call that launched the work after it, else its innermost range. */
export const hostIn = (gap: Gap, place: HostPlace | null): string | null =>
  fillingCall(gap, gap.after)?.api ?? place?.name ?? null;

/** Maximum number of names to keep, for calls and for other places. */
const MOST_NAMES = 100;

function addNamed(times: Map<string, number>, name: string, time: number): void {
  if (times.has(name) || times.size < MOST_NAMES) addTo(times, name, time);
}

/** A gap in which launched work waited on the device. */
export interface DeviceWait {
  readonly start: number;
  readonly end: number;
  /** The call in which the host spent the gap, usually a wait for that work; null if unknown. */
  call: string | null;
  /** Whether the device had done almost no work before. */
  readonly isFirst: boolean;
}

/** Idle time of one device, in ns. */
export class IdleTimes {
  readonly by = new Map<IdleCause, number>();
  /** Time with the cause `call`, by the call's name. */
  readonly calls = new Map<string, number>();
  /** Time with the cause `host`, by what the host did, where that is known. */
  readonly places = new Map<string, number>();
  /** Time with the causes `semaphore` and `transfer`, by what the device waited for. */
  readonly awaited = new Map<string, number>();
  /** Number of gaps with the causes `call` and `queue`. */
  held = 0;
  queued = 0;
  /** The longest gap with the cause `call`. */
  longestHeld: LongestTime | null = null;
  /** The longest gap with the cause `queue`. */
  waiting: DeviceWait | null = null;
  #first = Infinity;

  /** Takes work, after the gap for which its call waited. */
  work(record: StepActivity): void {
    const { waiting } = this;
    this.#first = Math.min(this.#first, record.start);
    if (waiting !== null && waiting.call === null) waiting.call = longCall(waiting, record);
  }

  /** @returns the cause of the gap */
  add(gap: Gap, within: HostWithin): IdleCause {
    const { start, end } = gap;
    const cause = causeOf(gap, within);
    addTo(this.by, cause, end - start);
    if (cause === 'queue') {
      this.queued++;
      this.#wait({ start, end, call: null, isFirst: start - this.#first < LONGEST_LAUNCH });
    }
    if (cause === 'call') {
      this.held++;
      this.longestHeld = longerOf(this.longestHeld, { start, end });
      addNamed(this.calls, longCall(gap, gap.after) ?? '', end - start);
    }
    if (cause === within.awaited?.cause) addNamed(this.awaited, within.awaited.name, end - start);
    if (cause === 'host' && within.place !== null) addNamed(this.places, within.place.name, within.place.time);
    return cause;
  }

  #wait(gap: DeviceWait): void {
    const { waiting } = this;
    if (waiting === null || gap.end - gap.start > waiting.end - waiting.start) this.waiting = gap;
  }

  /** Adds idle time before a late launch of unknown work. */
  addLate(time: number): IdleCause {
    const cause = lateCause(time);
    addTo(this.by, cause, time);
    return cause;
  }

  /** A copy of these times without `longestWait`. */
  get withoutWait(): IdleTimes {
    const { waiting } = this;
    const rest = new IdleTimes();
    rest.merge(this);
    rest.waiting = null;
    if (waiting === null) return rest;
    addTo(rest.by, 'queue', waiting.start - waiting.end);
    rest.queued--;
    return rest;
  }

  merge(more: IdleTimes): void {
    for (const [cause, time] of more.by) addTo(this.by, cause, time);
    for (const [call, time] of more.calls) addNamed(this.calls, call, time);
    for (const [place, time] of more.places) addNamed(this.places, place, time);
    for (const [name, time] of more.awaited) addNamed(this.awaited, name, time);
    this.held += more.held;
    this.longestHeld = longerOf(this.longestHeld, more.longestHeld);
    this.queued += more.queued;
    if (more.waiting !== null) this.#wait(more.waiting);
  }
}
