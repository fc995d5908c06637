/**
 * The decoder as traces of torch.profiler. AMD: launches within a capture have the kernel's name and extents, the
 * kernels of a replay neither extents nor node. NVIDIA, since February 2026: kernels have the ids of graph and node,
 * launches no names.
 */
import { event, trace, type Fields } from '../kineto-json.js';
import { DECODER, flatNodes, workOf, type Decoder, type ModelNode, type Replay } from './decoder.js';

export type Vendor = 'amd' | 'nvidia';

const PID = 4242;
const HOST_US = 10;
const KERNEL_US = 5;

const API = {
  amd: { prefix: 'hip', kernel: 'hipLaunchKernel', copy: 'hipMemcpyAsync' },
  nvidia: { prefix: 'cuda', kernel: 'cudaLaunchKernel', copy: 'cudaMemcpyAsync' },
} as const;

/** Ids of nodes hold that of the graph in their upper half. */
const nodeId = (graph: number, node: number): number => graph * 2 ** 32 + node;

/** Id of the executable graph of a capture. */
const graphId = (capture: number | null): number => (capture === null ? 90 : 10 + capture);

class DecoderTrace {
  readonly #events: string[] = [];
  #us = 1000;
  #deviceUs = 0;
  #id = 1;

  constructor(
    private readonly decoder: Decoder,
    private readonly vendor: Vendor,
  ) {}

  captures(): readonly string[] {
    for (const { name, nodes } of this.decoder.captures) {
      const body = (): void => {
        this.#call(`${API[this.vendor].prefix}StreamBeginCapture`);
        for (const node of nodes) {
          if (node.kind === 'graph') this.#call(`${API[this.vendor].prefix}GraphLaunch`);
          else this.#captured(node);
        }
        this.#call(`${API[this.vendor].prefix}StreamEndCapture`);
      };
      if (name === null) body();
      else this.#around('user_annotation', name, {}, body);
    }
    return this.#events;
  }

  replays(): readonly string[] {
    for (const replay of this.decoder.replays) {
      if (replay.step === null) this.#replay(replay);
      else this.#around('user_annotation', replay.step, {}, () => {
        this.#replay(replay);
      }); // prettier-ignore
    }
    return this.#events;
  }

  /** A launch within a capture, in its modules and its op. */
  #captured({ kind, kernel, op, modules, dims }: ModelNode): void {
    const launch = (): void => {
      const args = kind === 'kernel' && this.vendor === 'amd' ? { kernel, grid: [8, 1, 1], block: [256, 1, 1] } : {};
      this.#call(API[this.vendor][kind], args);
    };
    const inOp = (): void => {
      const args = {
        'Input Dims': dims,
        'Input type': dims.map(() => 'c10::BFloat16'),
        'Concrete Inputs': dims.map(() => ''),
      };
      this.#around('cpu_op', op, { 'External id': this.#id++, ...args }, launch);
    };
    const inModules = modules.reduceRight<() => void>(
      (body, module) => () => {
        this.#around('python_function', `nn.Module: ${module}`, {}, body);
      },
      inOp,
    );
    inModules();
  }

  #replay(replay: Replay): void {
    const correlation = this.#call(`${API[this.vendor].prefix}GraphLaunch`);
    const graph = graphId(replay.capture);
    const all = replay.capture === null ? [] : flatNodes(this.decoder, replay.capture);
    const work = workOf(this.decoder, { ...replay, lacksLast: replay.lacksLast && this.vendor === 'amd' });
    const begin = Math.max(this.#deviceUs, this.#us + HOST_US);
    /** Branches run side by side, so that the order of starts is not that of nodes. */
    const free = [begin, begin + 1];
    const kernels = work.map((node, i): readonly [number, string] => {
      const at = free[node.branch] ?? begin;
      free[node.branch] = at + (node.branch === 0 ? KERNEL_US : 2 * KERNEL_US + 1);
      const id = all.indexOf(node) === -1 ? i : all.indexOf(node);
      return [at, this.#device(node, at, correlation, nodeId(graph, id + 1), graph)];
    });
    this.#deviceUs = Math.max(...free) + 1;
    this.#events.push(...kernels.toSorted(([a], [b]) => a - b).map(([, text]) => text));
  }

  #device({ kind, kernel, branch }: ModelNode, ts: number, correlation: number, node: number, graph: number): string {
    const ids: Fields = this.vendor === 'amd' ? {} : { 'graph id': graph, 'graph node id': node };
    const extents: Fields = this.vendor === 'amd' || kind === 'copy' ? {} : { grid: [8, 1, 1], block: [256, 1, 1] };
    const cat = kind === 'copy' ? 'gpu_memcpy' : 'kernel';
    const name = kind === 'copy' ? 'Memcpy DtoD (Device -> Device)' : kernel;
    const args = {
      device: 0,
      stream: 7 + branch,
      correlation,
      ...ids,
      ...extents,
      ...(kind === 'copy' ? { bytes: 4096 } : {}),
    };
    return event({ ph: 'X', cat, name, pid: 0, tid: 7 + branch }, { ts, dur: KERNEL_US }, args);
  }

  #call(name: string, args: Fields = {}): number {
    const correlation = this.#id++;
    this.#host('cuda_runtime', name, this.#us, this.#us + HOST_US / 2, { ...args, correlation });
    this.#us += HOST_US;
    return correlation;
  }

  #around(cat: string, name: string, args: Fields, body: () => void): void {
    const start = this.#us++;
    body();
    this.#host(cat, name, start, ++this.#us, args);
  }

  #host(cat: string, name: string, from: number, to: number, args: Fields): void {
    this.#events.push(event({ ph: 'X', cat, name, pid: PID, tid: PID }, { ts: from, dur: to - from }, args));
  }
}

const GPU: Readonly<Record<Vendor, Fields>> = {
  amd: { id: 0, name: 'AMD Instinct MI300X', totalGlobalMem: 205822885888, numSms: 304 },
  nvidia: { id: 0, name: 'NVIDIA H100', totalGlobalMem: 85029158912, computeMajor: 9, computeMinor: 0, numSms: 132 },
};

const written = (vendor: Vendor, events: readonly string[]): Buffer =>
  trace({ schemaVersion: 1, deviceProperties: [GPU[vendor]] }, events, { traceName: 'decoder' });

/** Captures and replays in one trace. */
export function decoderTrace(vendor: Vendor, decoder = DECODER): Buffer {
  const writer = new DecoderTrace(decoder, vendor);
  writer.captures();
  return written(vendor, writer.replays());
}

/** Captures alone, and replays alone. */
export const captureTrace = (vendor: Vendor, decoder = DECODER): Buffer =>
  written(vendor, new DecoderTrace(decoder, vendor).captures());
export const replayTrace = (vendor: Vendor, decoder = DECODER): Buffer =>
  written(vendor, new DecoderTrace(decoder, vendor).replays());

/** What PyTorch writes of the nodes: `kernel_annotations_rank0_decoder.json`. */
export function nodeAnnotations(decoder = DECODER): string {
  const nodes = decoder.captures.flatMap((_, capture) =>
    flatNodes(decoder, capture).map(({ modules, op }, i): readonly [string, readonly Fields[]] => [
      String(nodeId(graphId(capture), i + 1)),
      [{ module_fqn: modules.join('.') }, { name: op, stream: 0 }],
    ]),
  );
  return JSON.stringify(Object.fromEntries(nodes));
}
