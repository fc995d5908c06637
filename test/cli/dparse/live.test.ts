/** Reports of neuron-monitor from a pipe are written as they come; every other input from a pipe is as it was. */
import { expect } from 'chai';
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { ProfileLine } from '../../../src/record/record.js';
import { freshPath } from '../../support/fresh-path.js';
import { ended } from '../../support/ended.js';
import { commandOf, runCli } from '../../support/run-cli.js';
import { describeWithProcess } from '../../support/sets.js';
import { awaited } from '../../support/waits.js';

const report = (percent: number): string =>
  `${JSON.stringify({
    neuron_runtime_data: [
      {
        pid: 7,
        report: { neuroncore_counters: { period: 1, neuroncores_in_use: { 0: { neuroncore_utilization: percent } } } },
      },
    ],
  })}\n`;

/** Values of the cores' use, in what was written so far; the last line may not be whole yet. */
const utilisation = (stdout: string): unknown[] =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as ProfileLine)
    .flatMap((line) => (line.type === 'sample' && line.metric === 'neuroncore_utilization' ? [line.value] : []));

/** A tool whose standard input stays open. */
class Running {
  readonly child: ChildProcessWithoutNullStreams;
  stdout = '';
  stderr = '';

  constructor(args: readonly string[]) {
    this.child = spawn(process.execPath, [...commandOf('dparse'), ...args]);
    this.child.stdin.on('error', () => undefined);
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
  }

  /** Settles when the output is as awaited. */
  async until(holds: (stdout: string) => boolean): Promise<void> {
    await awaited('output', () => (holds(this.stdout) ? true : undefined));
  }

  async end(): Promise<number | null> {
    this.child.stdin.end();
    return (await ended(this.child)).code;
  }
}

describeWithProcess('dparse on a live pipe', function () {
  let running: Running | null = null;
  const start = (...args: string[]): Running => (running = new Running(args));

  afterEach(() => {
    running?.child.kill('SIGKILL');
    running = null;
  });

  it('writes the records of each report before the next one comes', async () => {
    const tool = start('-');
    for (const [i, percent] of [10, 20, 30].entries()) {
      tool.child.stdin.write(report(percent));
      await tool.until((stdout) => utilisation(stdout).length === i + 1);
    }
    expect(utilisation(tool.stdout)).to.deep.equal([10, 20, 30]);
    expect(tool.stdout)
      .to.match(/^\{"type":"profile".*"format":"neuron-monitor"/)
      .and.not.include('"type":"end"');
    expect(await tool.end()).to.equal(0);
    // Process, period and use, three times.
    expect(tool.stdout).to.match(/\n\{"type":"end","profile":0,"counts":\{"sample":9\},"diagnostics":\{\}\}\n$/);
    expect(tool.stderr).to.equal('dparse: -: 9 samples\n');
  });

  it('recognizes reports by the first bytes, in whatever pieces they come, and goes on after other lines', async () => {
    const tool = start('-q', '-');
    for (const piece of [report(10).slice(0, 9), report(10).slice(9, 40), report(10).slice(40)]) {
      tool.child.stdin.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await tool.until((stdout) => utilisation(stdout).length === 1);
    tool.child.stdin.write(`a warning\n${report(20)}`);
    await tool.until((stdout) => utilisation(stdout).length === 2);
    expect(await tool.end()).to.equal(0);
    expect(tool.stdout).to.match(/"diagnostics":\{"not-a-report":1\}\}\n$/);
    expect(tool.stderr).to.equal('');
  });

  it('waits for reports after anything else when the format is given', async () => {
    const tool = start('-q', '--input-format', 'neuron-monitor', '-');
    tool.child.stdin.write(`starting\n${report(10)}`);
    await tool.until((stdout) => utilisation(stdout).length === 1);
    expect(await tool.end()).to.equal(0);
  });

  it('ends quietly when nobody reads on', () => {
    const command = [process.execPath, ...commandOf('dparse')].map((part) => `'${part}'`).join(' ');
    // The reports go on for longer than the test may take.
    const reports = `while echo '${report(1).trim()}'; do sleep 0.1; done`;
    const script = `(${reports}) 2> /dev/null | (${command} - ; echo "exit $?" >&2) | head -1`;
    const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8', timeout: 50_000 });
    expect(stdout).to.match(/^\{"type":"profile".*\n$/);
    expect(stderr).to.equal('exit 0\n');
  });

  it('says so when no report comes', async () => {
    const input = 'nothing\nof the kind\n';
    const forced = await runCli('dparse', ['--input-format', 'neuron-monitor', '-'], { input });
    expect(forced).to.include({ code: 1, stdout: '' });
    expect(forced.stderr).to.match(/^dparse: -: contains no neuron-monitor report[^\n]*\n$/);
    const empty = await runCli('dparse', ['--input-format', 'neuron-monitor', '-']);
    expect(empty).to.include({ code: 1, stdout: '', stderr: 'dparse: -: input is empty\n' });
  });

  it('writes the same from a pipe, a compressed pipe and a file, and to a file', async () => {
    const input = [1, 2, 3].map(report).join('');
    const piped = await runCli('dparse', ['-q', '-'], { input });
    expect(piped.code).to.equal(0);
    expect(await runCli('dparse', ['-q', '-'], { input: gzipSync(input) })).to.deep.equal(piped);
    const forced = await runCli('dparse', ['-q', '--input-format', 'neuron-monitor', '-'], { input: gzipSync(input) });
    expect(forced).to.deep.equal(piped);
    const out = freshPath('.dict');
    expect((await runCli('dparse', ['-q', '-o', out, '-'], { input })).code).to.equal(0);
    expect(readFileSync(out, 'utf8')).to.equal(piped.stdout);
  });

  it('loses no byte of other inputs', async () => {
    // A trace without a line feed that is longer than the part that is looked at.
    const name = 'x'.repeat(100_000);
    const event = { ph: 'X', cat: 'kernel', name: 'k', ts: 1, dur: 2, pid: 0, tid: 7, args: { device: 0, stream: 7 } };
    const input = JSON.stringify({ schemaVersion: 1, name, traceEvents: [event] });
    const { code, stdout } = await runCli('dparse', ['-q', '-'], { input });
    expect(code).to.equal(0);
    expect(stdout)
      .to.match(/"format":"kineto"/)
      .and.match(/"type":"kernel".*"name":"k"/);
    const text = await runCli('dparse', ['-'], { input: 'x' });
    expect(text.stderr).to.match(/^dparse: -: is text/);
  });
});
