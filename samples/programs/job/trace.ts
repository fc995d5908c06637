/** The trace of one rank of a job, as PyTorch's profiler writes it today, without frames of Python but for modules. */
import { event, literal, trace, type Fields } from '../kineto-json.js';
import { ORIGIN_UNIX_NS } from './clocks.js';
import { DEVICE, type KernelWork } from './kernels.js';
import { PROTOCOLS, type Message } from './messages.js';
import { isGradient, type JobOp, type ModelPart } from './program.js';
import type { Pass } from './schedule.js';
import { RankView, type ObservedOp, type Span } from './rank-view.js';
import {
  ACCUMULATE,
  ENGINE,
  groupsOf,
  KIND_OF_SLOT,
  layerOf,
  MESSAGE_EXTENTS,
  MOST_LISTED_RANKS,
  OPTIMIZER,
  traceName,
  type FormatOptions,
} from './context.js';
import type { SimulatedJob } from './simulate.js';

/** CUPTI callback ids. */
const CALLBACK: Readonly<Record<string, number>> = { cudaMemcpyAsync: 41, cudaLaunchKernel: 211, cudaLaunchKernelExC: 430 }; // prettier-ignore
const COPY_NAME = { HtoD: 'Memcpy HtoD (Pinned -> Device)', DtoH: 'Memcpy DtoH (Device -> Pinned)' } as const;
const DTYPE: Readonly<Record<Message['dtype'], string>> = { bfloat16: 'BFloat16', float32: 'Float' };

/** Shares of the host's time for a launch from which ranges go, the outer ones wider. */
const SHARE = { layer: 0.02, module: 0.04, engine: 0.06, node: 0.08, op: 0.1, comms: 0.15 } as const;
type Level = keyof typeof SHARE;

/** The text of a rank's trace. */
export function jobTrace(job: SimulatedJob, rank: number, options: FormatOptions = {}): Buffer {
  return new TraceOfRank(new RankView(job, rank), { ordinals: true, descriptions: true, ...options }).text();
}

class TraceOfRank {
  readonly #events: string[] = [];
  #id = 0;

  constructor(
    private readonly view: RankView,
    private readonly options: Required<FormatOptions>,
  ) {}

  text(): Buffer {
    const { rank, job } = this.view;
    for (let step = 0; step < job.options.steps; step++) {
      this.#host('user_annotation', `ProfilerStep#${step}`, this.view.step(step), this.view.pid);
    }
    this.#modules();
    this.#nodes();
    for (const op of this.view.ops) this.#work(this.view.observed(op));
    const header = {
      schemaVersion: 1,
      deviceProperties: [this.#device()],
      cuda_runtime_version: 12080,
      cuda_driver_version: 12080,
      distributedInfo: this.#distributed(),
      trace_id: `${rank.rank}`.padStart(32, '0'),
      displayTimeUnit: 'ms',
      baseTimeNanoseconds: literal(String(ORIGIN_UNIX_NS)),
    };
    return trace(header, this.#events, { traceName: traceName(rank.rank) });
  }

  #device(): Fields {
    const { name, memBytes, units } = DEVICE;
    const { device } = this.view.rank;
    return { id: device, name, totalGlobalMem: memBytes, computeMajor: 9, computeMinor: 0, numSms: units };
  }

  #distributed(): Fields {
    const groups = groupsOf(this.view, this.options.descriptions);
    return {
      backend: 'nccl',
      rank: this.view.rank.rank,
      world_size: this.view.job.ranks.length,
      pg_count: groups.length,
      pg_config: groups.map(({ name, description, size, ranks }) => ({
        pg_name: name,
        pg_desc: description ?? 'undefined',
        backend_config: 'cuda:nccl',
        pg_size: size,
        ranks: ranks === null ? null : [...ranks],
      })),
      nccl_version: '2.27.7',
    };
  }

  /** Modules of the forward pass. */
  #modules(): void {
    const calls: Record<string, number> = {};
    for (const level of ['layer', 'module'] as const) {
      const nameOf = (op: JobOp): string | null =>
        op.part?.pass.dir === 'fprop' ? (layerOf(op)[level === 'layer' ? 0 : 1] ?? null) : null;
      for (const { first, last } of runsOf(this.view.ops, ({ pass }, op) => `${pass.micro} ${nameOf(op)}`, 'fprop')) {
        const name = nameOf(first) ?? '';
        const module = (calls[name] = (calls[name] ?? -1) + 1);
        const args = { 'Python id': ++this.#id, 'Python module id': module };
        this.#host('python_function', `nn.Module: ${name}`, this.#around(first, last, level), this.view.pid, args);
      }
    }
  }

