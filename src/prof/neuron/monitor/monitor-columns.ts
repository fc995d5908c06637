/** The table of columns of `dprof monitor`, from which help, docs and all formats of rows are made. */
import {
  column,
  knownColumn,
  int,
  real,
  str,
  requireColumnOf,
  type ColumnFormat,
  type Column,
} from '../../../table/column.js';
import { sumUnder, valueOf, type MonitorReport, type MonitorRow, type RowScope } from './monitor-report.js';
import { FACT_GROUPS, FACT_SCOPES } from './sample-targets.js';

export interface MonitorLine {
  readonly row: MonitorRow;
  readonly report: MonitorReport;
}

export interface MonitorColumn extends Column<MonitorLine> {
  /**
   * How the values are aggregated over a run: amounts have a mean, counts are also summed; absent for columns that name a
   * row.
   */
  readonly measures?: 'amount' | 'count';
  /** Names, or beginnings of names, of the values that it shows. */
  readonly shows?: readonly string[];
}

const COUNT = int(12);
const ID = int(8);
const TEXT = str(0);
const TIME = int(15, 'ns');
const BYTES = int(15, 'bytes');
const PERCENT = real(10, 2, '%');
const SECONDS = real(14, 9, 's');

/** How the values of a numeric column are aggregated, and which values it shows. */
const measured = (format: ColumnFormat, ...names: readonly string[]): Pick<MonitorColumn, 'measures' | 'shows'> => ({
  measures: format === COUNT ? 'count' : 'amount',
  shows: names,
});

/** The period of the value that a column shows for a row; null when unknown. */
export function periodOf({ shows: names = [] }: Pick<MonitorColumn, 'shows'>, { periods }: MonitorRow): number | null {
  for (const name of names) {
    for (const [key, period] of periods) if (key.startsWith(name)) return period;
  }
  return null;
}

const shows = (key: string, header: string, format: ColumnFormat, name: string, doc: string): MonitorColumn => ({
  ...column<MonitorLine>(key, header, format, doc, ({ row }) => valueOf(row, name)),
  ...measured(format, name),
});

/** The period of a metric group, whose values have these names or begin with them. */
const period = (key: string, header: string, doc: string, ...names: readonly string[]): MonitorColumn =>
  column(key, header, TIME, `period of ${doc}`, ({ row }) => periodOf({ shows: names }, row));

/** Device memory of one kind, used by a core or a model. */
const deviceMemory = (key: string, header: string, kind: string, doc: string): MonitorColumn => ({
  ...column<MonitorLine>(
    key,
    header,
    BYTES,
    doc,
    ({ row }) => valueOf(row, `memory.${kind}`) ?? valueOf(row, `neuron_device.${kind}`),
  ),
  ...measured(BYTES),
});

/** A fact about the instance or its hardware, in a separate row; an empty string is unknown. */
const fact = (key: string, header: string, format: ColumnFormat, name: string, doc: string): MonitorColumn =>
  column(key, header, format, doc, ({ row, report }) => {
    const value = FACT_SCOPES.get(row.scope) === FACT_GROUPS.get(name) ? report.facts[name] : undefined;
    return value === undefined || value === '' ? null : value;
  });

const PERCENTILES = [
  ['p0', 'minimum'],
  ['p1', '1st percentile'],
  ['p25', '25th percentile'],
  ['p50', 'median'],
  ['p75', '75th percentile'],
  ['p99', '99th percentile'],
  ['p100', 'maximum'],
] as const;

