/** The numbers behind a finding in readable form: field names in words, with units. */
import { capitalised, quantityText, type DisplayUnit } from '../document/units.js';

/** Units by the endings of field names. The first match applies. */
const UNITS: readonly (readonly [ending: RegExp, unit: DisplayUnit])[] = [
  [/bytesPerS$/i, 'bytes/s'],
  [/flopsPerS$/i, 'flop/s'],
  [/bytes$/i, 'bytes'],
  [/flops$/i, 'flop'],
  [/share$/i, 'share'],
  [/Ns$/, 'ns'],
];

/** Endings that only state the unit. */
const UNIT_ALONE = /(PerS|Ns)$/;

/** Turns `idleAfterNs` into `Idle after`. */
function inWords(name: string): string {
  return capitalised(name.replace(UNIT_ALONE, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
}

/** @param name field name as in `dprof advise -f json` */
export function evidenceLine(name: string, value: number | string): readonly [name: string, text: string] {
  const unit = UNITS.find(([ending]) => ending.test(name))?.[1] ?? 'count';
  // A number that is neither a quantity nor a count is not formatted.
  const hasUnit = typeof value === 'number' && (unit !== 'count' || Number.isInteger(value));
  return [inWords(name), hasUnit ? quantityText(value, unit) : String(value)];
}
