/** Why a device was idle: each gap has one cause, so that the times of all causes add up to the idle time. */
import { addTo } from '../../containers/map-entry.js';
import { LONGEST_LAUNCH } from '../steps/late-launch.js';
import { isHostCopy, waitOf, type HostCopyKind } from './blocking.js';
import type { StepActivity } from '../steps/step-work.js';
import type { Gap } from './device-times.js';

/** THE table of causes, and what a sentence says of them. */
export const IDLE_CAUSES = {
  loading: 'the host loads data',
  garbage: 'the host collects garbage',
  call: 'one call holds the host',
  copy: 'the host waits for copies',
  launch: 'the host launches late',
  host: 'the host is busy with something else',
  queue: 'launched work waits on the device',
  unknown: 'the launches are not recorded',
} as const;
export type IdleCause = keyof typeof IDLE_CAUSES;

/** Part of a gap that what the host does must fill to be its cause. */
const MOSTLY = 0.5;

/** ns of a gap in which the host loads data, and in which it collects garbage. */
export interface HostWithin {
  readonly loading: number;
  readonly collecting: number;
}

/** The kind of the copy that the host waited for right before the gap; null where it is none. */
export const copyBefore = ({ before }: Gap): HostCopyKind | null =>
  isHostCopy(before) && waitOf(before) !== null ? before.kind : null;

/** The call that launched a piece of work, where it took longer than a launch and fills most of the gap. */
function longCall({ start, end }: Pick<Gap, 'start' | 'end'>, { launch = null }: StepActivity): string | null {
  if (launch === null || launch.dur <= LONGEST_LAUNCH) return null;
  const within = Math.min(end, launch.start + launch.dur) - Math.max(start, launch.start);
  return within > MOSTLY * (end - start) ? (launch.api ?? '') : null;
}

function causeOf(gap: Gap, { loading, collecting }: HostWithin): IdleCause {
  const time = gap.end - gap.start;
  if (gap.ended === null) return 'unknown';
  if (collecting > MOSTLY * time) return 'garbage';
  if (loading > MOSTLY * time) return 'loading';
  if (longCall(gap, gap.after) !== null) return 'call';
  if (gap.ended === 'queue') return 'queue';
  if (copyBefore(gap) !== null) return 'copy';
  return lateCause(time);
}

const lateCause = (time: number): IdleCause => (time <= LONGEST_LAUNCH ? 'launch' : 'host');

/** Names of calls that are kept. */
const MOST_CALLS = 100;

/** Idle time of one device, ns. */
export class IdleTimes {
  readonly by = new Map<IdleCause, number>();
  /** Of the cause `call`, by the call's name. */
  readonly calls = new Map<string, number>();
  /** Gaps of that cause. */
  held = 0;
  /** The longest of the cause `queue`, and the call in which the host was meanwhile: waiting for it, as a rule. */
  waiting: { readonly start: number; readonly end: number; call: string | null } | null = null;

  /** Takes work, which comes after the gap that its call waited for. */
  work(record: StepActivity): void {
    const { waiting } = this;
    if (waiting !== null && waiting.call === null) waiting.call = longCall(waiting, record);
  }

  /** @returns the cause of the gap */
  add(gap: Gap, within: HostWithin): IdleCause {
    const time = gap.end - gap.start;
    const cause = causeOf(gap, within);
    addTo(this.by, cause, time);
    if (cause === 'queue') this.#wait({ start: gap.start, end: gap.end, call: null });
    if (cause === 'call') this.#held(gap, time);
    return cause;
  }

  #held(gap: Gap, time: number): void {
    this.held++;
    const call = longCall(gap, gap.after) ?? '';
    if (this.calls.has(call) || this.calls.size < MOST_CALLS) addTo(this.calls, call, time);
  }

  #wait(gap: NonNullable<IdleTimes['waiting']>): void {
    const { waiting } = this;
    if (waiting === null || gap.end - gap.start > waiting.end - waiting.start) this.waiting = gap;
  }

  /** Time that a late launch ended whose work is not known. */
  addLate(time: number): void {
    addTo(this.by, lateCause(time), time);
  }

  merge(more: IdleTimes): void {
    for (const [cause, time] of more.by) addTo(this.by, cause, time);
    for (const [call, time] of more.calls) addTo(this.calls, call, time);
    if (more.waiting !== null) this.#wait(more.waiting);
  }
}
