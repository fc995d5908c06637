/**
 * Tables of the JSON that the vendor's tool writes of a profile, by what becomes of them.
 * Source: files of tools 2.28; AWS's profile schema reference; the tables that only other versions have, from users' scripts.
 */

/** Tables of what happened at a time, in the order in which rows of one time are given out; and the key of that time. */
export const TIMED_TABLES = [
  ['instruction', 'timestamp'],
  ['dma', 'timestamp'],
  ['semaphore_update', 'timestamp'],
  ['ham', 'timestamp'],
  ['dma_throughput', 'timestamp'],
  ['pending_dma', 'timestamp'],
  ['instruction_usage', 'timestamp'],
  ['layer_summary', 'start'],
] as const;
export type TimedTable = (typeof TIMED_TABLES)[number][0];

/** Small tables, which are kept in memory. */
export const KEPT_TABLES = [
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
] as const;
export type KeptTable = (typeof KEPT_TABLES)[number];

/**
 * Tables that tell nothing that others do not: definitions and groups of metrics, unions of the instructions' times,
 * queues, whose numbers stand in the rows.
 */
const PASSED_TABLES = [
  'summary_groups',
  'summary_group_order',
  'terminology',
  'active_time',
  'dma_queues_info',
] as const;

const isKept: ReadonlySet<string> = new Set(KEPT_TABLES);
const isPassed: ReadonlySet<string> = new Set(PASSED_TABLES);
const timed: ReadonlyMap<string, number> = new Map(TIMED_TABLES.map(([name], number) => [name, number]));

/** What becomes of a table: its number among the timed ones, kept, passed over, or not known. */
export type Fate = number | 'kept' | 'passed' | 'unknown';

export const fateOf = (table: string): Fate =>
  timed.get(table) ?? (isKept.has(table) ? 'kept' : isPassed.has(table) ? 'passed' : 'unknown');

/** Names of all tables that are known. */
export const TABLE_NAMES: readonly string[] = [...timed.keys(), ...KEPT_TABLES, ...PASSED_TABLES];
