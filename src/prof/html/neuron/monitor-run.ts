/**
 * Turns samples of neuron-monitor's reports into charts of each host, from the values that `dprof monitor` prints. One
 * pass; bounded.
 */
import { addTo, boundedEntryOf } from '../../../containers/map-entry.js';
import type { ProfileLine } from '../../../record/record.js';
import type { MonitorReport } from '../../neuron/monitor/monitor-report.js';
import { reportOf, ReportSplitter } from '../../neuron/monitor/report-samples.js';
import { MonitorCharts } from './monitor-charts.js';
import type { PageMonitor } from './neuron-data.js';

const MOST_ERRORS = 100;
/** Maximum number of hosts of one input; further hosts are only counted. */
const MOST_HOSTS = 32;

class HostRun {
  readonly charts = new MonitorCharts();
  facts: MonitorReport['facts'] = {};
  reports = 0;
}

/** Id of the instance, else its name; null when a report has neither. */
function hostOf({ facts }: MonitorReport): string | null {
  const found = [facts['instance_id'], facts['instance_name']].find((name) => typeof name === 'string' && name !== '');
  return typeof found === 'string' ? found : null;
}

export class MonitorRun {
  readonly #splitter = new ReportSplitter();
  readonly #hosts = new Map<string | null, HostRun>();
  readonly #errors = new Map<string, number>();
  #reports = 0;
  /** Number of reports of hosts beyond the limit. */
  #others = 0;

  take(record: ProfileLine): void {
    this.#add(this.#splitter.take(record));
  }

  #add(samples: ReturnType<ReportSplitter['end']>): void {
    if (samples === null) return;
    const report = reportOf(samples, {});
    this.#reports++;
    for (const { where, text } of report.errors) {
      const key = JSON.stringify([where, text]);
      if (this.#errors.size < MOST_ERRORS || this.#errors.has(key)) addTo(this.#errors, key, 1);
    }
    const host = boundedEntryOf(this.#hosts, hostOf(report), MOST_HOSTS, () => new HostRun());
    if (host === null) {
      this.#others++;
      return;
    }
    host.reports++;
    host.facts = { ...host.facts, ...report.facts };
    if (report.start !== null) host.charts.add(report, report.start);
  }

  get result(): PageMonitor {
    this.#add(this.#splitter.end());
    return {
      reports: this.#reports,
      otherReports: this.#others,
      errors: [...this.#errors].map(([key, count]) => {
        const [where, text] = JSON.parse(key) as [string, string];
        return { where, text, count };
      }),
      hosts: [...this.#hosts].map(([name, { reports, facts, charts }]) => ({
        ...{ name, reports, facts, charts: charts.charts, lines: charts.lines },
      })),
    };
  }
}
