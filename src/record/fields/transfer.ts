/** What a collective operation moves over links. */

/** Messages of one size between two ranks. */
export interface Transfer {
  /** Ranks as the profiler numbers them, those of the group; null when unknown. */
  readonly src: number | null;
  readonly dst: number | null;
  /** 'HCCS', 'PCIE', 'ON_CHIP' … */
  readonly link: string;
  /** Size of each message. */
  readonly bytes: number;
  readonly count: number;
  /** Time of them all added up, ns; null when unknown. */
  readonly dur: number | null;
}
