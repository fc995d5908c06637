/** `dprof sql`: answers as the other commands give them, errors of one line, and nothing but the given records. */
import { expect } from 'chai';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COLUMNS } from '../../src/prof/columns/columns.js';
import { loadLibrary } from '../../src/prof/query/sql/duckdb.js';
import { SQL_TABLES } from '../../src/prof/query/sql/sql-table.js';
import { communicates } from '../../src/prof/steps/step-work.js';
import type { KernelLine } from '../../src/record/record.js';
import { RECORD_FIELDS } from '../../src/record/fields/record-fields.js';
import { UserError } from '../../src/record/errors.js';
import { describeSql } from '../support/duckdb.js';
import { freshPath } from '../support/fresh-path.js';
import { rowsOfFile, SAMPLES, writtenFolder } from '../support/record-folder.js';
import { runCli, type Ran } from '../support/run-cli.js';
import { itSlow } from '../support/sets.js';
import { ROOT } from '../support/shared.js';
import { withTemporary } from '../support/temporary-folder.js';

type Row = Readonly<Record<string, unknown>>;

const sample = (name: string): string => join(ROOT, 'samples', name);
const LENET = sample('lenet.nsys.sqlite');

const sql = (...args: readonly string[]): Promise<Ran> => runCli('dprof', ['sql', '-q', ...args]);

const objects = (text: string): Row[] => text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Row])); // prettier-ignore

async function rowsOf(query: string, ...files: readonly string[]): Promise<Row[]> {
  const { code, stdout, stderr } = await sql('-f', 'jsonl', query, ...files);
  expect(code, stderr).to.equal(0);
  return objects(stdout);
}

/** Rows of a command of dprof, without the line about losses and doubts. */
async function reportOf(...args: readonly string[]): Promise<Row[]> {
  const { code, stdout, stderr } = await runCli('dprof', [...args, '-q', '-f', 'jsonl']);
  expect(code, stderr).to.equal(0);
  return objects(stdout).filter((row) => !('doubts' in row));
}

const hasKernels = (name: string): boolean => !/neff$|^neuron-/.test(name);
/** In SQL numbers among strings are strings. */
const asText = (row: Row): Row => ({ ...row, tc: typeof row['tc'] === 'number' ? String(row['tc']) : row['tc'] });

async function expectAllRecords(name: string): Promise<void> {
  const { stdout } = await runCli('dparse', ['-q', '--ranges', sample(name)]);
  const expected: Record<string, number> = Object.fromEntries(Object.keys(RECORD_FIELDS).map((type) => [type, 0]));
  for (const record of objects(stdout)) {
    const type = String(record['type']);
    // A kernel that communicates is a collective as well.
    const types = type === 'kernel' && communicates(record as unknown as KernelLine) ? [type, 'collective'] : [type];
    for (const one of types) expected[one] = (expected[one] ?? 0) + 1;
  }
  const counts = Object.keys(RECORD_FIELDS).map((type) => `(SELECT count(*) FROM "${type}") AS "${type}"`);
  expect(await rowsOf(`SELECT ${counts.join(', ')}`, sample(name)), name).to.deep.equal([expected]);
}

