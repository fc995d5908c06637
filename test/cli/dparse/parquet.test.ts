/** `dparse -f parquet`: every record and every field, in folders that databases know, or nothing. */
import { expect } from 'chai';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openFile } from '../../../src/prof/input/lines.js';
import { readRecordFolder } from '../../../src/prof/input/record-folder.js';
import type { RecordTypes } from '../../../src/prof/analysis.js';
import { readRecords } from '../../../src/prof/input/records.js';
import { endingsOf, StreamStatus } from '../../../src/prof/input/stream-status.js';
import type { RecordField } from '../../../src/record/fields/field-types.js';
import { RECORD_FIELDS, type TabularType } from '../../../src/record/fields/record-fields.js';
import type { ProfileLine } from '../../../src/record/record.js';
import { freshPath } from '../../support/fresh-path.js';
import { NsightDatabase } from '../../support/nsight-database.js';
import { partsOf, rowsIn, SAMPLES, writtenFolder } from '../../support/record-folder.js';
import { runCli } from '../../support/run-cli.js';
import { itSlow } from '../../support/sets.js';
import { ROOT } from '../../support/shared.js';

type Row = Readonly<Record<string, unknown>>;

const ALL_TYPES = new Set(Object.keys(RECORD_FIELDS)) as unknown as RecordTypes;
const EVERYTHING = ['--ranges', '--derived', '--all'];
const sample = (name: string): string => join(ROOT, 'samples', name);

async function recordsText(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli('dparse', ['-q', ...args]);
  expect(code, stderr).to.equal(0);
  return stdout;
}

const parsed = (text: string): Row[] => text.trimEnd().split('\n').map((line) => JSON.parse(line) as Row); // prettier-ignore

/** Absent and null are one. */
const known = (row: Row): Row => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));

/** What a file has, as JSON has it, by the kind of the field alone. */
function asJson({ kind }: Pick<RecordField, 'kind'>, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (kind === 'json') return JSON.parse(value as string) as unknown;
  if (kind === 'digits') return (value as bigint).toString();
  if (kind === 'ints') return (value as bigint[]).map(Number);
  if (typeof kind === 'string') return typeof value === 'bigint' ? Number(value) : value;
  return known(Object.fromEntries(kind.map((field) => [field.name, asJson(field, (value as Row)[field.name])])));
}

/** Objects of a fixed form without what is null in them. */
const flattened = (record: Row, fields: readonly RecordField[]): Row =>
  known(
    Object.fromEntries(
      Object.entries(record).map(([name, value]) => {
        const isObject = fields.some((field) => field.name === name && typeof field.kind !== 'string');
        return [name, isObject && value !== null ? known(value as Row) : value];
      }),
    ),
  );

const fieldsOf = ({ type }: Row): readonly RecordField[] => RECORD_FIELDS[type as TabularType];

/** Records as they are read. */
async function allOf(batches: AsyncIterable<readonly ProfileLine[]>): Promise<Row[]> {
  const records: Row[] = [];
  for await (const batch of batches) {
    for (const record of batch) {
      const row = record as unknown as Row;
      records.push(flattened(row, fieldsOf(row)));
    }
  }
  return records;
}

