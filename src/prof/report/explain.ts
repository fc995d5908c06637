/** `--explain`: how each number of one kernel was derived. */
import { UsageError } from '../../record/errors.js';
import { deviceWords, inDeviceWords } from '../../record/glossary.js';
import { counted } from '../../record/plural.js';
import type { Convention } from '../../ops/family.js';
import { showTensor, asTensor } from '../../ops/call.js';
import { familyOf } from '../../ops/table.js';
import type { TypedBy } from '../../ops/schema/dtype-inference.js';
import type { Arg, ForwardOp, KernelRecord, OpCall } from '../../record/record.js';
import type { Annotated } from '../annotate.js';
import { dependencyText, operandText, type ResolvedDependency } from '../neuron/instructions/dependencies.js';
import { operandsOf } from '../../ops/neuron/instruction-work.js';
import { LATENCY_SHARE } from '../roofline/roofline.js';
import { knownColumn, str, type Column } from '../../table/column.js';
import { labelledLine, type LabelledLine } from '../../table/readable.js';
import { originOf } from '../../record/fields/graph-node.js';
import { matrixUnitReason, whyAbovePeak } from './explained-values.js';

export interface KernelId {
  /** Null for the first profile that has the kernel. */
  readonly profile: number | null;
  readonly id: number;
}

/**
 * `ID` or `PROFILE:ID`.
 * @param takenBy the option or command that takes the text, for the message
 * @throws UsageError for anything else
 */
export function parseKernelId(text: string, takenBy = '--explain'): KernelId {
  const found = /^(?:(\d+):)?(\d+)$/.exec(text.trim());
  if (found === null)
    throw new UsageError(`${takenBy} takes a kernel's idx, not '${text}'`, `e.g. ${takenBy} 12 or 0:12`);
  return { profile: found[1] === undefined ? null : Number(found[1]), id: Number(found[2]) };
}

/** PROFILE:IDX of the kernel, which `--explain` takes. */
export const EXPLAIN_COLUMN: Column<Annotated> = knownColumn(
  'explain',
  'Explain',
  str(8),
  'number of the kernel, for --explain',
  ({ record: { profile, id } }) => `${profile}:${id}`,
);

export const isKernel = ({ profile, id }: KernelId, record: KernelRecord): boolean =>
  record.id === id && (profile === null || record.profile === profile);

/** Labels of lines without names from the profiled program. */
const PROSE = new Set(['shared', 'types', 'TC', 'bound', 'floor']);

/** Whether a CPU launches the work of the device, with a grid of blocks. */
export const isLaunched = ({ profile }: Annotated): boolean => deviceWords(profile).runs === 'launches';

/** Characters of the labels. */
const LABEL = 10;

/**
 * How each value of a kernel was derived, as lines with a label and a string.
 * @param after the instructions that an instruction waited for
 * @returns lines without line ends; names in them come from the profiled program and may contain control characters
 */
export function explain(row: Annotated, after: readonly ResolvedDependency[] = []): string[] {
  const lines = [
    ...aboutKernel(row),
    ...aboutOccupancy(row),
    ...aboutGraph(row),
    ...aboutContext(row),
    ...aboutFusion(row),
    ...row.calls.map((call, i): LabelledLine => [i === 0 ? 'calls' : '', showCall(call, i === row.described?.index)]),
    ...aboutWork(row),
    ...aboutTensorCores(row),
    ...aboutRoofline(row),
    ...listed(
      'operands',
      operandsOf(row.record.operands ?? '').map((operand) => operandText(operand)),
    ),
    ...listed(
      'after',
      after.map((each) => dependencyText(each, row.record.start)),
    ),
    ...aboutCounters(row),
  ];
  return lines.map(([label, text]) =>
    labelledLine(inDeviceWords(label, row.profile), PROSE.has(label) ? inDeviceWords(text, row.profile) : text, LABEL),
  );
}

/**
 * The lines of `explain` except times, rates and layer. They are mostly the same for all iterations of a loop, though a
 * kernel that takes longer may be bound by another limit.
 */
