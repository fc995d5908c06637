/**
 * The work of one instruction of a compiled program, from its opcode, operands and counters.
 *
 * An operand is written `dst=fp32@0x6820[1,1,1,1][4,1,1,1]`: type, address, strides, extents within one partition;
 * `channels=128` is the number of partitions. Other operands are semaphores, registers and values. Source: the instructions
 * of five Trainium2 captures, whose access patterns give the same bytes and multiply-accumulates as the vendor's tool.
 */
import type { Category } from '../category.js';
import { dtypeShort, dtypeBytes } from '../../record/element-types.js';
import type { ProfileLine } from '../../record/record.js';
import { isNeuronInstruction } from '../../record/neuron/neuron-cores.js';
import type { KernelRole, Work } from '../family.js';
import { numel } from '../call.js';

/** Kind of an operand. `word`: anything else, such as a mode or a function. */
export type OperandKind = 'wait' | 'update' | 'event' | 'pattern' | 'register' | 'value' | 'extents' | 'word';

export interface Operand {
  readonly kind: OperandKind;
  /** Name of the operand, semaphore (`S[5]`) or event (`$E[1]`); '' if it has none. */
  readonly name: string;
  /** The text after the name, as written; the whole operand when it has no name. */
  readonly text: string;
  /** The engine or queue that owns a semaphore; '' when it is not written. */
  readonly owner: string;
}

/** Elements of a tensor that an engine or a DMA visits: one extent and one stride for each loop, innermost first. */
export interface AccessPattern {
  /** The tool's name for the type; null when it is not written. */
  readonly dtype: string | null;
  /** Address as written, in hexadecimal; null for a pattern without one. */
  readonly address: string | null;
  /** On-chip memory of an engine's address; null for DMA addresses. */
  readonly memory: 'SBUF' | 'PSUM' | null;
  readonly strides: readonly number[];
  readonly sizes: readonly number[];
  /** Number of elements in one partition. */
  readonly elements: number;
  /** Bytes in one partition; null when the size of an element is unknown. */
  readonly bytes: number | null;
}

/** An owner in parentheses belongs to the semaphore before it. */
const PARTS = /\$?[SE]\[\d{1,9}\](?: \([^()]*\))?\S*|\S+/g;

/** The first match is used; the groups are name, owner, text. */
const SEMAPHORES: readonly (readonly [OperandKind, RegExp])[] = [
  ['wait', /^(\$?S\[\d+\])(?: \(([^()]*)\))?((?:>=|==|<=|>|<)\d+)$/],
  ['update', /^(\$?S\[\d+\])(?: \(([^()]*)\))?((?:\+\+|--|[+-]?=\d)\S*)$/],
  ['event', /^(\$?E\[\d+\])(?: \(([^()]*)\))?(\S+)$/],
];

const NAMED = /^(\w+)=(\S+)$/;

/** The text after the `=` of a named operand, or an operand without a name. */
const VALUES: readonly (readonly [OperandKind, RegExp])[] = [
  ['pattern', /^(?:\w+@)?(?:0x[\da-fA-F]+)?\[[-\d,]+\]\[[\d,]+\]$/],
  ['register', /^\$R\[\d+\](?:,\$R\[\d+\])*$/],
  ['value', /^(?:\w+@)?-?(?:0x[\da-fA-F]+|\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?:,-?(?:0x[\da-fA-F]+|\d+(?:\.\d+)?))*$/],
  ['extents', /^\d+(?:\*\d+)+$/],
];

const operandKindOf = (text: string): OperandKind => VALUES.find(([, form]) => form.test(text))?.[0] ?? 'word';

function operandOf(part: string): Operand {
  for (const [kind, form] of SEMAPHORES) {
    const [, name, owner = '', text] = form.exec(part) ?? [];
    if (name !== undefined && text !== undefined) return { kind, name, text, owner };
  }
  const [, name, text] = NAMED.exec(part) ?? [];
  if (name !== undefined && text !== undefined) return { kind: operandKindOf(text), name, text, owner: '' };
  return { kind: operandKindOf(part), name: '', text: part, owner: '' };
}

/** All operands in a string, in order. */
export const operandsOf = (text: string): readonly Operand[] =>
  Array.from(text.matchAll(PARTS), ([part]) => operandOf(part));

const PATTERN = /^(?:(\w+)@)?(0x[\da-fA-F]+)?\[([-\d,]+)\]\[([\d,]+)\]$/;

/** First address of PSUM; lower addresses are in SBUF. Engines address both memories of their core with 32 bits. */
const FIRST_PSUM = 0x2000000;
const FIRST_BEYOND = 2 ** 32;

