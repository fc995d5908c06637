/** CSV cells: protects strings from being computed as formulas, and decides which cells need quotes. */
import { escapeControls } from '../record/control-characters.js';

/**
 * Matches where a spreadsheet may see a formula: at the start of a string, or after `;`, the cell separator in many
 * countries, even with blanks before it. Full-width signs count too. A lone `-`, which means an empty list, does not.
 * Tabs and line ends are escaped before.
 */
const FORMULA = /(^|;)(?=\s*(?:[=+@\uff1d\uff0b\uff0d\uff20]|-(?!$|;)))/g;

/**
 * A string that spreadsheets do not compute: an apostrophe is put before anything that starts like a formula, as OWASP
 * advises ("CSV Injection").
 */
export const csvText = (text: string): string => escapeControls(text).replace(FORMULA, "$1'");

/** Whether a cell may need quotes. Control characters are already escaped, so it contains no line end. */
export const needsQuotes = (cell: string): boolean => cell.includes(',') || cell.includes('"');
