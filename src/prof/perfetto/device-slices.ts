/**
 * Activities of devices in the order of their records. A kernel is only complete with the other kernels of its op call
 * (see `op-call-buffer.ts`): until then it waits, and the activities after it wait behind it.
 */
import type { Annotated } from '../annotate.js';
import { Annotator } from '../report/report.js';
import type { Peaks } from '../roofline/peaks.js';
import type { ProfileRecord } from '../../record/record.js';
import type { DeviceActivity } from '../input/device-activity.js';
import type { NonKernelActivity } from './slice-args.js';

/** So many wait behind a kernel at most: beyond, the other kernels of its call may never come. */
const MOST_WAITING = 16_384;

interface WaitingActivity {
  readonly record: DeviceActivity;
  readonly endsFlow: number | null;
}

/** Receives the activities in order: kernels annotated, all others as records. */
export interface DeviceSliceSink {
  kernel(row: Annotated, endsFlow: number | null): void;
  other(record: NonKernelActivity, endsFlow: number | null): void;
}

export class DeviceSlices {
  readonly #annotator: Annotator;
  /** Activities from the first incomplete kernel on. */
  #waiting: WaitingActivity[] = [];
  /** Index of the first that is not passed on yet. */
  #head = 0;

  /** @param peaks for all devices; null for their own */
  constructor(
    private readonly sink: DeviceSliceSink,
    peaks: Peaks | null,
  ) {
    this.#annotator = new Annotator(peaks);
  }

  profile(record: ProfileRecord): void {
    this.#annotator.take(record);
  }

  /** @param endsFlow number of the arrow from its launch; null without one */
  take(record: DeviceActivity, endsFlow: number | null): void {
    if (record.type !== 'kernel' && this.#waiting.length === 0) this.sink.other(record, endsFlow);
    else {
      this.#waiting.push({ record, endsFlow });
      this.#pass(this.#annotator.take(record));
    }
  }

  /** To be called after the last activity of each profile. */
  end(): void {
    this.#pass(this.#annotator.rest());
  }

  /** @param rows kernels that are complete, which are the first of the waiting ones */
  #pass(rows: readonly Annotated[]): void {
    for (const row of rows) {
      this.#passUpToKernel();
      this.sink.kernel(row, this.#waiting[this.#head++]?.endsFlow ?? null);
    }
    this.#passUpToKernel();
    const waiting = this.#waiting.length - this.#head;
    if (waiting === 0) this.#waiting = [];
    else if (this.#head >= MOST_WAITING) this.#waiting = this.#waiting.slice(this.#head);
    else if (waiting >= MOST_WAITING) this.#waiting = this.#passAllButKernels();
    else return;
    this.#head = 0;
  }

  #passUpToKernel(): void {
    for (; this.#head < this.#waiting.length; this.#head++) {
      const first = this.#waiting[this.#head];
      if (first === undefined || first.record.type === 'kernel') return;
      this.sink.other(first.record, first.endsFlow);
    }
  }

  /** @returns the kernels, which still wait */
  #passAllButKernels(): WaitingActivity[] {
    const waiting = this.#waiting.slice(this.#head);
    for (const { record, endsFlow } of waiting) if (record.type !== 'kernel') this.sink.other(record, endsFlow);
    return waiting.filter(({ record }) => record.type === 'kernel');
  }
}
