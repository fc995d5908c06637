/**
 * Whether a file is the JSON of AWS's tool: one object whose values are tables of known names. Tables come in any
 * order, and one may be larger than all that is looked at.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import type { Probe } from '../../../reader.js';
import { TABLE_NAMES } from './json-tables.js';

/** How much is searched for a second table. */
const SEARCHED = 16 * 1024 * 1024;

/** Other formats' objects. */
const FOREIGN = ['"traceEvents"', '"neuron_runtime_data"', '{"type":"profile"'] as const;

const TABLE = new RegExp(`"(${TABLE_NAMES.join('|')})"\\s*:\\s*\\[\\s*(?=[{\\]])`, 'g');

/** A summary alone is told by its metrics. */
const ONLY_SUMMARY = /^\s*\{\s*"summary"\s*:\s*\[\s*\{/;
const METRIC = /"(?:total_time|total_active_time|neuroncore_cycle_count|[a-z]+_engine_(?:active|instruction)_\w+)"/;

export function isToolJson({ path, head }: Probe): boolean {
  const start = head
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();
  if (!start.startsWith('{') || FOREIGN.some((key) => start.includes(key))) return false;
  if (ONLY_SUMMARY.test(start) && METRIC.test(start)) return true;
  // Every value is a list: what begins otherwise is something else.
  return /^\{\s*"[^"\\]*"\s*:\s*\[/.test(start) && holdsTables(path);
}

/** Whether the first part of a file holds two tables, or begins with rows as no other format has them. */
function holdsTables(path: string): boolean {
  const piece = Buffer.alloc(1024 * 1024);
  const found = new Set<string>();
  const file = openSync(path, 'r');
  try {
    let rest = '';
    for (let searched = 0; searched < SEARCHED;) {
      const n = readSync(file, piece, 0, piece.length, null);
      if (n === 0) return false;
      const text = rest + piece.toString('latin1', 0, n);
      if (searched === 0 && beginsWithRows(text)) return true;
      for (const [, table = ''] of text.matchAll(TABLE)) found.add(table);
      if (found.size > 1) return true;
      // A name may stand across two pieces.
      rest = text.slice(-64);
      searched += n;
    }
    return false;
  } finally {
    closeSync(file);
  }
}

/** Large tables by a key that their rows have: one of them may fill all that is searched. */
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
