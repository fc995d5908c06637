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
    // statistics.mean and statistics.quantiles(…, n=100, method='inclusive') of the three reports.
    expect(rows.filter((row) => row.startsWith('system '))).to.deep.equal([
      'system na na na na user % 3 na 17.0666666667 16.73 16.99 17.382 17.4702 17.48',
      'system na na na na switches count 3 254396 84798.6666667 84786 84801 84807.4 84808.84 84809',
    ]);
    expect(rows.filter((row) => row.startsWith('runtime 16851 '))).to.have.length(1);
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
