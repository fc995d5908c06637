import { expect } from 'chai';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { usableCores } from '../../../src/parse/files.js';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { readArguments } from '../../../src/cli/dparse/options.js';
import { parseMany } from '../../../src/cli/dparse/workers.js';
import { findProfiles } from '../../../src/parse/find.js';
import { READERS } from '../../../src/parse/registry.js';
import { UserError } from '../../../src/record/errors.js';
import type { ProfileLine } from '../../../src/record/record.js';
import { NsightDatabase } from '../../support/nsight-database.js';
import { NvprofDatabase } from '../../support/nvprof-database.js';
import { freshPath } from '../../support/fresh-path.js';
import { runCli, type Ran } from '../../support/run-cli.js';
import { itSlow } from '../../support/sets.js';
import { ROOT } from '../../support/shared.js';

const dparse = (...args: string[]): Promise<Ran> => runCli('dparse', args);

const folderOf = (...names: string[]): string => {
  const folder = freshPath('-folder');
  mkdirSync(folder);
  for (const [n, name] of names.entries()) new NsightDatabase().launch(n + 1, [name]).write({}, join(folder, name));
  return folder;
};

const lines = (text: string): ProfileLine[] =>
  text.trimEnd().split('\n').map((line) => JSON.parse(line) as ProfileLine); // prettier-ignore

const SAMPLE = join(ROOT, 'samples/lenet.nsys.sqlite');

