import { expect } from 'chai';
import { HOST_HINT } from '../../src/prof/analysis.js';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  copyFileSync,
  mkdirSync,
  symlinkSync,
  writeFileSync,
  lstatSync,
  statSync,
  existsSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { COMMANDS } from '../../src/cli/commands.js';
import { COLUMNS } from '../../src/prof/columns/columns.js';
import { awaited } from '../support/waits.js';
import { kernel, mm } from '../support/kernels.js';
import { commandOf, runCli, spawnCli } from '../support/run-cli.js';
import { itShared, ROOT } from '../support/shared.js';
import { itWithProcess } from '../support/sets.js';

const call = { calls: [mm(128, 64, 256)], mod: ['torch'], op: ['mm'] };
const RECORDS = [
  {
    type: 'profile',
    v: 1,
    profile: 0,
    format: 'nsight',
    tool: null,
    file: 'n',
    rank: null,
    startUnixNs: null,
    dur: null,
    devices: [],
  },
  kernel({ id: 1, dur: 30 }),
  kernel({ id: 2, dur: 10, name: 'volta_sgemm_nn', short: 'volta_sgemm_nn', ...call }),
  kernel({ id: 3, dur: 20, short: 'reduce' }),
  { type: 'end', profile: 0, counts: { kernel: 3 }, diagnostics: {} },
]
  .map((record) => `${JSON.stringify(record)}\n`)
  .join('');

