/** The content of a summary in either form: nodes with their metrics. */

export type MetricValue = number | string | boolean | null;

/** The metrics of one core, rank or run. */
export interface SummaryNode {
  /** The tool's name (`n_…`); null for a single node without a name. */
  readonly name: string | number | null;
  readonly metrics: readonly (readonly [name: string, value: MetricValue])[];
}
