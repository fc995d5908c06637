/**
 * Profiles as the JSON of AWS's own tool: one object on one line, whose values are lists of rows, often gigabytes of them.
 * For the large tables only the offsets of rows are kept (20 to 28 bytes each); the rows are then read from the file in
 * time order. Source: files of neuron-profile 2.28 (five Trainium2 captures), AWS's profile schema reference, users'
 * scripts.
 */
import { isJsonObject, ExactDecoder } from '../../json/json-value.js';
import { elementAt } from '../../../containers/element.js';
import { Diagnostics } from '../../../record/diagnostics.js';
import type {
  CollectiveLine,
  CopyLine,
  KernelLine,
  Labels,
  LayerRecord,
  ProfileLine,
  SampleRecord,
} from '../../../record/record.js';
import { UnreadEvents } from '../../unread-events.js';
import { endRecord } from '../../trace/emit.js';
import { isNear } from '../../trace/clocks/trace-clock.js';
import { BlockFile } from '../../input/byte-window.js';
import type { Probe, Reader, ReadOptions } from '../../reader.js';
import { collectiveInstruction, collectiveOperation, collectiveStreams } from './collective-rows.js';
import { findProgram } from './neff/read-program.js';
import { clockOf, nanoseconds, SubgraphCores, type TableContext } from './tool-json/row-context.js';
import {
  numberOf,
  textOf,
  NOT_READ_TABLE,
  STREAM_TABLES,
  TABLE_NAMES,
  TIMED_TABLES,
  type ToolRow,
  type RowIndex,
  type TimedTable,
} from './tool-json/json-tables.js';
import {
  hbmUsage,
  packet,
  instruction,
  memoryUsage,
  pendingDma,
  semaphore,
  throttle,
  throughput,
} from './tool-json/event-rows.js';
import { profileLine, layer, notices, statements } from './tool-json/file-lines.js';
import { scanToolFile, type ToolFile } from './tool-json/table-scan.js';
import { piecesOf, textStart } from '../../files.js';

export const neuronJson: Reader = {
  id: 'neuron-json',
  title: 'AWS Neuron profile as JSON (neuron-explorer view --output-format json, up to SDK 2.33)',
  reads: 'text',
  usesProgram: true,
  docs: {
    profiler: 'AWS Neuron',
    input: 'neuron-explorer JSON or Parquet',
    made: ['`neuron-explorer view -n model.neff -s profile.ntff --output-format json --output-file profile.json`'],
    read: [
      "Instructions with operands, HLO name, layer, multiply-accumulates, bytes per memory and dependencies; DMA packets; semaphores, throttling, memory use, layers, warnings; the tool's own summary.",
      'The file is one line of any size and is read as a stream. Ids above 2^53 are kept as text.',
      'A folder of Parquet tables, which neuron-explorer writes by default since SDK 2.31 (schema 7.4, and later versions with the same names), gives the same records and the throughput of HBM, but without layers and without the counts of each core. Its rows about the host and the system are counted but not read, since the schema does not relate their clock to that of the device. A folder that holds only a system profile is read. The names come from the published schema; no file written by the tool was available for testing.',
    ],
  },
  sniff: isToolJson,
  read: (probe, options) => read(probe, options),
};

/** Converts a row to a line; null for a row without the cells that say what it describes. */
type ReadRow = (row: ToolRow, start: number, context: TableContext) => TimedLine | null;

const READ: Readonly<Record<TimedTable, ReadRow>> = {
  instruction,
  dma: packet,
  semaphore_update: semaphore,
  ham: throttle,
  dma_throughput: throughput,
  hbm_usage: hbmUsage,
  pending_dma: pendingDma,
  instruction_usage: memoryUsage,
  layer_summary: layer,
  cc_ops: collectiveOperation,
  cc_op: collectiveOperation,
  CcOp: collectiveOperation,
  cc_instruction: collectiveInstruction,
  cc_instructions: collectiveInstruction,
  CcInstruction: collectiveInstruction,
};
const TABLES: readonly ReadRow[] = TIMED_TABLES.map(([name]) => READ[name]);

/** Maximum number of rows with the same start that are sorted together, to limit memory. */
const MOST_AT_ONCE = 16_384;

