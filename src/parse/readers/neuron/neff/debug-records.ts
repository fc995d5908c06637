/**
 * Debug files of a NEFF: protobuf messages that all have the same form, from an engine's instructions up to the framework's
 * operations.
 *
 * | field | in a file                                   | in a record                                          |
 * |-------|---------------------------------------------|------------------------------------------------------|
 * | 1     | a sentence that says what the file is for   | number                                               |
 * | 2     | name of the file of the layer above         | name                                                 |
 * | 3     | records                                     | numbers of records in the layer above                |
 * | 4, 5  | 5: source files, numbered from 0            | numbers of records on which it depends               |
 * | 7     | functions, numbered from 0                  | attributes, each with a key and a value              |
 * | 6     |                                             | 1 regular, 2 saves or loads a spill, 3 transposes    |
 * | 9, 10 |                                             | kinds of the dependencies in 4 and 5                 |
 *
 * Lists of numbers are packed. Source: NEFFs of compilers 2.23 and 2.27 (docs/neuron-instructions.md).
 */
import type protobuf from 'protobufjs/minimal.js';
import { entryOf } from '../../../../containers/map-entry.js';
import { elementAt } from '../../../../containers/element.js';
import { lateLibrary } from '../../../../containers/late-library.js';

const protobufjs = lateLibrary<typeof protobuf>('protobufjs/minimal.js');

const WIRE_BYTES = 2;
const NUMBER = 1;
const NAME = 2;
const RECORDS = 3;
const PARENTS = 3;
const FILES = 5;
const FUNCTIONS = 7;
const ATTRIBUTES = 7;
const NUMBER_TAG = NUMBER << 3;
/** Fields with the numbers of dependencies and with their kinds: for order, and for semaphores. */
const BEFORE: readonly (readonly [numbers: number, kinds: number])[] = [
  [4, 9],
  [5, 10],
];
const TYPE = 6;
const SPILL = 2;
const LISTS: readonly number[] = [PARENTS, TYPE, ...BEFORE.flat()];

/** Kinds of dependencies by number. */
const KINDS: Readonly<Record<number, string>> = { 1: 'ordered', 2: 'anti', 3: 'output', 4: 'flow' };

/** Maximum number of dependencies of an instruction. A record with more numbers or fields is damaged. */
export const MOST_DEPENDENCIES = 4096;
const MOST_FIELDS = 4 * MOST_DEPENDENCIES;

/** Strings of a file to which its records refer by number, from 0. */
export interface DebugTexts {
  readonly files: string[];
  readonly functions: string[];
}

export interface DebugRecord {
  readonly name: string;
  /** Numbers of records in the layer above; several if the compiler fused them. */
  readonly parents: readonly number[];
  readonly before: readonly { readonly number: number; readonly kind: string }[];
  readonly attributes: ReadonlyMap<string, string>;
  /** Whether it saves data that did not fit into the state buffer, or loads it again. */
  readonly isSpill: boolean;
}

/**
 * The records of a debug file, not yet decoded.
 * @param texts filled with the strings of the file
 * @throws RangeError or Error when the file is damaged
 */
export function* recordsOf(bytes: Uint8Array, texts?: DebugTexts): Generator<Uint8Array> {
  const reader = protobufjs().Reader.create(bytes);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    const field = tag >>> 3;
    if ((tag & 7) !== WIRE_BYTES) reader.skipType(tag & 7);
    else if (field === RECORDS) yield reader.bytes();
    else if (field === FILES) texts?.files.push(reader.string());
    else if (field === FUNCTIONS) texts?.functions.push(reader.string());
    else reader.skip(reader.uint32());
  }
}

/** A record's number, which is its first field. The number 0 is not written, like any zero in a message. */
export function numberOf(record: Uint8Array): number {
  const reader = protobufjs().Reader.create(record);
  return record.length > 0 && reader.uint32() === NUMBER_TAG ? reader.uint32() : 0;
}

/**
 * Numbers of records in the layer above.
 * @throws RangeError or Error when the record is damaged
 */
export const parentsOf = (record: Uint8Array): readonly number[] => fieldsOf(record).lists.get(PARENTS) ?? [];

