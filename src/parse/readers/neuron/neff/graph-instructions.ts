/**
 * What a NEFF says of the instructions of a subgraph: the names that the compiler gave them, which ones each depends on,
 * and the variables that transfers move. The vendor publishes no layout: it was found in the NEFFs of captures whose
 * names and dependencies the vendor's tool had printed (docs/neuron-instructions.md).
 *
 * | member                    | content                                                               |
 * |---------------------------|-----------------------------------------------------------------------|
 * | `ENGINE.bin`              | instructions of an engine, 64 bytes each                              |
 * | `debug_info_asm_*.dbg`    | for each of these in order, the compiler's number of its instruction  |
 * | `debug_info_backend_*.dbg`| for each number: names, and the numbers that it depends on            |
 *
 * Debug files are messages whose repeated field 3 has the records; lists of numbers in them are packed.
 */
import protobuf from 'protobufjs/minimal.js';
import { entryOf } from '../../../../containers/map-entry.js';
import type { Dependency } from '../../../../record/record.js';
import type { Variable, VariableNumbers } from './definition.js';
import { INSTRUCTION_BYTES } from '../words/instruction-word.js';
import { COMPILED_TRANSFER, type CompiledTransfer } from '../words/transfer-operands.js';

/** Engines by their names in members' names; an engine's number is its index. */
const ENGINES = ['PE', 'Activation', 'Pool', 'DVE', 'SP'] as const;

const RECORDS = 3;
const WIRE_BYTES = 2;

/** Kinds of dependencies by number. */
const KINDS: Readonly<Record<number, string>> = { 1: 'ordered', 2: 'anti', 3: 'output', 4: 'flow' };

/** The compiler's account of an instruction. */
export interface CompiledInstruction {
  /** Of its subgraph, engine and row: unique in the program. */
  readonly id: string;
  /** 'sg0000:193'; null for an instruction without debug information. */
  readonly birId: string | null;
  readonly birName: string | null;
  readonly penguinId: string | null;
  /** At most 4096. */
  readonly after: readonly Dependency[];
  readonly hasMoreDependencies: boolean;
  /** Whether its debug information could not be read. */
  readonly isDamaged: boolean;
  /** The words of a transfer before it was loaded, in which variables have numbers. */
  readonly transfer: Buffer | null;
}

/** Names, and dependencies by number. */
interface BirInstruction {
  readonly name: string;
  readonly penguin: number | null;
  readonly before: readonly { readonly number: number; readonly kind: string }[];
}

/** Room for instructions, records of debug files and transfers of a whole program: some 100 bytes each. */
export interface ProgramRoom {
  left: number;
}

export const programRoom = (): ProgramRoom => ({ left: 1 << 21 });

/** Instructions of a subgraph. Memory: the debug files, and the room that they take of the program's. */
export class GraphInstructions {
  /** The compiler's number of each instruction by engine and row; 0 for none. */
  readonly #numbers = ENGINES.map((): readonly number[] => []);
  readonly #transfers = ENGINES.map(() => new Map<number, Buffer>());
  /** Records of numbers, not yet decoded. */
  readonly #records = new Map<number, Uint8Array>();
  /** Ids of the instructions of a number: a product is two. */
  readonly #ids = new Map<number, string[]>();
  #variables: ReadonlyMap<number, Variable> = new Map();
  #table: readonly number[] = [];

  /** @param name of the subgraph: 'sg00' */
  constructor(
    private readonly name: string,
    private readonly room: ProgramRoom,
  ) {}

  /** Who updates each semaphore: a queue by the runtime's name, or an engine. */
  semaphores: ReadonlyMap<number, string> = new Map();

  takeVariables({ variables, table }: VariableNumbers): void {
    this.#variables = variables;
    this.#table = table;
  }

  /** Whether a member of a subgraph's folder is one of those above. */
  static reads(file: string): boolean {
    const [, part = '', name = ''] = MEMBER.exec(file) ?? [];
    return part === 'debug_info_backend_' || (ENGINES as readonly string[]).includes(name);
  }

  /**
   * @param file name of a member in the subgraph's folder; others than those above are ignored
   * @returns whether there was room for all of it
   * @throws RangeError or Error when a debug file is damaged; what was read of it before stays
   */
  takeMember(file: string, bytes: Buffer): boolean {
    const [, part = '', name] = MEMBER.exec(file) ?? [];
    const engine = ENGINES.findIndex((each) => each === name);
    if (part === 'debug_info_backend_') return this.#takeRecords(bytes);
    if (engine === -1) return true;
    return part === 'debug_info_asm_' ? this.#takeRows(engine, bytes) : this.#takeWords(engine, bytes);
  }

  /** The variable of one side of a transfer; null where it has none. */
  variableOf({ variable, entry }: CompiledTransfer['sides'][0]): Variable | null {
    const number = variable ?? (entry === null ? undefined : this.#table[entry]);
    return number === undefined ? null : (this.#variables.get(number) ?? null);
  }

  instruction(engine: number, row: number): CompiledInstruction {
    const number = this.#numbers[engine]?.[row] ?? 0;
    const record = number === 0 ? undefined : this.#records.get(number);
    const bir = record === undefined ? null : birInstruction(record);
    const penguin = bir?.penguin ?? null;
    const prefix = `sg${this.#serial()}`;
    const after = bir === null ? [] : this.#dependencies(bir);
    return {
      id: this.#id(engine, row),
      birId: number === 0 ? null : `${prefix}:${number}`,
      birName: bir?.name ?? null,
      penguinId: penguin === null ? null : `${prefix}:${penguin}`,
      after: after.slice(0, MOST_DEPENDENCIES),
      hasMoreDependencies: after.length > MOST_DEPENDENCIES,
      isDamaged: record !== undefined && bir === null,
      transfer: this.#transfers[engine]?.get(row) ?? null,
    };
  }

  /** The subgraph's number with four digits, as the vendor's tool writes it in ids. */
  #serial(): string {
    return (/\d{1,4}$/.exec(this.name)?.[0] ?? '').padStart(4, '0');
  }

  #id(engine: number, row: number): string {
    return `${this.name}:${ENGINES[engine] ?? engine}:${row}`;
  }

