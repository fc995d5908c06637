import Database from 'better-sqlite3';
import { expect } from 'chai';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { foundIn } from '../support/found.js';
import { checkProfile } from '../../src/parse/profile.js';
import { expandInput, openInput, rankOf } from '../../src/parse/source.js';
import { UserError } from '../../src/record/errors.js';
import { NsightDatabase } from '../support/nsight-database.js';
import { NvprofDatabase } from '../support/nvprof-database.js';
import { freshPath } from '../support/fresh-path.js';
import { headerOf, recordsOf } from '../support/profile-records.js';
import { ROOT } from '../support/shared.js';

const write = (content: string | Buffer, ending = ''): string => {
  const path = freshPath(ending);
  writeFileSync(path, content);
  return path;
};

/** The one line with which an input is refused. */
function refusal(path: string, format?: string): string {
  try {
    checkProfile(path, basename(path), format);
  } catch (error) {
    if (error instanceof UserError) {
      expect(error.exitCode).to.equal(1);
      return error.line;
    }
    throw error;
  }
  throw new Error('it was not refused');
}

const database = (sql: string): string => {
  const path = freshPath();
  const db = new Database(path);
  db.exec(sql);
  db.close();
  return path;
};

describe('detection', () => {
  it('goes by content, whatever the name', () => {
    for (const [db, format] of [[new NsightDatabase(), 'nsight'], [new NvprofDatabase(), 'nvprof']] as const) {
      for (const ending of ['.sqlite', '.nvvp', '.txt', '']) {
        expect(headerOf(db.write({}, freshPath(ending))).format).to.equal(format);
      }
    } // prettier-ignore
  });

  const REFUSED: readonly (readonly [what: string, content: string | Buffer, answer: RegExp])[] = [
    ['.nsys-rep', 'NVIDIA Tegra Profiler Report 2026@1\0\x01', /Nsight Systems report.*nsys export --type sqlite/],
    ['.nvvp in XML', '<?xml version="1.0"?><com.nvidia.viper/>', /XML.*nvprof -o/],
    [
      'text of nvprof',
      '==123== NVPROF is profiling process 123\n==123== Profiling result:\n',
      /nvprof text output.*nvprof -o FILE/,
    ],
    [
      'text of a profiler without permission',
      '==77== NVPROF is profiling process 77\n==77== Warning: ERR_NVGPUCTRPERM - The user does not have permission\n',
      /ERR_NVGPUCTRPERM.*NVreg_RestrictProfilingToAdminUsers=0/,
    ],
    [
      'text of ncu without permission',
      '==PROF== Connected to process 5\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n',
      /ERR_NVGPUCTRPERM.*as root/,
    ],
    [
      'text of ncu without kernels',
      '==PROF== Connected to process 5\n==WARNING== No kernels were profiled.\n',
      /saw no kernel.*and its children/,
    ],
    ['text of ncu', '==PROF== Connected to process 5 (/bin/a)\n', /Nsight Compute text output.*nsys profile/],
    ['dparse records', '{"type":"profile","v":1}\n', /dparse records \(give them to dprof\)/],
    ["PyProf's records", "{'kShortName': 'k'}\n", /dprof/],
    ['JSON that is not a trace', '{"events": []}', /JSON without "traceEvents".*torch\.profiler/],
    ['a JSON array', ' [1, 2]', /JSON/],
    [
      'totals of Proton',
      '[{"children":[{"children":[],"frame":{"name":"k","type":"function"},"metrics":{"count":1,"time (ns)":5}}],' +
        '"frame":{"name":"ROOT","type":"function"},"metrics":{"count":0,"time (ns)":0}},{"CUDA":{"0":{"arch":"90"}}}]',
      /is a table of totals from Triton's Proton profiler \(\.hatchet\), without individual kernels \(record a trace.*data="trace"/,
    ],
    [
      'totals of Proton in MessagePack',
      Buffer.concat([Buffer.from([0x92, 0x83, 0xa5]), Buffer.from('frame'), Buffer.from([0x82])]),
      /is a table of totals from Triton's Proton/,
    ],
    ['text', 'hello\nworld\n', /is text \(dparse --formats/],
    ['a program', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 1, 1, 0, 0]), /is a program.*profile it/],
    ['a binary file', Buffer.from([1, 2, 3, 4, 0]), /binary file of an unknown format.*--import-profile/],
    ['a zip archive', 'PK\u0003\u0004\u0014\0trace.json', /zip archive.*unzip FILE/],
    ['a file of torch.save', 'PK\u0003\u0004\0\0archive/data.pkl', /torch\.save.*export_chrome_trace/],
    ['an empty zip', Buffer.from('PK\u0005\u0006' + '\0'.repeat(18)), /an empty archive \(the archive is empty/],
    ['a tar archive', Buffer.concat([Buffer.from('trace.json'), Buffer.alloc(247), Buffer.from('ustar\0')]), /tar archive.*tar -xf FILE/], // prettier-ignore
    ['a pickle', Buffer.from([0x80, 4, 0x95, 0, 0]), /Python pickle.*_dump_snapshot/],
    ['.ncu-rep', 'NVR\0\u0010\0\0\0', /Nsight Compute report.*ncu --import FILE --csv --page raw/],
    ['HDF5', Buffer.from([0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a]), /HDF5.*nsys export --type sqlite/],
    ['Arrow', 'ARROW1\0\0', /Arrow table.*nsys export --type arrowdir.*give the folder with all tables/],
    [
      'a Parquet table of nsys',
      'PAR1\0 correlationId PAR1',
      /nsys export --type parquetdir.*the folder with all tables/,
    ],
    [
      'a Parquet table of Neuron Explorer',
      'PAR1\0 start_ts end_ts duration_ns PAR1',
      /Neuron Explorer.*the folder with all tables/,
    ],
    ['records as Parquet', 'PAR1\0 start dparse PAR1', /dparse records.*give dprof the whole folder/],
    ['Parquet', 'PAR1\0 a b PAR1', /Parquet file of an unknown profiler/],
    ['a web page', '<!DOCTYPE html><html>', /web page.*download the file itself/],
    ['a pointer of Git LFS', 'version https://git-lfs.github.com/spec/v1\noid sha256:0\n', /git lfs pull/],
    ['a trace before Kineto', '[{"name": "aten::mul", "ph": "X", "ts": 633, "dur": 54, "tid": 1, "pid": "CPU functions", "args": {}}]', /before Kineto.*torch\.profiler\.profile/], // prettier-ignore
    ['a command line profiler log', '# CUDA_PROFILE_LOG_VERSION 2.0\n', /command line profiler/],
    ['a file that only begins like SQLite', 'SQLite format 3\0 and then not', /database/],
  ];
  for (const [what, content, answer] of REFUSED) {
    it(`refuses ${what}, saying what to do`, () => {
      const line = refusal(write(content));
      expect(line).to.match(answer).and.not.to.include('\n');
    });
  }

  it('refuses a database of something else, naming its tables', () => {
    const path = database('CREATE TABLE a (x); CREATE TABLE b (x); CREATE TABLE c (x); CREATE TABLE d (x); CREATE TABLE e (x)');
    expect(refusal(path)).to.match(/an unknown profiler, with tables a, b, c, d, …/);
    expect(refusal(database('VACUUM'))).to.match(/empty|without tables|not an SQLite/);
  }); // prettier-ignore

  it('refuses databases of profilers that are not read by name', () => {
    const dlprof = 'CREATE TABLE ops (x); CREATE VIEW view_op_nodes AS SELECT * FROM ops; CREATE VIEW view_system_config AS SELECT 1'; // prettier-ignore
    expect(refusal(database(dlprof))).to.match(/is DLProf's own database.*nsys_profile\.sqlite/);
  }); // prettier-ignore

  it('refuses a database cut in half, wherever it is cut', () => {
    const whole = new NsightDatabase().launch(1, ['a'.repeat(20_000)]).write();
    const { length } = readFileSync(whole);
    for (const size of [200, 4096, Math.floor(length / 2), length - 1]) {
      const part = freshPath();
      copyFileSync(whole, part);
      truncateSync(part, size);
      expect(refusal(part), String(size)).to.match(/truncated: \d+ of \d+ bytes.*copy or export it again/);
    }
  });

  it('refuses a damaged database', () => {
    const path = new NsightDatabase().launch(1, ['a'.repeat(20_000)]).write();
    const bytes = readFileSync(path);
    bytes.fill(0xab, 100, 4096);
    writeFileSync(path, bytes);
    expect(refusal(path)).to.match(/damaged|cannot be read/);
  });

  it('takes a named format for granted, but no file that is no database', () => {
    const other = database('CREATE TABLE x (y)');
    expect(recordsOf(other, { format: 'nsight' }).map(({ type }) => type)).to.deep.equal(['profile', 'end']);
    expect(refusal(write('hello'), 'nsight')).to.match(/is text/);
    expect(() => recordsOf(other, { format: 'nsigt' })).to.throw(UserError, 'nsigt');
  });
});

describe('inputs', () => {
  it('may be compressed', async () => {
    const packed = write(gzipSync(readFileSync(new NsightDatabase().launch(1, []).write())), '.sqlite.gz');
    const source = await openInput(packed);
    expect(source.file).to.equal(basename(packed, '.gz'));
    expect(recordsOf(source.path)).to.have.length(3);
    source.dispose();
    expect(() => readFileSync(source.path)).to.throw('ENOENT');
  });

  it('may be compressed in any number, with one listener of the process for their temporary files', async () => {
    const packed = write(gzipSync(readFileSync(new NsightDatabase().write())), '.gz');
    const before = process.listenerCount('exit');
    const sources = await Promise.all(Array.from({ length: 12 }, () => openInput(packed)));
    // Folders of archives that other tests unpacked may have a listener already.
    expect(process.listenerCount('exit')).to.be.at.most(before + 1);
    for (const source of sources) source.dispose();
    expect(process.listenerCount('exit')).to.equal(before);
  });

  it('that are a broken gzip are refused', async () => {
    const whole = gzipSync(Buffer.alloc(100_000, 'x'));
    const { failures } = await foundIn([write(whole.subarray(0, 50), '.gz')]);
    expect(failures.map(({ line }) => line).join()).to.match(/gzip is damaged/);
  });

  it('in a folder are in the output, or a line says why not: only what is no profile is passed over', async () => {
    const [folder, elsewhere] = [freshPath('-folder'), freshPath('-elsewhere')];
    for (const made of [join(folder, 'sub'), elsewhere]) mkdirSync(made, { recursive: true });
    const trace = gzipSync(readFileSync(join(ROOT, 'samples/lenet-2021.pt.trace.json')));
    // The last 8 bytes of a gzip are the checksum and the length of what it holds.
    const damaged = Buffer.from(trace);
    damaged.writeUInt32LE(0, damaged.length - 8);
    const files = { 'a.json.gz': trace, 'damaged.json.gz': damaged, 'notes.txt': 'hello', 'empty.json': '' };
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    new NsightDatabase().write({}, join(elsewhere, 'far.sqlite'));
    const links = {
      'b.sqlite': join(elsewhere, 'far.sqlite'),
      'nothing.sqlite': join(elsewhere, 'gone'),
      itself: 'itself',
      latest: 'a.json.gz',
      'sub/circle': folder,
    };
    for (const [name, target] of Object.entries(links)) symlinkSync(target, join(folder, name));
    const { profiles, failures } = await foundIn([folder]);
    for (const { source } of profiles) source.dispose();
    expect(profiles.map(({ source }) => basename(source.name))).to.deep.equal(['a.json.gz', 'b.sqlite']);
    const lines = failures.map(({ line }) => line.replace(`${folder}/`, ''));
    expect(lines).to.deep.equal([
      'damaged.json.gz: gzip is damaged: incorrect data check (copy it again)',
      'itself: cannot be read: too many symbolic links',
      'nothing.sqlite: cannot be read: no such file or directory',
      // It has the extension of a profile there.
      'empty.json: file is empty',
    ]);
    const far = await foundIn([join(folder, '*.sqlite')]);
    expect(far.profiles.map(({ source }) => basename(source.name))).to.deep.equal(['b.sqlite']);
  });

  it('in a folder that have the name of a profile are reported where they are empty or hold anything else', async () => {
    const names = ['a.ntff', 'b.neff', 'c.nvvp', 'd.pt.trace.json', 'e.pt.trace.json.zip', 'kernel_details.csv', 'msprof_1.db', 'op_summary_0_1.csv', 'trace_view.json']; // prettier-ignore
    for (const content of ['', 'no profile']) {
      const folder = freshPath('-folder');
      mkdirSync(folder);
      for (const name of [...names, 'notes.txt']) writeFileSync(join(folder, name), content);
      const { profiles, failures } = await foundIn([folder]);
      expect(profiles).to.have.length(0);
      expect(failures.map(({ detail }) => basename(detail.where ?? ''))).to.include.members(names);
      expect(failures.map(({ detail }) => basename(detail.where ?? ''))).to.not.include('notes.txt');
    }
  }); // prettier-ignore

  it('that are folders or globs are searched in order of name; files that are no profiles are skipped', async () => {
    const folder = freshPath('-folder');
    mkdirSync(join(folder, 'sub'), { recursive: true });
    for (const name of ['b.sqlite', 'a.sqlite', 'sub/c.sql']) new NsightDatabase().write({}, join(folder, name));
    writeFileSync(join(folder, 'notes.txt'), 'hello');
    const names = async (input: string): Promise<string[]> =>
      (await foundIn([input])).profiles.map(({ ordinal, source }) => `${ordinal} ${source.file}`);
    expect(await names(folder)).to.deep.equal(['0 a.sqlite', '1 b.sqlite', '2 c.sql']);
    expect(await names(join(folder, '*.sqlite'))).to.deep.equal(['0 a.sqlite', '1 b.sqlite']);
    expect(await expandInput(join(folder, 'notes.txt'))).to.deep.include({ lenient: false });
  });

  it('of which one fails leave the others, numbered without a gap', async () => {
    const good = new NsightDatabase().write();
    const { profiles, failures } = await foundIn([good, write('hello'), `${good}.missing`, good]);
    expect(profiles.map(({ ordinal }) => ordinal)).to.deep.equal([0, 1]);
    expect(failures).to.have.length(2);
  });

  it('have their rank in the name', () => {
    const cases: [string, number | null][] = [
      ['report_rank_3.sqlite', 3],
      ['rank12.sqlite', 12],
      ['net_r3.sqlite', 3],
      ['net.3.sqlite', 3],
      ['RANK-0.sql', 0],
      ['net.sqlite', null],
      ['net_r3x.sqlite', null],
      ['frank.sqlite', null],
      ['2024.sqlite', null],
    ];
    for (const [file, rank] of cases) expect(rankOf(file), file).to.equal(rank);
    expect(headerOf(new NsightDatabase().write({}, freshPath('_rank_5.sqlite'))).rank).to.equal(5);
  });
});
