/** Small NEFFs: a header, and a tar archive of the members that a compiler writes. */
import { gzipSync } from 'fflate';
import { message, packed, type Field } from './wire.js';

/** A header block and contents; `kind` is the tar type flag. */
export interface TarEntry {
  readonly name: string;
  readonly data: string | Buffer;
  readonly kind?: string;
  /** The size that the header claims, where it is not that of the data: as the field's text. */
  readonly sizeField?: string | Buffer;
  readonly prefix?: string;
}

const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;

function entryBytes({ name, data, kind = '0', sizeField, prefix = '' }: TarEntry): Buffer {
  const contents = Buffer.from(data);
  const block = Buffer.alloc(512);
  block.write(name, 0, 100);
  block.write(octal(0o644, 7), 100);
  const size = Buffer.from(sizeField ?? octal(contents.length, 11));
  size.copy(block, 124);
  block.write(kind, 156);
  block.write('ustar\x0000', 257);
  block.write(prefix, 345);
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)} `, 148);
  return Buffer.concat([block, contents, Buffer.alloc((512 - (contents.length % 512)) % 512)]);
}

export const tarOf = (entries: readonly TarEntry[]): Buffer =>
  Buffer.concat([...entries.map(entryBytes), Buffer.alloc(1024)]);

export interface HeaderValues {
  readonly packageVersion?: bigint;
  readonly headerSize?: bigint;
  readonly dataSize?: bigint;
  readonly uuid?: string;
  readonly hash?: string;
  readonly name?: string;
  readonly features?: bigint;
  readonly coresPerLogical?: number;
}

export const UUID = '00112233445566778899aabbccddeeff';

export function headerBytes(values: HeaderValues = {}): Buffer {
  const header = Buffer.alloc(1024);
  header.writeBigUInt64LE(values.packageVersion ?? 2n, 0);
  header.writeBigUInt64LE(values.headerSize ?? 1024n, 8);
  header.writeBigUInt64LE(values.dataSize ?? 10240n, 16);
  header.writeBigUInt64LE(2n, 24);
  header.writeBigUInt64LE(1n, 32);
  header.writeUInt32LE(1, 168);
  Buffer.from(values.hash ?? '0123456789abcdef0123456789abcdef', 'hex').copy(header, 172);
  Buffer.from(values.uuid ?? UUID, 'hex').copy(header, 204);
  header.write(values.name ?? 'small.neff', 220);
  header.writeBigUInt64LE(values.features ?? 0xc00n, 544);
  header.writeUInt32LE(values.coresPerLogical ?? 2, 552);
  return header;
}

/** JSON members by name: one subgraph with an input, an output and a constant. */
export const PARTS: Readonly<Record<string, unknown>> = {
  'info.json': { tool_version: '2.0.1+abc', name: 'small.neff', num_tpb: 1 },
  'kelf-0.json': { graphs: [{ name: 'sg00', definition: 'sg00/def.json' }], target: 'cayman', version: '0.5' },
  'sg00/def.json': {
    dma_queue: { qSPDynamicHW: { type: 'dynamic', owner: 'sp', semaphore_set: [8, 9] } },
    var: {
      SB: { type: 'state-buffer', var_id: 0 },
      x: { type: 'input', size: 1024, var_id: 1 },
      y: { type: 'output', size: 512, var_id: 2 },
      w_sg0000: { type: 'file', size: 2048, file_name: 'value_sg0000_w.npy', var_id: 3 },
      scratch: { type: 'virtual', size: 4096, var_id: 4 },
    },
  },
  'sg00/tensor_map.json': {
    x: { dtype: 'bfloat16', kind: 'input', is_const: false, sim_shape: [8, 64], tf_file: 'value_x.npy' },
    y: { dtype: 'float32', kind: 'output', is_const: false, sim_shape: [128], tf_file: 'value_y.npy' },
    sg0000_w: { dtype: 'float32', is_const: true, tf_shape: [512], tf_file: 'value_sg0000_w.npy' },
    scratch: { dtype: 'float32', is_const: false, sim_shape: [1024], tf_file: 'value_scratch.npy' },
  },
};

export const entriesOf = (parts: Readonly<Record<string, unknown>> = PARTS): TarEntry[] =>
  Object.entries(parts).map(([name, part]) => ({ name, data: JSON.stringify(part) }));

/** Header, archive packed by gzip, and zeros up to a multiple of 10240 bytes, as real files have them. */
export function neffBytes(entries: readonly TarEntry[] = entriesOf(), header: HeaderValues = {}): Buffer {
  // In JavaScript, without a time: the same bytes everywhere.
  const packed = gzipSync(tarOf(entries), { level: 9, mtime: 0 });
  const size = Math.ceil(packed.length / 10240) * 10240;
  const padding = Buffer.alloc(size - packed.length);
  return Buffer.concat([headerBytes({ dataSize: BigInt(size), ...header }), packed, padding]);
}

/** An instruction as the compiler knows it; numbers are those of its subgraph. */
export interface DebugInstruction {
  readonly number: number;
  readonly name: string;
  readonly penguin?: number;
  /** 1 regular, 2 saves or fetches a spill, 3 transposes. */
  readonly kind?: number;
  readonly attributes?: Attributes;
  /** Instructions that it waits for, with the kind: 1 ordered, 2 anti, 3 output, 4 flow. */
  readonly ordered?: readonly (readonly [number: number, kind: number])[];
  readonly bySemaphore?: readonly (readonly [number: number, kind: number])[];
}

/** Strings that records name by their numbers: of files of source, and of functions. */
export interface DebugTexts {
  readonly files?: readonly string[];
  readonly functions?: readonly string[];
}

const debugFile = (
  what: string,
  next: string,
  records: readonly (readonly Field[])[],
  { files = [], functions = [] }: DebugTexts = {},
): Buffer =>
  message([
    [1, what],
    [2, next],
    ...records.map((record): Field => [3, record]),
    ...files.map((file): Field => [5, file]),
    ...functions.map((name): Field => [7, name]),
  ]);

type Attributes = Readonly<Record<string, string>>;

const attributeFields = (attributes: Attributes): Field[] =>
  Object.entries(attributes).map(([key, value]): Field => [
    7,
    [
      [1, key],
      [2, value],
    ],
  ]);

/** A record of a layer above instructions; without a number for 0, which a message leaves out. */
export interface LayerRecord {
  readonly number?: number;
  readonly name: string;
  /** Numbers in the next layer. */
  readonly parents?: readonly number[];
  readonly attributes?: Attributes;
}

/** `debug_info_LAYER.dbg_sg000000`: lines of the kernel (penguin), the compiler's graph (hlo), the framework (pttf). */
export const layerFile = (next: string, records: readonly LayerRecord[], texts: DebugTexts = {}): Buffer =>
  debugFile(
    'Debug info for one layer of the program.',
    next,
    records.map(({ number, name, parents = [], attributes = {} }): Field[] => [
      ...(number === undefined ? [] : [[1, number] as const]),
      [2, name],
      ...(parents.length === 0 ? [] : [[3, packed(parents)] as const]),
      ...attributeFields(attributes),
    ]),
    texts,
  );

/** `debug_info_asm_ENGINE.dbg`: for each instruction of an engine the number of what it was made from; 0 for none. */
export const rowsFile = (numbers: readonly number[]): Buffer =>
  debugFile(
    "Instructions of one engine in the binary file's order.",
    'debug_info_backend.dbg',
    numbers.map((number): Field[] => (number === 0 ? [] : [[3, packed([number])]])),
  );

/** `debug_info_backend_ENGINE.dbg`: names of instructions and what they wait for. */
export const instructionsFile = (instructions: readonly DebugInstruction[], texts: DebugTexts = {}): Buffer =>
  debugFile(
    'Instructions of one engine before they were assembled.',
    'debug_info_penguin.dbg',
    instructions.map(({ number, name, penguin, kind, attributes = {}, ordered = [], bySemaphore = [] }) => [
      [1, number],
      [2, name],
      ...(penguin === undefined ? [] : [[3, packed([penguin])] as const]),
      [4, packed(ordered.map(([other]) => other))],
      [5, packed(bySemaphore.map(([other]) => other))],
      ...(kind === undefined ? [] : [[6, kind] as const]),
      ...attributeFields(attributes),
      [9, packed(ordered.map(([, of]) => of))],
      [10, packed(bySemaphore.map(([, of]) => of))],
    ]),
    texts,
  );
