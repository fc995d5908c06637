/**
 * Perfetto traces in protobuf by the published schema: one as rocprofv3 writes it with Perfetto's library, whose packets
 * intern strings and count times from one packet to the next, and one as the CUPTI monitor of PyTorch writes it, with work of
 * GPUs in packets of its own. Sources: the schema of Perfetto; generatePerfetto.cpp of rocprofiler-sdk; monitor_trace.py
 * and monitor_pftrace.cpp of PyTorch.
 */
import { Double, message, type Field } from './wire.js';

type Annotation = number | Double | string;
type Annotations = Readonly<Record<string, Annotation>>;

const [BEGIN, END, COUNTER] = [1, 2, 4];
const [CLEARED, NEEDS_STATE] = [1, 2];
/** Clocks: Unix time, since the machine started, and one whose times count from the packet before. */
const [REALTIME, BOOTTIME, INCREMENTAL] = [1, 6, 64];
/** Lists of interned strings. */
const [CATEGORIES, EVENT_NAMES, ANNOTATION_NAMES] = [1, 2, 3];

/** Writes packets of one sequence as Perfetto's library does. */
class LibraryWriter {
  readonly #packets: Field[] = [];
  readonly #texts = new Map<string, number>();
  #fresh: Field[] = [];
  #last: bigint;

