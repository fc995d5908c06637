/** THE table of columns of the report of kernels: help, docs, filters, sorting and all formats are made from it. */
import { column, int, str } from '../../table/column-kinds.js';
import { splitKeys, requireColumnOf } from '../../table/column-lookup.js';
import { FUSED_SEPARATOR } from '../annotate.js';
import { COMMUNICATION_COLUMNS } from './communication-columns.js';
import { ENGINE_COLUMNS } from './engine-columns.js';
import type { KernelColumn } from './kernel-column.js';
import { counterColumn, COUNTED_WORK_COLUMNS } from './counter-columns.js';
import { GRAPH_COLUMNS } from './graph-columns.js';
import { OCCUPANCY_COLUMNS } from './occupancy-columns.js';
import { CUBE_COLUMNS, MATRIX_UNIT_COLUMNS, ROOFLINE_COLUMNS } from './roofline-columns.js';
import { SERVING_COLUMNS } from './serving-columns.js';

/** A record without a start, as from a net.dict, has NaN there. */
const finite = (n: number | null): number | null => (n !== null && Number.isFinite(n) ? n : null);

/** Path without its folders; the line number stays. */
const baseName = (frame: string): string => frame.slice(frame.lastIndexOf('/') + 1);

/** All columns of the report, in the order of the help. */
export const COLUMNS: readonly KernelColumn[] = [
  column('idx', 'Idx', int(7), 'number of the kernel in its profile, from 1', ({ record }) => record.id),
  column('seq', 'SeqId', str(7), 'sequence ids of the framework', ({ record }) => record.seq, {
    list: 'int',
  }),
  column('altseq', 'AltSeqId', str(7), 'other sequence ids around the launch', ({ record }) => record.altSeq, {
    list: 'int',
    narrowHeader: 'AltSeq',
  }),
  column('tid', 'TId', int(12), 'launching thread', ({ record }) => record.tid),
  column('layer', 'Layer', str(10), "the user's layer names, outermost first", (row) => row.layer, {
    list: 'str',
    separator: ':',
  }),
  column(
    'trace',
    'Trace',
    str(25),
    'call stack, outermost first (columns: innermost frame, without its folder)',
    (row) => row.trace,
    { list: 'str', narrow: (row) => baseName(row.trace.at(-1) ?? '-') },
  ),
  column('dir', 'Direction', str(5), 'fprop (forward) or bprop (backward)', ({ record }) => record.dir, {
    narrowHeader: 'Direc',
  }),
  column(
    'fwd',
    'Forward',
    str(15),
    'backward kernels: the forward op whose gradient it computes, where the profile has it',
    (row) => row.forwardOp,
  ),
  column('sub', 'Sub', int(3), 'ordinal among consecutive kernels of one op, from 0', ({ record }) => record.sub),
  column('mod', 'Module', str(15), 'module of the outermost op', (row) => row.mod),
  column('op', 'Op', str(15), 'outermost op; without one, the ops of column fused', (row) => row.op, { derived: true }),
  column('inner', 'InnerOp', str(15), 'innermost op around the launch', (row) => row.calls.at(-1)?.op ?? null),
  column(
    'fused',
    'Fused',
    str(20),
    'ops that torch.compile fused into the kernel, as its name lists them: each once, sorted',
    (row) => row.fused,
    { list: 'str', separator: FUSED_SEPARATOR },
  ),
  column('kernel', 'Kernel', str(0), "kernel's name, shortened", ({ record }) => record.short),
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
    'matrix unit: 1 used, 0 possible but not used, - not applicable, ? undetermined: the name, or the device trace of Neuron, does not say',
    (row) => row.tc,
    { derived: true },
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
    'least memory traffic of the op: operands read and results written once',
    (row) => row.bytes,
    { derived: true },
  ),
  column('start', 'Start(ns)', int(14, 'ns'), "start, from the profile's start", ({ record }) => finite(record.start)),
  column('end', 'End(ns)', int(14, 'ns'), "end, from the profile's start", ({ record }) =>
    record.dur === null ? null : finite(record.start + record.dur),
  ),
  column(
    'queue',
    'Queue(ns)',
    int(10, 'ns'),
    'from the end of the launch call to the start of the kernel',
    (row) => row.queueTime,
  ),
  column('api', 'Api', str(20), 'host call that launched it', ({ record }) => record.launch?.api ?? null),
  column('corr', 'Corr', int(8), 'correlation id of launch and kernel', ({ record }) => record.corr),
  column('pid', 'PId', int(8), 'launching process', ({ record }) => record.pid),
  column(
    'rank',
    'Rank',
    int(4),
    'rank of the process, from the file name or the profile',
    ({ profile }) => profile?.rank ?? null,
  ),
  column('profile', 'Profile', int(4), 'number of the input, from 0', ({ record }) => record.profile, {
    narrowHeader: 'Prof',
  }),
  column('step', 'Step', int(6), 'training step, where the profile has it', ({ record }) => record.step ?? null),
  column(
    'role',
    'Role',
    str(6),
    'what the kernel does for its op: main, dgrad, wgrad, bias, helper; trial where a library chose an algorithm',
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
  column('long', 'LongName', str(0), "kernel's full name", ({ record }) => record.name),
  column(
    'calls',
    'Calls',
    str(0),
    'op calls around the launch, outermost first',
    (row) => row.calls.map(({ op }) => op),
    { list: 'str', separator: '>' },
  ),
  column(
    'ranges',
    'Ranges',
    str(0),
    'other ranges around the launch, of the thread that called backward too, outermost first',
    ({ record: { callerRanges = [], ranges } }) => (callerRanges.length === 0 ? ranges : [...callerRanges, ...ranges]),
    { list: 'str', separator: '>' },
  ),
  column('ownranges', 'OwnRanges', str(0), 'ranges of the launching thread alone', ({ record }) => record.ranges, {
    list: 'str',
    separator: '>',
  }),
];

/** Keys of the columns shown without `-c`. */
export const DEFAULT_COLUMNS = 'idx,dir,sub,mod,op,kernel,params,sil';

const BY_KEY = new Map(COLUMNS.map((column) => [column.key, column]));

export const columnOf = (key: string): KernelColumn | undefined => BY_KEY.get(key);

/**
 * @param others what the user may have meant that is no column
 * @throws UsageError naming the nearest key
 */
export const requireColumnAmong = (key: string, others: readonly string[]): KernelColumn =>
  columnOf(key) ?? counterColumn(key) ?? requireColumnOf(COLUMNS, key, others);

/**
 * The column with a key.
 * @throws UsageError naming the nearest key
 */
export const requireColumn = (key: string): KernelColumn => requireColumnAmong(key, []);

/**
 * Columns of a comma-separated list; order and repeats are kept.
 * @throws UsageError naming the nearest key of an unknown one
 */
export const chooseColumns = (list: string): KernelColumn[] => splitKeys('-c', list).map(requireColumn);
