/** Memory in use of one device of one profile. */
import type { ProfileRecord } from '../../record/record.js';
import type { Peak, Series } from './device-memory.js';

export interface MemoryReport {
  readonly profile: number;
  /** Null for records without a profile line. */
  readonly header: ProfileRecord | null;
  /** Null where samples have none, as those of the host. */
  readonly device: number | null;
  readonly peak: Peak;
  /** Training step of the peak; null when it is not known. */
  readonly step: number | null;
  readonly series: readonly Series[];
}
