/** Instructions that steer: semaphores, registers, branches, notifications. */
import { codeOf, hex, joined, product, typeName, type WordLayout, type Operands } from './word-fields.js';
import { updateText, waitText } from './semaphores.js';

/** A second condition and update. */
export const eventSemaphore: WordLayout = (word, context) => {
  const wait = waitText(word.readUInt8(32), word.readUInt8(33), word.readUInt32LE(36), context);
  const update = updateText(word.readUInt8(34), word.readUInt8(35), word.readUInt32LE(40), context);
  return { text: joined`setter=0 ${wait} ${update} ` };
};

export function loadRegisters(word: Buffer): Operands {
  const sizes = [word.readUInt8(14), word.readUInt8(15)];
  const strides = [word.readInt32LE(24), word.readInt32LE(28)];
  const registers = Array.from({ length: Math.min(product(sizes), MOST_REGISTERS) }, (_, i) => `$R[${word[32 + i]}]`);
  const address = hex(word.readBigUInt64LE(16));
  return {
    text: joined`addr=${typeName(word.readUInt8(12))}@${address}[${strides.join(',')}][${sizes.join(',')}] data=${registers.join(',')} `, // prettier-ignore
  };
}

const MOST_REGISTERS = 16;

/** One or two values written to device registers; the second has a size of 0 where there is one. */
export function write(word: Buffer): Operands {
  const slots = [0, 1].filter((i) => word.readUInt8(12 + i) > 0);
  const list = (text: (slot: number) => string | number): string => slots.map(text).join(',');
  const data = list((i) => hex(word.readBigUInt64LE(32 + 8 * i)));
  const sizes = list((i) => word.readUInt8(12 + i));
  return { text: `data=${data} size=${sizes} dst=${list((i) => hex(word.readBigUInt64LE(16 + 8 * i)))} ` };
}

const COMPARISONS: Readonly<Record<number, string>> = { 0: 'ALWAYS', 3: 'EQ' };

export function branch(word: Buffer): Operands {
  const comparison = codeOf(COMPARISONS, word.readUInt8(12));
  const compared =
    comparison === 'ALWAYS' ? '' : joined`dtype=${typeName(word.readUInt8(13))} cmp0=$R[${word.readUInt8(16)}] cmp1=${word.readUInt32LE(32)} `; // prettier-ignore
  const hint = word.readUInt8(3) === 0 ? '' : `debugHint=${word.readUInt8(3)}`;
  return { text: joined`cmp_op=${comparison} ${compared}label_id=${word.readUInt32LE(48)} ${hint}` };
}

/** Seen with these values alone. */
export function notify(word: Buffer): Operands {
  const isKnown = word.readUInt8(2) === 9 && word.readUInt8(39) === 1;
  return { text: isKnown ? ` hint=${word.readUInt8(36)} notification=EXPLICIT  trace=START ` : null };
}

const ORDERINGS: Readonly<Record<number, string>> = { 0: 'relaxed', 1: 'strict' };

export const setOrdering: WordLayout = (word) => ({
  text: joined`ordering_mode=${codeOf(ORDERINGS, word.readUInt8(12))} `,
});

const CLEARED: Readonly<Record<number, string>> = { 1: 'SEMAPHORE_ZERO' };

export const clearSemaphores: WordLayout = (word) => ({
  text: joined`mode=${codeOf(CLEARED, word.readUInt8(12))} first=${word.readUInt8(13)} last=${word.readUInt8(14)} `,
});
