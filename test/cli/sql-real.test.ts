/** `dprof sql` and `dparse -f parquet` on real profiles: counts and sums as the other outputs have them. */
import { expect } from 'chai';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { RECORD_FIELDS } from '../../src/record/fields/record-fields.js';
import { communicates } from '../../src/prof/steps/step-work.js';
import type { KernelRecord } from '../../src/record/record.js';
import { describeSql } from '../support/duckdb.js';
import { freshPath } from '../support/fresh-path.js';
import { runs } from '../support/sets.js';
import { partsOf, writtenFolder } from '../support/record-folder.js';
import { runCli } from '../support/run-cli.js';
import { itEachShared, ROOT } from '../support/shared.js';

type Row = Readonly<Record<string, unknown>>;

const DATA = join(ROOT, '..', 'shared', 'data');

/** Folders of profiles, and what stands in them that dparse may read; the files themselves of all others. */
const FOLDERS = ['kineto', 'nsys', 'nvprof', 'ascend', 'neuron', 'pyprof'];
const OF_FORMATS = /\.(?:json|json\.gz|sqlite|sql|nvvp|ntff|neff|jsonl|db)$/;

/** Bytes from which on a profile is large: a file, or what is compressed in a folder. */
const LARGE = 700_000;
const isLarge = (path: string): boolean => sizeOf(path) >= LARGE;

function sizeOf(path: string): number {
  if (!statSync(path).isDirectory()) return statSync(path).size;
  const packed = readdirSync(path).filter((name) => name.endsWith('.gz'));
  return packed.reduce((all, name) => all + statSync(join(path, name)).size, 0);
}

/** Inputs of each format, which have all types of records together, and one that is not a profile. */
const SAMPLED = [
  ...['data/kineto/mi300_norm_layers_training.json.gz', 'data/kineto/critical_path', 'data/kineto/oracle'],
  ...['data/nsys/vsr_a100_pyprof.sqlite', 'data/nsys/cuda_graph_rtx3060.sqlite', 'data/nsys/nvtx_only.sqlite'],
  ...['data/nsys/saxpy_double_runtime_rows.sqlite', 'data/nvprof/lm_v100.net.sql', 'data/nvprof/nccl_8v100.nvvp'],
  ...['data/ascend/db_level1_rank1', 'data/ascend/text_level2_rank0', 'data/neuron/trn2_fused_bf16_s512'],
  ...['data/neuron/neuron_monitor_trn1.jsonl', 'data/neuron/summary_trn1_partial.json'],
];

/** All other inputs, as paths from the shared folder on. */
function others(): string[] {
  if (!runs('long')) return [];
  return FOLDERS.flatMap((folder) => {
    const path = join(DATA, folder);
    if (!existsSync(path)) return [];
    return readdirSync(path)
      .filter((name) => OF_FORMATS.test(name) || statSync(join(path, name)).isDirectory())
      .map((name) => `data/${folder}/${name}`)
      .filter((name) => !SAMPLED.includes(name));
  });
}

const objects = (text: string): Row[] => text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Row])); // prettier-ignore

const sum = (rows: readonly Row[], key: string): number | null => {
  const known = rows.flatMap((row) => (typeof row[key] === 'number' ? [row[key]] : []));
  return known.length === 0 ? null : known.reduce((all, value) => all + value, 0);
};

const TYPES = Object.keys(RECORD_FIELDS);
const TIMED = TYPES.filter((type) =>
  RECORD_FIELDS[type as keyof typeof RECORD_FIELDS].some(({ name }) => name === 'dur'),
);

/** Rows and the sum of durations of a type in a folder of Parquet, by the index of its files and one column. */
async function countedIn(folder: string, type: string): Promise<{ readonly rows: number; readonly ns: number | null }> {
  let rows = 0;
  const times: Row[] = [];
  for (const part of partsOf(folder).filter((name) => name.startsWith(`type=${type}${sep}`))) {
    const file = await asyncBufferFromFile(join(folder, part));
    rows += Number((await parquetMetadataAsync(file)).num_rows);
    if (!TIMED.includes(type)) continue;
    for (const { dur } of await parquetReadObjects({ file, columns: ['dur'] })) {
      times.push({ dur: typeof dur === 'bigint' ? Number(dur) : null });
    }
  }
  return { rows, ns: sum(times, 'dur') };
}

describeSql('SQL of real profiles', () => {
  itEachShared(
    SAMPLED,
    others(),
    (name) => `counts and adds up ${name} as dparse and dprof do`,
    async (path) => {
      // Ranges of large traces are millions of JSON's bytes, and no different.
      const ranges = isLarge(path) ? [] : ['--ranges'];
      const records = await runCli('dparse', ['-q', ...ranges, path]);
      // What no reader takes is no profile: other tests hold what is said of it.
      if (records.stdout === '') {
        expect(records.stderr)
          .to.match(/^dparse: [^\n]*\n$/)
          .and.not.include('please report');
        return;
      }
      const text = freshPath('.jsonl');
      writeFileSync(text, records.stdout);
      const byType = new Map<unknown, Row[]>(TYPES.map((type) => [type, []]));
      for (const record of objects(records.stdout)) byType.get(record['type'])?.push(record);
      // In SQL a kernel that communicates is a collective too.
      const talking = (byType.get('kernel') ?? []).filter((record) => communicates(record as unknown as KernelRecord));
      const inSql = new Map(byType).set('collective', [...(byType.get('collective') ?? []), ...talking]);
      const asked = [
        ...TYPES.map((type) => `(SELECT count(*) FROM "${type}") AS "n ${type}"`),
        ...TIMED.map((type) => `(SELECT sum(dur)::DOUBLE FROM "${type}") AS "ns ${type}"`),
        ...['sil', 'flops', 'bytes', 'hwflops'].map((key) => `(SELECT sum(${key})::DOUBLE FROM kernel) AS "${key}"`),
        `(SELECT count(*) FROM kernel WHERE tc = '1') AS tc`,
      ].join(', ');
      const { stdout, stderr } = await runCli('dprof', ['sql', '-q', '-f', 'jsonl', `SELECT ${asked}`, text]);
      const kernels = objects(
        (await runCli('dprof', ['-q', '-f', 'jsonl', '-c', 'sil,flops,bytes,hwflops,tc', text])).stdout,
      );
      const expected: Row = {
        ...Object.fromEntries(TYPES.map((type) => [`n ${type}`, inSql.get(type)?.length])),
        ...Object.fromEntries(TIMED.map((type) => [`ns ${type}`, sum(inSql.get(type) ?? [], 'dur')])),
        ...Object.fromEntries(['sil', 'flops', 'bytes', 'hwflops'].map((key) => [key, sum(kernels, key)])),
        tc: kernels.filter(({ tc }) => tc === 1).length,
      };
      expect(objects(stdout), stderr).to.deep.equal([expected]);
      const folder = await writtenFolder(...ranges, path);
      for (const type of TYPES) {
        const { rows, ns } = await countedIn(folder, type);
        expect(rows, type).to.equal(byType.get(type)?.length);
        if (TIMED.includes(type)) expect(ns, type).to.equal(sum(byType.get(type) ?? [], 'dur'));
      }
    },
  );
});