/** Decodes a record; null when it is damaged. */
export function debugRecord(record: Uint8Array): DebugRecord | null {
  let fields: Fields;
  try {
    fields = fieldsOf(record);
  } catch {
    return null;
  }
  const { name, lists, attributes } = fields;
  const listOf = (field: number): readonly number[] => lists.get(field) ?? [];
  return {
    name,
    parents: listOf(PARENTS),
    before: BEFORE.flatMap(([numbers, kinds]) =>
      listOf(numbers).map((number, i) => ({ number, kind: KINDS[listOf(kinds)[i] ?? 0] ?? 'unknown' })),
    ),
    attributes,
    isSpill: listOf(TYPE)[0] === SPILL,
  };
}

interface Fields {
  name: string;
  /** Numbers by field, from a packed list or a single number. */
  readonly lists: ReadonlyMap<number, readonly number[]>;
  readonly attributes: ReadonlyMap<string, string>;
}

/**
 * Reads the fields of a record. It keeps at most one number more from a list than an instruction may have dependencies,
 * to detect damage.
 */
function fieldsOf(record: Uint8Array): Fields {
  const lists = new Map<number, number[]>();
  const attributes = new Map<string, string>();
  let name = '';
  const reader = protobufjs().Reader.create(record);
  for (let count = 0; reader.pos < reader.len; count++) {
    if (count === MOST_FIELDS) throw new RangeError('too many fields');
    const tag = reader.uint32();
    const field = tag >>> 3;
    const isRun = (tag & 7) === WIRE_BYTES;
    if (LISTS.includes(field) && (isRun || (tag & 7) === 0))
      addNumbers(reader, isRun, entryOf(lists, field, () => [])); // prettier-ignore
    else if (isRun && field === NAME) name = reader.string();
    else if (isRun && field === ATTRIBUTES) attributes.set(...attribute(reader.bytes()));
    else reader.skipType(tag & 7);
  }
  return { name, lists, attributes };
}

function addNumbers(reader: protobuf.Reader, isRun: boolean, numbers: number[]): void {
  const end = isRun ? reader.uint32() + reader.pos : reader.pos + 1;
  if (end > reader.len) throw new RangeError('a list extends beyond its record');
  while (reader.pos < end && numbers.length <= MOST_DEPENDENCIES) numbers.push(reader.uint32());
  if (isRun) reader.pos = end;
}

function attribute(bytes: Uint8Array): [key: string, value: string] {
  const pair = ['', ''];
  const reader = protobufjs().Reader.create(bytes);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    const at = (tag >>> 3) - 1;
    if ((tag & 7) === WIRE_BYTES && (at === 0 || at === 1)) pair[at] = reader.string();
    else reader.skipType(tag & 7);
  }
  return pair as [string, string];
}

/** `FILE:LINE` of a record, whose attributes have the file's number; null when it has none. */
export const sourceOf = ({ attributes }: DebugRecord, { files }: DebugTexts): string | null =>
  placeOf(textAt(files, attributes.get('kernel_file')), attributes.get('kernel_line'));

/** The NKI function to which a record belongs; null when it has none. */
export const functionOf = ({ attributes }: DebugRecord, { functions }: DebugTexts): string | null =>
  textAt(functions, attributes.get('kernel_name')) ?? null;

const textAt = (texts: readonly string[], number = ''): string | undefined =>
  number === '' ? undefined : texts[Number(number)];

/** `FILE:LINE`; null when one of them is unknown, which '' and 0 mean. */
const placeOf = (file = '', line = ''): string | null =>
  file === '' || line === '' || line === '0' ? null : `${file}:${line}`;

const LAYERS = ['penguin', 'hlo', 'pttf'] as const;
const MEMBER = /^debug_info_(penguin|hlo|pttf)\.dbg(?:_sg(\d+))?$/;

/** Source location of an instruction. */
export interface SourceNames {
  /** Operation, such as `%op0 = dot(%x, %y)`. */
  readonly op: string | null;
  /** Scopes of the framework, outermost first. */
  readonly layer: readonly string[];
  /** Source line as `FILE:LINE`. */
  readonly source: string | null;
  /** Attributes of the operation, as JSON. */
  readonly hloAttrs: string | null;
  /** NKI function. */
  readonly kernelName: string | null;
}

export const NO_NAMES: SourceNames = { op: null, layer: [], source: null, hloAttrs: null, kernelName: null };

