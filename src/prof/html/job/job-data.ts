/** Tables of `dprof ranks` as a page has them: what the command prints, with the units of the columns. */
import type { ColumnShape } from '../../../table/column.js';

export type JobTableName = 'stages' | 'experts' | 'groups';

export interface JobTable {
  readonly name: JobTableName;
  readonly columns: readonly Pick<ColumnShape, 'key' | 'header' | 'unit' | 'type' | 'doc'>[];
  readonly rows: readonly (readonly (number | string | null)[])[];
  /** How many rows there are, shown or not. */
  readonly count: number;
  /** Why there are none; null where there are. */
  readonly missing: string | null;
}

/** What a list of jobs says of one. */
export interface JobCard {
  readonly title: string;
  /** When the first profile began, Unix time in ms; null, as the others, where it is not known. */
  readonly when: number | null;
  readonly profiles: number;
  /** Ranks that the profiles state. */
  readonly ranks: number | null;
  /** Devices that worked, and their names. */
  readonly devices: number;
  readonly deviceNames: readonly string[];
  /** ns: the median over the profiles of how long a step took on the host, else on the device. */
  readonly step: number | null;
  /** Busy time of all devices over their spans. */
  readonly busy: number | null;
}

/** A row of the list of jobs. */
export interface ListedJob extends JobCard {
  /** Relative address of its page; of a job's report where it has none. */
  readonly href: string;
  /** Path of the page or the job's folder, as it was found. */
  readonly path: string;
}

/** The data of a page that lists jobs. */
export interface JobIndex {
  readonly tool: { readonly name: string; readonly version: string };
  readonly title: string;
  readonly jobs: readonly ListedJob[];
}
