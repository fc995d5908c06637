/**
 * Devices whose clock is not the host's. Nothing starts before its launch, and no wait ends before what it waits for:
 * where most launches of a device break the first by more than real clocks do, or its waits the second, all its times
 * are moved by one number. That is the one by which its quickest launch takes no time at all: any more, and that work
 * would start before its launch.
 */
import type { Labels } from '../../../record/record.js';
import { elementAt } from '../../../containers/element.js';
import type { Trace } from '../trace.js';
import { KIND_CODE } from '../trace-columns.js';
import { spanOfHost, type Span } from './host-span.js';
import {
  launchedRows,
  overrunsOf,
  CLOCK_TOLERANCE,
  launchLatencies,
  type Overruns,
  type DeviceLatencies,
} from './host-waits.js';
import type { LaunchJoin } from '../launches.js';

/**
 * ns. Where no wait says otherwise, all work of a device may start late because of work from before the profile: up to 21
 * ms in real files, one of them longer than its host events. No queue is this long.
 */
const LONGEST_QUEUE = 1_000_000_000;

/** What alignment changed. */
export interface ClockAlignment {
  /** What was done to each device, for the profile line. */
  readonly facts: Labels;
  /** Whether times that were moved had set the start of the profile. */
  readonly movedStart: boolean;
}

/** The fact that states by how much the times of a device were moved. */
export const clockShiftName = (device: number): string => `device_${device}_clock_shift_ns`;

/** Moves the activities of devices whose clock differs; null where there is no such device. */
export function alignClocks(trace: Trace, launches: LaunchJoin): ClockAlignment | null {
  const { hostCalls, activities, diagnostics } = trace;
  const latencies = launchLatencies(hostCalls, activities, launches);
  const odd = [...latencies].filter(([, { launches, least, early }]) => {
    return launches === 0 || early > 0 || least > CLOCK_TOLERANCE;
  });
  if (odd.length === 0) return null;
  const host = spanOfHost(trace);
  const facts: Record<string, string | number> = {};
  const shifts = new Map<number, number>();
  const rowsOf = launchedRows(trace, launches, new Set(odd.map(([device]) => device)));
  for (const [device, of] of odd.sort(([a], [b]) => a - b)) {
    if (of.launches === 0) {
      if (isApart(of, host)) facts[clockShiftName(device)] = 'na';
      continue;
    }
    const isEarly = of.early > of.launches / 2;
    if (!isEarly && of.least <= CLOCK_TOLERANCE) continue;
    const overruns = overrunsOf(trace, launches, rowsOf(device), latencies.size === 1);
    if (!isEarly && !isImpossiblyLate(of, overruns, host)) continue;
    shifts.set(device, -of.least);
    facts[clockShiftName(device)] = -of.least;
    facts[`device_${device}_clock_bound_ns`] = overruns.waits === 0 ? 'na' : Math.abs(of.least - overruns.most);
  }
  if (Object.keys(facts).length === 0) return null;
  diagnostics.count('clocks-differ', Object.keys(facts).filter((name) => name.endsWith('shift_ns')).length);
  const movedStart = [...shifts.keys()].some((device) => latencies.get(device)?.first === 0);
  move(trace, launches, shifts, host);
  return { facts, movedStart };
}

/** Whether work that starts late does so by its clock, not because the device was busy. */
const isImpossiblyLate = ({ least }: DeviceLatencies, { waits, broken }: Overruns, { first, last }: Span): boolean =>
  broken > waits / 2 || least > Math.max(LONGEST_QUEUE, last - first);

/** Whether work without a launch lies further from all that the host did than both take. */
const isApart = (of: DeviceLatencies, { first, last }: Span): boolean =>
  Number.isFinite(first) &&
  Math.max(of.first - last, first - of.last) > Math.max(LONGEST_QUEUE, last - first + of.last - of.first);

/** Waits may be timed by the host although they are listed with the device: those are not moved. */
function move(
  { hostCalls, activities }: Trace,
  { callOf }: LaunchJoin,
  shifts: ReadonlyMap<number, number>,
  host: Span,
): void {
  const isOfHost = (start: number, call: number, shift: number): boolean => {
    if (call === -1) return start >= host.first && start <= host.last;
    const launched = hostCalls.start.at(call);
    return Math.abs(start - launched) <= Math.abs(start + shift - launched);
  };
  for (let row = 0; row < activities.length; row++) {
    const shift = shifts.get(activities.device.at(row));
    if (shift === undefined) continue;
    const start = activities.start.at(row);
    const isWait = activities.kind.at(row) === KIND_CODE.sync;
    if (isWait && isOfHost(start, elementAt(callOf, row), shift)) continue;
    activities.start.set(row, start + shift);
    activities.end.set(row, activities.end.at(row) + shift);
  }
}