describe('dparse -f parquet', () => {
  for (const [i, name] of SAMPLES.entries()) {
    const test = i % 3 === 0 ? it : itSlow;
    test(`has every record and every field of ${name}, and is read as they are, in their order`, async () => {
      const text = await recordsText(...EVERYTHING, sample(name));
      const folder = await writtenFolder(...EVERYTHING, sample(name));
      const expected = parsed(text).map((record) => flattened(record, fieldsOf(record)));
      const rows = await rowsIn(folder);
      expect(rows).to.have.length(expected.length);
      for (const [i, record] of expected.entries()) {
        const row = rows[i] ?? {};
        const read = Object.fromEntries(fieldsOf(record).map((field) => [field.name, asJson(field, row[field.name])]));
        // The rank is that of the folder; only the profile's own record has it.
        expect({ type: row['type'], ...known(read) }).to.deep.equal(record);
      }
      const lines = freshPath('.jsonl');
      writeFileSync(lines, text);
      const status = new StreamStatus(folder);
      const fromFolder = await allOf(readRecordFolder(folder, ALL_TYPES, status));
      expect(fromFolder).to.deep.equal(await allOf(readRecords(await openFile(lines), ALL_TYPES)));
      expect(endingsOf({ endings: [status] })).to.deep.include({ notes: [], errors: [] });
    });
  }

  it('has a file a type, rank and profile: several profiles of one rank, and of none, stay apart', async () => {
    const folder = freshPath('-inputs');
    mkdirSync(folder);
    const trace = sample('lenet.pt.trace.json.gz');
    for (const name of ['a.json.gz', 'b.json.gz']) copyFileSync(trace, join(folder, name));
    const database = new NsightDatabase().launch(1, ['layer:a']).write({}, join(folder, 'c.sqlite'));
    const written = await writtenFolder(join(folder, 'a.json.gz'), join(folder, 'b.json.gz'), database);
    const kernels = partsOf(written).filter((path) => path.startsWith('type=kernel'));
    expect(kernels).to.deep.equal([
      join('type=kernel', 'rank=0', 'part-0.parquet'),
      join('type=kernel', 'rank=0', 'part-1.parquet'),
      join('type=kernel', 'rank=__HIVE_DEFAULT_PARTITION__', 'part-2.parquet'),
    ]);
    const profiles = (await rowsIn(written)).filter(({ type }) => type === 'profile');
    expect(profiles.map(({ rank, profile }) => [rank, profile])).to.deep.equal([[0n, 0n], [0n, 1n], [null, 2n]]); // prettier-ignore
  });

  it('gives the same bytes whatever the number of workers', async () => {
    const inputs = ['lenet.nsys.sqlite', 'lenet.nvprof.sql', 'attention.ntff'].map(sample);
    const bytesIn = (folder: string): Row =>
      Object.fromEntries(partsOf(folder).map((part) => [part, readFileSync(join(folder, part)).toString('base64')]));
    expect(bytesIn(await writtenFolder('-j', '1', ...inputs))).to.deep.equal(bytesIn(await writtenFolder(...inputs)));
  });

  it('replaces nothing: a folder with anything in it, a file, and no name are refused with a way out', async () => {
    const full = freshPath('-full');
    mkdirSync(full);
    writeFileSync(join(full, 'notes.txt'), 'mine');
    const run = (...args: string[]) => runCli('dparse', ['-q', '-f', 'parquet', ...args, sample('lenet.nsys.sqlite')]);
    expect(await run('-o', full)).to.deep.include({
      code: 1,
      stdout: '',
      stderr: `dparse: ${full}: is not an empty folder (choose a new folder for -o, or remove this one)\n`,
    });
    expect(readdirSync(full)).to.deep.equal(['notes.txt']);
    const file = join(full, 'notes.txt');
    expect(await run('-o', file)).to.include({
      code: 1,
      stderr: `dparse: ${file}: is not a folder (parquet needs -o DIR)\n`,
    });
    expect(await run()).to.include({
      code: 2,
      stderr: 'dparse: parquet writes a folder (name it with -o DIR)\n',
    });
    expect((await run('-o', '-')).code).to.equal(2);
  });

  it('takes an empty folder, and one that is in the folder that is read', async () => {
    const folder = freshPath('-inputs');
    mkdirSync(folder);
    new NsightDatabase().launch(1, []).write({}, join(folder, 'net.sqlite'));
    const out = join(folder, 'out');
    mkdirSync(out);
    expect((await runCli('dparse', ['-q', '-f', 'parquet', '-o', out, folder])).code).to.equal(0);
    expect(readdirSync(folder).sort()).to.deep.equal(['net.sqlite', 'out']);
    expect(partsOf(out)).to.include(join('type=kernel', 'rank=__HIVE_DEFAULT_PARTITION__', 'part-0.parquet'));
  });

  it('leaves nothing when nothing can be read, and what was read when some cannot', async () => {
    const folder = freshPath('-inputs');
    mkdirSync(folder);
    const text = join(folder, 'text');
    writeFileSync(text, 'no profile');
    const out = join(folder, 'out');
    const failed = await runCli('dparse', ['-q', '-f', 'parquet', '-o', out, text]);
    expect([failed.code, existsSync(out), readdirSync(folder)]).to.deep.equal([1, false, ['text']]);
    const partly = await runCli('dparse', ['-q', '-f', 'parquet', '-o', out, text, sample('lenet.nsys.sqlite')]);
    expect([partly.code, readdirSync(folder).sort()]).to.deep.equal([1, ['out', 'text']]);
  });
});

describe('dprof of a folder of Parquet', () => {
  it('answers as of the lines', async () => {
    const input = await recordsText('--ranges', sample('lenet.pt.trace.json.gz'));
    const folder = await writtenFolder('--ranges', sample('lenet.pt.trace.json.gz'));
    for (const args of [
      ['--csv'],
      ['--by', 'layer,op'],
      ['--by', 'hostop'],
      ['steps'],
      ['stacks'],
      ['advise', '-f', 'csv'],
    ]) {
      const [ours, lines] = [await runCli('dprof', [...args, '-q', folder]), await runCli('dprof', [...args, '-q'], { input })]; // prettier-ignore
      expect(ours.code).to.equal(0);
      expect(ours.stdout, args.join(' ')).to.equal(lines.stdout);
    }
  });

  it('names a file that is damaged', async () => {
    const folder = await writtenFolder(sample('lenet.nsys.sqlite'));
    const path = join(folder, partsOf(folder).find((part) => part.startsWith('type=kernel')) ?? '');
    writeFileSync(path, readFileSync(path).subarray(0, 1000));
    const { code, stdout, stderr } = await runCli('dprof', ['-q', folder]);
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.match(/^dprof: [^\n]*part-0\.parquet: is not a Parquet file, or is damaged: [^\n]*\n$/);
  });
});
