/**
 * Tables of the vendor tool's JSON, and how each is read.
 * Source: files of tool version 2.28; AWS's profile schema reference; users' scripts for tables of other versions.
 */

/**
 * Tables of events with the keys that their time may have. The table of collective operations has several names: that of
 * neuron-explorer 2.32, one in notes on other versions, and the schema's.
 */
export const TIMED_TABLES = [
  ['instruction', 'timestamp'],
  ['dma', 'timestamp'],
  ['semaphore_update', 'timestamp'],
  ['ham', 'timestamp'],
  ['dma_throughput', 'timestamp'],
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

/** Streams of collective operations. */
export const STREAM_TABLES = ['cc_stream', 'cc_streams', 'CcStream'] as const;

/** Small tables, which are held in memory. */
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
  ...STREAM_TABLES,
] as const;
export type KeptTable = (typeof KEPT_TABLES)[number];

/** Redundant tables: definitions and groups of metrics, unions of instructions' times. */
const IGNORED_TABLES = ['summary_groups', 'summary_group_order', 'terminology', 'active_time'] as const;

const isKept: ReadonlySet<string> = new Set(KEPT_TABLES);
const isIgnored: ReadonlySet<string> = new Set(IGNORED_TABLES);
const timed: ReadonlyMap<string, number> = new Map(TIMED_TABLES.map(([name], number) => [name, number]));

/** How a table is read: indexed under its number among the timed ones, held in memory, ignored, or unknown. */
export type TableUse = number | 'kept' | 'ignored' | 'unknown';

export const useOfTable = (table: string): TableUse =>
  timed.get(table) ?? (isKept.has(table) ? 'kept' : isIgnored.has(table) ? 'ignored' : 'unknown');

export const TABLE_NAMES: readonly string[] = [...timed.keys(), ...KEPT_TABLES, ...IGNORED_TABLES];