function memoryOf(address: string): AccessPattern['memory'] {
  const place = Number(address);
  if (place >= FIRST_BEYOND) return null;
  return place >= FIRST_PSUM ? 'PSUM' : 'SBUF';
}

/** The access pattern of a `pattern` operand; null for any other. */
export function patternOf({ kind, text }: Operand): AccessPattern | null {
  const [, dtype = null, address = null, strides, extents] = PATTERN.exec(text) ?? [];
  if (kind !== 'pattern' || strides === undefined || extents === undefined) return null;
  const sizes = extents.split(',').map(Number);
  const elements = numel(sizes);
  const size = dtype === null ? null : dtypeBytes(dtype);
  return {
    dtype,
    address,
    memory: address === null ? null : memoryOf(address),
    strides: strides.split(',').map(Number),
    sizes,
    elements,
    bytes: size === null ? null : elements * size,
  };
}

/** Semaphores for which an instruction waits: `S[5]` → its owner. */
export const waitsOf = (operands: readonly Operand[]): ReadonlyMap<string, string> =>
  new Map(operands.filter(({ kind }) => kind === 'wait').map(({ name, owner }) => [name, owner]));

/** Names of the semaphores that an instruction changes, or that its transfer increments: `semaphore=8 sem_increment=16`. */
export function updatesOf(operands: readonly Operand[]): ReadonlySet<string> {
  return new Set(
    operands.flatMap(({ kind, name, text }) =>
      kind === 'update' ? [name] : kind === 'value' && name === 'semaphore' ? [`S[${text}]`] : [],
    ),
  );
}

export interface Instruction {
  /** Name of the opcode. */
  readonly name: string;
  readonly operands?: string;
  readonly counters?: Readonly<Record<string, number>>;
  readonly labels?: Readonly<Record<string, string | number>>;
}

/**
 * `multiply`, `half`, `transpose`: on the array of multipliers. `map`, `reduce`: one operation per element written or read.
 * `start`: passes a transfer to the DMA queues and ends before the transfer does; in real captures, after 31 ns for 512
 * KiB.
 */
type OpcodeKind = 'multiply' | 'half' | 'transpose' | 'map' | 'reduce' | 'move' | 'start' | 'control';

const named = (kind: OpcodeKind, names: string): (readonly [string, OpcodeKind])[] =>
  names.split(' ').map((name) => [name, kind]);

const OPCODES: ReadonlyMap<string, OpcodeKind> = new Map([
  ...named('multiply', 'MATMUL'),
  ...named('map', 'ACTIVATE TENSOR_SCALAR TENSOR_TENSOR RECIPROCAL'),
  ...named('reduce', 'TENSOR_REDUCE'),
  ...named('move', 'LDWEIGHTS COPY CAST ACT_TABLE_LOAD TENSOR_LOAD'),
  ...named('start', 'DMA_DIRECT2D'),
  ...named(
    'control',
    'EVENT_SEMAPHORE EVENT_SEMAPHORE_RANGE_CLEAR DRAIN NOP WRITE NOTIFY COMPARE_BRANCH SET_ORDERING_MODE',
  ),
]);

const SOURCE = 'operands and counters of the capture';

/** Element type of an operand: `src=bf16@…` → bf16; null when it is unspecified. */
export function operandType({ operands = '' }: Instruction): string | null {
  const type = /\bsrc=([a-z]\w*)@/.exec(operands)?.[1];
  return type === undefined ? null : dtypeShort(type);
}

/** Number of elements of an operand in all partitions; null when unspecified. */
function elementsOf(operands: string, name: 'src' | 'dst'): number | null {
  const extents = new RegExp(`\\b${name}=\\w+@0x[0-9a-f]+\\[[^\\]]*\\]\\[([\\d,]+)\\]`).exec(operands)?.[1];
  const channels = /\bchannels=(\d+)/.exec(operands)?.[1];
  if (extents === undefined || channels === undefined) return null;
  return extents.split(',').reduce((product, extent) => product * Number(extent), Number(channels));
}

/** Operations per element: `ops=MULTIPLY,BYPASS` is one operation. */
function operationsOf(operands: string): number {
  const ops = /\bops=([\w,]+)/.exec(operands)?.[1];
  return ops === undefined ? 1 : ops.split(',').filter((op) => op !== 'BYPASS').length;
}

const times = (amount: number | null | undefined, by: number): number | null =>
  amount === null || amount === undefined ? null : amount * by;

