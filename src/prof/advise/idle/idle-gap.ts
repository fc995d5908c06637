/** A gap in the work of a device with its cause, for answers that list gaps. */
import type { Gap } from '../device-times.js';
import type { IdleCause } from './idle-causes.js';

/** What is known of a gap. */
export interface GapCause {
  readonly cause: IdleCause;
  /** The call or range of the host that fills most of it; null where none is known. To be asked before the next record. */
  readonly host: () => string | null;
}

export interface IdleGap extends GapCause {
  readonly gap: Gap;
  /** ns at its begin of that cause; in the rest work is missing. */
  readonly time: number;
}

/** Called for each gap, in order, before the work that ended it is taken. */
export type OnIdleGap = (idle: IdleGap) => void;
