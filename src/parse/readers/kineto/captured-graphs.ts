/**
 * Graphs that were captured while a trace was taken. Between the calls that begin and end a capture, launches become nodes
 * of the graph instead of work on a device. AMD's traces have the name, grid and block of each launched kernel.
 */
import { elementAt } from '../../../containers/element.js';
import { NumericColumn } from '../../../containers/numeric-column.js';
import { outermost, spanRows } from '../../../containers/nesting.js';
import { allRows, sortRows } from '../../../containers/row-order.js';
import type { Extent } from '../../../record/record.js';
import type { Trace } from '../../trace/trace.js';
import {
  readCaptureName,
  type CapturedGraph,
  type CapturedNode,
  type NodeKind,
} from '../../trace/graphs/captured-graph.js';
import { byCallName } from '../../trace/calls.js';
import { captureSpans, OpenCaptures } from '../../trace/graphs/graph-launches.js';
import type { LaunchJoin } from '../../trace/launches.js';
import type { ByteTexts } from '../../json/json-bytes.js';
import type { Fields } from '../../json/event-fields.js';
import { shapeOf } from '../../json/json-value.js';
import { ARG } from './call-arguments.js';

/** Kind of node that a launch becomes in a capture, by the first text that the call's name contains. */
const CALLS: readonly (readonly [text: string, kind: NodeKind])[] = [
  ['GraphLaunch', 'graph'],
  ['LaunchKernel', 'kernel'],
  ['LaunchCooperativeKernel', 'kernel'],
  ['Memcpy', 'copy'],
  ['Memset', 'set'],
];

/** Arguments of launches, which AMD's traces record. Memory: 16 bytes for each launch. */
export class LaunchArguments {
  readonly #call = NumericColumn.counts();
  readonly #kernel = NumericColumn.counts();
  /** Numbers of strings plus one; 0 when there is none. */
  readonly #grid = NumericColumn.counts();
  readonly #block = NumericColumn.counts();
  #rowOf: Map<number, number> | null = null;

  constructor(private readonly texts: ByteTexts) {}

  /** Reads the arguments of a host call, by its row, if the event names the kernel. */
  take(call: number, args: Fields): void {
    const kernel = args.textPlusOne(ARG.kernel, this.texts);
    if (kernel === 0) return;
    this.#call.push(call);
    this.#kernel.push(kernel - 1);
    this.#grid.push(args.textPlusOne(ARG.grid, this.texts));
    this.#block.push(args.textPlusOne(ARG.block, this.texts));
  }

  /**
   * Indexes the calls that are inside captures. Call this after all have been added.
   * @param isAsked whether the context of a call is needed
   */
  index(isAsked: (call: number) => boolean): void {
    this.#rowOf = new Map();
    for (const [row, call] of this.#call.values.entries()) if (isAsked(call)) this.#rowOf.set(call, row);
  }

  of(call: number): { readonly kernel: number | null; readonly grid: Extent | null; readonly block: Extent | null } {
    const row = this.#rowOf?.get(call);
    if (row === undefined) return { kernel: null, grid: null, block: null };
    const [grid, block] = [this.#grid, this.#block].map((column) => this.#extent(column.at(row)));
    return { kernel: this.#kernel.at(row), grid: grid ?? null, block: block ?? null };
  }

  #extent(number: number): Extent | null {
    const [x = 0, y = 0, z = 0, ...more] = (number === 0 ? null : shapeOf(this.texts.value(number - 1))) ?? [];
    return x > 0 && y > 0 && z > 0 && more.length === 0 ? [x, y, z] : null;
  }
}

/** Where in the program a call was made. */
export type CapturedPlace = Pick<CapturedNode, 'context' | 'labels'>;

interface TracedCaptures {
  readonly capture: Trace;
  readonly launches: LaunchJoin;
  readonly args: LaunchArguments;
  readonly placesOf: (calls: readonly number[]) => readonly CapturedPlace[];
}

/** The graphs captured in a trace, in the order in which their captures began. */
export function capturedGraphs({ capture, launches, args, placesOf }: TracedCaptures): CapturedGraph[] {
  const kindOf = byCallName(capture, (name) => CALLS.find(([text]) => name.includes(text))?.[1] ?? null);
  const found = captureCalls(capture, launches, kindOf);
  const all = found.flatMap(({ rows }) => rows);
  if (all.length === 0) return [];
  const asked = new Set(all);
  args.index((call) => asked.has(call));
  const places = placesOf(all);
  let next = 0;
  return found.map(({ rows }) => {
    const nodes = rows.map((call): CapturedNode => {
      const { kernel, grid, block } = args.of(call);
      const name = kernel === null ? null : capture.names.kernelName(kernel);
      return { kind: kindOf(call) as NodeKind, name, grid, block, ...(places[next++] as CapturedPlace) };
    });
    const enclosing = nodes[0]?.context.ranges ?? [];
    const name = enclosing.findLast((text) => readCaptureName(text) !== null) ?? null;
    return { name, batch: null, mode: null, ...(name === null ? undefined : readCaptureName(name)), nodes };
  });
}

/**
 * The launches in each capture, from any thread of its process, because autograd's threads launch the backward pass. A call
 * that put work onto a device was not captured, and a call inside another one is the same launch.
 */
function captureCalls(
  capture: Trace,
  { callOf }: LaunchJoin,
  kindOf: (call: number) => NodeKind | null,
): { readonly rows: readonly number[] }[] {
  const spans = captureSpans(capture).map((span) => ({ ...span, rows: [] as number[] }));
  if (spans.length === 0) return [];
  const { hostCalls, threads, activities } = capture;
  const { start, end, thread, corr, precedence } = hostCalls;
  const calls = allRows(hostCalls.length).filter((call) => kindOf(call) !== null);
  sortRows(calls, (a, b) => start.at(a) - start.at(b) || end.at(b) - end.at(a) || precedence.at(a) - precedence.at(b) || corr.at(a) - corr.at(b)); // prettier-ignore
  const hasWork = new Uint8Array(hostCalls.length);
  for (let row = 0; row < activities.length; row++) {
    const call = elementAt(callOf, row);
    if (call !== -1) hasWork[call] = 1;
  }
  const open = new OpenCaptures(spans, (thread) => threads.processOf(thread));
  const captured = new Map<number, (typeof spans)[number]>();
  for (const call of calls) {
    const span = open.around(thread.at(call), start.at(call));
    if (span !== null && hasWork[call] === 0) captured.set(call, span);
  }
  for (const call of outermost(captured.keys(), spanRows(hostCalls))) captured.get(call)?.rows.push(call);
  return spans.filter(({ rows }) => rows.length > 0);
}
