import Database from 'better-sqlite3';
import { expect } from 'chai';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readProfile } from '../../../src/parse/profile.js';
import { freshPath } from '../../support/fresh-path.js';
import { ofType } from '../../support/kineto.js';
import { NsightDatabase } from '../../support/nsight-database.js';
import { kernelsOf, recordsOf } from '../../support/profile-records.js';
import { itWithProcess } from '../../support/sets.js';
import { commandOf } from '../../support/run-cli.js';
import { awaited } from '../../support/waits.js';

const profile = (): NsightDatabase => new NsightDatabase().launch(1, ['first']).launch(2, ['second']);

/** An empty folder, and the profile in it. */
function place(): string {
  const folder = freshPath('-folder');
  mkdirSync(folder);
  return profile().write({}, join(folder, 'net.sqlite'));
}

function inWalMode(path: string): string {
  const db = new Database(path);
  db.pragma('journal_mode = WAL');
  db.close();
  return path;
}

/** A database whose log deletes its first kernel, as a program that was killed leaves it. */
function withFilledLog(): string {
  const original = inWalMode(place());
  const copy = join(dirname(place()), 'killed.sqlite');
  const db = new Database(original);
  db.pragma('wal_autocheckpoint = 0');
  db.exec('DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE correlationId = 1');
  for (const side of ['', '-wal']) copyFileSync(original + side, copy + side);
  db.close();
  return copy;
}

/** Names, contents and times of the files in a folder. */
const stateOf = (folder: string): unknown =>
  readdirSync(folder).map((name) => {
    const path = join(folder, name);
    return [name, readFileSync(path).toString('base64'), statSync(path).mtimeMs];
  });

/** A module to load before the program, which gets a signal when it has made the copy of a log and begins to fill it. */
const INTERRUPTS_COPY = `data:text/javascript,${encodeURIComponent(`
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  const { openSync } = fs;
  fs.openSync = (path, flags, ...more) => {
    const file = openSync(path, flags, ...more);
    if (String(path).endsWith('-wal') && flags !== 'r') process.kill(process.pid, 'SIGINT');
    return file;
  };
  syncBuiltinESMExports();
`)}`;

describe('SqliteFile: a database with a write-ahead log', () => {
  const temporary = freshPath('-temporary');
  const { TMPDIR } = process.env;
  before(() => {
    mkdirSync(temporary);
    process.env['TMPDIR'] = temporary;
  });
  after(() => {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  });

  const withSide = (path: string, content: string): string => {
    writeFileSync(`${path}-wal`, content);
    return path;
  };
  const linked = (path: string): string => {
    const folder = freshPath('-folder');
    mkdirSync(folder);
    const link = join(folder, 'net.sqlite');
    symlinkSync(path, link);
    return link;
  };
  const CASES: readonly (readonly [what: string, make: () => string, kernels: readonly number[]])[] = [
    ['without a log', () => inWalMode(place()), [1, 2]],
    ['with an empty log', () => withSide(inWalMode(place()), ''), [1, 2]],
    ['with a filled log', withFilledLog, [2]],
    ['with a log of garbage', () => withSide(inWalMode(place()), 'x'.repeat(5000)), [1, 2]],
    ['that has left WAL mode, with an empty log', () => withSide(place(), ''), [1, 2]],
    ['that has left WAL mode, with a log of garbage', () => withSide(place(), 'x'.repeat(5000)), [1, 2]],
    ['with a filled log next to the file that a link leads to', () => linked(withFilledLog()), [2]],
  ];
  for (const [what, make, kernels] of CASES) {
    it(`${what}: is read; its folder and the temporary folder stay as they are`, () => {
      const path = make();
      const folder = dirname(realpathSync(path));
      for (const name of readdirSync(folder)) utimesSync(join(folder, name), 1_600_000_000, 1_600_000_000);
      const before = stateOf(folder);
      const records = readProfile(path, { profile: 0 });
      expect(records.next().value).to.include({ type: 'profile', file: basename(path) });
      const whileOpen = [stateOf(folder), process.platform === 'win32' ? [] : readdirSync(temporary)];
      expect(whileOpen).to.deep.equal([before, []]);
      expect(ofType([...records], 'kernel').map(({ corr }) => corr)).to.deep.equal(kernels);
      expect([stateOf(folder), readdirSync(temporary)]).to.deep.equal([before, []]);
    });
  }

  it('gives the records of the same database without one', () => {
    const [rollback, wal] = [place(), inWalMode(place())];
    expect(recordsOf(wal)).to.deep.equal(recordsOf(rollback));
    expect(kernelsOf(rollback)).to.have.length(2);
  });

  itWithProcess('leaves nothing behind when a signal ends the run while the log is copied', async () => {
    const path = inWalMode(place());
    // Not read as a log, but copied.
    writeFileSync(`${path}-wal`, 'x');
    truncateSync(`${path}-wal`, 4 * 1024 * 1024);
    const child = spawn(process.execPath, ['--import', INTERRUPTS_COPY, ...commandOf('dparse'), '-q', path], {
      stdio: 'ignore',
      env: { ...process.env, TSX_DISABLE_CACHE: '1' },
      timeout: 60_000,
    });
    const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
    expect(signal).to.equal('SIGINT');
    const isLeft = (): boolean => readdirSync(temporary).some((name) => name.startsWith('dparse-'));
    await awaited('the removal of the copy', () => (isLeft() ? undefined : true));
  });

  itWithProcess('answers in one line when the copy is larger than a file may be', () => {
    if (process.platform === 'win32') return;
    const path = inWalMode(place());
    expect(statSync(path).size).to.be.above(1024);
    // The limit is in units of 512 or 1024 bytes.
    const ran = spawnSync(
      'sh',
      ['-c', 'ulimit -f 1; exec "$0" "$@"', process.execPath, ...commandOf('dparse'), '-q', path],
      { encoding: 'utf8', env: { ...process.env, TSX_DISABLE_CACHE: '1' } },
    );
    expect(ran.stderr).to.equal(
      `dparse: ${path}: the temporary folder ${temporary} cannot hold a file of this size (raise ulimit -f, or set TMPDIR to a file system that allows larger files)\n`,
    );
    expect(ran.status).to.equal(1);
    expect(readdirSync(temporary)).to.deep.equal([]);
  });
});
