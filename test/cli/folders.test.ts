/** Folders as inputs: whatever is in the way of one file is said, and the others are read. */
import { expect } from 'chai';
import fs, { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { freshPath } from '../support/fresh-path.js';
import { kernel } from '../support/kernels.js';
import { neuronLines, neuronProfile } from '../support/neuron.js';
import { NsightDatabase } from '../support/nsight-database.js';
import { runCli, type Ran } from '../support/run-cli.js';
import { ROOT } from '../support/shared.js';

const REPORT = 'NVIDIA Tegra Profiler Report 2026@1\0';

function folderOf(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = freshPath('-folder');
  mkdirSync(folder);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

const database = (): Buffer => readFileSync(new NsightDatabase().launch(1, []).write());

const filesRead = ({ stdout }: Ran): string[] => [...stdout.matchAll(/^\{"type":"profile".*?"file":"([^"]*)"/gm)].map(([, file = '']) => file); // prettier-ignore

/** Runs with folders of a name that may not be searched, whoever runs the test. */
async function withClosed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const real = fs.readdirSync;
  const refuse = ((path: string, ...rest: []) => {
    if (path.endsWith(name)) throw Object.assign(new Error('EACCES'), { code: 'EACCES', syscall: 'scandir', path });
    return real(path, ...rest);
  }) as typeof fs.readdirSync;
  Object.assign(fs, { readdirSync: refuse });
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    Object.assign(fs, { readdirSync: real });
    syncBuiltinESMExports();
  }
}

describe('a folder', () => {
  it('with one that may not be searched is read all the same, with a line and exit 1', async () => {
    const folder = folderOf({ 'a.sqlite': database(), 'closed/b.sqlite': database(), 'z/c.sqlite': database() });
    const ran = await withClosed('closed', () => runCli('dparse', ['-q', folder]));
    expect([ran.code, ran.stderr]).to.deep.equal([
      1,
      `dparse: ${join(folder, 'closed')}: cannot be read: permission denied\n`,
    ]);
    expect(filesRead(ran)).to.deep.equal(['a.sqlite', 'c.sqlite']);
    rmSync(join(folder, 'z'), { recursive: true });
    const one = await withClosed('closed', () => runCli('dprof', ['-q', folder]));
    expect([one.code, one.stderr]).to.deep.equal([
      1,
      `dprof: ${join(folder, 'closed')}: cannot be read: permission denied\n`,
    ]);
    expect(one.stdout.split('\n')).to.have.length(3);
  });

  it('that may not be searched itself is one line and exit 1', async () => {
    const folder = folderOf({ 'a.sqlite': database() });
    for (const tool of ['dparse', 'dprof'] as const) {
      const { code, stdout, stderr } = await withClosed(folder, () => runCli(tool, ['-q', folder]));
      expect([code, stdout, stderr]).to.deep.equal([1, '', `${tool}: ${folder}: cannot be read: permission denied\n`]);
    }
  });

  it('with a report of Nsight Systems names it unless its export is beside it', async () => {
    const folder = folderOf({
      'a.nsys-rep': REPORT,
      'a.sqlite': database(),
      'b.nsys-rep': REPORT,
      'b.sqlite.gz': gzipSync(database()),
      'sub/c.qdrep': REPORT,
    });
    const ran = await runCli('dparse', ['-q', folder]);
    expect(filesRead(ran)).to.deep.equal(['a.sqlite', 'b.sqlite.gz']);
    expect(ran.code).to.equal(1);
    expect(ran.stderr).to.match(
      /^dparse: [^\n]*c\.qdrep: is an Nsight Systems report [^\n]*nsys export --type sqlite[^\n]*\n$/,
    );
    rmSync(join(folder, 'sub'), { recursive: true });
    for (const input of [folder, join(folder, '*')]) {
      expect(await runCli('dparse', ['-q', input])).to.include({ code: 0, stderr: '' });
    }
    const alone = await runCli('dparse', ['-q', join(folder, 'a.nsys-rep')]);
    expect(alone).to.include({ code: 1, stdout: '' });
  });

  it('with an empty or damaged file of the name of a trace names it, and passes other files over', async () => {
    const folder = folderOf({
      'a.sqlite': database(),
      'rank_0.pt.trace.json': '',
      'rank_1.pt.trace.json.gz': gzipSync('no trace\n'),
      'rank_2.pt.trace.json.gz': Buffer.alloc(100, 0x9f),
      'notes.txt': 'no trace\n',
      'settings.json': '{}',
      'empty.json': '',
    });
    for (const tool of ['dparse', 'dprof'] as const) {
      const { code, stderr } = await runCli(tool, ['-q', folder]);
      expect(code).to.equal(1);
      const named = stderr.split('\n').slice(0, -1).map((line) => /rank_\d[.\w]*/.exec(line)?.[0]); // prettier-ignore
      expect(named).to.deep.equal(['rank_0.pt.trace.json', 'rank_1.pt.trace.json.gz', 'rank_2.pt.trace.json.gz']);
    }
  });

  it('names files that would be profiles by the names of the others, and passes those over that are covered', async () => {
    const trace = readFileSync(join(ROOT, 'samples/job/rank_1.pt.trace.json.gz'));
    const folder = folderOf({
      ...{ 'rank0.json.gz': trace, 'rank1.json.gz': '', 'rank2.json.gz': gzipSync('{}'), 'rank3.json.gz': 'no trace' },
      ...{ 'notes1.txt': 'no trace\n', 'settings.json': '{}' },
    });
    const runs = [
      ['dprof', 'ranks', '-q', folder],
      ['dprof', 'summary', '-q', folder],
      ['dparse', '-q', folder],
      ['dparse', '-q', join(folder, '*')],
      ['dprof', 'ranks', '-q', ...[0, 1, 2, 3, 4].map((rank) => join(folder, `rank${rank}.json.gz`))],
    ] as const;
    for (const [tool, ...args] of runs) {
      const { code, stdout, stderr } = await runCli(tool, args);
      expect(code).to.equal(1);
      expect(stdout).to.not.equal('');
      const named = stderr.split('\n').slice(0, -1).map((line) => /\w+\.json\.gz/.exec(line)?.[0]); // prettier-ignore
      const missing = args.length > 4 ? ['rank4.json.gz'] : [];
      expect(named).to.deep.equal(['rank1.json.gz', 'rank2.json.gz', 'rank3.json.gz', ...missing]);
    }
  });

  it('with traces that are cut off names each of them, also once they are records of one file', async () => {
    const traceOf = (rank: number): Buffer => readFileSync(join(ROOT, `samples/job/rank_${rank}.pt.trace.json.gz`));
    const half = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.length / 2);
    const names = [0, 1, 2].map((rank) => `rank_${rank}.pt.trace.json.gz`);
    const folder = folderOf(
      Object.fromEntries(names.map((name, i) => [name, i === 1 ? traceOf(i) : half(traceOf(i))])),
    );
    const ran = await runCli('dprof', ['ranks', '-q', folder]);
    expect(ran.code).to.equal(1);
    const cut = (name: string): string => `dprof: ${name}: the profile is cut off; the part before was read\n`;
    expect(ran.stderr).to.equal(cut(join(folder, names[0] ?? '')) + cut(join(folder, names[2] ?? '')));
    const records = await runCli('dparse', ['-q', folder]);
    const { code, stderr } = await runCli('dprof', ['ranks', '-q'], { input: records.stdout });
    expect(code).to.equal(1);
    expect(stderr).to.equal(`dprof: stdin: 2 profiles are cut off, ${names[0]} first; the part before was read\n`);
  });

  it('with strange names is read', async () => {
    const folder = folderOf({ 'a\nb.sqlite': database() });
    const { code, stdout, stderr } = await runCli('dparse', [folder]);
    expect(code).to.equal(0);
    expect(stdout.split('\n')).to.have.length(4);
    expect(stderr).to.match(/^dparse: [^\n]*a\\u000ab\.sqlite: 1 kernel\n$/);
  });
});

