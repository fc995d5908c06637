/** `dprof monitor` over a whole run: periods, configurations, statistics, thresholds. */
import { expect } from 'chai';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArguments } from '../../src/cli/arguments.js';
import { MONITOR, readMonitorArguments } from '../../src/cli/commands/monitor/monitor-options.js';
import type { UsageError } from '../../src/record/errors.js';
import { freshPath } from '../support/fresh-path.js';
import { executions, group, lines, report, runtime } from '../support/monitor-report.js';
import { runCli, type Ran } from '../support/run-cli.js';

const one = (completed: number, tag = 'train', corrected = 0): ReturnType<typeof report> =>
  report([runtime(7, tag, { execution_stats: executions(completed) })], {
    neuron_hw_counters: group({ neuron_devices: [{ neuron_device_index: 3, mem_ecc_corrected: corrected }] }),
  });

const monitor = (args: readonly string[], input = ''): Promise<Ran> => runCli('dprof', ['monitor', ...args], { input });

describe('dprof monitor over a run', () => {
  const folder = freshPath('-monitor-run');
  before(() => mkdirSync(folder));

  it('writes reports of a longer period', async () => {
    const ran = await monitor(
      ['--period', '2s', '-c', 'report,done,dur', '--rows', 'runtime'],
      lines(one(1), one(2), one(3)),
    );
    expect(ran).to.include({ code: 0, stderr: '' });
    expect(ran.stdout).to.equal('Report Done Dur(ns)\n1 3 2000000000\n2 3 1000000000\n');
  });

  it("applies the monitor's configuration, whose file stays what it is", async () => {
    const config = join(folder, 'monitor.conf');
    const text = '{"period":"1s","neuron_runtimes":[{"tag_filter":"^train","metrics":[{"type":"execution_stats"}]}]}';
    writeFileSync(config, text);
    const input = lines(one(1), one(2, 'serve'), one(3));
    const ran = await monitor(['--config', config, '--no-header', '-c', 'scope,tag,done'], input);
    expect(ran).to.include({ code: 0, stdout: 'runtime train 1\nruntime train 3\n' });
    const longer = await monitor(['--config', config, '--period', '3s', '--no-header', '-c', 'tag,done'], input);
    expect(longer.stdout).to.equal('train 4\n');
    expect((await monitor(['--config', config, '-o', config], input)).stderr).to.match(
      /is the input|choose another name/,
    );
    expect((await monitor(['--config', folder], input)).stderr).to.match(
      /is a directory \(--config takes a configuration/,
    );
    expect((await monitor(['--config', join(folder, 'none')], input)).stderr).to.match(
      /none: no such file or directory\n$/,
    );
  });

  it('writes statistics of the columns chosen', async () => {
    const ran = await monitor(['--stats', '-c', 'done', '--rows', 'runtime'], lines(one(1), one(2), one(6)));
    expect(ran.stdout).to.equal(
      'Scope Tag Device Core Name Metric Unit Count Total Mean Min P50 P90 P99 Max\n' +
        'runtime train na na na done count 3 9 3 1 2 5.2 5.92 6\n',
    );
  });

  it('fails where a row meets a condition, and writes the reports all the same', async () => {
    const input = lines(one(1), one(2, 'train', 4), one(3, 'train', 5));
    const met = await monitor(
      ['--fail-if', 'eccmem>0 || ehardware>0', '--no-header', '--rows', 'runtime', '-c', 'done'],
      input,
    );
    expect(met).to.deep.equal({
      code: 1,
      signal: null,
      stdout: '1\n2\n3\n',
      stderr: "dprof: --fail-if 'eccmem>0 || ehardware>0' matched device 3 in report 2 and 1 more row\n",
    });
    expect(await monitor(['--fail-if', 'eccmem>5', '-f', 'prometheus'], input)).to.include({ code: 0, stderr: '' });
  });

  it('fails with an exit code of its own where a condition cannot be judged', async () => {
    const input = lines(one(1), one(2, 'train', 4));
    const open = async (condition: string, ...args: readonly string[]): Promise<unknown[]> => {
      const { code, stderr } = await monitor(['--fail-if', condition, ...args], input);
      return [code, stderr];
    };
    const unknown = 'the value is unknown in all rows';
    const cannot = (what: string): unknown[] => [3, `dprof: --fail-if cannot be judged: ${what}\n`];
    expect(await open('p50>=0')).to.deep.equal(cannot(`p50>=0 (${unknown})`));
    expect(await open('tag==trian && done>0')).to.deep.equal(cannot('tag==trian && done>0 (no row matches)'));
    expect(await open('done>2 || p50>1||core==9')).to.deep.equal(
      cannot(`p50>1 (${unknown}); core==9 (no row matches)`),
    );
    // What a row meets is known, whatever else is open.
    expect(await open('done>1 || p50>1')).to.deep.equal([
      1,
      "dprof: --fail-if 'done>1 || p50>1' matched runtime of train in report 2\n",
    ]);
    expect(await open('tag==train && done>2')).to.deep.equal([0, '']);
    expect(await open('scope==device && p50==na && eccmem>4')).to.deep.equal([0, '']);
    const stats = ['--stats', '-c', 'done,p50'];
    expect(await open('metric==dnoe && mean>9', ...stats)).to.deep.equal(
      cannot('metric==dnoe && mean>9 (no row matches)'),
    );
    expect(await open('metric==p50 && max>9', ...stats)).to.deep.equal(cannot('metric==p50 && max>9 (no row matches)'));
    expect(await open('metric==done && max>2', ...stats)).to.deep.equal([0, '']);
  });

  it('holds the statistics against a condition', async () => {
    const input = lines(one(1), one(2), one(6));
    const stats = (condition: string): Promise<Ran> =>
      monitor(['--stats', '-c', 'done', '--fail-if', condition], input);
    const met = await stats('metric==done && mean<4');
    expect([met.code, met.stderr]).to.deep.equal([
      1,
      "dprof: --fail-if 'metric==done && mean<4' matched done of runtime of train\n",
    ]);
    expect(await stats('total>9')).to.include({ code: 0 });
  });

  it('refuses what cannot be meant', () => {
    const usage: readonly (readonly [args: readonly string[], answer: RegExp])[] = [
      [['--period', 'x'], /--period takes a time, not 'x' \(30s, 5m, 1m30s\)/],
      [['--stats', '-f', 'prometheus'], /--stats cannot be combined with --format prometheus/],
      [['--stats', '--last'], /--stats and --last cannot be combined/],
      [['--stats', '-c', 'tag'], /--stats -c tag selects no metric/],
    ];
    for (const [args, answer] of usage) {
      try {
        readMonitorArguments(parseArguments(MONITOR, args));
        expect.fail(args.join(' '));
      } catch (error) {
        expect((error as UsageError).line).to.match(answer);
      }
    }
  });

  it('reads the condition before the reports', async () => {
    const ran = await monitor(['--fail-if', 'eccmemm>0'], lines(one(1)));
    expect(ran).to.include({ code: 2, stdout: '', stderr: "dprof: unknown column 'eccmemm' (did you mean eccmem?)\n" });
  });
});
