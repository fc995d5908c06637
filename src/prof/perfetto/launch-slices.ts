/**
 * Host calls that launched work: each a slice on its thread, once however many activities it launched, with an arrow to
 * each of them. More arrows can start at a call as long as its slice is held back (see `reorder-buffer.ts`); of calls handed on
 * no more is kept than what tells that they were, so that no slice comes twice.
 */
import type { Launch } from '../../record/record.js';
import { hashOf, TimestampSet } from './timestamp-set.js';

/** Who launched what. */
interface LaunchedActivity {
  readonly profile: number;
  readonly pid: number | null;
  readonly tid: number | null;
  readonly corr: number | null;
  /** ns */
  readonly start: number;
}

/** A launching call that has not been handed on: more arrows may start there. Most have one. */
export class OpenLaunch {
  readonly profile: number;
  readonly pid: number | null;
  readonly tid: number | null;
  readonly corr: number | null;
  readonly start: number;
  readonly dur: number;
  readonly api: string | null;
  #flow = 0;
  #more: number[] | null = null;

  constructor(
    { profile, pid, tid, corr }: LaunchedActivity,
    { start, dur, api }: Launch,
    readonly hash: number,
    /** Another call of the same start. */
    public next: OpenLaunch | undefined,
  ) {
    this.profile = profile;
    this.pid = pid;
    this.tid = tid;
    this.corr = corr;
    this.start = start;
    this.dur = dur;
    this.api = api;
  }

  is({ profile, pid, tid, corr }: LaunchedActivity, { dur, api }: Launch): boolean {
    const isCall = this.corr === corr && this.dur === dur && this.api === api;
    return isCall && this.tid === tid && this.pid === pid && this.profile === profile;
  }

  /** @param flow number of an arrow that starts here, above 0 */
  add(flow: number): void {
    if (this.#flow === 0) this.#flow = flow;
    else (this.#more ??= []).push(flow);
  }

  /** Numbers of the arrows that start here. */
  get flows(): readonly number[] {
    return this.#flow === 0 ? [] : this.#more === null ? [this.#flow] : [this.#flow, ...this.#more];
  }
}

export class LaunchSlices {
  /** By start; calls of one start are chained. */
  readonly #open = new Map<number, OpenLaunch>();
  readonly #gone = new TimestampSet();
  readonly #unshown = new TimestampSet();
  #flows = 0;
  /** Activities that are said to start no later than their launch: no arrow goes back in time. */
  backwards = 0;
  /** Activities whose launch was handed on long before. */
  late = 0;

  /**
   * The arrow from an activity's launch; null when there is none.
   * @param open called with a launch that is met for the first time; false when it cannot be shown
   */
  flow(launched: LaunchedActivity, launch: Launch, open: (launch: OpenLaunch) => boolean): number | null {
    const first = this.#open.get(launch.start);
    let known = first;
    while (known?.is(launched, launch) === false) known = known.next;
    if (known === undefined) {
      const { profile, pid, tid, corr } = launched;
      const hash = hashOf(profile, pid, tid, corr, launch.dur, launch.api);
      if (this.#gone.has(launch.start, hash)) {
        this.late++;
        return null;
      }
      known = new OpenLaunch(launched, launch, hash, first);
      if (this.#unshown.has(launch.start, hash)) return null;
      if (!open(known)) {
        this.#unshown.add(launch.start, hash);
        return null;
      }
      this.#open.set(launch.start, known);
    }
    if (launched.start <= launch.start) {
      this.backwards++;
      return null;
    }
    known.add(++this.#flows);
    return this.#flows;
  }

  /** The launch's slice is handed on. */
  close(gone: OpenLaunch): void {
    const { start } = gone;
    const first = this.#open.get(start);
    if (first === gone) {
      if (gone.next === undefined) this.#open.delete(start);
      else this.#open.set(start, gone.next);
    } else {
      let before = first;
      while (before !== undefined && before.next !== gone) before = before.next;
      if (before !== undefined) before.next = gone.next;
    }
    this.#gone.add(start, gone.hash);
  }
}
