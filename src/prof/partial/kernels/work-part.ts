/** Numbers of what a group of kernels did ↔ their short form in a partial answer. */
import { elementAt } from '../../../containers/element.js';
import { KNOWN_SUM_SIZE, WORK_SIZE } from '../../by/group-work.js';
import type { WorkPart } from './kernel-part.js';

/** The `KnownSum`s among the numbers, which come first; the others are counts. */
const SUMS = 6;
const KNOWN = SUMS * KNOWN_SUM_SIZE;

/** Of a whole group. */
interface Whole {
  readonly kernels: number;
  /** ns */
  readonly time: number;
}

/** Without what is nothing at the end. */
export function encodeWork(numbers: ArrayLike<number>, { kernels, time }: Whole): WorkPart[] {
  const parts: WorkPart[] = [];
  for (let at = 0; at < KNOWN; at += KNOWN_SUM_SIZE) {
    const [known, knownTime, sum, leftOut] = [0, 1, 2, 3].map((offset) => elementAt(numbers, at + offset));
    const sums = leftOut === 0 ? [sum ?? 0] : [sum ?? 0, leftOut ?? 0];
    if (known === 0) parts.push(0);
    else if (known === kernels && knownTime === time) parts.push(sums);
    else parts.push([known ?? 0, knownTime ?? 0, sum ?? 0, leftOut ?? 0]);
  }
  for (let at = KNOWN; at < WORK_SIZE; at++) parts.push(elementAt(numbers, at));
  while (parts.at(-1) === 0) parts.pop();
  return parts;
}

export function decodeWork(parts: readonly WorkPart[], { kernels, time }: Whole): Float64Array {
  const numbers = new Float64Array(WORK_SIZE);
  parts.forEach((part, i) => {
    const sums = Math.min(i, SUMS);
    const at = sums * KNOWN_SUM_SIZE + i - sums;
    if (typeof part === 'number') numbers[at] = part;
    else if (part.length === KNOWN_SUM_SIZE) numbers.set(part, at);
    else {
      numbers[at] = kernels;
      numbers[at + 1] = time;
      numbers.set(part, at + 2);
    }
  });
  return numbers;
}