describe('dparse', () => {
  it('writes one JSON object per line: profile, activities, end', async () => {
    const path = new NsightDatabase().launch(1, ['layer:a']).write();
    const { code, stdout, stderr } = await dparse(path);
    expect(code).to.equal(0);
    expect(lines(stdout).map(({ type }) => type)).to.deep.equal(['profile', 'kernel', 'end']);
    expect(stderr).to.match(/^dparse: .*: 1 kernel\n$/);
  });

  it('-q says nothing on stderr', async () => {
    expect(await dparse('-q', SAMPLE)).to.include({ code: 0, stderr: '' });
  });

  it('gives the same bytes from a path, from stdin, and from gzip of either; only the file name differs', async () => {
    const bytes = readFileSync(SAMPLE);
    const packed = freshPath('.sqlite.gz');
    writeFileSync(packed, gzipSync(bytes));
    const runs = [
      await dparse(SAMPLE),
      await dparse(packed),
      await runCli('dparse', ['-'], { input: bytes }),
      await runCli('dparse', ['-'], { input: gzipSync(bytes) }),
    ];
    const rest = (ran: Ran): string => ran.stdout.slice(ran.stdout.indexOf('\n'));
    for (const ran of runs) {
      expect(ran.code, ran.stderr).to.equal(0);
      expect(rest(ran) === rest(runs[0] as Ran)).to.equal(true);
    }
  });

  it('numbers the profiles of folders and globs in order of name', async () => {
    const folder = folderOf('b_rank_1.sqlite', 'a_rank_0.sqlite');
    writeFileSync(join(folder, 'notes.txt'), 'no profile');
    for (const input of [folder, join(folder, '*.sqlite')]) {
      const { code, stdout } = await dparse(input);
      expect(code).to.equal(0);
      const headers = lines(stdout).filter((record) => record.type === 'profile');
      expect(headers.map(({ profile, file, rank }) => [profile, file, rank])).to.deep.equal([
        [0, 'a_rank_0.sqlite', 0],
        [1, 'b_rank_1.sqlite', 1],
      ]);
    }
  });

  it('-j gives the same bytes where a worker takes one profile after the other, of any format and none', async () => {
    const broken = join(folderOf(), 'broken.sqlite');
    writeFileSync(broken, readFileSync(SAMPLE).subarray(0, 5000));
    const names = ['decoder.pt.trace.json.gz', 'ascend_pytorch_profiler_0.db', 'attention.ntff'];
    const inputs = names.flatMap((name) => [join(ROOT, 'samples', name), broken, SAMPLE]);
    const [one, two] = [await dparse('-j', '1', ...inputs), await dparse('-j', '2', ...inputs)];
    expect(two).to.deep.equal(one);
    expect(one.stdout.match(/^{"type":"end"/gm)).to.have.length(2 * names.length);
    expect(one.code).to.equal(1);
  });

  itSlow('-j takes more workers than ten without a warning', async () => {
    const warnings: Error[] = [];
    const take = (warning: Error): number => warnings.push(warning);
    process.on('warning', take);
    const folder = folderOf(...Array.from({ length: 11 }, (_, n) => `${n}.sqlite`));
    expect((await dparse('-q', '-j', '11', folder)).code).to.equal(0);
    // The command has a worker a core at most, fewer than that on most machines.
    let written = '';
    const write = (piece: string | Uint8Array): void => {
      written += typeof piece === 'string' ? piece : Buffer.from(piece).toString();
    };
    const options = { ranges: false, output: 'records' } as const;
    let profiles = 0;
    for await (const { outcome } of parseMany(findProfiles([folder]), options, 11, write)) {
      if (!(outcome instanceof UserError)) profiles++;
    }
    process.off('warning', take);
    expect(warnings).to.deep.equal([]);
    expect([profiles, written.match(/^{"type":"end"/gm)?.length]).to.deep.equal([11, 11]);
  });

  it('-j has a worker a core at most', () => {
    const jobsOf = (n: number): number | undefined => readArguments(['-j', String(n), SAMPLE]).jobs;
    expect([1, 1_000_000].map(jobsOf)).to.deep.equal([1, usableCores()]);
  });

  it('reads a folder with a link to itself, whose size nobody knows', async () => {
    const folder = folderOf('a.sqlite');
    symlinkSync('self', join(folder, 'self'));
    const { code, stdout, stderr } = await dparse(folder);
    expect(code).to.equal(1);
    expect(stdout).to.match(/"type":"end"/);
    expect(stderr).to.match(/self: cannot be read: too many symbolic links\n$/);
  });

  itSlow('gives the same bytes without -j, where inputs are large enough for several workers', async () => {
    const folder = folderOf('a.sqlite');
    const trace = gunzipSync(readFileSync(join(ROOT, 'samples/lenet.pt.trace.json.gz'))).toString();
    const padded = trace.replace('{', `{"padding": "${'x'.repeat(17_000_000)}",`);
    for (const name of ['b', 'c']) writeFileSync(join(folder, `${name}.json`), padded);
    expect(await dparse(folder)).to.deep.equal(await dparse('-j', '1', folder));
  });

  it('--ranges writes the host ranges among the activities, in order of start time', async () => {
    const path = new NsightDatabase().launch(1, ['outer', 'inner']).write();
    const { stdout } = await dparse('--ranges', path);
    const kinds = lines(stdout).map((record) => (record.type === 'range' ? record.text : record.type));
    expect(kinds).to.deep.equal(['profile', 'outer', 'inner', 'cudaLaunchKernel', 'kernel', 'end']);
    expect(lines(stdout).at(-1)).to.deep.include({ counts: { kernel: 1, range: 3 } });
  });

  it('a capture without kernels is no failure', async () => {
    for (const path of [new NsightDatabase().write(), new NvprofDatabase().write()]) {
      const { code, stdout, stderr } = await dparse(path);
      expect(code).to.equal(0);
      expect(lines(stdout).map(({ type }) => type)).to.deep.equal(['profile', 'end']);
      expect(stderr).to.match(/: 0 kernels\n$/);
    }
  });

  it('says what was odd in the input', async () => {
    const db = new NsightDatabase().kernel({ start: 5, end: 6 }, 1).kernel({ start: 9, end: 8 }, null);
    const { code, stderr } = await dparse(db.write());
    expect(code).to.equal(0);
    expect(stderr)
      .to.match(/kernels whose launch call is not in the profile: 2/)
      .and.match(/rows that end before they start \([^)]*\): 1/);
  });

  it('one bad input does not lose the others; the exit code says so', async () => {
    const good = new NsightDatabase().launch(1, []).write();
    const { code, stdout, stderr } = await dparse('-q', good, `${good}.missing`, good);
    expect(code).to.equal(1);
    expect(stderr).to.match(/^dparse: .*missing: no such file or directory\n$/);
    expect(lines(stdout).filter(({ type }) => type === 'profile')).to.have.length(2);
  });

  it('leaves inputs and their folders as they were', async () => {
    const folder = folderOf('a.sqlite');
    const before = readFileSync(join(folder, 'a.sqlite'));
    await dparse(folder);
    expect(readdirSync(folder)).to.deep.equal(['a.sqlite']);
    expect(readFileSync(join(folder, 'a.sqlite')).equals(before)).to.equal(true);
  });

  it('-o writes the same bytes to a file, replacing one that is there', async () => {
    const { stdout } = await dparse(SAMPLE);
    const output = freshPath('.dict');
    writeFileSync(output, 'old');
    const ran = await dparse('-o', output, SAMPLE);
    expect(ran).to.include({ code: 0, stdout: '' });
    expect(readFileSync(output, 'utf8') === stdout).to.equal(true);
  });
});

describe('dparse: information', () => {
  it('--help fits a screen and has examples', async () => {
    const { code, stdout, stderr } = await dparse('--help');
    expect(code).to.equal(0);
    expect(stderr).to.equal('');
    const text = stdout.trimEnd().split('\n');
    expect(text.length).to.be.at.most(40);
    for (const line of text) expect(line.length, line).to.be.at.most(80);
    expect(stdout).to.match(/^Examples:\n {2}dparse /m);
    for (const option of ['-o', '-j', '--ranges', '-q', '--format', '--formats', '--version']) {
      expect(stdout).to.include(option);
    }
  });

  it('--formats lists what is read, and what is only recognised', async () => {
    const { code, stdout } = await dparse('--formats');
    expect(code).to.equal(0);
    for (const { id, title } of READERS)
      expect(stdout)
        .to.match(new RegExp(`^${id} +`, 'm'))
        .and.include(title);
    expect(stdout).to.include('nsys export --type sqlite');
  });

  it('--version is that of the package', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(await dparse('--version')).to.include({ code: 0, stdout: `${version}\n` });
  });
});

