/** The table of columns of `dprof monitor`, from which help, docs and all formats of rows are made. */
import { nearest, UsageError } from '../../record/errors.js';
import type { ColumnShape } from '../../table/column.js';
import { sumUnder, valueOf, type MonitorReport, type MonitorRow } from './monitor-report.js';

/** A column of reports; formats have no fixed widths. */
export interface MonitorColumn extends Omit<ColumnShape, 'width'> {
  value(row: MonitorRow, report: MonitorReport): number | string | null;
}

type ColumnFormat = Pick<MonitorColumn, 'type' | 'unit' | 'digits'>;
const COUNT = { type: 'int' } satisfies ColumnFormat;
const BYTES = { type: 'int', unit: 'bytes' } satisfies ColumnFormat;
const PERCENT = { type: 'real', unit: '%', digits: 2 } satisfies ColumnFormat;
const SECONDS = { type: 'real', unit: 's', digits: 9 } satisfies ColumnFormat;

/** A column of one value of a row. */
const shows = (key: string, header: string, shape: ColumnFormat, of: string, doc: string): MonitorColumn => ({
  key,
  header,
  ...shape,
  doc,
  value: (row) => valueOf(row, of),
});

const PERCENTILES = ['p0', 'p1', 'p25', 'p50', 'p75', 'p99', 'p100'];

