/** What a timeline begins with, and how much of a profile it holds. */

/**
 * Which piece a timeline shows first. `usual`: the step of median length, or everything where the profile has no steps. A
 * time is a piece of its own. ns from the profile's start.
 */
export type TimelineChoice =
  | { readonly of: 'usual' }
  | { readonly of: 'step'; readonly step: number }
  | { readonly of: 'time'; readonly from: number; readonly to: number };

/** Events of all pieces; bars and points of the whole profile. */
export interface TimelineBounds {
  readonly events: number;
  readonly bars: number;
  /** Points of all tracks. */
  readonly trackPoints: number;
}