describe('dparse: wrong use', () => {
  const cases: [what: string, args: string[], stderr: RegExp][] = [
    ['no input', [], /^dparse: no INPUT \(usage: .*\)\n$/],
    ['an unknown option', ['--rangs', SAMPLE], /^dparse: unknown option --rangs \(did you mean --ranges\?\)\n$/],
    ['an unknown letter', ['-x', SAMPLE], /^dparse: unknown option -x \(dparse --help lists them\)\n$/],
    [
      'an unknown format',
      ['--input-format', 'nsigth', SAMPLE],
      /^dparse: unknown format 'nsigth' \(did you mean nsight\?\)\n$/,
    ],
    ['an option without its value', [SAMPLE, '-o'], /^dparse: .*needs a value.*\n$/],
    ['no number of jobs', ['-j', 'two', SAMPLE], /^dparse: .*not 'two'\n$/],
    ['stdin twice', ['-', '-'], /^dparse: stdin \(-\) can be read only once\n$/],
    ['no jobs', ['-j', '0', SAMPLE], /^dparse: .*at least 1, not '0'\n$/],
  ];
  for (const [what, args, stderr] of cases) {
    it(`${what}: exit 2 and one line`, async () => {
      const ran = await dparse(...args);
      expect(ran.stderr).to.match(stderr);
      expect(ran).to.include({ code: 2, stdout: '' });
    });
  }

  it('a program that is not there is said where no input needs one, too', async () => {
    const ran = await dparse('--neff', 'none.neff', SAMPLE);
    expect(ran).to.include({ code: 1, stdout: '', stderr: 'dparse: none.neff: no such file\n' });
  });

  it('an output is not made', async () => {
    const output = freshPath('.dict');
    await dparse('-o', output, '--wrong', SAMPLE);
    expect(existsSync(output)).to.equal(false);
  });
});
