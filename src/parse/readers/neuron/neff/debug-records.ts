/**
 * Debug files of a NEFF: protobuf messages of one form, from an engine's instructions up to the framework's operations.
 *
 * | field | of a file                                   | of a record                                          |
 * |-------|---------------------------------------------|------------------------------------------------------|
 * | 1     | a sentence that says what the file is for   | number                                               |
 * | 2     | name of the file of the layer above         | name                                                 |
 * | 3     | records                                     | numbers of records of the layer above                |
 * | 4, 5  | 5: files of source, which records number    | numbers of records that it depends on                |
 * | 7     | functions, which records number             | attributes, a key and a value each                   |
 * | 6     |                                             | 1 regular, 2 saves or fetches a spill, 3 transposes  |
 * | 9, 10 |                                             | kinds of the dependencies in 4 and 5                 |
 *
 * Lists of numbers are packed. Source: NEFFs of compilers 2.23 and 2.27 (docs/neuron-instructions.md).
 */
import protobuf from 'protobufjs/minimal.js';
import { entryOf } from '../../../../containers/map-entry.js';
import { elementAt } from '../../../../containers/element.js';

const WIRE_BYTES = 2;
const NUMBER = 1;
const NAME = 2;
const RECORDS = 3;
const PARENTS = 3;
const FILES = 5;
const FUNCTIONS = 7;
const ATTRIBUTES = 7;
const NUMBER_TAG = NUMBER << 3;
/** Lists of numbers, and of the kinds of these dependencies: by order, and by semaphores. */
const BEFORE: readonly (readonly [numbers: number, kinds: number])[] = [
  [4, 9],
  [5, 10],
];
const TYPE = 6;
const SPILL = 2;
const LISTS: readonly number[] = [PARENTS, TYPE, ...BEFORE.flat()];

/** Kinds of dependencies by number. */
const KINDS: Readonly<Record<number, string>> = { 1: 'ordered', 2: 'anti', 3: 'output', 4: 'flow' };

/** Of an instruction; more numbers or fields of a record are damage. */
export const MOST_DEPENDENCIES = 4096;
const MOST_FIELDS = 4 * MOST_DEPENDENCIES;

/** Texts that records of a file have by their numbers, from 0 on. */
export interface DebugTexts {
  readonly files: string[];
  readonly functions: string[];
}

export interface DebugRecord {
  readonly name: string;
  /** Numbers of records of the layer above; more than one where the compiler fused them. */
  readonly parents: readonly number[];
  readonly before: readonly { readonly number: number; readonly kind: string }[];
  readonly attributes: ReadonlyMap<string, string>;
  /** Whether it saves what did not fit into the state buffer, or fetches it again. */
  readonly isSpill: boolean;
}

/**
 * The records of a debug file, not yet decoded.
 * @param texts filled with the file's own
 * @throws RangeError or Error when the file is damaged
 */
export function* recordsOf(bytes: Uint8Array, texts?: DebugTexts): Generator<Uint8Array> {
  const reader = protobuf.Reader.create(bytes);
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

/** A record's number: its first field; 0, like any number of a message, is left out. */
export function numberOf(record: Uint8Array): number {
  const reader = protobuf.Reader.create(record);
  return record.length > 0 && reader.uint32() === NUMBER_TAG ? reader.uint32() : 0;
}

/** Numbers of records of the layer above. @throws RangeError or Error when the record is damaged */
export const parentsOf = (record: Uint8Array): readonly number[] => fieldsOf(record).lists.get(PARENTS) ?? [];

/** Null for a damaged record. */
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
  /** Numbers by field: of a packed list, or one. */
  readonly lists: ReadonlyMap<number, readonly number[]>;
  readonly attributes: ReadonlyMap<string, string>;
}

/** Of a list as many numbers as an instruction may have dependencies and one more. */
function fieldsOf(record: Uint8Array): Fields {
  const lists = new Map<number, number[]>();
  const attributes = new Map<string, string>();
  let name = '';
  const reader = protobuf.Reader.create(record);
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
  if (end > reader.len) throw new RangeError('a list ends behind its record');
  while (reader.pos < end && numbers.length <= MOST_DEPENDENCIES) numbers.push(reader.uint32());
  if (isRun) reader.pos = end;
}

