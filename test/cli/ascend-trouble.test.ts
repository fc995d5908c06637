/** Folders of the Ascend profiler that are not as they should be: what can be read is, the rest is reported in one line. */
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { training } from '../support/ascend-database.js';
import { call, csv, flow, op, task, traceText } from '../support/ascend-trace.js';
import { freshPath } from '../support/fresh-path.js';
import { runCli, type Ran } from '../support/run-cli.js';
import { itSlow } from '../support/sets.js';

const OUTPUT = 'ASCEND_PROFILER_OUTPUT';
const dparse = (...args: string[]): Promise<Ran> => runCli('dparse', args);

/** The folder of a rank, with the files given in its output. */
function rankFolder(root: string, rank: number, files: Readonly<Record<string, string>> = {}): string {
  const folder = join(root, `node${rank}_20260101_ascend_pt`);
  mkdirSync(join(folder, OUTPUT), { recursive: true });
  writeFileSync(join(folder, `profiler_info_${rank}.json`), JSON.stringify({ rank_id: rank }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, OUTPUT, name), text);
  return folder;
}

/** The database of a rank in its folder. */
function databaseIn(folder: string, rank: number): string {
  const path = join(folder, OUTPUT, `ascend_pytorch_profiler_${rank}.db`);
  training().write({}, path);
  return path;
}

const root = (): string => {
  const folder = freshPath('-ranks');
  mkdirSync(folder);
  return folder;
};

const TRACE = traceText([op('aclnnMm', 5, 15), call('Node@launch', 11, 8), task('MatMul', 'AI_CORE', 11, 30, 40), ...flow(5, 30)]); // prettier-ignore
const DETAILS = csv(
  ['Name', 'Type', 'Accelerator Core', 'Start Time(us)', 'Duration(us)'],
  ['MatMul', 'MatMulV2', 'AI_CORE', '1736408883000030.000\t', 10],
);

/** Lines of stderr without the folder's path. */
const messagesOf = ({ stderr }: Ran, folder: string): string[] =>
  stderr.trimEnd().split('\n').map((line) => line.replaceAll(`${folder}/`, '')); // prettier-ignore

const kernels = ({ stdout }: Ran): number =>
  stdout.split('\n').filter((line) => line.startsWith('{"type":"kernel"')).length;