describe('dprof', () => {
  let folder = '';
  const path = (name: string): string => join(folder, name);
  const file = (name: string, content: string | Buffer): string => {
    writeFileSync(path(name), content);
    return path(name);
  };
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'dprof-test-'));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  describe('reports', () => {
    it('records from stdin, data on stdout and the summary on stderr', async () => {
      const { code, stdout, stderr } = await runCli('dprof', ['-c', 'idx,op,kernel,sil'], { input: RECORDS });
      expect(stdout).to.equal('Idx Op Kernel Sil(ns)\n1 na k 30\n2 mm volta_sgemm_nn 10\n3 na reduce 20\n');
      expect(stderr).to.equal('dprof: 3 kernels: 2 without op; run with --explain ID for reasons\n');
      expect(code).to.equal(0);
    });

    it('the same from a file, from gzip, from -', async () => {
      const runs = await Promise.all([
        runCli('dprof', ['-q', file('r.dict', RECORDS)]),
        runCli('dprof', ['-q', file('r.gz', gzipSync(RECORDS))]),
        runCli('dprof', ['-q', '-'], { input: gzipSync(RECORDS) }),
        runCli('dprof', ['-q', '-'], { input: RECORDS }),
      ]);
      for (const run of runs) expect(run).to.deep.equal(runs[0]);
      expect(runs[0].stderr).to.equal('');
      expect(runs[0].stdout.split('\n')).to.have.length(5);
    });

    it('filtered, sorted, cut to the first, without header', async () => {
      const run = (...args: string[]) =>
        runCli('dprof', ['-q', '-c', 'idx', '--no-header', ...args], { input: RECORDS });
      const [where, sort, up, down, top] = await Promise.all([
        run('--where', 'sil>=20'),
        run('--sort', 'sil'),
        run('--sort', '+sil'),
        run('--sort', '-idx'),
        run('--sort', 'sil', '--top', '1'),
      ]);
      expect([where, sort, up, down, top].map((ran) => ran.stdout)).to.deep.equal([
        '1\n3\n',
        '1\n3\n2\n',
        '2\n3\n1\n',
        '3\n2\n1\n',
        '1\n',
      ]);
    });

    it('in any format', async () => {
      const run = (...args: string[]) =>
        runCli('dprof', ['-q', '-c', 'idx,grid', '--top', '1', ...args], { input: RECORDS });
      const [csv, json, columns, table] = await Promise.all([
        run('--csv'),
        run('-f', 'jsonl'),
        run('-w', '20'),
        run('-f', 'table'),
      ]);
      expect(csv.stdout).to.equal('Idx,Grid\n1,"2,1,1"\n');
      expect(json.stdout).to.equal('{"idx":1,"grid":[2,1,1]}\n');
      expect(columns.stdout).to.equal('    Idx         Grid\n      1        2,1,1\n');
      expect(table.stdout).to.include('│   1 │ 2,1,1 │');
    });

    it('the reasons for one kernel', async () => {
      const { stdout, code } = await runCli('dprof', ['--explain', '2'], { input: RECORDS });
      expect(stdout).to.match(/^FLOPs +4194304$/m);
      expect(code).to.equal(0);
      const none = await runCli('dprof', ['--explain', '7'], { input: RECORDS });
      expect([none.code, none.stderr]).to.deep.equal([
        1,
        'dprof: stdin: no kernel 7 (see the columns idx and profile)\n',
      ]);
    });

    it('the reasons for one kernel, without what its name would do to a terminal', async () => {
      const input = JSON.stringify(kernel({ name: 'a\u001b[31mred\nline', short: 'a\u001b[31mred' }));
      const { stdout } = await runCli('dprof', ['--explain', '1'], { input });
      expect(stdout)
        .to.match(/^kernel +0:1 a\\u001b\[31mred$/m)
        .and.match(/^full name +a\\u001b\[31mred\\u000aline$/m);
    });

    it('of no kernels: the header, a note, and no failure', async () => {
      const [profile = ''] = RECORDS.split('\n');
      const empty = await runCli('dprof', ['-c', 'idx,sil'], { input: `${profile}\n{"type":"end","profile":0}\n` });
      expect(empty).to.deep.include({
        code: 0,
        stdout: 'Idx Sil(ns)\n',
        stderr: `dprof: stdin: no kernels (${HOST_HINT})\n`,
      });
      const none = await runCli('dprof', ['-c', 'idx', '--where', 'op==x'], { input: RECORDS });
      expect(none).to.deep.include({ code: 0, stdout: 'Idx\n', stderr: 'dprof: none of 3 kernels matches --where\n' });
    });

    itShared('the same of a profile as of its records', ['data/pyprof/nsys_1000.sqlite'], async ([profile = '']) => {
      const records = await runCli('dparse', ['-q', profile]);
      const [direct, piped] = await Promise.all([
        runCli('dprof', ['-q', profile]),
        runCli('dprof', ['-q'], { input: records.stdout }),
      ]);
      expect(direct.stdout.split('\n')).to.have.length(1002);
      expect(direct).to.deep.equal(piped);
    });
  });

  it('takes options before the name of a command', async () => {
    const behind = await runCli('dprof', ['summary', '-q', '-f', 'jsonl', '--top', '2', 'samples/lenet.nsys.sqlite']);
    const before = await runCli('dprof', ['-q', '-f', 'jsonl', '--top', '2', 'summary', 'samples/lenet.nsys.sqlite']);
    expect(before).to.deep.equal(behind);
    expect(before).to.include({ code: 0, stderr: '' });
  });

  describe('help', () => {
    it('fits a screen and lists what there is', async () => {
      const { stdout, code } = await runCli('dprof', ['--help']);
      const lines = stdout.split('\n');
      expect(code).to.equal(0);
      expect(lines.length).to.be.at.most(64);
      for (const line of lines) expect(line.length).to.be.at.most(80);
      for (const name of Object.keys(COMMANDS)) expect(stdout).to.match(new RegExp(`^  ${name} +\\S`, 'm'));
      const columns = await runCli('dprof', ['--columns']);
      expect(columns.stdout.trimEnd().split('\n')).to.have.length(COLUMNS.length);
      for (const { key } of COLUMNS) expect(columns.stdout).to.match(new RegExp(`^${key} `, 'm'));
      const version = await runCli('dprof', ['--version']);
      expect(version.stdout).to.match(/^\d+\.\d+\.\d+\n$/);
    });
  });

  describe('wrong use is answered with one line and exit code 2', () => {
    const cases: readonly [args: string[], answer: RegExp][] = [
      [['-c', 'krnel'], /unknown column 'krnel' \(did you mean kernel\?\)/],
      [['--csv', '-w', '80'], /--csv and --width cannot be combined \(use one of them\)/],
      [['--csv', '-f', 'json'], /--csv cannot be combined with --format json/],
      [['-f', 'json', '-w', '80'], /-w cannot be combined with --format json/],
      [['version'], /'version' is neither a command nor a file \(did you mean dprof --version\?\)/],
      [['kernels', 'x.json'], /'kernels' is neither a command nor a file \(dprof FILE has a row for each kernel\)/],
      [['help', 'kernels'], /no command 'kernels' \(dprof FILE has a row for each kernel\)/],
      [['sumary', 'x.json'], /'sumary' is neither a command nor a file \(did you mean dprof summary\?\)/],
      [['-f', 'jsn'], /unknown format 'jsn' \(did you mean json\?\)/],
      [['-w', 'wide'], /-w takes a number, not 'wide'/],
      [['--top', '0'], /--top takes a number/],
      [['--where', 'op='], /--where: expected one of/],
      [['--colums'], /unknown option --colums \(did you mean --columns\?\)/],
      [['-x'], /unknown option -x/],
      [['--_', 'a.dict'], /unknown option -_/],
      [['-c'], /-c needs a value/],
      [['-o', '--csv'], /--output needs a value/],
      [['-q', 'sumary', 'x.json'], /'sumary' is neither a command nor a file \(did you mean dprof summary\?\)/],
      [['-', '-'], /stdin \(-\) can be read only once/],
      [['x', 'summary'], /no file 'summary' \(the command comes first\): dprof summary /],
    ];
    for (const [args, answer] of cases) {
      it(args.join(' '), async () => {
        const { code, stdout, stderr } = await runCli('dprof', args, { input: RECORDS });
        expect(stderr)
          .to.match(answer)
          .and.to.match(/^dprof: [^\n]+\n$/);
        expect([code, stdout]).to.deep.equal([2, '']);
      });
    }
  });

  describe('bad input is answered with one line and exit code 1', () => {
    const cases: readonly [title: string, name: string, content: string | Buffer, answer: RegExp][] = [
      ['an empty file', 'empty', '', /empty: is empty \(/],
      ['text', 'text', 'hello\n', /text:1: not a record \(/],
      ['a broken line', 'broken', `${RECORDS}{"type":\n\n{}`, /broken:6: broken record: it is cut off \(/],
      ['a SQLite file of something else', 'other.sqlite', `SQLite format 3\0${'\0'.repeat(600)}`, /other\.sqlite: /],
      ['a binary file', 'binary', Buffer.from([0, 1, 2, 3, 255]), /binary: is a binary file/],
      ['XML', 'net.nvvp', '<?xml version="1.0"?>', /net\.nvvp: is a Visual Profiler session/],
    ];
    for (const [title, name, content, answer] of cases) {
      it(title, async () => {
        const { code, stderr } = await runCli('dprof', [file(name, content)]);
        expect(stderr)
          .to.match(answer)
          .and.to.match(/^dprof: [^\n]+\n$/);
        expect(code).to.equal(1);
      });
    }
    it('a trace that is cut off: every command reports what stands before, says so in a line, and ends with 1', async () => {
      const whole = readFileSync(join(ROOT, 'samples/lenet.pt.trace.json.gz'));
      const trace = file('cut.json.gz', whole.subarray(0, 20_000));
      const page = join(folder, 'cut.html');
      const records = await runCli('dparse', ['-q', trace]);
      const ran = [
        records,
        await runCli('dprof', ['-q', '-'], { input: records.stdout }),
        ...(await Promise.all(
          [[], ['--by', 'op'], ['summary'], ['advise'], ['steps'], ['stacks'], ['html', '-o', page]].map((command) =>
            runCli('dprof', [...command, '-q', trace]),
          ),
        )),
        await runCli('dprof', ['diff', '-q', trace, trace]),
      ];
      for (const { code, stderr } of ran) {
        expect(stderr).to.match(/^((dparse|dprof): [^\n]*: the profile is cut off; the part before was read\n)+$/);
        expect(code).to.equal(1);
      }
      // All but the page's command write what they found to stdout.
      expect(ran.filter(({ stdout }) => stdout.length > 100)).to.have.length(ran.length - 1);
      expect(statSync(page).size).to.be.above(100_000);
      // The cut is named where nothing can be reported too.
      const nothing = await runCli('dprof', ['memory', '-q', trace]);
      expect(nothing.stderr).to.match(/^dprof: [^\n]*cut\.json\.gz: the profile is cut off; [^\n]+\n$/);
      const both = await runCli('dprof', ['summary', '-q', trace, trace]);
      expect(both.stderr).to.match(/^(dprof: [^\n]*: the profile is cut off; the part before was read\n){2}$/);
      // Of two inputs each is named.
      const compared = ran.at(-1);
      expect(compared?.stderr.match(/the profile is cut off/g)).to.have.length(2);
      rmSync(trace);
    });

    it('a folder of several profiles in the place of one is refused for that, not for what else cannot be read there', async () => {
      const several = join(folder, 'several');
      mkdirSync(several);
      for (const name of ['a.gz', 'b.gz'])
        copyFileSync(join(ROOT, 'samples/lenet.pt.trace.json.gz'), join(several, name));
      symlinkSync('nothing', join(several, 'c'));
      const { code, stderr } = await runCli('dprof', ['diff', several, several]);
      expect(stderr).to.match(/^dprof: [^\n]*several: holds 2 profiles \([^\n]+\)\n$/);
      expect(code).to.equal(1);
      rmSync(several, { recursive: true });
    });

    it('of which the rest is missing: what stands before is reported', async () => {
      const cut = [`${RECORDS}{"type":`, `${RECORDS}${JSON.stringify(kernel()).slice(0, 80)}`];
      for (const input of cut) {
        const { code, stdout, stderr } = await runCli('dprof', ['-f', 'jsonl'], { input });
        expect(stdout.trim().split('\n')).to.have.length(3);
        expect(stderr).to.match(/^dprof: 3 kernels.*\ndprof: stdin:6: broken record: it is cut off; the part before was read \([^\n]+\)\n$/); // prettier-ignore
        expect(code).to.equal(1);
      }
      const packed = gzipSync(RECORDS.repeat(100));
      const half = await runCli('dprof', ['--by', 'op', file('half.gz', packed.subarray(0, packed.length / 2))]);
      expect(half.stderr).to.match(/half\.gz: compressed data is cut off; the part before was read \(/);
      expect([half.code, half.stdout === '']).to.deep.equal([1, false]);
      rmSync(join(folder, 'half.gz'));
      // Cut at the end of a line, by a command as `head` or on the way here.
      const headed = RECORDS.split('\n').slice(0, 3).join('\n');
      const line = await runCli('dprof', [], { input: headed });
      expect(line.stderr).to.match(
        /\ndprof: stdin: the records are cut off: a profile has no end; the part before was read\n$/,
      );
      expect(line.code).to.equal(1);
    });
    it('a missing file, a folder, an empty stdin, a width that is too small', async () => {
      const texts = join(folder, 'texts');
      mkdirSync(texts);
      writeFileSync(join(texts, 'notes.txt'), 'nothing\n');
      const [missing, dir, empty, narrow] = await Promise.all([
        runCli('dprof', ['/no/such/file']),
        runCli('dprof', [texts]),
        runCli('dprof', []),
        runCli('dprof', ['-w', '6'], { input: RECORDS }),
      ]);
      expect(missing.stderr).to.equal('dprof: /no/such/file: no such file\n');
      expect(dir.stderr).to.match(/^dprof: .*: no profile in \d+ files? \(/);
      expect(empty.stderr).to.match(/^dprof: stdin: is empty \(/);
      expect(narrow.stderr).to.match(/^dprof: minimum width for idx is 7 \(-w 6 is too small; /);
      expect([missing, dir, empty, narrow].map((ran) => ran.code)).to.deep.equal([1, 1, 1, 1]);
      expect([missing, dir, empty, narrow].map((ran) => ran.stdout)).to.deep.equal(['', '', '', '']);
    });
    it('a profile on stdin', async () => {
      const { code, stderr } = await runCli('dprof', [], { input: Buffer.from('SQLite format 3\0') });
      expect([code, stderr]).to.deep.equal([
        1,
        'dprof: stdin: does not contain dparse records, and profiles cannot be read from a pipe (dprof FILE, or dparse FILE | dprof)\n',
      ]);
    });
    itWithProcess('a profile in a named pipe, as of a shell’s <( )', async () => {
      const pipe = path('pipe');
      execFileSync('mkfifo', [pipe]);
      const [{ code, stderr }] = await Promise.all([
        spawnCli('dprof', [pipe]),
        writeFile(pipe, '{"traceEvents": []}\n'),
      ]);
      expect([code, stderr]).to.deep.equal([
        1,
        `dprof: ${pipe}: does not contain dparse records, and profiles cannot be read from a pipe (dprof FILE, or dparse FILE | dprof)\n`,
      ]);
    });
  });

  describe('-o', () => {
    it('writes the file, also through a link', async () => {
      const target = file('target', 'old');
      symlinkSync(target, path('link'));
      const { code, stdout } = await runCli('dprof', ['-q', '-c', 'idx', '-o', path('link')], { input: RECORDS });
      expect([code, stdout, readFileSync(target, 'utf8')]).to.deep.equal([0, '', 'Idx\n1\n2\n3\n']);
      expect(lstatSync(path('link')).isSymbolicLink()).to.equal(true);
    });

    it('never writes onto the input', async () => {
      const input = file('same', RECORDS);
      const { code, stderr } = await runCli('dprof', ['-o', input, input]);
      expect([code, stderr]).to.deep.equal([1, `dprof: ${input}: is the input (choose another name for -o)\n`]);
      expect(readFileSync(input, 'utf8')).to.equal(RECORDS);
    });

    it('leaves nothing behind when the input is broken', async () => {
      const before = readdirSync(folder);
      const { code } = await runCli('dprof', ['-o', path('never')], { input: `${RECORDS}{\n{}` });
      expect(code).to.equal(1);
      expect(readdirSync(folder)).to.deep.equal(before);
    });

    itWithProcess('leaves nothing behind when the user interrupts', async () => {
      const before = readdirSync(folder);
      const child = spawn(process.execPath, [...commandOf('dprof'), '-o', path('half')], {
        stdio: ['pipe', 'ignore', 'ignore'],
      });
      child.stdin.on('error', () => undefined);
      // More than is gathered before it is written.
      child.stdin.write(
        Array.from({ length: 40_000 }, (_, i) => `${JSON.stringify(kernel({ id: i + 1 }))}\n`).join(''),
      );
      await awaited('the output', () => readdirSync(folder).find((name) => !before.includes(name)));
      child.kill('SIGINT');
      expect(await once(child, 'exit')).to.deep.equal([null, 'SIGINT']);
      const isLeft = (): boolean => readdirSync(folder).length > before.length;
      await awaited('the removal of the output', () => (isLeft() ? undefined : true));
    });

    it('says when it cannot write', async () => {
      const { code, stderr } = await runCli('dprof', ['-o', path('no/such/folder')], { input: RECORDS });
      expect(code).to.equal(1);
      expect(stderr).to.match(/^dprof: .*folder: cannot write: no such file or directory\n$/);
      const onto = await runCli('dprof', ['-o', folder], { input: RECORDS });
      expect(onto.stderr).to.match(/: is a directory \(/);
    });

    it('says when the disk is full', async function () {
      if (!existsSync('/dev/full')) this.skip();
      const { code, stderr } = await runCli('dprof', ['-o', '/dev/full'], { input: RECORDS });
      expect([code, stderr]).to.deep.equal([1, 'dprof: /dev/full: cannot write: no space left on the device\n']);
      expect(lstatSync('/dev/full').isFile()).to.equal(false);
    });
  });

  itWithProcess('ends quietly when the reader of its output has seen enough', async () => {
    const many = Array.from({ length: 20_000 }, (_, i) => `${JSON.stringify(kernel({ id: i + 1 }))}\n`).join('');
    const child = spawn(process.execPath, [...commandOf('dprof'), file('many', many)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    await once(child.stdout, 'data');
    child.stdout.destroy();
    const [code] = (await once(child, 'close')) as [number | null];
    expect([code, stderr]).to.deep.equal([0, '']);
  });
});
