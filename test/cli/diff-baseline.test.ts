import { expect } from 'chai';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kernel } from '../support/kernels.js';
import { neuronLines, neuronProfile } from '../support/neuron.js';
import { runCli, type Ran } from '../support/run-cli.js';

/** Eight steps of two ops; `linear` takes `more` of its time. */
const training = (more: number): string =>
  neuronLines([
    neuronProfile({ format: 'kineto', file: 'net.json' }),
    ...Array.from({ length: 8 }, (_, step) => [
      kernel({ step, op: ['conv2d'], layer: ['net', 'a'], dur: 10_000 + 7 * step }),
      kernel({ step, op: ['linear'], layer: ['net', 'b'], dur: Math.round(more * (4000 + 3 * step)) }),
    ]).flat(),
  ]);

describe('a baseline', () => {
  let folder = '';
  const at = (name: string): string => join(folder, name);
  const run = (...args: readonly string[]): Promise<Ran> => runCli('dprof', ['diff', ...args]);
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'dprof-baseline-'));
    writeFileSync(at('old.jsonl'), training(1));
    writeFileSync(at('slow.jsonl'), training(1.1));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('is a file in the folder that is given, and is compared as the profile itself', async () => {
    expect(await run('--save-baseline', at('new/main'), at('old.jsonl'))).to.include({
      stdout: '',
      stderr: '',
      code: 0,
    });
    expect(readdirSync(at('new'))).to.deep.equal(['main.part']);
    expect(readdirSync(folder).sort()).to.deep.equal(['new', 'old.jsonl', 'slow.jsonl']);
    for (const form of [
      ['-f', 'csv'],
      ['-f', 'csv', '--by', 'kernel,dir'],
      ['-f', 'junit', '--fail-if', 'op:linear>+9%'],
    ]) {
      const ofProfile = await run(...form, at('old.jsonl'), at('slow.jsonl'));
      const ofBaseline = await run(...form, '--baseline', at('new/main'), at('slow.jsonl'));
      expect({ ...ofBaseline, stdout: ofBaseline.stdout.replace('main.part', 'old.jsonl') }).to.deep.equal(ofProfile);
    }
  });

  it('gates a build by exit code, also when it is missing', async () => {
    await run('--save-baseline', at('main'), at('old.jsonl'));
    const gate = (name: string, file: string): Promise<Ran> =>
      run('-q', '--fail-if', 'any=slower', '--baseline', at(name), at(file));
    expect((await gate('main', 'old.jsonl')).code).to.equal(0);
    expect((await gate('main.part', 'slow.jsonl')).code).to.equal(1);
    expect((await gate('mian', 'old.jsonl')).code).to.equal(3);
  });

  it('has the columns of --by, and those of the tree', async () => {
    await run('--save-baseline', at('more'), '--by', 'stream', at('old.jsonl'));
    const { stdout } = await run('--by', 'stream', '-f', 'csv', '--baseline', at('more'), at('slow.jsonl'));
    expect(stdout.split('\n')[2]).to.match(/^key,7,slower,/);
    const tree = await run(
      '--by',
      'tree',
      '-f',
      'csv',
      '-c',
      'name,change_ns',
      '--baseline',
      at('more'),
      at('slow.jsonl'),
    );
    // 4400, 4403, 4407, 4410, 4413, 4417, 4420 and 4423 ns, less 8 · 4010.5 ns: 3209 ns in 8 steps.
    expect(tree.stdout).to.match(/^name,change_ns\ntotal,401.125\nnet,401.125\nb:linear,401.125\na:conv2d,0\n$/);
  });

  it('refuses options of a comparison, and a profile in place of the folder', async () => {
    const refused = await run('--save-baseline', at('x'), '--fail-if', 'total>1%', at('old.jsonl'));
    expect(refused).to.deep.include({ code: 2 });
    expect(refused.stderr).to.match(/--fail-if cannot be combined with --save-baseline/);
    expect(existsSync(at('x.part'))).to.equal(false);
    expect((await run('--save-baseline', at('old.jsonl/x'), at('old.jsonl'))).code).to.equal(1);
    expect(statSync(at('old.jsonl')).isFile()).to.equal(true);
    expect((await run('--baseline', at('main'), at('old.jsonl'), at('slow.jsonl'))).stderr).to.match(
      /takes two inputs/,
    );
  });

  it('ignores no option, so that the baseline of a part is never that of the whole profile', async () => {
    for (const option of [
      ['--rank', '1'],
      ['--stream', '7'],
      ['--range', 'x'],
      ['--from', '1'],
      ['--to', '1'],
      ['--where', 'op==linear'],
      ['--min-effect', '3%'],
      ['--as-is'],
      ['--width', '80'],
    ]) {
      const refused = await run('--save-baseline', at('part'), ...option, at('old.jsonl'));
      expect(refused.code, refused.stderr).to.equal(2);
      expect(refused.stderr).to.contain(`${option[0]} cannot be combined with --save-baseline`);
    }
    expect(existsSync(at('part.part'))).to.equal(false);
  });

  it('replaces a baseline, but neither another file nor without a name', async () => {
    writeFileSync(at('mine.part'), 'half a download\n');
    const refused = await run('--save-baseline', at('mine'), at('old.jsonl'));
    expect(refused).to.deep.include({ code: 1 });
    expect(readFileSync(at('mine.part'), 'utf8')).to.equal('half a download\n');
    expect((await run('--save-baseline', at('again'), at('old.jsonl'))).code).to.equal(0);
    const before = readFileSync(at('again.part'), 'utf8');
    expect((await run('--save-baseline', at('again'), at('slow.jsonl'))).code).to.equal(0);
    expect(readFileSync(at('again.part'), 'utf8')).to.not.equal(before);
    for (const name of ['', at('none/'), at('none/.part')])
      expect((await run('--save-baseline', name, at('old.jsonl'))).code, name).to.equal(2);
    for (const option of ['--baseline', '--save-baseline'])
      expect((await run(option, '', at('old.jsonl'))).stderr).to.match(
        new RegExp(`^dprof: ${option} needs a name .*\n$`),
      );
    const missing = await run('--save-baseline', at('none/x'), at('missing.jsonl'));
    expect(missing).to.include({ code: 1, stderr: `dprof: ${at('missing.jsonl')}: no such file\n` });
    expect(existsSync(at('none'))).to.equal(false);
  });
});
