/** Pipes, devices and endless lines where a file was expected, names that are hard to write, and a full temporary folder. */
import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'; // prettier-ignore
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { lineBatches, openStream } from '../../src/prof/input/lines.js';
import { freshPath } from '../support/fresh-path.js';
import { NsightDatabase } from '../support/nsight-database.js';
import { runCli, spawnCli } from '../support/run-cli.js';
import { ROOT } from '../support/shared.js';
import { itWithProcess } from '../support/sets.js';
import { withTemporary } from '../support/temporary-folder.js';

const NAMES = [
  'kernel_details.csv',
  'l2_cache.csv',
  'memory_record.csv',
  'operator_memory.csv',
  'npu_module_mem.csv',
  'communication.json',
  'profiler_info_0.json',
];

function pipeAt(path: string): void {
  rmSync(path, { force: true });
  execFileSync('mkfifo', [path]);
}

describe('a pipe or a device in the place of a file', () => {
  itWithProcess('beside an Ascend trace is passed over and counted', async () => {
    const folder = freshPath('-ascend');
    cpSync(join(ROOT, 'samples/ascend_pt'), folder, { recursive: true });
    const output = join(folder, 'ASCEND_PROFILER_OUTPUT');
    for (const name of NAMES) pipeAt(join(output, name));
    pipeAt(join(output, 'ascend_pytorch_profiler_0.db'));
    for (const input of [folder, join(output, 'trace_view.json')]) {
      const { code, stderr } = await spawnCli('dparse', [input]);
      // Without kernel_details.csv nobody asks for l2_cache.csv.
      expect([code, / \(ignored\): (\d+)/.exec(stderr)?.[1]]).to.deep.equal([0, '6']);
    }
  });

  itWithProcess('beside a database is no log, and no journal that is waited for', async () => {
    const path = new NsightDatabase().launch(1, []).write();
    pipeAt(`${path}-wal`);
    expect(await spawnCli('dparse', ['-q', path])).to.include({ code: 0, stderr: '' });
    pipeAt(`${path}-journal`);
    const { code, stderr } = await spawnCli('dparse', ['-q', path]);
    expect(code).to.equal(1);
    expect(stderr).to.match(/^dparse: [^\n]*unfinished write next to it[^\n]*\n$/);
  });

  itWithProcess('is refused as an input, a program or a file of rates', async function () {
    if (!existsSync('/dev/zero')) return this.skip();
    const sample = join(ROOT, 'samples/attention.ntff');
    const cases: ['dparse' | 'dprof', string[], RegExp][] = [
      ['dparse', ['/dev/zero'], /^dparse: \/dev\/zero: is a device/],
      ['dprof', ['/dev/zero'], /^dprof: \/dev\/zero: does not contain dparse records/],
      ['dprof', ['monitor', '/dev/zero'], /^dprof: \/dev\/zero:1: line is too long \(at most 64 MB\)/],
      ['dparse', ['--neff', '/dev/zero', sample], /^dparse: \/dev\/zero: is not a file/],
      ['dprof', ['--peaks', '/dev/zero', sample], /^dprof: \/dev\/zero: is not a file/],
    ];
    const runs = cases.map(async ([tool, args, answer]) => {
      const { code, stdout, stderr } = await spawnCli(tool, args);
      expect({ code, stdout, lines: stderr.split('\n').length }, args.join(' ')).to.deep.equal({ code: 1, stdout: '', lines: 2 }); // prettier-ignore
      expect(stderr).to.match(answer);
    });
    await Promise.all(runs);
  });
});

it('a line without end is refused before it is all read', async () => {
  let given = 0;
  const endless = new Readable({
    read() {
      given++;
      this.push(Buffer.alloc(1024 * 1024, 'x'));
    },
  });
  const input = await openStream(endless, 'lines');
  const read = async (): Promise<void> => {
    for await (const batch of lineBatches(input)) expect(batch.lines).to.deep.equal([]);
  };
  await read().then(
    () => expect.fail('no error'),
    (error: unknown) => expect(error).to.have.property('line', 'lines:1: line is too long (at most 64 MB)'),
  );
  input.close();
  expect(given).to.be.at.most(70);
});

