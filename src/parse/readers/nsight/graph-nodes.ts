/**
 * Nodes of CUDA graphs, if `nsys profile --cuda-graph-trace=node` traces them. An executable graph is a copy of the
 * captured one. Its nodes state the original nodes that they were copied from. The event of an original node states
 * when, and on which thread, the node was added.
 */
import { entryOf } from '../../../containers/map-entry.js';
import { Diagnostics } from '../../../record/diagnostics.js';
import { HostCalls, knownId, nodeId } from '../../trace/trace-columns.js';
import type { Trace } from '../../trace/trace.js';
import { isNear } from '../../trace/clocks/trace-clock.js';
import type { CapturedNode } from '../../trace/graphs/captured-graph.js';
import { MarkerContexts } from '../../trace/markers/marker-contexts.js';
import type { Selection, SqliteFile } from '../../sqlite/sqlite.js';

/** Until 2023, nodes were in the table that now contains graphs. */
const TABLES = ['CUDA_GRAPH_NODE_EVENTS', 'CUDA_GRAPH_EVENTS'] as const;

export const GRAPH_TABLES: readonly string[] = TABLES;

/**
 * Both columns are needed: without `originalGraphNodeId`, the place where a copy was made would be taken for the place of
 * the capture.
 */
const NODE_COLUMNS = ['graphNodeId', 'originalGraphNodeId'] as const;

/** Maximum number of copies that are followed back to find the original of a node. */
const MOST_COPIES = 64;

interface NodeEvent {
  readonly start: number;
  readonly end: number;
  /** Numbers of the process and of the thread in `ThreadTable`. */
  readonly process: number;
  readonly thread: number;
  /** NaN for a node that was captured or added by the program. */
  readonly original: number;
}

export class GraphNodes {
  /** Events by process, then by node id. */
  readonly #events = new Map<number, Map<number, NodeEvent>>();
  #captured: ReadonlyMap<NodeEvent, CapturedNode> | null = null;

  constructor(private readonly trace: Trace) {}

  /** @param columns columns with the process and thread of a row */
  read(database: SqliteFile, columns: readonly Selection[], processOf: (key: number) => number): void {
    const table = TABLES.find((name) => NODE_COLUMNS.every((column) => database.hasColumn(name, column)));
    if (table === undefined) return;
    const { threads, diagnostics } = this.trace;
    database.eachNumbers(table, ['start', 'end', ...columns, ...NODE_COLUMNS], (cells) => {
      const [start = NaN, end = NaN, key = NaN, tid = 0, id = NaN, originalId = NaN] = cells;
      const [node, original] = [nodeId(id), knownId(originalId)];
      if (!isNear(start) || Number.isNaN(key) || Number.isNaN(node)) {
        diagnostics.count('bad-row');
        return;
      }
      const process = processOf(key);
      const nodes = entryOf(this.#events, process, () => new Map<number, NodeEvent>());
      const event = { start, end: end >= start ? end : start, process, thread: threads.thread(process, tid), original };
      const known = nodes.get(node);
      // Prefers the event that states the original node; of several such events, the first.
      if (known === undefined || rank(event) < rank(known) || (rank(event) === rank(known) && start < known.start)) {
        nodes.set(node, event);
      }
    });
  }

  /** The captured node of graph work; null when the capture was before the profile began. */
  capturedNode(activity: number): CapturedNode | null {
    const { activities } = this.trace;
    const event = this.#originOf(activities.process.at(activity), activities.node.at(activity));
    return event === null ? null : ((this.#captured ??= this.#readContexts()).get(event) ?? null);
  }

  /** When and on which thread nodes were added that are not copies of others. Times in ns. */
  creations(): readonly Pick<NodeEvent, 'thread' | 'start'>[] {
    const events = [...this.#events.values()].flatMap((nodes) => [...nodes.values()]);
    return events.filter(({ original }) => Number.isNaN(original));
  }

  #originOf(process: number, node: number): NodeEvent | null {
    const nodes = this.#events.get(process);
    let event = nodes?.get(node) ?? null;
    for (let copies = 0; event !== null && !Number.isNaN(event.original); copies++) {
      if (copies === MOST_COPIES) return null;
      const before = nodes?.get(event.original);
      // The node was copied from a graph that was captured before the profile began.
      if (before === undefined) return null;
      event = before;
    }
    return event;
  }

  /** The original nodes whose copies ran. A program may capture many more nodes than it launches. */
  #launched(): NodeEvent[] {
    const { activities } = this.trace;
    const found = new Set<NodeEvent>();
    for (let row = 0; row < activities.length; row++) {
      const node = activities.node.at(row);
      const event = Number.isNaN(node) ? null : this.#originOf(activities.process.at(row), node);
      if (event !== null) found.add(event);
    }
    return [...found];
  }

  #readContexts(): ReadonlyMap<NodeEvent, CapturedNode> {
    const originals = this.#launched();
    const hostCalls = new HostCalls();
    for (const { start, end, process, thread } of originals)
      hostCalls.push({ start, end, thread, process, corr: NaN, api: 0, precedence: 0 });
    const kernelCounts = new Uint32Array(originals.length).fill(1);
    const trace = { ...contextsOf(this.trace), hostCalls };
    const contexts = new MarkerContexts(trace, { callOf: new Int32Array(0), kernelCounts });
    return new Map(
      originals.map((event, call): [NodeEvent, CapturedNode] => {
        const context = contexts.ofKernel(call);
        return [event, { kind: 'kernel', name: null, grid: null, block: null, context }];
      }),
    );
  }
}

const rank = ({ original }: NodeEvent): number => (Number.isNaN(original) ? 1 : 0);

/**
 * The source from which the context of a call is read. It has separate counters, so that malformed strings are not
 * counted twice.
 */
const contextsOf = ({ header, names, threads, ranges, activities, stepRanges }: Trace) => ({
  ...{ header, names, threads, ranges, activities },
  ...(stepRanges === undefined ? undefined : { stepRanges }),
  diagnostics: new Diagnostics(),
});
