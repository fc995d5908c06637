/** A large profile is parsed in a thread of its own, or in several, and sent to the main thread piece by piece. */
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freshFolder } from '../support/fresh-path.js';
import { NsightDatabase } from '../support/nsight-database.js';
import { commandOf, runCli } from '../support/run-cli.js';
import { itSlow, itWithProcess } from '../support/sets.js';
import { ROOT } from '../support/shared.js';

/** Enough records for more pieces than may be in flight: 8 of 256 KB. */
const KERNELS = 8000;
/** Options for one thread and for two, where there are two cores. */
const THREADS = [
  ['-j', '1'],
  ['-j', '2'],
];
/** Two threads share a profile of this size. */
const PADDING = 33 * 1024 * 1024;

const NCU_HEAD =
  '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"';

const ENDING_THREAD = pathToFileURL(join(ROOT, 'test/support/ending-thread.mjs')).href;

describe('dparse on a large profile', function () {
  const folder = freshFolder();
  let small = '';
  let large = '';

  before(() => {
    const database = new NsightDatabase();
    for (let i = 0; i < KERNELS; i++) database.kernel({ start: 10 * i, end: 10 * i + 5 }, null);
    small = database.write();
    large = join(folder, basename(small));
    copyFileSync(small, large);
    const padded = new Database(large);
    padded.exec(`CREATE TABLE padding (bytes BLOB); INSERT INTO padding VALUES (zeroblob(${PADDING}))`);
    padded.close();
  });

  it('writes the same bytes as in one thread', async () => {
    const alone = await runCli('dparse', ['-q', small]);
    expect(alone.stdout.split('\n')).to.have.length(KERNELS + 3);
    for (const threads of THREADS) expect(await runCli('dparse', ['-q', ...threads, large])).to.deep.equal(alone);
    const out = join(folder, 'out.dict');
    expect((await runCli('dparse', ['-q', '-o', out, large])).code).to.equal(0);
    expect(readFileSync(out, 'utf8')).to.equal(alone.stdout);
  });

  for (const threads of THREADS) {
    itWithProcess(`waits for a slow reader with ${threads.join(' ')}, and loses nothing`, () => {
      const command = [process.execPath, ...commandOf('dparse'), ...threads, large]
        .map((part) => `'${part}'`)
        .join(' ');
      // A named pipe is written to without blocking; its reader sleeps before it begins.
      const script = `mkfifo pipe; (sleep 1; wc -l) < pipe & ${command} -q -o pipe; echo "exit $?"; wait`;
      const { stdout } = spawnSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8', timeout: 30_000 });
      expect(stdout.split('\n').filter(Boolean).sort()).to.deep.equal([String(KERNELS + 2), 'exit 0']);
    });

    itWithProcess(`ends quietly with ${threads.join(' ')} when nobody reads on`, () => {
      const command = [process.execPath, ...commandOf('dparse'), ...threads, large]
        .map((part) => `'${part}'`)
        .join(' ');
      const { stdout, stderr } = spawnSync('bash', ['-c', `set -o pipefail; ${command} -q | head -1; echo $?`], {
        encoding: 'utf8',
      });
      expect(stdout.split('\n')).to.have.length(3);
      expect(stdout).to.match(/^\{"type":"profile".*\n0\n$/);
      expect(stderr).to.equal('');
    });
  }

  itSlow('writes the same with two threads where they cannot share the profile', async () => {
    const report = join(folder, 'ncu.csv');
    const rows = Array.from({ length: KERNELS }, (_, i) => `"${i}","1","python","127.0.0.1","kernel","1","7","(32, 1, 1)","(1, 1, 1)","0","9.0","Command line profiler metrics","sm__cycles_elapsed.max","cycle","${i}"`); // prettier-ignore
    writeFileSync(report, [NCU_HEAD, ...rows, ''].join('\n'));
    for (const options of [
      ['-f', 'pyprof'],
      ['--ncu', report],
      ['--neff', join(ROOT, 'samples/attention.neff')],
    ]) {
      const [one, two] = await Promise.all(THREADS.map((threads) => runCli('dparse', [...threads, ...options, large])));
      expect(two, options.join(' ')).to.deep.equal(one);
      expect(one?.code).to.equal(0);
      expect(one?.stdout.length).to.be.above(KERNELS * 100);
    }
  });

  itWithProcess('ends with an error when one of its threads ends, and leaves no file behind', () => {
    const out = join(folder, 'half.dict');
    const command = [...commandOf('dparse'), '-q', '-j', '2', '-o', out, large];
    const { status, stderr } = spawnSync(process.execPath, ['--import', ENDING_THREAD, ...command], {
      encoding: 'utf8',
    });
    expect(stderr).to.match(/a worker ended with code 7/);
    expect(status).not.to.equal(0);
    expect(readdirSync(folder).filter((name) => name.includes('half'))).to.deep.equal([]);
  });

  it('reports what is wrong with it in one line, and leaves no file behind', async () => {
    const broken = new Database(large);
    broken.exec('DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL; CREATE TABLE t (x); DROP TABLE StringIds');
    broken.close();
    const out = join(folder, 'none.dict');
    const { code, stderr } = await runCli('dparse', ['-o', out, large]);
    expect(code).to.equal(1);
    expect(stderr).to.match(/^dparse: .*SQLite database of an unknown profiler.*\n$/);
    expect(readdirSync(folder)).not.to.include('none.dict');
  });
});