function* read({ path, file }: Probe, options: ReadOptions): Generator<ProfileLine> {
  const diagnostics = new Diagnostics();
  const found = scanToolFile(path, file, diagnostics);
  const seconds = numberOf(found.row('summary')['total_time']);
  const clock = clockOf(found.row('metadata'), seconds, found.activities.range);
  if (clock.isAssumed) diagnostics.count('time-unit-assumed');
  const cores = new SubgraphCores(found);
  const { profile, rank } = options;
  const streams = collectiveStreams(STREAM_TABLES.flatMap((table) => found.rows(table)));
  const context: TableContext = { profile, rank, clock, cores, streams, diagnostics };
  const notRead = notReadIn(found, diagnostics);
  const types = typesOf(found, options, diagnostics);
  const counts: Record<string, number> = {};
  let kernels = 0;

  function* lines(): Generator<ProfileLine> {
    const line = profileLine(found, clock, cores, neuronJson.id, options);
    yield { ...line, ...(Object.keys(notRead).length === 0 ? undefined : { facts: { ...line.facts, ...notRead } }) };
    yield* statements(found, cores, profile, types);
    const rows = new BlockFile(path);
    try {
      yield* timed(rows, found.layers);
      yield* notices(found, profile);
      yield* timed(rows, found.activities);
    } finally {
      rows.close();
    }
  }

  function* timed(rows: BlockFile, index: RowIndex): Generator<ProfileLine> {
    for (const line of timedLines(rows, index, context))
      yield line.type === 'kernel' ? numbered(line, ++kernels) : line;
  }

  for (const line of lines()) {
    if (line.type !== 'profile') counts[line.type] = (counts[line.type] ?? 0) + 1;
    yield line;
  }
  yield endRecord(profile, counts, diagnostics);
}

/** Facts about Neuron Explorer tables that are not read. */
function notReadIn(found: ToolFile, diagnostics: Diagnostics): Labels {
  const unread = new UnreadEvents();
  for (const row of found.rows(NOT_READ_TABLE)) unread.count(textOf(row['table']) ?? '', numberOf(row['rows']) ?? 0);
  return unread.facts(diagnostics);
}

/**
 * Types of tensors by name, from the program, because the tool's JSON does not have them.
 * @throws UserError when the program that the user named belongs to another model
 */
function typesOf(found: ToolFile, options: ReadOptions, diagnostics: Diagnostics): ReadonlyMap<string, string | null> {
  const { program, force = false, file } = options;
  if (program === undefined) return new Map();
  const uuid = textOf(found.row('neff_header')['uuid']) ?? '';
  const { tensors } = findProgram({ program, force, folder: null, file, uuid, modelFile: null }, diagnostics) ?? {};
  return new Map(tensors?.map(({ name, dtype }) => [name, dtype]));
}

/** Puts `id` at the place where kernels of other readers have it. */
function numbered(line: Omit<KernelLine, 'id'>, id: number): KernelLine {
  const { type, profile, ...rest } = line;
  return { type, profile, id, ...rest };
}

/** Rows of an index as lines, in order of start time. */
function* timedLines(file: BlockFile, index: RowIndex, context: TableContext): Generator<TimedLine> {
  const exact = new ExactDecoder();
  let group: TimedLine[] = [];
  let groupStart = NaN;
  for (const indexed of index.inOrder()) {
    const start = index.start(indexed);
    if (start !== groupStart || group.length >= MOST_AT_ONCE) {
      yield* sortedLines(group);
      group = [];
      groupStart = start;
    }
    const bytes = file.read(index.offset(indexed), index.size(indexed));
    const row = exact.decode(bytes, 0, bytes.length);
    if (!isNear(nanoseconds(context.clock, start - context.clock.origin))) context.diagnostics.count('row-passed-over');
    else if (isJsonObject(row)) {
      const line = elementAt(TABLES, index.table(indexed))(row, start, context);
      if (line === null) context.diagnostics.count('row-passed-over');
      else group.push(line);
    } else context.diagnostics.count('malformed-event');
  }
  yield* sortedLines(group);
  context.diagnostics.count('not-json', exact.notJson);
}

type TimedLine = Omit<KernelLine, 'id'> | CopyLine | CollectiveLine | SampleRecord | LayerRecord;

const TYPES: readonly string[] = ['layer', 'kernel', 'collective', 'copy', 'sample'];

