/** Common code of the instruction layouts: the form of their results, joining of strings, and semaphores. */
import type { Labels } from '../../../../record/record.js';

/** Whether the instruction belongs to the program or the runtime. Only semaphores of the program have names. */
export interface InstructionContext {
  /** Null when unknown. */
  readonly isRuntime: boolean | null;
  /** Name of the engine or queue that updates a semaphore; null when none does. */
  readonly semaphoreName: (semaphore: number) => string | null;
}

/** The operands after the semaphores, and the memory that the instruction reads and writes. */
export interface Operands {
  readonly text: string | null;
  readonly reads?: Access | null;
  readonly writes?: Access | null;
  /** Number of multiply-accumulate operations. */
  readonly elements?: number;
  readonly labels?: Labels;
  readonly moves?: MovedBytes;
}

/** Memories of source and destination, if known, bytes in device memory, and the semaphore that is incremented. */
export interface MovedBytes {
  readonly bytes: number;
  readonly memories: readonly [source: NeuronMemory | null, destination: NeuronMemory | null];
  readonly semaphore: number;
}

export type WordLayout = (word: Buffer, context: InstructionContext) => Operands;

export type NeuronMemory = 'hbm' | 'sbuf' | 'psum';

/**
 * Memory and bytes accessed: bytes of one partition for an engine's instruction, of all partitions for a transfer, as the
 * vendor's tool counts.
 */
export interface Access {
  readonly memory: NeuronMemory | null;
  readonly bytes: number | null;
}

/** Joins the pieces of a string; null when a piece is null. */
export function joined(strings: TemplateStringsArray, ...pieces: readonly (string | number | null)[]): string | null {
  if (pieces.includes(null)) return null;
  return strings.map((text, i) => `${text}${pieces[i] ?? ''}`).join('');
}

export const hex = (value: number | bigint): string => `0x${value.toString(16)}`;
export const product = (factors: readonly number[]): number => factors.reduce((all, factor) => all * factor, 1);
export const codeOf = (names: Readonly<Record<number, string>>, code: number): string | null => names[code] ?? null;

/** Element types by code; other codes have not been seen. */
const TYPES: Readonly<Record<number, string>> = { 0x06: 'bfloat16', 0x08: 'int32', 0x09: 'uint32', 0x0a: 'fp32' };

export const typeName = (code: number): string | null => TYPES[code] ?? null;

/** Boundary of addresses in an engine's instruction: the state buffer is below it, and the accumulators start at it. */
export const FIRST_PSUM_ADDRESS = 0x2000000;

/** Conditions on a semaphore, and on an event, which is reset when the condition is met. */
const CONDITIONS: Readonly<Record<number, string>> = { 0x01: '==', 0x05: '>=' };
const EVENT_IS_SET = 0x07;
export const INCREMENT = 0x13;
const SET_EVENT = 0x11;
const ADD = 0x15;
const ASSIGN = 0x19;
const DECREMENT = 0x14;

/**
 * Text for one condition and one update of semaphores or events: what the instruction waits for, and what it does to them
 * when done. '' when it has neither, null for unknown codes.
 * @param at offset of the four bytes
 * @param value value to wait for
 * @param amount value of an update; null when the instruction has no field for it
 */
export function headText(
  word: Buffer,
  at: number,
  value: number,
  amount: number | null,
  context: InstructionContext,
): string | null {
  const wait = waitText(word.readUInt8(at), word.readUInt8(at + 1), value, context);
  const update = updateText(word.readUInt8(at + 2), word.readUInt8(at + 3), amount, context);
  if (wait === null || update === null) return null;
  return [wait, update].filter((text) => text !== '').join(' ');
}

function semaphoreText(semaphore: number, { isRuntime, semaphoreName }: InstructionContext): string {
  if (isRuntime === true) return `$S[${semaphore}]`;
  const name = semaphoreName(semaphore);
  return name === null ? `S[${semaphore}]` : `S[${semaphore}] (${name})`;
}

export function waitText(code: number, semaphore: number, value: number, context: InstructionContext): string | null {
  if (code === 0) return '';
  if (code === EVENT_IS_SET) return `$E[${semaphore}]==1-`;
  return joined`${semaphoreText(semaphore, context)}${codeOf(CONDITIONS, code)}${value}`;
}

export function updateText(
  code: number,
  semaphore: number,
  amount: number | null,
  context: InstructionContext,
): string | null {
  const name = semaphoreText(semaphore, context);
  switch (code) {
    case 0:
      return '';
    case SET_EVENT:
      return `$E[${semaphore}]+@complete`;
    case INCREMENT:
      return `${name}++@complete`;
    case DECREMENT:
      return `${name}--@complete`;
    case ADD:
      return joined`${name}+=${amount}@complete`;
    case ASSIGN:
      return joined`${name}=${amount}@complete`;
    default:
      return null;
  }
}
