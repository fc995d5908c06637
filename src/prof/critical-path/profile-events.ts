/** The events of one profile, as a graph. */
import { TimedGraph } from '../../containers/timed-graph.js';
import type {
  KernelLine,
  ProfileLine,
  ProfileRecord,
  RangeRecord,
  SampleRecord,
  SyncRecord,
} from '../../record/record.js';
import { waitOfAnyCall } from '../../record/wait-calls.js';
import { isHostCopy, waitOf } from '../advise/idle/idle-causes.js';
import { LOADER } from '../advise/idle/host-gaps.js';
import { Annotated } from '../annotate.js';
import type { Item } from '../analysis.js';
import { opTitle } from '../by/host/range-name.js';
import { timedOperation } from '../ranks/part/rank-part.js';
import { communicates, workOf, type StepActivity } from '../steps/step-work.js';
import type { Bound, Missing, Pieces } from './bounds.js';
import { DeviceWork, NO_THREAD, UNORDERED } from './device-work.js';
import { HostThreads, addHandOvers } from './host-threads.js';
import type { PathWindow } from './step-paths.js';
import { StepWindows } from './step-windows.js';
import { awaitedByStreams, factsOfCall, HostWaits, isWaitKind, WaitEdges } from './wait-edges.js';
import { NO_KIND, type WhatIf } from './what-if.js';
import { WorkEdges } from './work-edges.js';
import { elementAt } from '../../containers/element.js';

const BOUND_OF_WORK = { computing: 'compute', communication: 'communication', copy: 'copy' } as const;

/** Ranges that say what the program did at a time. */
const RANGES: ReadonlySet<string | undefined> = new Set(['op', 'annotation', 'api', 'overhead', undefined]);

/** Calls that ask whether work has ended; profilers record them as waits. */
const QUERY = /Query/;

/** `ProfilerStep#12` and its like are one range. */
const withoutNumber = (text: string): string => text.replace(/(?<!\d)\d{1,18}$/, 'N');

/** Columns with a row for each piece of work. */
interface WorkChanges {
  /** Factors by which changes multiply its time. */
  readonly factors: Float64Array;
  readonly kinds: DeviceWork['kind'];
  readonly devices: DeviceWork['device'];
  /** Lags of edges that are replaced, whatever they were. */
  readonly lags: ReadonlyMap<number, number>;
}

/** The events of a profile as a graph: plain columns, so that those of all ranks of a job fit into memory. */
export interface EventGraph {
  readonly graph: TimedGraph;
  readonly steps: readonly PathWindow[];
  /** Why nothing explains when a node was, by node. */
  readonly missing: ReadonlyMap<number, Missing>;
  /** When the first work was launched, in ns; Infinity without work. */
  readonly firstLaunch: number;
  /** When the last work had ended and the CPU knew it, in ns; -Infinity without work. */
  readonly lastWork: number;
  /** The node of the first start of work, whose end is the next node, and the edge between them. */
  readonly firstWork: number;
  readonly firstWorkEdge: number;
  /** Changes of each piece of work; null without any. */
  readonly changes: WorkChanges | null;
  /** First edges of the threads in order, with their processes, if the processes are ranks; else empty. */
  readonly processes: readonly { readonly edge: number; readonly pid: number | null }[];
  /** Rows of the operations between ranks, by device, in the order of the rows that `dprof ranks` compares. */
  readonly operations: ReadonlyMap<number, readonly number[]>;
}

/** A profile in the graph of its job. */
export interface Member {
  readonly profile: number;
  readonly events: EventGraph;
  /** Its first node and edge. */
  readonly node: number;
  readonly edge: number;
  /** Times of its nodes on its own clock; null when they are not wanted, or the same as those of the graph. */
  readonly times: Float64Array | null;
}

export class ProfileEvents {
  header: ProfileRecord | null = null;
  /** Number of activities without a time. */
  untimed = 0;
  readonly #graph = new TimedGraph();
  readonly #threads: HostThreads;
  readonly #work = new DeviceWork();
  readonly #waits = new HostWaits();
  readonly #steps = new StepWindows();
  /** The thread for which each other thread works, by their numbers. */
  readonly #callers = new Map<number, number>();

  /**
   * @param pieces may be shared with other profiles
   * @param whatIf changes to predict; null for none
   */
  constructor(
    private readonly pieces: Pieces,
    private readonly whatIf: WhatIf | null = null,
  ) {
    this.#threads = new HostThreads(pieces, this.#graph);
  }

  take(item: Item): void {
    if (item instanceof Annotated) this.#takeKernel(item);
    else if (item.type === 'profile') this.header = item;
    else if (item.type === 'range') this.#takeRange(item);
    else if (item.type === 'sync') this.#takeSync(item);
    else if (item.type === 'sample') this.#takeStep(item);
    else if (item.type !== 'kernel') this.#takeOther(item);
    // Kernels come once more, annotated.
    else if (communicates(item) && timedOperation(item) !== null) this.#work.expectKernel(item.device);
  }

