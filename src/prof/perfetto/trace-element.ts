/**
 * Elements of a trace, whatever its format: processes with tracks, and on tracks slices, instants and counter values. A
 * track comes before its elements. Slices of one track nest: of any two, one is within the other, or ends first.
 */

/** Argument of a slice: the value of a column or a field, never unknown. */
export type TraceArg = readonly [name: string, value: number | string];

export interface TraceProcess {
  readonly type: 'process';
  /** 1 and up, unique among all processes and tracks. */
  readonly id: number;
  /** Unique in the trace; the real one where it can be. */
  readonly pid: number;
  readonly name: string;
  /** Viewers list processes in this order: by rank. Below 2^31. */
  readonly order: number;
}

export interface TraceTrack {
  readonly type: 'track';
  readonly id: number;
  readonly process: TraceProcess;
  /** `lane`: a further track for slices that do not nest with those of the track `of`. */
  readonly kind: 'thread' | 'work' | 'lane' | 'counter';
  /** The track that a lane belongs to; null for all others. */
  readonly of: number | null;
  /**
   * Id of the parent: the process; for a lane of a thread, the thread's track. Other lanes have their track's parent and
   * name: viewers show tracks of one parent and name as one.
   */
  readonly parent: number;
  /** Unique in the process; the real one for a thread where it can be. */
  readonly tid: number;
  readonly name: string;
  /** Of a counter's values. */
  readonly unit: string | null;
}

/** Where the times of a profile count from: one object for all of its elements. */
export interface TraceZero {
  /** ns in the trace. */
  readonly ns: bigint;
}

/** A point in time: ns from `zero`, both together exact beyond 2^53. Not before 0. */
export interface TraceTime {
  readonly zero: TraceZero;
  /** Whole ns. */
  readonly start: number;
}

/**
 * What an arrow stands for: work that was launched, an instruction that was waited for, a rank that others waited for in a
 * collective operation, or a message.
 */
export type ArrowKind = 'launch' | 'dependency' | 'collective' | 'message';

/** Arrows of a slice or an instant. */
export interface Arrows {
  /** What the flows stand for, all but that of its own launch. */
  readonly arrows: ArrowKind;
  /** Numbers of the flows that start here. */
  readonly flows: readonly number[];
  /** Numbers of the flows that end here. */
  readonly endsFlows: readonly number[];
  /** Likewise, of flows that start after the begin of this slice: they end at the end of it. */
  readonly endsLateFlows?: readonly number[];
  /** Number of the flow from its launch, which ends here too; null without one. */
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
  /** ns */
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

/** States that timestamps are Unix time; once, before all other elements. */
interface TraceClockSnapshot {
  readonly type: 'clock';
  readonly at: bigint;
}

export type TraceElement = TraceClockSnapshot | TraceProcess | TraceTrack | TraceSlice | TraceInstant | TraceCounter;

/** Receives elements in any order of time. */
export type Emit = (event: TraceElement) => void;
