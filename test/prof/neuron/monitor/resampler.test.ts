import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { parseMonitorConfig, parsePeriod, type PeriodOf } from '../../../../src/prof/neuron/monitor/monitor-config.js';
import { chooseMonitorColumns } from '../../../../src/prof/neuron/monitor/monitor-columns.js';
import type { MonitorReport } from '../../../../src/prof/neuron/monitor/monitor-report.js';
import { reportOf } from '../../../../src/prof/neuron/monitor/report-samples.js';
import { Resampler } from '../../../../src/prof/neuron/monitor/resampler.js';
import { UserError } from '../../../../src/record/errors.js';
import { cores, executions, group, lines, report, runtime, samplesOf } from '../../../support/monitor-report.js';
import { itShared } from '../../../support/shared.js';

const REAL = 'data/neuron/neuron_monitor_trn1.jsonl';

/** The reports in a text, resampled to other periods. */
function resampled(text: string, periodOf: PeriodOf): MonitorReport[] {
  const resampler = new Resampler(periodOf);
  const found = samplesOf(text).map((samples) => resampler.take(samples));
  return [...found, resampler.end()].flatMap((samples) => (samples === null ? [] : [reportOf(samples, {})]));
}

const every = (text: string): PeriodOf => {
  const period = parsePeriod(text);
  return () => period;
};

/** Cells of the rows of a scope. */
const cells = (one: MonitorReport | undefined, scope: string, columns: string): unknown[][] =>
  (one?.rows ?? [])
    .filter((row) => row.scope === scope)
    .map((row) => chooseMonitorColumns(columns).map((column) => column.value({ row, report: one as MonitorReport })));

/** A report of one second. */
const second = (
  util: number | null,
  done: number,
  more: Parameters<typeof report>[1] = {},
): ReturnType<typeof report> =>
  report(
    [
      runtime(1, 'train', {
        neuroncore_counters: cores({ '0': { neuroncore_utilization: util } }),
        execution_stats: executions(done),
      }),
    ],
    more,
  );

describe('reports of longer periods', () => {
  itShared('have the sums, means and extremes of real reports', [REAL], ([path = '']) => {
    const text = readFileSync(path, 'utf8');
    const [all, ...others] = resampled(text, every('3s'));
    expect(others).to.deep.equal([]);
    // Three reports: user 16.99, 17.48 and 16.73 % in 0.999094871, 1.00045308 and 0.999554717 s, weighted by them in
    // Python; 84801 + 84786 + 84809 switches.
    const [[user, switches, memory, dur] = []] = cells(all, 'system', 'user,switches,memused,dur');
    expect(user).to.be.closeTo(17.066802233293867, 1e-12);
    expect([switches, typeof memory, dur]).to.deep.equal([254396, 'number', 2999102668]);
    // Two of them are of process 16851: p0 is the smaller, p100 the larger, the others cannot be known.
    const second = cells(all, 'runtime', 'tag,p0,p50,p99,p100,errors,done')[1];
    expect(second).to.deep.equal(['16851', 8.7738037109375e-5, null, null, 0.00013899803161621094, 23692 + 23749, 520]);
    // A process of one report keeps its percentiles.
    expect(cells(all, 'runtime', 'tag,p50,p99')[0]).to.deep.equal(['1337', 9.5367431640625e-5, 0.00013184547424316406]);
    expect(cells(all, 'core', 'tag,core,util')[2]?.[2]).to.be.closeTo(1.334469934598439, 1e-12);
    expect(all?.facts).to.include({ instance_type: 'trn1.2xlarge', neuroncore_per_device_count: 2 });
    // Memory is what the last report of each process says.
    expect(cells(all, 'runtime', 'devmem')[0]).to.deep.equal([102298328]);
  });

  it('end with the report that ends nearest to the period, and the rest comes last', () => {
    const text = lines(...[1, 2, 3, 4, 5].map((n) => second(10 * n, n)));
    const found = resampled(text, every('2s'));
    expect(found.map((one) => cells(one, 'runtime', 'report,start,dur,done')[0])).to.deep.equal([
      [1, 0, 2e9, 3],
      [2, 2e9, 2e9, 7],
      [3, 4e9, 1e9, 5],
    ]);
    expect(found.map((one) => cells(one, 'core', 'util')[0])).to.deep.equal([[15], [35], [50]]);
    // 1.6 s end with the second, the third and the fifth report.
    expect(resampled(text, every('1600ms')).map((one) => cells(one, 'runtime', 'done')[0]?.[0])).to.deep.equal([
      3, 3, 9,
    ]);
  });

  it('are the reports as they come where those are longer', () => {
    const found = resampled(lines(second(1, 1), second(2, 2)), every('250ms'));
    expect(found.map((one) => cells(one, 'core', 'start,util')[0])).to.deep.equal([
      [0, 1],
      [1e9, 2],
    ]);
  });

  it('have no value where a sum has an unknown part, and means of what is known', () => {
    const ecc = (n: number | null): Parameters<typeof report>[1] => ({
      neuron_hw_counters: group({ neuron_devices: [{ neuron_device_index: 0, mem_ecc_corrected: n }] }),
    });
    const [one] = resampled(lines(second(null, 1, ecc(2)), second(40, 2, ecc(null))), every('2s'));
    expect(cells(one, 'core', 'util')).to.deep.equal([[40]]);
    expect(cells(one, 'device', 'eccmem')).to.deep.equal([[null]]);
  });

  it('keep every error of the period', () => {
    const broken = (text: string): Record<string, unknown> => report([], { memory_info: group({}, text) });
    const [one] = resampled(lines(broken('a'), broken('b'), second(1, 1)), every('3s'));
    expect(one?.errors.map(({ text }) => text)).to.deep.equal(['a', 'b']);
  });
});