/**
 * Whether a multiplication is half of an FP32 product. The array multiplies 16-bit halves: one instruction streams both
 * halves of the moving operand past the low half of the weights, a second one past the high half. Each counts all
 * multiply-accumulates of the product. Source: instructions of real captures, which come in such pairs and take two cycles
 * a column, while BF16 takes one. So an FP32 product has a quarter of the rate, which agrees with the vendor's table of
 * peaks.
 */
const isHalfProduct = ({ operands = '' }: Instruction): boolean => /\bfp32_mode=LOW_HIGH\b/.test(operands);

/** What the opcodes of a kind compute. */
const CATEGORIES: Readonly<Record<OpcodeKind, Category>> = {
  ...{ multiply: 'gemm', half: 'gemm', transpose: 'copy', map: 'elementwise', reduce: 'reduction' },
  ...{ move: 'copy', start: 'copy', control: 'other' },
};

/** What an instruction computes; null for an opcode that is not in the table. */
export function instructionCategory(instruction: Instruction): Category | null {
  const kind = kindOf(instruction);
  return kind === null ? null : CATEGORIES[kind];
}

/** FLOPs by opcode kind, with their formula; null when they are unknown. */
const COSTS: Readonly<
  Record<OpcodeKind, readonly [formula: string, flops: (instruction: Instruction) => number | null]>
> = {
  multiply: ['2 * multiply-accumulates', ({ counters }) => times(counters?.['elements'], 2)],
  map: [
    'operations * extents of the result * partitions',
    ({ operands = '' }) => times(elementsOf(operands, 'dst'), operationsOf(operands)),
  ],
  reduce: ['extents of the source * partitions', ({ operands = '' }) => elementsOf(operands, 'src')],
  move: ['0: moves data', () => 0],
  start: ['0: starts a transfer, which has separate records', () => 0],
  control: ['0: control', () => 0],
  transpose: ['0: a transpose only moves data through the multipliers', () => 0],
  half: [
    "multiply-accumulates of one of the two instructions of an FP32 product; each handles half of the weights' bits",
    ({ counters }) => times(counters?.['elements'], 1),
  ],
};

const MEMORIES = /^(?:hbm|sbuf|psum)/;

/**
 * Traffic of the memory outside the core; 0 when the tool records only traffic of other memories, null when it records
 * none.
 */
function bytesOf({ counters = {} }: Instruction, kind: OpcodeKind): number | null {
  if (kind === 'control') return 0;
  const { hbmReadBytes = 0, hbmWriteBytes = 0 } = counters;
  const hasTraffic = Object.keys(counters).some((name) => MEMORIES.test(name));
  return hasTraffic ? hbmReadBytes + hbmWriteBytes : null;
}

const HELPERS: ReadonlySet<OpcodeKind> = new Set(['transpose', 'move', 'start', 'control']);

const UNKNOWN = "not recorded in the device trace: read the JSON of the vendor's tool";

export function instructionWork(instruction: Instruction): Work | null {
  const kind = kindOf(instruction);
  if (kind === null) return null;
  const [formula, flopsOf] = COSTS[kind];
  const [flops, bytes] = [flopsOf(instruction), bytesOf(instruction, kind)];
  const role: KernelRole = HELPERS.has(kind) ? 'helper' : 'main';
  return {
    role,
    flops,
    bytes,
    params: [],
    matmul: kind === 'multiply' || kind === 'half',
    formula,
    source: SOURCE,
    ...(kind === 'start' ? { outlasted: true } : {}),
    ...(flops === null || bytes === null ? { unknown: UNKNOWN } : {}),
  };
}

/** Loads of registers, with which the runtime starts a program on each of its cores. */
const REGISTER_LOAD = 'TENSOR_LOAD';

/**
 * Whether work on a device belongs to the program. On a core without a part of the program, the runtime still fetches
 * instructions, loads registers and runs control instructions. Always true for devices of other vendors.
 */
export function isOfProgram(record: ProfileLine): boolean {
  if (record.type === 'copy') return record.queueType !== 'instruction';
  if (record.type !== 'kernel' || !isNeuronInstruction(record)) return true;
  return OPCODES.get(record.name) !== 'control' && record.name !== REGISTER_LOAD;
}

function kindOf(instruction: Instruction): OpcodeKind | null {
  const kind = OPCODES.get(instruction.name) ?? null;
  if (kind !== 'multiply') return kind;
  if (instruction.labels?.['type'] === 'TRANSPOSE') return 'transpose';
  return isHalfProduct(instruction) ? 'half' : 'multiply';
}
