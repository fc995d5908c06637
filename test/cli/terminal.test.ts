/** What a report looks like on a terminal, and that nothing else changes there. */
import { expect } from 'chai';
import { cells } from '../../src/write/cell-text.js';
import { runCli } from '../support/run-cli.js';
import { join } from 'node:path';
import { ROOT } from '../support/shared.js';

const LENET = join(ROOT, 'samples/lenet.pt.trace.json.gz');
const REPORTS: readonly (readonly string[])[] = [
  [],
  ['--by', 'op'],
  ['--by', 'layer'],
  ['--by', 'range'],
  ['-c', 'idx,kernel,params,sil,tc,flops,bytes', '--sort', 'sil', '--top', '5'],
];

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
    const isCommand = (line: string): boolean => /^ {3}(see|kernels): /.test(line);
    const lines = narrow.stdout.split('\n');
    expect(lines.filter((line) => cells(line) > 80 && !isCommand(line))).to.deep.equal([]);
    expect(piped.stdout.split('\n').filter((line) => cells(line) > 80 && !isCommand(line))).not.to.deep.equal([]);
  });
});

/** Profiles of each kind of work, and the commands that print a text or a table of them. */
const SAMPLES = ['lenet.pt.trace.json.gz', 'transformer.nsys.sqlite', 'ascend_pt', 'attention.neuron.json', 'job'];
const COMMANDS: readonly (readonly string[])[] = [
  ['summary'],
  ['steps'],
  ['ranks'],
  ['stacks'],
  ['memory'],
  ['diff'],
  ['diff', '--by', 'op,dir,layer,kernel'],
  ['-f', 'fitted', 'steps'],
  ['advise'],
  ['terms', 'idle'],
  ['stacks', '-c', 'stack,ns', '--sort', 'ns'],
];

/** Lines that go beyond the terminal; a command to copy stays whole. */
const wide = (text: string): string[] =>
  text.split('\n').filter((line) => cells(line) > 80 && !/^ *(next|all|see|kernels): /.test(line));

describe('each command on a terminal', () => {
  for (const args of COMMANDS) {
    it(`has no line of more than 80 columns: dprof ${args.join(' ')}`, async () => {
      for (const sample of SAMPLES) {
        const file = join(ROOT, 'samples', sample);
        const inputs =
          args[0] === 'terms'
            ? []
            : args[0] === 'diff'
              ? [join(ROOT, 'samples', 'decoder.pt.trace.json.gz'), file]
              : [file];
        const { stdout, stderr } = await runCli('dprof', [...args, ...inputs], { terminal: true });
        expect([sample, ...wide(stdout), ...wide(stderr)]).to.deep.equal([sample]);
      }
    });
  }

  it('keeps a command whole, so that it can be copied', async () => {
    const { stdout } = await runCli('dprof', ['summary', '--all', '-w', '70', LENET]);
    const commands = stdout.split('\n').filter((line) => line.startsWith('next: dprof '));
    expect(commands.length).to.be.greaterThan(0);
    expect(commands.filter((line) => !line.endsWith('lenet.pt.trace.json.gz'))).to.deep.equal([]);
  });

  it('has the same width with -w in a pipe', async () => {
    for (const command of ['steps', 'ranks', 'stacks', 'memory', 'summary']) {
      const { stdout } = await runCli('dprof', [command, '-w', '70', LENET]);
      expect(Math.max(0, ...stdout.split('\n').map(cells)), command).to.be.at.most(70);
    }
    const { stderr, code } = await runCli('dprof', ['steps', '-w', '60', '-f', 'csv', LENET]);
    expect(code).to.equal(2);
    expect(stderr).to.equal('dprof: -w cannot be combined with -f csv (-f fitted has a width)\n');
  });
});
