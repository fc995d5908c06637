/**
 * Profiles as the JSON of AWS's own tool: one object on one line, whose values are lists of rows, gigabytes of them. For
 * the large tables only the offsets of rows are kept (20 to 28 bytes each); the rows are then read from the file in order
 * of time.
 * Source: files of neuron-profile 2.28 (five captures of Trainium2), AWS's profile schema reference, users' scripts.
 */
import { elementAt } from '../../../containers/element.js';
import { Diagnostics } from '../../../record/diagnostics.js';
import type { KernelLine, ProfileLine } from '../../../record/record.js';
import { endRecord } from '../../capture/end-record.js';
import { BlockFile } from '../../json/block-file.js';
import { ExactDecoder } from '../../json/exact-json.js';
import type { Probe, Reader, ReadOptions } from '../../reader.js';
import { clockOf } from './tool-json/json-clock.js';
import { SubgraphCores } from './tool-json/subgraph-cores.js';
import { packet } from './tool-json/packet-row.js';
import { profileLine } from './tool-json/json-profile-line.js';
import { instruction } from './tool-json/instruction-row.js';
import { isToolJson } from './tool-json/tool-sniff.js';
import { sortedLines, type TimedLine } from './tool-json/table-order.js';
import { isRow, numberOf, type ToolRow } from './tool-json/table-row.js';
import type { TableContext } from './tool-json/row-context.js';
import type { RowIndex } from './tool-json/row-index.js';
import { memoryUsage, pendingDma, semaphore, throttle, throughput } from './tool-json/json-samples.js';
import { scanToolFile } from './tool-json/table-scan.js';
import { layer, notices, statements } from './tool-json/statement-lines.js';
import { TIMED_TABLES, type TimedTable } from './tool-json/json-tables.js';

export const neuronJson: Reader = {
  id: 'neuron-json',
  title: 'AWS Neuron profile as JSON (neuron-profile view --output-format json)',
  reads: 'text',
  sniff: isToolJson,
  read: (probe, options) => read(probe, options),
};

type ReadRow = (row: ToolRow, start: number, context: TableContext) => TimedLine;

/** Reader of each table's rows. */
const READ: Readonly<Record<TimedTable, ReadRow>> = {
  instruction,
  dma: packet,
  semaphore_update: semaphore,
  ham: throttle,
  dma_throughput: throughput,
  pending_dma: pendingDma,
  instruction_usage: memoryUsage,
  layer_summary: layer,
};
const TABLES: readonly ReadRow[] = TIMED_TABLES.map(([name]) => READ[name]);

/** Rows of one start that are sorted together, which bounds memory. */
const MOST_AT_ONCE = 16_384;

function* read({ path, file }: Probe, options: ReadOptions): Generator<ProfileLine> {
  const diagnostics = new Diagnostics();
  const found = scanToolFile(path, file, diagnostics);
  const seconds = numberOf(found.row('summary')['total_time']);
  const clock = clockOf(found.row('metadata'), seconds, found.activities.range);
  if (clock.isAssumed) diagnostics.count('time-unit-assumed');
  const cores = new SubgraphCores(found);
  const { profile } = options;
  const context: TableContext = { profile, clock, cores, diagnostics };
  const counts: Record<string, number> = {};
  let kernels = 0;

  function* lines(): Generator<ProfileLine> {
    yield profileLine(found, clock, cores, neuronJson.id, options);
    yield* statements(found, cores, profile);
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

/** Puts `id` where other readers' kernels have it. */
function numbered(line: Omit<KernelLine, 'id'>, id: number): KernelLine {
  const { type, profile, ...rest } = line;
  return { type, profile, id, ...rest };
}

/** Rows of an index as lines, in order of start. */
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
    if (isRow(row)) group.push(elementAt(TABLES, index.table(indexed))(row, start, context));
    else context.diagnostics.count('malformed-event');
  }
  yield* sortedLines(group);
  context.diagnostics.count('not-json', exact.notJson);
}
