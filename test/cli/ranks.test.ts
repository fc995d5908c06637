import { expect } from 'chai';
import { RANK_TABLES } from '../../src/prof/ranks/tables/tables.js';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeRecords } from '../../bench/growth/records.js';
import { NAMED } from '../../src/cli/screens/job.js';
import { A100, profileOn } from '../support/devices.js';
import { freshPath } from '../support/fresh-path.js';
import { kernel } from '../support/kernels.js';
import { neuronLines } from '../support/neuron.js';
import { runCli } from '../support/run-cli.js';
import { itShared, ROOT } from '../support/shared.js';

const JOB = join(ROOT, 'samples/job');
const run = (...args: string[]) => runCli('dprof', ['ranks', ...args]);
const traces = [0, 1, 2, 3].map((rank) => join(JOB, `rank_${rank}.pt.trace.json.gz`));

describe('dprof ranks', () => {
  /** What the ranks add up to, which is read sooner than their profiles. */
  const part = freshPath('.part');
  before(async () => {
    expect(await runCli('dprof', ['partial', ...traces, '-o', part])).to.include({ code: 0, stderr: '' });
  });

  it('says on one screen who is in the job, what was matched, and who is late', async () => {
    const { stdout, stderr, code } = await run(...traces);
    expect({ stderr, code }).to.deep.equal({ stderr: '', code: 0 });
    expect(stdout).to.match(/^Job +4 ranks of 4: 0-3/);
    expect(stdout).to.match(/^Matched +\d+ operations in \d+ groups, by ordinal/m);
    expect(stdout).to.match(/^Clocks +3 ranks against rank 0: offsets .*, residual .*, off by at most /m);
    for (const title of ['Ranks', 'Operations', 'Groups']) expect(stdout).to.match(new RegExp(`^${title}$`, 'm'));
  });

  it('counts a rank with several devices once', async () => {
    const device = (id: number) => ({ ...A100, id });
    const profile = { ...profileOn(device(0), device(1)), rank: 3, worldSize: 8, file: 'r3.sqlite' };
    const other = { ...profileOn(device(0)), profile: 1, rank: 5, worldSize: 8, file: 'r5.sqlite' };
    const end = { type: 'end', counts: {}, diagnostics: {} } as const;
    const records = [
      ...[profile, kernel({ device: 0 }), kernel({ id: 2, device: 1 }), { ...end, profile: 0 }],
      ...[other, kernel({ profile: 1, dur: 777 }), { ...end, profile: 1 }],
    ];
    const { stdout } = await runCli('dprof', ['ranks', '-q'], { input: neuronLines(records) });
    expect(stdout).to.match(/^Job +2 ranks of 8: 3, 5/);
    expect(stdout).to.match(/^Steps +none in the profiles of 2 ranks: /m);
  });

  it('writes each of its tables, and all of them as JSON', async () => {
    for (const table of ['ranks', 'steps', 'collectives', 'groups', 'late']) {
      const { stdout, code } = await run('-t', table, '-f', 'csv', part);
      expect(code).to.equal(0);
      expect(stdout.split('\n')[0]).to.match(/^\w+(,[\w%]+)+$/);
    }
    const { stdout } = await run('-f', 'jsonl', part);
    const job = JSON.parse(stdout) as Record<string, unknown[]>;
    expect(job['ranks']).to.have.length(4);
    // Five of each rank.
    expect(job['steps']).to.have.length(20);
  });

  it('has an example for jq with keys that there are', async () => {
    const { stdout: help } = await run('--help');
    const keys = /stragglers\[\] \| \[([^\]]*)\]/.exec(help)?.[1]?.split(', ').map((key) => key.slice(1)) ?? []; // prettier-ignore
    const { stragglers } = JSON.parse((await run('-f', 'jsonl', part)).stdout) as { stragglers: object[] };
    expect(stragglers[0]).to.have.any.keys(keys);
    for (const key of keys) expect(Object.keys(stragglers[0] ?? {})).to.include(key);
  });

  it('names profiles without a rank by their files', async () => {
    const path = freshPath('.dict');
    const { stdout: records } = await runCli('dparse', ['-q', ...traces.slice(0, 2)]);
    writeFileSync(path, records.replaceAll(/"rank":\d+,"worldSize":\d+/g, '"rank":null,"worldSize":null'));
    const { stdout } = await run('-q', path);
    expect(stdout).to.match(/^Job +2 profiles without a rank/);
    expect(stdout).to.match(/^ *na +rank_1\.pt\.trace\.json\.gz /m);
  });

  it('names some of the sets of ranks with clocks of their own, and counts the others', async () => {
    const path = freshPath('.jsonl');
    writeRecords('pairs', 40, path);
    const { stdout } = await run('-q', path);
    // Twenty pairs: the first is the reference's.
    expect(stdout.match(/^ {2}apart +1 rank against rank \d+: /gm)).to.have.length(NAMED);
    expect(stdout).to.contain(`${19 - NAMED} more sets of ranks: -f json`);
  });

  it('fits its tables into 100 characters, with a unit for each amount', async () => {
    const { stdout } = await run(part);
    const tables = stdout.slice(stdout.indexOf('\nRanks\n')).split('\n');
    expect(Math.max(...tables.map(({ length }) => length))).to.be.at.most(100);
    // The sum of the loss.
    expect(stdout).to.match(/^all-reduce +world +4 B .* kB\/s +na$/m);
    expect(tables.join('\n')).not.to.match(/ 0\.00/);
  });

  it('writes one table with the columns that are asked for', async () => {
    const text = await run('-c', 'rank,clock,bound', part);
    expect(text.stdout).to.match(/^rank {2}clock +bound\n +0 {2}reference +[\d.]+ us\n/);
    expect(text.stdout.trim().split('\n')).to.have.length(5);
    const csv = await run('-t', 'groups', '-c', 'ranks,complete', '-f', 'csv', part);
    expect(csv.stdout.split('\n').slice(0, 2)).to.deep.equal(['ranks,complete', '0-1,yes']);
    const late = await run('-t', 'late', '--top', '2', part);
    expect(late.stdout.split('\n')[0]).to.match(/^late_is +rank/);
    expect(late.stdout).to.match(/^\d+ more rows?: --top N$/m);
    const columns = await run('--columns', '-t', 'groups');
    expect(columns.stdout).to.match(/^complete +whether all ranks have a profile/m);
  });

  it('writes at most the first N rows of each table in every format', async () => {
    const whole = await run('-f', 'csv', '-t', 'late', part);
    const csv = await run('-f', 'csv', '-t', 'late', '--top', '2', part);
    expect(csv.stdout).to.equal(`${whole.stdout.split('\n').slice(0, 3).join('\n')}\n`);
    type Tables = Readonly<Record<string, readonly unknown[]>>;
    const tablesOf = (text: string): Tables =>
      (JSON.parse(text) as { readonly answer: readonly Tables[] }).answer[0] as Tables;
    const all = tablesOf((await run('-f', 'json', part)).stdout);
    const first = tablesOf((await run('-f', 'json', '--top', '1', part)).stdout);
    for (const name of ['ranks', 'collectives', 'late', 'groups']) {
      expect(all[name], name).to.have.length.above(0);
      expect(first[name], name).to.deep.equal(all[name]?.slice(0, 1));
    }
    expect(all['late']).to.have.length.above(2);
    expect(first['stragglers']).to.deep.equal(all['stragglers']);
  });

  it('refuses columns that there are none of, and those of JSON', async () => {
    const unknown = await run('-c', 'rank,clok', part);
    expect(unknown).to.include({ code: 2, stdout: '' });
    expect(unknown.stderr).to.match(/unknown column 'clok' \(did you mean clock\?\)/);
    expect((await run('-c', 'rank', '-f', 'json', part)).stderr).to.match(/-c cannot be combined with -f json/);
  });

  it('has the rows of one table in JSON where one is asked for', async () => {
    const documentOf = async (...args: string[]): Promise<Record<string, unknown>> =>
      (JSON.parse((await run('-f', 'json', ...args, part)).stdout) as { answer: [Record<string, unknown>] }).answer[0];
    const [whole, one] = [await documentOf(), await documentOf('-t', 'groups')];
    expect(one['groups']).to.deep.equal(whole['groups']);
    expect(whole).to.include.keys(Object.keys(RANK_TABLES));
    const others = Object.keys(RANK_TABLES).filter((name) => name !== 'groups');
    expect(Object.keys(one)).to.deep.equal(Object.keys(whole).filter((key) => !others.includes(key)));
  });

  it('takes a single rank, and says that there is nothing to match', async () => {
    const { stdout, code } = await run(traces[1] ?? '');
    expect(code).to.equal(0);
    expect(stdout).to.match(/no other rank of the group has a profile/);
    expect(stdout).to.match(/^ {2}missing +0, 2-3$/m);
  });

  it('refuses a table that there is none of, with the nearest', async () => {
    const { stderr, code } = await run('-t', 'rank', part);
    expect(code).to.equal(2);
    expect(stderr).to.match(/did you mean ranks\?/);
  });

  const hand: readonly (readonly [what: string, files: readonly string[], matched: number, unmatched: number])[] = [
    // Ends of 5 kernels of NCCL on each rank are within 0.4 ms of each other on the clock of their machine; 10 have none.
    ['two sampled ranks of 128', ['kineto/ranks/sampled_rank-0.json.gz', 'kineto/ranks/sampled_rank-1.json.gz'], 5, 10],
    ['one rank of two', ['kineto/a100_nccl_metadata.json.gz'], 0, 21],
    ['two ranks on Ascend', ['ascend/text_level1_rank0', 'ascend/text_level1_rank1'], 4, 0],
    // Of two runs.
    ['two databases of Ascend', ['ascend/db_level0_rank0', 'ascend/db_level1_rank1'], 0, 8],
    ['two processes of one profile', ['nsys/fsdp_2proc.sqlite'], 33, 0],
    // 24 kernels of 8 correlation ids.
    ['four devices of one process', ['nvprof/nccl_8v100.nvvp'], 8, 0],
  ];
  for (const [what, files, matched, unmatched] of hand) {
    itShared(
      `matches by hand counts: ${what}`,
      files.map((file) => `data/${file}`),
      async (paths) => {
        const { stdout, code } = await run('-q', '-t', 'groups', '-f', 'csv', ...paths);
        expect(code).to.equal(0);
        const [head = '', ...rows] = stdout.trim().split('\n');
        const sum = (column: string): number =>
          rows.reduce(
            (all, row) => all + Number(row.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)[head.split(',').indexOf(column)]),
            0,
          );
        expect([sum('matched'), sum('unmatched')]).to.deep.equal([matched, unmatched]);
      },
    );
  }
});
