/** What a page has of collective operations. Times are ns, rates bytes/s, unknown is null. */
import type { CollectiveKind } from '../../../ops/collective-bytes.js';

/** Operations of one name, size class and group, of all devices of the profile. */
export interface CollectiveRow {
  /** As the summary names it. */
  readonly name: string;
  /** The same whatever a framework or library calls it; null where the name does not say. */
  readonly kind: CollectiveKind | null;
  /** Sizes from this power of four bytes on; null where sizes are unknown. */
  readonly size: number | null;
  readonly group: string | null;
  readonly groupSize: number | null;
  readonly count: number;
  /** Null where none has a duration, as `notUnderCompute`. */
  readonly time: number | null;
  /** How many of them have no duration, and no part in the time; absent: none. */
  readonly untimed?: number;
  /** S of NCCL's tests, of those whose size is known. */
  readonly bytes: number | null;
  /** While nothing is computed on the device. */
  readonly notUnderCompute: number | null;
  /** S over the time, and S times the factor of the operation over the time: of those where it is known. */
  readonly algorithmBandwidth: number | null;
  readonly busBandwidth: number | null;
}
