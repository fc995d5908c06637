/** Data of a page about captures and reports of AWS Neuron. Unknown values are null. */

/** The metrics of one capture, or of one node of a summary, as in `dprof summary --vendor-metrics`. */
export interface NeuronMetrics {
  readonly node: string | null;
  readonly rows: readonly NeuronMetric[];
  readonly warnings: readonly { readonly rule: string; readonly text: string }[];
}

export interface NeuronMetric {
  readonly name: string;
  readonly group: string;
  readonly value: number | string | null;
  /** 'ns', '%', 'bytes', 'FLOP', 'count' … */
  readonly unit: string;
  /** Why it is unknown. */
  readonly why: string | null;
  /** The part of the profile that it belongs to, if it is not the whole profile. */
  readonly of: string | null;
}

/** A value over time: [ns, value] in time order. */
interface NamedCurve {
  readonly name: string;
  readonly points: readonly (readonly [number, number])[];
}

/** Curves of one unit, drawn together. */
export interface CurveGroup {
  readonly title: string;
  readonly unit: string;
  readonly curves: readonly NamedCurve[];
  /** Number of curves that are left out. */
  readonly leftOut: number;
}

export interface PageNeuron {
  readonly metrics: readonly NeuronMetrics[];
  /** How busy each engine was in equal intervals of time; null without instructions. */
  readonly engines: {
    readonly start: number;
    readonly width: number;
    readonly rows: readonly { readonly device: number; readonly engine: string; readonly shares: readonly number[] }[];
  } | null;
  readonly curves: readonly CurveGroup[];
}

/** A run as reported by neuron-monitor. */
export interface PageMonitor {
  readonly reports: number;
  /** Number of reports of hosts beyond the limit. */
  readonly otherReports: number;
  readonly errors: readonly { readonly where: string; readonly text: string; readonly count: number }[];
  readonly hosts: readonly MonitorHost[];
}

/** Charts and facts of one instance. */
export interface MonitorHost {
  /** Id of the instance, else its name; null if the reports have neither. */
  readonly name: string | null;
  readonly reports: number;
  /** Facts about the instance and its hardware, by the monitor's names. */
  readonly facts: Readonly<Record<string, string | number>>;
  /** Curves of its cores, processes and devices. */
  readonly charts: readonly CurveGroup[];
  /** The same, with a single curve each. */
  readonly lines: readonly CurveGroup[];
}
