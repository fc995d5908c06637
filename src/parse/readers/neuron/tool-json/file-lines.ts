/** Records about the whole profile and the program: the profile line, tensors, memory, metrics, notices, layers. */
import type {
  LayerRecord,
  NoticeRecord,
  SampleRecord,
  StatementRecord,
  TensorRecord,
  Device,
  Labels,
  ProfileRecord,
} from '../../../../record/record.js';
import {
  QUEUE_LABELS,
  TENSOR_ROLES,
  HEADER_FACTS,
  TOOL_FACTS,
  type FieldName,
} from '../../../../record/neuron/tool-fields.js';
import { unitOfMetric, knownFacts, neuronDevice, profileRecord } from '../profile-record.js';
import {
  durationIn,
  nanoseconds,
  subgraphOf,
  type TableContext,
  type SubgraphCores,
  type TableClock,
} from './row-context.js';
import { numberOf, textOf, rawTextOf, type ToolRow } from './json-tables.js';
import type { ToolFile } from './table-scan.js';
import { coreOfInstance } from '../../../../record/neuron/neuron-cores.js';
import { fileNameOf } from '../../../files.js';
import type { ReadOptions } from '../../../reader.js';

/** The profile line of a file: tool, duration of the capture, cores, facts. */
export function profileLine(
  file: ToolFile,
  clock: TableClock,
  cores: SubgraphCores,
  format: string,
  options: ReadOptions,
): ProfileRecord {
  const version =
    textOf(file.row('profile_info')['profiler_version']) ?? textOf(file.row('summary')['profiler_version']);
  return profileRecord(format, options, {
    tool: version === null ? null : `neuron-profile ${version}`,
    dur: durationOf(file, clock),
    devices: cores.all.map((id) => device(id, file)),
    facts: factsOf(file),
  });
}

/** Total time stated in the summary, in whole picoseconds; null when unknown. */
function totalTimePs(file: ToolFile): number | null {
  const seconds = numberOf(file.row('summary')['total_time']);
  return seconds === null ? null : Math.round(seconds * 1e12);
}

function durationOf(file: ToolFile, clock: TableClock): number | null {
  const ps = totalTimePs(file);
  if (ps !== null) return Math.floor(ps / 1000);
  const last = numberOf(file.row('metadata')['last_hw_timestamp']);
  const first = numberOf(file.row('metadata')['first_hw_timestamp']) ?? 0;
  return last === null ? null : Math.floor((last - first) * clock.scale + 1e-4);
}

function device(id: number, file: ToolFile): Device {
  const known = neuronDevice(id, coreOfInstance(textOf(file.row('summary')['instance_type'])));
  const metadata = file.row('metadata');
  return {
    ...known,
    clockHz: hertz(metadata['pe_clock_freq']) ?? known.clockHz,
    memBytesPerS: numberOf(metadata['hbm_ddr_bandwidth']) ?? known.memBytesPerS,
  };
}

/** Frequency in Hz; the metadata has GHz. */
function hertz(cell: unknown): number | null {
  const gigahertz = numberOf(cell);
  return gigahertz === null ? null : Math.round(gigahertz * 1e9);
}

/** Base name of a file, because paths of the machine must not be written. */
const baseNameOf = (cell: unknown): string | null => {
  const path = textOf(cell);
  return path === null ? null : textOf(fileNameOf(path));
};

type Fact = string | number | null;

const factsIn = (row: ToolRow, names: readonly FieldName[]): Record<string, Fact> =>
  Object.fromEntries(names.map(([key, fact]) => [fact, isDigits(row[key]) ? numberOf(row[key]) : textOf(row[key])]));

/** Whether a cell is a number written as text, like sizes and counts here. A hash of digits only is longer. */
const isDigits = (cell: unknown): boolean => typeof cell === 'string' && /^\d{1,15}$/.test(cell);

function versionOf(header: ToolRow): string | null {
  const [major, minor] = [textOf(header['major_version']), textOf(header['minor_version'])];
  return major === null || minor === null ? null : `${major}.${minor}`;
}

