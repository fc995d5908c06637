import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { freshPath } from '../support/fresh-path.js';
import { kernel } from '../support/kernels.js';
import { runCli, type Ran } from '../support/run-cli.js';

const HEADER = `${JSON.stringify({ type: 'profile', v: 1, profile: 0, format: 'nsight', tool: null, file: 'net', rank: null, startUnixNs: null, dur: null, devices: [] })}\n`;
const END = `${JSON.stringify({ type: 'end', profile: 0, counts: { kernel: 1 }, diagnostics: {} })}\n`;
const LINE = `${JSON.stringify(kernel({ id: 1, start: 100, dur: 10, name: 'gemm', short: 'gemm' }))}\n`;
const RECORDS = HEADER + LINE + END;
const TRACE = JSON.stringify({
  schemaVersion: 1,
  traceEvents: [{ ph: 'X', cat: 'kernel', name: 'k', pid: 0, tid: 7, ts: 1, dur: 2, args: { device: 0, stream: 7 } }],
});
const DEEP = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

const utf16 = (text: string, mark: boolean): Buffer => Buffer.from(`${mark ? '\ufeff' : ''}${text}`, 'utf16le');

/** dprof's answer for a file with these bytes, which is the same for their gzip. */
async function answerFor(bytes: string | Buffer): Promise<Ran> {
  const [plain, zipped] = [freshPath('.dict'), freshPath('.dict.gz')];
  writeFileSync(plain, bytes);
  writeFileSync(zipped, gzipSync(bytes));
  const [ran, same] = [await runCli('dprof', ['-f', 'csv', '-c', 'idx,kernel,sil', plain]), await runCli('dprof', ['-f', 'csv', '-c', 'idx,kernel,sil', zipped])];
  expect({ ...same, stderr: same.stderr.replaceAll(zipped, plain) }).to.deep.equal(ran);
  return { ...ran, stderr: ran.stderr.replaceAll(plain, 'FILE') };
} // prettier-ignore

const BROKEN = '(the file may be cut off or edited: write it again with dparse)';
const CONVERT = '(convert it to UTF-8: iconv -f UTF-16 -t UTF-8 FILE)';
const REFUSED: readonly (readonly [what: string, bytes: string | Buffer, line: string])[] = [
  ['a NUL in the first line', RECORDS.replace('"v"', '\0"v"'), `FILE:1: broken record at column 19 ${BROKEN}`],
  ['a NUL in a later line', RECORDS.replace('"gemm"', '\0"gemm"'), `FILE:2: broken record ${BROKEN}`],
  ['NULs in place of a line', HEADER + LINE + '\0'.repeat(4096) + END, 'FILE:3: not a record'],
  ['UTF-16 with a mark', utf16(RECORDS, true), `FILE: is text in UTF-16 ${CONVERT}`],
  ['UTF-16 without a mark', utf16(RECORDS, false), `FILE: is text in UTF-16 ${CONVERT}`],
  ['UTF-16, big-endian', utf16(RECORDS, true).swap16(), `FILE: is text in UTF-16 ${CONVERT}`],
  ['a trace in UTF-16', utf16(TRACE, true), `FILE: is text in UTF-16 ${CONVERT}`],
];
const READ: readonly (readonly [what: string, bytes: string, row: string])[] = [
  ['a byte order mark', `\ufeff${RECORDS}`, '1,gemm,10'],
  ['a start beyond all numbers', RECORDS.replace('"start":100', '"start":1e999'), '1,gemm,10'],
  ['an id beyond all numbers', RECORDS.replace('"id":1,', '"id":1e999,'), '1,gemm,10'],
  ['a duration beyond all numbers', RECORDS.replace('"dur":10', '"dur":1e999'), '1,gemm,na'],
  ['a duration of 2^64', RECORDS.replace('"dur":10', '"dur":18446744073709551616'), '1,gemm,na'],
  ['lists in lists, 100,000 deep', RECORDS.replace('"step"', `"counters":${DEEP},"step"`), '1,gemm,10'],
  ['a trace with lists in lists, 100,000 deep', TRACE.replace('"stream"', `"Input Dims":${DEEP},"stream"`), '1,k,2000'],
];

