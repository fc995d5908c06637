/**
 * Converts rows of the timed tables to records: instructions to kernels, DMA packets to copies, values over time to
 * samples.
 */
import { isJsonObject } from '../../../json/json-value.js';
import { NEURON_ENGINES, dmaEngineName, type NeuronEngine } from '../../../../record/neuron/neuron-cores.js';
import {
  DEPENDENCY_KINDS,
  INSTRUCTION_COUNTERS,
  INSTRUCTION_LABELS,
  NO_CRC,
  RATE_LABELS,
  NO_SEMAPHORE,
  PACKET_COUNTERS,
  PACKET_FLAGS,
  PACKET_LABELS,
} from '../../../../record/neuron/tool-fields.js';
import type { Dependency, KernelLine, Labels, SampleRecord, CopyLine } from '../../../../record/record.js';
import { dependencyCounters } from '../profile-record.js';
import { durationIn, nanoseconds, durationOf, type TableContext } from './row-context.js';
import { numberOf, textOf, numbersOf, rawTextOf, type ToolRow } from './json-tables.js';

/** One DMA packet as a copy line. */
export function packet(row: ToolRow, start: number, context: TableContext): CopyLine {
  const [engine, queue] = [numberOf(row['dma_engine']), numberOf(row['dma_queue'])];
  const queueType = rawTextOf(row['queue_type']);
  return {
    type: 'copy',
    profile: context.profile,
    kind: 'DMA',
    bytes: numberOf(row['transfer_size']),
    start: nanoseconds(context.clock, start - context.clock.origin),
    dur: durationOf(row, start, context),
    device: context.cores.ofRow(row),
    stream: engine,
    ...(engine === null ? undefined : { engine: dmaEngineName(engine) }),
    ...(queue === null ? undefined : { queue }),
    ...(queueType === null ? undefined : { queueType }),
    counters: numbersOf(row, PACKET_COUNTERS),
    labels: packetLabels(row),
  };
}

