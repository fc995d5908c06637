/** Which part of a profile its timeline shows. */

/** `usual`: the step of median length, or everything where the profile has no steps. ns from the profile's start. */
export type TimelineChoice =
  | { readonly of: 'usual' }
  | { readonly of: 'step'; readonly step: number }
  | { readonly of: 'time'; readonly from: number; readonly to: number };

/** The chosen span, ns, and its name: 'step 5', '0 to 50 ms', 'all'. */
export interface ChosenSpan {
  readonly what: string;
  readonly start: number;
  readonly end: number;
}