type OrderKey = number | string;

/**
 * Keys by which lines are sorted: kernels and copies by device, stream, queue, duration, program counter or bytes; samples
 * by device and metric; layers with the outer ones first. Unknown values come first.
 */
function keysOf(line: TimedLine): readonly OrderKey[] {
  const type = TYPES.indexOf(line.type);
  const device = line.device ?? -1;
  const dur = line.dur ?? -1;
  switch (line.type) {
    case 'layer':
      return [type, device, -dur, line.name];
    case 'kernel':
      return [type, device, line.stream ?? -1, -1, dur, line.counters?.['pc'] ?? -1];
    case 'collective':
      return [type, device, line.stream ?? -1, -1, dur, line.name];
    case 'copy':
      return [type, device, line.stream ?? -1, line.queue ?? -1, dur, line.bytes ?? -1];
    case 'sample':
      return [type, device, line.metric, Number(line.labels?.['semaphore'] ?? -1), line.value ?? -1, dur];
  }
}

/** Lines with the same start, sorted by content, because the order of rows differs between files of the same tool. */
function sortedLines(lines: readonly TimedLine[]): readonly TimedLine[] {
  if (lines.length < 2) return lines;
  const keyed = lines.map((line) => ({ line, keys: keysOf(line) }));
  keyed.sort((a, b) => compareKeys(a.keys, b.keys) || compare(JSON.stringify(a.line), JSON.stringify(b.line)));
  return keyed.map(({ line }) => line);
}

function compareKeys(a: readonly OrderKey[], b: readonly OrderKey[]): number {
  for (const [i, key] of a.entries()) {
    const other = b[i];
    // Keys of lines of different types have different lengths, but they already differ in their first part.
    const order = other === undefined ? 1 : compare(key, other);
    if (order !== 0) return order;
  }
  return 0;
}

const compare = (a: OrderKey, b: OrderKey): number => (a === b ? 0 : a < b ? -1 : 1);

/** How many bytes are searched for a second table. */
const SEARCHED = 16 * 1024 * 1024;

/** Length in bytes of the longest name of a table, with room for white space. */
const LONGEST_NAME = 64;

/** Beginnings of files in other formats. */
const FOREIGN = ['"traceEvents"', '"neuron_runtime_data"', '{"type":"profile"'] as const;

const TABLE = new RegExp(`"(${TABLE_NAMES.join('|')})"\\s*:\\s*\\[\\s*(?=[{\\]])`, 'g');

/** A file that contains only a summary is recognised by its metrics. */
const ONLY_SUMMARY = /^\s*\{\s*"summary"\s*:\s*\[\s*\{/;
const METRIC = /"(?:total_time|total_active_time|neuroncore_cycle_count|[a-z]+_engine_(?:active|instruction)_\w+)"/;

function isToolJson({ path, head }: Probe): boolean {
  const start = textStart(head);
  if (!start.startsWith('{') || FOREIGN.some((key) => start.includes(key))) return false;
  if (ONLY_SUMMARY.test(start) && METRIC.test(start)) return true;
  // All values of the format are lists.
  return /^\{\s*"[^"\\]*"\s*:\s*\[/.test(start) && holdsTables(path);
}

/** Whether the first part of a file contains two tables, or begins with rows of this format. */
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

/** A typical key in the rows of each large table, because a single table may fill the part that is searched. */
const ROWS: Readonly<Record<string, RegExp>> = {
  instruction: /"(?:opcode|operands|evt_wait_time)"/,
  dma: /"(?:dma_engine|queue_type)"/,
  semaphore_update: /"subgraph"/,
  dma_throughput: /"total_transfer_bytes"/,
  instruction_usage: /"usage_avg"/,
  active_time: /"pcore_idx"/,
  pending_dma: /"subgraph"/,
  layer_summary: /_engine_/,
  cc_ops: /"(?:cc_trigger|replica_group|trigger_engine)"/,
};

function beginsWithRows(text: string): boolean {
  const [, table = '', rows = ''] =
    /^\s*\{\s*"(\w+)"\s*:\s*\[\s*(\{.{0,4096})/s.exec(text.replace(/^\u00ef\u00bb\u00bf/, '')) ?? [];
  return ROWS[table]?.test(rows) === true;
}
