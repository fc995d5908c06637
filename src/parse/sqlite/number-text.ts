/** Numbers that SQLite has written as text, a block of rows at a time. */

const [SPACE, MINUS, ZERO, NINE] = [32, 45, 48, 57];
/** Value of a cell of which nothing has been read. */
const EMPTY = -1;

/**
 * Reads integers, each followed by one space; other cells are NaN.
 * @returns how many cells the text has; those beyond the end of `numbers` are not kept
 */
export function readNumbers(text: Buffer, numbers: Float64Array): number {
  let cell = 0;
  let value = EMPTY;
  let sign = 1;
  const { length } = text;
  for (let at = 0; at < length; at++) {
    const code = text[at] ?? 0;
    if (code >= ZERO && code <= NINE) value = value === EMPTY ? code - ZERO : value * 10 + (code - ZERO);
    else if (code === SPACE) {
      numbers[cell++] = value === EMPTY ? NaN : sign * value;
      value = EMPTY;
      sign = 1;
    } else if (code === MINUS && value === EMPTY && sign === 1) sign = -1;
    else value = NaN;
  }
  return cell;
}
