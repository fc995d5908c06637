/**
 * Decodes the 64 bytes of a loaded instruction into its operands in the vendor tool's notation, and derives
 * multiply-accumulate operations, bytes of each memory, and semaphores. The vendor publishes no layout; each field was
 * found in Trainium2 captures for which the vendor's tool had printed the operands (docs/neuron-instructions.md). If
 * an instruction has a code that was not seen there, its operands are unknown.
 *
 * | bytes | all instructions                                              |
 * |-------|---------------------------------------------------------------|
 * | 0, 1  | opcode; length in words of four bytes, which is 16            |
 * | 4, 5  | condition to wait for, and the number of its semaphore        |
 * | 6, 7  | update when done, and the number of its semaphore             |
 * | 8–11  | value to wait for                                             |
 */
import type { Counters } from '../../../../record/lines/device-lines.js';
import type { Labels } from '../../../../record/record.js';
import {
  activate,
  convert,
  loadWeights,
  multiply,
  reduce,
  tensorScalar,
  LOADED_TRANSFER,
  transfer,
} from './engine-operands.js';
import {
  codeOf,
  hex,
  joined,
  product,
  typeName,
  headText,
  INCREMENT,
  updateText,
  waitText,
  type Access,
  type InstructionContext,
  type MovedBytes,
  type Operands,
  type WordLayout,
} from './word-fields.js';

export const INSTRUCTION_BYTES = 64;

// Control instructions: semaphores, registers, branches, notifications.

/** An instruction with a second condition and update. */
const eventSemaphore: WordLayout = (word, context) => {
  const wait = waitText(word.readUInt8(32), word.readUInt8(33), word.readUInt32LE(36), context);
  const update = updateText(word.readUInt8(34), word.readUInt8(35), word.readUInt32LE(40), context);
  return { text: joined`setter=0 ${wait} ${update} ` };
};

function loadRegisters(word: Buffer): Operands {
  const sizes = [word.readUInt8(14), word.readUInt8(15)];
  const strides = [word.readInt32LE(24), word.readInt32LE(28)];
  const registers = Array.from({ length: Math.min(product(sizes), MOST_REGISTERS) }, (_, i) => `$R[${word[32 + i]}]`);
  const address = hex(word.readBigUInt64LE(16));
  return {
    text: joined`addr=${typeName(word.readUInt8(12))}@${address}[${strides.join(',')}][${sizes.join(',')}] data=${registers.join(',')} `, // prettier-ignore
  };
}

const MOST_REGISTERS = 16;

/** Operands of a write of one or two values to device registers. With only one value, the second has size 0. */
function write(word: Buffer): Operands {
  const slots = [0, 1].filter((i) => word.readUInt8(12 + i) > 0);
  const list = (text: (slot: number) => string | number): string => slots.map(text).join(',');
  const data = list((i) => hex(word.readBigUInt64LE(32 + 8 * i)));
  const sizes = list((i) => word.readUInt8(12 + i));
  return { text: `data=${data} size=${sizes} dst=${list((i) => hex(word.readBigUInt64LE(16 + 8 * i)))} ` };
}

const COMPARISONS: Readonly<Record<number, string>> = { 0: 'ALWAYS', 3: 'EQ' };

function branch(word: Buffer): Operands {
  const comparison = codeOf(COMPARISONS, word.readUInt8(12));
  const compared =
    comparison === 'ALWAYS' ? '' : joined`dtype=${typeName(word.readUInt8(13))} cmp0=$R[${word.readUInt8(16)}] cmp1=${word.readUInt32LE(32)} `; // prettier-ignore
  const hint = word.readUInt8(3) === 0 ? '' : `debugHint=${word.readUInt8(3)}`;
  return { text: joined`cmp_op=${comparison} ${compared}label_id=${word.readUInt32LE(48)} ${hint}` };
}

/** Only these values have been seen. */
function notify(word: Buffer): Operands {
  const isKnown = word.readUInt8(2) === 9 && word.readUInt8(39) === 1;
  return { text: isKnown ? ` hint=${word.readUInt8(36)} notification=EXPLICIT  trace=START ` : null };
}

const ORDERINGS: Readonly<Record<number, string>> = { 0: 'relaxed', 1: 'strict' };

const setOrdering: WordLayout = (word) => ({
  text: joined`ordering_mode=${codeOf(ORDERINGS, word.readUInt8(12))} `,
});

const CLEARED: Readonly<Record<number, string>> = { 1: 'SEMAPHORE_ZERO' };

const clearSemaphores: WordLayout = (word) => ({
  text: joined`mode=${codeOf(CLEARED, word.readUInt8(12))} first=${word.readUInt8(13)} last=${word.readUInt8(14)} `,
});

/** Facts in the words of an instruction; `operands` is null when a code in them is unknown. */
export interface DecodedInstruction {
  readonly operands: string | null;
  readonly labels: Labels;
  readonly counters: Counters;
  /** Memories and bytes of a transfer; absent for other instructions. */
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

/** The semaphore that an instruction updates, and whether a DMA queue of its engine does the update. */
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
