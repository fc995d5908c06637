/** Ticks of a time axis, and their texts. */
import { grouped } from '../../document/units.js';
import { scaleOf } from '../../../record/units.js';

/** The least of 1, 2, 5 × 10^n ns that is at least `least`, and at least 1 ns. */
export function tickStep(least: number): number {
  if (!(least > 1)) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].find((times) => times * power >= least * (1 - 1e-12)) ?? 10;
  return step * power;
}

/** Multiples of a step from..to, both included. */
export function ticks(from: number, to: number, step: number): number[] {
  const first = Math.ceil(from / step);
  const count = Math.max(0, Math.floor(to / step) - first + 1);
  return Array.from({ length: Math.min(count, 1000) }, (_, i) => (first + i) * step + 0);
}

/** A tick's text: in the unit of the largest time, with as many digits as the step needs. */
export function tickText(time: number, step: number, largest: number): string {
  const { unit, size } = scaleOf(Math.max(Math.abs(largest), step), 'time');
  const digits = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
  return `${grouped(time / size, digits)} ${unit}`;
}
