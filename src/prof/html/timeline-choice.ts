/** Which part of a profile its timeline shows. */

/** `usual`: the step of median length; everything where no steps are told. ns from the profile's start. */
export type TimelineChoice =
  | { readonly of: 'usual' }
  | { readonly of: 'step'; readonly step: number }
  | { readonly of: 'time'; readonly from: number; readonly to: number };

/** A span that was chosen, and what it is called. */
export interface ChosenSpan {
  readonly what: string;
  readonly start: number;
  readonly end: number;
}