function factsOf(file: ToolFile): Labels {
  const summary = file.row('summary');
  const metadata = file.row('metadata');
  const info = file.row('profile_info');
  const neff = file.row('neff_header');
  return knownFacts({
    instanceType: textOf(summary['instance_type']),
    runtimeVersion: textOf(summary['runtime_version']),
    driverVersion: textOf(summary['driver_version']),
    collectivesVersion: textOf(summary['collectives_version']),
    compilerVersion: textOf(summary['compiler_version']),
    totalTimePs: totalTimePs(file),
    peRows: numberOf(metadata['pe_num_rows']),
    peCols: numberOf(metadata['pe_num_cols']),
    peClockHz: hertz(metadata['pe_clock_freq']),
    clockHz: hertz(metadata['pe_clock_others']),
    dmaBytesPerS: numberOf(metadata['dma_ddr_bandwidth']),
    hbmBytesPerS: numberOf(metadata['hbm_ddr_bandwidth']),
    cores: numberOf(metadata['num_physical_cores']),
    ...factsIn(neff, HEADER_FACTS),
    neffVersion: versionOf(neff),
    model: baseNameOf(neff['network_name']) ?? baseNameOf(info['neff_name']),
    ...factsIn(info, TOOL_FACTS),
    ntffVersion: numberOf(metadata['ntff_version']),
    capture: baseNameOf(info['ntff_filename']),
    simulation: metadata['is_simulation'] === true ? 'yes' : null,
  });
}

/**
 * Tensors, memory, metrics of the summary and of each core, annotations, queues, in this order.
 * @param types types of tensors, as far as known
 */
export function* statements(
  file: ToolFile,
  cores: SubgraphCores,
  profile: number,
  types: ReadonlyMap<string, string | null>,
): Generator<StatementRecord> {
  for (const row of file.rows('neff_node')) yield* tensor(row, profile, types);
  // Sorted, because the order of cores differs between files.
  const uses = [...file.rows('nc_mem_usage')].sort((a, b) => (numberOf(a['nc']) ?? -1) - (numberOf(b['nc']) ?? -1));
  for (const row of uses) yield memory(row, profile);
  const summaries = file.rows('summary');
  for (const [node, row] of summaries.entries()) yield* summary(row, summaries.length > 1 ? node : null, profile);
  for (const row of file.rows('model_info')) yield* coreMetrics(row, profile);
  for (const row of file.rows('annotation')) yield* annotation(row, cores, profile);
  yield* queues(file, cores, profile);
}

/** Names of DMA queues by core and number. */
function* queues(file: ToolFile, cores: SubgraphCores, profile: number): Generator<SampleRecord> {
  const rows = file.rows('dma_queues_info').flatMap((row): SampleRecord[] => {
    if (textOf(row['q_name']) === null) return [];
    const labels = knownFacts(
      Object.fromEntries(QUEUE_LABELS.map(([key, label]) => [label, numberOf(row[key]) ?? textOf(row[key])])),
    );
    const value = numberOf(row['q_idx']);
    return [{ ...metricSample('dma_queue', value, profile), device: cores.ofRow(row), unit: null, labels }];
  });
  // Key for sorting, because their order differs between files.
  const place = ({ device, value, labels }: SampleRecord): string => JSON.stringify([device, value, labels?.['name']]);
  yield* rows.sort((a, b) => (place(a) < place(b) ? -1 : 1));
}

/** Warnings of the tool, then its errors. */
export function* notices(file: ToolFile, profile: number): Generator<NoticeRecord> {
  for (const row of file.rows('warnings')) yield notice(row, null, profile);
  for (const row of file.rows('errors')) yield notice(row, 'error', profile);
}

const ROLES: ReadonlyMap<string, TensorRecord['role']> = new Map(Object.entries(TENSOR_ROLES));

/** A tensor. Rows without a name describe subgraphs. */
function* tensor(row: ToolRow, profile: number, types: ReadonlyMap<string, string | null>): Generator<TensorRecord> {
  const name = rawTextOf(row['variable_name']);
  if (name === null) return;
  yield {
    type: 'tensor',
    profile,
    name,
    role: ROLES.get(String(row['type'])) ?? null,
    dtype: types.get(name) ?? null,
    shape: shapeOf(row['shape']),
    bytes: numberOf(row['size']),
  };
}

