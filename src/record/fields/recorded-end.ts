/** The recorded end of work that a stream runs in order: a kernel, a copy or a memset. */
export interface RecordedEnd {
  /**
   * Present when the recorded end is impossible. `dur` then ends at the start of the stream's next work, or at the
   * return of a wait for it.
   */
  readonly cut?: true;
}
