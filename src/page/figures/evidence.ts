/** The numbers behind a finding as people read them: the names of their fields in words, and their units. */
import { capitalised, quantityText, type DisplayUnit } from '../document/units.js';

/** What names of fields end in, and what their numbers are of. The first that fits holds. */
const UNITS: readonly (readonly [ending: RegExp, unit: DisplayUnit])[] = [
  [/bytesPerS$/i, 'bytes/s'],
  [/flopsPerS$/i, 'flop/s'],
  [/bytes$/i, 'bytes'],
  [/flops$/i, 'flop'],
  [/share$/i, 'share'],
  [/Ns$/, 'ns'],
];

/** Endings that only say the unit. */
const UNIT_ALONE = /(PerS|Ns)$/;

/** `idleAfterNs` is `Idle after`. */
function inWords(name: string): string {
  return capitalised(name.replace(UNIT_ALONE, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
}

/** @param name as `dprof advise -f json` has it */
export function evidenceLine(name: string, value: number | string): readonly [name: string, text: string] {
  const unit = UNITS.find(([ending]) => ending.test(name))?.[1] ?? 'count';
  // A number that is neither a quantity nor a count stays as it is.
  const hasUnit = typeof value === 'number' && (unit !== 'count' || Number.isInteger(value));
  return [inWords(name), hasUnit ? quantityText(value, unit) : String(value)];
}