  /** The graph of all events; nothing can be taken afterwards. */
  built(): EventGraph {
    const [graph, work, threads] = [this.#graph, this.#work, this.#threads];
    for (const thread of threads.all) thread.build();
    const haveRanks = this.header?.devices.some(({ rank }) => typeof rank === 'number') === true;
    const processes = threads.all.map(({ firstEdge, pid }) => ({ edge: firstEdge, pid }));
    work.build(graph);
    const awaited = awaitedByStreams(this.#waits, work);
    const starts = new WorkEdges(graph, work, threads, this.pieces, awaited, this.#waits.haveUnknownEvents);
    starts.build();
    const ends = new WaitEdges(graph, work, threads, this.pieces);
    ends.build(this.#waits);
    this.#handOver();
    for (const [row, missing] of starts.missing) ends.missing.set(work.startNode(row), missing);
    return {
      graph,
      steps: this.#steps.windows(work, threads),
      missing: ends.missing,
      firstLaunch: work.firstLaunch,
      lastWork: Math.max(work.lastEnd, ends.lastReturn),
      ...{ firstWork: work.startNode(0), firstWorkEdge: work.edgeOf(0) },
      changes: this.#changes(),
      processes: haveRanks ? processes : [],
      operations: work.operations,
    };
  }

  #changes(): WorkChanges | null {
    const [graph, work, threads] = [this.#graph, this.#work, this.#threads];
    if (this.whatIf === null) return null;
    const lags = fusedLags(this.whatIf.chains, { graph, work, threads, pieces: this.pieces });
    if (lags.size > 0) this.whatIf.hasFused = true;
    return { factors: work.factor.values, kinds: work.kind, devices: work.device, lags };
  }

  #handOver(): void {
    for (const [working, waiting] of this.#callers)
      addHandOvers(this.#graph, this.#threads.at(waiting), this.#threads.at(working), this.pieces);
  }

  #takeKernel(kernel: Annotated): void {
    const { record } = kernel;
    const found = workOf(record);
    if (found === null) {
      this.#takeDeviceWait(record);
      return;
    }
    const { whatIf } = this;
    const change =
      whatIf === null ? undefined : { factor: whatIf.factorOf(kernel), kind: whatIf.kinds?.ofKernel(kernel) };
    this.#add(record, BOUND_OF_WORK[found.work], kernel.op ?? record.short, kernel.trace.at(-1) ?? null, change);
    const { forward = null, pid, tid } = record;
    if (tid === null) return;
    const forwardTid = forward?.tid ?? null;
    // A thread that launches work in a step of another thread works for it.
    const waiting =
      forwardTid === null ? this.#steps.threadOf(record.step, pid) : this.#threads.numberOf(pid, forwardTid);
    const working = this.#threads.numberOf(pid, tid);
    if (waiting !== null && waiting !== working) this.#callers.set(working, waiting);
  }

  /** A wait on a device, such as that of a TPU for a transfer, does not say what it waited for. */
  #takeDeviceWait({ start, dur, device, stream, engine }: KernelLine): void {
    const number = this.#work.streamOf(device, stream, engine);
    if (dur !== null && number !== UNORDERED) this.#work.addWait(device, number, start + dur);
  }

  #takeOther(record: ProfileLine): void {
    const found = workOf(record);
    if (found === null) return;
    const name = nameOf(found.record);
    const bytes = found.record.type === 'copy' ? found.record.bytes : null;
    this.#add(found.record, BOUND_OF_WORK[found.work], name, null, {
      kind: this.whatIf?.kinds?.numberOf([name, bytes]),
    });
  }

