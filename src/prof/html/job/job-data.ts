/** Tables of `dprof ranks` in a page, as the command prints them, with the units of the columns. */
import type { ColumnShape } from '../../../table/column.js';

export type JobTableName = 'stages' | 'experts' | 'groups';

export interface JobTable {
  readonly name: JobTableName;
  readonly columns: readonly Pick<ColumnShape, 'key' | 'header' | 'unit' | 'type' | 'doc'>[];
  readonly rows: readonly (readonly (number | string | null)[])[];
  /** Number of rows, shown or not. */
  readonly count: number;
  /** Why there are no rows; null when there are. */
  readonly missing: string | null;
}

/** Facts about a job in a list of jobs. */
export interface JobCard {
  readonly title: string;
  /** Start of the first profile, as Unix time in ms. This and the other fields are null if unknown. */
  readonly when: number | null;
  readonly profiles: number;
  /** Number of ranks according to the profiles. */
  readonly ranks: number | null;
  /** Number of devices that worked, and their names. */
  readonly devices: number;
  readonly deviceNames: readonly string[];
  /** Duration of a step in ns: the median over the profiles, on the host if known, else on the device. */
  readonly step: number | null;
  /** Busy time of all devices divided by their spans. */
  readonly busy: number | null;
}

/** A row of the list of jobs. */
export interface ListedJob extends JobCard {
  /** Relative address of its page, or of the job's report when it has no page. */
  readonly href: string;
  /** Path of the page or of the job's folder, as found. */
  readonly path: string;
}

/** The data of a page that lists jobs. */
export interface JobIndex {
  readonly tool: { readonly name: string; readonly version: string };
  readonly title: string;
  readonly jobs: readonly ListedJob[];
}
