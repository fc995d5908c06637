/** Cells of a row: numbers may be texts, and unknown values are written in several ways. */
import { isDecimal } from '../../../../record/units.js';
import type { JsonObject } from '../../../json/json-value.js';

/** A decoded row; integers beyond 2^53 are decimal texts. */
export type ToolRow = JsonObject;

/** In place of a missing row. */
export const EMPTY_ROW: ToolRow = Object.freeze({});

/** The number in a cell, as a number or as text; null for anything else. */
export function numberOf(cell: unknown): number | null {
  if (typeof cell === 'number') return Number.isFinite(cell) ? cell : null;
  if (typeof cell !== 'string' || !isDecimal(cell)) return null;
  const value = Number(cell);
  return Number.isFinite(value) ? value : null;
}

/** The text of a cell; null when it is empty or 'unknown'. */
export function textOf(cell: unknown): string | null {
  if (typeof cell !== 'string') return Number.isFinite(cell) ? String(cell) : null;
  return cell.trim() === '' || cell.toLowerCase() === 'unknown' ? null : cell;
}

/** The text of a cell, 'unknown' included; null when it is empty. */
export const rawTextOf = (cell: unknown): string | null =>
  typeof cell === 'string' && cell.trim() !== '' ? cell : null;

/** The numbers that a row has, under new names. */
export function numbersOf(
  row: ToolRow,
  names: readonly (readonly [key: string, name: string])[],
): Record<string, number> {
  const found: Record<string, number> = {};
  for (const [key, name] of names) {
    const cell = row[key];
    if (cell === undefined) continue;
    const value = numberOf(cell);
    if (value !== null) found[name] = value;
  }
  return found;
}
