/**
 * Host calls that launched work: each a slice on its thread, once however many activities it launched, with an arrow to
 * each of them. A call is remembered as long as its slice is held back (see `in-order.ts`); of calls handed on since,
 * the recent ones are known, so that no slice comes twice.
 */
import { Recent } from '../../record/recent.js';
import type { Launch } from '../../record/record.js';

/** A launching call that has not been handed on: more arrows may start there. */
export interface OpenLaunch {
  readonly key: string;
  readonly flows: number[];
}

/** Who launched what. */
interface Launched {
  readonly profile: number;
  readonly pid: number | null;
  readonly tid: number | null;
  readonly corr: number | null;
  /** ns */
  readonly start: number;
  readonly launch: Launch;
}

/** Calls handed on that are known. */
const REMEMBERED = 32_768;

export class Launches {
  readonly #open = new Map<string, OpenLaunch>();
  readonly #gone = new Recent<string, true>(REMEMBERED);
  #flows = 0;
  /** Activities that are said to start no later than their launch: no arrow goes back in time. */
  backwards = 0;
  /** Activities whose launch was handed on long before. */
  late = 0;

  /**
   * The arrow from an activity's launch; null when there is none.
   * @param open called with a launch that is met for the first time
   */
  flow(activity: Launched, open: (launch: OpenLaunch) => void): number | null {
    const { profile, pid, tid, corr, launch } = activity;
    const key = `${profile}/${pid ?? ''}/${tid ?? ''}/${corr ?? ''}/${launch.start}/${launch.dur}/${launch.api ?? ''}`;
    let known = this.#open.get(key);
    if (known === undefined) {
      if (this.#gone.get(key) === true) {
        this.late++;
        return null;
      }
      known = { key, flows: [] };
      this.#open.set(key, known);
      open(known);
    }
    if (activity.start <= launch.start) {
      this.backwards++;
      return null;
    }
    known.flows.push(++this.#flows);
    return this.#flows;
  }

  /** The launch's slice is handed on. */
  close({ key }: OpenLaunch): void {
    this.#open.delete(key);
    this.#gone.set(key, true);
  }
}
