/** Collective operations and messages between stages: their sizes, kernels, and bandwidth by NCCL's tests. */
import { ELEMENT_BYTES } from './kernels.js';

/** Where a stage sends and receives: a process group, or a direction of its pipeline group. */
export const SLOTS = ['tensor', 'data', 'world', 'toNext', 'fromPrevious', 'toPrevious', 'fromNext'] as const;
export type Slot = (typeof SLOTS)[number];

/** The stream of each; computing is on stream 7. */
export const COMPUTE_STREAM = 7;
export const STREAMS: Readonly<Record<Slot, number>> = {
  tensor: 13,
  data: 17,
  world: 21,
  toNext: 25,
  fromPrevious: 29,
  toPrevious: 33,
  fromNext: 37,
};

export type MessageKind = 'allreduce' | '_allgather_base' | '_reduce_scatter_base' | 'send' | 'recv';

interface Protocol {
  readonly kernel: string;
  /** The op of the framework. */
  readonly op: string;
  /** Bus bytes are S times this. Source: NCCL tests, doc/PERFORMANCE.md. */
  readonly factor: (ranks: number) => number;
}

const kernel = (name: string): string => `ncclDevKernel_${name}(ncclDevKernelArgsStorage<4096ul>)`;
const others = (ranks: number): number => (ranks - 1) / ranks;

export const PROTOCOLS: Readonly<Record<MessageKind, Protocol>> = {
  allreduce: { kernel: kernel('AllReduce_Sum_bf16_RING_LL'), op: 'c10d::allreduce_', factor: (n) => 2 * others(n) },
  _allgather_base: { kernel: kernel('AllGather_RING_LL'), op: 'c10d::_allgather_base_', factor: others },
  _reduce_scatter_base: {
    kernel: kernel('ReduceScatter_Sum_bf16_RING_LL'),
    op: 'c10d::_reduce_scatter_base_',
    factor: others,
  },
  send: { kernel: kernel('SendRecv'), op: 'c10d::send', factor: () => 1 },
  recv: { kernel: kernel('SendRecv'), op: 'c10d::recv_', factor: () => 1 },
};

/** What one rank puts into a message and gets out of it. */
export interface Message {
  readonly kind: MessageKind;
  readonly slot: Slot;
  readonly elementsIn: number;
  readonly elementsOut: number;
  readonly dtype: 'bfloat16' | 'float32';
}

export const bytesPerElement = ({ dtype }: Message): number => (dtype === 'float32' ? 4 : ELEMENT_BYTES);

/** S of NCCL's tests: the larger side. */
export const sizeOf = (message: Message): number =>
  Math.max(message.elementsIn, message.elementsOut) * bytesPerElement(message);

/** Bytes that pass each rank's link. */
export const busBytesOf = (message: Message, ranks: number): number =>
  sizeOf(message) * PROTOCOLS[message.kind].factor(ranks);
