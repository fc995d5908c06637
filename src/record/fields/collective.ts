/** What an activity does for a group of devices, and what such groups are. */

/** Identity of an operation among those of its group, where the profiler records it; a message has no ordinal. */
export interface CollectiveIdentity {
  /** Ordinal of the operation in its group, the same on every rank that takes part. */
  readonly ordinal?: number;
  /** Point to point: the other rank, as the job numbers ranks. */
  readonly peer?: number;
}

/** A collective operation between the devices of a group, or a message between two of them. */
export interface Collective extends CollectiveIdentity {
  /** As the framework names it: 'allreduce', '_allgather_base' … */
  readonly op: string;
  /** Size of the message that goes in, and that comes out. */
  readonly bytesIn: number | null;
  readonly bytesOut: number | null;
  readonly dtype: string | null;
  /** Name of the group: 'world', '3', the hash of a communicator … */
  readonly group: string | null;
  readonly groupSize: number | null;
  /** Ranks of the group, where they are listed in full. */
  readonly ranks: readonly number[] | null;
}

/** A process group of a job, as the framework states it. */
export interface ProcessGroup {
  /** As in `group` of the operations. */
  readonly name: string;
  /** What the program calls it: 'TENSOR_MODEL_PARALLEL_GROUP', 'default_pg' …; null where it does not. */
  readonly description: string | null;
  readonly size: number | null;
  /** Null where they are not listed in full. */
  readonly ranks: readonly number[] | null;
}