export const MONITOR_COLUMNS: readonly MonitorColumn[] = [
  column('report', 'Report', ID, 'number of the report, from 1', ({ report }) => report.number),
  column(
    'start',
    'Start(ns)',
    TIME,
    "start of the report's period, from the first report's start",
    ({ report }) => report.start,
  ),
  column('dur', 'Dur(ns)', TIME, 'period of the values (of the first group, if several)', ({ row }) => row.dur),
  knownColumn('scope', 'Scope', str(8), 'subject of the row: see --rows', ({ row }) => row.scope, { vocabulary: true }),
  column('pid', 'PId', ID, 'process', ({ row }) => row.pid),
  column('tag', 'Tag', TEXT, "process's tag, or its pid if it has none", ({ row }) => row.tag),
  column('device', 'Device', ID, 'device', ({ row }) => row.device),
  column('core', 'Core', ID, 'core, numbered across all devices', ({ row }) => row.core),
  column('name', 'Name', TEXT, 'physical core, vCPU, model:subgraph', ({ row }) => row.name),

  column('uuid', 'Uuid', TEXT, 'model: identity', ({ row }) => row.model?.uuid ?? null),
  column('modelid', 'ModelId', ID, 'model: number that the process gave the model', ({ row }) => row.model?.id ?? null),
  column('running', 'Running', ID, 'model: 1 while the model is started, else 0', ({ row: { model } }) =>
    model === null || model.isRunning === null ? null : Number(model.isRunning),
  ),

  shows('util', 'Util(%)', PERCENT, 'neuroncore_utilization', "core's busy share of the period"),
  shows('flops', 'FLOP/s', real(16, 0, 'FLOP/s'), 'flops', 'floating-point operations a second'),
  {
    ...column<MonitorLine>(
      'devmem',
      'DevMem(B)',
      BYTES,
      'device memory of the process or model; for a core, the sum of all kinds',
      ({ row }) => (row.scope === 'core' ? sumUnder(row, 'memory.') : valueOf(row, 'used.neuron_device')),
    ),
    ...measured(BYTES, 'memory.', 'used.neuron_device'),
  },
  deviceMemory('const', 'Const(B)', 'constants', 'device memory of the core or model: constants (weights)'),
  deviceMemory('code', 'Code(B)', 'model_code', "device memory of the core or model: models' code"),
  deviceMemory(
    'scratch',
    'Scratch(B)',
    'model_shared_scratchpad',
    'device memory of the core or model: scratchpad that models share',
  ),
  deviceMemory('rtmem', 'RtMem(B)', 'runtime_memory', 'device memory of the core or model: used by the runtime'),
  deviceMemory('tensors', 'Tensors(B)', 'tensors', 'device memory of the core or model: tensors'),
  shows('hostmem', 'HostMem(B)', BYTES, 'used.host', 'host memory of the process or model'),
  shows(
    'hostapp',
    'HostApp(B)',
    BYTES,
    'host.application_memory',
    'host memory of the application: everything except constants, DMA buffers and tensors',
  ),
  shows('hostconst', 'HostConst(B)', BYTES, 'host.constants', 'host memory: constants (weights)'),
  shows('hostdma', 'HostDma(B)', BYTES, 'host.dma_buffers', 'host memory: DMA buffers'),
  shows('hosttens', 'HostTensors(B)', BYTES, 'host.tensors', 'host memory: tensors'),

  shows('done', 'Done', COUNT, 'status.completed', 'executions completed in the period'),
  shows('doneerr', 'DoneErr', COUNT, 'status.completed_with_err', 'executions completed with a non-numeric error'),
  shows('donenum', 'DoneNum', COUNT, 'status.completed_with_num_err', 'executions completed with a numeric error'),
  shows('timeout', 'TimedOut', COUNT, 'status.timed_out', 'executions that timed out'),
  shows('badinput', 'BadInput', COUNT, 'status.incorrect_input', 'executions not started because of wrong input'),
  shows('noqueue', 'NoQueue', COUNT, 'status.failed_to_queue', 'executions not started because the queue was full'),
  {
    ...column<MonitorLine>('errors', 'Errors', COUNT, 'errors in all groups', ({ row }) => sumUnder(row, 'error.')),
    ...measured(COUNT, 'error.'),
  },
  shows('egeneric', 'ErrGeneric', COUNT, 'error.generic', 'generic errors'),
  shows('enum', 'ErrNumerical', COUNT, 'error.numerical', 'numerical errors (NaN)'),
  shows('etransient', 'ErrTransient', COUNT, 'error.transient', 'transient errors'),
  shows('emodel', 'ErrModel', COUNT, 'error.model', 'model errors'),
  shows('eruntime', 'ErrRuntime', COUNT, 'error.runtime', 'runtime errors'),
  shows('ehardware', 'ErrHardware', COUNT, 'error.hardware', 'hardware errors'),
  ...PERCENTILES.map(([p, name]) =>
    shows(p, `${p.toUpperCase()}(s)`, SECONDS, `total_latency.${p}`, `execution latency, ${name}`),
  ),
  ...PERCENTILES.map(([p, name]) =>
    shows(
      `d${p}`,
      `D${p.toUpperCase()}(s)`,
      SECONDS,
      `device_latency.${p}`,
      `execution latency on the device only, ${name}`,
    ),
  ),

  shows(
    'user',
    'User(%)',
    PERCENT,
    'vcpu.user',
    'share of vCPU time in user code, for a process, the instance or a vCPU',
  ),
  shows('system', 'System(%)', PERCENT, 'vcpu.system', 'share of vCPU time in the kernel'),
  shows('nice', 'Nice(%)', PERCENT, 'vcpu.nice', 'share of vCPU time in low-priority user code'),
  shows('idle', 'Idle(%)', PERCENT, 'vcpu.idle', 'idle share of vCPU time'),
  shows('iowait', 'IoWait(%)', PERCENT, 'vcpu.io_wait', 'share of vCPU time waiting for I/O'),
  shows('irq', 'Irq(%)', PERCENT, 'vcpu.irq', 'share of vCPU time in interrupts'),
  shows('softirq', 'SoftIrq(%)', PERCENT, 'vcpu.soft_irq', 'share of vCPU time in soft interrupts'),
  shows('switches', 'Switches', COUNT, 'context_switch_count', 'context switches of all vCPUs'),
  shows('memtotal', 'MemTotal(B)', BYTES, 'memory_total_bytes', "instance's memory"),
  shows('memused', 'MemUsed(B)', BYTES, 'memory_used_bytes', "instance's memory in use"),
  shows('swaptotal', 'SwapTotal(B)', BYTES, 'swap_total_bytes', "instance's swap"),
  shows('swapused', 'SwapUsed(B)', BYTES, 'swap_used_bytes', "instance's swap in use"),
  shows('eccmem', 'EccMem', COUNT, 'ecc.mem_ecc_corrected', 'device: corrected ECC events of its DRAM'),
  shows('eccmemu', 'EccMemU', COUNT, 'ecc.mem_ecc_uncorrected', 'device: uncorrected ECC events of its DRAM'),
  shows('eccsram', 'EccSram', COUNT, 'ecc.sram_ecc_corrected', 'device: corrected ECC events of its SRAM'),
  shows('eccsramu', 'EccSramU', COUNT, 'ecc.sram_ecc_uncorrected', 'device: uncorrected ECC events of its SRAM'),

  period('durcore', 'DurCore(ns)', 'utilisation and FLOP/s', 'neuroncore_utilization', 'flops'),
  period(
    'durexec',
    'DurExec(ns)',
    'executions, errors and latencies',
    'status.',
    'error.',
    'total_latency.',
    'device_latency.',
  ),
  period(
    'durmem',
    'DurMem(ns)',
    'memory of the process, core, model or instance',
    'used.',
    'host.',
    'neuron_device.',
    'memory',
    'swap_',
  ),
  period('durvcpu', 'DurVcpu(ns)', "vCPUs' shares and context switches", 'vcpu.', 'context_switch_count'),
  period('durecc', 'DurEcc(ns)', 'ECC events', 'ecc.'),
  knownColumn(
    'error',
    'Error',
    TEXT,
    "errors that the monitor reports, by group: in the row of their process, otherwise in the system's row",
    ({ row }) => row.errors,
    { list: 'str', separator: '; ' },
  ),

  fact('iname', 'Instance', TEXT, 'instance_name', 'instance: name'),
  fact('iid', 'InstanceId', TEXT, 'instance_id', 'instance: id'),
  fact('itype', 'InstanceType', TEXT, 'instance_type', 'instance: type'),
  fact('zone', 'Zone', TEXT, 'instance_availability_zone', 'instance: availability zone'),
  fact('zoneid', 'ZoneId', TEXT, 'instance_availability_zone_id', 'instance: id of the zone'),
  fact('region', 'Region', TEXT, 'instance_region', 'instance: region'),
  fact('ami', 'Ami', TEXT, 'ami_id', 'instance: image'),
  fact('subnet', 'Subnet', TEXT, 'subnet_id', 'instance: subnet'),
  fact('devtype', 'DevType', TEXT, 'neuron_device_type', 'hardware: type of the devices'),
  fact('devversion', 'DevVersion', TEXT, 'neuron_device_version', 'hardware: version of the devices'),
  fact('coreversion', 'CoreVersion', TEXT, 'neuroncore_version', 'hardware: version of the cores'),
  fact('devices', 'Devices', ID, 'neuron_device_count', 'hardware: devices'),
  fact('devsize', 'DevSize(B)', BYTES, 'neuron_device_memory_size', 'hardware: memory of each device'),
  fact('devcores', 'DevCores', ID, 'neuroncore_per_device_count', 'hardware: cores of each device'),
  fact('lnc', 'Lnc', ID, 'logical_neuroncore_config', 'hardware: physical cores of a logical one'),
];

