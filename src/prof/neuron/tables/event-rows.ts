/**
 * Tables of events, one row per record: instructions, DMA packets, semaphores, throttling, rates, use of memories. Missing
 * strings are '' or `unknown`, as the tool writes them; missing numbers are left out of the row.
 */
import type { CopyLine, KernelLine, Labels, SampleRecord } from '../../../record/record.js';
import {
  DEPENDENCY_KINDS,
  INSTRUCTION_COUNTERS,
  INSTRUCTION_LABELS,
  NO_CRC,
  NO_SEMAPHORE,
  PACKET_FLAGS,
  RATE_LABELS,
  type FieldName,
} from '../../../record/neuron/tool-fields.js';
import { spanOf } from './core-state.js';
import { jsonOf } from '../../../record/control-characters.js';

/** Undefined when a record lacks the value; the row then has no such field. */
export type ToolCell = number | string | boolean | readonly unknown[] | RawCell | undefined;

/** A number with more digits than a double can hold. */
class RawCell {
  constructor(readonly json: string) {}
}

/** Fields of a table, and how each is made from a record and its context. */
export type ToolFields<Source, TablePlace> = readonly (readonly [
  key: string,
  of: (source: Source, place: TablePlace) => ToolCell,
])[];

/** The row of a record, as JSON. */
export function rowOf<Source, TablePlace>(
  fields: ToolFields<Source, TablePlace>,
  source: Source,
  place: TablePlace,
): string {
  const members: string[] = [];
  for (const [key, cellOf] of fields) {
    const cell = cellOf(source, place);
    if (cell !== undefined) members.push(`${keyOf(key)}:${jsonOfCell(cell)}`);
  }
  return `{${members.join(',')}}`;
}

/** Most strings are plain words that need no escapes. */
const keyOf = (key: string): string => (/^\w+$/.test(key) ? `"${key}"` : jsonOf(key));

function jsonOfCell(cell: Exclude<ToolCell, undefined>): string {
  if (cell instanceof RawCell) return cell.json;
  return typeof cell === 'number' && Number.isFinite(cell) ? String(cell) : jsonOf(cell);
}

/** An id of the tool, which may be beyond 2^53, so that its digits are written unchanged. Our own ids are strings. */
function idOf(id: number | string | undefined): ToolCell {
  return id === undefined || !/^(?:0|[1-9]\d{0,19})$/.test(String(id)) ? id : new RawCell(String(id));
}

type Values = Readonly<Record<string, number | string>> | undefined;

/** Fields whose values a record has under different names. */
export const named = <Source, TablePlace>(
  names: readonly FieldName[],
  valuesOf: (source: Source) => Values,
): ToolFields<Source, TablePlace> => names.map(([key, name]) => [key, (source) => valuesOf(source)?.[name]]);

/** Columns of strings: '' if the record has none, as the tool writes it. */
export const texts = <Source, TablePlace>(
  names: readonly FieldName[],
  valuesOf: (source: Source) => Values,
  missing = '',
): ToolFields<Source, TablePlace> =>
  names.map(([key, name]) => [key, (source) => String(valuesOf(source)?.[name] ?? missing)]);

/**
 * The shortest decimal number with the same single-precision value, because the tool stores rates and shares in single
 * precision.
 */
export function single(value: number): number {
  const held = Math.fround(value);
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(held.toPrecision(digits));
    if (Math.fround(short) === held) return short;
  }
  return Number(held.toPrecision(9));
}

/** Where a record belongs. */
export interface TablePlace {
  readonly subgraph: string | undefined;
}

const UNKNOWN = 'unknown';
/** Layer of instructions for which the program does not name one. */
const UNKNOWN_LAYER = 'Unknown';
const BUFFERS: Readonly<Record<string, string>> = { sb_usage: 'sb', psum_usage: 'psum' };

const TYPES = new Map(DEPENDENCY_KINDS.map(([type, kind]) => [kind, type]));

/** `sg0000:17` → 17; 0 when there is none. */
const numberIn = (id: number | string = ''): number => Number(/:(\d{1,15})$/.exec(String(id))?.[1] ?? 0);

/** The compiler's instructions have a type; those of the runtime do not. */
const isOfProgram = (labels: Labels | undefined): boolean => labels?.['type'] !== undefined;

const OPTIONAL: ReadonlySet<string> = new Set([
  'compiler_opcode',
  'compiler_operands',
  'bir_debug_info_source_location',
]);

/** Labels whose cells are more than strings, because a row must have each field only once. */
const OWN_CELLS: ReadonlySet<string> = new Set(['label', 'hlo_attrs']);

