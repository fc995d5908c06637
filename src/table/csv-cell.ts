/** Cells of CSV: texts that no spreadsheet computes, and which of them need quotes. */
import { escapeControls } from '../record/control-characters.js';

/** How a spreadsheet recognizes a formula, full-width signs included. Tabs and line ends are clean already. */
const FORMULA = /^[=+\-@\uff1d\uff0b\uff0d\uff20]/;

/**
 * A text that no spreadsheet computes: an apostrophe goes before one that starts like a formula, as OWASP advises ("CSV
 * Injection"). A lone `-`, which stands for an empty list, is no formula.
 */
export function csvText(text: string): string {
  const clean = escapeControls(text);
  return clean !== '-' && FORMULA.test(clean) ? `'${clean}` : clean;
}

/** Whether a cell may need quotes. It is clean, so that no line ends within it. */
export const needsQuotes = (cell: string): boolean => cell.includes(',') || cell.includes('"');
