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
import type { Labels } from '../../../record/record.js';
import type { Counters } from '../../../record/lines/device-lines.js';

export const INSTRUCTION_BYTES = 64;

/** Opcodes of a transfer: as loaded, and as the compiler writes it, which the runtime replaces. */
const LOADED_TRANSFER = 0xb8;
export const COMPILED_TRANSFER = 0xd4;

/** What the words of an instruction say; `operands` is null where a code in them is not known. */
export interface DecodedInstruction {
  readonly operands: string | null;
  readonly labels: Labels;
  readonly counters: Counters;
  /** What a transfer moves; absent for other instructions. */
  readonly moves?: MovedBytes;
}

/** Memories of source and destination, where they are known, bytes in device memory, and the semaphore raised. */
export interface MovedBytes {
  readonly bytes: number;
  readonly memories: readonly [source: Memory | null, destination: Memory | null];
  readonly semaphore: number;
}

/** Whose instruction it is: the runtime's semaphores have another notation than the program's, which have names. */
export interface InstructionContext {
  /** Null when unknown. */
  readonly isRuntime: boolean | null;
  /** Name of the engine or queue that updates a semaphore; null where none does. */
  readonly semaphoreName: (semaphore: number) => string | null;
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

/** The rest of the operands after the semaphores, and the memory that the instruction reads and writes. */
interface Operands {
  readonly text: string | null;
  readonly reads?: Access | null;
  readonly writes?: Access | null;
  /** Multiply-accumulate operations. */
  readonly elements?: number;
  readonly labels?: Labels;
  readonly moves?: MovedBytes;
}

type Layout = (word: Buffer, context: InstructionContext) => Operands;

export type Memory = 'hbm' | 'sbuf' | 'psum';

/** Bytes of a partition for an engine's instruction, of all partitions for a transfer: as the vendor's tool counts. */
interface Access {
  readonly memory: Memory | null;
  readonly bytes: number | null;
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

/** A text of pieces; null when a piece is. */
function joined(strings: TemplateStringsArray, ...pieces: readonly (string | number | null)[]): string | null {
  if (pieces.includes(null)) return null;
  return strings.map((text, i) => `${text}${pieces[i] ?? ''}`).join('');
}

const hex = (value: number | bigint): string => `0x${value.toString(16)}`;
const product = (factors: readonly number[]): number => factors.reduce((all, factor) => all * factor, 1);
const codeOf = (names: Readonly<Record<number, string>>, code: number): string | null => names[code] ?? null;

/** Element types by code; those of other codes have not been seen. */
const TYPES: Readonly<Record<number, { readonly name: string; readonly bytes: number }>> = {
  0x06: { name: 'bfloat16', bytes: 2 },
  0x08: { name: 'int32', bytes: 4 },
  0x09: { name: 'uint32', bytes: 4 },
  0x0a: { name: 'fp32', bytes: 4 },
};

const typeName = (code: number): string | null => TYPES[code]?.name ?? null;

/** Conditions on a semaphore, and on an event that is reset when it is met. */
const CONDITIONS: Readonly<Record<number, string>> = { 0x01: '==', 0x05: '>=' };
const EVENT_IS_SET = 0x07;
const INCREMENT = 0x13;
const SET_EVENT = 0x11;
const ADD = 0x15;
const ASSIGN = 0x19;
const DECREMENT = 0x14;

/**
 * Condition and update of semaphores, one after the other; '' for neither, null for unknown codes.
 * @param at offset of the four bytes
 * @param value value waited for
 * @param amount value of an update; null where the instruction has no place for it
 */
function headText(
  word: Buffer,
  at: number,
  value: number,
  amount: number | null,
  context: InstructionContext,
): string | null {
  const wait = waitText(word.readUInt8(at), word.readUInt8(at + 1), value, context);
  const update = updateText(word.readUInt8(at + 2), word.readUInt8(at + 3), amount, context);
  if (wait === null || update === null) return null;
  return [wait, update].filter((text) => text !== '').join(' ');
}

function semaphoreText(semaphore: number, { isRuntime, semaphoreName }: InstructionContext): string {
  if (isRuntime === true) return `$S[${semaphore}]`;
  const name = semaphoreName(semaphore);
  return name === null ? `S[${semaphore}]` : `S[${semaphore}] (${name})`;
}

function waitText(code: number, semaphore: number, value: number, context: InstructionContext): string | null {
  if (code === 0) return '';
  if (code === EVENT_IS_SET) return `$E[${semaphore}]==1-`;
  return joined`${semaphoreText(semaphore, context)}${codeOf(CONDITIONS, code)}${value}`;
}

function updateText(
  code: number,
  semaphore: number,
  amount: number | null,
  context: InstructionContext,
): string | null {
  const name = semaphoreText(semaphore, context);
  switch (code) {
    case 0:
      return '';
    case SET_EVENT:
      return `$E[${semaphore}]+@complete`;
    case INCREMENT:
      return `${name}++@complete`;
    case DECREMENT:
      return `${name}--@complete`;
    case ADD:
      return joined`${name}+=${amount}@complete`;
    case ASSIGN:
      return joined`${name}=${amount}@complete`;
    default:
      return null;
  }
}

/** Addresses of an engine's instruction: below this the state buffer, from it on the accumulators. */
const FIRST_PSUM_ADDRESS = 0x2000000;

/** A tensor in the memory of an engine: an address, then strides and sizes of its dimensions, in elements. */
interface Tensor {
  readonly address: number;
  readonly strides: readonly number[];
  readonly sizes: readonly number[];
}

function tensorAt(word: Buffer, at: number, dimensions: number): Tensor {
  const places = Array.from({ length: dimensions }, (_, i) => at + 4 + 2 * i);
  return {
    address: word.readUInt32LE(at),
    strides: places.map((place) => word.readInt16LE(place)),
    sizes: places.map((place) => word.readUInt16LE(place + 2 * dimensions)),
  };
}

const tensorText = ({ address, strides, sizes }: Tensor): string =>
  `${hex(address)}[${strides.join(',')}][${sizes.join(',')}]`;

const accessOf = ({ address, sizes }: Tensor, type: number): Access => {
  const bytes = TYPES[type]?.bytes;
  return {
    memory: address < FIRST_PSUM_ADDRESS ? 'sbuf' : 'psum',
    bytes: bytes === undefined ? null : bytes * product(sizes),
  };
};

const FP32_MODES: Readonly<Record<number, string>> = {
  0: '',
  1: 'fp32_mode=LOW ',
  2: 'fp32_mode=HIGH ',
  3: 'fp32_mode=LOW_HIGH ',
};

const TRANSPOSES: Readonly<Record<number, string>> = { 0: 'DISABLED', 1: 'ENABLED' };

/** Weights, or the other operand of a product, with the size of the part of the array that takes part. */
function matrixOperand(word: Buffer): Tensor & { readonly type: number; readonly array: readonly [number, number] } {
  return {
    ...tensorAt(word, 16, 3),
    type: word.readUInt8(32),
    array: [word.readUInt8(38), word.readUInt8(39)],
  };
}

const transposeLabels = (word: Buffer): Labels => (word.readUInt8(34) === 1 ? { type: 'TRANSPOSE' } : {});

function loadWeights(word: Buffer): Operands {
  const source = matrixOperand(word);
  return {
    text: joined`${codeOf(FP32_MODES, word.readUInt8(33))}transpose_mode=${codeOf(TRANSPOSES, word.readUInt8(34))} src=${typeName(source.type)}@${tensorText(source)} ${source.array.join('*')} `, // prettier-ignore
    reads: accessOf(source, source.type),
    labels: transposeLabels(word),
  };
}

/** The vendor's tool counts what is written in elements of the source's type. */
function multiply(word: Buffer): Operands {
  const source = matrixOperand(word);
  const target = tensorAt(word, 48, 3);
  return {
    text: joined`acc_flags=${word.readUInt8(43)} ${codeOf(FP32_MODES, word.readUInt8(33))}src=${typeName(source.type)}@${tensorText(source)} dst=${tensorText(target)} ${source.array.join('*')} `, // prettier-ignore
    reads: accessOf(source, source.type),
    writes: accessOf(target, source.type),
    elements: product([...source.array, ...source.sizes]),
    labels: transposeLabels(word),
  };
}

/** Text of source, destination and channels of an elementwise instruction, after its own settings. */
function elementwise(
  word: Buffer,
  settings: string | null,
  { at: [sourceAt, targetAt], dimensions, end = '' }: ElementwisePlaces,
): Operands {
  const [source, target] = [tensorAt(word, sourceAt, dimensions), tensorAt(word, targetAt, dimensions)];
  // The type of an activation's bias has the other four bits.
  const [sourceType, targetType] = [word.readUInt8(32) & 0x0f, word.readUInt8(33)];
  return {
    text: joined`${settings}src=${typeName(sourceType)}@${tensorText(source)} dst=${typeName(targetType)}@${tensorText(target)} channels=${word.readUInt8(34)} ${end}`, // prettier-ignore
    reads: accessOf(source, sourceType),
    writes: accessOf(target, targetType),
  };
}

interface ElementwisePlaces {
  /** Offsets of source and destination. */
  readonly at: readonly [number, number];
  readonly dimensions: number;
  readonly end?: string;
}

const FOUR_DIMENSIONS: ElementwisePlaces = { at: [12, 44], dimensions: 4 };
const THREE_DIMENSIONS: ElementwisePlaces = { at: [16, 48], dimensions: 3 };

const REDUCTIONS: Readonly<Record<number, string>> = { 4: 'ADD', 8: 'MAX' };
const REDUCED: Readonly<Record<number, string>> = { 2: 'X' };
const NEGATIONS: Readonly<Record<number, string>> = { 0: '', 1: 'negated=1 ' };

const reduce: Layout = (word) =>
  elementwise(
    word,
    joined`op=${codeOf(REDUCTIONS, word.readUInt8(36))} dim=${codeOf(REDUCED, word.readUInt8(37))} ${codeOf(NEGATIONS, word.readUInt8(35))}`, // prettier-ignore
    FOUR_DIMENSIONS,
  );

const SCALAR_OPS: Readonly<Record<number, string>> = { 0: 'BYPASS', 6: 'MULTIPLY' };
const SCALAR_SOURCES: Readonly<Record<number, readonly [string, string]>> = { 1: ['PTR', 'INSTRUCTION'] };

/** Two operations with a scalar each, which is in the instruction or in memory. */
function tensorScalar(word: Buffer): Operands {
  const ops = [word.readUInt8(36), word.readUInt8(37)].map((code) => codeOf(SCALAR_OPS, code));
  const sources = SCALAR_SOURCES[word.readUInt8(35)];
  // A scalar in the instruction is printed in a form that is known for 0 alone.
  const second = word.readUInt32LE(44) === 0 ? 0 : null;
  const settings =
    sources === undefined
      ? null
      : joined`ops=${ops[0] ?? null},${ops[1] ?? null} imm=${hex(word.readUInt32LE(40))},${second} imm_src=${sources.join(',')} `; // prettier-ignore
  return elementwise(word, settings, THREE_DIMENSIONS);
}

const FUNCTIONS: Readonly<Record<number, string>> = { 7: 'EXP' };
const DECIMALS = 6;

function activate(word: Buffer): Operands {
  const fn = codeOf(FUNCTIONS, word.readUInt8(35));
  const bias = typeName(word.readUInt8(32) >>> 4);
  const scale = word.readFloatLE(36).toFixed(DECIMALS);
  // The accumulator's command is known for 0 alone.
  const command = word.readUInt32LE(12) === 0 ? 'IDLE' : null;
  const operands = elementwise(word, joined`${fn} bias_ptr=${bias}@${hex(word.readUInt32LE(40))} `, {
    ...THREE_DIMENSIONS,
    end: `scale=${scale} imm=${word.readFloatLE(44).toFixed(DECIMALS)} accumulator_cmd=IDLE`,
  });
  return {
    ...operands,
    text: command === null ? null : operands.text,
    labels: fn === null ? {} : { activation: fn },
  };
}

const convert: Layout = (word) => elementwise(word, '', FOUR_DIMENSIONS);

/** One side of a transfer: an address, or a place in a variable, or in an entry of the table of inputs and outputs. */
interface TransferSide {
  readonly place: string;
  readonly pattern: string;
  readonly elementBytes: number;
  readonly access: Access & { readonly bytes: number };
  /** Number of the variable; null for an address or an entry. */
  readonly variable: number | null;
  /** Number of the entry; null for an address or a variable. */
  readonly entry: number | null;
}

const IN_VARIABLE = 0x10;
const IN_TABLE = 0x20;
const ADDRESS_BITS = 0xffff_ffff_ffffn;

function transferSide(word: Buffer, name: string, at: number): TransferSide {
  const strides = [word.readInt32LE(at + 8), word.readInt32LE(at + 12)];
  const sizes = [word.readUInt16LE(at + 16), word.readUInt16LE(at + 18)];
  const elementBytes = word.readUInt16LE(at + 20);
  const number = word.readUIntLE(at + 4, 3);
  const offset = word.readUInt32LE(at);
  const kind = word.readUInt8(at + 7);
  const address = word.readBigUInt64LE(at) & ADDRESS_BITS;
  const isLoaded = word.readUInt8(0) === LOADED_TRANSFER;
  const places: Readonly<Record<number, string>> = {
    [IN_VARIABLE]: `${name}_var_id=${number} ${name}_var_offset=${offset}`,
    [IN_TABLE]: `${name}_table_offset_imm=${isLoaded ? hex(offset) : offset} ${name}_table_index=${number}`,
  };
  return {
    place: places[kind] ?? `${name}_addr_imm=${hex(address)}`,
    pattern: `[${strides.join(',')}][${sizes.join(',')}]`,
    elementBytes,
    access: { memory: kind === IN_TABLE ? 'hbm' : memoryAt(address), bytes: elementBytes * product(sizes) },
    variable: kind === IN_VARIABLE ? number : null,
    entry: kind === IN_TABLE ? number : null,
  };
}

/** Device addresses: HBM at the bottom, then registers, then the state buffers of the cores. */
const FIRST_REGISTER_ADDRESS = 0x8010_0000_0000n;
const FIRST_CORE_ADDRESS = 0x8020_0000_0000n;
/** The state buffer is the first part of a core's span. */
const CORE_SPAN_BITS = 0x7_ffff_ffffn;

function memoryAt(address: bigint): Memory | null {
  if (address < FIRST_REGISTER_ADDRESS) return 'hbm';
  const isStateBuffer = address >= FIRST_CORE_ADDRESS && (address & CORE_SPAN_BITS) < BigInt(FIRST_PSUM_ADDRESS);
  return isStateBuffer ? 'sbuf' : null;
}

function transferText(word: Buffer, source: TransferSide, target: TransferSide): string | null {
  const [sourceType, targetType] = [word.readUInt8(62), word.readUInt8(63)];
  const types =
    sourceType === targetType ? '' : joined`in_dtype=${typeName(sourceType)} out_dtype=${typeName(targetType)} `;
  return joined`semaphore=${word.readUInt8(13)} sem_increment=${word.readUInt8(14)}  src_elem_size=${source.elementBytes} dst_elem_size=${target.elementBytes} src_pattern=${source.pattern} dst_pattern=${target.pattern} ${source.place} src_shape_reg=0 ${target.place} dst_shape_reg=0 ${types}`; // prettier-ignore
}

const sidesOf = (word: Buffer): readonly [TransferSide, TransferSide] => [
  transferSide(word, 'src', 16),
  transferSide(word, 'dst', 40),
];

function transfer(word: Buffer): Operands {
  const [source, target] = sidesOf(word);
  return {
    text: joined`${transferText(word, source, target)}compute_op=NONE `,
    reads: source.access,
    writes: target.access,
    moves: {
      bytes: (target.access.memory === 'hbm' ? target : source).access.bytes,
      memories: [source.access.memory, target.access.memory],
      semaphore: word.readUInt8(13),
    },
  };
}

/** A transfer as the compiler wrote it. */
export interface CompiledTransfer {
  readonly operands: string | null;
  /** Numbers of the variables, and of entries of the table of inputs and outputs, that it reads and writes. */
  readonly sides: readonly [Pick<TransferSide, 'variable' | 'entry'>, Pick<TransferSide, 'variable' | 'entry'>];
}

export function compiledTransfer(word: Buffer, context: InstructionContext): CompiledTransfer {
  const sides = sidesOf(word);
  const head = headText(word, 4, word.readUInt32LE(8), null, context);
  return { operands: joined`${head} dge_op=DIRECT2D ${transferText(word, ...sides)}  `, sides };
}

/** A second condition and update. */
const eventSemaphore: Layout = (word, context) => {
  const wait = waitText(word.readUInt8(32), word.readUInt8(33), word.readUInt32LE(36), context);
  const update = updateText(word.readUInt8(34), word.readUInt8(35), word.readUInt32LE(40), context);
  return { text: joined`setter=0 ${wait} ${update} ` };
};

const ORDERINGS: Readonly<Record<number, string>> = { 0: 'relaxed', 1: 'strict' };
const CLEARED: Readonly<Record<number, string>> = { 1: 'SEMAPHORE_ZERO' };

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

/** One or two values written to device registers; the second has a size of 0 where there is one. */
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

/** Seen with these values alone. */
function notify(word: Buffer): Operands {
  const isKnown = word.readUInt8(2) === 9 && word.readUInt8(39) === 1;
  return { text: isKnown ? ` hint=${word.readUInt8(36)} notification=EXPLICIT  trace=START ` : null };
}

const LAYOUTS: ReadonlyMap<number, Layout> = new Map<number, Layout>([
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
  [
    0xb0,
    (word) => ({
      text: joined`mode=${codeOf(CLEARED, word.readUInt8(12))} first=${word.readUInt8(13)} last=${word.readUInt8(14)} `,
    }),
  ],
  [0xb1, (word) => ({ text: joined`ordering_mode=${codeOf(ORDERINGS, word.readUInt8(12))} ` })],
  [LOADED_TRANSFER, transfer],
]);