interface LayerFile {
  readonly texts: DebugTexts;
  /** Records by number, not yet decoded. */
  readonly records: Map<number, Uint8Array>;
}

/**
 * The layers of a program above an engine's instructions: lines of the kernel (`penguin`), operations of the compiler's
 * graph (`hlo`), operations of the framework (`pttf`). The debug files contain them if the program was compiled with
 * them. The file of each layer names the file of the next, and its records refer to that file's records by number.
 * Memory: the debug files, and their part of the program's room.
 */
export class DebugLayers {
  /** Files by layer, then by the subgraph's number in the file name. */
  readonly #files = LAYERS.map(() => new Map<number, LayerFile>());

  static reads(file: string): boolean {
    return MEMBER.test(file);
  }

  /**
   * Reads a debug file of a layer.
   * @param hasRoom takes room for one record, if there is any
   * @returns whether there was room for all records
   * @throws RangeError or Error when the file is damaged; records read before that are kept
   */
  takeMember(file: string, bytes: Buffer, hasRoom: () => boolean): boolean {
    const [, layer = '', subgraph = '0'] = MEMBER.exec(file) ?? [];
    const found: LayerFile = { texts: { files: [], functions: [] }, records: new Map() };
    this.#files[LAYERS.findIndex((each) => each === layer)]?.set(Number(subgraph), found);
    for (const record of recordsOf(bytes, found.texts)) {
      if (!hasRoom()) return false;
      // Records of modules and computations also have the number 0. The record of the operation comes last and replaces
      // them.
      found.records.set(numberOf(record), record);
    }
    return true;
  }

  /**
   * @param subgraph number of the instruction's subgraph
   * @param numbers numbers of the kernel lines from which it was made; each name or place is that of the first line that
   * has one
   */
  namesOf(subgraph: number, numbers: readonly number[]): SourceNames {
    const lines = this.#records(0, subgraph, numbers);
    const operations = this.#records(1, subgraph, parents(lines));
    const scopes = this.#records(2, subgraph, parents(operations));
    return {
      op: firstOf(operations, ({ record }) => record.name),
      layer: (firstOf(scopes, ({ record }) => record.name) ?? '').split('/').filter((part) => part !== ''),
      source:
        firstOf(lines, ({ record, texts }) => sourceOf(record, texts)) ??
        firstOf(operations, ({ record: { attributes } }) =>
          placeOf(attributes.get('source_file'), attributes.get('source_line')),
        ),
      hloAttrs: firstOf(operations, ({ record }) => attributesText(record)),
      kernelName: firstOf(lines, ({ record, texts }) => functionOf(record, texts)),
    };
  }

  #records(layer: number, subgraph: number, numbers: readonly number[]): readonly LayerRecord[] {
    const files = elementAt(this.#files, layer);
    // The subgraphs of a logical core may share a file.
    const file = files.size === 1 ? [...files.values()][0] : files.get(subgraph);
    if (file === undefined) return [];
    return numbers.flatMap((number) => {
      const bytes = file.records.get(number);
      const record = bytes === undefined ? null : debugRecord(bytes);
      return record === null ? [] : [{ record, texts: file.texts }];
    });
  }
}

interface LayerRecord {
  readonly record: DebugRecord;
  readonly texts: DebugTexts;
}

/**
 * Numbers in the layer above, without duplicates; at most as many as a record may have, so that the layers of a damaged
 * file do not multiply.
 */
function parents(records: readonly LayerRecord[]): readonly number[] {
  const numbers = new Set<number>();
  for (const { record } of records) {
    for (const number of record.parents) {
      if (numbers.size === MOST_DEPENDENCIES) return [...numbers];
      numbers.add(number);
    }
  }
  return [...numbers];
}

function firstOf(records: readonly LayerRecord[], textOf: (record: LayerRecord) => string | null): string | null {
  for (const record of records) {
    const text = textOf(record);
    if (text !== null && text !== '') return text;
  }
  return null;
}

/** Attributes as JSON, without unknown ones, which are '' or 0. */
function attributesText({ attributes }: DebugRecord): string | null {
  const known = [...attributes].filter(([, value]) => value !== '' && value !== '0');
  return known.length === 0 ? null : JSON.stringify(Object.fromEntries(known));
}
