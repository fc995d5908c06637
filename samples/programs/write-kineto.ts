/** A capture as a trace of torch.profiler: today's form, or that of early 2021. */
import type { Gpu } from './gpu.js';
import type { Dialect } from './kineto-dialects.js';
import { headerOf, OLD, TODAY } from './kineto-dialects.js';
import type { Fields } from './kineto-json.js';
import { event, trace } from './kineto-json.js';
import type { DeviceRun } from './kineto-joins.js';
import { deviceRuns, forwardOps, opsOfCalls, shadows } from './kineto-joins.js';
import type { Exchange, Generation } from './kineto-ops.js';
import { extentsOf, stridesOf, typeText, valueText } from './kineto-ops.js';
import type { HostEvent, KinetoCapture } from './kineto-run.js';
import type { ApiCall, CopyKind } from './timeline.js';

/** CUPTI callback ids of the calls that the samples make. */
const CALLBACK: Readonly<Record<string, number>> = {
  cudaMemcpyAsync: 41,
  cudaMemsetAsync: 51,
  cudaStreamSynchronize: 131,
  cudaLaunchKernel: 211,
  cudaLaunchKernelExC: 430,
};

const COPY_NAME: Readonly<Record<CopyKind, readonly [pinned: string, pageable: string]>> = {
  HtoD: ['Memcpy HtoD (Pinned -> Device)', 'Memcpy HtoD (Pageable -> Device)'],
  DtoH: ['Memcpy DtoH (Device -> Pinned)', 'Memcpy DtoH (Device -> Pageable)'],
  DtoD: ['Memcpy DtoD (Device -> Device)', 'Memcpy DtoD (Device -> Device)'],
};

class Writer {
  readonly #ops: ReadonlyMap<number, HostEvent>;

  constructor(
    readonly capture: KinetoCapture,
    readonly dialect: Dialect,
    readonly gpu: Gpu,
  ) {
    this.#ops = opsOfCalls(capture);
  }