function attribute(bytes: Uint8Array): [key: string, value: string] {
  const pair = ['', ''];
  const reader = protobuf.Reader.create(bytes);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    const at = (tag >>> 3) - 1;
    if ((tag & 7) === WIRE_BYTES && (at === 0 || at === 1)) pair[at] = reader.string();
    else reader.skipType(tag & 7);
  }
  return pair as [string, string];
}

/** `FILE:LINE` of a record, whose attributes number the file; null where it has none. */
export const sourceOf = ({ attributes }: DebugRecord, { files }: DebugTexts): string | null =>
  placeOf(textAt(files, attributes.get('kernel_file')), attributes.get('kernel_line'));

/** The function of NKI that a record is of; null where it has none. */
export const functionOf = ({ attributes }: DebugRecord, { functions }: DebugTexts): string | null =>
  textAt(functions, attributes.get('kernel_name')) ?? null;

const textAt = (texts: readonly string[], number = ''): string | undefined =>
  number === '' ? undefined : texts[Number(number)];

/** `FILE:LINE`; null where one of them is unknown, as '' and 0 are. */
const placeOf = (file = '', line = ''): string | null =>
  file === '' || line === '' || line === '0' ? null : `${file}:${line}`;

const LAYERS = ['penguin', 'hlo', 'pttf'] as const;
const MEMBER = /^debug_info_(penguin|hlo|pttf)\.dbg(?:_sg(\d+))?$/;

/** Where an instruction comes from. */
export interface SourceNames {
  /** `%op0 = dot(%x, %y)` */
  readonly op: string | null;
  /** Outermost first. */
  readonly layer: readonly string[];
  /** `FILE:LINE` */
  readonly source: string | null;
  /** Attributes of the operation, as JSON. */
  readonly hloAttrs: string | null;
  /** Function of NKI. */
  readonly kernelName: string | null;
}

export const NO_NAMES: SourceNames = { op: null, layer: [], source: null, hloAttrs: null, kernelName: null };

interface LayerFile {
  readonly texts: DebugTexts;
  /** Not yet decoded. */
  readonly records: Map<number, Uint8Array>;
}

/**
 * The layers of a program above an engine's instructions, which its debug files have where it was compiled with them:
 * lines of the kernel (`penguin`), operations of the compiler's graph (`hlo`), operations of the framework (`pttf`).
 * The file of each layer names that of the next, and so do its records by number. Layers of a program. Memory: the
 * debug files, and the room that they take of the program's.
 */
export class DebugLayers {
  /** By layer, then by the number of the subgraph that the file's name has. */
  readonly #files = LAYERS.map(() => new Map<number, LayerFile>());

  static reads(file: string): boolean {
    return MEMBER.test(file);
  }

  /**
   * @param hasRoom takes room for one record, if there is some
   * @returns whether there was room for all of it
   * @throws RangeError or Error when the file is damaged; what was read of it before stays
   */
  takeMember(file: string, bytes: Buffer, hasRoom: () => boolean): boolean {
    const [, layer = '', subgraph = '0'] = MEMBER.exec(file) ?? [];
    const found: LayerFile = { texts: { files: [], functions: [] }, records: new Map() };
    this.#files[LAYERS.findIndex((each) => each === layer)]?.set(Number(subgraph), found);
    for (const record of recordsOf(bytes, found.texts)) {
      if (!hasRoom()) return false;
      // Modules and computations have no number either: the operation without one, 0, is the last of them.
      found.records.set(numberOf(record), record);
    }
    return true;
  }

  /**
   * @param subgraph number of the instruction's
   * @param numbers of the lines of the kernel that it was made of: the first that has a name or a place gives it
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
    // The subgraphs of a logical core share a file.
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

/** Numbers in the layer above, each once; as many as one record may have, so that layers of a damaged file do not multiply. */
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

/** As JSON, without those that are unknown: '' and 0. */
function attributesText({ attributes }: DebugRecord): string | null {
  const known = [...attributes].filter(([, value]) => value !== '' && value !== '0');
  return known.length === 0 ? null : JSON.stringify(Object.fromEntries(known));
}