describe('names', () => {
  const input = (): string => new NsightDatabase().launch(1, []).write();
  const folder = (): string => {
    const made = freshPath('-names');
    mkdirSync(made);
    return made;
  };

  it('that are empty are a usage error', async () => {
    const cases: ['dparse' | 'dprof', string[]][] = [
      ['dparse', ['']],
      ['dprof', ['']],
      ['dprof', ['diff', '', 'x']],
      ['dparse', ['-o', '', input()]],
      ['dprof', ['-o', '', input()]],
    ];
    for (const [tool, args] of cases) {
      const { code, stdout, stderr } = await runCli(tool, args);
      expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' });
      expect(stderr).to.match(/^d\w+: (?:'' is not a file name|-o needs a file name)[^\n]*\n$/);
    }
  });

  it('of outputs may be as long as the system allows', async () => {
    const place = folder();
    const output = join(place, 'x'.repeat(255));
    expect(await runCli('dparse', ['-q', '-o', output, input()])).to.include({ code: 0, stderr: '' });
    expect(readdirSync(place)).to.deep.equal(['x'.repeat(255)]);
    const { code, stderr } = await runCli('dparse', ['-q', '-o', `${output}x`, input()]);
    expect([code, stderr]).to.deep.equal([1, `dparse: ${output}x: cannot write: file name too long\n`]);
  });

  it('of links to nothing make the file where they lead', async () => {
    const place = folder();
    symlinkSync('gone', join(place, 'link'));
    symlinkSync('nowhere/gone', join(place, 'lost'));
    expect(await runCli('dparse', ['-q', '-o', join(place, 'link'), input()])).to.include({ code: 0, stderr: '' });
    expect(lstatSync(join(place, 'link')).isSymbolicLink()).to.equal(true);
    expect(readFileSync(join(place, 'gone'), 'utf8')).to.match(/^\{"type":"profile"/);
    const { code, stderr } = await runCli('dparse', ['-q', '-o', join(place, 'lost'), input()]);
    expect([code, stderr]).to.deep.equal([
      1,
      `dparse: ${join(place, 'lost')}: cannot write: no such file or directory\n`,
    ]);
    expect(readdirSync(place).sort()).to.deep.equal(['gone', 'link', 'lost']);
  });
});

describe('compressed inputs', () => {
  const packed = (): Buffer => gzipSync(readFileSync(new NsightDatabase().launch(1, []).write()));

  it('are unpacked one at a time', async () => {
    const [folder, temporary] = [freshPath('-packed'), freshPath('-temporary')];
    for (const made of [folder, temporary]) mkdirSync(made);
    const database = readFileSync(new NsightDatabase().launch(1, []).write());
    // Small ones are unpacked and read within one turn of the event loop, in which nobody watches.
    const large = gzipSync(Buffer.concat([database, randomBytes(1_200_000)]), { level: 1 });
    for (let i = 0; i < 30; i++) writeFileSync(join(folder, `${i}.sqlite.gz`), i % 3 === 0 ? large : packed());
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, readdirSync(temporary).length)), 0);
    const ran = await withTemporary(temporary, () => runCli('dparse', ['-q', folder]));
    clearInterval(watch);
    expect(ran).to.include({ code: 0, stderr: '' });
    expect(ran.stdout.match(/"type":"profile"/g)).to.have.length(30);
    expect(most).to.equal(1);
    expect(readdirSync(temporary)).to.deep.equal([]);
  });

  it('name the temporary folder and TMPDIR where it takes no file, and leave the others', async () => {
    const folder = freshPath('-packed');
    mkdirSync(folder);
    writeFileSync(join(folder, 'a.sqlite.gz'), packed());
    const ran = await withTemporary(join(folder, 'none'), () => runCli('dparse', ['-q', folder]));
    expect(ran).to.include({ code: 1, stdout: '' });
    expect(ran.stderr).to.match(/^dparse: [^\n]*a\.sqlite\.gz: the temporary folder [^\n]*none cannot hold a file: no such file or directory \(set TMPDIR to another folder\)\n$/); // prettier-ignore
  });

  it('and databases with a write-ahead log name the temporary folder alike', async () => {
    const path = new NsightDatabase().launch(1, []).write();
    writeFileSync(`${path}-wal`, '');
    const ran = await withTemporary(freshPath('-none'), () => runCli('dparse', ['-q', path]));
    expect(ran).to.include({ code: 1, stdout: '' });
    expect(ran.stderr).to.match(/^dparse: [^\n]*: the temporary folder [^\n]*-none cannot hold a file: no such file or directory \(set TMPDIR to another folder\)\n$/); // prettier-ignore
  });

  it('of several members are read whole; bytes that are none are one line', async () => {
    const bytes = readFileSync(new NsightDatabase().launch(1, []).write());
    const path = freshPath('.sqlite.gz');
    const members = Buffer.concat([gzipSync(bytes.subarray(0, 999)), gzipSync(bytes.subarray(999)), Buffer.alloc(512)]);
    writeFileSync(path, members);
    expect(await runCli('dparse', ['-q', path])).to.include({ code: 0, stderr: '' });
    writeFileSync(path, Buffer.concat([gzipSync(bytes), Buffer.from('garbage')]));
    for (const tool of ['dparse', 'dprof'] as const) {
      const { code, stdout, stderr } = await runCli(tool, ['-q', path]);
      expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
      expect(stderr).to.match(
        /^[^\n]*\.gz: (?:gzip is damaged|compressed data is damaged)[^\n]*\(copy [^\n]*again\)\n$/,
      );
    }
  });
});
