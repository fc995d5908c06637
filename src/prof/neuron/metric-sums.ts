/**
 * Sums for one profile of a Neuron device: counts, times and sizes, from its records in one pass. No record is kept; memory
 * grows only with the number of cores, kinds of queues, kinds of throttling and tensors.
 *
 * Times are picoseconds, the unit of the device's clock. Records of a device trace have them exactly (`ps`); those of the
 * vendor's JSON have whole nanoseconds.
 */
import { addTo, entryOf } from '../../containers/map-entry.js';
import type {
  CollectiveLine,
  CopyLine,
  KernelLine,
  NoticeRecord,
  ProfileLine,
  ProfileRecord,
  SampleRecord,
  TensorRecord,
  Labels,
} from '../../record/record.js';
import { CC_INSTRUCTION_METRIC, UNEVEN_QUEUE_METRIC } from '../../record/sample-metrics.js';
import { NEURON_ENGINES } from '../../record/neuron/neuron-cores.js';
import { StatedValues, ThrottleSums, type ReportedMetric } from './sums/stated-values.js';
import { PicosecondUnion } from '../../containers/interval-union.js';
import { medianOfCounts } from '../../record/statistics.js';

/** Maximum number of distinct sizes; beyond it a new size is rounded down to a power of two. */
const MOST_SIZES = 4096;

const powerBelow = (bytes: number): number => 2 ** Math.floor(Math.log2(Math.max(1, bytes)));

/** Bytes of DMA packets in bounded memory: a histogram of their sizes, and the bytes that they load by tensor. */
class PacketSizes {
  readonly #counts = new Map<number, number>();
  packets = 0;
  bytes = 0;

