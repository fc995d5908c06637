/**
 * Format detection for the JSON of AWS's tool: one object whose values are tables of known names. Tables have any order,
 * and one may be larger than the part that is searched.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import type { Probe } from '../../../reader.js';
import { TABLE_NAMES } from './json-tables.js';

/** Bytes that are searched for a second table. */
const SEARCHED = 16 * 1024 * 1024;

/** Beginnings of other formats. */
const FOREIGN = ['"traceEvents"', '"neuron_runtime_data"', '{"type":"profile"'] as const;

const TABLE = new RegExp(`"(${TABLE_NAMES.join('|')})"\\s*:\\s*\\[\\s*(?=[{\\]])`, 'g');

/** A file with nothing but a summary is recognised by its metrics. */
const ONLY_SUMMARY = /^\s*\{\s*"summary"\s*:\s*\[\s*\{/;
const METRIC = /"(?:total_time|total_active_time|neuroncore_cycle_count|[a-z]+_engine_(?:active|instruction)_\w+)"/;

export function isToolJson({ path, head }: Probe): boolean {
  const start = head
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();
  if (!start.startsWith('{') || FOREIGN.some((key) => start.includes(key))) return false;
  if (ONLY_SUMMARY.test(start) && METRIC.test(start)) return true;
  // Every value of the format is a list.
  return /^\{\s*"[^"\\]*"\s*:\s*\[/.test(start) && holdsTables(path);
}

/** Whether the first part of a file has two tables, or begins with rows of this format. */
function holdsTables(path: string): boolean {
  const chunk = Buffer.alloc(1024 * 1024);
  const found = new Set<string>();
  const file = openSync(path, 'r');
  try {
    let rest = '';
    for (let searched = 0; searched < SEARCHED;) {
      const n = readSync(file, chunk, 0, chunk.length, null);
      if (n === 0) return false;
      const text = rest + chunk.toString('latin1', 0, n);
      if (searched === 0 && beginsWithRows(text)) return true;
      for (const [, table = ''] of text.matchAll(TABLE)) found.add(table);
      if (found.size > 1) return true;
      // A name may span two chunks.
      rest = text.slice(-64);
      searched += n;
    }
    return false;
  } finally {
    closeSync(file);
  }
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
