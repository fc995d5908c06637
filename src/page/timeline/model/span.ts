/** A span of time. */

/** ns; from the timeline's start, or from the profile's where it is said. */
export interface SelectedSpan {
  readonly from: number;
  readonly to: number;
}
