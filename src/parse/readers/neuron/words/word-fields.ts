/** What the layouts of instructions share: the form of their results, and the pieces of a text. */
import type { Labels } from '../../../../record/record.js';

/** Whose instruction it is: the runtime's semaphores have another notation than the program's, which have names. */
export interface InstructionContext {
  /** Null when unknown. */
  readonly isRuntime: boolean | null;
  /** Name of the engine or queue that updates a semaphore; null where none does. */
  readonly semaphoreName: (semaphore: number) => string | null;
}

/** The rest of the operands after the semaphores, and the memory that the instruction reads and writes. */
export interface Operands {
  readonly text: string | null;
  readonly reads?: Access | null;
  readonly writes?: Access | null;
  /** Multiply-accumulate operations. */
  readonly elements?: number;
  readonly labels?: Labels;
  readonly moves?: MovedBytes;
}

/** Memories of source and destination, where they are known, bytes in device memory, and the semaphore raised. */
export interface MovedBytes {
  readonly bytes: number;
  readonly memories: readonly [source: NeuronMemory | null, destination: NeuronMemory | null];
  readonly semaphore: number;
}

export type WordLayout = (word: Buffer, context: InstructionContext) => Operands;

export type NeuronMemory = 'hbm' | 'sbuf' | 'psum';

/** Bytes of a partition for an engine's instruction, of all partitions for a transfer: as the vendor's tool counts. */
export interface Access {
  readonly memory: NeuronMemory | null;
  readonly bytes: number | null;
}

/** A text of pieces; null when a piece is. */
export function joined(strings: TemplateStringsArray, ...pieces: readonly (string | number | null)[]): string | null {
  if (pieces.includes(null)) return null;
  return strings.map((text, i) => `${text}${pieces[i] ?? ''}`).join('');
}

export const hex = (value: number | bigint): string => `0x${value.toString(16)}`;
export const product = (factors: readonly number[]): number => factors.reduce((all, factor) => all * factor, 1);
export const codeOf = (names: Readonly<Record<number, string>>, code: number): string | null => names[code] ?? null;

/** Element types by code; those of other codes have not been seen. */
const TYPES: Readonly<Record<number, string>> = { 0x06: 'bfloat16', 0x08: 'int32', 0x09: 'uint32', 0x0a: 'fp32' };

export const typeName = (code: number): string | null => TYPES[code] ?? null;

/** Addresses of an engine's instruction: below this the state buffer, from it on the accumulators. */
export const FIRST_PSUM_ADDRESS = 0x2000000;
