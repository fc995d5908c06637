/**
 * Format detection for the JSON of AWS's tool: one object whose values are tables of known names. Tables have any order,
 * and one may be larger than the part that is searched.
 */
import type { Probe } from '../../../reader.js';
import { piecesOf, textStart } from '../../../json/first-part.js';
import { TABLE_NAMES } from './json-tables.js';

/** Bytes that are searched for a second table. */
const SEARCHED = 16 * 1024 * 1024;

/** Bytes of the longest table's name, with room for white space. */
const LONGEST_NAME = 64;

/** Beginnings of other formats. */
const FOREIGN = ['"traceEvents"', '"neuron_runtime_data"', '{"type":"profile"'] as const;

const TABLE = new RegExp(`"(${TABLE_NAMES.join('|')})"\\s*:\\s*\\[\\s*(?=[{\\]])`, 'g');

/** A file with nothing but a summary is recognised by its metrics. */
const ONLY_SUMMARY = /^\s*\{\s*"summary"\s*:\s*\[\s*\{/;
const METRIC = /"(?:total_time|total_active_time|neuroncore_cycle_count|[a-z]+_engine_(?:active|instruction)_\w+)"/;

export function isToolJson({ path, head }: Probe): boolean {
  const start = textStart(head);
  if (!start.startsWith('{') || FOREIGN.some((key) => start.includes(key))) return false;
  if (ONLY_SUMMARY.test(start) && METRIC.test(start)) return true;
  // Every value of the format is a list.
  return /^\{\s*"[^"\\]*"\s*:\s*\[/.test(start) && holdsTables(path);
}

/** Whether the first part of a file has two tables, or begins with rows of this format. */
function holdsTables(path: string): boolean {
  const found = new Set<string>();
  let isFirst = true;
  for (const piece of piecesOf(path, SEARCHED, LONGEST_NAME)) {
    const text = piece.toString('latin1');
    if (isFirst && beginsWithRows(text)) return true;
    isFirst = false;
    for (const [, table = ''] of text.matchAll(TABLE)) found.add(table);
    if (found.size > 1) return true;
  }
  return false;
}

/** A key of the rows of each large table: one table may fill the part that is searched. */
const ROWS: Readonly<Record<string, RegExp>> = {
  instruction: /"(?:opcode|operands|evt_wait_time)"/,
  dma: /"(?:dma_engine|queue_type)"/,
  semaphore_update: /"subgraph"/,
  dma_throughput: /"total_transfer_bytes"/,
  instruction_usage: /"usage_avg"/,
  active_time: /"pcore_idx"/,
  pending_dma: /"subgraph"/,
  layer_summary: /_engine_/,
};

function beginsWithRows(text: string): boolean {
  const [, table = '', rows = ''] =
    /^\s*\{\s*"(\w+)"\s*:\s*\[\s*(\{.{0,4096})/s.exec(text.replace(/^\u00ef\u00bb\u00bf/, '')) ?? [];
  return ROWS[table]?.test(rows) === true;
}
