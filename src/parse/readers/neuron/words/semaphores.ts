/** Semaphores and events in an instruction: what it waits for and what it does to them when done. */
import { codeOf, joined, type InstructionContext } from './word-fields.js';

/** Conditions on a semaphore, and on an event that is reset when it is met. */
const CONDITIONS: Readonly<Record<number, string>> = { 0x01: '==', 0x05: '>=' };
const EVENT_IS_SET = 0x07;
export const INCREMENT = 0x13;
const SET_EVENT = 0x11;
const ADD = 0x15;
const ASSIGN = 0x19;
const DECREMENT = 0x14;

/**
 * Condition and update of semaphores, one after the other; '' for neither, null for unknown codes.
 * @param at offset of the four bytes
 * @param value value waited for
 * @param amount value of an update; null where the instruction has no place for it
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