  /** Nodes of the backward pass, in the engine's range. */
  #nodes(): void {
    for (const { first, last, part } of runsOf(this.view.ops, ({ sequence }) => String(sequence), 'bprop')) {
      const tid = this.view.threadOf(first);
      const engine = `${ENGINE}${part.node}`;
      const numbers = { 'Fwd thread id': 1, 'Sequence number': part.sequence };
      this.#op(engine, this.#around(first, last, 'engine'), tid, numbers);
      this.#op(part.node, this.#around(first, last, 'node'), tid, numbers);
    }
    for (const op of this.view.ops.filter(isGradient)) {
      const tid = this.view.threadOf(op);
      this.#op(`${ENGINE}${ACCUMULATE}`, this.#around(op, op, 'engine'), tid);
      this.#op(ACCUMULATE, this.#around(op, op, 'node'), tid);
    }
  }

  #around(first: JobOp, last: JobOp, level: Level): Span {
    return this.view.within(first, last, SHARE[level], 1 - SHARE[level]);
  }

  /** An op. @returns its external id */
  #op(name: string, span: Span, tid: number, args: Fields = {}): number {
    const id = ++this.#id;
    this.#host('cpu_op', name, span, tid, { 'External id': id, 'Record function id': 0, ...args });
    return id;
  }

  #work(run: ObservedOp): void {
    const { kernel, message, copy } = run.op;
    const tid = this.view.threadOf(run.op);
    const span = this.#around(run.op, run.op, 'op');
    if (copy !== null) {
      this.#launched(run, 'cudaMemcpyAsync', this.#op('aten::copy_', span, tid), {
        cat: 'gpu_memcpy',
        name: COPY_NAME[copy.kind],
        args: { bytes: copy.bytes },
      });
    } else if (message !== null) {
      this.#op(PROTOCOLS[message.kind].op, span, tid);
      const args = this.#messageArgs(run.op, message);
      const id = this.#op('record_param_comms', this.#around(run.op, run.op, 'comms'), tid, args);
      const work = {
        cat: 'kernel',
        name: PROTOCOLS[message.kind].kernel,
        args: { ...extents(MESSAGE_EXTENTS), ...args },
      };
      this.#launched(run, 'cudaLaunchKernelExC', id, work);
    } else if (kernel !== null) {
      this.#kernel(run, kernel, span, tid);
    }
  }

  #kernel(run: ObservedOp, kernel: KernelWork, span: Span, tid: number): void {
    const { part } = run.op;
    const isForward = part?.pass.dir === 'fprop';
    if (part === null) this.#host('user_annotation', OPTIMIZER, this.#around(run.op, run.op, 'node'), tid);
    const id = this.#op(kernel.op, span, tid, {
      ...(isForward ? { 'Fwd thread id': 0, 'Sequence number': part.sequence } : {}),
      'Input Dims': kernel.dims.map((extents) => [...extents]),
      'Input type': kernel.dims.map(() => 'c10::BFloat16'),
    });
    this.#launched(run, kernel.api, id, { cat: 'kernel', name: kernel.name, args: extents(kernel) });
  }

  /** The call and its work. */
  #launched(
    { op, start, end, call }: ObservedOp,
    api: string,
    id: number,
    work: { cat: string; name: string; args: Fields },
  ): void {
    // prettier-ignore
    const { rank } = this.view;
    const correlation = op.index + 1;
    const ids = { 'External id': id, cbid: CALLBACK[api] ?? 0, correlation };
    this.#host('cuda_runtime', api, call, this.view.threadOf(op), ids);
    const head = { ph: 'X', cat: work.cat, name: work.name, pid: rank.device, tid: op.stream };
    const place = { 'External id': id, device: rank.device, context: 1, stream: op.stream, correlation };
    this.#events.push(event(head, times({ start, end }), { ...place, ...work.args }));
  }

  #messageArgs(op: JobOp, message: Message): Fields {
    const { job, rank } = this.view;
    const group = job.groups[rank.groups[KIND_OF_SLOT[message.slot]]];
    const peer = this.view.peerOf(op);
    const ranks = group?.ranks ?? [];
    const listed = ranks.slice(0, MOST_LISTED_RANKS).join(', ');
    return {
      'Collective name': message.kind,
      'In msg nelems': message.elementsIn,
      'Out msg nelems': message.elementsOut,
      'Group size': ranks.length,
      dtype: DTYPE[message.dtype],
      'In split size': '[]',
      'Out split size': '[]',
      'Process Group Name': group?.name ?? '',
      'Process Group Description': this.options.descriptions ? (group?.description ?? '') : 'undefined',
      'Process Group Ranks': ranks.length > MOST_LISTED_RANKS ? `[${listed}, ...]` : `[${listed}]`,
      ...(this.options.ordinals ? { Rank: rank.rank, ...peerArgs(message, peer), Seq: op.ordinal } : {}),
    };
  }

  #host(cat: string, name: string, span: Span, tid: number, args: Fields = {}): void {
    this.#events.push(event({ ph: 'X', cat, name, pid: this.view.pid, tid }, times(span), args));
  }
}

const peerArgs = ({ kind }: Message, peer: number | null): Fields =>
  peer === null ? {} : { [kind === 'send' ? 'Dst Rank' : 'Src Rank']: peer };

const extents = ({ grid, block }: { grid: readonly number[]; block: readonly number[] }): Fields => ({
  grid: [...grid],
  block: [...block],
});

const micros = (ns: number): string => `${ns < 0 ? '-' : ''}${Math.floor(Math.abs(ns) / 1000)}.${String(Math.abs(ns) % 1000).padStart(3, '0')}`; // prettier-ignore

const times = ({ start, end }: Span): Fields => ({ ts: literal(micros(start)), dur: literal(micros(end - start)) });

interface Run {
  readonly key: string;
  readonly part: ModelPart;
  readonly first: JobOp;
  last: JobOp;
}

/** Work of one direction that follows on each other and has the same key. */
function runsOf(ops: readonly JobOp[], keyOf: (part: ModelPart, op: JobOp) => string, dir: Pass['dir']): Run[] {
  const runs: Run[] = [];
  for (const op of ops) {
    const { part } = op;
    if (part?.pass.dir !== dir) continue;
    const key = `${op.step} ${keyOf(part, op)}`;
    const run = runs.at(-1);
    if (run?.key === key && run.last.index === op.index - 1) run.last = op;
    else runs.push({ key, part, first: op, last: op });
  }
  return runs;
}
