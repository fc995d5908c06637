/**
 * Operands of instructions that compute (products on the array, and the elementwise work of the other engines), and of
 * those that transfer data.
 */
import { dtypeBytes } from '../../../../record/element-types.js';
import type { Labels } from '../../../../record/record.js';
import {
  codeOf,
  FIRST_PSUM_ADDRESS,
  hex,
  joined,
  product,
  typeName,
  headText,
  type Access,
  type WordLayout,
  type Operands,
  type InstructionContext,
  type NeuronMemory,
} from './word-fields.js';

/** Opcodes of a transfer: in the loaded program, and in the compiler's program, where the runtime replaces it. */
export const LOADED_TRANSFER = 0xb8;
export const COMPILED_TRANSFER = 0xd4;

/** One side of a transfer: an address, a place in a variable, or a place in an entry of the table of inputs and outputs. */
interface TransferSide {
  /** Null for an unknown kind of place. */
  readonly place: string | null;
  readonly pattern: string;
  readonly elementBytes: number;
  readonly access: Access & { readonly bytes: number };
  /** Number of the variable; null for an address, or an entry of the table. */
  readonly variable: number | null;
  /** Number of the entry; null for an address or a variable. */
  readonly entry: number | null;
}

/** Kinds of places. */
const ADDRESS = 0;
const IN_VARIABLE = 0x10;
const IN_TABLE = 0x20;

function transferSide(word: Buffer, name: string, at: number): TransferSide {
  const strides = [word.readInt32LE(at + 8), word.readInt32LE(at + 12)];
  const sizes = [word.readUInt16LE(at + 16), word.readUInt16LE(at + 18)];
  const elementBytes = word.readUInt16LE(at + 20);
  const number = word.readUIntLE(at + 4, 3);
  const offset = word.readUInt32LE(at);
  const kind = word.readUInt8(at + 7);
  const address = word.readBigUInt64LE(at);
  const isLoaded = word.readUInt8(0) === LOADED_TRANSFER;
  const places: Readonly<Record<number, string>> = {
    [ADDRESS]: `${name}_addr_imm=${hex(address)}`,
    [IN_VARIABLE]: `${name}_var_id=${number} ${name}_var_offset=${offset}`,
    [IN_TABLE]: `${name}_table_offset_imm=${isLoaded ? hex(offset) : offset} ${name}_table_index=${number}`,
  };
  return {
    place: codeOf(places, kind),
    pattern: `[${strides.join(',')}][${sizes.join(',')}]`,
    elementBytes,
    access: { memory: memoryOf(kind, address), bytes: elementBytes * product(sizes) },
    variable: kind === IN_VARIABLE ? number : null,
    entry: kind === IN_TABLE ? number : null,
  };
}

/** Device addresses: HBM at the bottom, then registers, then the state buffers of the cores. */
const FIRST_REGISTER_ADDRESS = 0x8010_0000_0000n;
const FIRST_CORE_ADDRESS = 0x8020_0000_0000n;
/** Address bits within a core's span; the state buffer is the first part of the span. */
const CORE_SPAN_BITS = 0x7_ffff_ffffn;

