/** Recorded times of streams: ends that cannot be, and events that waits are for. */

/** The recorded end of work that a stream runs in order: a kernel, a copy or a memset. */
export interface RecordedEnd {
  /**
   * Present when the recorded end is impossible. `dur` then ends at the start of the stream's next work, or at the
   * return of a wait for it.
   */
  readonly cut?: true;
}

/** A mark that the host put into a stream: it is reached when the work launched before it has ended. */
export interface RecordedEvent {
  /** The stream into which it was put. */
  readonly stream: number;
  /** Start of the host call that put it there, in ns. */
  readonly recorded: number;
}
