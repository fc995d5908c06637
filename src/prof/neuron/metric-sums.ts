/**
 * What one profile of a Neuron device adds up to: counts, times and sizes, from its records in one pass. No record is
 * kept; memory grows with the number of cores, kinds of queues, kinds of throttling and tensors alone.
 *
 * Times are picoseconds, the unit of the device's clock. Records of a device trace tell them exactly (`ps`); those of
 * the vendor's JSON have whole nanoseconds.
 */
import type {
  CopyLine,
  EndRecord,
  KernelLine,
  NoticeRecord,
  ProfileLine,
  ProfileRecord,
  SampleRecord,
  TensorRecord,
} from '../../record/record.js';
import { NEURON_ENGINES } from '../../record/engines.js';
import { PacketSizes } from './packet-sizes.js';
import { Throttling } from './throttling.js';
import { TensorLoads } from './tensor-loads.js';
import { PicosecondUnion } from '../../containers/interval-union.js';

/** Intervals of one kind: how many, how long together, and how long at least one of them ran. */
export class Spans {
  readonly union = new PicosecondUnion();
  count = 0;
  /** Picoseconds, intervals that overlap added up. */
  time = 0;
  /** Without a duration: counted, but in no time. */
  untimed = 0;
}

/** Packets of one kind of queue. */
export class Packets extends Spans {
  bytes = 0;
  /** Packets whose size is not told. */
  unsized = 0;
}

/** Floating-point work of the tensor engine by the type of its operands; 'na' where it is not told. */
export interface MatrixWork {
  flops: number;
  transposes: number;
}

/** A value that the vendor's tool itself reported. */
export interface Reported {
  readonly value: number | string | null;
  readonly unit: string | null;
}