  add(bytes: number): void {
    const key = this.#counts.has(bytes) || this.#counts.size < MOST_SIZES ? bytes : powerBelow(bytes);
    addTo(this.#counts, key, 1);
    this.packets++;
    this.bytes += bytes;
  }

  /** Number of packets of less than `limit` bytes, and their total size. */
  below(limit: number): { readonly packets: number; readonly bytes: number } {
    let packets = 0;
    let bytes = 0;
    for (const [size, count] of this.#counts) {
      if (size >= limit) continue;
      packets += count;
      bytes += size * count;
    }
    return { packets, bytes };
  }

  /** Lower median of the sizes; null without packets. */
  get median(): number | null {
    return medianOfCounts(this.#counts);
  }

  /** Number of packets by size, rounded down to a power of two; smallest first. */
  get histogram(): (readonly [atLeast: number, packets: number])[] {
    const bins = new Map<number, number>();
    for (const [size, count] of this.#counts) {
      addTo(bins, size === 0 ? 0 : powerBelow(size), count);
    }
    return [...bins].sort(([a], [b]) => a - b);
  }
}

/** Maximum number of distinct tensors; further ones are ignored. */
const MOST_TENSORS = 10_000;

/** Bytes that packets load into a core's state buffer, by tensor. */
class TensorLoads {
  readonly bytes = new Map<string, number>();
  /** Time range from the start of the first load to the end of the last in ns, by tensor. */
  readonly spans = new Map<string, { readonly start: number; readonly end: number }>();
  named = 0;

  add({ variable, dest }: Labels, bytes: number, { start, dur }: Pick<CopyLine, 'start' | 'dur'>): void {
    if (typeof variable !== 'string' || variable === '' || variable === 'unknown') return;
    this.named++;
    if (typeof dest !== 'string' || !/\bSB(?:UF)?\b/.test(dest)) return;
    if (this.bytes.size >= MOST_TENSORS && !this.bytes.has(variable)) return;
    addTo(this.bytes, variable, bytes);
    const known = this.spans.get(variable) ?? { start, end: start };
    this.spans.set(variable, { start: known.start, end: Math.max(known.end, start + (dur ?? 0)) });
  }
}

/** Intervals of one kind: number, total duration, and length of their union. */
export class IntervalSums {
  readonly union = new PicosecondUnion();
  count = 0;
  /** Total duration in ps, overlapping or not. */
  time = 0;
  /** Number of intervals without a duration. They are counted, but not included in any time. */
  untimed = 0;

  /** @param time in ps; null if unknown */
  add(time: number | null): void {
    this.count++;
    if (time === null) this.untimed++;
    else this.time += time;
  }
}

/** Packets of one kind of queue. */
export class PacketSpans extends IntervalSums {
  bytes = 0;
  /** Number of packets of unknown size. */
  unsized = 0;
}

/** Floating-point work of the tensor engine for one type of operands. */
interface MatrixWork {
  flops: number;
  transposes: number;
}

/** Counters of bytes that instructions move. */
const MOVED = [
  'hbmReadBytes',
  'hbmWriteBytes',
  'sbufReadBytes',
  'sbufWriteBytes',
  'psumReadBytes',
  'psumWriteBytes',
  'psumReadSbufWriteBytes',
] as const;
export type Moved = (typeof MOVED)[number];

export const DYNAMIC = ['software_dynamic', 'hardware_dynamic'] as const;

/** Instructions that wait for a semaphore. The vendor counts these instructions, but not their time. */
const WAIT = 'EVENT_SEMAPHORE';
const MATMUL = 'MATMUL';
/** A waiting instruction of a core for collectives, such as `SEMAPHORE_30_WAIT_EQ_8`; it does not count as active time. */
const CC_WAIT = /^SEMAPHORE\w*_WAIT/;
const ACTIVATE = /^ACTIVATE(?:_QUANTIZE)?$/;
/** Type of a matrix product's moving operand, as in `src=fp32@0x36500`. */
const SOURCE_TYPE = /\bsrc=(\w+)@/;
/** An FP32 product that is executed by two instructions, each of which counts all its multiplications. */
const IN_TWO = /\bfp32_mode=LOW_HIGH\b/;
export const FP32_IN_TWO = 'fp32 in two instructions';

const typeOf = (operands: string): string =>
  IN_TWO.test(operands) ? FP32_IN_TWO : (SOURCE_TYPE.exec(operands)?.[1] ?? 'na');

const queueKey = (...place: readonly unknown[]): string => place.join('/');

const picoseconds = (ns: number, rest = 0): number => ns * 1000 + rest;

export class ProfileSums {
  profile: ProfileRecord | null = null;
  readonly engines = new Map<string, IntervalSums>(NEURON_ENGINES.map((name) => [name, new IntervalSums()]));
  readonly matmul = new IntervalSums();
  readonly activate = new IntervalSums();
  readonly packets = new PacketSpans();
  readonly packetsBy = new Map<string, PacketSpans>();
  readonly static = new PacketSpans();
  /** Packets of the queues that the vendor's tool ignores. They are not included above. */
  readonly leftOut = new PacketSpans();
  /** Collective operations, and instructions of the cores that execute them. */
  readonly collectives = new IntervalSums();
  readonly collectiveInstructions = new IntervalSums();
  readonly #uneven = new Set<string>();
  /** Engines, packets and collective operations together. */
  readonly all = new PicosecondUnion();
  /** Active time without the packets that the vendor's tool ignores. */
  readonly active = new PicosecondUnion();
  /** Work by type of operands; 'na' if unknown. */
  readonly work = new Map<string, MatrixWork>();
  /** FLOPs of the tensor engine by core. */
  readonly coreFlops = new Map<number, number>();
  readonly moved: Record<Moved, number>;
  psumToSbuf = 0;
  instructions = 0;
  /** Number of matrix products with a known number of multiplications. */
  counted = 0;
  /** Number of instructions with byte counters. */
  movers = 0;
  /** Number of activities whose times have picoseconds. */
  exact = 0;
  semaphores = 0;
  /** Latest end of an instruction by core, in ps. */
  readonly lastEnds = new Map<number, number>();
  readonly sizes = new PacketSizes();
  readonly loads = new TensorLoads();
  readonly throttling = new ThrottleSums();
  readonly tensors: TensorRecord[] = [];
  readonly notices: NoticeRecord[] = [];
  /** Bytes of device memory by use. */
  readonly memory = new Map<string, number>();
  /** Numbers that the capture records for each core, by metric and device. */
  readonly stated = new Map<string, Map<number, number>>();
  readonly statedValues = new StatedValues();
  /** Metrics that the vendor's tool reported, by node ('' for the only one) and name. */
  readonly reported = new Map<string, Map<string, ReportedMetric>>();

  constructor() {
    this.moved = Object.fromEntries(MOVED.map((name) => [name, 0])) as Record<Moved, number>;
  }

  take(record: ProfileLine): void {
    if (record.type === 'kernel') this.#instruction(record);
    else if (record.type === 'copy') this.#packet(record);
    else if (record.type === 'collective') this.#collective(record);
    else if (record.type === 'sample') this.#sample(record);
    else if (record.type === 'tensor') this.tensors.push(record);
    else if (record.type === 'notice') this.notices.push(record);
    else if (record.type === 'profile') this.profile = record;
  }

  /** Number of queues that the vendor's tool ignores. */
  get unevenQueues(): number {
    return this.#uneven.size;
  }

  queue(type: string): PacketSpans {
    return this.packetsBy.get(type) ?? new PacketSpans();
  }

  #instruction(record: KernelLine): void {
    // Kernels on other vendors' devices have no engine.
    const spans = record.engine === undefined ? undefined : this.engines.get(record.engine);
    if (spans === undefined) return;
    this.instructions++;
    spans.count++;
    const { start, dur, ps, name, device } = record;
    const from = picoseconds(start, ps?.[0]);
    const time = dur === null ? null : picoseconds(dur, ps?.[1]);
    if (ps !== undefined) this.exact++;
    if (time !== null && from + time > (this.lastEnds.get(device) ?? 0)) this.lastEnds.set(device, from + time);
    if (time === null) spans.untimed++;
    else if (name !== WAIT) {
      spans.time += time;
      spans.union.add(from, from + time);
      this.all.add(from, from + time);
      this.active.add(from, from + time);
    }
    if (name === MATMUL) this.matmul.add(time);
    if (ACTIVATE.test(name)) this.activate.add(time);
    if (record.counters !== undefined) this.#count(record, record.counters);
  }

  #count({ operands, labels, device }: KernelLine, counters: Readonly<Record<string, number>>): void {
    const { elements } = counters;
    if (elements !== undefined) {
      this.counted++;
      const type = operands === undefined ? 'na' : typeOf(operands);
      const work = entryOf(this.work, type, () => ({ flops: 0, transposes: 0 }));
      work.flops += 2 * elements;
      addTo(this.coreFlops, device, 2 * elements);
      if (labels?.['type'] === 'TRANSPOSE') work.transposes += 2 * elements;
    }
    let moves = false;
    for (const name of MOVED) {
      const bytes = counters[name];
      if (bytes === undefined) continue;
      moves = true;
      this.moved[name] += bytes;
    }
    if (moves) this.movers++;
    const { psumReadSbufWriteBytes } = counters;
    if (psumReadSbufWriteBytes !== undefined && psumReadSbufWriteBytes > 0) this.psumToSbuf++;
  }

