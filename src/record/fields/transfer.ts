/** Data that a collective operation moves over links. */

/** Messages of the same size between two ranks. */
export interface Transfer {
  /** Source and destination rank in the profiler's numbering, that of the group; null when unknown. */
  readonly src: number | null;
  readonly dst: number | null;
  /** Type of link: 'HCCS', 'PCIE', 'ON_CHIP' … */
  readonly link: string;
  /** Size of each message in bytes. */
  readonly bytes: number;
  readonly count: number;
  /** Total time of the messages, in ns; null when unknown. */
  readonly dur: number | null;
}
