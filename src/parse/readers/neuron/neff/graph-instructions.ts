/**
 * Reads facts about the instructions of a subgraph from a NEFF: the names that the compiler gave them, the instructions
 * on which each depends, the variables that transfers move, and the source lines. The vendor publishes no layout; it
 * was found in NEFFs of captures for which the vendor's tool had printed names and dependencies
 * (docs/neuron-instructions.md).
 *
 * | member                      | content                                                              |
 * |-----------------------------|----------------------------------------------------------------------|
 * | `ENGINE.bin`, `ENGINE0.bin` | instructions of an engine, 64 bytes each                             |
 * | `debug_info_asm_*.dbg`      | for each of these, in order: the compiler's number of the instruction |
 * | `debug_info_backend_*.dbg`  | for each number: names, and the numbers on which it depends          |
 */
import { entryOf } from '../../../../containers/map-entry.js';
import type { Dependency } from '../../../../record/record.js';
import {
  NO_NAMES,
  debugRecord,
  functionOf,
  MOST_DEPENDENCIES,
  numberOf,
  parentsOf,
  recordsOf,
  sourceOf,
  type DebugLayers,
  type SourceNames,
  type DebugRecord,
  type DebugTexts,
} from './debug-records.js';
import type { Variable, VariableNumbers } from './definition.js';
import { INSTRUCTION_BYTES } from '../words/instruction-word.js';
import { COMPILED_TRANSFER, type CompiledTransfer } from '../words/engine-operands.js';

/** Engines by the names that members use; an engine's number is its index. */
const ENGINES = ['PE', 'Activation', 'Pool', 'DVE', 'SP'] as const;

/** Facts that the compiler recorded about an instruction. */
export interface CompiledInstruction extends SourceNames {
  /** Made of subgraph, engine and row, and unique in the program. */
  readonly id: string;
  /** The compiler's id, such as 'sg0000:193'; null for an instruction without debug information. */
  readonly birId: string | null;
  readonly birName: string | null;
  readonly penguinId: string | null;
  /** 'SPILL' for an instruction that saves or loads data that did not fit into the state buffer; null for others. */
  readonly type: 'SPILL' | null;
  /** Instructions on which this one depends, at most 4096. */
  readonly after: readonly Dependency[];
  readonly hasMoreDependencies: boolean;
  /** Whether its debug information could not be read. */
  readonly isDamaged: boolean;
  /** The 64 bytes of a transfer before loading, in which variables are numbers. */
  readonly transfer: Buffer | null;
}

/**
 * Number of instructions, debug records and transfers that may still be kept for a whole program, about 100 bytes each.
 */
export interface ProgramRoom {
  left: number;
}

export const programRoom = (): ProgramRoom => ({ left: 1 << 21 });

/** Instructions of a subgraph. Memory: the debug files, and their part of the program's room. */
export class GraphInstructions {
  /** The compiler's number of each instruction, by engine and row; 0 when it has none. */
  readonly #numbers = ENGINES.map((): readonly number[] => []);
  readonly #transfers = ENGINES.map(() => new Map<number, Buffer>());
  /** Undecoded records by number, with the strings of their files. */
  readonly #records = new Map<number, { readonly bytes: Uint8Array; readonly texts: DebugTexts }>();
  /** Ids of the instructions with each number: a matrix product has two. */
  readonly #ids = new Map<number, string[]>();
  #variables: ReadonlyMap<number, Variable> = new Map();
  #table: readonly number[] = [];

  /**
   * @param name name of the subgraph, such as 'sg00'
   * @param layers the program's layers above its instructions
   */
  constructor(
    private readonly name: string,
    private readonly room: ProgramRoom,
    private readonly layers: DebugLayers,
  ) {}

  /** The queue (by the runtime's name) or the engine that updates each semaphore. */
  semaphores: ReadonlyMap<number, string> = new Map();

  takeVariables({ variables, table }: VariableNumbers): void {
    this.#variables = variables;
    this.#table = table;
  }

  /** Whether a member of a subgraph's folder is one of the members listed above. */
  static reads(file: string): boolean {
    const [, part = '', name = ''] = MEMBER.exec(file) ?? [];
    return part === 'debug_info_backend_' || (ENGINES as readonly string[]).includes(name);
  }