describe('a pattern in quotes', () => {
  const lines = (rank: number): string =>
    neuronLines([{ ...neuronProfile(), rank, file: `r${rank}.ntff` }, kernel({})]);

  it('is what a shell makes of it, for each command that takes files', async () => {
    const folder = folderOf({ 'r0.jsonl': lines(0), 'r1.jsonl': lines(1), 'other.txt': 'none' });
    const [pattern, files] = [join(folder, 'r*.jsonl'), [0, 1].map((rank) => join(folder, `r${rank}.jsonl`))];
    for (const command of [[], ['summary'], ['ranks'], ['--by', 'rank'], ['partial', '-o', '-']]) {
      const given = await runCli('dprof', [...command, '-q', ...files]);
      expect(given.code, command.join(' ')).to.equal(0);
      expect(await runCli('dprof', [...command, '-q', pattern]), command.join(' ')).to.deep.equal(given);
    }
  });

  it('is an error where nothing matches, and no output where it matches that', async () => {
    const folder = folderOf({ 'r0.jsonl': lines(0), '[1].jsonl': lines(1) });
    const ran = await runCli('dprof', ['summary', '-q', join(folder, 'x*.jsonl')]);
    expect(ran).to.deep.include({ code: 1, stderr: `dprof: ${join(folder, 'x*.jsonl')}: no file matches\n` });
    const onto = await runCli('dprof', ['summary', '-q', '-o', join(folder, 'r0.jsonl'), join(folder, 'r*.jsonl')]);
    expect(onto.code).to.equal(1);
    expect(readFileSync(join(folder, 'r0.jsonl'), 'utf8')).to.equal(lines(0));
    // A file of that name goes before.
    expect((await runCli('dprof', ['summary', '-q', join(folder, '[1].jsonl')])).stdout).to.include('rank 1');
  });
});
