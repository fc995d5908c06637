/** Options of all commands: where they may stand, and how each asks for its help. */
import { expect } from 'chai';
import { join } from 'node:path';
import { COMMANDS } from '../../src/cli/commands.js';
import { runCli } from '../support/run-cli.js';
import { ROOT } from '../support/shared.js';

const SAMPLE = join(ROOT, 'samples/lenet.nsys.sqlite');
const NAMES = Object.keys(COMMANDS);

const printed = async (tool: 'dprof' | 'dparse', ...args: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await runCli(tool, args);
  expect({ code, stderr }, args.join(' ')).to.deep.equal({ code: 0, stderr: '' });
  return stdout;
};

describe('help', () => {
  for (const name of NAMES) {
    it(`of dprof ${name} is the same however it is asked for`, async () => {
      const help = await printed('dprof', 'help', name);
      expect(help).to.match(new RegExp(`^Usage: dprof ${name} `));
      for (const line of help.split('\n')) expect(line.length, line).to.be.at.most(80);
      for (const args of [
        [name, '--help'],
        [name, '-h', 'none.json'],
        ['--help', name],
        [name, 'none.json', '--help'],
        [name, '--no-such-option', '--help'],
        [name, '--output', '--help'],
        ['-q', name, '-qh'],
      ])
        expect(await printed('dprof', ...args), args.join(' ')).to.equal(help);
    });
  }

  it('of the programs too', async () => {
    const [dprof, dparse] = [await printed('dprof', '--help'), await printed('dparse', '--help')];
    expect(dprof).to.match(/^Usage: dprof \[/);
    expect(dparse).to.match(/^Usage: dparse \[/);
    for (const args of [['help'], ['help', 'dprof'], ['none.json', '--help'], ['--top', '--help']])
      expect(await printed('dprof', ...args)).to.equal(dprof);
    for (const args of [['help'], ['none.json', '--help'], ['-f', '-h'], ['--no-such-option', '-h']])
      expect(await printed('dparse', ...args)).to.equal(dparse);
  });

  it('names the nearest command', async () => {
    for (const args of [
      ['help', 'summry'],
      ['summry', '--help'],
    ]) {
      const { code, stderr } = await runCli('dprof', args);
      expect([code, stderr]).to.deep.equal([2, "dprof: no command 'summry' (did you mean dprof help summary?)\n"]);
    }
    expect((await runCli('dprof', ['help', 'xyzzy'])).stderr).to.equal(
      "dprof: no command 'xyzzy' (dprof help lists them)\n",
    );
  });
});

describe('an old name of an option', () => {
  const old: readonly (readonly [tool: 'dprof' | 'dparse', old: readonly string[], now: readonly string[]])[] = [
    ['dprof', ['--device', 'H100 SXM'], ['--peaks', 'H100 SXM']],
    ['dprof', ['summary', '--device=H100 SXM'], ['summary', '--peaks=H100 SXM']],
    ['dparse', ['--output-format', 'records'], ['--format', 'records']],
    ['dparse', ['--format', 'nsight'], ['--input-format', 'nsight']],
  ];
  for (const [tool, before, now] of old) {
    it(`works with a notice: ${before.join(' ')}`, async () => {
      const [ran, usual] = [await runCli(tool, [...before, SAMPLE]), await runCli(tool, [...now, SAMPLE])];
      expect(ran.stdout).to.equal(usual.stdout);
      const [notice = '', ...others] = ran.stderr.split('\n');
      expect(notice).to.match(/^\w+: --[\w-]+.* is now --[\w-]+.*; the next version drops the old name$/);
      expect(others.join('\n')).to.equal(usual.stderr);
      expect(usual.stderr).to.not.include('is now');
    });
  }

  it('leaves new meanings alone', async () => {
    expect((await runCli('dprof', ['--device', '0', '-q', SAMPLE])).stderr).to.equal('');
    expect((await runCli('dparse', ['-f', 'records', '-q', SAMPLE])).stderr).to.equal('');
  });
});

/** Options that choose, and what a command has of them; all others say where to get what they ask for. */
const SHARED = ['where', 'device', 'step', 'from', 'to', 'cols', 'sort', 'top', 'peaks', 'neff', 'capture', 'ncu'];

describe('an option that several commands have', () => {
  for (const name of NAMES.filter((one) => !['completion'].includes(one))) {
    it(`is one of dprof ${name}, or refused with a way out`, async () => {
      const { tool } = (await COMMANDS[name]?.load()) ?? {};
      for (const option of SHARED) {
        if (tool?.options.some((one) => one.name === option) === true) {
          expect(tool.unfit ?? {}, option).to.not.have.property(option);
          continue;
        }
        const { code, stderr } = await runCli('dprof', [name, `--${option}`, '1', SAMPLE]);
        expect(code, option).to.equal(2);
        expect(stderr).to.match(/^dprof: [^\n]+\([^\n]+\)\n$/);
        expect(stderr).to.match(/^dprof: (?:dprof [\w-]+ does not take|unknown option) --/);
      }
    });
  }
});

describe('a choice of devices, steps and time', () => {
  const rows = async (...args: readonly string[]): Promise<string[]> =>
    (await printed('dprof', '-q', '--csv', '-c', 'idx,step,start,end', ...args, SAMPLE)).trimEnd().split('\n').slice(1);

  it('is that of the columns', async () => {
    const all = (await rows()).map((line) => line.split(','));
    const where = (test: (step: number, start: number, end: number) => boolean): string[] =>
      all
        .filter(([, step, start, end]) => test(step === 'na' ? -1 : Number(step), Number(start), Number(end)))
        .map((cells) => cells.join(','));
    expect(await rows('--step', '1')).to.deep.equal(where((step) => step === 1));
    const cut = (line: string): string => {
      const [idx, step, start, end] = line.split(',');
      return [idx, step, Math.max(1e6, Number(start)), Math.min(1.2e6, Number(end))].join(',');
    };
    expect(await rows('--from', '1', '--to', '1.2')).to.deep.equal(
      where((_step, start, end) => end > 1e6 && start < 1.2e6).map(cut),
    );
    expect(await rows('--step', '1')).to.have.length.within(1, all.length - 1);
    expect(await rows('--device', '0')).to.have.length(all.length);
  });

  it('counts the part inside of work that crosses an edge, and none that ends or begins there', async () => {
    // In us: 0 to 100, 150 to 300, 400 to 500.
    const kernel = (id: number, start: number, dur: number): string =>
      JSON.stringify({ type: 'kernel', profile: 0, id, start: start * 1e3, dur: dur * 1e3, device: 0, stream: 7, name: 'a' }); // prettier-ignore
    const input = [
      '{"type":"profile","v":1,"profile":0,"format":"kineto","tool":null,"file":"a.json"}',
      ...[kernel(1, 0, 100), kernel(2, 150, 150), kernel(3, 400, 100)],
      '{"type":"end","profile":0,"counts":{"kernel":3},"diagnostics":{}}\n',
    ].join('\n');
    for (const [from, to, span, busy] of [
      ['0.05', '0.2', 150e3, 100e3],
      ['0.1', '0.151', 1e3, 1e3],
      ['0.1', '0.4', 150e3, 150e3],
      ['0.299', '1', 201e3, 101e3],
      ['0.3', '1', 100e3, 100e3],
    ] as const) {
      const { stdout } = await runCli('dprof', ['summary', '-q', '-f', 'jsonl', '--from', from, '--to', to], { input });
      const { devices } = JSON.parse(stdout.split('\n')[0] ?? '') as { readonly devices: readonly object[] };
      expect(devices, `${from} to ${to}`).to.have.length(1);
      expect(devices[0], `${from} to ${to}`).to.include({ span, busy, kernelSum: busy, idle: span - busy });
    }
  });

  it('names what there is where nothing is chosen', async () => {
    for (const command of [[], ['summary'], ['stacks'], ['advise']]) {
      const { code, stderr } = await runCli('dprof', [...command, '--device', '7', SAMPLE]);
      expect(code).to.equal(1);
      expect(stderr).to.match(/: no work on device 7 \(there is device 0\)\n$/);
    }
  });

  it('has the times of dprof steps in dprof summary', async () => {
    const summary = await printed('dprof', 'summary', '-q', '-f', 'csv', '--step', '1', SAMPLE);
    const [head = '', row = ''] = (await printed('dprof', 'steps', '-q', '-f', 'csv', '--step', '1', SAMPLE)).split(
      '\n',
    );
    for (const figure of ['busy', 'idle', 'span']) {
      const value = row.split(',')[head.split(',').indexOf(`${figure}_ns`)];
      expect(summary).to.include(`,${figure},${value},ns`);
    }
  });

  it('and --where choose kernels of stacks and of diff', async () => {
    const conv = (await printed('dprof', '-q', '--csv', '-c', 'sil', '--where', 'op==conv2d', SAMPLE))
      .trim()
      .split('\n');
    const sum = conv.slice(1).reduce((total, ns) => total + Number(ns), 0);
    const stacks = (await printed('dprof', 'stacks', '-q', '--where', 'op==conv2d', SAMPLE)).trim().split('\n');
    expect(stacks.reduce((total, line) => total + Number(line.split(' ').at(-1)), 0)).to.equal(sum);
    const diff = await printed('dprof', 'diff', '-q', '-f', 'jsonl', '--where', 'op==conv2d', SAMPLE, SAMPLE);
    expect(diff).to.include(`"base_count":${conv.length - 1}`);
  });
});

describe('options', () => {
  it('stand before a command, behind it, and behind its files', async () => {
    const usual = await printed('dprof', 'advise', '-q', '--rule', 'job', '--all', SAMPLE);
    for (const args of [
      ['-q', '--rule', 'job', '--all', 'advise', SAMPLE],
      ['--all', 'advise', '--rule', 'job', SAMPLE, '-q'],
      ['advise', SAMPLE, '--rule', 'job', '-q', '--all'],
    ])
      expect(await printed('dprof', ...args), args.join(' ')).to.equal(usual);
    // A value that is the name of a command calls none.
    const { stderr } = await runCli('dprof', ['--top', 'steps', 'summary', SAMPLE]);
    expect(stderr).to.equal("dprof: --top takes a number of at least 1, not 'steps'\n");
  });
});

describe('columns, order and rows of a table', () => {
  const LENET = 'samples/lenet.pt.trace.json.gz';

  it('are chosen by the same options in every command with a table', async () => {
    const linesOf = async (...args: string[]): Promise<string[]> =>
      (await runCli('dprof', args)).stdout.trimEnd().split('\n');
    expect(await linesOf('steps', '-c', 'step,kernels', '--sort', '+span', '--top', '1', LENET)).to.deep.equal([
      'step kernels',
      '4 45',
    ]);
    expect(await linesOf('ranks', '-c', 'rank', '--sort', '-rank', 'samples/job')).to.deep.equal(['rank', '3', '2', '1', '0']); // prettier-ignore
    const sorted = await linesOf('diff', '-c', 'op,base_ns', '--sort', 'base_ns', '--top', '1', LENET, LENET);
    expect(sorted).to.deep.equal(['op base_ns', 'total 118457.5', 'convolution_backward 21094.5']);
    expect(await linesOf('terms', '-c', 'term', '--top', '1')).to.have.length(2);
    expect(await linesOf('advise', '-c', 'rule', '--top', '1', LENET)).to.deep.equal(['rule', 'launch-gaps']);
    expect((await linesOf('stacks', '-f', 'csv', '-c', 'ns', '--sort', 'ns', '--top', '2', LENET)).length).to.equal(3);
  });

  it('name the column that was meant', async () => {
    for (const [command, wrong, meant] of [
      ['steps', 'spna', 'span'],
      ['stacks', 'stakc', 'stack'],
      ['memory', 'byets', 'bytes'],
      ['ranks', 'rnak', 'rank'],
      ['terms', 'mening', 'meaning'],
    ] as const) {
      const { stderr, code } = await runCli('dprof', [
        command,
        '--sort',
        wrong,
        ...(command === 'terms' ? [] : [LENET]),
      ]);
      expect([code, stderr]).to.deep.equal([2, `dprof: unknown column '${wrong}' (did you mean ${meant}?)\n`]);
    }
    // Words that users say for columns.
    for (const [args, wrong, meant] of [
      [['--by'], 'line', 'trace'],
      [['--by'], 'coll', 'collective'],
      [['-c'], 'time', 'sil'],
      [['-c'], 'size', 'bytes'],
      [['--sort'], 'gpu', 'device'],
      [['memory', '-c'], 'size', 'bytes'],
    ] as const) {
      const { stderr, code } = await runCli('dprof', [...args, wrong, LENET]);
      expect([code, stderr]).to.deep.equal([2, `dprof: unknown column '${wrong}' (did you mean ${meant}?)\n`]);
    }
    const { stderr: ofGroups } = await runCli('dprof', ['--by', 'op', '-c', 'time', LENET]);
    expect(ofGroups).to.equal("dprof: 'time' is neither a --by key nor a group aggregate (did you mean total?)\n");
    const { stderr } = await runCli('dprof', ['diff', '-c', 'verdcit', LENET, LENET]);
    expect(stderr).to.equal("dprof: unknown column 'verdcit' (did you mean verdict?)\n");
  });
});
