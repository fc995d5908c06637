/** Amounts as findings say them. */
import { formatQuantity } from '../neuron/quantity.js';

import type { Ranking } from './longest.js';

export { counted } from '../../record/plural.js';

export const time = (ns: number): string => formatQuantity(ns, 'ns');
export const size = (bytes: number): string => formatQuantity(bytes, 'bytes');
export const percent = (fraction: number): string => formatQuantity(fraction, 'fraction');
/** Peaks keep the digits that tables have. */
export const rate = (bytesPerS: number): string => `${Number((bytesPerS / 1e9).toPrecision(4))} GB/s`;

export const speed = (flopsPerS: number): string => `${Number((flopsPerS / 1e12).toPrecision(4))} TFLOP/s`;

/** What is left of a long name: different ones often begin alike, and end so. */
const [HEAD, TAIL] = [40, 40];
const shortened = (name: string): string =>
  name.length > HEAD + TAIL ? `${name.slice(0, HEAD)}…${name.slice(-TAIL)}` : name;

/** `conv2d 1.2 ms, mm 300 us and 4 more`. */
export function ranked(ranking: Ranking, count = 3): string {
  const top = ranking.top(count).map(([name, ns]) => `${shortened(name)} ${time(ns)}`);
  const more = ranking.size - top.length;
  return `${top.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