  #packet(record: CopyLine): void {
    if (record.kind !== 'DMA') return;
    const { start, dur, ps, bytes, labels } = record;
    const type = record.queueType ?? 'unknown';
    if (ps !== undefined) this.exact++;
    const from = picoseconds(start, ps?.[0]);
    const time = dur === null ? null : picoseconds(dur, ps?.[1]);
    const isLeftOut = this.#uneven.size > 0 && this.#uneven.has(queueKey(record.device, record.stream, record.queue));
    for (const packets of isLeftOut ? [this.leftOut] : this.#kindsOf(type)) {
      packets.add(time);
      if (bytes === null) packets.unsized++;
      else packets.bytes += bytes;
      if (time !== null) packets.union.add(from, from + time);
    }
    if (time !== null) {
      this.all.add(from, from + time);
      if (!isLeftOut) this.active.add(from, from + time);
    }
    if (bytes === null) return;
    // Users cannot change the size of packets that fetch instructions.
    if (type !== 'instruction') this.sizes.add(bytes);
    if (labels !== undefined) this.loads.add(labels, bytes, record);
  }

  /** The sums to which a packet belongs, by the type of its queue. */
  #kindsOf(type: string): readonly PacketSpans[] {
    const spans = entryOf(this.packetsBy, type, () => new PacketSpans());
    return (DYNAMIC as readonly string[]).includes(type) ? [spans, this.packets] : [spans, this.packets, this.static];
  }

  #collective({ start, dur }: CollectiveLine): void {
    this.collectives.add(dur === null ? null : picoseconds(dur));
    if (dur === null) return;
    for (const union of [this.collectives.union, this.all, this.active])
      union.add(picoseconds(start), picoseconds(start + dur));
  }

  #collectiveInstruction({ start, dur = null, labels }: SampleRecord): void {
    const spans = this.collectiveInstructions;
    spans.add(dur === null ? null : picoseconds(dur));
    if (start === null || dur === null || CC_WAIT.test(String(labels?.['name'] ?? ''))) return;
    spans.union.add(picoseconds(start), picoseconds(start + dur));
  }

  #stated({ metric, device, value }: SampleRecord): void {
    if (device === null || value === null) return;
    entryOf(this.stated, metric, () => new Map<number, number>()).set(device, value);
  }

  #sample(record: SampleRecord): void {
    const { metric, value, labels, text, unit } = record;
    if (labels?.['from'] === 'summary') {
      const node = String(labels['node'] ?? '');
      const metrics = entryOf(this.reported, node, () => new Map<string, ReportedMetric>());
      metrics.set(metric, { value: value ?? text ?? null, unit });
    } else if (labels?.['from'] === 'annotation') this.statedValues.add(record);
    else if (labels?.['from'] === 'model_info') {
      this.#stated(record);
      this.statedValues.add(record);
    } else if (labels?.['from'] === 'trace') this.#stated(record);
    else if (metric === UNEVEN_QUEUE_METRIC)
      this.#uneven.add(queueKey(record.device, labels?.['stream'], labels?.['queue']));
    else if (metric === 'semaphore') this.semaphores++;
    else if (metric === CC_INSTRUCTION_METRIC) this.#collectiveInstruction(record);
    else if (metric === 'throttle') this.throttling.add(record);
    else if (metric === 'memory' && value !== null) {
      addTo(this.memory, String(labels?.['kind'] ?? 'unknown'), value);
    }
  }
}