const DEFAULT_MONITOR_COLUMNS =
  'report,start,scope,pid,tag,device,core,util,flops,devmem,hostmem,done,errors,p50,p99,user,system,memused,eccmemu';

/** The most informative columns for rows of one scope; columns of several scopes are combined. */
const COLUMNS_OF_SCOPE: Readonly<Partial<Record<RowScope, string>>> = {
  physical: 'report,start,pid,tag,device,core,util,name',
  vcpu: 'report,start,user,system,nice,idle,iowait,irq,softirq,name',
  model: 'report,pid,tag,device,core,uuid,modelid,running,devmem,const,code,rtmem,tensors,hostmem,name',
  instance: 'report,iname,iid,itype,zone,zoneid,region,ami,subnet',
  hardware: 'report,devtype,devversion,coreversion,devices,devcores,devsize,lnc',
};

/** The default columns of rows. */
export function defaultMonitorColumns(scopes: readonly RowScope[]): string {
  const lists = scopes.map((scope) => COLUMNS_OF_SCOPE[scope] ?? DEFAULT_MONITOR_COLUMNS);
  const [first = DEFAULT_MONITOR_COLUMNS, ...others] = new Set(lists);
  if (others.length === 0) return first;
  const common = lists.includes(DEFAULT_MONITOR_COLUMNS) ? DEFAULT_MONITOR_COLUMNS : 'report,start,scope';
  const all = new Set([common, ...lists].join().split(','));
  // Names may be long, so this column comes last.
  const isNamed = all.delete('name');
  return [...all, ...(isNamed ? ['name'] : [])].join();
}

/**
 * Columns of a comma-separated list; order and repeats are kept.
 * @throws UsageError naming the nearest key
 */
export const chooseMonitorColumns = (list: string): MonitorColumn[] =>
  list.split(',').map((key) => requireColumnOf(MONITOR_COLUMNS, key.trim()));
