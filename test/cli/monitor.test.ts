import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parseArguments } from '../../src/cli/arguments.js';
import { MONITOR, readMonitorArguments } from '../../src/cli/commands/monitor/monitor-options.js';
import { UsageError } from '../../src/record/errors.js';
import { executions, group, lines, report, runtime } from '../support/monitor-report.js';
import { parseExposition, seriesValue } from '../support/prometheus-text.js';
import { commandOf, runCli, type Ran } from '../support/run-cli.js';
import { itShared } from '../support/shared.js';
import { describeWithProcess } from '../support/sets.js';

const REAL = 'data/neuron/neuron_monitor_trn1.jsonl';
const one = (completed: number, tag = 'train'): ReturnType<typeof report> =>
  report([runtime(7, tag, { execution_stats: executions(completed) })]);

const monitor = (args: readonly string[], input: string | Buffer = ''): Promise<Ran> =>
  runCli('dprof', ['monitor', ...args], { input });

describe('dprof monitor', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'dprof-monitor-'));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('writes rows for awk, with na for unknown and no blank inside', async () => {
    const ran = await monitor(['-c', 'report,scope,tag,done,p50'], lines(one(1, 'my job'), one(2)));
    expect(ran).to.deep.equal({
      code: 0,
      signal: null,
      stdout: 'Report Scope Tag Done P50(s)\n1 runtime my_job 1 na\n2 runtime train 2 na\n',
      stderr: '',
    });
  });

  it('writes CSV, JSON and tables of the same rows', async () => {
    const input = lines(one(1, 'a,b'), one(2));
    const of = async (format: string): Promise<string> =>
      (await monitor(['-f', format, '-c', 'tag,done,p50'], input)).stdout;
    expect(await of('csv')).to.equal('Tag,Done,P50(s)\n"a,b",1,\ntrain,2,\n');
    expect(await of('jsonl')).to.equal('{"tag":"a,b","done":1,"p50":null}\n{"tag":"train","done":2,"p50":null}\n');
    expect((await of('table')).split('\n').filter((line) => line.startsWith('│'))).to.have.length(4);
  });

  itShared('writes the same for records as for the lines they come from', [REAL], async ([path = '']) => {
    const records = await runCli('dparse', [path]);
    for (const format of ['jsonl', 'prometheus', 'emf']) {
      const rows = format === 'jsonl' ? ['--rows', 'all'] : [];
      const direct = await monitor(['-q', '-f', format, ...rows, path]);
      expect(direct.code).to.equal(0);
      expect(await monitor(['-q', '-f', format, ...rows], records.stdout)).to.deep.equal(direct);
    }
  });

  it('goes on after lines that are not reports, and counts them, also with -q', async () => {
    const input = `${lines(one(1))}not json\n{"a":1}\n\n{"type":"sample",\n${lines(one(2))}`;
    const ran = await monitor(['--no-header', '-c', 'done'], input);
    expect(ran).to.include({ code: 0, stdout: '1\n2\n' });
    expect(ran.stderr).to.equal('dprof: skipped 3 lines that are not reports (first: line 2)\n');
    expect(await monitor(['-q', '--no-header', '-c', 'done'], input)).to.deep.equal(ran);
  });

  it('ends with 1 where the input stops within a line, with what stands before', async () => {
    const whole = lines(one(1), one(2));
    for (const cut of [whole.slice(0, -20), `${lines(one(1))}{"type":"sam`]) {
      const { code, stdout, stderr } = await monitor(['-q', '--no-header', '-c', 'done'], cut);
      expect({ code, stdout, stderr }).to.deep.equal({
        ...{ code: 1, stdout: '1\n' },
        stderr: 'dprof: stdin: the last line is cut off; the part before was read\n',
      });
    }
    // A whole line that is not a report.
    const other = await monitor(['-q'], `${lines(one(1))}{"a":1}`);
    expect(other.stderr).to.equal('dprof: skipped 1 line that is not a report (first: line 2)\n');
    expect(other.code).to.equal(0);
  });

  it("reports the monitor's own errors, each once", async () => {
    const broken = report([], { memory_info: group({}, 'no\u001b[31m memory') });
    const ran = await monitor(['-f', 'jsonl'], lines(broken, broken));
    expect(ran.stderr).to.equal('dprof: neuron-monitor: memory_info: no\\u001b[31m memory\n');
  });

  it('fails where there is no report', async () => {
    for (const input of ['', 'x\n{"type":"kernel"}\n']) {
      const ran = await monitor([], input);
      expect(ran).to.include({ code: 1, stdout: '' });
      expect(ran.stderr).to.match(/^dprof: stdin: contains no neuron-monitor report[^\n]*\n$/);
    }
    expect((await monitor([join(folder, 'none')])).stderr).to.match(/none: no such file\n$/);
  });

  it('refuses what cannot be meant', async () => {
    const usage: readonly (readonly [args: readonly string[], answer: RegExp])[] = [
      [['--groups', 'memory_use'], /unknown group 'memory_use' \(did you mean memory_used\?\)/],
      [['--tag-filter', '('], /--tag-filter takes a regular expression/],
      [['-f', 'prometeus'], /did you mean prometheus\?/],
      [['-c', 'utl'], /did you mean util\?/],
      [['--rows', 'cores'], /did you mean core\?/],
      [['-f', 'emf', '-c', 'util'], /--cols cannot be combined with --format emf/],
      [['--timestamp', 'now'], /works only with --format emf/],
      [['-f', 'emf', '--timestamp', 'noon'], /takes now or a time/],
      [['-f', 'emf', '--namespace', ':x'], /not a valid CloudWatch namespace/],
      [['--lst'], /did you mean --last\?/],
    ];
    for (const [args, answer] of usage) {
      expect(() => readMonitorArguments(parseArguments(MONITOR, args)), args.join(' ')).to.throw(UsageError);
      try {
        readMonitorArguments(parseArguments(MONITOR, args));
      } catch (error) {
        expect((error as UsageError).line).to.match(answer);
      }
    }
    const ran = await monitor(['--groups', 'memory_use'], lines(one(1)));
    expect(ran).to.include({ code: 2, stdout: '' });
  });

  it('chooses processes and groups', async () => {
    const both = report([
      runtime(1, 'train-1', { execution_stats: executions(3) }),
      runtime(2, 'serve', { execution_stats: executions(4) }),
    ]);
    const done = ['--no-header', '-c', 'tag,done'];
    expect((await monitor([...done, '--tag-filter', '^train'], lines(both))).stdout).to.equal('train-1 3\n');
    expect((await monitor([...done, '--groups', 'memory_used'], lines(both))).stdout).to.equal('');
  });

  it('reads gzip from a pipe', async () => {
    expect((await monitor(['--no-header', '-c', 'done'], gzipSync(lines(one(5))))).stdout).to.equal('5\n');
  });

  it('gives documents of CloudWatch the time that is asked for', async () => {
    const time = async (...args: string[]): Promise<unknown> => {
      const { stdout } = await monitor(['-q', '-f', 'emf', ...args], lines(one(1)));
      return (JSON.parse(stdout) as { _aws: { Timestamp?: unknown } })._aws.Timestamp;
    };
    expect(await time()).to.equal(undefined);
    expect(await time('--timestamp', 'now')).to.be.a('number');
    // A report of one second is made one second after its begin.
    expect(await time('--timestamp', '2023-11-14T22:13:20Z')).to.equal(1700000001000);
    expect(await time('--timestamp', '1700000000.5')).to.equal(1700000001500);
    expect((await monitor(['-f', 'emf'], lines(one(1), one(2)))).stderr.match(/have no time/g)).to.have.length(1);
  });

  it('writes the last exposition alone, and puts it into a file at once', async () => {
    const out = join(folder, 'neuron.prom');
    writeFileSync(out, 'old');
    const ran = await monitor(['-f', 'prometheus', '--last', '-o', out], lines(one(1), one(2), one(3)));
    expect(ran).to.deep.equal({ code: 0, signal: null, stdout: '', stderr: '' });
    const text = readFileSync(out, 'utf8');
    expect(seriesValue(parseExposition(text), 'execution_status_total', { status_type: 'completed' })).to.equal(6);
    expect(readdirSync(folder)).to.deep.equal(['neuron.prom']);
    expect((await monitor(['-f', 'prometheus', '--last'], lines(one(1), one(2), one(3)))).stdout).to.equal(text);
  });

  describeWithProcess('on a live pipe', () => {
    const start = (...args: string[]): ReturnType<typeof spawn> =>
      spawn(process.execPath, [...commandOf('dprof'), 'monitor', ...args], { stdio: ['pipe', 'pipe', 'inherit'] });

    it('has written each report before the next one comes', async () => {
      const child = start('--no-header', '-c', 'done');
      const { stdin, stdout } = child;
      if (stdin === null || stdout === null) throw new Error('no pipes');
      const written: string[] = [];
      for (const n of [11, 22, 33]) {
        stdin.write(lines(one(n)));
        // Standard input stays open: nothing comes of its end.
        const [chunk] = (await once(stdout, 'data')) as [Buffer];
        written.push(chunk.toString());
      }
      const closed = once(child, 'close');
      stdin.end();
      expect(written).to.deep.equal(['11\n', '22\n', '33\n']);
      expect(await closed).to.deep.equal([0, null]);
    });

    it('ends quietly when its reader has seen enough, although more could come', async () => {
      const child = start('--no-header', '-c', 'done');
      const { stdin, stdout } = child;
      if (stdin === null || stdout === null) throw new Error('no pipes');
      stdin.on('error', () => undefined);
      stdin.write(lines(one(1)));
      await once(stdout, 'data');
      const closed = once(child, 'close');
      stdout.destroy();
      stdin.write(lines(one(2)));
      expect(await closed).to.deep.equal([0, null]);
      stdin.destroy();
    });
  });

  it('lists what it can show', async () => {
    const help = await monitor(['--help']);
    expect(help.stdout.split('\n').every((line) => line.length <= 100)).to.equal(true);
    expect(help.stdout)
      .to.match(/^Usage: dprof monitor/)
      .and.include('Examples:\n');
    expect((await monitor(['--columns'])).stdout).to.match(/^util +Util\(%\) +% /m);
    expect((await monitor(['--metrics'])).stdout).to.include('execution_status_total{runtime_tag,status_type}');
  });
});
