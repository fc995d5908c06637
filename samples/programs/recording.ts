/**
 * Plays a program and writes down its timeline: every thread and every stream has a clock, ranges and calls take a few
 * hundred to a few thousand nanoseconds of it, device work starts when its stream is free.
 */
import type { Gpu } from './gpu.js';
import type {
  ApiCall,
  ApiLevel,
  CopyRun,
  GraphNodeBirth,
  GraphRun,
  KernelRun,
  Process,
  Range,
  SetRun,
  Thread,
  Timeline,
  WaitRun,
} from './timeline.js';
import type { KernelWork, Work } from './work.js';
import { durationNs } from './work.js';

const FIRST_CORRELATION = 101;
/** From the return of a launch to the earliest start of its kernel. */
const LAUNCH_LATENCY_NS = 1500;
/** Between two kernels of a stream. */
const GAP_NS = 600;
/** Between two kernels of a replayed graph. */
const GRAPH_GAP_NS = 250;

export interface RangeStyle {
  readonly domain?: string;
  readonly registered?: boolean;
}

export interface ExecutableGraph {
  readonly id: number;
  readonly executable: number;
  readonly nodes: readonly { readonly node: number; readonly work: KernelWork }[];
}

export class Recording {
  readonly #clock = new Map<Thread, number>();
  readonly #busyUntil = new Map<string, number>();
  readonly #correlations = new Map<Process, number>();
  readonly #processes: Process[] = [];
  readonly #threads: Thread[] = [];
  readonly #ranges: Range[] = [];
  readonly #calls: ApiCall[] = [];
  readonly #kernels: KernelRun[] = [];
  readonly #copies: CopyRun[] = [];
  readonly #sets: SetRun[] = [];
  readonly #waits: WaitRun[] = [];
  readonly #graphs: GraphRun[] = [];
  readonly #graphNodes: GraphNodeBirth[] = [];
  #noise: number;

  constructor(
    readonly program: string,
    readonly gpus: readonly Gpu[],
    readonly startUnixNs: bigint,
    seed: number,
  ) {
    this.#noise = seed;
  }

  process(pid: number, name: string, gpu: number): Process {
    const process = { pid, name, gpu };
    this.#processes.push(process);
    this.#correlations.set(process, FIRST_CORRELATION);
    return process;
  }

  thread(process: Process, tid: number, handle: number, name: string, from: number): Thread {
    const thread = { process, tid, handle, name };
    this.#threads.push(thread);
    this.#clock.set(thread, from);
    return thread;
  }

  now(thread: Thread): number {
    return this.#clock.get(thread) ?? 0;
  }

  /** Lets `thread` do nothing until `other` has come as far as it is now. */
  waitFor(thread: Thread, other: Thread): void {
    this.#clock.set(thread, Math.max(this.now(thread), this.now(other)) + this.#between(3000, 6000));
  }

  /** A push/pop range around what `body` does on the same thread. */
  within(thread: Thread, text: string, body: () => void, style: RangeStyle = {}): void {
    const start = this.#pass(thread, 150, 450);
    body();
    this.#range({ kind: 'push-pop', thread, start, end: this.#pass(thread, 150, 450), endThread: null, text }, style);
  }

  mark(thread: Thread, text: string, style: RangeStyle = {}): void {
    const start = this.#pass(thread, 150, 450);
    this.#range({ kind: 'mark', thread, start, end: null, endThread: null, text }, style);
  }

  /** A range that is still open when the capture ends. */
  leaveOpen(thread: Thread, text: string): void {
    const start = this.#pass(thread, 150, 450);
    this.#range({ kind: 'push-pop', thread, start, end: null, endThread: null, text }, {});
  }

  /** A start/end range; the result closes it on the given thread. */
  begin(thread: Thread, text: string, style: RangeStyle = {}): (on: Thread) => void {
    const start = this.#pass(thread, 150, 450);
    return (on) => {
      const end = this.#pass(on, 150, 450);
      this.#range({ kind: 'start-end', thread, start, end, endThread: on === thread ? null : on, text }, style);
    };
  }

