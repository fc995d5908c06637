import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { chooseMonitorColumns } from '../../../../src/prof/neuron/monitor/monitor-columns.js';
import { MonitorStats, statsTable } from '../../../../src/prof/neuron/monitor/monitor-stats.js';
import { textOf } from '../../../../src/table/column.js';
import { executions, lines, report, reportsOf, runtime } from '../../../support/monitor-report.js';
import { itShared } from '../../../support/shared.js';

function statsOf(text: string, metrics: string, mostValues?: number): { stats: MonitorStats; rows: string[] } {
  const stats = new MonitorStats(chooseMonitorColumns(metrics), mostValues);
  for (const one of reportsOf(text)) stats.take(one.rows.map((row) => ({ row, report: one })));
  const { columns, rows } = statsTable(stats);
  return { stats, rows: rows.map((row) => columns.map((column) => textOf(column, column.value(row))).join(' ')) };
}

const run = (...done: number[]): string =>
  lines(...done.map((n) => report([runtime(1, 'train', { execution_stats: executions(n) })])));

describe('statistics of a run', () => {
  itShared('are those that Python computes of a real one', ['data/neuron/neuron_monitor_trn1.jsonl'], ([path = '']) => {
    const { rows } = statsOf(readFileSync(path, 'utf8'), 'user,switches');
    // statistics.fmean, of user with the periods as weights, and statistics.quantiles(…, n=100, method='inclusive').
    expect(rows.filter((row) => row.startsWith('system '))).to.deep.equal([
      'system na na na na user % 3 na 17.0668022333 16.73 16.99 17.382 17.4702 17.48',
      'system na na na na switches count 3 254396 84798.6666667 84786 84801 84807.4 84808.84 84809',
    ]);
    expect(rows.filter((row) => row.startsWith('runtime 16851 '))).to.have.length(1);
  });

  it('have a mean over time of amounts, by the period of their own metric group', () => {
    const at = (period: number, util: number, tensors: number): object =>
      report([
        runtime(1, 'train', {
          neuroncore_counters: { period, error: '', neuroncores_in_use: { 0: { neuroncore_utilization: util } } },
          memory_used: { period: 5, error: '', neuron_runtime_used_bytes: { usage_breakdown: { neuroncore_memory_usage: { 0: { tensors } } } } },
        }),
      ]); // prettier-ignore
    const { rows } = statsOf([at(0.004, 0, 10), at(5, 99, 20), at(5.001, 99, 30)].map((one) => `${JSON.stringify(one)}\n`).join(''), 'util,tensors'); // prettier-ignore
    // 99 · 10.001 / 10.005; (10 + 20 + 30) / 3.
    expect(rows.map((row) => row.split(' ').slice(5, 10))).to.deep.equal([
      ['util', '%', '3', 'na', '98.9604197901'],
      ['tensors', 'bytes', '3', 'na', '20'],
    ]);
  });

  it('leave out the zeros of a group or process that reports an error', () => {
    const counters = (util: number, error = ''): object => ({ period: 1, error, neuroncores_in_use: { 0: { neuroncore_utilization: util } } }); // prettier-ignore
    const text = lines(
      report([runtime(1, 'train', { neuroncore_counters: counters(80) })]),
      report([runtime(1, 'train', { neuroncore_counters: counters(0, 'failed to read counters') })]),
      report([runtime(1, 'train', { neuroncore_counters: counters(0) }, 'process has ended')]),
    );
    expect(statsOf(text, 'util').rows).to.deep.equal(['core train 0 0 na util % 1 na 80 80 80 80 80 80']);
    expect(reportsOf(text).map(({ errors }) => errors.length)).to.deep.equal([0, 1, 1]);
  });

  it('count the reports with a value', () => {
    const { rows } = statsOf(run(1, 2), 'done,p50,tag');
    expect(rows).to.deep.equal(['runtime train na na na done count 2 3 1.5 1 1.5 1.9 1.99 2']);
  });

  it('have no percentiles beyond a bound', () => {
    expect(statsOf(run(1, 2, 3), 'done', 3).stats.isTooLong).to.equal(false);
    const { stats, rows } = statsOf(run(1, 2, 3), 'done', 2);
    expect(stats.isTooLong).to.equal(true);
    expect(rows).to.deep.equal(['runtime train na na na done count 3 6 2 1 na na na 3']);
  });
});
