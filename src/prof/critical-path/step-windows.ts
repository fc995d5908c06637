/**
 * When a step begins and ends: from its start on the host, or from the end of the previous step's work if that is later,
 * to the end of its own work on host and devices. Steps whose host runs ahead of the devices thus follow each other
 * without a gap.
 */
import { entryOf } from '../../containers/map-entry.js';
import { stepOf, type HostStep } from '../steps/host-steps.js';
import type { ProfileLine } from '../../record/record.js';
import type { DeviceWork } from './device-work.js';
import type { HostThread } from './host-threads.js';
import type { PathWindow } from './step-paths.js';

/** The end of a step, as a moment. */
interface StepEnd {
  start: number;
  to: number;
  end: number;
}

/** A step on the host, and the number of the thread that ran it. */
export interface ThreadStep extends HostStep {
  readonly number: number;
}

export class StepWindows {
  readonly #steps: ThreadStep[] = [];

  /** @param numberOf number of a thread by its ids */
  take(record: ProfileLine, numberOf: (pid: number | null, tid: number | null) => number): ThreadStep | null {
    const step = stepOf(record);
    if (step === null || record.type !== 'sample') return null;
    const [pid, tid] = [record.labels?.['pid'], record.labels?.['tid']];
    const numbers = [pid, tid].map((id) => (typeof id === 'number' ? id : null)) as [number | null, number | null];
    const taken = { ...step, number: numberOf(...numbers) };
    this.#steps.push(taken);
    return taken;
  }

  /** In order of their ends. */
  windows(work: DeviceWork, threads: { at(number: number): HostThread }): PathWindow[] {
    const ends = this.#ends(work, threads);
    const windows: PathWindow[] = [];
    for (const [step, { start, to, end }] of [...ends].sort(([, a], [, b]) => a.to - b.to)) {
      const from = Math.max(start, windows.at(-1)?.to ?? -Infinity);
      if (to > from) windows.push({ step, from, to, end });
    }
    return windows;
  }

  #ends(work: DeviceWork, threads: { at(number: number): HostThread }): Map<number, StepEnd> {
    const ends = new Map<number, StepEnd>();
    const extend = (step: number, start: number, to: number, end: number): void => {
      const known = entryOf(ends, step, () => ({ start, to, end }));
      known.start = Math.min(known.start, start);
      if (to > known.to) [known.to, known.end] = [to, end];
    };
    for (const { step, start, end, number } of this.#steps) {
      const thread = threads.at(number);
      const last = thread.indexUpTo(end);
      if (last >= 0 && thread.timeAt(last) >= start) extend(step, start, thread.timeAt(last), thread.nodeAt(last));
    }
    const isMarked = ends.size > 0;
    for (let row = 0; row < work.length; row++) {
      const step = work.step.at(row);
      if (Number.isNaN(step) || (isMarked && !ends.has(step))) continue;
      extend(step, isMarked ? Infinity : work.issuedAt(row), work.end.at(row), work.endNode(row));
    }
    return ends;
  }
}
