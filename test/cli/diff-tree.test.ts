import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TREE_COLUMNS } from '../../src/prof/diff/tree/tree-columns.js';
import type { KernelRecord } from '../../src/record/record.js';
import { kernel } from '../support/kernels.js';
import { neuronLines, neuronProfile } from '../support/neuron.js';
import { runCli, type Ran } from '../support/run-cli.js';
import { itShared } from '../support/shared.js';

const profileOf = (kernels: readonly Partial<KernelRecord>[]): string =>
  neuronLines([
    neuronProfile({ format: 'kineto', file: 'net.json', devices: [] }),
    ...kernels.map((fields, i) => kernel({ id: i + 1, seq: [i], ...fields })),
  ]);

describe('dprof diff --by tree', () => {
  let folder = '';
  const at = (name: string): string => join(folder, name);
  const run = (...args: readonly string[]): Promise<Ran> => runCli('dprof', ['diff', '--by', 'tree', ...args]);
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'dprof-diff-tree-'));
    const layer = ['net', 'block'];
    writeFileSync(
      at('a.jsonl'),
      profileOf([
        { layer, op: ['mm'], dur: 9000 },
        { layer, op: ['relu'], dur: 1000 },
      ]),
    );
    writeFileSync(
      at('b.jsonl'),
      profileOf([
        { layer, op: ['mm'], dur: 5000 },
        { layer, op: ['gelu'], dur: 2000 },
      ]),
    );
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('shows the tree with times, causes and shares, fitted to a width', async () => {
    const { stdout, code } = await run('-w', '72', at('a.jsonl'), at('b.jsonl'));
    expect(code).to.equal(0);
    const lines = stdout.split('\n');
    expect(lines.every((line) => line.length <= 72)).to.equal(true);
    const from = lines.findIndex((line) => line.startsWith('name '));
    expect(
      lines.slice(from, from + 6).map((line) =>
        line
          .split(/ {2,}/)
          .filter((cell) => cell !== '')
          .slice(0, 6),
      ),
    ).to.deep.equal([
      ['name', 'cause', 'change', 'share_%', 'base', 'new'],
      ['total', 'unknown', '-3 us', '100.0', '10 us', '7 us'],
      ['net:block', 'unknown', '-3 us', '100.0', '10 us', '7 us'],
      ['mm', 'unknown', '-4 us', '133.3', '9 us', '5 us'],
      ['gelu', 'new', '+2 us', '-66.7', '0 ns', '2 us'],
      ['relu', 'gone', '-1 us', '33.3', '1 us', '0 ns'],
    ]);
    expect(stdout).to.include('# change -3 us: unknown -4 us, new +2 us, gone -1 us');
  });

  it('writes all nodes as CSV and JSON, with keys of their own, of which the leaves add up to the total', async () => {
    expect(new Set(TREE_COLUMNS.map(({ key }) => key)).size).to.equal(TREE_COLUMNS.length);
    const csv = parse<Record<string, string>>((await run('-f', 'csv', at('a.jsonl'), at('b.jsonl'))).stdout, {
      columns: true,
    });
    const changes = csv.filter(({ row }) => row === 'leaf').map((row) => Number(row['change_ns']));
    expect(changes).to.deep.equal([-4000, 2000, -1000]);
    const [, ...json] = (await run('-f', 'jsonl', at('a.jsonl'), at('b.jsonl'))).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(json.map(({ path }) => path)).to.deep.equal([
      [],
      ['net', 'block'],
      ['net', 'block', 'mm'],
      ['net', 'block', 'gelu'],
      ['net', 'block', 'relu'],
    ]);
    expect(json[0]).to.include({
      row: 'total',
      change_ns: -3000,
      base_ns: 10_000,
      new_ns: 7000,
      cause_new_ns: 2000,
      cause_gone_ns: -1000,
    });
  });

  it('compares a profile with itself as the same, and then shows only the total', async () => {
    const { stdout } = await run('-f', 'markdown', at('a.jsonl'), at('a.jsonl'));
    expect(stdout.split('\n').filter((line) => line.startsWith('| `'))).to.have.length(1);
    expect(stdout).to.include('| `total` | same |');
  });

  it('judges conditions, and refuses what has no meaning for a tree', async () => {
    expect((await run('--fail-if', 'total<-20%', at('a.jsonl'), at('b.jsonl'))).code).to.equal(1);
    expect((await run('-f', 'junit', at('a.jsonl'), at('b.jsonl'))).stderr).to.match(
      /-f junit with --by tree needs --fail-if/,
    );
    expect((await run('--sort', 'change_ns', at('a.jsonl'), at('b.jsonl'))).code).to.equal(2);
    expect((await runCli('dprof', ['diff', '--by', 'tre', at('a.jsonl'), at('b.jsonl')])).stderr).to.match(
      /did you mean tree\?/,
    );
  });

  const PAIR = ['data/kineto/h100_bert_small.json.gz', 'data/kineto/mi300_bert_small.json.gz'];
  itShared(
    'has the figures of two devices, as counted from the JSON by a program apart',
    PAIR,
    async ([h100 = '', mi300 = '']) => {
      const { stdout } = await run('-q', '-f', 'csv', '-c', 'path,base_ns,new_ns,change_ns,aligned', h100, mi300);
      const rows = parse<Record<string, string>>(stdout, { columns: true });
      const figures = (end: string): number[][] =>
        rows
          .filter(({ path = '' }) => path.endsWith(end))
          .map((row) => ['base_ns', 'new_ns', 'change_ns'].map((key) => Number(row[key])));
      expect(figures('BertLayer_0')).to.deep.equal([[58_845, 85_301, 26_456]]);
      expect(figures('BertLayer_3')).to.deep.equal([[58_305, 78_286, 19_981]]);
      expect(figures('BertSdpaSelfAttention_0:scaled_dot_product_attention')).to.deep.equal([[10_080, 32_032, 21_952]]);
      expect(figures('Linear_25:linear')).to.deep.equal([[41_280, 25_537, -15_743]]);
      // All 60 kernels of both, in the same layers and ops.
      expect(rows.filter(({ aligned }) => aligned === 'tree')).to.have.length(60);
      expect(rows[0]).to.include({ base_ns: '307197', new_ns: '388344', change_ns: '81147' });
    },
  );
});
