/** The table of columns of the kernel report, from which help, docs, filters, sorting and all formats are made. */
import { rankOn } from '../../record/fields/stated-device.js';
import { column, knownColumn, int, str, real, splitKeys, requireColumnOf, type CellValue } from '../../table/column.js';
import { FUSED_SEPARATOR, type Annotated, type KernelColumn } from '../annotate.js';
import { counterColumn, COUNTED_WORK_COLUMNS } from './counter-columns.js';
import { CUBE_COLUMNS, MATRIX_UNIT_COLUMNS, ROOFLINE_COLUMNS } from './roofline-columns.js';
import { algorithmBytes, busBytes } from '../../ops/collective-bytes.js';
import { isCommunication } from '../../ops/kernels/kernel-name.js';
import type { Collective } from '../../record/fields/collective.js';
import { operationName } from '../steps/step-work.js';
import { modelPartOf } from '../steps/serving/served-times.js';

/** Columns about steps of inference servers for language models: vLLM, SGLang, ATOM. */
const SERVING_COLUMNS: readonly KernelColumn[] = [
  column(
    'phase',
    'Phase',
    str(7),
    "phase of the server's step: prefill (requests read their context), decode (all requests generate) or mixed",
    ({ serving }) => serving?.phase ?? null,
  ),
  column('batch', 'Batch', int(5), "requests in the server's step", ({ serving }) => serving?.batch ?? null),
  column(
    'ctxtokens',
    'CtxTokens',
    int(7),
    "context tokens that the server's step reads",
    ({ serving }) => serving?.context.tokens ?? null,
    { narrowHeader: 'CtxTok' },
  ),
  column(
    'gentokens',
    'GenTokens',
    int(7),
    "generation tokens of the server's step",
    ({ serving }) => serving?.generation.tokens ?? null,
    { narrowHeader: 'GenTok' },
  ),
  column(
    'part',
    'Part',
    str(10),
    "part of the model in a server's step: attention, projection, experts, sampling, communication, other",
    ({ serving, record }) => (serving === null ? null : modelPartOf(record)),
  ),
];

/** Columns about the multiprocessor resources that a kernel uses. */
const OCCUPANCY_COLUMNS: readonly KernelColumn[] = [
  column('regs', 'Regs', int(4), 'registers per thread', ({ record }) => record.registers ?? null),
  column('smem', 'SMem(B)', int(7, 'bytes'), 'shared memory per block', ({ record }) => record.sharedBytes ?? null),
  column(
    'occ',
    'Occ(%)',
    real(6, 1, '%'),
    'theoretical occupancy: threads of the kernel that fit on a multiprocessor, in % of its maximum',
    ({ occupancy }) => (occupancy === null ? null : 100 * occupancy.share),
  ),
  column(
    'occby',
    'OccBy',
    str(13),
    'what limits the occupancy: threads, blocks, registers, shared memory',
    ({ occupancy }) => occupancy?.limit ?? null,
    { vocabulary: true },
  ),
];

/** Columns of kernels that a CUDA or HIP graph launched. */
const GRAPH_COLUMNS: readonly KernelColumn[] = [
  column(
    'graph',
    'Graph',
    str(16),
    'graph that launched the kernel: name of its capture, else its id',
    ({ record: { graph } }) =>
      graph?.capture ?? (graph?.id === undefined || graph.id === null ? null : String(graph.id)),
  ),
  column(
    'origin',
    'Origin',
    str(10),
    'how its capture was found: node, annotation, capture, or only by order',
    ({ record: { graph } }) =>
      graph?.from === 'capture' && graph.verified === false ? 'order' : (graph?.from ?? null),
    { vocabulary: true },
  ),
];

/** Columns about a device's engines: which one ran the kernel, how long it waited, what it counted. */
const counter =
  (name: string): KernelColumn['value'] =>
  ({ record }) =>
    record.counters?.[name] ?? null;

const ENGINE_COLUMNS: readonly KernelColumn[] = [
  column(
    'engine',
    'Engine',
    str(6),
    'engine or core class that ran the kernel: Tensor, Scalar, GpSimd, Vector, Sync; AI_CORE, AI_VECTOR_CORE, MIX_AIC …',
    ({ record }) => record.engine ?? null,
  ),
  column(
    'optype',
    'OpType',
    str(12),
    "type of the kernel's operator as the vendor names it: MatMulV2, TransData …",
    ({ record }) => record.labels?.['opType'] ?? null,
  ),
  column(
    'wait',
    'Wait(ns)',
    int(8, 'ns'),
    'time its engine waited for others; on Ascend, time since the previous kernel or collective ended',
    counter('waitNs'),
  ),
  column('pc', 'PC', int(6), "position in its engine's program", counter('pc')),
  column(
    'operands',
    'Operands',
    str(0),
    'operands of the instruction, as the tool writes them',
    ({ record }) => record.operands ?? null,
  ),
  column(
    'counters',
    'Counters',
    str(0),
    'all counters of the device or its tool, as name=value; counter:NAME for a single counter',
    ({ record }) =>
      record.counters === undefined ? null : Object.entries(record.counters).map(([name, value]) => `${name}=${value}`),
    { list: 'str' },
  ),
];

