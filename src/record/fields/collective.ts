/** Fields of collective operations, of the data that they move over links, and of process groups. */

/** Identifies an operation within its group, when the profiler records it; a message has no ordinal. */
export interface CollectiveIdentity {
  /** Ordinal of the operation in its group, the same on all participating ranks. */
  readonly ordinal?: number;
  /** The other rank of a point-to-point message, in the job's numbering. */
  readonly peer?: number;
}

/** A collective operation between the devices of a group, or a message between two of them. */
export interface Collective extends CollectiveIdentity {
  /** The framework's name: 'allreduce', '_allgather_base' … */
  readonly op: string;
  /** Size of the input message and of the output message, in bytes. */
  readonly bytesIn: number | null;
  readonly bytesOut: number | null;
  readonly dtype: string | null;
  /** Name of the group: 'world', '3', the hash of a communicator … */
  readonly group: string | null;
  readonly groupSize: number | null;
  /** Ranks of the group, when they are listed in full. */
  readonly ranks: readonly number[] | null;
}

/** A process group of a job, as the framework states it. */
export interface ProcessGroup {
  /** The name in the field `group` of operations. */
  readonly name: string;
  /** The program's name for it: 'TENSOR_MODEL_PARALLEL_GROUP', 'default_pg' …; null when it has none. */
  readonly description: string | null;
  readonly size: number | null;
  /** Null when they are not listed in full. */
  readonly ranks: readonly number[] | null;
}

/** Messages of the same size between two ranks. */
export interface Transfer {
  /** Source and destination rank in the profiler's numbering, that of the group; null when unknown. */
  readonly src: number | null;
  readonly dst: number | null;
  /** Type of link: 'HCCS', 'PCIE', 'ON_CHIP' … */
  readonly link: string;
  /** Size of each message in bytes. */
  readonly bytes: number;
  readonly count: number;
  /** Total time of the messages, in ns; null when unknown. */
  readonly dur: number | null;
}
