/**
 * Packets of the queues that engines fill while the program runs → the transfers that they carry out.
 *
 * A transfer is divided among the rings of its engine's queue, one for each DMA engine: every ring moves the same number
 * of bytes, then raises the transfer's semaphore by a packet of four bytes, and takes the next transfer in the order in
 * which the engine started them. In five captures all 10,864 packets of such queues are in this order. Where packets
 * are not, those of the queue from there on belong to no known transfer.
 */
import { entryOf } from '../../../../../containers/map-entry.js';
import type { EngineQueue } from '../queues.js';
import type { InstructionDetails } from '../../../../../record/lines/device-lines.js';

/** A transfer between memories that an engine starts, as its packets name it. */
export interface QueuedTransfer {
  /** Bytes that its packets move: those in device memory, where elements change their size on the way. */
  readonly bytes: number;
  /** Labels of the packets that move them, and of those that raise its semaphore. */
  readonly moving: InstructionDetails;
  readonly raising: InstructionDetails;
}

/** Bytes of the packet that raises a semaphore. */
const SEMAPHORE_BYTES = 4;

/** Where a ring is: the number of its current transfer, and how many bytes of that it has moved. */
interface RingPlace {
  transfer: number;
  moved: number;
}

interface Queue {
  /** Started so far, in order: eight bytes each. */
  readonly transfers: QueuedTransfer[];
  /** DMA engines that have the queue. */
  readonly ringCount: number;
  readonly rings: Map<number, RingPlace>;
  isInOrder: boolean;
}

export interface PacketPlace {
  readonly transfer: QueuedTransfer;
  readonly raisesSemaphore: boolean;
}

/** Queues of one core. */
export class TransferQueues {
  readonly #queues = new Map<number, Queue>();

  start({ number, rings: ringCount }: EngineQueue, transfer: QueuedTransfer): void {
    const make = (): Queue => ({ transfers: [], ringCount, rings: new Map(), isInOrder: true });
    entryOf(this.#queues, number, make).transfers.push(transfer);
  }

  /**
   * The transfer of a packet; null when it is not known. To be called with all packets of a queue in order of start.
   * @param queue number of the queue, and of the DMA engine, as in records
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