/** Columns about collective operations, for kernels whose operation is known. */
const ofCollective =
  (valueOf: (collective: Collective) => CellValue) =>
  ({ collective }: Annotated): CellValue =>
    collective === null ? null : valueOf(collective);

const COMMUNICATION_COLUMNS: readonly KernelColumn[] = [
  column(
    'collective',
    'Collective',
    str(12),
    "collective operation: all-reduce, all-to-all …, the same name for every library; from the kernel's name if the profile does not record it",
    ({ collective, record }) => {
      if (collective === null && !isCommunication(record)) return null;
      const name = operationName(record);
      return name === 'unknown' ? null : name;
    },
    { narrowHeader: 'Coll' },
  ),
  column(
    'group',
    'Group',
    str(6),
    'process group of the collective',
    ofCollective(({ group }) => group),
  ),
  column(
    'ranks',
    'Ranks',
    int(5),
    'devices in the group of the collective',
    ofCollective(({ groupSize, ranks }) => groupSize ?? ranks?.length ?? null),
  ),
  column(
    'algbytes',
    'AlgBytes',
    int(12, 'bytes'),
    "size of the collective's message, as NCCL's tests define it for the algorithm bandwidth",
    ofCollective(algorithmBytes),
  ),
  column(
    'busbytes',
    'BusBytes',
    int(12, 'bytes'),
    "minimum traffic of the collective on each device's link, as NCCL's tests define it for the bus bandwidth",
    ofCollective(busBytes),
  ),
];

/** A record without a start, such as one from a net.dict, has NaN as its start. */
const finite = (n: number | null): number | null => (n !== null && Number.isFinite(n) ? n : null);

/** Text of a call stack in a narrow column: the innermost frame without its folder. */
export const narrowTrace = (trace: readonly string[]): string => {
  const frame = trace.at(-1) ?? '-';
  return frame.slice(frame.lastIndexOf('/') + 1);
};

