/** The recorded end of work that a stream does in order: a kernel, a copy or a memset. */
export interface RecordedEnd {
  /** Where it cannot be: `dur` is up to the start of the stream's next work, or the return of a wait for it. */
  readonly cut?: true;
}
