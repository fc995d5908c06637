/** Clocks of ranks: how far each is from the true one. */

export interface RankClock {
  /** At the true time 0, in whole ns. */
  readonly offsetNs: number;
  /** Seconds a second that it gains. */
  readonly drift: number;
}

/** What a clock shows at a true time: both in ns since the job's origin, the result whole. */
export const observed = ({ offsetNs, drift }: RankClock, trueNs: number): number =>
  Math.round(trueNs + offsetNs + drift * trueNs);

/** The true time 0 as Unix time, ns. */
export const ORIGIN_UNIX_NS = 1_750_000_000_000_000_000n;