  /** All instructions of the numbers, each once, as the vendor's tool lists them; one more than the most are enough. */
  #dependencies({ before }: BirInstruction): readonly Dependency[] {
    const found: Dependency[] = [];
    const seen = new Set<string>();
    for (const { number, kind } of before) {
      const key = `${number} ${kind}`;
      if (seen.has(key)) continue;
      seen.add(key);
      for (const id of this.#ids.get(number) ?? []) {
        if (found.push({ id, kind }) > MOST_DEPENDENCIES) return found;
      }
    }
    return found;
  }

  #takeRows(engine: number, bytes: Buffer): boolean {
    const numbers: number[] = [];
    this.#numbers[engine] = numbers;
    for (const record of recordsOf(bytes)) {
      if (!this.#hasRoom()) return false;
      const [number = 0] = fieldsOf(record).numbers.get(ROW_NUMBER) ?? [];
      if (number !== 0) entryOf(this.#ids, number, () => []).push(this.#id(engine, numbers.length));
      numbers.push(number);
    }
    return true;
  }

  #takeRecords(bytes: Buffer): boolean {
    for (const record of recordsOf(bytes)) {
      if (!this.#hasRoom()) return false;
      const reader = protobuf.Reader.create(record);
      // The number is the first field.
      if (record.length > 0 && reader.uint32() === NUMBER_TAG) this.#records.set(reader.uint32(), record);
    }
    return true;
  }

  #takeWords(engine: number, bytes: Buffer): boolean {
    for (let at = 0; at + INSTRUCTION_BYTES <= bytes.length; at += INSTRUCTION_BYTES) {
      if (bytes[at] !== COMPILED_TRANSFER) continue;
      if (!this.#hasRoom()) return false;
      // A copy: the member's bytes go.
      const word = Buffer.from(bytes.subarray(at, at + INSTRUCTION_BYTES));
      this.#transfers[engine]?.set(at / INSTRUCTION_BYTES, word);
    }
    return true;
  }

  #hasRoom(): boolean {
    return this.room.left-- > 0;
  }
}

const MEMBER = /^(debug_info_asm_|debug_info_backend_|)(\w+)\.(?:dbg|bin)$/;
const NUMBER_TAG = 1 << 3;

function* recordsOf(bytes: Uint8Array): Generator<Uint8Array> {
  const reader = protobuf.Reader.create(bytes);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === ((RECORDS << 3) | WIRE_BYTES)) yield reader.bytes();
    else reader.skipType(tag & 7);
  }
}

interface Fields {
  /** Numbers by field: of a packed list, or one. */
  readonly numbers: ReadonlyMap<number, readonly number[]>;
  readonly bytes: ReadonlyMap<number, Uint8Array>;
}

const NAME = 2;
const ROW_NUMBER = 3;
/** Of an instruction, and fields of its record: more are damage. */
const MOST_DEPENDENCIES = 4096;
const MOST_FIELDS = 4 * MOST_DEPENDENCIES;

/**
 * Fields of a record; the bytes of a list of numbers are both. Of a list as many as an instruction may have dependencies
 * and one more.
 * @throws RangeError or Error when it is damaged
 */
function fieldsOf(record: Uint8Array): Fields {
  const [numbers, runs] = [new Map<number, number[]>(), new Map<number, Uint8Array>()];
  const reader = protobuf.Reader.create(record);
  for (let count = 0; reader.pos < reader.len; count++) {
    if (count === MOST_FIELDS) throw new RangeError('too many fields');
    const tag = reader.uint32();
    const field = tag >>> 3;
    if ((tag & 7) === 0) entryOf(numbers, field, () => []).push(reader.uint32());
    else if ((tag & 7) === WIRE_BYTES) {
      const run = reader.bytes();
      runs.set(field, run);
      if (field !== NAME)
        addPacked(
          run,
          entryOf(numbers, field, () => []),
        );
    } else reader.skipType(tag & 7);
  }
  return { numbers, bytes: runs };
}

function addPacked(run: Uint8Array, numbers: number[]): void {
  const reader = protobuf.Reader.create(run);
  while (reader.pos < reader.len && numbers.length <= MOST_DEPENDENCIES) numbers.push(reader.uint32());
}

const PENGUIN = 3;
/** Lists of numbers, and of the kinds of these dependencies: by order, and by semaphores. */
const BEFORE: readonly (readonly [numbers: number, kinds: number])[] = [
  [4, 9],
  [5, 10],
];

/** Null for a damaged record. */
function birInstruction(record: Uint8Array): BirInstruction | null {
  let fields: Fields;
  try {
    fields = fieldsOf(record);
  } catch {
    return null;
  }
  const listOf = (field: number): readonly number[] => fields.numbers.get(field) ?? [];
  return {
    name: Buffer.from(fields.bytes.get(NAME) ?? []).toString('utf8'),
    penguin: listOf(PENGUIN)[0] ?? null,
    before: BEFORE.flatMap(([numbers, kinds]) =>
      listOf(numbers).map((number, i) => ({ number, kind: KINDS[listOf(kinds)[i] ?? 0] ?? 'unknown' })),
    ),
  };
}
