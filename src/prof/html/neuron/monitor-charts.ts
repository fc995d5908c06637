/**
 * The charts of a host from neuron-monitor reports. They show columns of `dprof monitor` over time, with one curve
 * for each core, process or device, and a single line for the host, by which hosts are compared.
 */
import { MONITOR_COLUMNS, type MonitorColumn } from '../../neuron/monitor/monitor-columns.js';
import type { MonitorReport, MonitorRow, RowScope } from '../../neuron/monitor/monitor-report.js';
import type { CurveGroup } from './neuron-data.js';
import { boundedEntryOf } from '../../../containers/map-entry.js';
import { Curve } from '../../memory/bounded-curve.js';

const MOST_CURVES = 32;
const MOST_POINTS = 200;

/** Values over time by name, in a bounded number of curves. */
export class CurveGroupBuilder {
  readonly #curves = new Map<string, Curve>();
  readonly #leftOut = new Set<string>();

  constructor(
    private readonly title: string,
    private readonly unit: string,
  ) {}

  add(name: string, at: number, value: number): void {
    const curve = boundedEntryOf(this.#curves, name, MOST_CURVES, () => new Curve(MOST_POINTS));
    if (curve !== null) curve.add(at, value);
    else if (this.#leftOut.size < MOST_POINTS) this.#leftOut.add(name);
  }

  /** Null without values. */
  get group(): CurveGroup | null {
    if (this.#curves.size === 0) return null;
    const curves = [...this.#curves].map(([name, { points }]) => ({
      name,
      points: points.map(({ at, value }) => [at, value] as const),
    }));
    return { title: this.title, unit: this.unit, curves, leftOut: this.#leftOut.size };
  }
}

const WAYS = {
  sum: (values: readonly number[]) => values.reduce((all, value) => all + value, 0),
  mean: (values: readonly number[]) => values.reduce((all, value) => all + value, 0) / values.length,
  greatest: (values: readonly number[]) => values.reduce((most, value) => Math.max(most, value)),
} as const;

/** A value of a report that describes a host by a single number. */
interface HostLine {
  readonly title: string;
  readonly keys: readonly string[];
  readonly of: keyof typeof WAYS;
}

interface MonitorChart {
  readonly title: string;
  readonly scope: RowScope;
  /** Columns of `dprof monitor`. */
  readonly keys: readonly string[];
  readonly line?: HostLine;
}

const ERRORS = ['egeneric', 'enum', 'etransient', 'emodel', 'eruntime', 'ehardware'] as const;
const DEVICE_PERCENTILES = ['dp0', 'dp1', 'dp25', 'dp50', 'dp75', 'dp99', 'dp100'] as const;
const ECC = ['eccmem', 'eccmemu', 'eccsram', 'eccsramu'] as const;

const CHARTS: readonly MonitorChart[] = [
  {
    ...{ title: 'Utilisation of cores', scope: 'core', keys: ['util'] },
    line: { title: 'Mean utilisation of the cores in use', keys: ['util'], of: 'mean' },
  },
  {
    ...{ title: 'FLOP/s of cores', scope: 'core', keys: ['flops'] },
    line: { title: 'FLOP/s, all cores', keys: ['flops'], of: 'sum' },
  },
  {
    title: 'Device memory of cores by kind',
    scope: 'core',
    keys: ['const', 'code', 'scratch', 'rtmem', 'tensors'],
  },
  {
    ...{ title: 'Device memory of processes', scope: 'runtime', keys: ['devmem'] },
    line: { title: 'Device memory, all processes', keys: ['devmem'], of: 'sum' },
  },
  {
    title: 'Host memory of processes by kind',
    scope: 'runtime',
    keys: ['hostmem', 'hostapp', 'hostconst', 'hostdma', 'hosttens'],
    line: { title: 'Host memory, all processes', keys: ['hostmem'], of: 'sum' },
  },
  {
    ...{ title: 'Execution latency', scope: 'runtime', keys: ['p0', 'p1', 'p25', 'p50', 'p75', 'p99', 'p100'] },
    line: { title: 'Execution latency, P99 of the slowest process', keys: ['p99'], of: 'greatest' },
  },
  {
    title: 'Execution latency on the device',
    scope: 'runtime',
    keys: DEVICE_PERCENTILES,
    line: { title: 'Execution latency on the device, P99 of the slowest process', keys: ['dp99'], of: 'greatest' },
  },
  {
    title: 'Executions per report',
    scope: 'runtime',
    keys: ['done', 'doneerr', 'donenum', 'timeout', 'badinput', 'noqueue'],
    line: { title: 'Executions per report, all processes', keys: ['done'], of: 'sum' },
  },
  {
    ...{ title: 'Errors by group', scope: 'runtime', keys: ERRORS },
    line: { title: 'Errors, all groups', keys: ERRORS, of: 'sum' },
  },
  { title: 'vCPU use of processes', scope: 'runtime', keys: ['user', 'system'] },
  {
    title: 'vCPU use of the instance',
    scope: 'system',
    keys: ['user', 'system', 'nice', 'iowait', 'irq', 'softirq'],
    line: { title: 'vCPU use of the instance, without idle and I/O wait', keys: ['user', 'system', 'nice', 'irq', 'softirq'], of: 'sum' }, // prettier-ignore
  },
  {
    ...{ title: 'Memory of the instance', scope: 'system', keys: ['memused', 'swapused'] },
    line: { title: 'Memory of the instance', keys: ['memused'], of: 'sum' },
  },
  {
    ...{ title: 'ECC events of the devices', scope: 'device', keys: ECC },
    line: { title: 'ECC events, all devices', keys: ECC, of: 'sum' },
  },
];

/** Names of columns within their chart, if they differ from the column's own name. */
const WORDS: Readonly<Record<string, string>> = {
  ...{ const: 'constants', scratch: 'shared scratchpad', rtmem: 'runtime' },
  ...{ hostmem: 'all', hostapp: 'application', hostconst: 'constants', hostdma: 'DMA buffers', hosttens: 'tensors' },
  ...Object.fromEntries(DEVICE_PERCENTILES.map((key) => [key, key.slice(1)])),
  ...{ done: 'completed', doneerr: 'with errors', donenum: 'with numerical errors', timeout: 'timed out' },
  ...{ badinput: 'wrong input', noqueue: 'queue full' },
  ...{ egeneric: 'generic', enum: 'numerical', etransient: 'transient', emodel: 'model' },
  ...{ eruntime: 'runtime', ehardware: 'hardware' },
  ...{ nice: 'low priority', iowait: 'waiting for I/O', irq: 'interrupts', softirq: 'soft interrupts' },
  ...{ memused: 'memory', swapused: 'swap' },
  ...{
    eccmem: 'DRAM, corrected',
    eccmemu: 'DRAM, uncorrected',
    eccsram: 'SRAM, corrected',
    eccsramu: 'SRAM, uncorrected',
  },
};

const columnOf = (key: string): MonitorColumn => {
  const found = MONITOR_COLUMNS.find((column) => column.key === key);
  if (found === undefined) throw new RangeError(`no column ${key}`);
  return found;
};

const OPEN = CHARTS.map(({ title, scope, keys, line = null }) => ({ title, scope, line, columns: keys.map(columnOf) }));

/** `core 1`, `process web`, `device 0`; '' for the instance. */
function nameOf({ scope, core, device, tag, pid }: MonitorRow): string {
  if (scope === 'core') return `core ${core ?? 'na'}`;
  if (scope === 'device') return `device ${device ?? 'na'}`;
  return scope === 'runtime' ? `process ${tag ?? pid ?? 'na'}` : '';
}

export class MonitorCharts {
  readonly #charts = OPEN.map((chart) => {
    const unit = chart.columns[0]?.unit ?? 'count';
    const whole = chart.line === null ? null : new CurveGroupBuilder(chart.line.title, unit);
    return { ...chart, builder: new CurveGroupBuilder(chart.title, unit), whole };
  });

  /** @param at start of the report, in ns */
  add(report: MonitorReport, at: number): void {
    for (const { scope, columns, builder, line, whole } of this.#charts) {
      const ofLine: number[] = [];
      for (const row of report.rows) {
        if (row.scope !== scope) continue;
        for (const column of columns) {
          const value = column.value({ row, report });
          if (typeof value !== 'number') continue;
          const kind = columns.length > 1 ? (WORDS[column.key] ?? column.key) : '';
          builder.add([nameOf(row), kind].filter((text) => text !== '').join(' '), at, value);
          if (line?.keys.includes(column.key) === true) ofLine.push(value);
        }
      }
      if (line !== null && ofLine.length > 0) whole?.add('', at, WAYS[line.of](ofLine));
    }
  }

  get charts(): CurveGroup[] {
    return this.#charts.flatMap(({ builder }) => builder.group ?? []);
  }

  /** Charts of the host with a single curve each. */
  get lines(): CurveGroup[] {
    return this.#charts.flatMap(({ whole }) => whole?.group ?? []);
  }
}
