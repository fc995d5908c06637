/** Operands and dependencies of an instruction in words. */
import { patternOf, type AccessPattern, type Operand, type OperandKind } from '../../../ops/neuron/instruction-work.js';
import type { EarlierInstruction, ResolvedDependency } from './dependencies.js';

const WORDS: Readonly<Record<OperandKind, string>> = {
  wait: 'waits until',
  update: 'changes',
  event: 'event',
  pattern: 'pattern',
  register: 'register',
  value: 'value',
  extents: 'rows*columns',
  word: 'word',
};

/** `pattern   src=fp32@0x26500[1,0,0][128,1,1]: 128 elements, 512 bytes of a partition of SBUF`. */
export function operandText(operand: Operand): string {
  const { kind, name, owner, text } = operand;
  const isSemaphore = kind === 'wait' || kind === 'update' || kind === 'event';
  const named = isSemaphore
    ? `${name}${owner === '' ? ' ' : ` (${owner}) `}${text}`
    : name === ''
      ? text
      : `${name}=${text}`;
  const pattern = patternOf(operand);
  return `${WORDS[kind].padEnd(12)} ${named}${pattern === null ? '' : `: ${patternText(pattern)}`}`;
}

function patternText({ elements, bytes, memory, sizes, strides }: AccessPattern): string {
  const loops = sizes.flatMap((size, i) => (size === 1 ? [] : [`${size} by ${strides[i] ?? 'na'}`]));
  const place = memory === null ? '' : ` of a partition of ${memory}`;
  const size = bytes === null ? '' : `, ${bytes} bytes`;
  return `${elements} elements${size}${place}${loops.length === 0 ? '' : ` (${loops.join(', ')})`}`;
}

/** `57 MATMUL (Tensor)`: number of the kernel, name, engine. */
const instructionText = ({ kernel, name, engine }: EarlierInstruction): string =>
  `${kernel} ${name}${engine === null ? '' : ` (${engine})`}`;

/**
 * `flow: 57 MATMUL (Tensor), ended 12 ns before; S[5] (Tensor)`.
 * @param start of the instruction that waits, ns
 */
export function dependencyText({ id, kind, on, semaphore }: ResolvedDependency, start: number): string {
  if (on === null) return `${kind}: instruction ${id}, which is not in the records before`;
  const joined = semaphore === null ? '' : `; ${semaphore}`;
  return `${kind}: ${instructionText(on)}, ${endText(on.end, start)}${joined}`;
}

function endText(end: number | null, start: number): string {
  if (end === null) return 'its end unknown';
  return end <= start ? `ended ${start - end} ns before` : `ended ${end - start} ns after it started`;
}