  get #today(): boolean {
    return this.dialect.generation === 'today';
  }

  events(): string[] {
    const { events, timeline } = this.capture;
    const pairs = this.#today ? forwardOps(this.capture) : [];
    return [
      ...this.#inOrder(events).map((host, index) => this.#host(host, index)),
      ...pairs.flatMap(([node, forward], i) => this.#fwdbwd(node, forward, i + 1)),
      ...timeline.calls.map((call) => this.#call(call)),
      ...deviceRuns(this.capture).flatMap((run) => this.#device(run)),
      ...(this.#today ? this.#shadows() : []),
      ...this.#names(),
    ];
  }

  /** Ops and annotations in front of frames; in 2021 in the order in which they ended. */
  #inOrder(events: readonly HostEvent[]): HostEvent[] {
    if (!this.#today) return events.toSorted((a, b) => a.end - b.end);
    return [...events.filter(({ kind }) => kind !== 'frame'), ...events.filter(({ kind }) => kind === 'frame')];
  }

  #times(start: number, end: number): Fields {
    return this.dialect.times(start, end, this.capture.timeline.startUnixNs);
  }

  #at(ns: number): Fields {
    const { ts = null } = this.#times(ns, ns);
    return { ts };
  }

  #host(host: HostEvent, index: number): string {
    const { categories, tid } = this.dialect;
    const cat = host.kind === 'frame' ? 'python_function' : categories[host.kind];
    const head = { ph: 'X', cat, name: host.name, pid: host.thread.process.pid, tid: tid(host.thread) };
    const args = host.kind === 'frame' ? frameArgs(host) : this.#opArgs(host);
    return event(head, this.#times(host.start, host.end), this.#today ? { ...args, 'Ev Idx': index } : args);
  }

  #opArgs({ id, inputs, autograd, exchange, stack, thread }: HostEvent): Fields {
    const { generation } = this.dialect;
    const numbers: Fields =
      autograd === null ? {} : { 'Sequence number': autograd.seq, 'Fwd thread id': autograd.forwardThread };
    const types = inputs?.map((input) => typeText(input, generation));
    const extents = inputs?.map((input) => extentsOf(input, generation));
    if (!this.#today) {
      const calls = stack.filter((name) => !name.startsWith('<'));
      return {
        Device: thread.process.pid,
        'External id': id,
        'Trace name': 'PyTorch Profiler',
        'Trace iteration': 0,
        ...(extents === undefined ? {} : { 'Input Dims': extents }),
        ...(calls.length === 0 ? {} : { 'Call stack': calls.join(';') }),
        ...(types === undefined ? {} : { 'Input type': types }),
        ...(autograd === null ? {} : { 'Fwd thread id': autograd.forwardThread, 'Sequence number': autograd.seq }),
      };
    }
    return {
      'External id': id,
      'Record function id': 0,
      ...numbers,
      ...(exchange === null ? {} : { ...exchangeArgs(exchange), ...EXCHANGE_PLACE }),
      ...(inputs === null || types === undefined || extents === undefined
        ? {}
        : {
            'Concrete Inputs': inputs.map(valueText),
            'Input type': types,
            'Input Strides': inputs.map(stridesOf),
            'Input Dims': extents,
          }),
    };
  }

  /** From a forward op to the node that computes its gradient. */
  #fwdbwd(node: HostEvent, forward: HostEvent, id: number): string[] {
    const flow = { cat: 'fwdbwd', name: 'fwdbwd' };
    const end = (ph: string, { thread, start }: HostEvent, more: Fields): string =>
      event({ ph, id, pid: thread.process.pid, tid: thread.tid }, { ...this.#at(start), ...flow, ...more }, null);
    return [end('s', forward, {}), end('f', node, { bp: 'e' })];
  }

  #call({ thread, api, start, end, correlation }: ApiCall): string {
    const { categories, tid, opId } = this.dialect;
    const op = this.#ops.get(correlation);
    // Collectives of today launch with attributes.
    const collective = (op?.exchange ?? null) !== null && api === 'cudaLaunchKernel';
    const name = collective ? 'cudaLaunchKernelExC' : api;
    const cbid = CALLBACK[name];
    if (cbid === undefined) throw new Error(`no callback id for ${name}`);
    const head = { ph: 'X', cat: categories.call, name, pid: thread.process.pid, tid: tid(thread) };
    const ids: Fields = this.#today
      ? { [opId]: op?.id ?? 0, cbid, correlation }
      : {
          cbid,
          correlation,
          [opId]: op?.id ?? 0,
          'external ts': op === undefined ? 0 : (this.#at(op.start)['ts'] ?? 0),
        };
    return event(head, this.#times(start, end), ids);
  }

  /** Work with the arrow from its launch. */
  #device(work: DeviceRun): string[] {
    const { kind, run } = work;
    const { categories, streamTid, flow } = this.dialect;
    if (kind === 'wait' && !this.#today) return [];
    const tid = streamTid(run.stream);
    const head = { ph: 'X', cat: categories[kind], name: nameOf(work), pid: 0, tid };
    const own = event(head, this.#times(run.start, run.end), this.#deviceArgs(work));
    const call = this.capture.timeline.calls.find(({ correlation }) => correlation === run.correlation);
    if (call === undefined || kind === 'wait') return [own];
    const arrow = (ph: string, pid: number, end: number | string, at: number, more: Fields): string => {
      const names = { cat: categories.flow, name: flow, ...more };
      return event({ ph, id: run.correlation, pid, tid: end }, { ...this.#at(at), ...names }, null);
    };
    const { process, tid: thread } = call.thread;
    return [own, arrow('s', process.pid, thread, call.start, {}), arrow('f', 0, tid, run.start, { bp: 'e' })];
  }

  #deviceArgs(work: DeviceRun): Fields {
    const { stream, correlation, start, end } = work.run;
    const op = this.#ops.get(correlation);
    const place = { device: 0, context: 1, stream, correlation };
    const opId: Fields = op === undefined ? {} : { [this.dialect.opId]: op.id };
    const ids: Fields = this.#today ? { ...opId, ...place } : { ...place, ...opId };
    if (work.kind === 'wait') return { ...ids, cuda_sync_kind: 'Stream Sync' };
    if (work.kind !== 'kernel') {
      return { ...ids, bytes: work.run.bytes, 'memory bandwidth (GB/s)': work.run.bytes / (end - start) };
    }
    const { kernel, grid, block } = work.run;
    const blocks = (grid[0] * grid[1] * grid[2]) / this.gpu.units;
    const exchange = op?.exchange ?? null;
    return {
      ...(this.#today ? { ...opId, queued: 0, ...place } : { queued: 0, ...place, ...opId }),
      'registers per thread': kernel.registers,
      'shared memory': 0,
      'blocks per SM': Number(blocks.toFixed(6)),
      'warps per SM': Number(((blocks * block[0]) / 32).toFixed(6)),
      grid,
      block,
      'est. achieved occupancy %': Math.min(100, Math.round((blocks * block[0]) / 20.48)),
      ...(exchange === null ? {} : exchangeArgs(exchange)),
    };
  }

  /** A nanosecond wider than the work at both ends. */
  #shadows(): string[] {
    return shadows(this.capture).map(({ annotation: { name, id }, stream, start, end }) => {
      const head = { ph: 'X', cat: 'gpu_user_annotation', name, pid: 0, tid: stream };
      return event(head, this.#times(start - 1, end + 1), { 'External id': id });
    });
  }

  /** Names of processes and threads, the span of the capture, and its marks. */
  #names(): string[] {
    const { timeline } = this.capture;
    const { process } = timeline.threads[0] ?? { process: { pid: 0, name: '' } };
    const meta = (name: string, pid: number, tid: number | string, args: Fields): string =>
      event({ name, ph: 'M', ...this.#at(0), pid, tid }, {}, args);
    const span = { ph: 'X', cat: 'Trace', ...this.#times(0, timeline.end) };
    const mark = (name: string, pid: string, tid: string, at: number): string =>
      event({ name, ph: 'i', s: 'g' }, { pid, tid, ...this.#at(at) }, null);
    const streams = [...new Set(timeline.kernels.map(({ stream }) => stream))];
    return [
      meta('process_name', process.pid, 0, { name: process.name }),
      meta('process_labels', process.pid, 0, { labels: 'CPU' }),
      meta('process_name', 0, 0, { name: process.name }),
      meta('process_labels', 0, 0, { labels: 'GPU 0' }),
      ...streams.map((stream) => meta('thread_name', 0, this.dialect.streamTid(stream), { name: `stream ${stream} ` })),
      ...timeline.threads.map((thread) =>
        meta('thread_name', process.pid, this.dialect.tid(thread), { name: `thread ${thread.tid} (${thread.name})` }),
      ),
      event(
        span,
        { pid: this.#today ? 'Spans' : 'Traces', tid: 'PyTorch Profiler', name: 'PyTorch Profiler (0)' },
        { 'Op count': 0 },
      ),
      mark('Iteration Start: PyTorch Profiler', 'Traces', 'Trace PyTorch Profiler', 0),
      mark('Record Window End', '', '', timeline.end),
    ];
  }
}

const nameOf = (work: DeviceRun): string => {
  if (work.kind === 'kernel') return work.run.kernel.demangled;
  if (work.kind === 'copy') return COPY_NAME[work.run.kind][work.run.pinned ? 0 : 1];
  return work.kind === 'set' ? 'Memset (Device)' : 'Stream Sync';
};

const frameArgs = ({ id, parent, module }: HostEvent): Fields => ({
  'Python parent id': parent,
  'Python id': id,
  ...(module === null ? {} : { 'Python module id': module }),
});

const exchangeArgs = ({ name, elements, ranks }: Exchange): Fields => ({
  'Collective name': name,
  'In msg nelems': elements,
  'Out msg nelems': elements,
  'Group size': ranks.length,
  dtype: 'Float',
  'In split size': '[]',
  'Out split size': '[]',
  'Process Group Name': '0',
  'Process Group Description': 'default_pg',
  'Process Group Ranks': `[${ranks.join(', ')}]`,
});

/** What only the op of a collective has. */
const EXCHANGE_PLACE: Fields = { Rank: 0, 'Global rank start': 0, 'Global rank stride': 1 };

/** The text of a trace. */
export function kinetoTrace(capture: KinetoCapture, generation: Generation): Buffer {
  const [gpu] = capture.timeline.gpus;
  if (gpu === undefined) throw new Error('a trace needs a device');
  const dialect = generation === 'today' ? TODAY : OLD;
  const events = new Writer(capture, dialect, gpu).events();
  return trace(headerOf(dialect, gpu), events, generation === 'today' ? { traceName: 'lenet.pt.trace.json' } : {});
}
