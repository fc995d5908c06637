/**
 * Host calls that launched work: each is one slice on its thread, however many activities it launched, with an arrow to
 * each of them. Arrows can be added to a call while its slice is held back (see `reorder-buffer.ts`). Emitted calls are
 * remembered as a timestamp and a hash, so that no slice is emitted twice.
 */
import { mixed, NO_ROW, PairIndex } from '../../containers/hash-index.js';
import { NumericColumn } from '../../containers/numeric-column.js';
import type { LaunchCall, DeviceActivity } from '../input/device-activity.js';
import type { Annotated } from '../annotate.js';
import { Annotator } from '../report/report.js';
import type { Peaks } from '../roofline/peaks.js';
import type { ProfileRecord } from '../../record/record.js';
import type { NonKernelActivity } from './slice-args.js';

/**
 * Maximum number of activities that wait behind a kernel. The limit is needed because the other kernels of its call may
 * never come.
 */
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

/**
 * Device activities in the order of their records. A kernel is complete only together with the other kernels of its op call
 * (see `op-call-buffer.ts`): until then it waits, and later activities wait behind it.
 */
export class DeviceSlices {
  readonly #annotator: Annotator;
  /** Activities from the first incomplete kernel on. */
  #waiting: WaitingActivity[] = [];
  /** Index of the first that was not passed on yet. */
  #head = 0;

  /** @param peaks peak rates for all devices; null for their own */
  constructor(
    private readonly sink: DeviceSliceSink,
    peaks: Peaks | null,
  ) {
    this.#annotator = new Annotator(peaks);
  }

  profile(record: ProfileRecord): void {
    this.#annotator.take(record);
  }

  /** @param endsFlow number of the arrow from its launch; null for none */
  take(record: DeviceActivity, endsFlow: number | null): void {
    if (record.type !== 'kernel' && this.#waiting.length === 0) this.sink.other(record, endsFlow);
    else {
      this.#waiting.push({ record, endsFlow });
      this.#pass(this.#annotator.take(record));
    }
  }

  /** Must be called after the last activity of each profile. */
  end(): void {
    this.#pass(this.#annotator.rest());
  }

  /** @param rows completed kernels, which are the first of the waiting ones */
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

  /** @returns the kernels, which are still waiting */
  #passAllButKernels(): WaitingActivity[] {
    const waiting = this.#waiting.slice(this.#head);
    for (const { record, endsFlow } of waiting) if (record.type !== 'kernel') this.sink.other(record, endsFlow);
    return waiting.filter(({ record }) => record.type === 'kernel');
  }
}

type TimedCall = Pick<LaunchCall, 'api' | 'start' | 'dur'>;

/** An activity, with the fields that identify its launch in addition to the call's own times. */
interface LaunchedActivity {
  readonly profile: number;
  readonly pid: number | null;
  readonly tid: number | null;
  readonly corr: number | null;
  /** Unit: ns. */
  readonly start: number;
}

/** A launching call whose slice is held back, so that further arrows may start there. Most calls have one arrow. */
export class OpenLaunch {
  #flow = 0;
  #more: number[] | null = null;

  constructor(
    readonly first: LaunchedActivity,
    readonly call: TimedCall,
    readonly hash: number,
    readonly key: number,
    /** The next call with the same key. */
    public next: OpenLaunch | undefined,
  ) {}

  /** Whether this call launched the activity. */
  is({ profile, pid, tid, corr }: LaunchedActivity, { start, dur, api }: TimedCall): boolean {
    const { first, call } = this;
    const isCall = first.corr === corr && call.start === start && call.dur === dur && call.api === api;
    return isCall && first.tid === tid && first.pid === pid && first.profile === profile;
  }