  /** The host asks for device work, and the device does it as soon as its stream is free. */
  launch(thread: Thread, stream: number, work: Work): void {
    const correlation = this.#launchCall(thread, work);
    this.#run(thread.process, stream, correlation, work, this.now(thread) + LAUNCH_LATENCY_NS, GAP_NS);
  }

  /** Device work whose launch lies before the capture. */
  leftOver(process: Process, stream: number, work: KernelWork, at: number): void {
    this.#run(process, stream, this.#nextCorrelation(process), work, at, GAP_NS);
  }

  /** The host waits until a stream has nothing left to do. */
  synchronize(thread: Thread, stream: number): void {
    const { process } = thread;
    const start = this.#pass(thread, 300, 700);
    const idle = Math.max(start + 900, this.#busyUntil.get(`${process.pid}/${stream}`) ?? 0);
    this.#clock.set(thread, idle + this.#between(900, 1500));
    const correlation = this.#nextCorrelation(process);
    const end = this.now(thread);
    this.#calls.push({ thread, level: 'runtime', api: 'cudaStreamSynchronize', start, end, correlation });
    this.#waits.push({ process, stream, start: start + 350, end: end - 350, correlation });
  }

  /** Captures launches into a graph: calls and nodes appear, but nothing runs. */
  capture(thread: Thread, id: number, body: (add: (work: Work) => void) => void): ExecutableGraph {
    const captured: { node: number; work: KernelWork }[] = [];
    body((work) => {
      if (work.kind !== 'kernel') throw new Error('only kernels are captured in these samples');
      this.#launchCall(thread, work);
      const node = id * 2 ** 32 + captured.length;
      const call = this.#calls.at(-1);
      const at = (call?.end ?? this.now(thread)) - 200;
      this.#graphNodes.push({ thread, at, api: 'cudaLaunchKernel', node, original: null });
      captured.push({ node, work });
    });
    const executable = id + 1;
    const correlation = this.#nextCorrelation(thread.process);
    const start = this.#pass(thread, 500, 900);
    const nodes = captured.map(({ node: original, work }, i) => {
      const node = executable * 2 ** 32 + i;
      const at = this.#pass(thread, 300, 500);
      this.#graphNodes.push({ thread, at, api: 'cudaGraphInstantiate', node, original });
      return { node, work };
    });
    const end = this.#pass(thread, 900, 1500);
    this.#calls.push({ thread, level: 'runtime', api: 'cudaGraphInstantiate', start, end, correlation });
    return { id, executable, nodes };
  }

  /** Replays a graph; the capture shows each of its kernels. */
  replayNodes(thread: Thread, stream: number, graph: ExecutableGraph): void {
    const correlation = this.#call(thread, 'runtime', 'cudaGraphLaunch');
    for (const { node, work } of graph.nodes) {
      const earliest = this.now(thread) + LAUNCH_LATENCY_NS;
      this.#run(thread.process, stream, correlation, work, earliest, GRAPH_GAP_NS, node);
    }
  }

  /** Replays a graph; the capture shows one piece of work without its kernels. */
  replayWhole(thread: Thread, stream: number, graph: Omit<ExecutableGraph, 'nodes'>, works: readonly Work[]): void {
    const { process } = thread;
    const correlation = this.#call(thread, 'runtime', 'cudaGraphLaunch');
    const start = this.#startOn(process, stream, this.now(thread) + LAUNCH_LATENCY_NS, GAP_NS);
    const end = works.reduce((at, work) => at + GRAPH_GAP_NS + durationNs(work, this.#gpu(process)), start);
    this.#busyUntil.set(`${process.pid}/${stream}`, end);
    this.#graphs.push({ process, stream, start, end, correlation, graph: graph.id, executable: graph.executable });
  }

  timeline(): Timeline {
    const byStart = (a: { start: number }, b: { start: number }): number => a.start - b.start;
    const end = Math.max(...this.#clock.values(), ...this.#busyUntil.values());
    return {
      program: this.program,
      gpus: this.gpus,
      startUnixNs: this.startUnixNs,
      end,
      processes: this.#processes,
      threads: this.#threads,
      ranges: this.#ranges.toSorted(byStart),
      calls: this.#calls.toSorted(byStart),
      kernels: this.#kernels.toSorted(byStart),
      copies: this.#copies.toSorted(byStart),
      sets: this.#sets.toSorted(byStart),
      waits: this.#waits.toSorted(byStart),
      graphs: this.#graphs.toSorted(byStart),
      graphNodes: this.#graphNodes,
    };
  }

  #range(range: Omit<Range, 'domain' | 'registered'>, style: RangeStyle): void {
    this.#ranges.push({ ...range, domain: style.domain ?? null, registered: style.registered ?? false });
  }

  #launchCall(thread: Thread, work: Work): number {
    if (work.kind === 'set') return this.#call(thread, 'runtime', 'cudaMemsetAsync');
    if (work.kind === 'copy') return this.#call(thread, 'runtime', 'cudaMemcpyAsync');
    if (work.kernel.launch === 'driver') return this.#call(thread, 'driver', 'cuLaunchKernel');
    const correlation = this.#call(thread, 'runtime', 'cudaLaunchKernel');
    const outer = this.#calls.at(-1);
    if (work.kernel.launch === 'both' && outer !== undefined) {
      const { start, end } = outer;
      this.#calls.push({ ...outer, level: 'driver', api: 'cuLaunchKernel', start: start + 180, end: end - 160 });
    }
    return correlation;
  }

  #call(thread: Thread, level: ApiLevel, api: string): number {
    const start = this.#pass(thread, 400, 1200);
    const end = this.#pass(thread, 3800, 6200);
    const correlation = this.#nextCorrelation(thread.process);
    this.#calls.push({ thread, level, api, start, end, correlation });
    return correlation;
  }

  #run(
    process: Process,
    stream: number,
    correlation: number,
    work: Work,
    earliest: number,
    gap: number,
    graphNode: number | null = null,
  ): void {
    const start = this.#startOn(process, stream, earliest, gap);
    const end = start + Math.round(durationNs(work, this.#gpu(process)) * (1 + this.#between(0, 80) / 1000));
    this.#busyUntil.set(`${process.pid}/${stream}`, end);
    const activity = { process, stream, start, end, correlation };
    if (work.kind === 'set') this.#sets.push({ ...activity, value: work.value, bytes: work.bytes });
    else if (work.kind === 'copy')
      this.#copies.push({ ...activity, kind: work.copy, bytes: work.bytes, pinned: work.pinned });
    else {
      const { kernel, grid } = work;
      this.#kernels.push({ ...activity, kernel, grid, block: [kernel.threads, 1, 1], graphNode });
    }
  }

  #startOn(process: Process, stream: number, earliest: number, gap: number): number {
    const free = (this.#busyUntil.get(`${process.pid}/${stream}`) ?? 0) + gap;
    return Math.max(earliest + this.#between(0, 400), free);
  }

  #gpu(process: Process): Gpu {
    const gpu = this.gpus[process.gpu];
    if (gpu === undefined) throw new Error(`no device ${process.gpu}`);
    return gpu;
  }

  #nextCorrelation(process: Process): number {
    const correlation = this.#correlations.get(process) ?? FIRST_CORRELATION;
    this.#correlations.set(process, correlation + 1);
    return correlation;
  }

  #pass(thread: Thread, least: number, most: number): number {
    const now = this.now(thread) + this.#between(least, most);
    this.#clock.set(thread, now);
    return now;
  }

  /** A number of least … most, from a linear congruential generator (Numerical Recipes' constants). */
  #between(least: number, most: number): number {
    this.#noise = (Math.imul(this.#noise, 1664525) + 1013904223) >>> 0;
    return least + Math.floor((this.#noise / 2 ** 32) * (most - least + 1));
  }
}
