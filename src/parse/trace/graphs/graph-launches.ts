/**
 * Launches of graphs with the work that each put onto devices, in the order of the graph's nodes. Also the spans in which a
 * thread captured its launches instead of running them: between the calls that begin and end a capture.
 */
import { elementAt } from '../../../containers/element.js';
import { OpenSpans } from '../../../containers/nesting.js';
import { entryOf } from '../../../containers/map-entry.js';
import { compareCells, NumericColumn } from '../../../containers/numeric-column.js';
import { groupAt, groupRows, sortRows } from '../../../containers/row-order.js';
import { KIND_CODE, type Activities } from '../trace-columns.js';
import type { Trace } from '../trace.js';
import type { LaunchJoin } from '../launches.js';
import { byCallName } from '../calls.js';
import { IntervalUnion } from '../../../containers/interval-union.js';

/** A span in which a thread captured a graph. Times in ns. */
export interface CaptureSpan {
  readonly thread: number;
  readonly start: number;
  /** Infinity when the capture does not end in the profile. */
  readonly end: number;
}

/** Calls that begin or end a capture: `cudaStreamBeginCapture_v10000`, `hipStreamEndCapture`, `aclmdlRICaptureBegin`. */
const [BEGIN, END] = [/StreamBeginCapture|^aclmdlRICaptureBegin/, /StreamEndCapture|^aclmdlRICaptureEnd/];

/** Spans in which threads captured graphs, in order of start time. */
export function captureSpans(capture: Pick<Trace, 'hostCalls' | 'names'>): readonly CaptureSpan[] {
  const { hostCalls } = capture;
  const { start, end, thread } = hostCalls;
  const kindOf = byCallName(capture, (name) => (BEGIN.test(name) ? 'begin' : END.test(name) ? 'end' : null));
  const calls: number[] = [];
  for (let call = 0; call < hostCalls.length; call++) if (kindOf(call) !== null) calls.push(call);
  const rows = Uint32Array.from(calls);
  sortRows(rows, (a, b) => start.at(a) - start.at(b) || end.at(a) - end.at(b));
  const spans: { thread: number; start: number; end: number }[] = [];
  const open = new Map<number, { end: number }[]>();
  for (const call of rows) {
    const openSpans = entryOf(open, thread.at(call), (): { end: number }[] => []);
    if (kindOf(call) === 'end') {
      const last = openSpans.pop();
      if (last !== undefined) last.end = end.at(call);
      continue;
    }
    const span = { thread: thread.at(call), start: start.at(call), end: Infinity };
    spans.push(span);
    openSpans.push(span);
  }
  return spans;
}

/**
 * Time in which at least one thread captured, in ns.
 * @param last end of the profile
 */
export function capturedTime(capture: Pick<Trace, 'hostCalls' | 'names'>, last: number): number {
  const union = new IntervalUnion();
  for (const { start, end } of captureSpans(capture)) union.add(start, Math.min(end, last));
  return union.total;
}

/** Captures that are open at a given time. Within a thread, captures that begin later end first. */
export class OpenCaptures<Span extends CaptureSpan> {
  /** Open captures in the order in which they began, by thread and by process. */
  readonly #ofThread = new Map<number, OpenSpans<Span>>();
  readonly #ofProcess = new Map<number, OpenSpans<Span>>();
  #next = 0;

  /** @param spans in order of start time */
  constructor(
    private readonly spans: readonly Span[],
    private readonly processOf: (thread: number) => number,
  ) {}

