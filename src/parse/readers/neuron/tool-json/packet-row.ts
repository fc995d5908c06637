/** One DMA packet as a copy line. */
import { dmaEngineName } from '../../../../record/neuron/neuron-cores.js';
import { NO_SEMAPHORE, PACKET_COUNTERS, PACKET_FLAGS, PACKET_LABELS } from '../../../../record/neuron/tool-fields.js';
import type { CopyLine, Labels } from '../../../../record/record.js';
import { nanoseconds } from './json-clock.js';
import { numberOf, numbersOf, rawTextOf, textOf, type ToolRow } from './table-row.js';
import { durationOf, type TableContext } from './row-context.js';

export function packet(row: ToolRow, start: number, context: TableContext): CopyLine {
  const [engine, queue] = [numberOf(row['dma_engine']), numberOf(row['dma_queue'])];
  const queueType = rawTextOf(row['queue_type']);
  return {
    type: 'copy',
    profile: context.profile,
    kind: 'DMA',
    bytes: numberOf(row['transfer_size']),
    start: nanoseconds(context.clock, start - context.clock.origin),
    dur: durationOf(row, context),
    device: context.cores.ofRow(row),
    stream: engine,
    ...(engine === null ? undefined : { engine: dmaEngineName(engine) }),
    ...(queue === null ? undefined : { queue }),
    ...(queueType === null ? undefined : { queueType }),
    counters: numbersOf(row, PACKET_COUNTERS),
    labels: labelsOf(row),
  };
}

function labelsOf(row: ToolRow): Labels {
  const labels: Record<string, string | number> = {};
  for (const [key, name] of PACKET_LABELS) {
    const text = textOf(row[key]);
    if (text !== null) labels[name] = text;
  }
  const ordinal = numberOf(row['packet_idx']);
  if (ordinal !== null) labels['packet'] = ordinal;
  for (const key of ['source', 'dest']) {
    const memories = memoriesOf(row[key]);
    if (memories !== '') labels[key] = memories;
  }
  for (const [key, name] of PACKET_FLAGS) if (row[key] === 'yes' || row[key] === true) labels[name] = 'yes';
  const semaphore = textOf(row['semaphore_id']);
  if (semaphore !== null && semaphore !== NO_SEMAPHORE) labels['semaphore'] = semaphore;
  return labels;
}

/** The known memories in nested lists such as `[["WEIGHT"]]` and `["SB"]`, without duplicates. */
function memoriesOf(cell: unknown): string {
  const memories = new Set<string>();
  addMemories(cell, memories, DEEPEST);
  return [...memories].join(' ');
}

const DEEPEST = 4;

function addMemories(cell: unknown, memories: Set<string>, depth: number): void {
  if (Array.isArray(cell)) {
    if (depth > 0) for (const each of cell as readonly unknown[]) addMemories(each, memories, depth - 1);
  } else {
    const memory = textOf(cell);
    if (memory !== null) memories.add(memory);
  }
}