export function repeatedFacts(row: Annotated): LabelledLine[] {
  const { record, trace, placement } = row;
  return [
    ...(isLaunched(row) ? [['grid, block', `${known(record.grid)} / ${known(record.block)}`] as const] : []),
    ...aboutOccupancy(row),
    ...aboutGraph(row),
    ...aboutFusion(row),
    ['direction', record.dir ?? 'unknown'],
    ...(record.forward === undefined || record.forward === null
      ? []
      : [['forward', `${record.forward.mod}.${record.forward.op}`] as const]),
    ['trace', trace.join(' > ') || '-'],
    ...row.calls.map((call, i): LabelledLine => [i === 0 ? 'calls' : '', showCall(call, i === row.described?.index)]),
    ...aboutWork(row).filter(([label]) => label !== 'bytes' && (label !== 'FLOPs' || row.flops === null)),
    ...aboutTensorCores(row),
    ...(row.described === null
      ? []
      : [['bound', boundText(placement)] as const, ['device', `${row.peaks.name}: ${row.peaks.source}`] as const]),
  ];
}

/** All inputs of `repeatedFacts`: kernels for which these are equal have the same lines. */
export function basisOfFacts(row: Annotated): unknown[] {
  const { record, described, derived, tensorCore, placement, peaks, unitUse, occupancy } = row;
  const { graph, labels, forward } = record;
  return [
    ...[described?.call, described?.family, described?.typedBy, described?.work.role, described?.work.formula],
    ...[described?.work.source, row.flops === null, row.bytes === null, row.reason, derived.params],
    ...[described?.index, record.callKernels?.[described?.index ?? NaN]],
    ...[row.model, row.tc, tensorCore.verdict, tensorCore.rule, unitUse, placement.bound, placement.intensity, peaks],
    ...[record.name, record.dir, forward?.mod, forward?.op, record.sharedBytes, record.cut],
    ...[record.registers, record.accumRegisters, record.scalarRegisters],
    ...[record.grid?.join(), record.block?.join(), occupancy?.limit, occupancy?.warps, occupancy?.share],
    labels?.['kernel_file'],
    ...(graph === undefined ? [] : [graph.id, graph.node, graph.from, graph.verified, graph.capture]),
    ...row.trace,
  ];
}

/** Occupancy values that were recorded. */
function aboutOccupancy({ record, occupancy }: Annotated): LabelledLine[] {
  const { registers = null, sharedBytes = null, accumRegisters, scalarRegisters } = record;
  const lines: LabelledLine[] = [];
  const accumulation = accumRegisters ? `, ${accumRegisters} more for accumulation` : '';
  const scalar = scalarRegisters ? `, ${scalarRegisters} scalar per wave` : '';
  if (registers !== null) lines.push(['registers', `${registers} per thread${accumulation}${scalar}`]);
  if (sharedBytes !== null) lines.push(['shared mem', `${sharedBytes} bytes per block`]);
  if (occupancy === null) return lines;
  const { blocks, warps, mostWarps, share, limit } = occupancy;
  const held = `${warps} of ${mostWarps} warps in ${counted(blocks, 'block')} per multiprocessor`;
  return [...lines, ['occupancy', `${digits(100 * share, ' %')}: ${held}, by ${limit}`]];
}

const CUT = ', up to the next work of its stream or a wait for it, because a later end, as recorded, is impossible';

function aboutKernel(row: Annotated): LabelledLine[] {
  const { record, profile } = row;
  return [
    ['kernel', `${record.profile}:${record.id} ${record.short}`],
    ['full name', record.name],
    ...(profile === null ? [] : [['profile', `${profile.file} (${profile.format})`] as const]),
    ['time', `start ${ns(record.start)}, duration ${ns(record.dur)}${record.cut === true ? CUT : ''}`],
    ...(isLaunched(row)
      ? launchOf(row)
      : [['on', `device ${known(record.device)}, engine ${record.engine ?? 'na'}`] as const]),
  ];
}

function launchOf({ record, queueTime: queue }: Annotated): LabelledLine[] {
  const { launch } = record;
  return [
    [
      'on',
      `device ${known(record.device)}, stream ${known(record.stream)}, grid ${known(record.grid)}, block ${known(record.block)}`,
    ],
    [
      'launch',
      launch === null
        ? 'not in the profile'
        : `${launch.api ?? 'unknown call'}, start ${ns(launch.start)}, duration ${ns(launch.dur)}, ` +
          `${queue === null ? 'queue time unknown' : `${ns(queue)} in the queue`}, pid ${known(record.pid)}, tid ${known(record.tid)}`,
    ],
  ];
}

