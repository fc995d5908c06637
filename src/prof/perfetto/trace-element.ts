/**
 * What a trace is made of, whatever its format: processes with tracks, and on tracks slices, instants and values.
 * A track is told before what is on it. Slices of one track nest: of any two, one is within the other, or ends first.
 */

/** Argument of a slice: a column's value or a field's; unknown ones are left out. */
export type TraceArg = readonly [name: string, value: number | string];

export interface TraceProcess {
  readonly type: 'process';
  /** 1 and up, of all processes and tracks. */
  readonly id: number;
  /** Unique in the trace; the real one where it can be. */
  readonly pid: number;
  readonly name: string;
}

export interface TraceTrack {
  readonly type: 'track';
  readonly id: number;
  readonly process: TraceProcess;
  /** `lane`: what does not nest with the track `of` it is put beside. */
  readonly kind: 'thread' | 'work' | 'lane' | 'counter';
  /** The track that a lane belongs to; null for all others. */
  readonly of: number | null;
  /**
   * What it stands under: its process; for a lane of a thread the thread. Other lanes stand beside their track, where
   * viewers show tracks of one name as one.
   */
  readonly parent: number;
  /** Unique in the process; the real one for a thread where it can be. */
  readonly tid: number;
  readonly name: string;
  /** Of a counter's values. */
  readonly unit: string | null;
}

/** Where times of a profile count from: the same object for all of its events. */
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

/** What slices and instants have in common. */
interface TrackElement extends TraceTime {
  readonly track: TraceTrack;
  readonly name: string;
  readonly category: string;
  readonly args: readonly TraceArg[];
  /** Numbers of the flows that start here. */
  readonly flows: readonly number[];
  /** The flow that ends here. */
  readonly endsFlow: number | null;
}

export interface TraceSlice extends TrackElement {
  readonly type: 'slice';
  /** ns */
  readonly dur: number;
}

/** Something without a duration. */
export interface TraceInstant extends TrackElement {
  readonly type: 'instant';
}

export interface TraceCounter extends TraceTime {
  readonly type: 'counter';
  readonly track: TraceTrack;
  readonly value: number;
}

/** Says, once and first, that time stamps are Unix time. */
export interface TraceClockSnapshot {
  readonly type: 'clock';
  readonly at: bigint;
}

export type TraceElement = TraceClockSnapshot | TraceProcess | TraceTrack | TraceSlice | TraceInstant | TraceCounter;

/** Takes events as they become known, in any order of time. */
export type Emit = (event: TraceElement) => void;