  /**
   * The capture that a launch at this time belongs to: one of its thread, otherwise one of its process. Times must not
   * decrease from call to call.
   */
  around(thread: number, at: number): Span | null {
    const none = (): OpenSpans<Span> => new OpenSpans(({ end }) => end, { touching: true });
    for (let span; (span = this.spans[this.#next]) !== undefined && span.start <= at; this.#next++) {
      entryOf(this.#ofThread, span.thread, none).push(span, span.start);
      entryOf(this.#ofProcess, this.processOf(span.thread), none).push(span, span.start);
    }
    const [ofThread, others] = [this.#ofThread.get(thread), this.#ofProcess.get(this.processOf(thread))];
    for (const open of [ofThread, others]) open?.close(at);
    return ofThread?.last ?? others?.last ?? null;
  }
}

/** Whether one call launches all the work of a graph: `cudaGraphLaunch_v10000`, `cuGraphLaunch`, `hipGraphLaunch`. */
export const isGraphLaunch = (api: string | null): boolean => api?.includes('GraphLaunch') === true;

/**
 * Whether a call launches a kernel: `cudaLaunchKernelExC_v11060`, `cuLaunchKernel`, `cudaLaunchCooperativeKernel`,
 * `hipExtModuleLaunchKernel`, `cudaLaunch` of CUDA 8, `launch` of CANN, `urEnqueueKernelLaunch` of oneAPI.
 */
export const isKernelLaunch = (api: string): boolean =>
  /Launch\w*Kernel|^cudaLaunch(?:_v\d+)?$|^launch$|^urEnqueueKernelLaunch/.test(api);

export interface GraphLaunch {
  /** Row of the host call; -1 when it is not in the profile. */
  readonly call: number;
  /**
   * Rows of its kernels, copies and memsets: in the order of nodes when all nodes are known, otherwise in order of
   * start time.
   */
  readonly rows: Uint32Array;
  /** Whether the rows are in the order of nodes. */
  readonly byNode: boolean;
}

const WORK: ReadonlySet<number> = new Set([KIND_CODE.kernel, KIND_CODE.copy, KIND_CODE.set]);

/** Launches of graphs in order of start time. Memory: 8 bytes for each piece of graph work, and 4 for each host call. */
export function graphLaunches(trace: Trace, { callOf }: LaunchJoin): GraphLaunch[] {
  const { activities, hostCalls } = trace;
  const isLaunch = byCallName(trace, isGraphLaunch);
  const { values: kinds } = activities.kind;
  const work = NumericColumn.counts();
  const launching = new Set<number>();
  for (let row = 0; row < callOf.length; row++) {
    const call = elementAt(callOf, row);
    if (call === -1 || !WORK.has(elementAt(kinds, row)) || !isLaunch(call)) continue;
    work.push(row);
    launching.add(call);
  }
  if (work.length === 0) return [];
  const ordinals = new Int32Array(hostCalls.length);
  const { start, corr } = hostCalls;
  const calls = [...launching].sort((a, b) => start.at(a) - start.at(b) || compareCells(corr.at(a), corr.at(b)));
  for (const [ordinal, call] of calls.entries()) ordinals[call] = ordinal;
  const byCall = groupRows(work.values, (row) => elementAt(ordinals, elementAt(callOf, row)), calls.length);
  return calls.map((call, ordinal) => {
    const rows = groupAt(byCall, ordinal);
    return { call, rows, byNode: inOrder(activities, rows) };
  });
}

/** Work of graphs whose launch is not in the profile, grouped by process and correlation id. */
export function workWithoutLaunch({ activities }: Trace, { callOf }: LaunchJoin): GraphLaunch[] {
  const { kind, node, process: owner, corr } = activities;
  const found = new Map<string, number[]>();
  for (let row = 0; row < callOf.length; row++) {
    if (callOf[row] !== -1 || Number.isNaN(node.at(row)) || !WORK.has(kind.at(row))) continue;
    entryOf(found, `${owner.at(row)}:${corr.at(row)}`, (): number[] => []).push(row);
  }
  return [...found.values()].map((rows) => {
    const members = Uint32Array.from(rows);
    return { call: -1, rows: members, byNode: inOrder(activities, members) };
  });
}

/**
 * Sorts the work of one launch.
 * @returns whether it is in the order of nodes
 */
function inOrder({ start, end, stream, node }: Activities, rows: Uint32Array): boolean {
  const byNode = rows.every((row) => !Number.isNaN(node.at(row)));
  const byTime = (a: number, b: number): number =>
    start.at(a) - start.at(b) || compareCells(end.at(a), end.at(b)) || compareCells(stream.at(a), stream.at(b));
  sortRows(rows, byNode ? (a, b) => node.at(a) - node.at(b) || byTime(a, b) : byTime);
  return byNode;
}