function aboutGraph({ record: { graph } }: Annotated): LabelledLine[] {
  if (graph === undefined) return [];
  const capture = graph.capture === undefined ? '' : ` (${graph.capture})`;
  return [['graph', `${known(graph.id)}, node ${known(graph.node)}: ${originOf(graph)}${capture}`]];
}

/** The ops in a kernel of torch.compile, and the source that was generated for it. */
const aboutFusion = ({ fused, record: { labels = {} } }: Annotated): LabelledLine[] => [
  ...(fused === null ? [] : [['fused', fused.join(', ')] as const]),
  ...(typeof labels['kernel_file'] === 'string' ? [['generated', labels['kernel_file']] as const] : []),
];

/** Values of the device's or its tool's counters. */
const aboutCounters = ({ record: { counters = {} } }: Annotated): LabelledLine[] =>
  listed(
    'counters',
    Object.entries(counters).map(([name, value]) => `${name} ${value}`),
  );

/** Lines; only the first has the label. */
const listed = (label: string, texts: readonly string[]): LabelledLine[] =>
  texts.map((text, i) => [i === 0 ? label : '', text]);

function aboutContext(row: Annotated): LabelledLine[] {
  const { record, pairing } = row;
  const lines: LabelledLine[] = [
    [
      'direction',
      `${record.dir ?? 'unknown'}, sequence ids ${list(record.seq)}, others ${list(record.altSeq)}, sub ${record.sub}`,
    ],
    ['markers', record.seqMarker.join(' > ') || 'none'],
  ];
  if (pairing.kind === 'paired') {
    const { forward, by } = pairing;
    lines.push([
      'forward',
      `kernel ${record.profile}:${forward.id} (thread ${known(forward.tid)}), found by ${by} ${record.seq.slice(0, 1).join()}; calls, layer and trace come from that kernel`,
    ]);
  }
  if (record.forward !== undefined) lines.push(['forward', showForward(record.forward)]);
  lines.push(['layer', row.layer.join(':') || '-'], ['trace', row.trace.join(' > ') || '-']);
  if (row.calls.length === 0) lines.push(['calls', `none: ${row.reason ?? 'not recorded'}`]);
  lines.push(['printed', `module ${row.mod ?? 'na'}, op ${row.op ?? 'na'}`]);
  return lines;
}

const showForward = (forward: ForwardOp | null): string =>
  forward === null
    ? 'not in the trace'
    : `${forward.mod}.${forward.op} (thread ${known(forward.tid)}, start ${ns(forward.start)}); layer and trace come from that op`;

/** Number of kernels that share the work of the call. */
function aboutAttribution({ record, described }: Annotated): LabelledLine[] {
  const kernels = described === null ? undefined : record.callKernels?.[described.index];
  return kernels !== undefined && kernels > 1
    ? [['shared', `the call launched ${kernels} kernels, which share its work`]]
    : [];
}

const TYPED_BY: Readonly<Record<TypedBy, string>> = {
  kernel: "types that the call lacks are taken from the kernel's name",
  operand: 'types that the call lacks are taken from its other operands',
};

/** Descriptions of the conventions for counting work, except the default. */
const CONVENTION_TEXTS: Readonly<Record<Convention, string>> = {
  pyprof: 'pyprof: Python function calls as PyProf counts them',
};

function aboutWork(row: Annotated): LabelledLine[] {
  const { described } = row;
  if (described === null)
    return [
      ['FLOPs', `na: ${String(row.reason)}`],
      ['bytes', 'na: as FLOPs'],
    ];
  const { family, work, typedBy } = described;
  const why = row.reason === null ? '' : `: ${row.reason}`;
  return [
    ['family', `${family.id}: ${family.title}`],
    ['role', work.role],
    ...aboutAttribution(row),
    ...(typedBy === null ? [] : [['types', TYPED_BY[typedBy]] as const]),
    ['params', (row.derived.params ?? []).join(', ') || '-'],
    ['formula', work.formula],
    ['source', work.source],
    ...(row.convention === null ? [] : [['convention', CONVENTION_TEXTS[row.convention]] as const]),
    ['FLOPs', work.flops === null ? `na${why}` : String(work.flops)],
    ['bytes', work.bytes === null ? `na${why}` : String(work.bytes)],
  ];
}

