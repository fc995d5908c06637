/** A selected time of a profile, in ns from the profile's start. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

/** An empty selection: no event is in this time. */
export const NOWHERE: TimeWindow = { from: Infinity, to: -Infinity };

/** `1.25`, as `--from` and `--to` take it. */
export const inMs = (ns: number): string => String(Number((ns / 1e6).toFixed(6)));
