/** Samples of neuron-monitor's reports → charts of the run, from what `dprof monitor` prints. One pass; bounded. */
import { addTo } from '../../../containers/map-entry.js';
import type { ProfileLine } from '../../../record/record.js';
import { MONITOR_COLUMNS, type MonitorColumn } from '../../neuron/monitor/monitor-columns.js';
import type { MonitorReport, MonitorRow, RowScope } from '../../neuron/monitor/monitor-report.js';
import { reportOf, ReportSplitter } from '../../neuron/monitor/report-samples.js';
import { CurveGroupBuilder } from './curve-group.js';
import type { PageMonitor } from './neuron-data.js';

interface MonitorChart {
  readonly title: string;
  readonly scope: RowScope;
  /** Columns of `dprof monitor`. */
  readonly keys: readonly string[];
}

const CHARTS: readonly MonitorChart[] = [
  { title: 'Utilisation of cores', scope: 'core', keys: ['util'] },
  { title: 'FLOP/s of cores', scope: 'core', keys: ['flops'] },
  {
    title: 'Device memory of cores by kind',
    scope: 'core',
    keys: ['const', 'code', 'scratch', 'rtmem', 'tensors'],
  },
  { title: 'Device memory of processes', scope: 'runtime', keys: ['devmem'] },
  {
    title: 'Host memory of processes by kind',
    scope: 'runtime',
    keys: ['hostmem', 'hostapp', 'hostconst', 'hostdma', 'hosttens'],
  },
  { title: 'Latency of executions', scope: 'runtime', keys: ['p0', 'p1', 'p25', 'p50', 'p75', 'p99', 'p100'] },
  {
    title: 'Latency on the device alone',
    scope: 'runtime',
    keys: ['dp0', 'dp1', 'dp25', 'dp50', 'dp75', 'dp99', 'dp100'],
  },
  {
    title: 'Executions in each report',
    scope: 'runtime',
    keys: ['done', 'doneerr', 'donenum', 'timeout', 'badinput', 'noqueue'],
  },
  {
    title: 'Errors as the monitor counts them',
    scope: 'runtime',
    keys: ['egeneric', 'enum', 'etransient', 'emodel', 'eruntime', 'ehardware'],
  },
  { title: 'vCPUs of the processes', scope: 'runtime', keys: ['user', 'system'] },
  {
    title: 'vCPUs of the instance',
    scope: 'system',
    keys: ['user', 'system', 'nice', 'iowait', 'irq', 'softirq'],
  },
  { title: 'Memory of the instance', scope: 'system', keys: ['memused', 'swapused'] },
  { title: 'ECC events of the devices', scope: 'device', keys: ['eccmem', 'eccmemu', 'eccsram', 'eccsramu'] },
];

const MOST_ERRORS = 100;

const columnOf = (key: string): MonitorColumn => {
  const found = MONITOR_COLUMNS.find((column) => column.key === key);
  if (found === undefined) throw new RangeError(`no column ${key}`);
  return found;
};

const OPEN = CHARTS.map(({ title, scope, keys }) => ({ title, scope, columns: keys.map(columnOf) }));

/** `core 1`, `process web`, `device 0`; '' for the instance. */
function nameOf({ scope, core, device, tag, pid }: MonitorRow): string {
  if (scope === 'core') return `core ${core ?? 'na'}`;
  if (scope === 'device') return `device ${device ?? 'na'}`;
  return scope === 'runtime' ? `process ${tag ?? pid ?? 'na'}` : '';
}

export class MonitorRun {
  readonly #splitter = new ReportSplitter();
  readonly #charts = OPEN.map((chart) => ({
    ...chart,
    builder: new CurveGroupBuilder(chart.title, chart.columns[0]?.unit ?? 'count'),
  }));
  readonly #errors = new Map<string, number>();
  #facts: MonitorReport['facts'] = {};
  #reports = 0;

  take(record: ProfileLine): void {
    this.#add(this.#splitter.take(record));
  }

  #add(samples: ReturnType<ReportSplitter['end']>): void {
    if (samples === null) return;
    const report = reportOf(samples, {});
    this.#reports++;
    this.#facts = { ...this.#facts, ...report.facts };
    for (const { where, text } of report.errors) {
      const key = JSON.stringify([where, text]);
      if (this.#errors.size < MOST_ERRORS || this.#errors.has(key)) addTo(this.#errors, key, 1);
    }
    if (report.start !== null) for (const row of report.rows) this.#row(report, row, report.start);
  }

  #row(report: MonitorReport, row: MonitorRow, at: number): void {
    for (const { scope, columns, builder } of this.#charts) {
      if (scope !== row.scope) continue;
      for (const column of columns) {
        const value = column.value({ row, report });
        if (typeof value !== 'number') continue;
        const kind = columns.length > 1 ? column.key : '';
        builder.add([nameOf(row), kind].filter((text) => text !== '').join(' '), at, value);
      }
    }
  }

  get result(): PageMonitor {
    this.#add(this.#splitter.end());
    return {
      reports: this.#reports,
      facts: this.#facts,
      errors: [...this.#errors].map(([key, count]) => {
        const [where, text] = JSON.parse(key) as [string, string];
        return { where, text, count };
      }),
      charts: this.#charts.flatMap(({ builder }) => builder.group ?? []),
    };
  }
}
