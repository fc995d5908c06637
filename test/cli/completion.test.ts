/** `dprof completion`: scripts that their shells accept, and the words that dprof answers them with. */
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { DEVICES } from '../../src/prof/roofline/devices.js';
import { commandOf, runCli, type ToolName } from '../support/run-cli.js';
import { itWithProcess } from '../support/sets.js';

const scriptOf = async (shell: string): Promise<string> => (await runCli('dprof', ['completion', shell])).stdout;

/** Words that dprof gives for a line whose last word is being typed. */
const words = (...line: readonly string[]): Promise<string[]> => wordsOf('dprof', line);

async function wordsOf(program: ToolName, line: readonly string[]): Promise<string[]> {
  const { code, stdout, stderr } = await runCli(program, ['--get-yargs-completions', program, ...line], {
    env: { SHELL: '/bin/bash', ZSH_NAME: '' },
  });
  expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
  return stdout.split('\n').filter((word) => word !== '');
}

describe('dprof completion', () => {
  it('prints the script of a shell, and asks for one', async () => {
    for (const [shell, sign] of [
      ['bash', 'complete -o bashdefault'],
      ['zsh', '#compdef dprof'],
      ['fish', 'complete -f -c dprof'],
    ] as const) {
      const { code, stdout } = await runCli('dprof', ['completion', shell]);
      expect(code).to.equal(0);
      expect(stdout).to.include(sign).and.include(`dprof completion ${shell} >`);
    }
    const [none, unknown] = [await runCli('dprof', ['completion']), await runCli('dprof', ['completion', 'fihs'])];
    expect([none.code, none.stderr]).to.deep.equal([
      2,
      'dprof: completion takes one SHELL (usage: dprof completion [OPTION...] SHELL)\n',
    ]);
    expect(unknown).to.include({ code: 2, stdout: '' });
    expect(unknown.stderr).to.include("unknown shell 'fihs'");
  });

  itWithProcess('is a script that each shell accepts', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { error, status, stderr } = spawnSync(shell, ['-n'], { input: await scriptOf(shell), encoding: 'utf8' });
      // A shell that is not installed is not checked.
      if (error === undefined) expect({ shell, status, stderr }).to.deep.equal({ shell, status: 0, stderr: '' });
    }
  });

  itWithProcess('completes what is typed in bash', async () => {
    const called = [process.execPath, ...commandOf('dprof')].map((word) => `'${word}'`).join(' ');
    const line = `COMP_WORDS=(dprof diff --min); COMP_CWORD=2; _dprof_yargs_completions; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const script = `dprof() { ${called} "$@"; }\n${await scriptOf('bash')}\n${line}`;
    const { stdout, status } = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8' });
    expect({ stdout, status }).to.deep.equal({ stdout: '--min-effect\n--min-samples\n', status: 0 });
  });

  it('answers with commands, options and their values', async () => {
    expect(await words('st')).to.include.members(['steps', 'stacks']);
    expect(await words('diff', '--'))
      .to.include.members(['--min-effect', '--as-is', '--format'])
      .and.not.include('--f');
    expect(await words('--no')).to.include('--no-header');
    expect(await words('steps', '-f', 'c')).to.deep.equal(['columns', 'csv']);
    expect(await words('--format', 'mark')).to.deep.equal(['markdown']);
    expect(await words('-c', 'idx,op,tf')).to.deep.equal(['idx,op,tflops']);
    expect(await words('advise', '--rule', 'copies,fus')).to.deep.equal(['copies,fusion']);
    expect(await words('completion', 'z')).to.deep.equal(['zsh']);
    expect(await words('--peaks', '')).to.have.length(DEVICES.length);
  });

  it('answers behind options and files', async () => {
    expect(await words('-q', 'st')).to.include.members(['steps', 'stacks']);
    expect(await words('--top', '5', 'diff', '--')).to.include('--min-effect');
    expect(await words('-q', 'steps', 'net.json', '-f', 'c')).to.deep.equal(['columns', 'csv']);
    expect(await words('help', 'su')).to.deep.equal(['summary']);
  });

  it('answers for dparse, which prints a script likewise', async () => {
    const { code, stdout } = await runCli('dparse', ['completion', 'bash']);
    expect(code).to.equal(0);
    expect(stdout).to.include('complete -o bashdefault').and.include('dparse --get-yargs-completions');
    expect((await runCli('dparse', ['completion'])).stderr).to.equal(
      'dparse: completion takes one SHELL (usage: dparse completion [OPTION...] SHELL)\n',
    );
    expect(await wordsOf('dparse', ['-q', 'net.json', '--'])).to.include.members(['--ncu', '--ranges']);
    expect(await wordsOf('dparse', ['-f', 'p'])).to.deep.equal(['pyprof', 'parquet']);
    expect(await wordsOf('dparse', ['--ncu', ''])).to.deep.equal([]);
  });

  it('leaves files to the shell', async () => {
    expect(await words('steps', 'net')).to.deep.equal([]);
    expect(await words('steps', '-o', '')).to.deep.equal([]);
    expect(await words('steps', '--output', 'ne')).to.deep.equal([]);
  });
});
