/** Transfers between memories, as they were loaded, and as the compiler wrote them. */
import {
  codeOf,
  FIRST_PSUM_ADDRESS,
  hex,
  joined,
  product,
  typeName,
  type Access,
  type InstructionContext,
  type NeuronMemory,
  type Operands,
} from './word-fields.js';
import { headText } from './semaphores.js';

/** Opcodes of a transfer: as loaded, and as the compiler writes it, which the runtime replaces. */
export const LOADED_TRANSFER = 0xb8;
export const COMPILED_TRANSFER = 0xd4;

/** One side of a transfer: an address, or a place in a variable, or in an entry of the table of inputs and outputs. */
interface TransferSide {
  /** Null for an unknown kind of place. */
  readonly place: string | null;
  readonly pattern: string;
  readonly elementBytes: number;
  readonly access: Access & { readonly bytes: number };
  /** Number of the variable; null for an address or an entry. */
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
/** The state buffer is the first part of a core's span. */
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