describe('odd inputs', () => {
  for (const [what, bytes, line] of REFUSED) {
    it(`${what}: one line`, async () => {
      const { code, stdout, stderr } = await answerFor(bytes);
      expect(stderr.split('\n')).to.have.length(2);
      expect(stderr).to.include(`dprof: ${line}`);
      expect([code, stdout.split('\n').length <= 3]).to.deep.equal([1, true]);
    });
  }

  for (const [what, bytes, row] of READ) {
    it(`${what}: is read`, async () => {
      const { code, stdout } = await answerFor(bytes);
      expect([code, stdout]).to.deep.equal([0, `Idx,Kernel,Sil(ns)\n${row}\n`]);
    });
  }

  it('a width that no terminal has is refused', async () => {
    const ran = await runCli('dprof', ['-w', '999999999'], { input: RECORDS });
    expect(ran).to.include({ code: 2, stderr: "dprof: -w takes a number of at most 10000, not '999999999'\n" });
    expect(await runCli('dprof', ['-w', '10000'], { input: RECORDS })).to.include({ code: 0 });
  });

  it('a narrow width leaves out the last columns and names them, also where the run is quiet', async () => {
    // 7 idx, 5 dir, 3 sub, 15 mod, 15 op, 6 kernel, 6 params, 10 sil, and a blank between two: 49 up to op, 56 with kernel.
    const run = (...args: string[]) => runCli('dprof', ['-q', ...args], { input: RECORDS });
    const full = 'Idx,Direc,Sub,Module,Op,Kernel,Params,Sil(ns)'.split(',');
    const shown = [
      [74, 8],
      [73, 7],
      [60, 6],
      [56, 6],
      [55, 5],
      [20, 3],
    ] as const;
    for (const [width, count] of shown) {
      const { code, stdout, stderr } = await run('-w', String(width));
      const lines = stdout.split('\n');
      expect([code, lines[0]?.trim().split(/ +/)]).to.deep.equal([0, full.slice(0, count)]);
      for (const line of lines) expect(line.length).to.be.at.most(width);
      const left = 'idx,dir,sub,mod,op,kernel,params,sil'.split(',').slice(count).join();
      const said = `dprof: -w ${width} has no room for ${left} (-w 74 shows all; -c chooses which)\n`;
      expect(stderr).to.equal(count === 8 ? '' : said);
    }
    const groups = await run('-w', '30', '--by', 'kernel', '-c', 'kernel,count,total,tflops');
    expect(groups.stderr).to.match(/^dprof: -w 30 has no room for tflops \(-w \d+ shows all/);
    expect(groups.stdout).to.match(/^Kernel +Count +Total\(ns\)\n/);
  });

  describe('a net.dict with text among its kernels', () => {
    const dict = (name: string): string => `{'kShortName': '${name}', 'kDuration': 7}`;
    const HINT = '(all kernels in the file were read; run dparse on the profile itself)';
    const files: [what: string, lines: string[], kernels: string[], code: number, said: string][] = [
      [
        'of the database, where the script stopped',
        [dict('a'), dict('b'), 'no such table: CUPTI_ACTIVITY_KIND_DRIVER'],
        ['a', 'b'],
        1,
        `dprof: stdin:3: 1 line of text between the kernels: "no such table: CUPTI_ACTIVITY_KIND_DRIVER"; some kernels may be missing ${HINT}\n`,
      ],
      [
        'of its progress',
        [
          'Found 3 kernels. Getting info for each kernel.',
          `\r  0%|          | 0/3 [00:00<?, ?it/s]${dict('a')}`,
          `${dict('b').slice(0, 9)}\r 50%|#####     | 1/3 [00:00<00:00, 9.1it/s]${dict('b').slice(9)}`,
          '\r100%|##########| 3/3 [00:00<00:00, 9.12it/s]',
        ],
        ['a', 'b'],
        0,
        'dprof: stdin: 1 line of text between the kernels skipped: script output or warnings\n',
      ],
      [
        'of a failure of Python, in the middle of a kernel',
        [
          dict('a'),
          "{'kShortName': 'lTraceback (most recent call last):",
          '  File "parse.py", line 25, in main',
          'AssertionError',
          "ost', 'kDuration': 7}",
          dict('b'),
        ],
        ['a', 'b'],
        1,
        `dprof: stdin:2: 4 lines of text between the kernels: "AssertionError"; some kernels may be missing ${HINT}\n`,
      ],
      [
        'that is a damaged kernel',
        [dict('a'), ` ${dict('b').slice(1)}`],
        ['a'],
        1,
        `dprof: stdin:2: 1 line of text between the kernels: "'kShortName': 'b', 'kDuration': 7}"; some kernels may be missing ${HINT}\n`,
      ],
      [
        'alone',
        ['no such table: A', 'no such table: B'],
        [],
        1,
        'dprof: stdin:1: not kernels but a database message: "no such table: A" (run dparse on the profile itself)\n',
      ],
    ];
    for (const [what, lines, kernels, code, said] of files) {
      it(what, async () => {
        const ran = await runCli('dprof', ['--no-header', '-c', 'kernel'], { input: `${lines.join('\n')}\n` });
        const rows = ran.stdout.split('\n').filter((line) => line !== '');
        expect([rows, ran.code]).to.deep.equal([kernels, code]);
        expect(
          ran.stderr
            .split('\n')
            .filter((line) => line.includes('stdin'))
            .join('\n'),
        ).to.equal(said.trimEnd());
      });
    }

    it('that is cut off in the middle of a text has the kernels before', async () => {
      const input = `${dict('a')}\n${dict('b').slice(0, 17)}`;
      const ran = await runCli('dprof', ['--no-header', '-c', 'kernel'], { input });
      expect([ran.stdout, ran.code]).to.deep.equal(['a\n', 1]);
      expect(ran.stderr).to.match(/^dprof: stdin:2: broken record: it is cut off; the part before was read/m);
    });

    it('has no record of dparse behind it, and ends where no kernel comes', async () => {
      for (const rest of [RECORDS, 'text\n'.repeat(200)]) {
        const ran = await runCli('dprof', ['-q'], { input: `text\n${rest}` });
        expect([ran.stdout, ran.code]).to.deep.equal(['', 1]);
        expect(ran.stderr).to.match(/^dprof: stdin:1: not a record \(expected dparse records, a net.dict/);
      }
    });
  });

  it('terms: a word of megabytes is no term', async () => {
    for (const word of ['x'.repeat(2 ** 22), '('.repeat(2 ** 22), 'a|'.repeat(2 ** 21)]) {
      const { code, stderr } = await runCli('dprof', ['terms', word]);
      expect([code, stderr]).to.deep.equal([1, `dprof: no term '${word.slice(0, 80)}…' (dprof terms lists all)\n`]);
    }
  });
});