export const MONITOR_COLUMNS: readonly MonitorColumn[] = [
  {
    key: 'report',
    header: 'Report',
    type: 'int',
    doc: 'number of the report, from 1',
    value: (_, { number }) => number,
  },
  {
    key: 'start',
    header: 'Start(ns)',
    type: 'int',
    unit: 'ns',
    doc: "begin of the report's period, from that of the first",
    value: (_, { start }) => start,
  },
  {
    key: 'dur',
    header: 'Dur(ns)',
    type: 'int',
    unit: 'ns',
    doc: 'period of the values',
    value: ({ dur }) => dur,
  },
  { key: 'scope', header: 'Scope', type: 'str', doc: 'what the row is about: see --rows', value: ({ scope }) => scope },
  { key: 'pid', header: 'PId', type: 'int', doc: 'process', value: ({ pid }) => pid },
  { key: 'tag', header: 'Tag', type: 'str', doc: "process's tag; its pid without one", value: ({ tag }) => tag },
  { key: 'device', header: 'Device', type: 'int', doc: 'device', value: ({ device }) => device },
  { key: 'core', header: 'Core', type: 'int', doc: 'core, numbered through all devices', value: ({ core }) => core },
  { key: 'name', header: 'Name', type: 'str', doc: 'physical core, vCPU, model:subgraph', value: ({ name }) => name },

  shows('util', 'Util(%)', PERCENT, 'neuroncore_utilization', "core's busy share of the period"),
  shows('flops', 'FLOP/s', { type: 'int', unit: 'FLOP/s' }, 'flops', 'floating-point operations a second'),
  {
    key: 'devmem',
    header: 'DevMem(B)',
    ...BYTES,
    doc: 'device memory of the process or model; of a core, the sum of its kinds',
    value: (row) => (row.scope === 'core' ? sumUnder(row, 'memory.') : valueOf(row, 'used.neuron_device')),
  },
  shows('const', 'Const(B)', BYTES, 'memory.constants', 'core: constants (weights)'),
  shows('code', 'Code(B)', BYTES, 'memory.model_code', "core: models' code"),
  shows('scratch', 'Scratch(B)', BYTES, 'memory.model_shared_scratchpad', 'core: scratchpad that models share'),
  shows('rtmem', 'RtMem(B)', BYTES, 'memory.runtime_memory', "core: the runtime's own"),
  shows('tensors', 'Tensors(B)', BYTES, 'memory.tensors', 'core: tensors'),
  shows('hostmem', 'HostMem(B)', BYTES, 'used.host', 'host memory of the process or model'),
  shows('hostapp', 'HostApp(B)', BYTES, 'host.application_memory', 'host: all that is not in the next three'),
  shows('hostconst', 'HostConst(B)', BYTES, 'host.constants', 'host: constants (weights)'),
  shows('hostdma', 'HostDma(B)', BYTES, 'host.dma_buffers', 'host: buffers of DMA transfers'),
  shows('hosttens', 'HostTensors(B)', BYTES, 'host.tensors', 'host: tensors'),

  shows('done', 'Done', COUNT, 'status.completed', 'executions completed in the period'),
  shows('doneerr', 'DoneErr', COUNT, 'status.completed_with_err', 'completed with an error that is not numeric'),
  shows('donenum', 'DoneNum', COUNT, 'status.completed_with_num_err', 'completed with a numeric error'),
  shows('timeout', 'TimedOut', COUNT, 'status.timed_out', 'executions that took too long'),
  shows('badinput', 'BadInput', COUNT, 'status.incorrect_input', 'not started: wrong input'),
  shows('noqueue', 'NoQueue', COUNT, 'status.failed_to_queue', 'not started: the queue was full'),
  {
    key: 'errors',
    header: 'Errors',
    ...COUNT,
    doc: 'errors of all kinds, as the monitor counts them',
    value: (row) => sumUnder(row, 'error.'),
  },
  shows('egeneric', 'ErrGeneric', COUNT, 'error.generic', 'errors: generic'),
  shows('enum', 'ErrNumerical', COUNT, 'error.numerical', 'errors: numerical (not a number)'),
  shows('etransient', 'ErrTransient', COUNT, 'error.transient', 'errors: recovered from'),
  shows('emodel', 'ErrModel', COUNT, 'error.model', 'errors: of the model'),
  shows('eruntime', 'ErrRuntime', COUNT, 'error.runtime', 'errors: of the runtime'),
  shows('ehardware', 'ErrHardware', COUNT, 'error.hardware', 'errors: of the hardware'),
  ...PERCENTILES.map((p) =>
    shows(p, `${p.toUpperCase()}(s)`, SECONDS, `total_latency.${p}`, `latency of executions, percentile ${p.slice(1)}`),
  ),
  ...PERCENTILES.map((p) =>
    shows(`d${p}`, `D${p.toUpperCase()}(s)`, SECONDS, `device_latency.${p}`, `the same on the device alone`),
  ),

  shows('user', 'User(%)', PERCENT, 'vcpu.user', "vCPU's share in user code: of the process, the instance, the vCPU"),
  shows('system', 'System(%)', PERCENT, 'vcpu.system', 'the same in the kernel'),
  shows('nice', 'Nice(%)', PERCENT, 'vcpu.nice', 'the same in user code of low priority'),
  shows('idle', 'Idle(%)', PERCENT, 'vcpu.idle', 'the same idle'),
  shows('iowait', 'IoWait(%)', PERCENT, 'vcpu.io_wait', 'the same waiting for input and output'),
  shows('irq', 'Irq(%)', PERCENT, 'vcpu.irq', 'the same in interrupts'),
  shows('softirq', 'SoftIrq(%)', PERCENT, 'vcpu.soft_irq', 'the same in soft interrupts'),
  shows('switches', 'Switches', COUNT, 'context_switch_count', 'context switches of all vCPUs'),
  shows('memtotal', 'MemTotal(B)', BYTES, 'memory_total_bytes', "instance's memory"),
  shows('memused', 'MemUsed(B)', BYTES, 'memory_used_bytes', 'of it in use'),
  shows('swaptotal', 'SwapTotal(B)', BYTES, 'swap_total_bytes', "instance's swap"),
  shows('swapused', 'SwapUsed(B)', BYTES, 'swap_used_bytes', 'of it in use'),
  shows('eccmem', 'EccMem', COUNT, 'ecc.mem_ecc_corrected', 'device: corrected ECC events of its DRAM'),
  shows('eccmemu', 'EccMemU', COUNT, 'ecc.mem_ecc_uncorrected', 'device: uncorrected ones of its DRAM'),
  shows('eccsram', 'EccSram', COUNT, 'ecc.sram_ecc_corrected', 'device: corrected ones of its SRAM'),
  shows('eccsramu', 'EccSramU', COUNT, 'ecc.sram_ecc_uncorrected', 'device: uncorrected ones of its SRAM'),
];

export const DEFAULT_MONITOR_COLUMNS =
  'report,start,scope,pid,tag,device,core,util,flops,devmem,hostmem,done,errors,p50,p99,user,system,memused,eccmemu';

const BY_KEY = new Map(MONITOR_COLUMNS.map((column) => [column.key, column]));

/**
 * Columns of a comma-separated list; order and repeats are kept.
 * @throws UsageError naming the nearest key
 */
export function chooseMonitorColumns(list: string): MonitorColumn[] {
  return list.split(',').map((part) => {
    const key = part.trim();
    const column = BY_KEY.get(key);
    if (column !== undefined) return column;
    const near = nearest(key, BY_KEY.keys());
    throw new UsageError(`unknown column '${key}'`, near === null ? '--columns lists them' : `did you mean ${near}?`);
  });
}
