/** Counts, shares and mean times of a summary for people. */
import { plural } from '../../../record/plural.js';
import { amountText } from '../../../record/units.js';

/** 1234567 → `1,234,567`. */
export const whole = (count: number): string => count.toLocaleString('en-US');

/** `1 kernel`, `1,234 kernels`. */
export const many = (count: number, what: string): string => `${whole(count)} ${plural(count, what)}`;

/** A share in percent; `na` of nothing. */
export const share = (part: number, all: number): string => amountText(all > 0 ? part / all : null, 'share');
