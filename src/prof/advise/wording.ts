/** Wording of findings: usual names, and amounts. */
import { grouped } from '../../record/plural.js';
import { amountText } from '../../record/units.js';
import type { Ranking } from './kernel-tally.js';

export { grouped, many } from '../../record/plural.js';

/** Numbers of characters that are kept at the start and end of a long name. */
const [HEAD, TAIL] = [40, 40];

/** A long name without its middle, because different names often have the same start and end. */
export const shortened = (name: string): string =>
  name.length > HEAD + TAIL ? `${name.slice(0, HEAD)}…${name.slice(-TAIL)}` : name;

/** The first match is used; its first group is the usual name. */
const NAMES: readonly RegExp[] = [
  // A node of PyTorch's autograd that is defined in C++.
  /^CppNode<(?:\w+::)*(\w+)>$/,
  // A call of CANN's library: API, op, kernel.
  /^aclnn\w+_([A-Za-z0-9]+)$/,
  // `ncclDevKernel_AllReduce_Sum_f32_RING_LL(…)`; the rest of the name is the algorithm.
  /^nccl(?:Dev)?Kernel_(AllReduce|AllGather|ReduceScatter|SendRecv|Broadcast|Reduce)(?:_|\(|$)/,
];

export function spokenName(name: string): string {
  for (const pattern of NAMES) {
    const said = pattern.exec(name)?.[1];
    if (said !== undefined) return said;
  }
  return shortened(name);
}

/** `1 op runs`, `2 ops run`. */
export const verb = (count: number, word: string): string => (count === 1 ? `${word}s` : word);

export const time = (ns: number): string => amountText(ns, 'time');
export const size = (bytes: number): string => amountText(bytes, 'transfer');
export const percent = (fraction: number): string => amountText(fraction, 'share');
export const rate = (bytesPerS: number): string => amountText(bytesPerS, 'rate');
export const speed = (flopsPerS: number): string => amountText(flopsPerS, 'flop/s');

/** `conv2d 1.2 ms, mm 300 us and 4 more`. */
export function ranked(ranking: Ranking, count = 3): string {
  const top = ranking.top(count).map(([name, ns]) => `${spokenName(name)} ${time(ns)}`);
  const more = ranking.size - top.length;
  return `${top.join(', ')}${more > 0 ? ` and ${grouped(more)} more` : ''}`;
}
