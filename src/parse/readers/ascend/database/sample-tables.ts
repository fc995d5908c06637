/** Tables of values over time, and the metrics and labels of their columns. */
import type { Labels } from '../../../../record/record.js';

export interface ValueColumn {
  readonly column: string;
  readonly metric: string;
  readonly unit: string | null;
  readonly scale?: number;
  readonly labels?: Labels;
}

/** A label from a column: a string, a number, or a number with a name in the enumeration of modules. */
interface LabelColumn {
  readonly name: string;
  readonly column: string;
  readonly is: 'string' | 'number' | 'module';
}

export interface SampleTable {
  readonly table: string;
  readonly time: string;
  /** Column of the time until which a value holds. */
  readonly until?: string;
  /** The table has a row for every event: repeated values are left out. */
  readonly onChange?: true;
  /** Whether values may have decimals; whole numbers are read faster. */
  readonly decimals?: true;
  readonly values: readonly ValueColumn[];
  readonly labels: readonly LabelColumn[];
}

const label = (name: string, column: string, is: LabelColumn['is']): LabelColumn => ({ name, column, is });
const bytes = (column: string, metric: string, labels?: Labels): ValueColumn => ({
  column,
  metric,
  unit: 'bytes',
  ...(labels === undefined ? undefined : { labels }),
});

/** A level, of which the profiler states no unit. */
const level = (column: string, metric: string): ValueColumn => ({ column, metric, unit: null });

export const SAMPLE_TABLES: readonly SampleTable[] = [
  {
    table: 'AICORE_FREQ',
    time: 'timestampNs',
    values: [{ column: 'freq', metric: 'aicore_freq', unit: 'Hz', scale: 1e6 }],
    labels: [label('die', 'dieId', 'number')],
  },
  {
    table: 'HBM',
    time: 'timestampNs',
    decimals: true,
    values: [{ column: 'bandwidth', metric: 'hbm_bandwidth', unit: 'bytes/s' }],
    labels: [label('hbm', 'hbmId', 'number'), label('access', 'type', 'string')],
  },
  {
    table: 'LLC',
    time: 'timestampNs',
    decimals: true,
    values: [
      { column: 'throughput', metric: 'llc_throughput', unit: 'bytes/s' },
      { column: 'hitRate', metric: 'llc_hit_rate', unit: '%' },
    ],
    labels: [label('llc', 'llcId', 'number'), label('access', 'mode', 'string')],
  },
  {
    table: 'ACC_PMU',
    time: 'timestampNs',
    values: [
      level('readBwLevel', 'acc_read_bw_level'),
      level('writeBwLevel', 'acc_write_bw_level'),
      level('readOstLevel', 'acc_read_ost_level'),
      level('writeOstLevel', 'acc_write_ost_level'),
    ],
    labels: [label('acc', 'accId', 'number')],
  },
  {
    table: 'SOC_BANDWIDTH_LEVEL',
    time: 'timestampNs',
    values: [level('l2BufferBwLevel', 'l2_buffer_bw_level'), level('mataBwLevel', 'mata_bw_level')],
    labels: [],
  },
  {
    table: 'NPU_MEM',
    time: 'timestampNs',
    decimals: true,
    values: [bytes('hbm', 'npu_mem', { memory: 'hbm' }), bytes('ddr', 'npu_mem', { memory: 'ddr' })],
    labels: [label('of', 'type', 'string')],
  },
  {
    table: 'MEMORY_RECORD',
    time: 'timestamp',
    onChange: true,
    values: [
      bytes('totalAllocated', 'memory_allocated'),
      bytes('totalReserved', 'memory_reserved'),
      bytes('totalActive', 'memory_active'),
    ],
    labels: [label('component', 'component', 'string')],
  },
  {
    table: 'OP_MEMORY',
    time: 'allocationTime',
    until: 'releaseTime',
    values: [bytes('size', 'op_memory')],
    labels: [
      label('op', 'name', 'string'),
      label('allocated', 'allocationTotalAllocated', 'number'),
      label('reserved', 'allocationTotalReserved', 'number'),
      label('active', 'allocationTotalActive', 'number'),
    ],
  },
  {
    table: 'NPU_MODULE_MEM',
    time: 'timestampNs',
    onChange: true,
    values: [bytes('totalReserved', 'npu_module_mem')],
    labels: [label('module', 'moduleId', 'module')],
  },
  {
    table: 'NPU_OP_MEM',
    time: 'timestampNs',
    values: [bytes('size', 'npu_op_mem')],
    labels: [
      label('op', 'operatorName', 'string'),
      label('event', 'type', 'string'),
      label('component', 'component', 'string'),
    ],
  },
];
