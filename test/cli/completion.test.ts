/** `dprof completion`: scripts that their shells accept, and what bash completes with one. */
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { COMMANDS } from '../../src/cli/commands.js';
import { bashCompletion } from '../../src/cli/commands/completion/bash.js';
import { completedCommand, type CompletedCommand } from '../../src/cli/commands/completion/completion-words.js';
import { fishCompletion } from '../../src/cli/commands/completion/fish.js';
import { zshCompletion } from '../../src/cli/commands/completion/zsh.js';
import { DPROF } from '../../src/cli/report/report-options.js';
import { DEVICES } from '../../src/prof/roofline/devices.js';
import { runCli } from '../support/run-cli.js';
import { itWithProcess } from '../support/sets.js';

const SHELLS = ['bash', 'zsh', 'fish'];
const own = completedCommand('', '', DPROF);
let commands: readonly CompletedCommand[] = [];

/** Candidates of bash for a command line whose last word is being typed. */
function candidates(...words: readonly string[]): string[] {
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const script = `${bashCompletion(own, commands)}\nCOMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _dprof; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, status } = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8' });
  expect(status).to.equal(0);
  return stdout.split('\n').filter((line) => line !== '');
}

describe('dprof completion', () => {
  before(async () => {
    commands = await Promise.all(
      Object.entries(COMMANDS).map(async ([name, { title, load }]) =>
        completedCommand(name, title, (await load()).tool, name === 'completion' ? SHELLS : []),
      ),
    );
  });

  it('prints the script of a shell, and asks for one', async () => {
    for (const [shell, script] of Object.entries({ bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion })) {
      const { code, stdout } = await runCli('dprof', ['completion', shell]);
      expect({ code, stdout }).to.deep.equal({ code: 0, stdout: script(own, commands) });
    }
    const [none, unknown] = [await runCli('dprof', ['completion']), await runCli('dprof', ['completion', 'fihs'])];
    expect([none.code, none.stderr]).to.deep.equal([
      2,
      'dprof: one SHELL (usage: dprof completion [OPTION...] SHELL)\n',
    ]);
    expect(unknown).to.include({ code: 2, stdout: '' });
    expect(unknown.stderr).to.include("unknown shell 'fihs'");
  });

  itWithProcess('is a script that each shell accepts', () => {
    const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };
    for (const [shell, script] of Object.entries(scripts)) {
      const { error, status, stderr } = spawnSync(shell, ['-n'], { input: script(own, commands), encoding: 'utf8' });
      // A shell that is not installed is not checked.
      if (error === undefined) expect({ shell, status, stderr }).to.deep.equal({ shell, status: 0, stderr: '' });
    }
  });

  itWithProcess('completes commands, options and their values in bash', () => {
    expect(candidates('dprof', 'st')).to.deep.equal(['steps', 'stacks']);
    expect(candidates('dprof', 'diff', '--min')).to.deep.equal(['--min-effect', '--min-samples']);
    expect(candidates('dprof', 'steps', '-f', 'c')).to.deep.equal(['columns', 'csv']);
    expect(candidates('dprof', '--format', '=', 'mark')).to.deep.equal(['markdown']);
    expect(candidates('dprof', '-c', 'idx,op,tf')).to.deep.equal(['idx,op,tflops']);
    expect(candidates('dprof', 'advise', '--rule', 'copies,fus')).to.deep.equal(['copies,fusion']);
    expect(candidates('dprof', 'completion', 'z')).to.deep.equal(['zsh']);
    expect(candidates('dprof', '--device', '')).to.have.length(DEVICES.length);
  });

  itWithProcess('leaves files to the shell', () => {
    expect(candidates('dprof', 'steps', 'net')).to.deep.equal([]);
    expect(candidates('dprof', 'steps', '-o', '')).to.deep.equal([]);
  });
});
