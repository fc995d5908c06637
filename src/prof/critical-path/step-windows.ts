/**
 * When a step begins and ends: from its start on the host, or from the end of the previous step's work if that is later,
 * to the end of its own work on host and devices. Steps whose host runs ahead of the devices thus follow each other
 * without a gap.
 */
import { entryOf } from '../../containers/map-entry.js';
import { stepOf, type HostStep } from '../steps/host-steps.js';
import type { SampleRecord } from '../../record/record.js';
import type { DeviceWork } from './device-work.js';
import type { HostThread, HostThreads } from './host-threads.js';
import type { PathWindow } from './step-paths.js';

/** The end of a step, as a moment. */
interface StepEnd {
  start: number;
  begin: number | null;
  to: number;
  end: number;
}

/** A step on the host, and the thread that ran it; null when the profile does not state the thread. */
interface ThreadStep extends HostStep {
  readonly on: HostThread | null;
}

const keyOf = (step: number, pid: number | null): string => `${step}/${pid ?? ''}`;

export class StepWindows {
  readonly #steps: ThreadStep[] = [];
  /** Numbers of the threads of each step, by step and process: ranks of one profile have the same steps. */
  readonly #threads = new Map<string, Set<number>>();

  /** @returns the step that the record marks */
  take(record: SampleRecord, threads: HostThreads): ThreadStep | null {
    const step = stepOf(record);
    if (step === null) return null;
    const [labelledPid, tid] = [record.labels?.['pid'], record.labels?.['tid']];
    const pid = typeof labelledPid === 'number' ? labelledPid : null;
    const number = typeof tid === 'number' ? threads.numberOf(pid, tid) : null;
    const taken = { ...step, on: number === null ? null : threads.at(number) };
    if (number !== null) entryOf(this.#threads, keyOf(step.step, pid), () => new Set<number>()).add(number);
    this.#steps.push(taken);
    return taken;
  }

  /** The thread of a process that ran a step; null when it is not known, or when several threads did. */
  threadOf(step: number | null | undefined, pid: number | null): number | null {
    const threads = step === null || step === undefined ? undefined : this.#threads.get(keyOf(step, pid));
    const [thread = null] = threads?.size === 1 ? threads : [];
    return thread;
  }

  /** In order of their ends. */
  windows(work: DeviceWork, threads: HostThreads): PathWindow[] {
    const ends = this.#ends(work, threads);
    const windows: PathWindow[] = [];
    for (const [step, { start, begin, to, end }] of [...ends].sort(([, a], [, b]) => a.to - b.to)) {
      const before = windows.at(-1);
      const follows = before !== undefined && before.to >= start;
      const from = follows ? before.to : start;
      if (to > from) windows.push({ step, from, to, begin: follows ? before.end : begin, end });
    }
    return windows;
  }

  #ends(work: DeviceWork, threads: HostThreads): Map<number, StepEnd> {
    const ends = new Map<number, StepEnd>();
    const extend = (step: number, start: number, to: number, end: number, begin: number | null = null): void => {
      const known = entryOf(ends, step, () => ({ start, begin, to, end }));
      if (start < known.start) [known.start, known.begin] = [start, begin];
      if (to > known.to) [known.to, known.end] = [to, end];
    };
    for (const [index, { step, start, end, on }] of this.#steps.entries()) {
      // A range with the same beginning tells which thread it was.
      const thread = on ?? threads.all.find((candidate) => candidate.hasMoment(start));
      const last = thread?.indexUpTo(Number.isFinite(end) ? end : (this.#steps[index + 1]?.start ?? Infinity)) ?? -1;
      if (thread === undefined || last < 0 || thread.timeAt(last) < start) continue;
      extend(step, start, thread.timeAt(last), thread.nodeAt(last), thread.nodeAt(thread.indexFrom(start)));
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
