/** What a page has of captures and reports of AWS Neuron. Unknown is null. */

/** The metrics of one capture, or of one node of a summary, as `dprof summary --vendor-metrics` has them. */
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
  /** What it is of where it is none of the whole profile. */
  readonly of: string | null;
}

/** A value over time: [ns, value] in order of time. */
interface NamedCurve {
  readonly name: string;
  readonly points: readonly (readonly [number, number])[];
}

/** Curves of one unit, drawn together. */
export interface CurveGroup {
  readonly title: string;
  readonly unit: string;
  readonly curves: readonly NamedCurve[];
  /** Curves that are left out. */
  readonly leftOut: number;
}

export interface PageNeuron {
  readonly metrics: readonly NeuronMetrics[];
  /** How busy each engine was in equal spans of time; null without instructions. */
  readonly engines: {
    readonly start: number;
    readonly width: number;
    readonly rows: readonly { readonly device: number; readonly engine: string; readonly shares: readonly number[] }[];
  } | null;
  readonly curves: readonly CurveGroup[];
}

/** A run as neuron-monitor reported it. */
export interface PageMonitor {
  readonly reports: number;
  /** Of them, those of hosts beyond the bound. */
  readonly otherReports: number;
  readonly errors: readonly { readonly where: string; readonly text: string; readonly count: number }[];
  readonly hosts: readonly MonitorHost[];
}

/** One instance. */
export interface MonitorHost {
  /** Its id, else its name; null where the reports have neither. */
  readonly name: string | null;
  readonly reports: number;
  /** Facts of the instance and its hardware, by the monitor's names. */
  readonly facts: Readonly<Record<string, string | number>>;
  /** Of its cores, processes and devices. */
  readonly charts: readonly CurveGroup[];
  /** The same as one curve each. */
  readonly lines: readonly CurveGroup[];
}
