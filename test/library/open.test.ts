/** `open`: the records that the programs read, of any input; one clear line for any other. */
import { expect } from 'chai';
import { copyFileSync, createReadStream, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { open, UserError, type OpenOptions, type ProfileLine } from '../../src/index.js';
import { freshPath } from '../support/fresh-path.js';
import { runCli } from '../support/run-cli.js';
import { ROOT } from '../support/shared.js';

const sample = (name: string): string => join(ROOT, 'samples', name);
const NSIGHT = sample('lenet.nsys.sqlite');
const TRACE = sample('lenet.pt.trace.json.gz');

type Opened = Parameters<typeof open>[0];

async function recordsOf(input: Opened, options?: OpenOptions): Promise<ProfileLine[]> {
  const records: ProfileLine[] = [];
  for await (const record of await open(input, options)) records.push(record);
  return records;
}

/** Records as they stand in a file. */
const jsonOf = (records: readonly ProfileLine[]): unknown => JSON.parse(JSON.stringify(records));

async function parsed(...args: readonly string[]): Promise<unknown[]> {
  const { stdout } = await runCli('dparse', ['-q', ...args]);
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as unknown]));
}

/** The line of the error that an input has, and how many records come before. */
async function failureOf(input: Opened, options?: OpenOptions): Promise<readonly [records: number, line: string]> {
  let records = 0;
  try {
    for await (const _ of await open(input, options)) records++;
  } catch (error) {
    expect(error).to.be.instanceOf(UserError);
    return [records, (error as UserError).message];
  }
  return [records, 'no error'];
}