describeSql('dprof sql', () => {
  it('writes infinite numbers and NaN as null in JSON, and in text as DuckDB does', async () => {
    const query = `SELECT 1e400::double AS a, -2.5e308::double AS b, 'inf'::double AS c, 'nan'::float AS d,
      '"Infinity' AS e, [1e400::double, 1.5] AS f`;
    expect(await rowsOf(query, LENET)).to.deep.equal([
      { a: null, b: null, c: null, d: null, e: '"Infinity', f: ['na', '1.5'] },
    ]);
    const { stdout } = await sql('-f', 'csv', query, LENET);
    expect(stdout).to.equal('a,b,c,d,e,f\ninf,-inf,inf,nan,"""Infinity","na,1.5"\n');
    expect((await sql(query, LENET)).stdout).to.match(/^ *inf +-inf +inf +nan +"Infinity +na,1.5$/m);
  });

  for (const [i, name] of SAMPLES.filter(hasKernels).entries()) {
    const test = i % 3 === 0 ? it : itSlow;
    test(`has the kernels of ${name} as the report has them, every column`, async () => {
      const keys = COLUMNS.map(({ key }) => key).filter((key) => key !== 'counters');
      const list = keys.map((key) => `"${key}"`).join(', ');
      const rows = await rowsOf(`SELECT ${list} FROM kernel ORDER BY profile, idx`, sample(name));
      expect(rows.length).to.be.greaterThan(0);
      expect(rows).to.deep.equal((await reportOf('-c', keys.join(','), sample(name))).map(asText));
    });
  }

  it('has a table for each type of record, with every record', async () => {
    for (const name of ['ascend_pytorch_profiler_0.db', 'attention.neff', 'lenet.nsys.sqlite', 'neuron-summary.json'])
      await expectAllRecords(name);
  });
  itSlow('has a table for each type of record, with every record of every sample', async () => {
    for (const name of SAMPLES) await expectAllRecords(name);
  });

  it('has the rows of other commands', async () => {
    const commands = {
      ...{ reason: ['check'], region: ['steps', '--by', 'range'], path: ['critical-path'], queue: ['queues'] },
      ...{ overlap: ['overlap', '--by', 'category'], sequence: ['sequences'] },
    };
    const file = sample('decoder.pt.trace.json.gz');
    for (const [table, command] of Object.entries(commands)) {
      const [rows, reported] = await Promise.all([
        sql('-f', 'csv', `SELECT * FROM ${table}`, file),
        runCli('dprof', [...command, '-q', '-f', 'csv', file]),
      ]);
      // Lists have another separator.
      const cells = ({ stdout }: Ran): string[] =>
        stdout.replaceAll(' > ', ',').replaceAll('"', '').trimEnd().split('\n').slice(1);
      expect(cells(reported), table).to.have.length.above(0);
      expect(cells(rows), table).to.deep.equal(cells(reported));
    }
    // Steps are numbers, also in a profile without any.
    const work = { type: 'kernel', profile: 0, id: 1, start: 10, dur: 5, device: 0, stream: 7, name: 'k', launch: { api: 'l', start: 1, dur: 2 } }; // prettier-ignore
    const without = await runCli('dprof', ['sql', '-q', '-f', 'csv', 'SELECT DISTINCT step FROM path'], { input: JSON.stringify(work) }); // prettier-ignore
    expect(without.stdout, without.stderr).to.equal('step\nna\n');
    const both = 'SELECT count(*) AS kernels, (SELECT sum(count)::BIGINT FROM (SELECT DISTINCT kind, count FROM overlap)) - (SELECT count(*) FROM copy) AS others FROM kernel'; // prettier-ignore
    expect(await rowsOf(both, file)).to.deep.equal([{ kernels: 56, others: 56 }]);
    const none = await sql('SELECT * FROM region', sample('attention.ntff'));
    expect(none).to.include({ code: 1, stdout: '' });
    expect(none.stderr).to.match(
      /^dprof: .*attention\.ntff: it is not known which work was launched in annotations and layers/,
    );
  });

  const JOB = [0, 1, 2, 3].map((rank) => sample(`job/rank_${rank}.pt.trace.json.gz`));

  it('has the ranks of a job, its operations and waits as dprof ranks has them', async () => {
    const { stdout } = await runCli('dprof', ['ranks', '-q', '-f', 'jsonl', ...JOB]);
    const job = JSON.parse(stdout) as { readonly ranks: readonly Row[]; readonly groups: readonly Row[] };
    const ranks = await rowsOf('SELECT * EXCLUDE (profile) FROM rank ORDER BY rank', ...JOB);
    expect(ranks).to.deep.equal(job.ranks);
    const waited = await rowsOf('SELECT rank, count(*) AS joined, sum(wait)::BIGINT AS waited, count(*) FILTER (rank = last_rank) AS last FROM wait GROUP BY 1 ORDER BY 1', ...JOB); // prettier-ignore
    for (const [index, row] of waited.entries()) {
      const { rank, joined, waited: ns, ...of } = job.ranks[index] ?? {};
      expect(row).to.include({ rank, joined });
      expect(row['waited']).to.be.closeTo(Number(ns), Number(joined));
      expect((100 * Number(row['last'])) / Number(joined)).to.be.closeTo(Number(of['last']), 1e-9);
    }
    const operations = await rowsOf('SELECT "group", count(*) AS matched, sum(captured)::BIGINT AS waits FROM operation GROUP BY 1 ORDER BY 1', ...JOB); // prettier-ignore
    const groups = job.groups.map(({ group, matched, captured }) => ({ group, matched, waits: Number(matched) * Number(captured) })); // prettier-ignore
    expect(operations).to.have.deep.members(groups);
    // Kernels are found by profile, device and start.
    const joined = 'SELECT count(*) AS n, count(k.idx) AS found FROM wait LEFT JOIN kernel k USING (profile, device, start)'; // prettier-ignore
    const [counts] = await rowsOf(joined, ...JOB);
    expect(counts?.['found']).to.equal(counts?.['n']);
  });

  it('has kernels that communicate among the collectives', async () => {
    // 205 operations, 5 of four ranks and 200 of two.
    const query = 'SELECT kind, count(*) AS n, count(bytes) AS sized, count(ranks) AS listed FROM collective GROUP BY 1 ORDER BY 1'; // prettier-ignore
    expect(await rowsOf(query, ...JOB)).to.deep.equal([
      { kind: 'all-gather', n: 40, sized: 40, listed: 40 },
      { kind: 'all-reduce', n: 340, sized: 340, listed: 340 },
      { kind: 'reduce-scatter', n: 40, sized: 40, listed: 40 },
    ]);
  });

  it('has the steps of dprof steps', async () => {
    for (const name of ['lenet.nsys.sqlite', 'lenet.pt.trace.json.gz', 'ascend_pt']) {
      const steps = (await reportOf('steps', sample(name))).filter(({ step }) => typeof step === 'number');
      const rows = await rowsOf('FROM step ORDER BY device, step', sample(name));
      expect(rows.map((row) => Object.fromEntries(Object.keys(steps[0] ?? {}).map((key) => [key, row[key]])))).to.deep.equal(steps); // prettier-ignore
    }
  });

  it('answers alike of a profile, of records in lines and in Parquet, from stdin, and of several', async () => {
    const query = 'SELECT op, dir, count(*) AS n, sum(sil) AS ns, sum(flops) AS flops FROM kernel GROUP BY ALL ORDER BY ALL'; // prettier-ignore
    const expected = await rowsOf(query, LENET);
    const folder = await writtenFolder(LENET);
    const lines = freshPath('.jsonl');
    await runCli('dparse', ['-q', '-o', lines, LENET]);
    expect(await rowsOf(query, folder)).to.deep.equal(expected);
    expect(await rowsOf(query, lines)).to.deep.equal(expected);
    const { stdout: input } = await runCli('dparse', ['-q', LENET]);
    const piped = await runCli('dprof', ['sql', '-q', '-f', 'jsonl', query], { input });
    expect(objects(piped.stdout)).to.deep.equal(expected);
    const twice = await rowsOf('SELECT profile, count(*) AS n FROM kernel GROUP BY 1 ORDER BY 1', LENET, folder);
    expect(twice).to.deep.equal([{ profile: 0, n: 126 }, { profile: 1, n: 126 }]); // prettier-ignore
  });

  it('reads fields of objects, of JSON and lists', async () => {
    const rows = await rowsOf(
      "SELECT launch.api AS api, layer[1] AS outer_layer, len(grid) AS n, labels->>'x' AS x FROM kernel WHERE layer != [] LIMIT 1",
      LENET,
    );
    expect(rows).to.deep.equal([{ api: 'cudaLaunchKernel', outer_layer: 'conv1', n: 3, x: null }]);
    const [neuron] = await rowsOf("SELECT sum((counters->>'waitNs')::BIGINT) AS ns FROM kernel", sample('attention.ntff')); // prettier-ignore
    const [report] = await reportOf('--by', 'profile', '-c', 'count', sample('attention.ntff'));
    const waits = await reportOf('-c', 'wait', sample('attention.ntff'));
    expect(report).to.include({ count: waits.length });
    expect(neuron).to.deep.equal({ ns: waits.reduce((sum, { wait }) => sum + Number(wait ?? 0), 0) });
  });

  it('writes values of all types: exact beyond 2^53, nested as JSON, none for what is unknown', async () => {
    const values = `SELECT startUnixNs AS big, -9223372036854775808::HUGEINT * 2 AS huge, 1.25::DECIMAL(4,2) AS decimal,
      [1, 2, NULL] AS ints, ['a'] AS texts, {a: 1, b: [{c: 2}]} AS object, MAP {'k': 1} AS map, 'nan'::DOUBLE AS nan,
      1 / 0 AS infinite, true AS flag, NULL AS nothing, DATE '2020-01-02' AS day, 'x' AS twice, 'y' AS twice FROM profile`;
    expect(await rowsOf(values, LENET)).to.deep.equal([
      {
        big: '1600000000123456789',
        huge: '-18446744073709551616',
        decimal: 1.25,
        ints: [1, 2, 'na'],
        texts: ['a'],
        object: '{"a":1,"b":[{"c":2}]}',
        map: '{"k":1}',
        nan: null,
        infinite: null,
        flag: 'true',
        nothing: null,
        day: '2020-01-02',
        twice: 'x',
        'twice:1': 'y',
      },
    ]);
  });

  it('writes every format of tables', async () => {
    const query = 'SELECT idx, op, sil FROM kernel ORDER BY idx LIMIT 2';
    const text = async (format: string): Promise<string> => (await sql('-f', format, query, LENET)).stdout;
    expect((await sql(query, LENET)).stdout).to.equal('idx  op      sil\n  1  conv2d  4635\n  2  conv2d  8692\n'.replace('sil\n', ' sil\n')); // prettier-ignore
    expect(await text('csv')).to.equal('idx,op,sil\n1,conv2d,4635\n2,conv2d,8692\n');
    expect(await text('space')).to.equal('idx op sil\n1 conv2d 4635\n2 conv2d 8692\n');
    expect(await text('markdown')).to.match(/^\| idx \| op \| sil \|\n/);
    expect(await text('table')).to.match(/^┌/);
    expect(await text('columns')).to.match(/^ +idx op +sil\n/);
    const path = freshPath('.parquet');
    await sql('-f', 'parquet', '-o', path, query, LENET);
    expect(await rowsOfFile(path)).to.deep.equal([
      { idx: 1n, op: 'conv2d', sil: 4635n },
      { idx: 2n, op: 'conv2d', sil: 8692n },
    ]);
    expect((await runCli('dprof', ['sql', '-f', 'parquet', query, LENET], { terminal: true })).code).to.equal(2);
  });

  it('lists tables and columns, in SQL too, without a file', async () => {
    const schema = await reportOf('sql', '--schema');
    expect(schema.map(({ table, column }) => `${String(table)}.${String(column)}`)).to.deep.equal(
      SQL_TABLES.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`)),
    );
    expect((await reportOf('sql', '--schema', 'step')).map(({ table }) => table)).to.include('step').and.not.include('kernel'); // prettier-ignore
    expect(await sql('--schema', 'kernl')).to.include({
      code: 2,
      stderr: "dprof: unknown table 'kernl' (did you mean kernel?)\n",
    });
    const tables = await rowsOf('SELECT name FROM (SHOW TABLES) ORDER BY name');
    expect(tables.map(({ name }) => name)).to.deep.equal(SQL_TABLES.map(({ name }) => name).sort());
    const described = await rowsOf('DESCRIBE kernel');
    expect(described.map(({ column_name: name }) => name)).to.include.members(['op', 'sil', 'flops', 'tc', 'peak', 'name']); // prettier-ignore
    expect(await rowsOf('SELECT 1 + 1 AS two')).to.deep.equal([{ two: 2 }]);
  });

  it('says of a summary of a table what stands in it', async () => {
    const rows = await rowsOf('SELECT column_name, max FROM (SUMMARIZE kernel)', LENET);
    expect(rows).to.deep.include({ column_name: 'idx', max: '126' });
  });
});

/** Queries that are refused or fail, and what is said. */
const REFUSED: readonly (readonly [query: string, line: RegExp])[] = [
  ['SELECT opp FROM kernel', /Binder Error: Referenced column "opp" not found.*\(Candidate bindings: "op",/],
  ['SELECT * FROM kernle', /Catalog Error: Table with name kernle does not exist! \(Did you mean "kernel"\?\)/],
  ['SELEC 1', /Parser Error: syntax error at or near "SELEC"$/],
  ['SELECT end FROM kernel', /Parser Error: syntax error at or near "end" \(for a column name: "end"\)/],
  ['SELECT 1; SELECT 2', /one query, not 2/],
  [' -- nothing', /one query, not 0/],
  ['SELECT $1', /parameter/],
  ['SELECT op::INTEGER FROM kernel', /Conversion Error: .*'conv2d'/],
  ['PIVOT kernel ON dir USING sum(sil)', /only queries.*\(PIVOT needs its values: ON column IN \(\.\.\.\)\)/],
];

describeSql('errors of dprof sql', () => {
  for (const [query, line] of REFUSED) {
    it(`are one line: ${query}`, async () => {
      const { code, stdout, stderr } = await sql(query, LENET);
      expect([code, stdout]).to.deep.equal([2, '']);
      expect(stderr).to.match(/^dprof: SQL: [^\n]*\n$/);
      expect(stderr.slice('dprof: SQL: '.length, -1)).to.match(line);
    });
  }

  it('come before anything is read', async () => {
    expect((await sql('SELECT x FROM kernel', 'no-such-file')).stderr).to.match(/^dprof: SQL: Binder Error/);
    expect((await sql('SELECT op FROM kernel', 'no-such-file')).stderr).to.equal('dprof: no-such-file: no such file\n');
  });

  it('say what comes first, and what is missing', async () => {
    expect((await sql(LENET)).stderr).to.equal(`dprof: '${LENET}' is a file (the query comes before files): dprof sql 'SELECT ...' ${LENET}\n`); // prettier-ignore
    expect((await sql()).stderr).to.match(/^dprof: no query \(usage: /);
    expect((await runCli('dprof', ['sql', '--help'])).stdout).to.match(/^Usage: dprof sql /);
  });

  it('leave the file of before as it is', async () => {
    const path = freshPath('.csv');
    writeFileSync(path, 'before');
    expect((await sql('-f', 'csv', '-o', path, 'SELECT op::INTEGER FROM kernel', LENET)).code).to.not.equal(0);
    expect((await sql('-f', 'csv', '-o', LENET, 'SELECT op FROM kernel', LENET)).stderr).to.match(/is the input/);
  });
});

describe('dprof sql without DuckDB', () => {
  it('says how to install it', async () => {
    const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
    const failure = await loadLibrary(() => Promise.reject(missing)).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(UserError);
    expect((failure as UserError).line).to.equal(
      'dprof sql needs DuckDB, which is not installed (npm install @duckdb/node-api, with -g where dprof-cli was installed with it)',
    );
    const broken = await loadLibrary(() => Promise.reject(new Error('no binary'))).catch((error: unknown) => error);
    expect((broken as UserError).line).to.include('which cannot be loaded: no binary');
  });
});

describeSql('temporary files of dprof sql', () => {
  it('are gone after a query, and after one that fails', async () => {
    const folder = freshPath('-temporary');
    mkdirSync(folder);
    await withTemporary(folder, async () => {
      await rowsOf('SELECT count(*) FROM kernel', LENET);
      await sql('SELECT nothing FROM kernel', LENET);
    });
    expect(readdirSync(folder)).to.deep.equal([]);
    expect(existsSync(folder)).to.equal(true);
  });
});
