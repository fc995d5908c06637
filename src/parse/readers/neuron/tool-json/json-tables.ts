/**
 * Tables of the vendor tool's JSON and how each is read, the index of their rows, and the cells of a row: numbers may be
 * strings, and unknown values are written in several ways.
 *
 * Source: files of tool version 2.28; AWS's profile schema reference; users' scripts for tables of other versions.
 */
import { isDecimal } from '../../../../record/units.js';
import type { JsonObject } from '../../../json/json-value.js';
import { NumericColumn } from '../../../../containers/numeric-column.js';
import { allRows, sortRows } from '../../../../containers/row-order.js';

/** Number of tables: a row's length (26 bits) and table (6 bits) share a cell. */
const TABLES = 64;
/** Longest row in bytes; a longer one is not indexed. */
export const LONGEST_ROW = 2 ** 26 - 1;

/**
 * Index of the rows in the timed tables: offset and time. Memory: 20 bytes for each row, and 4 to 8 more during the sort.
 */
export class RowIndex {
  readonly #starts = NumericColumn.floats();
  readonly #offsets = NumericColumn.floats();
  readonly #extents = NumericColumn.counts();
  #earliest = Infinity;
  #latest = -Infinity;

  /** @param length at most LONGEST_ROW */
  add(table: number, start: number, offset: number, length: number): void {
    this.#starts.push(start);
    this.#offsets.push(offset);
    this.#extents.push(length * TABLES + table);
    this.#earliest = Math.min(this.#earliest, start);
    this.#latest = Math.max(this.#latest, start);
  }

  get length(): number {
    return this.#starts.length;
  }

  /** First and last start; infinite when there are no rows. */
  get range(): readonly [earliest: number, latest: number] {
    return [this.#earliest, this.#latest];
  }

  start(row: number): number {
    return this.#starts.at(row);
  }

  offset(row: number): number {
    return this.#offsets.at(row);
  }

  size(row: number): number {
    return Math.floor(this.#extents.at(row) / TABLES);
  }

  table(row: number): number {
    return this.#extents.at(row) % TABLES;
  }

  /** Rows in order of start time; rows with the same start in the order of the file. */
  inOrder(): Uint32Array {
    const rows = allRows(this.length);
    const starts = this.#starts.values;
    sortRows(rows, (a, b) => (starts[a] as number) - (starts[b] as number));
    return rows;
  }
}

/**
 * Tables of events, with the keys under which their time may be. The table of collective operations has several names: the
 * one in neuron-explorer 2.32, one in notes on other versions, and the one in the schema.
 */
export const TIMED_TABLES = [
  ['instruction', 'timestamp'],
  ['dma', 'timestamp'],
  ['semaphore_update', 'timestamp'],
  ['ham', 'timestamp'],
  ['dma_throughput', 'timestamp'],
  ['hbm_usage', 'timestamp'],
  ['pending_dma', 'timestamp'],
  ['instruction_usage', 'timestamp'],
  ['layer_summary', 'start'],
  ['cc_ops', 'timestamp', 'start_ts'],
  ['cc_op', 'timestamp', 'start_ts'],
  ['CcOp', 'timestamp', 'start_ts'],
  ['cc_instruction', 'timestamp', 'start_ts'],
  ['cc_instructions', 'timestamp', 'start_ts'],
  ['CcInstruction', 'timestamp', 'start_ts'],
] as const satisfies readonly (readonly [table: string, ...keys: string[]])[];
export type TimedTable = (typeof TIMED_TABLES)[number][0];

/** Names of the table of collective streams. */
export const STREAM_TABLES = ['cc_stream', 'cc_streams', 'CcStream'] as const;

/** Table of the numbers of rows in tables that are not read, which stands in for Neuron Explorer tables. */
export const NOT_READ_TABLE = 'not_read';

/** Small tables, which are kept in memory. */
const KEPT_TABLES = [
  'summary',
  'metadata',
  'profile_info',
  'neff_header',
  'model_info',
  'neff_node',
  'nc_mem_usage',
  'warnings',
  'errors',
  'annotation',
  'dma_queues_info',
  NOT_READ_TABLE,
  ...STREAM_TABLES,
] as const;
export type KeptTable = (typeof KEPT_TABLES)[number];

/** Redundant tables: definitions and groups of metrics, and unions of instructions' times. */
const IGNORED_TABLES = ['summary_groups', 'summary_group_order', 'terminology', 'active_time'] as const;

const isKept: ReadonlySet<string> = new Set(KEPT_TABLES);
const isIgnored: ReadonlySet<string> = new Set(IGNORED_TABLES);
const timed: ReadonlyMap<string, number> = new Map(TIMED_TABLES.map(([name], number) => [name, number]));

/** How a table is read: a timed table is indexed under its number; others are kept in memory, ignored, or unknown. */
export type TableUse = number | 'kept' | 'ignored' | 'unknown';

export const useOfTable = (table: string): TableUse =>
  timed.get(table) ?? (isKept.has(table) ? 'kept' : isIgnored.has(table) ? 'ignored' : 'unknown');

export const TABLE_NAMES: readonly string[] = [...timed.keys(), ...KEPT_TABLES, ...IGNORED_TABLES];

/** A decoded row; integers beyond 2^53 are decimal strings. */
export type ToolRow = JsonObject;

/** Used instead of a missing row. */
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

/** The text of a cell, even if it is 'unknown'; null when it is empty. */
export const rawTextOf = (cell: unknown): string | null =>
  typeof cell === 'string' && cell.trim() !== '' ? cell : null;

/** The numbers in a row, under new names. */
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
