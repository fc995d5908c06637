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
