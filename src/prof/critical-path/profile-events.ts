/** The events of one profile, as a graph. */
import { TimedGraph, type OrderedGraph } from '../../containers/timed-graph.js';
import type { ProfileLine, ProfileRecord, RangeRecord, SampleRecord, SyncRecord } from '../../record/record.js';
import { waitOfAnyCall } from '../../record/wait-calls.js';
import { isHostCopy, waitOf } from '../advise/idle/idle-causes.js';
import { LOADER } from '../advise/idle/host-gaps.js';
import { Annotated } from '../annotate.js';
import type { Item } from '../analysis.js';
import type { TimeWindow } from '../input/named-range.js';
import { workOf, type StepActivity } from '../steps/step-work.js';
import { Pieces, type Bound, type Missing } from './bounds.js';
import { DeviceWork, NO_THREAD, UNORDERED } from './device-work.js';
import { HostThreads } from './host-threads.js';
import { stepPaths, type PathWindow, type StepPath } from './step-paths.js';
import { StepWindows } from './step-windows.js';
import { addHandOvers } from './thread-edges.js';
import { awaitedByStreams, factsOfCall, HostWaits, isWaitKind, WaitEdges } from './wait-edges.js';
import type { WhatIf } from './what-if.js';
import { WorkEdges } from './work-edges.js';

const BOUND_OF_WORK = { computing: 'compute', communication: 'communication', copy: 'copy' } as const;

/** Ranges that say what the program did at a time. */
const RANGES: ReadonlySet<string | undefined> = new Set(['op', 'annotation', 'api', 'overhead', undefined]);

/** Calls that ask whether work has ended; profilers record them as waits. */
const QUERY = /Query/;

/** `ProfilerStep#12` and its like are one range. */
const withoutNumber = (text: string): string => text.replace(/(?<!\d)\d{1,18}$/, 'N');

export class ProfileEvents {
  header: ProfileRecord | null = null;
  /** Number of activities without a time. */
  untimed = 0;
  readonly #graph = new TimedGraph();
  readonly #pieces = new Pieces();
  readonly #threads = new HostThreads(this.#pieces, this.#graph);
  readonly #work = new DeviceWork();
  readonly #waits = new HostWaits();
  readonly #steps = new StepWindows();
  /** The thread for which each other thread works, by their numbers. */
  readonly #callers = new Map<number, number>();

  /** @param whatIf changes to predict; null for none */
  constructor(private readonly whatIf: WhatIf | null = null) {}

  take(item: Item): void {
    if (item instanceof Annotated) this.#takeKernel(item);
    else if (item.type === 'profile') this.header = item;
    else if (item.type === 'range') this.#takeRange(item);
    else if (item.type === 'sync') this.#takeSync(item);
    else if (item.type === 'sample') this.#takeStep(item);
    // Kernels come once more, annotated.
    else if (item.type !== 'kernel') this.#takeOther(item);
  }

