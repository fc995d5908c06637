/**
 * The 64 bytes of an instruction as it was loaded → its operands in the vendor tool's notation, and what follows from
 * them: multiply-accumulate operations, bytes of each memory, semaphores. The vendor publishes no layout: each field was
 * found in captures of Trainium2 whose operands the vendor's tool had printed (docs/neuron-instructions.md). A code that
 * none of them has leaves the operands unknown.
 *
 * | bytes | all instructions                                              |
 * |-------|---------------------------------------------------------------|
 * | 0, 1  | opcode; length in words of four bytes, 16                     |
 * | 4, 5  | condition waited for, and the number of its semaphore         |
 * | 6, 7  | update when done, and the number of its semaphore             |
 * | 8–11  | value waited for                                              |
 */
import type { Counters } from '../../../../record/lines/device-lines.js';
import type { Labels } from '../../../../record/record.js';
import {
  branch,
  clearSemaphores,
  eventSemaphore,
  loadRegisters,
  notify,
  setOrdering,
  write,
} from './control-operands.js';
import { activate, convert, loadWeights, multiply, reduce, tensorScalar } from './engine-operands.js';
import type { Access, InstructionContext, MovedBytes, WordLayout } from './word-fields.js';
import { headText, INCREMENT } from './semaphores.js';
import { LOADED_TRANSFER, transfer } from './transfer-operands.js';

export const INSTRUCTION_BYTES = 64;

/** What the words of an instruction say; `operands` is null where a code in them is not known. */
export interface DecodedInstruction {
  readonly operands: string | null;
  readonly labels: Labels;
  readonly counters: Counters;
  /** What a transfer moves; absent for other instructions. */
  readonly moves?: MovedBytes;
}

/** @param word the 64 bytes */
export function decodeInstruction(word: Buffer, context: InstructionContext): DecodedInstruction {
  const layout = LAYOUTS.get(word.readUInt8(0));
  const labels: Labels = context.isRuntime === false ? { type: 'REGULAR' } : {};
  if (layout === undefined) return { operands: null, labels, counters: {} };
  const head = headText(word, 4, word.readUInt32LE(8), null, context);
  const { text, reads, writes, elements, moves, ...rest } = layout(word, context);
  return {
    operands: head === null || text === null ? null : `${head} ${text}`,
    ...(moves === undefined ? undefined : { moves }),
    labels: { ...labels, ...rest.labels },
    counters:
      context.isRuntime === true
        ? {}
        : {
            ...(elements === undefined || elements === 0 ? undefined : { elements }),
            ...memoryCounters(reads ?? null, writes ?? null),
          },
  };
}

/** Semaphores that instructions of a program update, each with whether a DMA queue of the engine does so. */
export function updatedSemaphore(word: Buffer): { readonly semaphore: number; readonly byQueue: boolean } | null {
  if (word.readUInt8(0) === LOADED_TRANSFER) return { semaphore: word.readUInt8(13), byQueue: true };
  return word.readUInt8(6) === INCREMENT ? { semaphore: word.readUInt8(7), byQueue: false } : null;
}

function memoryCounters(reads: Access | null, writes: Access | null): Record<string, number> {
  const counters: Record<string, number> = {};
  const add = (name: string, access: Access | null): void => {
    const { memory = null, bytes = null } = access ?? {};
    if (memory !== null && bytes !== null) counters[`${memory}${name}Bytes`] = bytes;
  };
  add('Read', reads);
  add('Write', writes);
  const [read, written] = [counters['psumReadBytes'], counters['sbufWriteBytes']];
  if (read !== undefined && written !== undefined) counters['psumReadSbufWriteBytes'] = written;
  return counters;
}

const LAYOUTS: ReadonlyMap<number, WordLayout> = new Map<number, WordLayout>([
  [0x01, loadWeights],
  [0x02, multiply],
  [0x21, activate],
  [0x23, (word) => ({ text: `table_sel=${word.readUInt32LE(12)} ` })],
  [0x42, reduce],
  [0x43, tensorScalar],
  [0x46, convert],
  [0x47, convert],
  [0x48, convert],
  [0xa0, eventSemaphore],
  [0xa2, () => ({ text: '' })],
  [0xa4, (word) => ({ text: `cycle=${word.readUInt32LE(12)} ` })],
  [0xa5, write],
  [0xa6, notify],
  [0xa9, branch],
  [0xaa, loadRegisters],
  [0xb0, clearSemaphores],
  [0xb1, setOrdering],
  [LOADED_TRANSFER, transfer],
]);