function memoryOf(kind: number, address: bigint): NeuronMemory | null {
  if (kind === IN_TABLE) return 'hbm';
  if (kind !== ADDRESS) return null;
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

export function transfer(word: Buffer): Operands {
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

/** A transfer in the compiler's program. */
export interface CompiledTransfer {
  readonly operands: string | null;
  /** Numbers of the variables, and of entries in the table of inputs and outputs, on both sides. */
  readonly sides: readonly [Pick<TransferSide, 'variable' | 'entry'>, Pick<TransferSide, 'variable' | 'entry'>];
}

export function compiledTransfer(word: Buffer, context: InstructionContext): CompiledTransfer {
  const sides = sidesOf(word);
  const head = headText(word, 4, word.readUInt32LE(8), null, context);
  return { operands: joined`${head} dge_op=DIRECT2D ${transferText(word, ...sides)}  `, sides };
}

/** A tensor in an engine's memory: an address, then strides and sizes of its dimensions, in elements. */
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
  const bytes = dtypeBytes(typeName(type) ?? '');
  return {
    memory: address < FIRST_PSUM_ADDRESS ? 'sbuf' : 'psum',
    bytes: bytes === null ? null : bytes * product(sizes),
  };
};

const FP32_MODES: Readonly<Record<number, string>> = {
  0: '',
  1: 'fp32_mode=LOW ',
  2: 'fp32_mode=HIGH ',
  3: 'fp32_mode=LOW_HIGH ',
};

const TRANSPOSES: Readonly<Record<number, string>> = { 0: 'DISABLED', 1: 'ENABLED' };

/** The weights or the other operand of a product, with the size of the part of the array that is used. */
function matrixOperand(word: Buffer): Tensor & { readonly type: number; readonly array: readonly [number, number] } {
  return {
    ...tensorAt(word, 16, 3),
    type: word.readUInt8(32),
    array: [word.readUInt8(38), word.readUInt8(39)],
  };
}

const transposeLabels = (word: Buffer): Labels => (word.readUInt8(34) === 1 ? { type: 'TRANSPOSE' } : {});

export function loadWeights(word: Buffer): Operands {
  const source = matrixOperand(word);
  return {
    text: joined`${codeOf(FP32_MODES, word.readUInt8(33))}transpose_mode=${codeOf(TRANSPOSES, word.readUInt8(34))} src=${typeName(source.type)}@${tensorText(source)} ${source.array.join('*')} `, // prettier-ignore
    reads: accessOf(source, source.type),
    labels: transposeLabels(word),
  };
}

/** Operands of a product. The vendor's tool counts written bytes in elements of the source's type. */
export function multiply(word: Buffer): Operands {
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

/** Text for source, destination and channels of an elementwise instruction, after the instruction's own settings. */
function elementwise(
  word: Buffer,
  settings: string | null,
  { at: [sourceAt, targetAt], dimensions, end = '' }: ElementwisePlaces,
): Operands {
  const [source, target] = [tensorAt(word, sourceAt, dimensions), tensorAt(word, targetAt, dimensions)];
  // The other four bits are the type of an activation's bias.
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

export const reduce: WordLayout = (word) =>
  elementwise(
    word,
    joined`op=${codeOf(REDUCTIONS, word.readUInt8(36))} dim=${codeOf(REDUCED, word.readUInt8(37))} ${codeOf(NEGATIONS, word.readUInt8(35))}`, // prettier-ignore
    FOUR_DIMENSIONS,
  );

const SCALAR_OPS: Readonly<Record<number, string>> = { 0: 'BYPASS', 6: 'MULTIPLY' };
const SCALAR_SOURCES: Readonly<Record<number, readonly [string, string]>> = { 1: ['PTR', 'INSTRUCTION'] };

/** Two operations with one scalar each, which is in the instruction or in memory. */
export function tensorScalar(word: Buffer): Operands {
  const ops = [word.readUInt8(36), word.readUInt8(37)].map((code) => codeOf(SCALAR_OPS, code));
  const sources = SCALAR_SOURCES[word.readUInt8(35)];
  // The form in which the tool prints a scalar from the instruction is known only for 0.
  const second = word.readUInt32LE(44) === 0 ? 0 : null;
  const settings =
    sources === undefined
      ? null
      : joined`ops=${ops[0] ?? null},${ops[1] ?? null} imm=${hex(word.readUInt32LE(40))},${second} imm_src=${sources.join(',')} `; // prettier-ignore
  return elementwise(word, settings, THREE_DIMENSIONS);
}

const FUNCTIONS: Readonly<Record<number, string>> = { 7: 'EXP' };
const DECIMALS = 6;

export function activate(word: Buffer): Operands {
  const fn = codeOf(FUNCTIONS, word.readUInt8(35));
  const bias = typeName(word.readUInt8(32) >>> 4);
  const scale = word.readFloatLE(36).toFixed(DECIMALS);
  // The accumulator's command is known only for 0.
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

export const convert: WordLayout = (word) => elementwise(word, '', FOUR_DIMENSIONS);