function packetLabels(row: ToolRow): Labels {
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

type Sampler = (row: ToolRow, start: number, context: TableContext) => SampleRecord;

type SampleValue = Pick<SampleRecord, 'metric' | 'value' | 'unit'> & { readonly labels?: Labels };

function sample(
  row: ToolRow,
  start: number,
  context: TableContext,
  reading: SampleValue,
  dur?: number | null,
): SampleRecord {
  const { metric, value, unit, labels } = reading;
  return {
    type: 'sample',
    profile: context.profile,
    start: nanoseconds(context.clock, start - context.clock.origin),
    ...(dur === undefined ? undefined : { dur }),
    device: context.cores.ofRow(row),
    metric,
    value,
    unit,
    ...(labels === undefined || Object.keys(labels).length === 0 ? undefined : { labels }),
  };
}

/** A semaphore as `24`, or as `S[24] (qSyncDynamicHW)` with the queue or engine that owns it. */
const SEMAPHORE = /^(?:S\[)?(\d{1,9})\]?(?: \((.*)\))?$/;

/** A row of a semaphore table as a sample line. */
export const semaphore: Sampler = (row, start, context) => {
  const text = textOf(row['id']);
  const [, number, name] = SEMAPHORE.exec(text ?? '') ?? [];
  const labels: Record<string, string | number> = {};
  if (number !== undefined) labels['semaphore'] = Number(number);
  else if (text !== null) labels['semaphore'] = text;
  if (name !== undefined && name !== '') labels['name'] = name;
  return sample(row, start, context, { metric: 'semaphore', value: numberOf(row['value']), unit: null, labels });
};

/** A sample of throttling: a throttled engine works k of n cycles. */
export const throttle: Sampler = (row, start, context) => {
  const [k, n, type] = [numberOf(row['k']), numberOf(row['n']), numberOf(row['type'])];
  const labels: Record<string, string | number> = {};
  if (type !== null) labels['kind'] = `activity_${type}`;
  else if (textOf(row['type']) !== null) labels['kind'] = String(row['type']);
  if (k !== null) labels['k'] = k;
  if (n !== null) labels['n'] = n;
  const value = k === null || n === null || n === 0 ? null : k / n;
  const reading = { metric: 'throttle', value, unit: 'fraction', labels };
  return sample(row, start, context, reading, durationOf(row, start, context));
};

export const throughput: Sampler = (row, start, context) => {
  const usesMemory = row['uses_hbm'] === 'true' || row['uses_hbm'] === true;
  const labels: Record<string, number> = {};
  for (const [key, label] of RATE_LABELS) {
    const value = numberOf(row[key]);
    if (value !== null && (usesMemory || label === 'totalBytes' || value !== 0)) labels[label] = value;
  }
  const value = numberOf(row['transfer_rate']);
  return sample(row, start, context, { metric: 'dma_transfer_rate', value, unit: 'bytes/s', labels });
};

/** Transfers to and from device memory. */
export const hbmUsage: Sampler = (row, start, context) => {
  const labels = numbersOf(row, RATE_LABELS);
  const value = numberOf(row['transfer_rate']);
  return sample(row, start, context, { metric: 'hbm_transfer_rate', value, unit: 'bytes/s', labels });
};

export const pendingDma: Sampler = (row, start, context) =>
  sample(row, start, context, { metric: 'pending_dma', value: numberOf(row['value']), unit: 'count' });

/** Use of `sb` (state buffer) by partition and of `psum` (partial sums) by bank, as fractions of 1. */
export const memoryUsage: Sampler = (row, start, context) => {
  const parts = Object.keys(row).flatMap((key) => /^(?:partition|bank)_\d{1,4}(?=_usage$)/.exec(key) ?? []);
  const labels: Record<string, number> = {};
  for (const part of parts.sort((a, b) => numberIn(a) - numberIn(b))) {
    const value = numberOf(row[`${part}_usage`]);
    if (value !== null) labels[part] = value;
  }
  const metric = `${rawTextOf(row['type']) ?? 'memory'}_usage`;
  return sample(row, start, context, { metric, value: numberOf(row['usage_avg']), unit: 'fraction', labels });
};

const numberIn = (part: string): number => Number(part.slice(part.indexOf('_') + 1));

/** Kinds of dependencies by the tool's names. */
const KINDS: ReadonlyMap<string, string> = new Map(DEPENDENCY_KINDS);

/** Engines by their names in lower case and their abbreviations. */
const ENGINES_BY_NAME: ReadonlyMap<string, NeuronEngine> = new Map([
  ['pe', 'Tensor'],
  ['act', 'Scalar'],
  ['activation', 'Scalar'],
  ['pool', 'GpSimd'],
  ['dve', 'Vector'],
  ['sp', 'Sync'],
  ...NEURON_ENGINES.map((name) => [name.toLowerCase(), name] as const),
]);

/** An instruction as a line without `id`, which is given by the order of lines. */
export function instruction(row: ToolRow, start: number, context: TableContext): Omit<KernelLine, 'id'> {
  const name = textOf(row['opcode']) ?? textOf(row['compiler_opcode']);
  if (name === null) context.diagnostics.count('bad-row');
  const engine = engineOf(row['subgroup']);
  const stream = NEURON_ENGINES.findIndex((each) => each === engine);
  const after = dependencies(row['predecessors']);
  const layer = layerOf(row['layer']);
  const op = textOf(row['hlo_name']);
  const source = textOf(row['nki_source_location']) ?? textOf(row['bir_debug_info_source_location']);
  const operands = rawTextOf(row['operands']);
  return {
    type: 'kernel',
    profile: context.profile,
    name: name ?? 'unknown',
    short: name ?? 'unknown',
    start: nanoseconds(context.clock, start - context.clock.origin),
    dur: durationOf(row, start, context),
    device: context.cores.ofRow(row),
    stream: stream < 0 ? null : stream,
    ...(engine === null ? undefined : { engine }),
    counters: countersOf(row, after, context),
    ...(layer.length === 0 ? undefined : { layer }),
    ...(op === null ? undefined : { op: [op] }),
    ...(source === null ? undefined : { trace: [source] }),
    ...(operands === null ? undefined : { operands }),
    ...(after.length === 0 ? undefined : { after }),
    labels: labelsOf(row, source),
  };
}

function engineOf(cell: unknown): string | null {
  const name = textOf(cell);
  return name === null ? null : (ENGINES_BY_NAME.get(name.toLowerCase()) ?? name);
}

function countersOf(row: ToolRow, after: readonly Dependency[], { clock }: TableContext): Record<string, number> {
  const counters = numbersOf(row, INSTRUCTION_COUNTERS);
  if (counters['crcIn'] === NO_CRC) delete counters['crcIn'];
  if (counters['crcOut'] === NO_CRC) delete counters['crcOut'];
  const wait = durationIn(clock, numberOf(row['evt_wait_time']) ?? NaN);
  if (wait !== null) counters['waitNs'] = wait;
  return { ...counters, ...dependencyCounters(after) };
}

/** Path of the layer, outermost first; empty when there is none. */
function layerOf(cell: unknown): readonly string[] {
  const path = textOf(cell);
  return path === null ? [] : path.split('/').filter((part) => part !== '');
}

function dependencies(cell: unknown): readonly Dependency[] {
  if (!Array.isArray(cell)) return [];
  const found: Dependency[] = [];
  for (const each of cell as readonly unknown[]) {
    if (!isJsonObject(each)) continue;
    const id = textOf(each['id']);
    const type = rawTextOf(each['type']) ?? 'unknown';
    if (id !== null) found.push({ id, kind: KINDS.get(type) ?? type.toLowerCase() });
  }
  return found;
}

function labelsOf(row: ToolRow, source: string | null): Labels {
  const labels: Record<string, string> = {};
  const id = textOf(row['id']);
  if (id !== null) labels['id'] = id;
  for (const [key, name] of INSTRUCTION_LABELS) {
    const text = textOf(row[key]);
    if (text !== null && text !== '[]' && text !== '{}') labels[name] = text;
  }
  if (labels['birSource'] === source) delete labels['birSource'];
  return labels;
}
