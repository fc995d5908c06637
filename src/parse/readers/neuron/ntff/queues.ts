/**
 * Types of DMA queues, inferred from their numbers and the names of their rings, and the transfers that the program starts
 * on each.
 */
import type { NeuronEngine } from '../../../../record/neuron/neuron-cores.js';
import type { CoreProgram } from './metadata.js';
import { entryOf } from '../../../../containers/map-entry.js';
import type { InstructionDetails } from '../../../../record/lines/device-lines.js';

/** A transfer between memories that an engine starts, with the names that its packets get. */
export interface QueuedTransfer {
  /** Bytes that its packets move. If elements change their size on the way, these are the bytes in device memory. */
  readonly bytes: number;
  /** Labels of packets that move data, and of packets that increment its semaphore. */
  readonly moving: InstructionDetails;
  readonly raising: InstructionDetails;
}

/** Size of a packet that increments a semaphore, in bytes. */
const SEMAPHORE_BYTES = 4;

/** Position in a ring: the number of its current transfer, and how many bytes of it have been moved. */
interface RingPlace {
  transfer: number;
  moved: number;
}

interface Queue {
  /** Transfers started so far, in order; eight bytes each. */
  readonly transfers: QueuedTransfer[];
  /** Number of DMA engines that have the queue. */
  readonly ringCount: number;
  readonly rings: Map<number, RingPlace>;
  isInOrder: boolean;
}

interface PacketPlace {
  readonly transfer: QueuedTransfer;
  readonly raisesSemaphore: boolean;
}

/**
 * Finds the transfers to which packets belong, for the queues of a core that engines fill while the program runs. A
 * transfer is divided among the rings of its engine's queue, one for each DMA engine. Every ring moves the same number
 * of bytes, then increments the transfer's semaphore with a packet of four bytes, and takes the next transfer in the
 * order in which the engine started them. In five captures, all 10,864 packets of such queues are in this order. If a
 * packet is not in this order, the transfers of this packet and of all later packets of the queue are unknown.
 */
export class TransferQueues {
  readonly #queues = new Map<number, Queue>();

  start({ number, rings: ringCount }: EngineQueue, transfer: QueuedTransfer): void {
    const make = (): Queue => ({ transfers: [], ringCount, rings: new Map(), isInOrder: true });
    entryOf(this.#queues, number, make).transfers.push(transfer);
  }

  /**
   * The transfer of a packet; null when unknown. Call this for all packets of a queue in order of start time.
   * @param queue number of the queue, as in records
   * @param engine number of the DMA engine, as in records
   */
  placeOf(queue: number, engine: number, bytes: number): PacketPlace | null {
    const known = this.#queues.get(queue);
    if (known === undefined || !known.isInOrder) return null;
    const ring = entryOf(known.rings, engine, (): RingPlace => ({ transfer: 0, moved: 0 }));
    const transfer = known.transfers[ring.transfer];
    const left = transfer === undefined ? -1 : transfer.bytes - ring.moved * known.ringCount;
    const raisesSemaphore = left === 0 && bytes === SEMAPHORE_BYTES;
    if (transfer === undefined || (!raisesSemaphore && bytes * known.ringCount > left)) {
      known.isInOrder = false;
      return null;
    }
    if (raisesSemaphore) {
      ring.transfer++;
      ring.moved = 0;
    } else ring.moved += bytes;
    return { transfer, raisesSemaphore };
  }
}

/** Records have five bits for the number of an engine, and four for that of a queue. */
export const ENGINES_OF_RECORD = 32;
export const QUEUES = 16;

/** Queue through which engines load their instructions and tables. */
const INSTRUCTION_QUEUE = 14;

/** DMA engines of a core; numbers continue across cores. */
const ENGINES_OF_CORE = 16;

/** Engine numbers above this, which no instance has, are damaged. */
const MAX_ENGINE = 1 << 20;

/** Engines in names of queues: the runtime's name in captures, and the vendor tool's. */
const OWNERS: readonly (readonly [RegExp, string])[] = [
  [/^qAct(?=[A-Z])/, 'qScalar'],
  [/^qPool(?=[A-Z])/, 'qGpSimd'],
  [/^qSP(?=[A-Z])/, 'qSync'],
];

/** The tool's name of a queue; the runtime's name if its engine is unknown. */
export const queueName = (ring: string): string =>
  OWNERS.reduce((name, [owner, word]) => name.replace(owner, word), ring);

/** The vendor tool's type of a queue. A queue is dynamic if its descriptors are written while the program runs. */
function typeOf(queue: number, ring: string | undefined): string | undefined {
  if (queue === INSTRUCTION_QUEUE) return 'instruction';
  if (ring === undefined) return undefined;
  if (ring.endsWith('DynamicHW')) return 'hardware_dynamic';
  return ring.endsWith('Dynamic') ? 'software_dynamic' : undefined;
}

/** DMA engines and queues of a core, by the numbers in its records. */
export interface CoreQueues {
  /** Offset that is added to an engine's number in records. */
  readonly engineBase: number;
  /**
   * Types of queues, indexed by engine · 16 + queue, with both numbers as in records; undefined for an unknown type.
   */
  readonly types: readonly (string | undefined)[];
}

/**
 * DMA engines and queues of a core. Records have the low five bits of an engine's number, but rings have the whole number.
 */
export function queuesOf(core: number, graphs: readonly CoreProgram[]): CoreQueues {
  const rings = graphs.flatMap((graph) => graph.rings);
  const first = rings.find(({ engine }) => engine < MAX_ENGINE)?.engine ?? core * ENGINES_OF_CORE;
  const names = new Map(rings.map(({ engine, queue, name }) => [(engine % ENGINES_OF_RECORD) * QUEUES + queue, name]));
  return {
    engineBase: first - (first % ENGINES_OF_RECORD),
    types: Array.from({ length: ENGINES_OF_RECORD * QUEUES }, (_, at) => typeOf(at % QUEUES, names.get(at))),
  };
}

const DYNAMIC = /Dynamic(?:HW)?$/;

/** The queue for transfers that an engine starts while the program runs. */
export interface EngineQueue {
  readonly name: string;
  readonly number: number;
  /** Number of DMA engines that have the queue. */
  readonly rings: number;
}

/** The queue of an engine; null when it has none. */
export function queueOfEngine(engine: NeuronEngine, rings: CoreProgram['rings']): EngineQueue | null {
  const engineRings = rings.filter(({ name }) => DYNAMIC.test(name) && queueName(name).startsWith(`q${engine}`));
  const [first] = engineRings;
  if (first === undefined) return null;
  const ofFirst = engineRings.filter(({ queue }) => queue === first.queue);
  return { name: queueName(first.name), number: first.queue, rings: ofFirst.length };
}