  #add(
    record: StepActivity,
    bound: Bound,
    name: string,
    line: string | null,
    { factor = 1, kind = NO_KIND }: { factor?: number; kind?: number | undefined } = {},
  ): void {
    const { start, dur, device, stream, launch = null, pid = null, tid = null, engine, graph, step = null } = record;
    if (dur === null || !(start + dur >= start)) {
      this.untimed++;
      return;
    }
    const isAwaited = isHostCopy(record) && waitOf(record) !== null;
    const caller = launch === null ? NO_THREAD : this.#threads.numberOf(pid, tid) + 1;
    const [called, returned] = launch === null ? [NaN, NaN] : [launch.start, launch.start + launch.dur];
    if (launch !== null)
      this.#threads.at(caller - 1).add(called, returned, this.pieces.numberOf('launch', launch.api ?? 'na'));
    const isCommunication = bound === 'communication';
    if (isCommunication && timedOperation(record) !== null) this.#work.addOperation(device, record.type === 'kernel');
    this.#work.pushCells(
      ...([start, start + dur, called, returned, caller] as const),
      ...([this.#work.streamOf(device, stream, engine), device, this.pieces.numberOf(bound, name, line)] as const),
      ...([
        step ?? NaN,
        factor,
        isCommunication ? NO_KIND : kind,
        graph === undefined ? 0 : 1,
        isAwaited ? 1 : 0,
      ] as const),
    );
  }

  #takeRange({ kind, start, dur, pid, tid, text, launched = 0 }: RangeRecord): void {
    if (!RANGES.has(kind) || !Number.isFinite(dur)) return;
    const number = this.#threads.numberOf(pid, tid);
    const wait = kind === 'api' ? waitOfAnyCall(text) : null;
    if (isWaitKind(wait)) this.#waits.take(number, start, start + dur, factsOfCall(wait));
    this.#threads.at(number).add(start, start + dur, this.#rangePiece(kind, text, launched));
  }

  #rangePiece(kind: RangeRecord['kind'], text: string, launched: number): number {
    if (kind === 'api') {
      const isLaunch = launched > 0 && !QUERY.test(text);
      const bound = waitOfAnyCall(text) !== null ? 'sync' : isLaunch ? 'launch' : 'host';
      return this.pieces.numberOf(bound, text);
    }
    const name = opTitle(text);
    return this.pieces.numberOf(LOADER.test(text) ? 'loading' : 'host', kind === 'op' ? name : withoutNumber(name));
  }

  #takeSync({ kind, launch, pid, tid, device, stream, event }: SyncRecord): void {
    if (launch === null || !isWaitKind(kind) || QUERY.test(launch.api ?? '')) return;
    const number = this.#threads.numberOf(pid, tid);
    const recorded = event?.recorded ?? NaN;
    this.#waits.take(number, launch.start, launch.start + launch.dur, {
      ...{ kind, device, recorded },
      stream: stream === null || stream < 0 ? UNORDERED : this.#work.streamOf(device, stream, undefined),
      recordedOn:
        event === undefined || Number.isNaN(recorded)
          ? UNORDERED
          : this.#work.streamOf(device, event.stream, undefined),
    });
    const piece = this.pieces.numberOf('sync', launch.api ?? 'na');
    this.#threads.at(number).add(launch.start, launch.start + launch.dur, piece);
  }

  #takeStep(record: SampleRecord): void {
    const step = this.#steps.take(record, this.#threads);
    if (step !== null && Number.isFinite(step.end))
      step.on?.add(step.start, step.end, this.pieces.numberOf('host', 'step'));
  }
}

function nameOf(record: StepActivity): string {
  switch (record.type) {
    case 'copy':
      return record.kind === null ? 'copy' : `copy ${record.kind}`;
    case 'set':
      return 'memset';
    case 'graph':
      return `graph ${record.graphId ?? 'na'}`;
    case 'collective':
      return record.kind ?? record.name;
    default:
      return record.short;
  }
}

// What if kernels that follow each other on a stream were one: each begins when the one before it ends, and only the first
// is launched. Their times, and the CPU code of their ops, stay as they were.

/** The events of a profile after they were linked. */
interface LinkedEvents {
  readonly graph: TimedGraph;
  readonly work: DeviceWork;
  readonly threads: HostThreads;
  readonly pieces: Pieces;
}

/**
 * Lags of edges in fused chains: 0 from one kernel to the next and within their launch calls, none from calls to kernels.
 * @param chains op names or kernels in order, at least two each
 */
function fusedLags(chains: readonly (readonly string[])[], events: LinkedEvents): Map<number, number> {
  const lags = new Map<number, number>();
  for (let stream = UNORDERED + 1; stream < events.work.streams; stream++) {
    const rows = events.work.rowsOf(stream);
    for (let at = 0; at < rows.length;) {
      const length = lengthAt(chains, rows, at, events);
      for (let next = at + 1; next < at + length; next++)
        fuse(elementAt(rows, next - 1), elementAt(rows, next), events, lags);
      at += Math.max(1, length);
    }
  }
  return lags;
}

/** Number of kernels of the longest chain that begins at a position of a stream; 0 when none does. */
function lengthAt(
  chains: readonly (readonly string[])[],
  rows: Uint32Array,
  at: number,
  { work, pieces }: LinkedEvents,
): number {
  const isAt = (name: string, index: number): boolean => {
    const row = rows[at + index];
    return row !== undefined && pieces.at(work.piece.at(row)).name === name;
  };
  return chains.reduce((most, chain) => (chain.length > most && chain.every(isAt) ? chain.length : most), 0);
}

function fuse(before: number, row: number, { graph, work, threads }: LinkedEvents, lags: Map<number, number>): void {
  const end = work.endNode(before);
  for (let edge = graph.lastInto(work.startNode(row)); edge >= 0; edge = graph.nextInto(edge)) {
    const isDevice = graph.sourceOf(edge) >= work.startNode(0);
    if (graph.sourceOf(edge) === end) lags.set(edge, 0);
    else if (!isDevice) lags.set(edge, -Infinity);
  }
  if (work.caller.at(row) === NO_THREAD) return;
  const thread = threads.at(work.caller.at(row) - 1);
  const returned = thread.indexUpTo(work.returned.at(row));
  for (let index = thread.indexUpTo(work.called.at(row)) + 1; index <= returned; index++)
    if (index > 0) lags.set(thread.edgeInto(index), 0);
}
