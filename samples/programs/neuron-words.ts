/**
 * Instructions of a NeuronCore: their 64 bytes as docs/neuron-instructions.md has them, the vendor tool's text of them,
 * and what they do to the memories. No code of the reader is used.
 */
import type { Work } from './neuron-run.js';

/** What an instruction has besides semaphores. */
export interface Operands {
  readonly text: string;
  readonly work?: Work;
  /** Fills in its bytes. */
  readonly write?: (word: Buffer) => void;
}

interface Type {
  readonly code: number;
  readonly name: string;
  readonly bytes: number;
}

export const BF16: Type = { code: 0x06, name: 'bfloat16', bytes: 2 };
export const FP32: Type = { code: 0x0a, name: 'fp32', bytes: 4 };

/** Elements of a partition one after the other. */
export interface Tile {
  readonly address: number;
  readonly size: number;
  readonly type: Type;
}

/** Addresses from here on are those of the accumulators. */
export const PSUM = 0x2000000;
/** Partitions of the state buffer, and rows and columns of the array. */
const PARTITIONS = 128;

const INSTRUCTION = 64;

/** Opcodes, and the length in words of four bytes. */
const OPCODES: Readonly<Record<string, number>> = {
  LDWEIGHTS: 0x01,
  MATMUL: 0x02,
  ACTIVATE: 0x21,
  ACT_TABLE_LOAD: 0x23,
  TENSOR_REDUCE: 0x42,
  TENSOR_SCALAR: 0x43,
  COPY: 0x46,
  CAST: 0x47,
  RECIPROCAL: 0x48,
  EVENT_SEMAPHORE: 0xa0,
  DRAIN: 0xa2,
  NOP: 0xa4,
  WRITE: 0xa5,
  NOTIFY: 0xa6,
  SET_ORDERING_MODE: 0xb1,
  DMA_DIRECT2D: 0xb8,
};

/** What an instruction waits for, and the semaphore that it counts up when done. */
export interface Semaphores {
  readonly wait: { readonly semaphore: number; readonly value: number } | null;
  readonly update: number | null;
}

export function wordOf(opcode: string, { wait, update }: Semaphores, { write }: Operands): Buffer {
  const word = Buffer.alloc(INSTRUCTION);
  word.set([OPCODES[opcode] ?? 0, INSTRUCTION / 4]);
  if (wait !== null) {
    word.set([0x05, wait.semaphore], 4);
    word.writeUInt32LE(wait.value, 8);
  }
  if (update !== null) word.set([0x13, update], 6);
  write?.(word);
  return word;
}

/** Address, strides of one element, and sizes. */
function writeTile(word: Buffer, at: number, { address, size }: Tile, strides: readonly number[]): void {
  word.writeUInt32LE(address, at);
  strides.forEach((stride, i) => {
    word.writeInt16LE(stride, at + 4 + 2 * i);
    word.writeUInt16LE(i === 0 ? size : 1, at + 4 + 2 * (strides.length + i));
  });
}

const textOf = ({ address, size }: Tile, strides: readonly number[]): string =>
  `0x${address.toString(16)}[${strides.join(',')}][${strides.map((_, i) => (i === 0 ? size : 1)).join(',')}]`;

const bytesOf = ({ size, type }: Tile): number => size * type.bytes;

/** Bytes of one partition, as the tool counts them. */
function workOf(reads: Tile, writes: Tile | null): Work {
  const isRead = reads.address < PSUM ? 'sbuf_read_bytes' : 'psum_read_bytes';
  if (writes === null) return { [isRead]: bytesOf(reads) };
  const isWritten = writes.address < PSUM ? 'sbuf_write_bytes' : 'psum_write_bytes';
  const both = reads.address >= PSUM && writes.address < PSUM ? { psum_read_sbuf_write_bytes: bytesOf(writes) } : {};
  return { [isRead]: bytesOf(reads), [isWritten]: bytesOf(writes), ...both };
}

const ARRAY = [1, 0, 0];
const ARRAY_TEXT = `${PARTITIONS}*${PARTITIONS} `;

function writeMatrix(word: Buffer, source: Tile, isTransposed: boolean): void {
  writeTile(word, 16, source, ARRAY);
  word.set([source.type.code, 0, isTransposed ? 1 : 0], 32);
  word.set([PARTITIONS, PARTITIONS], 38);
}

