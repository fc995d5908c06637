import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ended, type Ended } from '../support/ended.js';
import { freshPath } from '../support/fresh-path.js';
import { commandOf } from '../support/run-cli.js';
import { describeWithProcess } from '../support/sets.js';
import { ROOT } from '../support/shared.js';

const PRELOAD = ['--import', pathToFileURL(join(ROOT, 'test/support/failing-io.mjs')).href];
const DATABASE = join(ROOT, 'samples/lenet.nsys.sqlite');
/** One that writes text, and one that writes bytes. */
const COMMANDS = [
  ['dprof', 'terms'],
  ['dparse', '-q', DATABASE],
] as const;
type Called = (typeof COMMANDS)[number];

const argsOf = ([tool, ...args]: Called): string[] => [process.execPath, ...PRELOAD, ...commandOf(tool), ...args];

/** Runs a command as "$@" of a shell, with a fault at one of its calls for files. */
const inShell = (
  script: string,
  called: Called,
  fault = 'none:0:EIO',
  stdout: 'pipe' | 'ignore' = 'pipe',
): Promise<Ended> => {
  const env = { ...process.env, IO_FAULT: fault, IO_FAULT_MARK: freshPath('-mark') };
  return ended(spawn('sh', ['-c', script, 'sh', ...argsOf(called)], { env, stdio: ['ignore', stdout, 'pipe'] }));
};

async function toFile(called: Called, fault?: string): Promise<Ended & { readonly output: string }> {
  const path = freshPath('-out');
  const end = await inShell(`"$@" > '${path}'`, called, fault);
  return { ...end, output: readFileSync(path, 'utf8') };
}

describeWithProcess('standard output that is a file', () => {
  for (const called of COMMANDS) {
    const [tool] = called;
    it(`takes the rest after a short write of ${tool}`, async () => {
      const whole = await inShell('"$@"', called);
      expect(whole.stdout.length).to.be.above(1000);
      expect(await toFile(called)).to.include({ code: 0, stderr: '', output: whole.stdout });
      expect(await toFile(called, 'write:1:short')).to.include({ code: 0, stderr: '', output: whole.stdout });
    });

    it(`fails ${tool} where it takes no more`, async () => {
      const faults = { ENOSPC: 'no space left on the device', EIO: 'input/output error', EFBIG: 'file too large' };
      for (const [code, reason] of Object.entries(faults)) {
        const stderr = `${tool}: stdout: cannot write: ${reason}\n`;
        expect(await toFile(called, `write:1:${code}`)).to.include({ code: 1, stderr });
      }
    });
  }

  it('fails the run where its closing does', async () => {
    const stderr = 'dprof: stdout: cannot write: no space left on the device\n';
    expect(await toFile(COMMANDS[0], 'close:1:ENOSPC')).to.include({ code: 1, stderr });
  });
});

describeWithProcess('standard output that is nothing', () => {
  before(function () {
    // What standard output of another process is shows there alone.
    if (!existsSync('/proc/self/fd')) this.skip();
  });

  it('is a failure where it was closed', async () => {
    for (const called of COMMANDS)
      for (const script of ['"$@" >&-', 'exec >&-; "$@"', 'env "$@" >&-']) {
        const stderr = `${called[0]}: stdout: cannot write: it is closed\n`;
        expect(await inShell(script, called)).to.include({ code: 1, stderr });
      }
  });

  it('is what was asked for where it is /dev/null, however it was opened', async () => {
    const done = { code: 0, stderr: '' };
    const [called] = COMMANDS;
    expect(await inShell('"$@" > /dev/null', called)).to.include(done);
    // From the shell's parent, by the shell and in place of it.
    for (const script of ['"$@"; exit $?', 'exec "$@"'])
      expect(await inShell(script, called, undefined, 'ignore')).to.include(done);
    const [program = '', ...args] = argsOf(called);
    expect(await ended(spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] }))).to.include(done);
  });

  it('does not matter to a run with -o', async () => {
    const path = freshPath('-out');
    expect(await inShell(`"$@" -o '${path}' >&-`, COMMANDS[0])).to.include({ code: 0, stderr: '' });
    expect(existsSync(path)).to.equal(true);
  });
});
