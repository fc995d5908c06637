/** Launches of graphs, and what each put onto devices, in the order of the graph's nodes. */
import { elementAt } from '../../../containers/element.js';
import { entryOf } from '../../../containers/map-entry.js';
import { compareCells, NumericColumn } from '../../../containers/numeric-column.js';
import { groupRows, sortRows } from '../../../containers/row-order.js';
import { KIND_CODE, type Activities } from '../trace-columns.js';
import type { Trace } from '../trace.js';
import type { LaunchJoin } from '../launches.js';
import { byCallName } from '../calls.js';

/** Whether one call launches all work of a graph: `cudaGraphLaunch_v10000`, `cuGraphLaunch`, `hipGraphLaunch`. */
export const isGraphLaunch = (api: string | null): boolean => api?.includes('GraphLaunch') === true;

/**
 * Whether a call launches a kernel: `cudaLaunchKernelExC_v11060`, `cuLaunchKernel`, `cudaLaunchCooperativeKernel`,
 * `hipExtModuleLaunchKernel`, `cudaLaunch` of CUDA 8, `launch` of CANN, `urEnqueueKernelLaunch` of oneAPI.
 */
export const isKernelLaunch = (api: string): boolean =>
  /Launch\w*Kernel|^cudaLaunch(?:_v\d+)?$|^launch$|^urEnqueueKernelLaunch/.test(api);

/** The launch of a graph. */
export interface GraphLaunch {
  /** Row of the host call; -1 when it is not in the profile. */
  readonly call: number;
  /** Rows of its kernels, copies and sets: in order of their nodes where all are known, else of start. */
  readonly rows: Uint32Array;
  /** Whether the order is that of nodes. */
  readonly byNode: boolean;
}

const WORK: ReadonlySet<number> = new Set([KIND_CODE.kernel, KIND_CODE.copy, KIND_CODE.set]);

/** Launches in order of start. Memory: 8 bytes a piece of work of a graph, and 4 a host call. */
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
  const { rows, first } = groupRows(work.values, (row) => elementAt(ordinals, elementAt(callOf, row)), calls.length);
  return calls.map((call, ordinal) => {
    const own = rows.subarray(elementAt(first, ordinal), elementAt(first, ordinal + 1));
    return { call, rows: own, byNode: inOrder(activities, own) };
  });
}

/** Work of graphs whose launch is not in the profile, by process and correlation id. */
export function workWithoutLaunch({ activities }: Trace, { callOf }: LaunchJoin): GraphLaunch[] {
  const { kind, node, process: owner, corr } = activities;
  const found = new Map<string, number[]>();
  for (let row = 0; row < callOf.length; row++) {
    if (callOf[row] !== -1 || Number.isNaN(node.at(row)) || !WORK.has(kind.at(row))) continue;
    entryOf(found, `${owner.at(row)}:${corr.at(row)}`, (): number[] => []).push(row);
  }
  return [...found.values()].map((rows) => {
    const own = Uint32Array.from(rows);
    return { call: -1, rows: own, byNode: inOrder(activities, own) };
  });
}

/** Sorts the work of one launch. @returns whether by nodes */
function inOrder({ start, end, stream, node }: Activities, rows: Uint32Array): boolean {
  const byNode = rows.every((row) => !Number.isNaN(node.at(row)));
  const byTime = (a: number, b: number): number =>
    start.at(a) - start.at(b) || compareCells(end.at(a), end.at(b)) || compareCells(stream.at(a), stream.at(b));
  sortRows(rows, byNode ? (a, b) => node.at(a) - node.at(b) || byTime(a, b) : byTime);
  return byNode;
}
