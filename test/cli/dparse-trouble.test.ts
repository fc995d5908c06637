import Database from 'better-sqlite3';
import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'; // prettier-ignore
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { NsightDatabase } from '../support/nsight-database.js';
import { awaited } from '../support/waits.js';
import { freshPath } from '../support/fresh-path.js';
import { ended } from '../support/ended.js';
import { commandOf, expectFailure, runCli, type Ran } from '../support/run-cli.js';
import { describeWithProcess } from '../support/sets.js';

const dparse = (...args: string[]): Promise<Ran> => runCli('dparse', args);

const good = (): string => new NsightDatabase().launch(1, ['a'.repeat(30_000)]).write();

const file = (content: string | Buffer): string => {
  const path = freshPath('.profile');
  writeFileSync(path, content);
  return path;
};

describe('dparse: inputs that cannot be read', () => {
  const cases: [what: string, make: () => string, answer: RegExp][] = [
    ['missing', () => freshPath('.missing'), /no such file or directory/],
    ['an empty file', () => file(''), /empty/],
    ['text', () => file('hello\n'), /is text/],
    ['a raw Nsight Systems report', () => file('NVIDIA Tegra Profiler Report 2026@1\0'), /nsys export --type sqlite/],
    ['XML of the Visual Profiler', () => file('<?xml version="1.0"?>'), /nvprof -o FILE/],
    ['JSON that is not a trace', () => file('{"events": []}'), /JSON without "traceEvents"/],
    [
      'a folder without files',
      () => {
        const folder = freshPath('-empty');
        mkdirSync(folder);
        return folder;
      },
      /folder is empty/,
    ],
    [
      'a folder without profiles',
      () => {
        const folder = freshPath('-texts');
        mkdirSync(folder);
        writeFileSync(join(folder, 'a.txt'), 'hello');
        return folder;
      },
      /no profile in 1 file/,
    ],
    ['a glob that matches nothing', () => join(freshPath('-none'), '*.sqlite'), /no file matches/],
    [
      'a database of something else',
      () => {
        const path = freshPath();
        new Database(path).exec('CREATE TABLE cookies (x)').close();
        return path;
      },
      /an unknown profiler, with tables cookies/,
    ],
    [
      'a database cut in half',
      () => {
        const path = good();
        truncateSync(path, Math.floor(readFileSync(path).length / 2));
        return path;
      },
      /truncated.*copy or export it again/,
    ],
  ];
  for (const [what, make, answer] of cases) {
    it(`${what}: exit 1 and one line`, async () => {
      const path = make();
      expectFailure(await dparse(path), path, answer);
    });
  }

  it('locked by another program: exit 1 and one line', async () => {
    const path = good();
    const db = new Database(path);
    db.exec('BEGIN EXCLUSIVE');
    const ran = await dparse(path);
    db.exec('ROLLBACK');
    db.close();
    expectFailure(ran, path, /locked/);
  });

  it('not readable: exit 1 and one line', async function () {
    const path = good();
    chmodSync(path, 0);
    try {
      readFileSync(path);
      // The superuser reads everything.
      return this.skip();
    } catch {
      expectFailure(await dparse(path), path, /permission|EACCES/);
    }
  });

  it('an empty stdin: exit 1 and one line', async () => {
    expectFailure(await runCli('dparse', ['-'], { input: '' }), '-', /empty/);
  });

  it('damaged in the middle: exit 1 and one line, and no output file', async () => {
    const db = new NsightDatabase();
    for (let n = 1; n < 3000; n++) db.launch(n, ['layer:a']);
    const path = db.write();
    const bytes = readFileSync(path);
    bytes.fill(0xff, 4096 * 20, 4096 * 24);
    writeFileSync(path, bytes);
    const output = freshPath('.dict');
    expectFailure(await dparse('-o', output, path), path, /damaged|cannot be read/);
    expect(existsSync(output)).to.equal(false);
  });
});

