/** The event that a wait is for. */

/** A mark that the host put into a stream: it is reached when the work launched before it has ended. */
export interface RecordedEvent {
  /** The stream into which it was put. */
  readonly stream: number;
  /** Start of the host call that put it there, in ns. */
  readonly recorded: number;
}
