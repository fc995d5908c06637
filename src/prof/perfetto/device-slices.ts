/**
 * What devices did, in the order of its records. A kernel waits for the others of its op call (see `op-call-buffer.ts`): what
 * comes after it waits behind it.
 */
import type { Annotated } from '../annotate.js';
import { Annotator } from '../report.js';
import type { ProfileRecord } from '../../record/record.js';
import type { Activity, OtherActivity } from './field-coercion.js';

/** More wait behind a kernel only where other kernels of its call do not come. */
const MOST_WAITING = 16_384;

interface WaitingActivity {
  readonly record: Activity;
  readonly endsFlow: number | null;
}

/** Takes an activity when it is its turn: a kernel with what is derived of it, or any other. */
export interface DeviceSliceSink {
  kernel(row: Annotated, endsFlow: number | null): void;
  other(record: OtherActivity, endsFlow: number | null): void;
}

export class DeviceSlices {
  readonly #annotator = new Annotator();
  /** From the first kernel that waits on. */
  #waiting: WaitingActivity[] = [];
  /** Place of the first that has not had its turn. */
  #head = 0;

  constructor(private readonly turn: DeviceSliceSink) {}

  profile(record: ProfileRecord): void {
    this.#annotator.take(record);
  }

  /** @param endsFlow the arrow from its launch */
  take(record: Activity, endsFlow: number | null): void {
    if (record.type !== 'kernel' && this.#waiting.length === 0) this.turn.other(record, endsFlow);
    else {
      this.#waiting.push({ record, endsFlow });
      this.#leave(this.#annotator.take(record));
    }
  }

  /** No more activities of this profile, or at all. */
  end(): void {
    this.#leave(this.#annotator.rest());
  }

  /** @param rows kernels that are ready, which are the first of those that wait */
  #leave(rows: readonly Annotated[]): void {
    for (const row of rows) {
      this.#leaveUpToKernel();
      this.turn.kernel(row, this.#waiting[this.#head++]?.endsFlow ?? null);
    }
    this.#leaveUpToKernel();
    const waiting = this.#waiting.length - this.#head;
    if (waiting === 0) this.#waiting = [];
    else if (this.#head >= MOST_WAITING) this.#waiting = this.#waiting.slice(this.#head);
    else if (waiting >= MOST_WAITING) this.#waiting = this.#kernels();
    else return;
    this.#head = 0;
  }

  #leaveUpToKernel(): void {
    for (; this.#head < this.#waiting.length; this.#head++) {
      const first = this.#waiting[this.#head];
      if (first === undefined || first.record.type === 'kernel') return;
      this.turn.other(first.record, first.endsFlow);
    }
  }

  /** Those that wait, when all but kernels have had their turn. */
  #kernels(): WaitingActivity[] {
    const waiting = this.#waiting.slice(this.#head);
    for (const { record, endsFlow } of waiting) if (record.type !== 'kernel') this.turn.other(record, endsFlow);
    return waiting.filter(({ record }) => record.type === 'kernel');
  }
}