/** Bytes that instructions move, by the counter that tells them. */
export const MOVED = [
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

/** Does nothing but wait for a semaphore: the vendor counts it, and leaves its time out of every engine's. */
const WAIT = 'EVENT_SEMAPHORE';
const MATMUL = 'MATMUL';
const ACTIVATE = /^ACTIVATE(?:_QUANTIZE)?$/;
/** The type of a matrix product's moving operand, as in `src=fp32@0x36500`. */
const SOURCE_TYPE = /\bsrc=(\w+)@/;
/** An FP32 product in two instructions, of which each counts all its multiplications. */
const IN_TWO = /\bfp32_mode=LOW_HIGH\b/;
export const FP32_IN_TWO = 'fp32 in two instructions';

const typeOf = (operands: string): string =>
  IN_TWO.test(operands) ? FP32_IN_TWO : (SOURCE_TYPE.exec(operands)?.[1] ?? 'na');

const picoseconds = (ns: number, rest: number | undefined): number => ns * 1000 + (rest ?? 0);

export class ProfileSums {
  profile: ProfileRecord | null = null;
  end: EndRecord | null = null;
  readonly engines = new Map<string, Spans>(NEURON_ENGINES.map((name) => [name, new Spans()]));
  readonly matmul = new Spans();
  readonly activate = new Spans();
  readonly packets = new Packets();
  readonly packetsBy = new Map<string, Packets>();
  readonly static = new Packets();
  /** Of engines and packets together. */
  readonly all = new PicosecondUnion();
  readonly work = new Map<string, MatrixWork>();
  readonly moved: Record<Moved, number>;
  psumToSbuf = 0;
  instructions = 0;
  /** Matrix products whose number of multiplications is told. */
  counted = 0;
  /** Instructions that tell of any bytes moved. */
  movers = 0;
  /** Activities whose times have picoseconds. */
  exact = 0;
  semaphores = 0;
  readonly sizes = new PacketSizes();
  readonly loads = new TensorLoads();
  readonly throttling = new Throttling();
  readonly tensors: TensorRecord[] = [];
  readonly notices: NoticeRecord[] = [];
  /** Bytes of device memory by use. */
  readonly memory = new Map<string, number>();
  /** What the vendor's tool reported, by node ('' for the only one) and metric. */
  readonly reported = new Map<string, Map<string, Reported>>();

  constructor() {
    this.moved = Object.fromEntries(MOVED.map((name) => [name, 0])) as Record<Moved, number>;
  }

  take(record: ProfileLine): void {
    if (record.type === 'kernel') this.#instruction(record);
    else if (record.type === 'copy') this.#packet(record);
    else if (record.type === 'sample') this.#sample(record);
    else if (record.type === 'tensor') this.tensors.push(record);
    else if (record.type === 'notice') this.notices.push(record);
    else if (record.type === 'profile') this.profile = record;
    else if (record.type === 'end') this.end = record;
  }

  /** Packets of a kind of queue; none where it has none. */
  queue(type: string): Packets {
    return this.packetsBy.get(type) ?? new Packets();
  }

  #instruction(record: KernelLine): void {
    const spans = this.engines.get(record.engine ?? '');
    // A kernel of another vendor's device has no engine.
    if (spans === undefined) return;
    this.instructions++;
    spans.count++;
    const { start, dur, ps, name } = record;
    const from = picoseconds(start, ps?.[0]);
    const time = dur === null ? null : picoseconds(dur, ps?.[1]);
    if (ps !== undefined) this.exact++;
    if (time === null) spans.untimed++;
    else if (name !== WAIT) {
      spans.time += time;
      spans.union.add(from, from + time);
      this.all.add(from, from + time);
    }
    if (name === MATMUL) addTo(this.matmul, time);
    if (ACTIVATE.test(name)) addTo(this.activate, time);
    if (record.counters !== undefined) this.#count(record, record.counters);
  }

  #count({ operands, labels }: KernelLine, counters: Readonly<Record<string, number>>): void {
    const { elements } = counters;
    if (elements !== undefined) {
      this.counted++;
      const type = typeOf(operands ?? '');
      const work = this.work.get(type) ?? { flops: 0, transposes: 0 };
      this.work.set(type, work);
      work.flops += 2 * elements;
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
    if ((counters['psumReadSbufWriteBytes'] ?? 0) > 0) this.psumToSbuf++;
  }

  #packet(record: CopyLine): void {
    if (record.kind !== 'DMA') return;
    const { start, dur, ps, bytes, labels } = record;
    const type = record.queueType ?? 'unknown';
    const own = this.packetsBy.get(type) ?? new Packets();
    this.packetsBy.set(type, own);
    const isDynamic = (DYNAMIC as readonly string[]).includes(type);
    if (ps !== undefined) this.exact++;
    for (const packets of isDynamic ? [own, this.packets] : [own, this.packets, this.static]) {
      addTo(packets, dur === null ? null : picoseconds(dur, ps?.[1]));
      if (bytes === null) packets.unsized++;
      else packets.bytes += bytes;
      if (dur !== null) addSpan(packets.union, record);
    }
    if (dur !== null) {
      this.all.add(picoseconds(start, ps?.[0]), picoseconds(start, ps?.[0]) + picoseconds(dur, ps?.[1]));
    }
    if (bytes === null) return;
    // Instructions are fetched as they come: nobody chooses the size of these packets.
    if (type !== 'instruction') this.sizes.add(bytes);
    if (labels !== undefined) this.loads.add(labels, bytes);
  }

  #sample(record: SampleRecord): void {
    const { metric, value, labels, text, unit } = record;
    if (labels?.['from'] === 'summary') {
      const node = String(labels['node'] ?? '');
      const metrics = this.reported.get(node) ?? new Map<string, Reported>();
      this.reported.set(node, metrics);
      metrics.set(metric, { value: value ?? text ?? null, unit });
    } else if (metric === 'semaphore') this.semaphores++;
    else if (metric === 'throttle') this.throttling.add(record);
    else if (metric === 'memory' && value !== null) {
      const use = String(labels?.['kind'] ?? 'unknown');
      this.memory.set(use, (this.memory.get(use) ?? 0) + value);
    }
  }
}

function addTo(spans: Spans, time: number | null): void {
  spans.count++;
  if (time === null) spans.untimed++;
  else spans.time += time;
}

function addSpan(union: PicosecondUnion, { start, dur, ps }: CopyLine): void {
  const from = picoseconds(start, ps?.[0]);
  union.add(from, from + picoseconds(dur ?? 0, ps?.[1]));
}
