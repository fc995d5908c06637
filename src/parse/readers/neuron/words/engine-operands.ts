/** Instructions that compute: products on the array, and what the other engines do element by element. */
import { dtypeBytes } from '../../../../record/element-types.js';
import type { Labels } from '../../../../record/record.js';
import {
  codeOf,
  FIRST_PSUM_ADDRESS,
  hex,
  joined,
  product,
  typeName,
  type Access,
  type WordLayout,
  type Operands,
} from './word-fields.js';

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

/** Weights, or the other operand of a product, with the size of the part of the array that takes part. */
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

/** The vendor's tool counts what is written in elements of the source's type. */
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

export const reduce: WordLayout = (word) =>
  elementwise(
    word,
    joined`op=${codeOf(REDUCTIONS, word.readUInt8(36))} dim=${codeOf(REDUCED, word.readUInt8(37))} ${codeOf(NEGATIONS, word.readUInt8(35))}`, // prettier-ignore
    FOUR_DIMENSIONS,
  );

const SCALAR_OPS: Readonly<Record<number, string>> = { 0: 'BYPASS', 6: 'MULTIPLY' };
const SCALAR_SOURCES: Readonly<Record<number, readonly [string, string]>> = { 1: ['PTR', 'INSTRUCTION'] };

/** Two operations with a scalar each, which is in the instruction or in memory. */
export function tensorScalar(word: Buffer): Operands {
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

export function activate(word: Buffer): Operands {
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

export const convert: WordLayout = (word) => elementwise(word, '', FOUR_DIMENSIONS);
