/**
 * Reads the metadata of a device trace: which program ran, where and when, and the offsets of the data in the file. The
 * vendor publishes no schema; field numbers were derived from captures and the vendor tool's output for them.
 */
import { ProtobufMessage } from '../../../input/protobuf.js';

export interface Metadata {
  /** Path of the program's file, as given to the capture. */
  readonly modelFile: string | null;
  /** Uuid of the program, 32 hexadecimal digits. */
  readonly uuid: string | null;
  readonly instanceType: string | null;
  /** Version with the first digits of the commit, such as '2.30.51 (faafe)'. */
  readonly runtimeVersion: string | null;
  readonly driverVersion: string | null;
  readonly collectivesVersion: string | null;
  /** Executions of the program, as spans of the device's clock. */
  readonly windows: readonly ExecutionWindow[];
  readonly graphs: readonly CoreProgram[];
  readonly sections: readonly TraceSection[];
}

/** One execution, in picoseconds of the device's clock. */
export interface ExecutionWindow {
  readonly start: bigint;
  readonly end: bigint;
}

export interface CoreProgram {
  /** Name of its subgraph, such as 'sg00'; null when it has none. */
  readonly name: string | null;
  /** Number of the NeuronCore on its instance. */
  readonly core: number;
  readonly buffers: readonly InstructionBuffer[];
  /** Changes that the runtime made to the compiler's instructions of an engine when it loaded them, in order. */
  readonly edits: readonly { readonly engine: number; readonly edits: readonly ProgramEdit[] }[];
  /** Rings of queues, one for each DMA engine that has the queue. */
  readonly rings: readonly QueueRing[];
  /** Use of device memory in bytes, by purpose. */
  readonly memory: readonly { readonly name: string; readonly bytes: number }[];
}

export interface QueueRing {
  readonly engine: number;
  readonly queue: number;
  /** 2 for weights; 0 for what the vendor's tool calls `unknown`. */
  readonly kind: number;
  readonly name: string;
  /** -1 when there is none. */
  readonly event: number;
  readonly dramChannel: number;
}

/** Instructions of one engine, 64 bytes each, as they are in the device's memory. */
export interface InstructionBuffer {
  readonly engine: number;
  /** Address in the device's memory. */
  readonly address: bigint;
  /** Offset from the first byte after the metadata. */
  readonly offset: number;
  readonly size: number;
}

/** Instructions that the runtime inserted into a program, and those that it removed for them. */
export interface ProgramEdit {
  /**
   * Offset in bytes in the loaded program: the beginning of the inserted instructions, or their end when they replace
   * others.
   */
  readonly offset: number;
  readonly inserted: number;
  readonly removed: number;
}

/** A contiguous part of the file with records of one kind and core. */
export interface TraceSection {
  readonly kind: number;
  /** Kind of core; 2 is a core that runs only collectives. */
  readonly group: number;
  readonly core: number;
  /** Offset from the first byte after the metadata. */
  readonly offset: number;
  readonly size: number;
}

export const SECTION = { instructions: 0, semaphores: 1, dma: 4, throttle: 5 } as const;
/** `group` of cores that run only collectives. */
export const COLLECTIVE_CORES = 2;

/** @throws WireError when the bytes are not metadata */
export function readMetadata(bytes: Buffer): Metadata {
  const top = ProtobufMessage.read(bytes);
  const models = top.messages(4);
  const windows = top.messages(15);
  return {
    modelFile: top.text(1),
    uuid: uuidOf([...windows.map((window) => window.bytes(1)), ...models.map((model) => model.bytes(5))]),
    instanceType: top.text(9),
    runtimeVersion: version(top.message(8)),
    driverVersion: version(top.message(11)),
    collectivesVersion: version(top.message(12)),
    windows: windows.map((window) => ({ start: window.integer(2) ?? 0n, end: window.integer(3) ?? 0n })),
    graphs: models.flatMap((model) => model.messages(4).flatMap((each) => each.messages(1).map(graph))),
    sections: top.messages(16).map(section),
  };
}

const UUID_BYTES = 16;

/** Field 2 also has the uuid, but as a C string, which ends at the first zero byte. */
const uuidOf = (candidates: readonly (Buffer | null)[]): string | null =>
  candidates.find((bytes) => bytes?.length === UUID_BYTES)?.toString('hex') ?? null;

const COMMIT_DIGITS = 5;

/** The version as the vendor's tool writes it: trailing zeros stay, a missing commit is empty. */
function version(message: ProtobufMessage | null): string | null {
  if (message === null) return null;
  const parts = [1, 2, 3].map((field) => message.number(field)).join('.');
  return `${parts} (${message.text(5)?.slice(0, COMMIT_DIGITS) ?? ''})`;
}

const graph = (message: ProtobufMessage): CoreProgram => ({
  name: message.text(1),
  core: message.number(3),
  buffers: message.messages(4).map((buffer) => ({
    engine: buffer.number(1),
    address: buffer.integer(2) ?? 0n,
    offset: buffer.number(7),
    size: buffer.number(8),
  })),
  edits: message.messages(5).map((engine) => ({
    engine: engine.number(1),
    edits: engine.messages(2).map((edit) => ({
      offset: edit.number(1),
      inserted: edit.number(2),
      removed: edit.number(3),
    })),
  })),
  rings: message.messages(7).map((ring) => ({
    engine: ring.number(1),
    queue: ring.number(2),
    kind: ring.number(3),
    name: ring.text(4) ?? '',
    event: Number(BigInt.asIntN(64, ring.integer(5) ?? 0n)),
    dramChannel: ring.number(7),
  })),
  memory: message.messages(11).map((use) => ({ name: use.text(3) ?? '', bytes: use.number(2) })),
});

const section = (message: ProtobufMessage): TraceSection => ({
  kind: message.number(1),
  group: message.number(3),
  core: message.number(7),
  offset: message.number(5),
  size: message.number(6),
});