function aboutTensorCores(row: Annotated): LabelledLine[] {
  const { tc } = row;
  const { verdict, rule } = row.tensorCore;
  const use = row.unitUse;
  const lines: LabelledLine[] = [
    ['TC', `${tc ?? 'na'}: ${matrixUnitReason(row)}; ${row.model.judgedBy}: ${verdict} (rule ${rule})`],
  ];
  if (use === null) return lines;
  lines.push(['dtype', `${use.dtype ?? 'na'}${use.eligible === true ? ', which the matrix unit could do' : ''}`]);
  if (use.why !== null && tc === 0) lines.push(['held back', `${use.why.id}: ${use.why.text}`]);
  if (use.slowed !== null) lines.push(['slowed by', `${use.slowed.id}: ${use.slowed.text}`]);
  return lines;
}

const digits = (value: number | null, unit: string): string =>
  value === null ? `na${unit}` : `${Number(value.toPrecision(4))}${unit}`;

/** The value of the column first, then what it refers to. */
function boundText({ bound, intensity }: Annotated['placement']): string {
  const about =
    bound === 'latency'
      ? `; below ${LATENCY_SHARE} % of both peaks: too small to fill the device, or launch-bound`
      : '';
  return `${bound ?? 'na'}; ${digits(intensity, ' FLOP/byte')}${about}`;
}

/** Rates, the peaks that they are compared with, and the source of the peaks. */
function aboutRoofline({ placement, peaks, described }: Annotated): LabelledLine[] {
  if (described === null) return [];
  const { tflops, gbps, computeShare, memoryShare, floor, gap } = placement;
  const mark = (kind: 'compute' | 'memory'): string => {
    const why = whyAbovePeak(placement, kind);
    return why === null ? '' : `: ${why}`;
  };
  return [
    ['device', `${peaks.name}: ${peaks.source}`],
    ['arithmetic', `${digits(tflops, ' TFLOP/s')}, ${digits(computeShare, ' %')} of the peak${mark('compute')}`],
    ['traffic', `${digits(gbps, ' GB/s')}, ${digits(memoryShare, ' %')} of the peak${mark('memory')}`],
    ['bound', boundText(placement)],
    ['floor', `${digits(floor, ' ns')}; the kernel took ${digits(gap, ' times')} as long`],
  ];
}

/** One call with its op, tensors and values; the call that describes the kernel is marked. */
function showCall(call: OpCall, describes: boolean): string {
  const args = call.args.map(argumentText).join(', ');
  const note = describes ? '  <- describes the kernel' : familyOf(call) === null ? '  (no formula)' : '';
  return `${call.mod}.${call.op}(${args})${note}`;
}

/** An argument of a call: `name=value`, or only the value. */
export const argumentText = (arg: Arg): string => `${arg.name === '' ? '' : `${arg.name}=`}${showArg(arg)}`;

const LONGEST_VALUE = 80;

function showArg(arg: Arg): string {
  if (arg.items !== undefined) return shortened(`[${arg.items.map(showArg).join(', ')}]`);
  const tensor = asTensor(arg);
  if (tensor !== null)
    return `${showTensor(tensor)}${arg.strides === undefined ? '' : ` by [${arg.strides.join(',')}]`}`;
  if (arg.shape !== undefined) return `[${arg.shape.join(',')}] of unknown type`;
  return arg.value === undefined ? unknownValue(arg) : shortened(JSON.stringify(arg.value));
}

const unknownValue = ({ type }: Arg): string => (type === 'unknown' ? type : `unknown ${type}`);

const shortened = (text: string): string => (text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text);

const ns = (time: number | null): string => (time !== null && Number.isFinite(time) ? `${time} ns` : 'na');
const list = (ids: readonly number[]): string => ids.join(',') || '-';

function known(value: number | readonly number[] | null): string {
  if (value === null || (typeof value === 'number' && !Number.isFinite(value))) return 'na';
  return String(value);
}
