/** Counts work that the profile contains in part, or with times that cannot be right. */
import { elementAt } from '../../containers/element.js';
import { StreamOverlaps } from '../../record/fields/stream-overlaps.js';
import type { KernelRecord } from '../../record/record.js';
import { isCopyStart, isTransferStart, isWait } from '../../record/wait-calls.js';
import { byCallName } from './calls.js';
import { isGraphLaunch } from './graphs/graph-launches.js';
import type { LaunchJoin } from './launches.js';
import { IN_ORDER } from './mending/stream-order.js';
import type { Trace } from './trace.js';
import { KIND_CODE } from './trace-columns.js';

/** Resolution of some profiles, in ns. */
const MICROSECOND = 1000;

/** Counts what the records of kernels show. Memory: one number for each device. */
export class DoubtfulKernels {
  #areRounded: boolean | null = null;
  #copying: ReadonlySet<number> | null = null;

  constructor(private readonly trace: Trace) {}

  take(record: KernelRecord): void {
    const { diagnostics } = this.trace;
    if (record.dur === 0 && !isWait(record) && !isTransferStart(record.labels)) {
      this.#areRounded ??= this.#haveRoundedTimes();
      diagnostics.count(this.#areRounded ? 'zero-duration-rounded' : 'zero-duration');
    }
    if (!isCopyStart(record.labels)) return;
    this.#copying ??= this.#devicesWithCopies();
    if (!this.#copying.has(record.device)) diagnostics.count('copies-not-recorded');
  }

  /** Whether the times of all kernels are whole microseconds, as in profiles of 2021. If not, a duration of 0 means a lost end. */
  #haveRoundedTimes(): boolean {
    const { kind, start, end } = this.trace.activities;
    const isRounded = (time: number): boolean => Number.isNaN(time) || time % MICROSECOND === 0;
    for (let row = 0; row < kind.length; row++)
      if (kind.at(row) === KIND_CODE.kernel && !(isRounded(start.at(row)) && isRounded(end.at(row)))) return false;
    return true;
  }

  #devicesWithCopies(): ReadonlySet<number> {
    const { kind, device } = this.trace.activities;
    const devices = new Set<number>();
    for (let row = 0; row < kind.length; row++) if (kind.at(row) === KIND_CODE.copy) devices.add(device.at(row));
    return devices;
  }
}

/** Counts work that began before the previous work of its stream had ended. @param order rows in order of start time */
export function countOverlaps(trace: Trace, { callOf }: LaunchJoin, order: Uint32Array): void {
  const { activities, header, diagnostics } = trace;
  const { kind, start, end, stream, device, node } = activities;
  const launchesGraph = byCallName(trace, isGraphLaunch);
  const overlaps = new StreamOverlaps(header.devices);
  for (const row of order) {
    if (!IN_ORDER.has(kind.at(row)) || !(end.at(row) >= start.at(row)) || Number.isNaN(stream.at(row))) continue;
    const call = elementAt(callOf, row);
    if (!Number.isNaN(node.at(row)) || (call !== -1 && launchesGraph(call))) continue;
    const times = { start: start.at(row), end: end.at(row), isKernel: kind.at(row) === KIND_CODE.kernel };
    overlaps.add(device.at(row), stream.at(row), times);
  }
  diagnostics.count('stream-overlap', overlaps.count);
}