export const weights = (source: Tile, isTransposed: boolean): Operands => ({
  text: `transpose_mode=${isTransposed ? 'ENABLED' : 'DISABLED'} src=${source.type.name}@${textOf(source, ARRAY)} ${ARRAY_TEXT}`,
  work: workOf(source, null),
  write: (word) => writeMatrix(word, source, isTransposed),
});

/** What is written counts in elements of the source's type. */
export const product = (source: Tile, address: number, isTransposed: boolean): Operands => {
  const target = { ...source, address };
  return {
    text: `acc_flags=3 src=${source.type.name}@${textOf(source, ARRAY)} dst=${textOf(target, ARRAY)} ${ARRAY_TEXT}`,
    work: { elements: PARTITIONS ** 2 * source.size, ...workOf(source, target) },
    write: (word) => {
      writeMatrix(word, source, isTransposed);
      word.writeUInt8(3, 43);
      writeTile(word, 48, target, ARRAY);
    },
  };
};

/** Element by element, of three dimensions or four. */
function elementwise(source: Tile, target: Tile, dimensions: 3 | 4, settings = '', end = ''): Operands {
  const strides = new Array<number>(dimensions).fill(1);
  const [from, to] = dimensions === 4 ? [12, 44] : [16, 48];
  return {
    text: `${settings}src=${source.type.name}@${textOf(source, strides)} dst=${target.type.name}@${textOf(target, strides)} channels=${PARTITIONS} ${end}`,
    work: workOf(source, target),
    write: (word) => {
      writeTile(word, from, source, strides);
      word.set([source.type.code, target.type.code, PARTITIONS], 32);
      writeTile(word, to, target, strides);
    },
  };
}

/** Operands with further bytes. */
const also = (operands: Operands, write: (word: Buffer) => void): Operands => ({
  ...operands,
  write: (word) => {
    operands.write?.(word);
    write(word);
  },
});

/** Also for another type, and for reciprocals. */
export const copied = (source: Tile, target: Tile): Operands => elementwise(source, target, 4);

const REDUCTIONS = { ADD: 4, MAX: 8 } as const;

export const reduced = (op: keyof typeof REDUCTIONS, source: Tile, target: Tile): Operands =>
  also(elementwise(source, target, 4, `op=${op} dim=X `), (word) => word.set([REDUCTIONS[op], 2], 36));

/** Multiplied by a number in the state buffer. */
export const multiplied = (source: Tile, address: number, target: Tile): Operands =>
  also(
    elementwise(source, target, 3, `ops=MULTIPLY,BYPASS imm=0x${address.toString(16)},0 imm_src=PTR,INSTRUCTION `),
    (word) => {
      word.set([1, 6], 35);
      word.writeUInt32LE(address, 40);
    },
  );

/** The exponential function of a multiple and a bias. */
export const exponential = (source: Tile, target: Tile, scale: number, bias: Tile): Operands =>
  also(
    elementwise(
      source,
      target,
      3,
      `EXP bias_ptr=${bias.type.name}@0x${bias.address.toString(16)} `,
      `scale=${scale.toFixed(6)} imm=0.000000 accumulator_cmd=IDLE`,
    ),
    (word) => {
      word.writeUInt8((bias.type.code << 4) | source.type.code, 32);
      word.writeUInt8(7, 35);
      word.writeFloatLE(scale, 36);
      word.writeUInt32LE(bias.address, 40);
    },
  );

/** A side of a transfer: a place in the state buffer, in the memory of a weight, or in an input or output. */
export type Place =
  | { readonly kind: 'state'; readonly offset: number }
  | { readonly kind: 'variable'; readonly variable: number }
  | { readonly kind: 'table'; readonly entry: number; readonly offset: number };

/** Of a tile of bfloat16: rows, and bytes of each. */
const ROWS = PARTITIONS;
const ROW_BYTES = PARTITIONS * BF16.bytes;

/** Device addresses of the state buffer and of variables. */
const STATE_BUFFER = 0x8020_0000_0000n;
const VARIABLES = 0x8005_0000_0000n;
const VARIABLE_BYTES = 0x10_0000n;
/** Between the partitions of the state buffer. */
const PARTITION_BYTES = 0x4_0000;

interface Side {
  readonly text: string;
  readonly bytes: Buffer;
}

