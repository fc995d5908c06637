/** The nodes that a program captured into a CUDA or HIP graph. */
import type { Diagnostics } from '../../../record/diagnostics.js';
import type { GraphOrigin } from '../../../record/fields/graph-node.js';
import type { Context, Extent, Labels } from '../../../record/record.js';
import { readStepName } from '../../../record/serving-step.js';

/** `graph` is an inner graph, which was captured before. */
export type NodeKind = 'kernel' | 'copy' | 'set' | 'graph';

/** One node of a graph: what was launched while the graph was captured, and where in the program. */
export interface CapturedNode {
  readonly kind: NodeKind;
  /** Full name of a kernel; null when the profiler does not record it. */
  readonly name: string | null;
  readonly grid: Extent | null;
  readonly block: Extent | null;
  /** Call ids count from 1 in the profile with the capture. */
  readonly context: Context;
  /** Other facts recorded of the node's op. */
  readonly labels?: Labels;
}

export interface CapturedGraph {
  /** Name of the range around the capture, such as `capture_32_FULL`; null when there is no range. */
  readonly name: string | null;
  /** Maximum number of requests or tokens of the graph, and its mode (`FULL`, `DECODE`); null when unknown. */
  readonly batch: number | null;
  readonly mode: string | null;
  /** Nodes in the order of capture. */
  readonly nodes: readonly CapturedNode[];
}

/** Graphs whose captures are in other files than the profile of their replays. */
export interface OtherCaptures {
  /** Number of files that the user named. */
  readonly given: number;
  /**
   * Reads the files, except those of other ranks.
   * @param rank rank of the profile; null when unknown
   * @throws UserError when a file that the user named holds no captures
   */
  graphs(rank: number | null, diagnostics: Diagnostics): readonly CapturedGraph[];
  /** Annotations of nodes from files next to the profile, by node id. */
  annotations(rank: number | null, diagnostics: Diagnostics): ReadonlyMap<number, NodeAnnotation>;
}

/** Annotation of a graph node from a file next to the profile. */
export interface NodeAnnotation {
  /** Path of the module that launched the node, outermost first. */
  readonly layer: readonly string[];
  /** Names that the program gave the node, outermost first. */
  readonly ranges: readonly string[];
}

/** A string like `capture_32_FULL`, `graph_capture: batch=4 mode=FULL`. */
const CAPTURE = /(?:^|_)capture[_:\s]+(?:batch=)?(\d{1,9})(?:[_\s]+(?:mode=)?([A-Za-z]{1,40}))?$/i;

/** Size and mode in the name of a capture; null when the name has none. */
export function readCaptureName(text: string): Pick<CapturedGraph, 'batch' | 'mode'> | null {
  const match = text.length > 200 ? null : CAPTURE.exec(text);
  return match === null ? null : { batch: Number(match[1]), mode: match[2]?.toUpperCase() ?? null };
}

/** The place where the work of a replay was captured. */
export interface Origin {
  readonly node: CapturedNode;
  readonly from: GraphOrigin;
  /** Whether all names of the launch are those of the capture, or the profiler itself states the node. */
  readonly verified: boolean;
  /** Name of the capture; null when it has none. */
  readonly capture: string | null;
  /** The number that is added to the ids of the node's calls in this replay. */
  readonly idsAfter: number;
}

/**
 * The context of a replayed kernel: the context in which its node was captured, with the step, ranges and caller of
 * this launch. Steps around the capture do not apply to the replay.
 */
export function replayedContext(launch: Context, { node, from, idsAfter }: Origin): Context {
  const { context } = node;
  const { callIds, callKernels, forward } = context;
  const around = context.ranges.filter((text) => readStepName(text) === null && !launch.ranges.includes(text));
  const ranges = around.length === 0 ? launch.ranges : [...launch.ranges, ...around];
  const layer = context.layer.length > 0 ? context.layer : launch.layer;
  // Annotations contain no ops.
  if (from === 'annotation') return { ...launch, layer, ranges };
  return {
    dir: context.dir,
    layer,
    trace: context.trace.length > 0 ? context.trace : launch.trace,
    calls: context.calls,
    mod: context.mod,
    op: context.op,
    repr: context.repr,
    seqMarker: context.seqMarker,
    seq: context.seq,
    altSeq: context.altSeq,
    sub: context.sub,
    ranges,
    ...(launch.callerRanges === undefined ? undefined : { callerRanges: launch.callerRanges }),
    ...(launch.step === undefined ? undefined : { step: launch.step }),
    ...(callIds === undefined ? undefined : { callIds: callIds.map((id) => id + idsAfter) }),
    ...(callKernels === undefined ? undefined : { callKernels }),
    ...(forward === undefined ? undefined : { forward }),
  };
}
