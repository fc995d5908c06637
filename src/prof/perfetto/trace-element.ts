/**
 * Elements of a trace in any format: processes with tracks, and on tracks slices, instants and counter values. A track
 * comes before its elements. Slices of one track nest: of any two, one is within the other, or ends first.
 */

/** Argument of a slice: the value of a column or a field, never unknown. */
export type TraceArg = readonly [name: string, value: number | string];

export interface TraceProcess {
  readonly type: 'process';
  /** Number from 1, unique among all processes and tracks. */
  readonly id: number;
  /** Unique in the trace; the real process id if possible. */
  readonly pid: number;
  readonly name: string;
  /** Viewers list processes in this order: by rank. Less than 2^31. */
  readonly order: number;
}

export interface TraceTrack {
  readonly type: 'track';
  readonly id: number;
  readonly process: TraceProcess;
  /** `lane` is an additional track for slices that do not nest with those of the track `of`. */
  readonly kind: 'thread' | 'work' | 'lane' | 'counter';
  /** The track to which a lane belongs; null for all others. */
  readonly of: number | null;
  /**
   * Id of the parent: the process or, for a lane of a thread, the thread's track. Other lanes have their track's parent and
   * name, because viewers show tracks with the same parent and name as one.
   */
  readonly parent: number;
  /** Unique in the process; for a thread the real thread id if possible. */
  readonly tid: number;
  readonly name: string;
  /** Unit of a counter's values. */
  readonly unit: string | null;
}

/** The zero point for the times of a profile; one object for all of its elements. */
export interface TraceZero {
  /** Time in the trace, in ns. */
  readonly ns: bigint;
}

/** A point in time: ns from `zero`; the sum is exact even beyond 2^53. Not negative. */
export interface TraceTime {
  readonly zero: TraceZero;
  /** Whole ns. */
  readonly start: number;
}

/**
 * Meaning of an arrow: launched work, an instruction that another one waited for, a rank for which others waited in a
 * collective operation, or a message.
 */
export type ArrowKind = 'launch' | 'dependency' | 'collective' | 'message';

/** Arrows of a slice or an instant. */
export interface Arrows {
  /** Meaning of the flows, except the one from its own launch. */
  readonly arrows: ArrowKind;
  /** Numbers of the flows that start here. */
  readonly flows: readonly number[];
  /** Numbers of the flows that end here. */
  readonly endsFlows: readonly number[];
  /** Numbers of the flows that start after the start of this slice, so that they end at its end. */
  readonly endsLateFlows?: readonly number[];
  /** Number of the flow from its launch, which also ends here; null for none. */
  readonly launchFlow: number | null;
}

export const NO_ARROWS: Arrows = { arrows: 'launch', flows: [], endsFlows: [], launchFlow: null };

/** Fields that slices and instants share. */
interface TrackElement extends TraceTime, Arrows {
  readonly track: TraceTrack;
  readonly name: string;
  readonly category: string;
  readonly args: readonly TraceArg[];
}

export interface TraceSlice extends TrackElement {
  readonly type: 'slice';
  /** Unit: ns. */
  readonly dur: number;
}

/** A mark without a duration. */
export interface TraceInstant extends TrackElement {
  readonly type: 'instant';
}

interface TraceCounter extends TraceTime {
  readonly type: 'counter';
  readonly track: TraceTrack;
  readonly value: number;
}

/** States that timestamps are Unix times. It is emitted once, before all other elements. */
interface TraceClockSnapshot {
  readonly type: 'clock';
  readonly at: bigint;
}

export type TraceElement = TraceClockSnapshot | TraceProcess | TraceTrack | TraceSlice | TraceInstant | TraceCounter;

/** Receives elements; their times may be in any order. */
export type Emit = (event: TraceElement) => void;
