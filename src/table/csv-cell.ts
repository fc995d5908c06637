/** Cells of CSV: texts that no spreadsheet computes, and which of them need quotes. */
import { escapeControls } from '../record/control-characters.js';

/**
 * Where a spreadsheet may see a formula: at the start, or after `;`, which separates cells in half of the world, behind blanks
 * as well. Full-width signs count. A lone `-`, which stands for an empty list, does not. Tabs and line ends are clean already.
 */
const FORMULA = /(^|;)(?=\s*(?:[=+@\uff1d\uff0b\uff0d\uff20]|-(?!$|;)))/g;

/** A text that no spreadsheet computes: an apostrophe goes before what starts like a formula, as OWASP advises ("CSV Injection"). */
export const csvText = (text: string): string => escapeControls(text).replace(FORMULA, "$1'");

/** Whether a cell may need quotes. It is clean, so that no line ends within it. */
export const needsQuotes = (cell: string): boolean => cell.includes(',') || cell.includes('"');