/** All columns of the report, in the order of the help. */
export const COLUMNS: readonly KernelColumn[] = [
  knownColumn('idx', 'Idx', int(7), 'number of the kernel in its profile, from 1', ({ record }) => record.id),
  knownColumn('seq', 'SeqId', str(7), 'sequence ids of the framework', ({ record }) => record.seq, {
    list: 'int',
  }),
  knownColumn('altseq', 'AltSeqId', str(7), 'other sequence ids around the launch', ({ record }) => record.altSeq, {
    list: 'int',
    narrowHeader: 'AltSeq',
  }),
  column('tid', 'TId', int(12), 'launching thread', ({ record }) => record.tid),
  knownColumn('layer', 'Layer', str(10), "the user's layer names, outermost first", (row) => row.layer, {
    list: 'str',
    separator: ':',
  }),
  knownColumn(
    'trace',
    'Trace',
    str(25),
    'call stack, outermost first (columns: innermost frame, without its folder)',
    (row) => row.trace,
    { list: 'str', narrow: (row) => narrowTrace(row.trace) },
  ),
  column('dir', 'Direction', str(5), 'fprop (forward) or bprop (backward)', ({ record }) => record.dir, {
    narrowHeader: 'Direc',
  }),
  column(
    'fwd',
    'Forward',
    str(15),
    'backward kernels: forward op whose gradient the kernel computes, if known',
    (row) => row.forwardOp,
  ),
  knownColumn('sub', 'Sub', int(3), 'number among consecutive kernels of one op, from 0', ({ record }) => record.sub),
  column('mod', 'Module', str(15), 'module of the outermost op', (row) => row.mod),
  column('op', 'Op', str(15), 'outermost op; if unknown, the ops of column fused', (row) => row.op, { derived: true }),
  column('inner', 'InnerOp', str(15), 'innermost op around the launch', (row) => row.calls.at(-1)?.op ?? null),
  column(
    'fused',
    'Fused',
    str(20),
    'ops that torch.compile fused into the kernel, as its name lists them: each once, sorted',
    (row) => row.fused,
    { list: 'str', separator: FUSED_SEPARATOR },
  ),
  column(
    'category',
    'Category',
    str(14),
    'what the kernel computes (gemm, attention, copy …), by the op where it is known, else by its name',
    (row) => row.category,
    { vocabulary: true },
  ),
  knownColumn('kernel', 'Kernel', str(0), "kernel's name, shortened", ({ record }) => record.short),
  column('params', 'Params', str(0), "op's parameters: shapes, types", (row) => row.derived.params, {
    derived: true,
    list: 'str',
    suffix: ',',
  }),
  column('sil', 'Sil(ns)', int(10, 'ns'), 'time on the device ("silicon")', ({ record }) => finite(record.dur)),
  column(
    'tc',
    'TC',
    str(2),
    'matrix unit: 1 used, 0 possible but not used, - not applicable, ? undetermined (not evident from the name or the Neuron device trace)',
    (row) => row.tc,
    { derived: true, hasNumbers: true },
  ),
  column('device', 'Device', int(3), 'device', ({ record }) => finite(record.device), { narrowHeader: 'Dev' }),
  column('stream', 'Stream', int(3), 'stream', ({ record }) => record.stream, { narrowHeader: 'Str' }),
  column('grid', 'Grid', str(12), 'grid, x,y,z', ({ record }) => record.grid, { list: 'int', toTheRight: true }),
  column('block', 'Block', str(12), 'block, x,y,z', ({ record }) => record.block, { list: 'int', toTheRight: true }),
  ...GRAPH_COLUMNS,
  ...OCCUPANCY_COLUMNS,
  column(
    'flops',
    'FLOPs',
    int(12, 'FLOP'),
    'floating-point operations the op needs, multiply-add as 2',
    (row) => row.flops,
    { derived: true },
  ),
  column(
    'bytes',
    'Bytes',
    int(12, 'bytes'),
    'minimum memory traffic of the op: operands read and results written once',
    (row) => row.bytes,
    { derived: true },
  ),
  column('start', 'Start(ns)', int(14, 'ns'), "start time, from the profile's start", ({ record }) =>
    finite(record.start),
  ),
  column('end', 'End(ns)', int(14, 'ns'), "end time, from the profile's start", ({ record }) =>
    record.dur === null ? null : finite(record.start + record.dur),
  ),
  column(
    'queue',
    'Queue(ns)',
    int(10, 'ns'),
    'launch-to-start latency: from the end of the launch call to the start of the kernel',
    (row) => row.queueTime,
  ),
  column('api', 'Api', str(20), 'CPU call that launched the kernel', ({ record }) => record.launch?.api ?? null),
  column('corr', 'Corr', int(8), 'correlation id of launch and kernel', ({ record }) => record.corr),
  column('pid', 'PId', int(8), 'launching process', ({ record }) => record.pid),
  column(
    'rank',
    'Rank',
    int(4),
    'rank of the process, from the file name or the profile; of the device in a profile of several ranks',
    ({ profile, record }) => rankOn(profile ?? null, record.device),
  ),
  knownColumn('profile', 'Profile', int(4), 'number of the input, from 0', ({ record }) => record.profile, {
    narrowHeader: 'Prof',
  }),
  column('step', 'Step', int(6), 'training step, if known', ({ record }) => record.step ?? null),
  column(
    'role',
    'Role',
    str(6),
    'role of the kernel in its op: main, dgrad, wgrad, bias, helper; trial: run by a library to choose an algorithm',
    (row) => row.role,
    { derived: true },
  ),
  ...MATRIX_UNIT_COLUMNS,
  ...CUBE_COLUMNS,
  ...COUNTED_WORK_COLUMNS,
  ...ROOFLINE_COLUMNS,
  ...COMMUNICATION_COLUMNS,
  ...ENGINE_COLUMNS,
  ...SERVING_COLUMNS,
  knownColumn('long', 'LongName', str(0), "kernel's full name", ({ record }) => record.name),
  knownColumn(
    'calls',
    'Calls',
    str(0),
    'op calls around the launch, outermost first',
    (row) => row.calls.map(({ op }) => op),
    { list: 'str', separator: '>' },
  ),
  knownColumn(
    'ranges',
    'Ranges',
    str(0),
    'other ranges around the launch, including those on the thread that called backward, outermost first',
    ({ record: { callerRanges = [], ranges } }) => (callerRanges.length === 0 ? ranges : [...callerRanges, ...ranges]),
    { list: 'str', separator: '>' },
  ),
  knownColumn('ownranges', 'OwnRanges', str(0), 'ranges of the launching thread only', ({ record }) => record.ranges, {
    list: 'str',
    separator: '>',
  }),
];

/** Keys of the columns shown without `-c`. */
export const DEFAULT_COLUMNS = 'idx,dir,sub,mod,op,kernel,params,sil';

const BY_KEY = new Map(COLUMNS.map((column) => [column.key, column]));

export const columnOf = (key: string): KernelColumn | undefined => BY_KEY.get(key);

/**
 * @param others names other than columns that the user may have meant
 * @throws UsageError naming the nearest key
 */
export const requireColumnAmong = (key: string, others: readonly string[]): KernelColumn =>
  columnOf(key) ?? counterColumn(key) ?? requireColumnOf(COLUMNS, key, others);

/**
 * The column with this key.
 * @throws UsageError naming the nearest key
 */
export const requireColumn = (key: string): KernelColumn => requireColumnAmong(key, []);

/**
 * Columns of a comma-separated list; order and repeats are kept.
 * @throws UsageError for an unknown key, naming the nearest one
 */
export const chooseColumns = (list: string): KernelColumn[] => splitKeys('-c', list).map(requireColumn);