  /** @param flow number of an arrow that starts here, positive */
  add(flow: number): void {
    if (this.#flow === 0) this.#flow = flow;
    else (this.#more ??= []).push(flow);
  }

  /** Numbers of the arrows that start here. */
  get flows(): readonly number[] {
    return this.#flow === 0 ? [] : this.#more === null ? [this.#flow] : [this.#flow, ...this.#more];
  }
}

const UINT32 = 2 ** 32;

/** A hash of the numbers that identify a call, because thousands may have the same start. */
function keyOf({ profile, pid, tid, corr }: LaunchedActivity, { start, dur }: TimedCall): number {
  const ofThread = mixed(mixed(profile | 0, (pid ?? -1) | 0), (tid ?? -1) | 0);
  return mixed(mixed(mixed(mixed(ofThread, (corr ?? -1) | 0), start | 0), (start / UINT32) | 0), (dur ?? -1) | 0);
}

/** A 32-bit hash of numbers, strings and nulls, in this order. */
export function hashOf(...parts: readonly unknown[]): number {
  let hash = 0;
  for (const part of parts) {
    if (typeof part === 'number') hash = mixed(mixed(hash, part | 0), (part / UINT32) | 0);
    else for (let i = 0, text = String(part); i < text.length; i++) hash = mixed(hash, text.charCodeAt(i));
  }
  return hash >>> 0;
}

/** Hash set of (time, hash of the rest of the key) pairs; never evicts; 20 to 34 bytes each. */
export class TimestampSet {
  readonly #times = NumericColumn.floats();
  readonly #hashes = NumericColumn.counts();
  readonly #index = new PairIndex(
    (row) => this.#times.at(row),
    (row) => this.#hashes.at(row),
  );

  has(time: number, hash: number): boolean {
    return this.#index.get(time, hash) !== NO_ROW;
  }

  /** @param hash the hash of the rest of the key, see `hashOf` */
  add(time: number, hash: number): void {
    if (this.has(time, hash)) return;
    this.#times.push(time);
    this.#hashes.push(hash);
    this.#index.put(this.#times.length - 1);
  }
}

export class LaunchSlices {
  /** Open launches by key; calls with the same key are chained. */
  readonly #open = new Map<number, OpenLaunch>();
  readonly #emitted = new TimestampSet();
  /** Calls that cannot be shown because they have no usable time. */
  readonly #rejected = new TimestampSet();
  /**
   * Number of activities that start no later than their launch. They have no arrow, because arrows never go back in
   * time.
   */
  backwards = 0;
  /** Number of activities whose launch was emitted before they came. They have no arrow. */
  late = 0;

  /** @param nextFlow returns the number of a new arrow, positive */
  constructor(private readonly nextFlow: () => number) {}

  /**
   * Number of a new arrow from an activity's launch; null when there is none.
   * @param open called with each launch the first time; returns false when it cannot be shown
   */
  flow(launched: LaunchedActivity, launch: TimedCall, open: (launch: OpenLaunch) => boolean): number | null {
    const key = keyOf(launched, launch);
    const first = this.#open.get(key);
    let known = first;
    while (known?.is(launched, launch) === false) known = known.next;
    if (known === undefined) {
      const { profile, pid, tid, corr } = launched;
      const hash = hashOf(profile, pid, tid, corr, launch.dur, launch.api);
      if (this.#emitted.has(launch.start, hash)) {
        this.late++;
        return null;
      }
      known = new OpenLaunch(launched, launch, hash, key, first);
      if (this.#rejected.has(launch.start, hash)) return null;
      if (!open(known)) {
        this.#rejected.add(launch.start, hash);
        return null;
      }
      this.#open.set(key, known);
    }
    if (launched.start <= launch.start) {
      this.backwards++;
      return null;
    }
    const flow = this.nextFlow();
    known.add(flow);
    return flow;
  }

  /** Must be called when the launch's slice is emitted: no further arrows can start there. */
  close(launch: OpenLaunch): void {
    const { key } = launch;
    const first = this.#open.get(key);
    if (first === launch) {
      if (launch.next === undefined) this.#open.delete(key);
      else this.#open.set(key, launch.next);
    } else {
      let before = first;
      while (before !== undefined && before.next !== launch) before = before.next;
      if (before !== undefined) before.next = launch.next;
    }
    this.#emitted.add(launch.call.start, launch.hash);
  }
}
