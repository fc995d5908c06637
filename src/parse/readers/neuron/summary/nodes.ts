/** What a summary holds, whichever form it has: nodes, each with its metrics. */

export type MetricValue = number | string | boolean | null;

/** One core, rank or run that was summed up. */
export interface SummaryNode {
  /** As the tool numbers it (`n_…`); null where there is but one and it has no name. */
  readonly name: string | number | null;
  readonly metrics: readonly (readonly [name: string, value: MetricValue])[];
}