describe('Ascend folders: what cannot be read is reported, and the rest is read', () => {
  const BROKEN: readonly (readonly [what: string, spoil: (path: string) => void, answer: RegExp])[] = [
    [
      'a database cut in half',
      (path) => {
        truncateSync(path, Math.floor(readFileSync(path).length / 2));
      },
      /database is truncated/,
    ],
    [
      'a database that is being written',
      (path) => {
        writeFileSync(`${path}-journal`, 'x');
      },
      /unfinished write/,
    ],
  ];
  for (const [what, spoil, answer] of BROKEN) {
    it(what, async () => {
      const folder = root();
      databaseIn(rankFolder(folder, 0), 0);
      const spoilt = databaseIn(rankFolder(folder, 1), 1);
      spoil(spoilt);
      const ran = await dparse(folder);
      expect(ran.code).to.equal(1);
      expect(kernels(ran)).to.equal(2);
      const lines = messagesOf(ran, folder).filter((line) => line.includes('profiler_1.db'));
      expect(lines).to.have.length(1);
      expect(lines[0]).to.match(answer);
    });
  }

  // The lock is waited for.
  itSlow('a database that another program has locked; the text beside it is read instead', async () => {
    const folder = root();
    const path = databaseIn(rankFolder(folder, 0, { 'trace_view.json': TRACE }), 0);
    const database = new Database(path);
    database.exec('BEGIN EXCLUSIVE');
    const ran = await dparse(folder);
    database.exec('ROLLBACK');
    database.close();
    expect(ran.code).to.equal(1);
    expect(messagesOf(ran, folder)[0]).to.match(/profiler_0\.db: database is locked by another program/);
    expect(kernels(ran)).to.equal(1);
  });

  it('databases of others and sums are passed over, whatever their state', async () => {
    const folder = root();
    databaseIn(rankFolder(folder, 0), 0);
    for (const [name, sql] of [
      ['cookies.sqlite', 'CREATE TABLE cookies (x)'],
      ['analysis.db', 'CREATE TABLE StepTraceTime (deviceId, step)'],
    ] as const) {
      const database = new Database(join(folder, name));
      database.exec(sql);
      database.pragma('journal_mode = WAL');
      database.close();
    }
    const ran = await dparse('-q', folder);
    expect(ran).to.include({ code: 0, stderr: '' });
  });

  it('a rank without a database: its text; without that, one line', async () => {
    const folder = root();
    rankFolder(folder, 0, { 'trace_view.json': TRACE, 'kernel_details.csv': DETAILS });
    const raw = rankFolder(folder, 1);
    mkdirSync(join(raw, 'FRAMEWORK'));
    writeFileSync(join(raw, 'FRAMEWORK', 'torch.op_range'), Buffer.from([1, 0, 2]));
    const ran = await dparse('-q', folder);
    expect(ran.code).to.equal(1);
    expect(kernels(ran)).to.equal(1);
    expect(messagesOf(ran, folder)).to.deep.equal([
      'dparse: node1_20260101_ascend_pt: is a folder of the Ascend profiler without a database, trace_view.json or kernel_details.csv (run the analysis first: torch_npu.profiler.profiler.analyse(FOLDER))',
    ]);
    const alone = await dparse('-q', raw);
    expect(alone).to.include({ code: 1, stdout: '' });
    expect(alone.stderr).to.match(/^dparse: [^\n]*is a folder of the Ascend profiler without[^\n]*\n$/);
  });

  it('a folder is named as it is given', async () => {
    const folder = root();
    const rank = rankFolder(folder, 0, { 'trace_view.json': TRACE });
    const ran = await runCli('dparse', ['.'], { cwd: rank });
    expect(ran.code).to.equal(0);
    expect(kernels(ran)).to.equal(1);
  });

  it('a csv with another header: named for what it is, and counted where it stands beside a trace', async () => {
    const folder = root();
    const other = csv(['OP Type', 'Count', 'Total Time(us)'], ['MatMulV2', 1, 10]);
    const rank = rankFolder(folder, 0, { 'trace_view.json': TRACE, 'kernel_details.csv': other });
    const ran = await dparse(rank);
    expect(ran.code).to.equal(1);
    expect(ran.stderr).to.match(/kernel_details\.csv: is an Ascend profiler table without kernel times/);
    expect(ran.stderr).to.match(
      /1 kernel; files next to the profile that cannot be read or do not match their name \(ignored\): 1\n/,
    );
    const bare = await dparse(join(rank, OUTPUT, 'kernel_details.csv'));
    expect(bare).to.include({ code: 1, stdout: '' });
    expect(bare.stderr).to.match(/an Ascend profiler table without kernel times \(give trace_view\.json/);
  });

  it('a trace cut in half', async () => {
    const folder = root();
    const events = Array.from({ length: 40 }, (_, i) => task('MatMul', 'AI_CORE', i, 30 + 20 * i, 40 + 20 * i));
    const whole = traceText(events);
    rankFolder(folder, 0, { 'trace_view.json': whole.slice(0, whole.length / 2) });
    const ran = await dparse(folder);
    expect(ran.code).to.equal(1);
    expect(kernels(ran)).to.be.within(18, 20);
    expect(ran.stderr).to.match(/trace_view\.json: the profile is cut off; the part before was read\n/);
  });

  it('tables that are missing, and profiler_info too', async () => {
    const folder = root();
    const rank = rankFolder(folder, 4);
    const path = join(rank, OUTPUT, 'ascend_pytorch_profiler_4.db');
    const gone = { CONNECTION_IDS: 'gone1', CANN_API: 'gone2', RANK_DEVICE_MAP: 'gone3', STEP_TIME: 'gone4' };
    training().write({ renamed: gone }, path);
    rmSync(join(rank, 'profiler_info_4.json'));
    const ran = await dparse(folder);
    expect(ran.code).to.equal(0);
    expect(kernels(ran)).to.equal(2);
    expect(ran.stdout.split('\n')[0]).to.include('"rank":4');
    expect(ran.stderr).to.match(/kernels whose launch call is not in the profile: 2/);
    expect(ran.stderr).to.match(/profiles without profiler_info_\*\.json \(versions and settings are unknown\): 1/);
  });

  it('two ranks with one id: both are read, distinguished by their numbers', async () => {
    const folder = root();
    for (const copy of ['a', 'b']) {
      mkdirSync(join(folder, copy));
      databaseIn(rankFolder(join(folder, copy), 3), 3);
    }
    for (const jobs of ['1', '2']) {
      const ran = await dparse('-j', jobs, folder);
      expect(ran.code).to.equal(0);
      expect(kernels(ran)).to.equal(4);
      expect(ran.stderr.trimEnd().split('\n').at(-1)).to.equal(
        'dparse: several profiles have the same rank; the field "profile" tells them apart: rank 3 has profiles 0, 1',
      );
    }
    expect((await dparse('-q', folder)).stderr).to.equal('');
  });
});

describe('Ascend folders: dprof', () => {
  it('takes a folder with one profile, and a bare kernel_details.csv', async () => {
    const folder = root();
    const rank = rankFolder(folder, 0, { 'kernel_details.csv': DETAILS });
    for (const input of [folder, rank, join(rank, OUTPUT, 'kernel_details.csv')]) {
      const ran = await runCli('dprof', ['-q', '-f', 'csv', '-c', 'kernel,sil', input]);
      expect(ran).to.include({ code: 0, stderr: '' });
      expect(ran.stdout).to.match(/MatMul,10000/);
    }
  });

  it('takes all of a folder that holds several, and states what a folder lacks', async () => {
    const folder = root();
    for (const rank of [0, 1]) databaseIn(rankFolder(folder, rank), rank);
    const ran = await runCli('dprof', ['-q', '-f', 'csv', '-c', 'profile,kernel', folder]);
    expect(ran).to.include({ code: 0, stderr: '' });
    expect(new Set(ran.stdout.split('\n').map((line) => line.split(',')[0]))).to.include.keys('0', '1');
    const asOne = await runCli('dprof', ['diff', '-q', folder, folder]);
    expect(asOne).to.include({ code: 1, stdout: '' });
    expect(asOne.stderr).to.equal(
      `dprof: ${folder}: holds 2 profiles (give one of them, or the records of all: dparse ${folder} > FILE)\n`,
    );
    const empty = root();
    rankFolder(empty, 0);
    const none = await runCli('dprof', ['-q', empty]);
    expect(none).to.include({ code: 1, stdout: '' });
    expect(none.stderr).to.match(/^dprof: [^\n]*without a database, trace_view\.json or kernel_details\.csv[^\n]*\n$/);
  });

  it('reads what can be read of a folder, and reports the rest', async () => {
    const folder = root();
    databaseIn(rankFolder(folder, 0), 0);
    cpSync(join(folder, 'node0_20260101_ascend_pt'), join(folder, 'copy_ascend_pt'), { recursive: true });
    const spoilt = join(folder, 'copy_ascend_pt', OUTPUT, 'ascend_pytorch_profiler_0.db');
    truncateSync(spoilt, 5000);
    const ran = await runCli('dprof', ['-q', '-f', 'csv', '-c', 'kernel', folder]);
    expect(ran.code).to.equal(1);
    expect(ran.stdout).to.include('aclnnMm_MatMulV2');
    expect(ran.stderr).to.match(/^dprof: [^\n]*copy_ascend_pt[^\n]*truncated[^\n]*\n$/);
  });
});
