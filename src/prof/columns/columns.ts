/** THE table of columns of the report of kernels: help, docs, filters, sorting and all formats are made from it. */
import { baseName, callNames, queueTime } from './derived-values.js';
import { splitKeys, requireColumnOf } from '../../table/column-lookup.js';
import { COMMUNICATION_COLUMNS } from './communication-columns.js';
import { CUBE_COLUMNS } from './cube-columns.js';
import { ENGINE_COLUMNS } from './engine-columns.js';
import type { KernelColumn } from './kernel-column.js';
import { MATRIX_UNIT_COLUMNS, ROOFLINE_COLUMNS } from './roofline-columns.js';

/** A record without a start, as from a net.dict, has NaN there. */
const finite = (n: number | null): number | null => (n !== null && Number.isFinite(n) ? n : null);

/** All columns of the report, in the order of the help. */
export const COLUMNS: readonly KernelColumn[] = [
  {
    key: 'idx',
    header: 'Idx',
    type: 'int',
    width: 7,
    doc: 'number of the kernel in its profile, from 1',
    value: ({ record }) => record.id,
  },
  {
    key: 'seq',
    header: 'SeqId',
    type: 'str',
    width: 7,
    doc: 'sequence ids of the framework',
    value: ({ record }) => record.seq,
  },
  {
    key: 'altseq',
    header: 'AltSeqId',
    narrowHeader: 'AltSeq',
    type: 'str',
    width: 7,
    doc: 'other sequence ids around the launch',
    value: ({ record }) => record.altSeq,
  },
  { key: 'tid', header: 'TId', type: 'int', width: 12, doc: 'launching thread', value: ({ record }) => record.tid },
  {
    key: 'layer',
    header: 'Layer',
    type: 'str',
    width: 10,
    separator: ':',
    doc: "the user's layer names, outermost first",
    value: (row) => row.layer,
  },
  {
    key: 'trace',
    header: 'Trace',
    type: 'str',
    width: 25,
    doc: 'call stack, outermost first (columns: innermost frame, without its folder)',
    value: (row) => row.trace,
    narrow: (row) => baseName(row.trace.at(-1) ?? '-'),
  },
  {
    key: 'dir',
    header: 'Direction',
    narrowHeader: 'Direc',
    type: 'str',
    width: 5,
    doc: 'fprop (forward) or bprop (backward)',
    value: ({ record }) => record.dir,
  },
  {
    key: 'fwd',
    header: 'Forward',
    type: 'str',
    width: 15,
    doc: 'backward kernels: the forward op whose gradient it computes, where the trace has it',
    value: ({ record }) => record.forward?.op ?? null,
  },
  {
    key: 'sub',
    header: 'Sub',
    type: 'int',
    width: 3,
    doc: 'ordinal among consecutive kernels of one op, from 0',
    value: ({ record }) => record.sub,
  },
  { key: 'mod', header: 'Module', type: 'str', width: 15, doc: 'module of the outermost op', value: (row) => row.mod },
  { key: 'op', header: 'Op', type: 'str', width: 15, derived: true, doc: 'outermost op', value: (row) => row.op },
  {
    key: 'inner',
    header: 'InnerOp',
    type: 'str',
    width: 15,
    doc: 'innermost op around the launch',
    value: (row) => row.calls.at(-1)?.op ?? null,
  },
  {
    key: 'kernel',
    header: 'Kernel',
    type: 'str',
    width: 0,
    doc: "kernel's name, shortened",
    value: ({ record }) => record.short,
  },
  {
    key: 'params',
    header: 'Params',
    type: 'str',
    width: 0,
    derived: true,
    suffix: ',',
    doc: "op's parameters: shapes, types",
    value: (row) => row.derived.params,
  },
  {
    key: 'sil',
    header: 'Sil(ns)',
    unit: 'ns',
    type: 'int',
    width: 10,
    doc: 'time on the device ("silicon")',
    value: ({ record }) => finite(record.dur),
  },
  {
    key: 'tc',
    header: 'TC',
    type: 'str',
    width: 2,
    derived: true,
    doc: 'matrix unit: 1 used, 0 possible but not used, - not applicable, ? undetermined from the name',
    value: (row) => row.tc,
  },
  {
    key: 'device',
    header: 'Device',
    narrowHeader: 'Dev',
    type: 'int',
    width: 3,
    doc: 'device',
    value: ({ record }) => finite(record.device),
  },
  {
    key: 'stream',
    header: 'Stream',
    narrowHeader: 'Str',
    type: 'int',
    width: 3,
    doc: 'stream',
    value: ({ record }) => record.stream,
  },
  { key: 'grid', header: 'Grid', type: 'str', width: 12, doc: 'grid, x,y,z', value: ({ record }) => record.grid },
  { key: 'block', header: 'Block', type: 'str', width: 12, doc: 'block, x,y,z', value: ({ record }) => record.block },
  {
    key: 'flops',
    header: 'FLOPs',
    unit: 'FLOP',
    type: 'int',
    width: 12,
    derived: true,
    doc: 'floating-point operations the op needs, multiply-add as 2',
    value: (row) => row.flops,
  },
  {
    key: 'bytes',
    header: 'Bytes',
    unit: 'bytes',
    type: 'int',
    width: 12,
    derived: true,
    doc: 'least memory traffic of the op: operands read and results written once',
    value: (row) => row.bytes,
  },
  {
    key: 'start',
    header: 'Start(ns)',
    unit: 'ns',
    type: 'int',
    width: 14,
    doc: "start, from the profile's start",
    value: ({ record }) => finite(record.start),
  },
  {
    key: 'end',
    header: 'End(ns)',
    unit: 'ns',
    type: 'int',
    width: 14,
    doc: "end, from the profile's start",
    value: ({ record }) => (record.dur === null ? null : finite(record.start + record.dur)),
  },
  {
    key: 'queue',
    header: 'Queue(ns)',
    unit: 'ns',
    type: 'int',
    width: 10,
    doc: 'from the end of the launch call to the start of the kernel',
    value: queueTime,
  },
  {
    key: 'api',
    header: 'Api',
    type: 'str',
    width: 20,
    doc: 'host call that launched it',
    value: ({ record }) => record.launch?.api ?? null,
  },
  {
    key: 'corr',
    header: 'Corr',
    type: 'int',
    width: 8,
    doc: 'correlation id of launch and kernel',
    value: ({ record }) => record.corr,
  },
  { key: 'pid', header: 'PId', type: 'int', width: 8, doc: 'launching process', value: ({ record }) => record.pid },
  {
    key: 'rank',
    header: 'Rank',
    type: 'int',
    width: 4,
    doc: 'rank of the process, from the file name or the profile',
    value: ({ profile }) => profile?.rank ?? null,
  },
  {
    key: 'profile',
    header: 'Profile',
    narrowHeader: 'Prof',
    type: 'int',
    width: 4,
    doc: 'number of the input, from 0',
    value: ({ record }) => record.profile,
  },
  {
    key: 'step',
    header: 'Step',
    type: 'int',
    width: 6,
    doc: 'training step, where the profile has it',
    value: ({ record }) => record.step ?? null,
  },
  {
    key: 'role',
    header: 'Role',
    type: 'str',
    width: 6,
    derived: true,
    doc: 'what the kernel does for its op: main, dgrad, wgrad, bias, helper',
    value: (row) => row.role,
  },
  ...MATRIX_UNIT_COLUMNS,
  ...CUBE_COLUMNS,
  ...ROOFLINE_COLUMNS,
  ...COMMUNICATION_COLUMNS,
  ...ENGINE_COLUMNS,
  {
    key: 'long',
    header: 'LongName',
    type: 'str',
    width: 0,
    doc: "kernel's full name",
    value: ({ record }) => record.name,
  },
  {
    key: 'calls',
    header: 'Calls',
    type: 'str',
    width: 0,
    separator: '>',
    doc: 'op calls around the launch, outermost first',
    value: callNames,
  },
  {
    key: 'ranges',
    header: 'Ranges',
    type: 'str',
    width: 0,
    separator: '>',
    doc: 'other ranges around the launch, outermost first',
    value: ({ record }) => record.ranges,
  },
];

/** Keys of the columns shown without `-c`. */
export const DEFAULT_COLUMNS = 'idx,dir,sub,mod,op,kernel,params,sil';

const BY_KEY = new Map(COLUMNS.map((column) => [column.key, column]));

export const columnOf = (key: string): KernelColumn | undefined => BY_KEY.get(key);

/**
 * The column of a key.
 * @throws UsageError naming the nearest key
 */
export const requireColumn = (key: string): KernelColumn => columnOf(key) ?? requireColumnOf(COLUMNS, key);

/**
 * Columns of a comma-separated list; order and repeats are kept.
 * @throws UsageError naming the nearest key of an unknown one
 */
export const chooseColumns = (list: string): KernelColumn[] => splitKeys('-c', list).map(requireColumn);