  /** @param unix Unix time minus the time since the machine started, in ns */
  constructor(start: bigint, unix: bigint) {
    this.#last = start;
    this.#packet([[33, [[1, [[1, 1024]]]]]]);
    this.#packet([[6, [clock(BOOTTIME, start), clock(REALTIME, start + unix)]]]);
    const incremental: Field = [1, [[1, INCREMENTAL], [2, start], [3, 1], [4, 1]]]; // prettier-ignore
    this.#packet([
      [6, [clock(BOOTTIME, start), incremental]],
      [59, [[58, INCREMENTAL], [11, [[11, 20n]]]]],
      [13, CLEARED],
      [87, 1],
    ]); // prettier-ignore
  }

  track(uuid: bigint, fields: readonly Field[]): void {
    this.#packet([[60, [[1, uuid], ...fields]]]);
  }

  slice(
    track: bigint,
    category: string,
    name: string,
    [start, end]: readonly [bigint, bigint],
    args: Annotations,
  ): void {
    const annotations = Object.entries(args).map(([key, value]): Field => [4, [[1, this.#text(ANNOTATION_NAMES, key)], annotated(value)]]); // prettier-ignore
    const names: Field[] = [[3, this.#text(CATEGORIES, category)], [10, this.#text(EVENT_NAMES, name)]]; // prettier-ignore
    this.#event(start, [...names, [9, BEGIN], [11, track], ...annotations]);
    this.#event(end, [[9, END], [11, track]]); // prettier-ignore
  }

  counter(track: bigint, at: bigint, value: number): void {
    this.#event(at, [[9, COUNTER], [11, track], [30, value]]); // prettier-ignore
  }

  bytes(): Buffer {
    return message(this.#packets);
  }

  /** A time before that of the last packet is written as it is, with its clock. */
  #event(at: bigint, event: readonly Field[]): void {
    const isLater = at >= this.#last;
    const time: Field[] = isLater ? [[8, at - this.#last]] : [[8, at], [58, BOOTTIME]]; // prettier-ignore
    if (isLater) this.#last = at;
    const texts: Field[] = this.#fresh.length === 0 ? [] : [[12, this.#fresh]];
    this.#fresh = [];
    this.#packet([...time, [13, NEEDS_STATE], [11, event], ...texts]);
  }

  #text(list: number, text: string): number {
    const known = this.#texts.get(`${list} ${text}`);
    if (known !== undefined) return known;
    const iid = this.#texts.size + 1;
    this.#texts.set(`${list} ${text}`, iid);
    this.#fresh.push([list, [[1, iid], [2, text]]]); // prettier-ignore
    return iid;
  }

  #packet(fields: readonly Field[]): void {
    this.#packets.push([1, [...fields, [10, 1]]]);
  }
}

const clock = (id: number, time: bigint): Field => [1, [[1, id], [2, time]]]; // prettier-ignore

const annotated = (value: Annotation): Field =>
  typeof value === 'string' ? [6, value] : value instanceof Double ? [5, value] : [3, value];

/** A machine that has run for 105 days. */
const START = 9_072_000_000_000_000n;
const UNIX = 1_791_000_000_000_000_000n;
const at = (ns: number): bigint => START + BigInt(ns);
const span = (start: number, end: number): readonly [bigint, bigint] => [at(start), at(end)];

const [PROCESS, MAIN, WORKER, STREAM, COPIES, BYTES, WAVES] = [10n, 20n, 30n, 40n, 50n, 60n, 70n];
const PID = 4242;

/** Two kernels, the first with a counter, and a copy of the result, launched from two threads, with a range of roctx. */
export function gemmPerfetto(): Buffer {
  const trace = new LibraryWriter(START, UNIX);
  trace.track(PROCESS, [[3, [[1, PID], [6, 'gemm']]]]); // prettier-ignore
  trace.track(MAIN, [[5, PROCESS], [4, [[1, PID], [2, PID], [5, 'gemm']]]]); // prettier-ignore
  trace.track(WORKER, [[5, PROCESS], [2, 'THREAD 1 (4243)']]); // prettier-ignore
  trace.track(STREAM, [[5, PROCESS], [2, 'STREAM [" 1 "] ']]); // prettier-ignore
  trace.track(COPIES, [[5, PROCESS], [2, 'COPY to AGENT [0] THREAD [0] (CPU)']]); // prettier-ignore
  trace.track(BYTES, [[5, PROCESS], [2, 'COPY BYTES to Agent [0] (CPU)'], [8, [[3, 3], [4, 1024]]]]); // prettier-ignore
  trace.track(WAVES, [[5, PROCESS], [2, 'Agent [1] PMC SQ_WAVES'], [8, []]]); // prettier-ignore
  const call = (corr: number, tid: number): Annotations => ({
    kind: 7,
    operation: 1,
    tid,
    corr_id: corr,
    ancestor_id: 0,
  });
  trace.slice(MAIN, 'hip_api', 'hipLaunchKernel', span(10_000, 14_000), { ...call(11, PID), stream_ID: 1 });
  trace.slice(WORKER, 'hip_api', 'hipLaunchKernel', span(20_000, 23_000), { ...call(12, 4243), stream_ID: 1 });
  trace.slice(MAIN, 'hip_api', 'hipMemcpyAsync', span(30_000, 31_000), { ...call(13, PID), stream_ID: 1 });
  // Written after what it is around.
  trace.slice(MAIN, 'marker_api', 'layer:head', span(9000, 32_000), { ...call(10, PID) });
  trace.slice(COPIES, 'memory_copy', 'MEMORY_COPY_DEVICE_TO_HOST', span(60_000, 64_000), {
    ...{ kind: 15, operation: 2, src_agent: 'Agent-1', dst_agent: 'Agent-0', copy_bytes: 65_536 },
    ...{ corr_id: 13, tid: PID, stream_ID: 1 },
  });
  const kernel = (corr: number, tid: number): Annotations => ({
    ...{ kind: 11, agent: 'Agent-1', agent_type: 'GPU', corr_id: corr, queue: 0, tid, kernel_id: 3 },
    ...{ Scratch_Size: 0, LDS_Block_Size: 16_384, VGPR_Count: 64, Accum_VGPR_Count: 128, SGPR_Count: 96 },
    ...{ workgroup_size: 256, grid_size: 65_536, stream_ID: 1 },
  });
  const gemm = 'Cijk_Ailk_Bljk_HHS_BH_MT64x64x32_MI16x16x16x1 [clone .kd]';
  trace.slice(STREAM, 'kernel_dispatch', gemm, span(25_000, 40_000), {
    ...kernel(11, PID),
    SQ_WAVES: new Double(1024),
  });
  trace.slice(STREAM, 'kernel_dispatch', 'void scale<float>(float*, int)', span(40_000, 52_000), kernel(12, 4243));
  trace.counter(BYTES, at(60_000), 64);
  trace.counter(BYTES, at(64_000), 0);
  trace.counter(WAVES, at(25_000), 1024);
  trace.counter(WAVES, at(40_000), 0);
  return trace.bytes();
}

/** Interned strings of GPUs. */
const [SPECIFICATIONS, KERNELS, ARG_NAMES] = [24, 1000, 1001];
const [KERNEL_STAGE, COPY_STAGE, SET_STAGE, QUEUE] = [1, 2, 3, 100];
const MONITOR_START = 1_791_000_000_500_000_000n;

/** An op with its launch, a product, a copy to the device and a memory set, by PyTorch's CUPTI monitor. */
export function linearPerfetto(): Buffer {
  const ns = (time: number): bigint => MONITOR_START + BigInt(time);
  const [names, kernels] = [['aten::addmm', 'cudaLaunchKernel', 'ampere_sgemm_64x32_tn', 'cudaMemcpyAsync', 'cudaMemsetAsync'], ['ampere_sgemm_64x32_tn']]; // prettier-ignore
  const entry = (iid: number, text: string, field = 2): Field[] => [[1, iid], [field, text]]; // prettier-ignore
  const interned: Field[] = [
    ...names.map((name, index): Field => [EVENT_NAMES, entry(index + 1, name)]),
    ...['Kernel', 'Memcpy', 'Memset'].map((name, index): Field => [SPECIFICATIONS, [...entry(index + 1, name), [4, index === 0 ? 2 : 0]]]),
    [SPECIFICATIONS, entry(QUEUE, 'stream 07')],
    ...kernels.map((name, index): Field => [KERNELS, entry(index + 1, name, 3)]),
    [ARG_NAMES, entry(1, 'registers_per_thread')],
    [ARG_NAMES, entry(2, 'shared_mem_dynamic')],
  ]; // prettier-ignore
  const packet = (time: number, data: Field): Field => [1, [[8, ns(time)], [10, 1], [13, NEEDS_STATE], data]]; // prettier-ignore
  const slices = (rows: readonly (readonly [name: number, start: number, end: number, more: readonly Field[]])[]) => [
    ...rows.map(([name, start, , more]) => packet(start, [11, [[9, BEGIN], [11, 2], [10, name], ...more]])),
    // All ends come after all beginnings.
    ...rows.map(([, , end]) => packet(end, [11, [[9, END], [11, 2]]])),
  ]; // prettier-ignore
  const shape = (...extents: readonly number[]): Field => [12, extents.map((extent): Field => [12, [[4, extent]]])];
  const dims: Field = [4, [[10, 'Input Dims'], shape(64), shape(32, 128), shape(128, 64), [12, []], [12, []]]]; // prettier-ignore
  const launched = (corr: number): Field[] => [[4, [[10, 'correlation'], [4, corr]]], [3000, [[1, corr]]]]; // prettier-ignore
  const extra = (key: string, value: number | string): Field => [6, [[1, key], [2, String(value)]]]; // prettier-ignore
  const stage = (corr: number, kind: number, start: number, dur: number, more: readonly Field[]): Field =>
    packet(start, [53, [[1, corr], [2, dur], [11, 0], [13, QUEUE], [14, kind], [5, 1], ...more, extra('device id', 0), extra('stream id', 7), extra('correlation', corr), extra('arch', 'sm_80')]]); // prettier-ignore
  const three = (x: number, y: number, z: number): Field[] => [[1, x], [2, y], [3, z]]; // prettier-ignore
  const launch: Field = [21, [[1, three(2, 1, 1)], [2, three(128, 1, 1)], [3, [[1, 1], [4, 122]]], [3, [[1, 2], [4, 16_384]]]]]; // prettier-ignore
  return message([
    [1, [[60, [[1, 1], [3, [[1, PID], [6, 'python']]]]]]],
    [1, [[60, [[1, 2], [5, 1], [4, [[1, PID], [2, 4243], [5, 'thread 4243']]]]]]],
    [1, [[10, 1], [13, CLEARED], [12, interned]]],
    ...slices([
      [1, 1000, 9000, [dims, [4, [[10, 'Sequence number'], [4, 5]]]]],
      [4, 100, 600, launched(20)],
      [5, 1200, 1500, launched(21)],
      [2, 3000, 5000, launched(22)],
    ]),
    stage(20, COPY_STAGE, 800, 400, [extra('bytes', 32_768)]),
    stage(21, SET_STAGE, 2000, 300, [extra('bytes', 256)]),
    stage(22, KERNEL_STAGE, 6000, 2500, [[20, 3], [19, 1], launch]),
    [1, [[8, ns(6000)], [10, 1], [52, [[1, 0]]]]],
  ]); // prettier-ignore
}
