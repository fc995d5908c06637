/** One instruction of an engine as a kernel line. */
import { isJsonObject } from '../../../json/json-value.js';
import { NEURON_ENGINES, type NeuronEngine } from '../../../../record/neuron/neuron-cores.js';
import {
  DEPENDENCY_KINDS,
  INSTRUCTION_COUNTERS,
  INSTRUCTION_LABELS,
  NO_CRC,
} from '../../../../record/neuron/tool-fields.js';
import type { Dependency, KernelLine, Labels } from '../../../../record/record.js';
import { dependencyCounters } from '../profile-record.js';
import { durationIn, nanoseconds } from './json-clock.js';
import { numberOf, numbersOf, rawTextOf, textOf, type ToolRow } from './table-row.js';
import { durationOf, type TableContext } from './row-context.js';

/** Kinds of dependencies by the tool's name. */
const KINDS: ReadonlyMap<string, string> = new Map(DEPENDENCY_KINDS);

/** Engines by their names in lower case and by their abbreviations. */
const ENGINES_BY_NAME: ReadonlyMap<string, NeuronEngine> = new Map([
  ['pe', 'Tensor'],
  ['act', 'Scalar'],
  ['activation', 'Scalar'],
  ['pool', 'GpSimd'],
  ['dve', 'Vector'],
  ['sp', 'Sync'],
  ...NEURON_ENGINES.map((name) => [name.toLowerCase(), name] as const),
]);

/** The line without its `id`, which follows from the order of lines. */
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
    dur: durationOf(row, context),
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