describe('a configuration of neuron-monitor', () => {
  // The example of the Neuron Monitor user guide.
  const GUIDE = {
    period: '1s',
    neuron_runtimes: [
      {
        tag_filter: '.*',
        metrics: ['neuroncore_counters', 'memory_used', 'neuron_runtime_vcpu_usage', 'execution_stats'].map((type) => ({
          type,
        })),
      },
    ],
    system_metrics: [{ type: 'vcpu_usage' }, { type: 'memory_info' }, { period: '2s', type: 'neuron_hw_counters' }],
  };
  const parse = (config: unknown): PeriodOf => parseMonitorConfig(JSON.stringify(config), 'monitor.conf');

  it('of the guide has all groups each second, and the counters of the hardware every other', () => {
    const periodOf = parse(GUIDE);
    expect([periodOf('execution_stats', 'x'), periodOf('memory_info', null)]).to.deep.equal([1e9, 1e9]);
    expect(periodOf('neuron_hw_counters', null)).to.equal(2e9);
    const ecc = { neuron_hw_counters: group({ neuron_devices: [{ neuron_device_index: 0, mem_ecc_corrected: 1 }] }) };
    const found = resampled(lines(second(1, 1, ecc), second(2, 2, ecc)), periodOf);
    expect(found.map((one) => cells(one, 'device', 'eccmem,dur'))).to.deep.equal([[], [[2, 2e9]]]);
    expect(found.map((one) => cells(one, 'core', 'util'))).to.deep.equal([[[1]], [[2]]]);
    // "Regardless of the configuration, the following two JSON objects are always present".
    expect(found[0]?.facts).to.include({ instance_id: 'i-1', neuron_device_count: 16 });
  });

  it('chooses processes by their tags, and takes 5 s without a period', () => {
    const periodOf = parse({
      neuron_runtimes: [
        {
          tag_filter: '^train',
          period: '30s',
          metrics: [{ type: 'execution_stats' }, { type: 'memory_used', period: '1m' }],
        },
        { metrics: [{ type: 'neuroncore_counters' }] },
      ],
    });
    expect(periodOf('execution_stats', 'train-1')).to.equal(30e9);
    expect(periodOf('memory_used', 'train-1')).to.equal(60e9);
    expect(periodOf('execution_stats', 'serve')).to.equal(null);
    expect(periodOf('neuroncore_counters', 'serve')).to.equal(5e9);
    expect(periodOf('vcpu_usage', null)).to.equal(null);
  });

  it('is refused in one line that says what it should be', () => {
    const refused: readonly (readonly [config: unknown, answer: RegExp])[] = [
      [[], /^monitor.conf: the configuration is not an object/],
      [{ neuron_runtime: [] }, /unknown member 'neuron_runtime' \(did you mean neuron_runtimes\?\)/],
      [{ period: 1 }, /1 is not a period \(as in '1s' or '500ms'\)/],
      [{ period: '0s' }, /"0s" is not a period/],
      [{ system_metrics: [{ type: 'memory_inf' }] }, /unknown group 'memory_inf' .*did you mean memory_info\?/],
      [
        { system_metrics: [{ type: 'memory_used' }] },
        /memory_used is not a group of system_metrics \(groups there: neuron_hw/,
      ],
      [{ system_metrics: {} }, /system_metrics is not a list/],
      [{ neuron_runtimes: [{ tag_filter: '(' }] }, /tag_filter is not a regular expression: '\('/],
    ];
    for (const [config, answer] of refused) {
      try {
        parse(config);
        expect.fail(JSON.stringify(config));
      } catch (error) {
        expect((error as UserError).line).to.match(answer);
      }
    }
    expect(() => parseMonitorConfig('{', 'm')).to.throw(UserError, 'is not JSON');
  });

  it('has periods in one unit or several', () => {
    const periods = ['1s', '500ms', '1m30s', '0.5h', '', '5', '-1s', '1d', '1e3s', '9999999h'].map(parsePeriod);
    expect(periods).to.deep.equal([1e9, 5e8, 90e9, 1800e9, null, null, null, null, null, null]);
  });
});