/** A shape such as `[128 512]`. */
function shapeOf(cell: unknown): readonly number[] | null {
  const inner = /^\[([\d\s,]*)\]$/.exec(rawTextOf(cell) ?? '')?.[1];
  return inner === undefined ? null : Array.from(inner.matchAll(/\d+/g), Number);
}

function memory(row: ToolRow, profile: number): SampleRecord {
  return {
    type: 'sample',
    profile,
    start: null,
    device: numberOf(row['nc']),
    metric: 'memory',
    value: numberOf(row['amount_bytes']),
    unit: 'bytes',
    labels: { kind: rawTextOf(row['usage_type']) ?? 'unknown' },
  };
}

/** Whether a metric is a path of the machine, which is not a metric and must not be written. */
const isPath = (metric: string): boolean => metric.endsWith('_path');

/**
 * Metrics of a summary.
 * @param node index of the summary if there are several
 */
function* summary(row: ToolRow, node: number | null, profile: number): Generator<SampleRecord> {
  const labels = node === null ? { from: 'summary' } : { from: 'summary', node };
  for (const metric of Object.keys(row).sort())
    if (!isPath(metric)) yield { ...metricSample(metric, row[metric], profile), labels };
}

function metricSample(metric: string, cell: unknown, profile: number): SampleRecord {
  const value = numberOf(cell);
  // An integer beyond 2^53 is also kept exactly, as text.
  const isExact = value === null || Number.isSafeInteger(value) || !Number.isInteger(value);
  const text = typeof cell === 'string' && (value === null || !isExact) ? { text: cell } : undefined;
  return { type: 'sample', profile, start: null, device: null, metric, value, ...text, unit: unitOfMetric(metric) };
}

/** Metrics of one core. The summary adds up the values of all cores, even the core numbers, so these are left out. */
function* coreMetrics(row: ToolRow, profile: number): Generator<SampleRecord> {
  const subgraph = rawTextOf(row['sg_name']);
  const labels = { from: 'model_info', ...(subgraph === null ? undefined : { subgraph }) };
  const device = numberOf(row['nc_idx']);
  for (const metric of Object.keys(row).sort()) {
    if (metric === 'nc_idx' || numberOf(row[metric]) === null) continue;
    yield { ...metricSample(metric, row[metric], profile), device, labels };
  }
}

/** The numbers of an annotation as samples, with its strings as labels. */
function* annotation(row: ToolRow, cores: SubgraphCores, profile: number): Generator<SampleRecord> {
  const labels: Record<string, string> = { from: 'annotation' };
  for (const [key, cell] of Object.entries(row)) {
    const text = numberOf(cell) === null ? textOf(cell) : null;
    if (text !== null) labels[key] = text;
  }
  const subgraph = rawTextOf(row['subgraph']);
  const device = subgraph === null ? null : cores.of(subgraph);
  for (const [metric, cell] of Object.entries(row))
    if (numberOf(cell) !== null) yield { ...metricSample(metric, cell, profile), device, labels };
}

function notice(row: ToolRow, category: string | null, profile: number): NoticeRecord {
  const text = rawTextOf(row['message']) ?? rawTextOf(row['text']) ?? rawTextOf(row['error']) ?? JSON.stringify(row);
  return { type: 'notice', profile, category: rawTextOf(row['category']) ?? category, text };
}

/** Cells of a layer's row that have their own fields in the record. */
const LAYER_FIELDS: ReadonlySet<string> = new Set(['start', 'end', 'duration', 'timestamp']);

/**
 * A layer, with its numbers under the tool's names and in the tool's units: times of engines are in the unit of the tables.
 */
export function layer(row: ToolRow, start: number, { clock, cores, profile }: TableContext): LayerRecord {
  const duration = numberOf(row['duration']);
  const counters: Record<string, number> = {};
  for (const key of Object.keys(row).sort()) {
    const value = LAYER_FIELDS.has(key) ? null : numberOf(row[key]);
    if (value !== null) counters[key] = value;
  }
  const subgraph = subgraphOf(row['fully_qualified_subgraph']) ?? subgraphOf(row['name']);
  return {
    type: 'layer',
    profile,
    start: nanoseconds(clock, start - clock.origin),
    dur: duration === null ? null : durationIn(clock, duration),
    device: subgraph === null ? null : cores.of(subgraph),
    name: rawTextOf(row['name']) ?? '',
    counters,
  };
}