  /**
   * Reads a member.
   * @param file name of a member in the subgraph's folder; members that are not listed above are ignored
   * @returns whether there was room for all of it
   * @throws RangeError or Error when a debug file is damaged; what was read before that is kept
   */
  takeMember(file: string, bytes: Buffer): boolean {
    const [, part = '', name] = MEMBER.exec(file) ?? [];
    const engine = ENGINES.findIndex((each) => each === name);
    if (part === 'debug_info_backend_') return this.#takeRecords(bytes);
    if (engine === -1) return true;
    return part === 'debug_info_asm_' ? this.#takeRows(engine, bytes) : this.#takeWords(engine, bytes);
  }

  /** The variable on one side of a transfer; null when there is none. */
  variableOf({ variable, entry }: CompiledTransfer['sides'][0]): Variable | null {
    const number = variable ?? (entry === null ? undefined : this.#table[entry]);
    return number === undefined ? null : (this.#variables.get(number) ?? null);
  }

  instruction(engine: number, row: number): CompiledInstruction {
    const number = this.#numbers[engine]?.[row] ?? 0;
    const record = number === 0 ? undefined : this.#records.get(number);
    const bir = record === undefined ? null : debugRecord(record.bytes);
    const penguin = bir?.parents[0] ?? null;
    const prefix = `sg${this.#serial()}`;
    const after = bir === null ? [] : this.#dependencies(bir);
    return {
      id: this.#id(engine, row),
      birId: number === 0 ? null : `${prefix}:${number}`,
      birName: bir?.name ?? null,
      penguinId: penguin === null ? null : `${prefix}:${penguin}`,
      type: bir?.isSpill === true ? 'SPILL' : null,
      ...(bir === null || record === undefined ? NO_NAMES : this.#namesOf(bir, record.texts)),
      after: after.slice(0, MOST_DEPENDENCIES),
      hasMoreDependencies: after.length > MOST_DEPENDENCIES,
      isDamaged: record !== undefined && bir === null,
      transfer: this.#transfers[engine]?.get(row) ?? null,
    };
  }

  /**
   * Names and source of an instruction. A line and function in its own record are more precise than those of the layers.
   */
  #namesOf(bir: DebugRecord, texts: DebugTexts): SourceNames {
    const names = this.layers.namesOf(Number(this.#serial()), bir.parents);
    return {
      ...names,
      source: sourceOf(bir, texts) ?? names.source,
      kernelName: functionOf(bir, texts) ?? names.kernelName,
    };
  }

  /** The subgraph's number with four digits, as the vendor's tool writes it in ids. */
  #serial(): string {
    return (/\d{1,4}$/.exec(this.name)?.[0] ?? '').padStart(4, '0');
  }

  #id(engine: number, row: number): string {
    return `${this.name}:${ENGINES[engine] ?? engine}:${row}`;
  }

  /**
   * All instructions with these numbers, without duplicates, as the vendor's tool lists them; at most one more than the
   * limit.
   */
  #dependencies({ before }: DebugRecord): readonly Dependency[] {
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
      const [number = 0] = parentsOf(record);
      if (number !== 0) entryOf(this.#ids, number, () => []).push(this.#id(engine, numbers.length));
      numbers.push(number);
    }
    return true;
  }

  #takeRecords(bytes: Buffer): boolean {
    const texts: DebugTexts = { files: [], functions: [] };
    for (const record of recordsOf(bytes, texts)) {
      if (!this.#hasRoom()) return false;
      const number = numberOf(record);
      if (number !== 0) this.#records.set(number, { bytes: record, texts });
    }
    return true;
  }

  #takeWords(engine: number, bytes: Buffer): boolean {
    for (let at = 0; at + INSTRUCTION_BYTES <= bytes.length; at += INSTRUCTION_BYTES) {
      if (bytes[at] !== COMPILED_TRANSFER) continue;
      if (!this.#hasRoom()) return false;
      // Copied, because the member's bytes are not kept.
      const word = Buffer.from(bytes.subarray(at, at + INSTRUCTION_BYTES));
      this.#transfers[engine]?.set(at / INSTRUCTION_BYTES, word);
    }
    return true;
  }

  #hasRoom(): boolean {
    return this.room.left-- > 0;
  }
}

/** Newer compilers add a 0 to the engine's name. */
const MEMBER = /^(debug_info_asm_|debug_info_backend_|)([A-Za-z]+)0?\.(?:dbg|bin)$/;
