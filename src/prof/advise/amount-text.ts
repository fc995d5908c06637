/** Amounts in the sentences of findings. */
import { grouped } from '../../record/plural.js';
import { amountText } from '../../record/units.js';

import type { Ranking } from './longest.js';
import { spokenName } from './spoken-names.js';

export { grouped, many } from '../../record/plural.js';

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
