/** What a report looks like on a terminal, and that nothing else changes there. */
import { expect } from 'chai';
import { cells } from '../../src/table/shortened-texts.js';
import { screenText } from '../../src/cli/screens/layout.js';
import { runCli } from '../support/run-cli.js';
import { mkdirSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { COMMANDS } from '../../src/cli/commands.js';
import { freshPath } from '../support/fresh-path.js';
import { ROOT } from '../support/shared.js';

/** The samples under a path that is longer than a terminal is wide, so that no line fits only where a clone's path is short. */
const FOLDER = join(freshPath('long'), 'a-folder-whose-name-is-about-as-long-as-a-terminal-of-eighty-columns-is-wide');
mkdirSync(FOLDER, { recursive: true });
symlinkSync(join(ROOT, 'samples'), join(FOLDER, 'samples'));

const LENET = join(FOLDER, 'samples/lenet.pt.trace.json.gz');
const REPORTS: readonly (readonly string[])[] = [
  [],
  ['--by', 'op'],
  ['--by', 'layer'],
  ['--by', 'range'],
  ['-c', 'idx,kernel,params,sil,tc,flops,bytes', '--sort', 'sil', '--top', '5'],
];

const DECODER = join(FOLDER, 'samples/decoder.pt.trace.json.gz');
const RANKS = [0, 1, 2, 3].map((rank) => join(FOLDER, `samples/job/rank_${rank}.pt.trace.json.gz`));
const MONITOR = join(FOLDER, 'samples/neuron-monitor.jsonl');

/** Runs of each command; null for commands that print data or a script. */
const CALLS: Readonly<Record<keyof typeof COMMANDS, readonly (readonly string[])[] | null>> = {
  summary: [['--all', join(FOLDER, 'samples/transformer.nsys.sqlite')], RANKS, ['--vendor-metrics', join(FOLDER, 'samples/attention.ntff')]], // prettier-ignore
  terms: [[], ['mfu']],
  monitor: [[MONITOR], ['--stats', MONITOR], ['--columns'], ['--metrics']],
  steps: [[LENET], [DECODER]],
  'critical-path': [[LENET], ['--step', '3', LENET], ['-c', 'bound,name,time,share', DECODER]],
  ranks: [RANKS, ['-t', 'collectives', ...RANKS], ['--columns']],
  stacks: [[LENET], ['--host', DECODER], ['-c', 'stack,ns', '--sort', 'ns', LENET]],
  sequences: [[LENET], ['-k', '3', '--by', 'op', DECODER]],
  overlap: [[LENET], ['--by', 'category', LENET]],
  queues: [[LENET], ['--points', '5', LENET]],
  memory: [[join(FOLDER, 'samples/ascend_pt')], [LENET]],
  diff: [
    [LENET, LENET],
    ['--by', 'kernel', LENET, DECODER],
    ['--by', 'op,dir,layer,kernel', LENET, DECODER],
  ],
  advise: [['--all', LENET], RANKS],
  check: [[join(FOLDER, 'samples/transformer.nsys.sqlite')], ['--fail-if', 'bad', LENET]],
  repro: null,
  html: [['--no-such-option', LENET]],
  perfetto: null,
  sql: [['--schema']],
  partial: null,
  merge: null,
  job: null,
  mcp: null,
  completion: null,
};

/** A line with a command to copy, or with a path alone, stays whole. */
const staysWhole = (line: string): boolean => /^(?:# )? *(?:(?:next|all|see|kernels): |\S*\/\S+$)/.test(line);

describe('a terminal of 80 columns', () => {
  it('is known for every command', () => {
    expect(Object.keys(CALLS).sort()).to.deep.equal(Object.keys(COMMANDS).sort());
  });

  for (const [name, calls] of [...Object.entries(CALLS), ['', [['--columns'], ['--devices']]] as const])
    for (const args of calls ?? [])
      it(`has room for each line: dprof ${name} ${args.map((word) => basename(word)).join(' ')}`, async () => {
        const ran = await runCli('dprof', [...(name === '' ? [] : [name]), ...args], { terminal: true });
        // eslint-disable-next-line no-control-regex -- the progress line, which is overwritten
        const messages = ran.stderr.replace(/\r.*?\u001b\[K/g, '');
        expect(ran.stdout + messages).to.not.equal('');
        for (const line of `${ran.stdout}\n${messages}`.split('\n'))
          if (!staysWhole(line)) expect(cells(line), line).to.be.at.most(80);
      });
});

describe('a report on a terminal', () => {
  for (const args of REPORTS) {
    it(`fits 80 columns: dprof ${args.join(' ')}`, async () => {
      const { stdout, code } = await runCli('dprof', [...args, LENET], { terminal: true });
      expect(code).to.equal(0);
      const lines = stdout.trimEnd().split('\n');
      expect(lines.length).to.be.greaterThan(3);
      for (const line of lines) if (!line.startsWith('#')) expect(cells(line), line).to.be.at.most(80);
    });
  }

  it('has units for people; the format that is asked for is as in a pipe', async () => {
    const { stdout } = await runCli('dprof', ['--by', 'op', '--top', '1', LENET], { terminal: true });
    expect(stdout.split('\n')[1]).to.match(/^convolution_backward +16 +55\.98 us +23\.6 /);
    const asked = ['-f', 'space', '--by', 'op', LENET];
    const [onTerminal, inPipe] = [await runCli('dprof', asked, { terminal: true }), await runCli('dprof', asked)];
    expect(onTerminal.stdout).to.equal(inPipe.stdout);
    const { stdout: wide } = await runCli('dprof', ['-f', 'fitted', '-w', '120', '--by', 'op', LENET]);
    expect(Math.max(...wide.split('\n').map(cells))).to.be.within(81, 120);
  });

  it('wraps the texts of findings, and leaves commands whole', async () => {
    const [narrow, piped] = [await runCli('dprof', ['advise', LENET], { terminal: true }), await runCli('dprof', ['advise', LENET])]; // prettier-ignore
    const words = (text: string): string[] => text.split(/\s+(?:# )?/);
    expect(words(narrow.stdout)).to.deep.equal(words(piped.stdout));
    const lines = narrow.stdout.split('\n');
    expect(lines.filter((line) => cells(line) > 80 && !staysWhole(line))).to.deep.equal([]);
    expect(piped.stdout.split('\n').filter((line) => cells(line) > 80 && !staysWhole(line))).not.to.deep.equal([]);
  });
});

describe('the width of a command', () => {
  it('continues comments and headings as comments', () => {
    expect(screenText(['# one two three'], undefined, 9)).to.equal('# one two\n# three\n');
    expect(screenText(['## one two three'], undefined, 10)).to.equal('## one two\n# three\n');
  });

  it('keeps a command whole, so that it can be copied', async () => {
    const { stdout } = await runCli('dprof', ['summary', '--all', '-w', '70', LENET]);
    const commands = stdout.split('\n').filter((line) => line.startsWith('next: dprof '));
    expect(commands.length).to.be.greaterThan(0);
    expect(commands.filter((line) => !line.endsWith('lenet.pt.trace.json.gz'))).to.deep.equal([]);
  });

  it('gives reports of the monitor units that people read', async () => {
    const { stdout } = await runCli('dprof', ['monitor', '-q', '-w', '100', MONITOR]);
    const lines = stdout.split('\n');
    expect(lines[0]).to.match(/ FLOP\/s +DevMem +HostMem$/);
    expect(lines[1]).to.match(/ 87\.3 +61\.20 TFLOP\/s +4\.052 GB +na$/);
  });

  it('has the same width with -w in a pipe', async () => {
    for (const command of ['steps', 'ranks', 'stacks', 'memory', 'summary']) {
      const { stdout } = await runCli('dprof', [command, '-w', '70', LENET]);
      const lines = stdout.split('\n').filter((line) => !staysWhole(line));
      expect(Math.max(0, ...lines.map(cells)), command).to.be.at.most(70);
    }
    const { stderr, code } = await runCli('dprof', ['steps', '-w', '60', '-f', 'csv', LENET]);
    expect(code).to.equal(2);
    expect(stderr).to.equal('dprof: -w cannot be combined with -f csv (-f fitted has a width)\n');
  });
});