const INSTRUCTION: ToolFields<KernelLine, TablePlace> = [
  ['timestamp', ({ start }) => start],
  ['duration', ({ dur }) => dur ?? undefined],
  ['opcode', ({ name }) => name],
  ['subgroup', ({ engine }) => engine],
  ...texts<KernelLine, TablePlace>(
    INSTRUCTION_LABELS.filter(([key]) => !OPTIONAL.has(key) && !OWN_CELLS.has(key)),
    ({ labels }) => labels,
  ),
  ['label', ({ labels, name, engine }) => labels?.['label'] ?? (name === 'MATMUL' ? 'TensorMatrix' : engine)],
  ...named<KernelLine, TablePlace>(
    INSTRUCTION_LABELS.filter(([key]) => OPTIONAL.has(key)),
    ({ labels }) => labels,
  ),
  ['hlo_attrs', ({ labels }) => labels?.['hloAttrs'] ?? (isOfProgram(labels) ? '[]' : '')],
  ['subgraph', (_record, { subgraph }) => subgraph],
  ['fully_qualified_subgraph', (_record, { subgraph }) => (subgraph === undefined ? undefined : `/${subgraph}`)],
  ['nc_idx', ({ device }) => device],
  ['operands', ({ operands }) => operands ?? ' '],
  ['hlo_name', ({ op }) => op?.[0] ?? ''],
  ['layer', ({ layer = [], labels }) => layer.join('/') || (isOfProgram(labels) ? UNKNOWN_LAYER : '')],
  ['nki_source_location', ({ trace }) => trace?.[0]],
  ['raw_bir_id', ({ labels }) => numberIn(labels?.['birId'])],
  ['raw_penguin_id', ({ labels }) => numberIn(labels?.['penguinId'])],
  ['evt_wait_time', ({ counters }) => counters?.['waitNs']],
  ...named<KernelLine, TablePlace>(INSTRUCTION_COUNTERS, ({ counters }) => ({
    crcIn: NO_CRC,
    crcOut: NO_CRC,
    ...counters,
  })),
  ['is_psum_read_sbuf_write', ({ counters }) => (counters?.['psumReadSbufWriteBytes'] ?? 0) > 0 || undefined],
  ['id', ({ labels }) => idOf(labels?.['id'])],
  [
    'predecessors',
    ({ after }) => after && rawList(after.map(({ id, kind }) => ({ id, type: TYPES.get(kind) ?? kind }))),
  ],
];

const rawList = (all: readonly { readonly id: number | string; readonly type: string }[]): RawCell =>
  new RawCell(`[${all.map((each) => rowOf(PREDECESSOR, each, null)).join(',')}]`);

const PREDECESSOR: ToolFields<{ readonly id: number | string; readonly type: string }, null> = [
  ['id', ({ id }) => idOf(id)],
  ['type', ({ type }) => type],
];

/** Bytes per second during the packet. */
function rateOf(record: CopyLine): number | undefined {
  const span = spanOf(record);
  if (record.bytes === null || span === null || span.to <= span.from) return undefined;
  return single((record.bytes / (span.to - span.from)) * 1e12);
}

/** A list of lists for sources: `[["WEIGHT"]]`. */
const memories = (label: string | number | undefined): readonly string[] => String(label ?? UNKNOWN).split(' ');

type PacketPlace = TablePlace & { readonly number: number };

const PACKET: ToolFields<CopyLine, PacketPlace> = [
  ['timestamp', ({ start }) => start],
  ['duration', ({ dur }) => dur ?? undefined],
  ['subgraph', (_record, { subgraph }) => subgraph],
  ['nc_idx', ({ device }) => device],
  ['dma_engine', ({ stream }) => (stream === null ? undefined : String(stream))],
  ['dma_queue', ({ queue }) => (queue === undefined ? undefined : String(queue))],
  ['subgroup', ({ queue, engine }) => (queue === undefined ? undefined : `Q${queue}-${engine}`)],
  ['queue_type', ({ queueType }) => queueType ?? UNKNOWN],
  ['variable', ({ labels }) => labels?.['variable'] ?? UNKNOWN],
  ['op', ({ labels }) => labels?.['op'] ?? ''],
  ['source', ({ labels }) => [memories(labels?.['source'])]],
  ['dest', ({ labels }) => memories(labels?.['dest'])],
  ['transfer_size', ({ bytes }) => bytes ?? undefined],
  ['read_size', ({ bytes, counters }) => counters?.['readBytes'] ?? bytes ?? undefined],
  ['write_size', ({ bytes, counters }) => counters?.['writeBytes'] ?? bytes ?? undefined],
  ['transfer_rate', (record) => record.counters?.['bytesPerS'] ?? rateOf(record)],
  ['crc', ({ counters }) => counters?.['crc']],
  ['packet_idx', ({ labels }, { number }) => labels?.['packet'] ?? number],
  ['packet_aggregation_id', ({ labels }) => idOf(labels?.['transfer'])],
  ['id', ({ labels }) => idOf(labels?.['id'])],
  ...texts<CopyLine, PacketPlace>(PACKET_FLAGS, ({ labels }) => labels, 'no'),
  ['semaphore_id', ({ labels }) => String(labels?.['semaphore'] ?? NO_SEMAPHORE)],
];