describe('dparse: outputs that cannot be written', () => {
  it('in a folder that is not there', async () => {
    const output = join(freshPath('-none'), 'net.dict');
    expectFailure(await dparse('-q', '-o', output, good()), output, /no such file or directory/);
  });

  it('a folder', async () => {
    const path = good();
    expectFailure(await dparse('-q', '-o', dirname(path), path), dirname(path), /is a directory/);
  });

  it('the input, also by another name', async () => {
    const path = good();
    const before = readFileSync(path);
    const other = join(dirname(path), '.', path.slice(dirname(path).length + 1));
    for (const output of [path, other]) expectFailure(await dparse('-q', '-o', output, path), output, /is the input/);
    expect(readFileSync(path).equals(before)).to.equal(true);
  });

  it('the input, compressed, in a folder, or not readable at all', async () => {
    const folder = freshPath('-inputs');
    mkdirSync(folder);
    const packed = join(folder, 'net.sqlite.gz');
    const broken = join(folder, 'broken.json');
    const contents: [path: string, bytes: Buffer][] = [
      [packed, gzipSync(readFileSync(good()))],
      [broken, Buffer.from('{"a": 1}')],
    ];
    for (const [path, bytes] of contents) writeFileSync(path, bytes);
    expectFailure(await dparse('-q', '-o', packed, packed), packed, /is the input/);
    expectFailure(await dparse('-q', '-o', packed, folder), packed, /is a file of the input/);
    const second = await dparse('-q', '-o', broken, broken, packed);
    expect(second).to.include({ code: 1, stdout: '' });
    expect(second.stderr).to.match(/broken\.json: is the input/);
    for (const [path, bytes] of contents) expect(readFileSync(path).equals(bytes)).to.equal(true);
  });

  it('a full disk', async function () {
    if (!existsSync('/dev/full')) return this.skip();
    expectFailure(await dparse('-q', '-o', '/dev/full', good()), '/dev/full', /no space left/);
  });
});

/** Runs dparse in a shell, as `$@`. */
function shell(script: string, ...args: string[]): Promise<Ran> {
  return ended(spawn('sh', ['-c', script, 'sh', process.execPath, ...commandOf('dparse'), ...args]));
}

describeWithProcess('dparse: outputs that end early', () => {
  const many = (): string => {
    const db = new NsightDatabase();
    for (let n = 1; n < 6000; n++) db.launch(n, ['layer:a']);
    return db.write();
  };

  it('head ends it quietly, with exit 0', async () => {
    const { stdout, stderr, code } = await shell('{ "$@"; echo "exit $?" >&2; } | head -1', '-q', many());
    expect(stdout).to.match(/^\{"type":"profile"[^\n]*\n$/);
    expect(stderr).to.equal('exit 0\n');
    expect(code).to.equal(0);
  });

  it('a full disk behind stdout is a failure', async function () {
    if (!existsSync('/dev/full')) return this.skip();
    const { code, stderr } = await shell('"$@" > /dev/full', '-q', many());
    expect(stderr).to.match(/^dparse: stdout: [^\n]*no space left[^\n]*\n$/);
    expect(code).to.equal(1);
  });

  it('Ctrl-C leaves nothing behind', async () => {
    const folder = freshPath('-output');
    mkdirSync(folder);
    const path = join(folder, 'in.sqlite');
    copyFileSync(many(), path);
    const child = spawn(process.execPath, [...commandOf('dparse'), '-q', '-o', join(folder, 'net.dict'), ...Array<string>(200).fill(path)]); // prettier-ignore
    const end = ended(child);
    await awaited('the output', () => (readdirSync(folder).length > 1 || child.exitCode !== null ? true : undefined));
    child.kill('SIGINT');
    expect(await end).to.include({ signal: 'SIGINT' });
    // What it leaves is removed from outside, after its end.
    await awaited('an empty folder', () => (readdirSync(folder).length > 1 ? undefined : true));
    expect(readdirSync(folder)).to.deep.equal(['in.sqlite']);
  });
});