  /** @param window the time to explain, instead of steps */
  paths(window: TimeWindow | undefined): StepPath[] {
    const { missing, ordered } = this.#built();
    const windows = window === undefined ? this.#steps.windows(this.#work, this.#threads) : [];
    const chosen = windows.length > 0 ? windows : timeWindow(ordered, window);
    const missingAt = (node: number): Missing => missing(node);
    return [...stepPaths(chosen, { ordered, pieces: this.#pieces, missingAt, changedLag: this.#changedLag() })];
  }

  /** The time from the start of some work to whatever follows lasts as long as the work. */
  #changedLag(): ((edge: number) => number) | null {
    const { whatIf } = this;
    if (whatIf === null) return null;
    const factors = this.#pieces.all.map(({ bound }) => whatIf.factorOfBound(bound));
    return (edge) => {
      const row = this.#work.startedAt(this.#graph.sourceOf(edge));
      const factor = factors[this.#graph.tagOf(edge)] ?? 1;
      return this.#graph.lagOf(edge) * factor * (row === null ? 1 : this.#work.factor.at(row));
    };
  }

  #built(): { readonly ordered: OrderedGraph; readonly missing: (node: number) => Missing } {
    for (const thread of this.#threads.all) thread.build();
    this.#work.build(this.#graph);
    const starts = new WorkEdges(
      this.#graph,
      this.#work,
      this.#threads,
      this.#pieces,
      awaitedByStreams(this.#waits, this.#work),
      this.#waits.haveUnknownEvents,
    );
    starts.build();
    const ends = new WaitEdges(this.#graph, this.#work, this.#threads, this.#pieces);
    ends.build(this.#waits);
    this.#handOver();
    const missing = (node: number): Missing => {
      const row = this.#work.rowOfNode(node);
      return (row === null ? ends.missing.get(node) : starts.missing.get(row)) ?? 'begin';
    };
    return { ordered: this.#graph.ordered(), missing };
  }

  #handOver(): void {
    for (const [working, waiting] of this.#callers)
      addHandOvers(this.#graph, this.#threads.at(waiting), this.#threads.at(working), this.#pieces);
  }

  #takeKernel(kernel: Annotated): void {
    const { record } = kernel;
    const found = workOf(record);
    if (found === null) return;
    const factor = this.whatIf?.factorOf(kernel);
    this.#add(record, BOUND_OF_WORK[found.work], kernel.op ?? record.short, kernel.trace.at(-1) ?? null, factor);
    const { forward = null, pid, tid } = record;
    if (tid === null) return;
    const forwardTid = forward?.tid ?? null;
    // A thread that launches work in a step of another thread works for it.
    const waiting = forwardTid === null ? this.#steps.threadOf(record.step) : this.#threads.numberOf(pid, forwardTid);
    const working = this.#threads.numberOf(pid, tid);
    if (waiting !== null && waiting !== working) this.#callers.set(working, waiting);
  }

  #takeOther(record: ProfileLine): void {
    const found = workOf(record);
    if (found === null) return;
    this.#add(found.record, BOUND_OF_WORK[found.work], nameOf(found.record), null);
  }

  #add(record: StepActivity, bound: Bound, name: string, line: string | null, factor = 1): void {
    const { start, dur, device, stream, launch = null, pid = null, tid = null, engine, graph, step = null } = record;
    if (dur === null || !(start + dur >= start)) {
      this.untimed++;
      return;
    }
    const isAwaited = isHostCopy(record) && waitOf(record) !== null;
    const caller = launch === null ? NO_THREAD : this.#threads.numberOf(pid, tid) + 1;
    const [called, returned] = launch === null ? [NaN, NaN] : [launch.start, launch.start + launch.dur];
    if (launch !== null)
      this.#threads.at(caller - 1).add(called, returned, this.#pieces.numberOf('launch', launch.api ?? 'na'));
    this.#work.pushCells(
      ...([start, start + dur, called, returned, caller] as const),
      ...([this.#work.streamOf(device, stream, engine), device, this.#pieces.numberOf(bound, name, line)] as const),
      ...([step ?? NaN, factor, graph === undefined ? 0 : 1, isAwaited ? 1 : 0] as const),
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
      return this.#pieces.numberOf(bound, text);
    }
    return this.#pieces.numberOf(LOADER.test(text) ? 'loading' : 'host', kind === 'op' ? text : withoutNumber(text));
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
    const piece = this.#pieces.numberOf('sync', launch.api ?? 'na');
    this.#threads.at(number).add(launch.start, launch.start + launch.dur, piece);
  }

  #takeStep(record: SampleRecord): void {
    const step = this.#steps.take(record, this.#threads);
    if (step !== null && Number.isFinite(step.end))
      step.on?.add(step.start, step.end, this.#pieces.numberOf('host', 'step'));
  }
}

function nameOf(record: StepActivity): string {
  switch (record.type) {
    case 'copy':
      return `copy ${record.kind ?? 'na'}`;
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

/** The whole profile, or the given part of it, up to the last event in it. */
function timeWindow(ordered: OrderedGraph, window: TimeWindow | undefined): PathWindow[] {
  const { graph } = ordered;
  const end = ordered.nodeAt(ordered.countUpTo(window?.to ?? Infinity) - 1);
  const first = ordered.nodeAt(0);
  if (end === undefined || first === undefined) return [];
  const from = Math.max(window?.from ?? -Infinity, graph.timeOf(first));
  const to = graph.timeOf(end);
  return to > from ? [{ step: null, from, to, begin: null, end }] : [];
}
