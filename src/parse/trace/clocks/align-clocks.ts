/**
 * Corrects devices whose clock differs from the host's. Work cannot start before its launch, and a wait cannot end
 * before the work it waits for. If most launches of a device, or most waits for it, break these rules by more than real
 * clocks do, all times of the device are shifted by the same amount. This amount gives the fastest launch a latency of
 * 0.
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
 * In ns. When no wait shows the clock's offset, all work of a device may start late because of work queued before the
 * profile. In real files this delay was up to 21 ms; in one file it was longer than the span of its host events. A
 * queue does not delay work by this much.
 */
const LONGEST_QUEUE = 1_000_000_000;

/** Result of the alignment. */
export interface ClockAlignment {
  /** The correction of each device, for the profile line. */
  readonly facts: Labels;
  /** Whether the first time of the profile was one of those that were shifted. */
  readonly movedStart: boolean;
}

/** Name of the fact that states how far the times of a device were shifted. */
export const clockShiftName = (device: number): string => `device_${device}_clock_shift_ns`;

/** Shifts the activities of devices whose clock differs from the host's; null when no device's clock does. */
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

/** Whether late starts come from the device's clock, not from a busy device. */
const isImpossiblyLate = ({ least }: DeviceLatencies, { waits, broken }: Overruns, { first, last }: Span): boolean =>
  broken > waits / 2 || least > Math.max(LONGEST_QUEUE, last - first);

/**
 * Whether the gap between work without launches and all host events is longer than the spans of host and device
 * together.
 */
const isApart = (of: DeviceLatencies, { first, last }: Span): boolean =>
  Number.isFinite(first) &&
  Math.max(of.first - last, first - of.last) > Math.max(LONGEST_QUEUE, last - first + of.last - of.first);

/** Shifts times by device. Waits listed with a device may have been timed by the host. Such waits are not shifted. */
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