/** `24`, or `S[24] (qSyncDynamicHW)` when the engine or queue that updates it is known. */
function semaphoreId({ labels = {} }: SampleRecord): string {
  const number = String(labels['semaphore'] ?? '');
  return labels['name'] === undefined ? number : `S[${number}] (${labels['name']})`;
}

/** `activity_1` → 1: the tool's number of the cause. */
function causeOf({ labels }: SampleRecord): ToolCell {
  const kind = String(labels?.['kind'] ?? '');
  const number = /^activity_(\d{1,9})$/.exec(kind)?.[1];
  return number === undefined ? kind : Number(number);
}

const SAMPLE: ToolFields<SampleRecord, TablePlace> = [
  ['timestamp', ({ start }) => start ?? undefined],
  ['subgraph', (_record, { subgraph }) => subgraph],
];
const VALUE: ToolFields<SampleRecord, TablePlace> = [['value', ({ value }) => value ?? undefined]];
const SEMAPHORE: ToolFields<SampleRecord, TablePlace> = [...SAMPLE, ...VALUE, ['id', semaphoreId]];
const PENDING: ToolFields<SampleRecord, TablePlace> = [...SAMPLE, ...VALUE];
const THROTTLE: ToolFields<SampleRecord, TablePlace> = [
  ...SAMPLE,
  ['duration', ({ dur }) => dur ?? undefined],
  ['k', ({ labels }) => labels?.['k']],
  ['n', ({ labels }) => labels?.['n']],
  ['type', causeOf],
];

/** Whether the sample is about device memory, which the tool marks with the total size of that memory. */
const usesMemory = ({ labels }: SampleRecord): boolean => labels?.['hbmTotalBytes'] !== undefined;

const RATE: ToolFields<SampleRecord, TablePlace> = [
  ...SAMPLE,
  ['transfer_rate', ({ value }) => (value === null ? undefined : single(value))],
  ...named<SampleRecord, TablePlace>(RATE_LABELS, ({ labels }) => ({ hbmBytesPerS: 0, hbmTotalBytes: 0, ...labels })),
  ['uses_hbm', (record) => String(usesMemory(record))],
];

/** Use of a memory by its parts: `partition_32_usage`, `bank_3_usage`. */
function usageRow(record: SampleRecord, place: TablePlace): string {
  const parts = Object.entries(record.labels ?? {}).map(([part, value]): [string, () => ToolCell] => [
    `${part}_usage`,
    () => value,
  ]);
  const fields: ToolFields<SampleRecord, TablePlace> = [
    ...SAMPLE,
    ['type', ({ metric }) => BUFFERS[metric]],
    ['usage_avg', ({ value }) => value ?? undefined],
    ...parts,
  ];
  return rowOf(fields, record, place);
}

type SampleTable = readonly [table: string, row: (record: SampleRecord, place: TablePlace) => string];

/** Tables of samples, by metric. */
export const SAMPLE_TABLES: ReadonlyMap<string, SampleTable> = new Map<string, SampleTable>([
  ['semaphore', ['semaphore_update', (record, place) => rowOf(SEMAPHORE, record, place)]],
  ['throttle', ['ham', (record, place) => rowOf(THROTTLE, record, place)]],
  ['dma_transfer_rate', ['dma_throughput', (record, place) => rowOf(RATE, record, place)]],
  ['pending_dma', ['pending_dma', (record, place) => rowOf(PENDING, record, place)]],
  ['sb_usage', ['instruction_usage', usageRow]],
  ['psum_usage', ['instruction_usage', usageRow]],
]);

export const instructionRow = (record: KernelLine, place: TablePlace): string => rowOf(INSTRUCTION, record, place);
export const packetRow = (record: CopyLine, place: PacketPlace): string => rowOf(PACKET, record, place);