function folderOf(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = freshPath('-folder');
  mkdirSync(folder);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

describe('open', () => {
  for (const path of [NSIGHT, TRACE, sample('lenet.nvprof.sql'), sample('ascend_pt'), sample('attention.ntff')]) {
    it(`reads what dparse reads: ${path.slice(ROOT.length + 1)}`, async () => {
      expect(jsonOf(await recordsOf(path))).to.deep.equal(await parsed(path));
      expect(jsonOf(await recordsOf(path, { ranges: true }))).to.deep.equal(await parsed('--ranges', path));
    });
  }

  it('reads all profiles of a folder, a glob and a list, numbered through', async () => {
    const files = [0, 1].map((rank) => sample(`job/rank_${rank}.pt.trace.json.gz`));
    const folder = folderOf(Object.fromEntries(files.map((path) => [basename(path), readFileSync(path)])));
    const wanted = await parsed(folder);
    for (const input of [folder, join(folder, '*.gz'), files])
      expect(jsonOf(await recordsOf(input)), String(input)).to.deep.equal(wanted);
    const ends = (wanted as ProfileLine[]).filter(({ type }) => type === 'end');
    expect(ends.map(({ profile }) => profile)).to.deep.equal([0, 1]);
  });

  it('reads dparse records, also compressed and of a folder, ranges only if wanted', async () => {
    const { stdout } = await runCli('dparse', ['-q', '--ranges', NSIGHT]);
    const folder = folderOf({ 'net.dict': stdout });
    const file = join(folder, 'net.dict');
    const compressed = freshPath('.dict.gz');
    writeFileSync(compressed, gzipSync(stdout));
    const written = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as ProfileLine);
    for (const input of [file, compressed, folder]) {
      expect(jsonOf(await recordsOf(input))).to.deep.equal(written.filter(({ type }) => type !== 'range'));
      expect(jsonOf(await recordsOf(input, { ranges: true }))).to.deep.equal(written);
    }
    const parquet = freshPath('-parquet');
    await runCli('dparse', ['-q', '-f', 'parquet', '-o', parquet, NSIGHT]);
    const kernels = (records: readonly ProfileLine[]): number => records.filter(({ type }) => type === 'kernel').length;
    expect(kernels(await recordsOf(parquet))).to.equal(kernels(await recordsOf(NSIGHT)));
  });

  it('reads streams: profiles, compressed ones, records, reports as they come', async () => {
    const named = (records: readonly ProfileLine[]): unknown =>
      jsonOf(records.map((record) => (record.type === 'profile' ? { ...record, file: '' } : record)));
    for (const path of [NSIGHT, TRACE])
      expect(named(await recordsOf(createReadStream(path)))).to.deep.equal(named(await recordsOf(path)));
    const { stdout } = await runCli('dparse', ['-q', TRACE]);
    expect(jsonOf(await recordsOf(Readable.from([Buffer.from(stdout)])))).to.deep.equal(await parsed(TRACE));

    const [first = '', second = ''] = readFileSync(sample('neuron-monitor.jsonl'), 'utf8').split('\n');
    let given = 0;
    function* reports(): Generator<Uint8Array> {
      for (const report of [first, second]) {
        given++;
        yield Buffer.from(`${report}\n`);
      }
    }
    for await (const record of await open(Readable.from(reports(), { highWaterMark: 1 })))
      if (record.type === 'sample') break;
    // The second report was not waited for.
    expect(given).to.equal(1);
  });

  it('takes the options of dparse', async () => {
    const path = sample('attention.ntff');
    expect(jsonOf(await recordsOf(path, { derived: true }))).to.deep.equal(await parsed('--derived', path));
    expect(await failureOf(NSIGHT, { format: 'nsigt' })).to.deep.equal([0, "unknown format 'nsigt' (did you mean nsight?)"]); // prettier-ignore
    for (const option of ['program', 'ncu', 'capture'])
      expect(await failureOf(NSIGHT, { [option]: 'none.csv' })).to.deep.equal([0, 'none.csv: no such file']);
  });

  it('says of what it cannot read what and why, in one line', async () => {
    const folder = folderOf({ 'notes.txt': 'hello\n', 'empty.json': '' });
    const empty = freshPath('-empty');
    mkdirSync(empty);
    symlinkSync(empty, join(folder, 'loop'));
    const of = (name: string): string => join(folder, name);
    const hint = 'give the path of a profile, of records or of a folder';
    const lines: [Opened, string][] = [
      ['none.json', 'none.json: no such file'],
      [['none.json', NSIGHT], 'none.json: no such file'],
      [[NSIGHT, 'none.json'], 'none.json: no such file'],
      [of('*.sqlite'), `${of('*.sqlite')}: no file matches`],
      [empty, `${empty}: folder is empty`],
      [folder, `${folder}: no profile in 2 files (dparse --formats lists the supported formats)`],
      [of('notes.txt'), `${of('notes.txt')}:1: not a record (expected dparse records, a net.dict, or a profile; dparse --formats lists the formats)`], // prettier-ignore
      [of('empty.json'), `${of('empty.json')}: is empty (expected dparse records, or a net.dict)`],
      ['x'.repeat(300), `${'x'.repeat(300)}: cannot be read: file name too long`],
      ['', `no input (${hint})`],
      [[], `no input (${hint})`],
      [undefined as unknown as string, `no input (${hint})`],
      ['-', "'-' is not a file name (open(process.stdin) reads standard input)"],
    ];
    for (const [input, line] of lines) expect(await failureOf(input)).to.deep.equal([0, line]);
  });

  it('gives what stands before a cut, then throws, or hands the error to onError', async () => {
    const folder = folderOf({});
    copyFileSync(NSIGHT, join(folder, 'whole.sqlite'));
    const cut = join(folder, 'cut.json');
    // Whole events, and one that is cut off.
    writeFileSync(cut, gunzipSync(readFileSync(TRACE)).subarray(0, -20_000));
    const all = await parsed(cut);
    const what = `${cut}: the profile is cut off; the part before was read`;
    expect(await failureOf(cut)).to.deep.equal([all.length, `${what} (with the option onError the rest is still read)`]); // prettier-ignore
    const errors: string[] = [];
    const onError = ({ line }: UserError): number => errors.push(line);
    expect(jsonOf(await recordsOf(cut, { onError }))).to.deep.equal(all);
    expect(errors).to.deep.equal([what]);
    expect(await recordsOf(folder, { onError })).to.have.length(all.length + (await parsed(NSIGHT)).length);
    expect(errors).to.deep.equal([what, what]);
    expect(await recordsOf(['none.json', NSIGHT], { onError })).to.have.length((await parsed(NSIGHT)).length);
    expect(errors.at(-1)).to.equal('none.json: no such file');
  });

  it('is read once, and closes what is not read to its end', async () => {
    const records = await open(TRACE);
    for await (const { type } of records) if (type === 'kernel') break;
    const again = records[Symbol.asyncIterator]().next();
    expect(await again.catch((error: unknown) => String(error))).to.equal(
      `UserError: ${TRACE}: these records were already read (open it again)`,
    );
    (await open(TRACE)).close();
  });
});