/** @param variable number of the state buffer's variable, in what the compiler wrote; null as loaded */
function sideOf(name: string, place: Place, variable: number | null): Side {
  const bytes = Buffer.alloc(8);
  if (place.kind === 'table') {
    const offset = variable === null ? `0x${place.offset.toString(16)}` : place.offset;
    bytes.writeUInt32LE(place.offset);
    bytes.writeUIntLE(place.entry, 4, 3);
    bytes.writeUInt8(0x20, 7);
    return { text: `${name}_table_offset_imm=${offset} ${name}_table_index=${place.entry}`, bytes };
  }
  const offset = place.kind === 'state' ? place.offset : 0;
  if (variable === null) {
    const address =
      place.kind === 'state' ? STATE_BUFFER + BigInt(offset) : VARIABLES + VARIABLE_BYTES * BigInt(place.variable);
    bytes.writeBigUInt64LE(address);
    return { text: `${name}_addr_imm=0x${address.toString(16)}`, bytes };
  }
  const number = place.kind === 'state' ? variable : place.variable;
  bytes.writeUInt32LE(offset);
  bytes.writeUIntLE(number, 4, 3);
  bytes.writeUInt8(0x10, 7);
  return { text: `${name}_var_id=${number} ${name}_var_offset=${offset}`, bytes };
}

/** Number of the variable that is the state buffer. */
export const STATE_VARIABLE = 0;

export interface Moved {
  readonly source: Place;
  readonly target: Place;
  readonly semaphore: number;
  readonly packets: number;
}

function writeMove(word: Buffer, { source, target, semaphore, packets }: Moved, variable: number | null): void {
  word.set([semaphore, packets], 13);
  for (const [at, name, place] of [
    [16, 'src', source],
    [40, 'dst', target],
  ] as const) {
    sideOf(name, place, variable).bytes.copy(word, at);
    word.writeInt32LE(place.kind === 'state' ? PARTITION_BYTES : ROW_BYTES, at + 8);
    word.writeInt32LE(1, at + 12);
    word.writeUInt16LE(ROWS, at + 16);
    word.writeUInt16LE(1, at + 18);
    word.writeUInt16LE(ROW_BYTES, at + 20);
  }
  word.set([BF16.code, BF16.code], 62);
}

function moveText({ source, target, semaphore, packets }: Moved, variable: number | null): string {
  const pattern = (place: Place): string => `[${place.kind === 'state' ? PARTITION_BYTES : ROW_BYTES},1][${ROWS},1]`;
  const [from, to] = [sideOf('src', source, variable), sideOf('dst', target, variable)];
  return (
    `semaphore=${semaphore} sem_increment=${packets}  src_elem_size=${ROW_BYTES} dst_elem_size=${ROW_BYTES} ` +
    `src_pattern=${pattern(source)} dst_pattern=${pattern(target)} ` +
    `${from.text} src_shape_reg=0 ${to.text} dst_shape_reg=0 `
  );
}

/** A tile between memories; all partitions count. */
export const moved = (move: Moved): Operands => ({
  text: `${moveText(move, null)}compute_op=NONE `,
  work: {
    [move.source.kind === 'state' ? 'sbuf_read_bytes' : 'hbm_read_bytes']: ROWS * ROW_BYTES,
    [move.target.kind === 'state' ? 'sbuf_write_bytes' : 'hbm_write_bytes']: ROWS * ROW_BYTES,
  },
  write: (word) => writeMove(word, move, null),
});

/** The same as the compiler writes it, with the text after the semaphores. */
export const compiledMove = (move: Moved): Operands => ({
  text: `dge_op=DIRECT2D ${moveText(move, STATE_VARIABLE)}  `,
  write: (word) => {
    word.writeUInt8(0xd4, 0);
    writeMove(word, move, STATE_VARIABLE);
  },
});

export const tableLoad: Operands = { text: 'table_sel=0 ' };
export const nothing: Operands = { text: '' };
export const noOperation: Operands = { text: 'cycle=1 ', write: (word) => word.writeUInt32LE(1, 12) };
export const relaxedOrder: Operands = { text: 'ordering_mode=relaxed ' };
export const onlySemaphores: Operands = { text: 'setter=0   ' };

/** The end is said to the host. */
export const notified: Operands = {
  text: ' hint=2 notification=EXPLICIT  trace=START ',
  write: (word) => {
    word.writeUInt8(9, 2);
    word.writeUInt8(2, 36);
    word.writeUInt8(1, 39);
  },
};

const REGISTER = 0x8010_0025_f038n;

/** A value into a register of the device. */
export const written = (value: number): Operands => ({
  text: `data=0x${value.toString(16)} size=4 dst=0x${REGISTER.toString(16)} `,
  write: (word) => {
    word.writeUInt8(4, 12);
    word.writeBigUInt64LE(REGISTER, 16);
    word.writeBigUInt64LE(BigInt(value), 32);
  },
});
