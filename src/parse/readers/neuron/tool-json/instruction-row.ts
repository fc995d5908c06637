/** One instruction of an engine as a kernel line. */
import { NEURON_ENGINES } from '../../../../record/engines.js';
import type { Dependency, KernelLine, Labels } from '../../../../record/record.js';
import { nanoseconds } from './json-clock.js';
import { isRow, numberOf, numbersOf, rawTextOf, textOf, type Row } from './table-row.js';
import { CORE_KEYS, durationOf, type RowContext } from './row-context.js';

/** Numbers that the device or the tool counted. */
const COUNTERS: readonly (readonly [key: string, name: string])[] = [
  ['pc', 'pc'],
  ['crc_in', 'crcIn'],
  ['crc_out', 'crcOut'],
  ['elements', 'elements'],
  ['hbm_read_bytes', 'hbmReadBytes'],
  ['hbm_write_bytes', 'hbmWriteBytes'],
  ['sbuf_read_bytes', 'sbufReadBytes'],
  ['sbuf_write_bytes', 'sbufWriteBytes'],
  ['psum_read_bytes', 'psumReadBytes'],
  ['psum_write_bytes', 'psumWriteBytes'],
  ['psum_read_sbuf_write_bytes', 'psumReadSbufWriteBytes'],
  ['compiler_pc', 'compilerPc'],
];

/** What a check sum is that was not taken. */
const NO_CRC = 0xffff;

/** Texts by which an instruction is found again in the compiler's and the framework's program. */
const LABELS: readonly (readonly [key: string, name: string])[] = [
  ['label', 'label'],
  ['instruction_type', 'type'],
  ['bir_id', 'birId'],
  ['bir_instruction_name', 'birName'],
  ['penguin_id', 'penguinId'],
  ['activation_fn', 'activation'],
  ['hlo_attrs', 'hloAttrs'],
  ['compiler_opcode', 'compilerOpcode'],
  ['compiler_operands', 'compilerOperands'],
  ['bir_debug_info_source_location', 'birSource'],
];

/** All that is read of a row. */
export const INSTRUCTION_KEYS: readonly string[] = [
  ...CORE_KEYS,
  ...[...COUNTERS, ...LABELS].map(([key]) => key),
  ...['opcode', 'subgroup', 'duration', 'evt_wait_time', 'predecessors', 'layer', 'hlo_name', 'operands', 'id'],
  'nki_source_location',
];

/** Kinds of dependencies: as in a line, and the counter of how many there are. */
const DEPENDENCIES: Readonly<Record<string, readonly [kind: string, counter: string]>> = {
  FLOW_DEPENDENCE: ['flow', 'flowDependencies'],
  ANTI_DEPENDENCE: ['anti', 'antiDependencies'],
  OUTPUT_DEPENDENCE: ['output', 'outputDependencies'],
  ORDERED: ['ordered', 'orderedDependencies'],
};

/** Names of engines in other tools' words. */
const ENGINE_ALIASES: Readonly<Record<string, string>> = {
  pe: 'Tensor',
  act: 'Scalar',
  activation: 'Scalar',
  pool: 'GpSimd',
  dve: 'Vector',
  sp: 'Sync',
};
for (const name of NEURON_ENGINES) Object.assign(ENGINE_ALIASES, { [name.toLowerCase()]: name });

/** The line without its `id`, which the order of lines gives. */
export function instruction(row: Row, start: number, context: RowContext): Omit<KernelLine, 'id'> {
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
  return name === null ? null : (ENGINE_ALIASES[name.toLowerCase()] ?? name);
}

function countersOf(row: Row, after: readonly Dependency[], { clock }: RowContext): Record<string, number> {
  const counters = numbersOf(row, COUNTERS);
  if (counters['crcIn'] === NO_CRC) delete counters['crcIn'];
  if (counters['crcOut'] === NO_CRC) delete counters['crcOut'];
  const wait = numberOf(row['evt_wait_time']);
  if (wait !== null) counters['waitNs'] = nanoseconds(clock, wait);
  for (const { kind } of after) {
    const counter = `${kind}Dependencies`;
    counters[counter] = (counters[counter] ?? 0) + 1;
  }
  return counters;
}

/** Path of the layer, outermost first; empty when there is none. */
function layerOf(cell: unknown): readonly string[] {
  return (
    textOf(cell)
      ?.split('/')
      .filter((part) => part !== '') ?? []
  );
}

function dependencies(cell: unknown): readonly Dependency[] {
  if (!Array.isArray(cell)) return [];
  const found: Dependency[] = [];
  for (const each of cell as readonly unknown[]) {
    if (!isRow(each)) continue;
    const id = textOf(each['id']);
    const type = rawTextOf(each['type']) ?? 'unknown';
    if (id !== null) found.push({ id, kind: DEPENDENCIES[type]?.[0] ?? type.toLowerCase() });
  }
  return found;
}

function labelsOf(row: Row, source: string | null): Labels {
  const labels: Record<string, string> = {};
  const id = textOf(row['id']);
  if (id !== null) labels['id'] = id;
  for (const [key, name] of LABELS) {
    const text = textOf(row[key]);
    if (text !== null && text !== '[]' && text !== '{}') labels[name] = text;
  }
  if (labels['birSource'] === source) delete labels['birSource'];
  return labels;
}
